"""Random queries in pipe syntax, each beside the same query in standard syntax.

    FROM (...) |> WHERE c0 > 1 |> EXTEND c0 + 1 AS e3
    SELECT *, c0 + 1 AS e3 FROM (SELECT * FROM (SELECT * FROM (...)) WHERE c0 > 1)

Google's emulator knows no pipes, so both are asked of spanemu, which it is compared with elsewhere.
A step adds an operator to one text and a SELECT around the other; "Pipe query syntax" says what each
stands for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.differential import literals
from tests.differential.aggregates import AGGREGATES
from tests.differential.expressions import Expressions, Scope
from tests.differential.outcome import Outcome
from tests.differential.queries import Queries
from tests.differential.statements import Statement
from tests.differential.targets import Target, spanemu_database
from tests.differential.tree import Piece

_STEPS_MAX = 6
_COLUMNS_MAX = 8
# What can be both grouped and sorted, in one order on all machines.
_SORTABLE = tuple(one for one in literals.COMPARABLE if one not in ("FLOAT64", "FLOAT32"))
_SET_OPERATORS = ("UNION ALL", "UNION DISTINCT", "INTERSECT DISTINCT", "EXCEPT DISTINCT")


@dataclass(frozen=True)
class Piped(Statement):
    """A query in pipe syntax, and what it is in standard syntax."""

    standard: str


class InStandardSyntax(Target):
    """An engine that is asked the standard query of a `Piped`."""

    def ask(self, statement: Statement, seconds: float, sql: str = "") -> Outcome:
        """Return the answer to it. A smaller `sql` has no standard form, so there is none."""
        assert isinstance(statement, Piped)
        return super().ask(statement, seconds, statement.standard)


def in_standard_syntax(seed: int) -> InStandardSyntax:
    """Return the answers of spanemu to the queries in standard syntax."""
    return InStandardSyntax(lambda: spanemu_database(seed))


class Pipes:
    """The two texts as they grow, and the columns they have."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.queries = Queries(random)
        self.expressions = Expressions(random)
        self.names = 0
        types = [random.choice(_SORTABLE) for _ in range(random.randint(1, 3))]
        query, self.columns = self._relation(types)
        self.piped = f"FROM ({query}) AS q"
        self.standard = f"SELECT * FROM ({query}) AS q"

    def statement(self) -> Piped:
        """Return a whole query."""
        for _ in range(self.random.randint(1, _STEPS_MAX)):
            self.random.choice(_STEPS)(self)
        return Piped(Piece("statement", (self.piped,)), self.standard)

    def _relation(self, types: list[str]) -> tuple[str, dict[str, str]]:
        """Return a query in standard syntax, whose columns have names that nothing else has."""
        names = [self._name() for _ in types]
        inner = self.queries.select(types, Scope(), 1)
        items = ", ".join(f"c{number} AS {name}" for number, name in enumerate(names))
        return f"SELECT {items} FROM ({inner})", dict(zip(names, types, strict=True))

    def _name(self) -> str:
        self.names += 1
        return f"n{self.names}"

    def _expression(self, type_: str) -> str:
        return str(self.expressions.expression(type_, Scope(tuple(self.columns.items())), 1))

    def _step(self, operator: str, standard: str) -> None:
        """Add `|> operator`, which is `standard` of what was before."""
        self.piped += f" |> {operator}"
        self.standard = standard.replace("{}", f"({self.standard})")

    def _where(self) -> None:
        condition = self._expression("BOOL")
        self._step(f"WHERE {condition}", f"SELECT * FROM {{}} WHERE {condition}")

    def _extend(self) -> None:
        if len(self.columns) < _COLUMNS_MAX:
            name, type_ = self._name(), self.random.choice(_SORTABLE)
            item = f"{self._expression(type_)} AS {name}"
            self._step(f"EXTEND {item}", f"SELECT *, {item} FROM {{}}")
            self.columns[name] = type_

    def _set(self) -> None:
        name, type_ = self.random.choice(list(self.columns.items()))
        value = self._expression(type_)
        self._step(f"SET {name} = {value}", f"SELECT * REPLACE ({value} AS {name}) FROM {{}}")

    def _drop(self) -> None:
        if len(self.columns) > 1:
            name = self.random.choice(list(self.columns))
            self._step(f"DROP {name}", f"SELECT * EXCEPT ({name}) FROM {{}}")
            del self.columns[name]

    def _rename(self) -> None:
        old, new = self.random.choice(list(self.columns)), self._name()
        items = ", ".join(f"{name} AS {new}" if name == old else name for name in self.columns)
        self._step(f"RENAME {old} AS {new}", f"SELECT {items} FROM {{}}")
        self.columns = {new if key == old else key: type_ for key, type_ in self.columns.items()}

    def _select(self) -> None:
        made = {self._name(): self.random.choice(_SORTABLE) for _ in range(2)}
        distinct = self.random.choice(("", "DISTINCT "))
        items = ", ".join(f"{self._expression(type_)} AS {name}" for name, type_ in made.items())
        self._step(f"SELECT {distinct}{items}", f"SELECT {distinct}{items} FROM {{}}")
        self.columns = made

    def _aggregate(self) -> None:
        keys = self.random.sample(list(self.columns), self.random.choice((0, 1, 1)))
        type_ = self.random.choice(("INT64", "BOOL", "DATE"))
        form = self.random.choice([one for one in AGGREGATES[type_] if "HAVING" not in one])
        for hole in ("INT64", "STRING", "BOOL", "DATE", "FLOAT64", "NUMERIC", "BYTES", "JSON"):
            while "{" + hole + "}" in form:
                form = form.replace("{" + hole + "}", self._expression(hole), 1)
        if "{" in form:
            return
        name = self._name()
        group = f" GROUP BY {keys[0]}" if keys else ""
        items = ", ".join([*keys, f"{form} AS {name}"])
        self._step(f"AGGREGATE {form} AS {name}{group}", f"SELECT {items} FROM {{}}{group}")
        self.columns = {**{key: self.columns[key] for key in keys}, name: type_}

    def _join(self) -> None:
        if len(self.columns) >= _COLUMNS_MAX:
            return
        key, type_ = self.random.choice(list(self.columns.items()))
        query, more = self._relation([type_, self.random.choice(_SORTABLE)])
        kind = self.random.choice(("JOIN", "LEFT JOIN", "CROSS JOIN", "FULL JOIN"))
        on = "" if kind == "CROSS JOIN" else f" ON {key} = {next(iter(more))}"
        join = f"{kind} ({query}) AS j{self._name()}{on}"
        self._step(join, f"SELECT * FROM {{}} AS l {join}")
        self.columns |= more

    def _set_operation(self) -> None:
        operator = self.random.choice(_SET_OPERATORS)
        query, _ = self._relation(list(self.columns.values()))
        self._step(f"{operator} ({query})", f"{{}} {operator} ({query})")

    def _first(self) -> None:
        order = ", ".join(f"{name}{self.random.choice(('', ' DESC'))}" for name in self.columns)
        limit = f"LIMIT {self.random.randint(0, 5)}"
        standard = f"SELECT * FROM {{}} ORDER BY {order} {limit}"
        self._step(f"ORDER BY {order} |> {limit}", standard)

    def _as(self) -> None:
        self.piped += f" |> AS {self._name()}"


_STEPS: tuple[Callable[[Pipes], None], ...] = (
    Pipes._where, Pipes._where, Pipes._extend, Pipes._set, Pipes._drop, Pipes._rename,
    Pipes._select, Pipes._aggregate, Pipes._join, Pipes._set_operation, Pipes._first, Pipes._as,
)  # fmt: skip


def random_pipes(seed: int) -> Piped:
    """Return the query of a seed."""
    return Pipes(Random(seed)).statement()
