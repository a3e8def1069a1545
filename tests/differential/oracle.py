"""Expressions judged by ZetaSQL itself, where the package is installed; it knows no tables.

It has what Google's emulator lacks (lambdas, INTERVAL, ORDER BY in aggregates) and nothing that is
Spanner's own. Both sides show the value of an expression by FORMAT('%T', ...).
"""

from __future__ import annotations

import re
from ast import literal_eval
from random import Random

from tests.differential.expressions import Expressions, Scope
from tests.differential.outcome import DIED, Outcome
from tests.differential.statements import Statement
from tests.differential.targets import Target, spanemu_database
from tests.differential.tree import Piece
from tests.oracle import MISSING, evaluator, translated

_CODE = re.compile(r"\[?([A-Z]+(?:_[A-Z]+)+)\]?:?")
# What is judged before rows are read, and what while they are, is another matter than what fails.
_FAILURES = dict.fromkeys(("INVALID_ARGUMENT", "OUT_OF_RANGE"), "FAILED")
# Functions whose data files are not in the package: it does not survive them.
_CRASHES = re.compile(r"(SAFE\.)?(NET\.(PUBLIC_SUFFIX|REG_DOMAIN)|NORMALIZE)")


def random_expression(seed: int) -> Statement:
    """Return an expression over nothing."""
    random = Random(seed)
    expressions = Expressions(random, wild=True, parameterized=False)
    if random.random() < 0.6:
        piece = expressions.call(Scope())
        while _CRASHES.match(str(piece)):
            piece = expressions.call(Scope())
    else:
        piece = expressions.expression(random.choice(expressions.types), Scope(), 2)
    return Statement(Piece("oracle", (piece,)))


class Oracle(Target):
    """ZetaSQL, for expressions alone."""

    def __init__(self) -> None:
        super().__init__(lambda: (_ for _ in ()))  # type: ignore[arg-type, return-value]

    def __enter__(self) -> Oracle:
        evaluator()
        return self

    def ask(self, statement: Statement, seconds: float, sql: str = "") -> Outcome:
        """Return the value of an expression as text. The time it takes has no bound."""
        text = translated(sql or statement.sql)
        try:
            return Outcome("OK", ("STRING",), (evaluator()(f"FORMAT('%T', ({text}))"),))
        except Exception as failure:  # its own kinds, and those of its runtime
            message = str(failure)
            result = _CODE.search(message)
            if MISSING.search(message) or result is None:
                return Outcome(DIED, message=message[:300])
            return Outcome(_FAILURES.get(result[1], result[1]), message=message[:300])


class Shown(Target):
    """An engine that is asked for the value of an expression as text."""

    def ask(self, statement: Statement, seconds: float, sql: str = "") -> Outcome:
        """Return the answer to `SELECT FORMAT('%T', expression)`."""
        whole = Statement(Piece("statement", (f"SELECT FORMAT('%T', ({sql or statement.sql}))",)))
        found = super().ask(whole, seconds)
        if found.code != "OK":
            return Outcome(_FAILURES.get(found.code, found.code), message=found.message)
        return Outcome("OK", found.types, tuple(map(literal_eval, found.rows)))


def shown() -> Shown:
    """Return the answer of spanemu when it is asked for values as text."""
    return Shown(lambda: spanemu_database(1))
