"""`python -m tests.fuzz.ddl`: schema statements with their words changed, one after another.

Each is accepted, or refused with a code that says why; a refused one leaves the schema as it was,
and whatever is accepted can be printed. Now and then the printed schema is run in a new database,
which must print the same.

exit 0   nothing that must not happen did
exit 1   it did; the findings are printed
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from spanemu.base.clock import ManualClock
from spanemu.base.errors import Code, SpannerError
from spanemu.base.rand import Randomness
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.sql.errors import SyntaxFailure
from spanemu.sql.googlesql.syntax.ddl.statement import split_statements
from spanemu.sql.googlesql.syntax.lexer import tokenize

GOLDEN = Path(__file__).parents[1] / "golden" / "ddl"
EXPECTED = frozenset(
    {
        Code.INVALID_ARGUMENT,
        Code.FAILED_PRECONDITION,
        Code.NOT_FOUND,
        Code.ALREADY_EXISTS,
        Code.UNIMPLEMENTED,
        Code.OUT_OF_RANGE,  # a row that fails a check
    }
)
_VERBS = ("CREATE", "ALTER", "DROP", "RENAME", "GRANT", "REVOKE", "ANALYZE")
_STATEMENTS_MAX = 1_000  # in one database, before another takes its place
_CHECKED_EVERY = 500
_WORDS = (
    "NULL", "(", ")", ",", "'x'", "-1", "0", "9223372036854775808", "1e999", "``", "`a b`", "@p",
    "ARRAY<", ">", "STRUCT<>", "STRING(MAX)", "STRING(0)", "INT64", "JSON", "TOKENLIST", "CASCADE",
    "DEFAULT", "AS", "OPTIONS", "[", "]", "=", ".", ";", "IF NOT EXISTS", "STORED", "HIDDEN", "é",
)  # fmt: skip


@dataclass
class Findings:
    """The events of a run, and those that must not happen."""

    codes: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)


def valid_statements() -> list[str]:
    """Return every schema statement of GoogleSQL's golden files, right or wrong."""
    result: list[str] = []
    for path in sorted(set(GOLDEN.glob("*.golden")) - {GOLDEN / "postgresql.golden"}):
        for line in path.read_text().split("\n\n"):
            body = line.partition("\n----")[0].partition("\n")[2]
            pieces = (
                body.splitlines() if ";" not in body else [t for t, _ in split_statements(body)]
            )
            result.extend(piece for piece in pieces if piece.startswith(_VERBS))
    return result


def mutated(random: Random, statements: list[str]) -> str:
    """Return a statement with some of its tokens lost, doubled, swapped, replaced or borrowed."""
    text = random.choice(statements)
    words = _words(text)
    for _ in range(random.choice((0, 0, 1, 1, 1, 1, 2, 4))):
        position = random.randrange(len(words))
        match random.randrange(6):
            case 0 if len(words) > 1:
                del words[position]
            case 1:
                words.insert(position, words[position])
            case 2:
                other = random.randrange(len(words))
                words[position], words[other] = words[other], words[position]
            case 3:
                words[position] = random.choice(_WORDS)
            case 4:
                words[position] = random.choice(_words(random.choice(statements)))
            case _:
                words.insert(position, random.choice(_WORDS))
    return " ".join(words)


def _words(text: str) -> list[str]:
    try:
        found = [text[token.at : token.end] for token in tokenize(text)]
    except SyntaxFailure:
        found = text.split()
    return [word for word in found if word] or ["CREATE"]


class Campaign:
    """Statements of one seed, run in databases that are replaced when they are full."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._statements = valid_statements()
        self._database = _database()
        self.findings = Findings()

    def run(self, count: int) -> Findings:
        """Run a number of statements."""
        for number in range(count):
            self._one(mutated(self._random, self._statements))
            if number % _CHECKED_EVERY == 0:
                self._check_text()
            if number % _STATEMENTS_MAX == 0:
                self._database = self._furnished()
        self._check_text()
        return self.findings

    def _furnished(self) -> Database:
        """Return a database that a random half of the corpus has filled with objects."""
        created = _database()
        half = len(self._statements) // 2
        for statement in self._random.sample(self._statements, half):
            with suppress(SpannerError):
                created.apply_ddl([statement])
        return created

    def _one(self, statement: str) -> None:
        before = self._database.schema
        try:
            failure: SpannerError | None = self._database.apply_ddl([statement]).failure
        except SpannerError as refused:
            failure = refused
        except Exception:
            self._report(statement, traceback.format_exc(limit=-4))
            return
        self.findings.codes["OK" if failure is None else failure.code.name] += 1
        if failure is None:
            return
        if failure.code not in EXPECTED:
            self._report(statement, f"{failure.code.name} {failure}")
        if self._database.schema is not before:
            self._report(statement, "refused, and yet the schema has changed")
        if not str(failure):
            self._report(statement, "refused without a word")

    def _check_text(self) -> None:
        text = self._database.ddl()
        try:
            twin = _database()
            failure = twin.apply_ddl(text).failure if text else None
            if failure is not None or twin.ddl() != text:
                self._report("\n".join(text), f"is not what it prints: {failure}")
        except Exception as problem:
            self._report("\n".join(text), f"does not run: {problem!r}")
            self._database = _database()

    def _report(self, statement: str, what: str) -> None:
        self.findings.violations.append(f"{statement}\n    {what}")


def _database() -> Database:
    return Database.create(
        "projects/p/instances/i/databases/db",
        Environment(ManualClock(), Randomness(7)),
        GOOGLE_STANDARD_SQL,
    )


def main() -> int:
    """Run a campaign from the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.ddl", description=__doc__)
    parser.add_argument("--statements", type=int, default=50_000)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    seed = Randomness(options.seed).seed
    print(f"seed {seed}", flush=True)
    findings = Campaign(seed).run(options.statements)
    print(", ".join(f"{count} {code}" for code, count in findings.codes.most_common()))
    for violation in findings.violations[:20]:
        print(violation)
    print(f"{len(findings.violations)} violations")
    return 1 if findings.violations else 0


if __name__ == "__main__":
    sys.exit(main())
