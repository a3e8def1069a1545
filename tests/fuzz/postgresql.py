"""`python -m tests.fuzz.postgresql`: PostgreSQL statements with their words changed, one by one.

Each is resolved against a schema, or refused with a code that says why, in a fraction of a second.

exit 0   nothing that must not happen did
exit 1   it did; the findings are printed
"""

from __future__ import annotations

import sys
import traceback
from itertools import chain
from pathlib import Path
from random import Random

from spanemu.base.clock import ManualClock
from spanemu.base.errors import Code, SpannerError
from spanemu.base.rand import Randomness
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.schema.dialect import POSTGRESQL
from spanemu.schema.schema import Schema
from spanemu.sql.dialects import dialect_of
from spanemu.sql.errors import SyntaxFailure
from spanemu.sql.syntax_tree import Kind
from tests.fuzz import command
from tests.fuzz.ddl import Findings

GOLDEN = Path(__file__).parents[1] / "golden" / "parse_postgresql"
EXPECTED = frozenset(
    {
        Code.INVALID_ARGUMENT,
        Code.FAILED_PRECONDITION,
        Code.NOT_FOUND,
        Code.UNIMPLEMENTED,
        Code.OUT_OF_RANGE,
    }
)
SCHEMA = (
    """CREATE TABLE t (a bigint PRIMARY KEY, b text, c numeric, d date, e timestamptz, f float8,
         g boolean, h jsonb, i bytea, k bigint[], l text[], m real, "N" varchar(9))""",
    "CREATE TABLE u (a bigint, b text, PRIMARY KEY (a, b)) INTERLEAVE IN PARENT t",
    "CREATE INDEX i ON t (b)",
)
# What the golden files of the parser do not have: operators and functions of many types.
_STATEMENTS = """
SELECT a, b, c * 2, d - 1, e + interval '1 day', -f, NOT g, h -> 'x', i || i, k[1], l[1:2] FROM t
SELECT * FROM t LEFT JOIN u USING (a) WHERE t.b LIKE 'x%' OR c BETWEEN 1 AND 2.5 ORDER BY d LIMIT 3
SELECT count(*), sum(a), avg(c), min(d), array_agg(b), string_agg(b, ',') FROM t GROUP BY g HAVING true
SELECT a FROM t WHERE a = ANY (ARRAY[1, 2]) AND b IN (SELECT b FROM u) AND EXISTS (SELECT 1 FROM u)
SELECT CASE WHEN g THEN 1 ELSE 2.5 END, coalesce(b, 'x'), nullif(a, 1), greatest(a, c), m::numeric FROM t
SELECT x, n FROM unnest(ARRAY['a', 'b']) WITH ORDINALITY AS z (x, n), generate_series(1, 3) s
SELECT a FROM t UNION ALL SELECT a FROM u EXCEPT SELECT 1
SELECT '1'::bigint + $1, $2 || 'x', ('{"a": 1}'::jsonb ->> 'a')::float8, '{1,2}'::bigint[] @> k FROM t
SELECT to_char(e, 'YYYY'), extract(year FROM d), date_trunc('day', e), substring(b FROM 1 FOR 2) FROM t
WITH c AS (SELECT a, b FROM t) SELECT c.* FROM c JOIN u ON c.a = u.a AND c.b = u.b
INSERT INTO t (a, b, c, h) VALUES (1, 'x', '1.5', '{}'), ($1, $2, DEFAULT, NULL) RETURNING a, c::text
INSERT INTO u (a, b) SELECT a, b FROM t ON CONFLICT (a, b) DO NOTHING
INSERT INTO t (a, b) VALUES (1, 'x') ON CONFLICT (a) DO UPDATE SET a = excluded.a, b = excluded.b
UPDATE t SET b = upper(b), (c, d) = ROW (1, DEFAULT), "N" = 5 WHERE a IN (1, 2) RETURNING *
DELETE FROM t AS x WHERE x.a > 3 AND x.e < now() RETURNING x."N"
"""
_WORDS = (
    "NULL", "(", ")", ",", "'x'", "-1", "0", "9223372036854775808", "1e999", "1.5", '""', '"a b"',
    "$1", "ARRAY[", "]", "::", "::bigint", "::text[]", "::numeric(3,2)", "::nope", "interval '1'",
    "DEFAULT", "AS", "[", "=", "<", ".", "*", ";", "NOT", "AND", "IS NULL", "= ANY (", "/*@ x=1 */",
    "E'\\n'", "B'1'", "count(*)", "OVER (", "SELECT", "FROM", "WHERE", "é", "LIMIT", "UNION",
    "COLLATE", "ROW(", "'{1,2}'", "-", "||", "->>", "t.", "excluded", "CASE", "END", "VALUES",
)  # fmt: skip


def valid_statements() -> list[str]:
    """Return the statements of the parser's golden files, and some of other kinds."""
    result = _STATEMENTS.splitlines()
    for name in ("dml", "expressions", "failures", "queries"):
        for case in (GOLDEN / f"{name}.golden").read_text().split("\n\n"):
            command, _, rest = case.partition("\n")
            body = rest.partition("\n----")[0]
            if command == "expressions":
                result.extend(f"SELECT {line} FROM t, u" for line in body.splitlines())
            else:
                result.extend([body] if command == "statement" else body.splitlines())
    return [text for text in result if text.strip()]


def schema() -> Schema:
    """Return a schema with columns of every type."""
    environment = Environment(ManualClock(), Randomness(7))
    name = "projects/p/instances/i/databases/db"
    database = Database.create(name, environment, dialect=POSTGRESQL)
    failure = database.apply_ddl(list(SCHEMA)).failure
    assert failure is None
    return database.schema


class Campaign:
    """Statements made from a corpus with a seeded generator."""

    def __init__(self, seed: int) -> None:
        self.findings = Findings()
        self._random = Random(seed)
        self._dialect = dialect_of(POSTGRESQL)
        self._schema = schema()
        self._tokens = [self._tokens_of(text) for text in valid_statements()]
        self._pools: dict[Kind, list[str]] = {}
        for kind, word in chain.from_iterable(self._tokens):
            self._pools.setdefault(kind, []).append(word)

    def run(self, count: int) -> Findings:
        """Resolve `count` statements, each changed in another way."""
        for _ in range(count):
            self._one(self._mutated())
        return self.findings

    def _one(self, statement: str) -> None:
        try:
            self._dialect.resolve(statement, self._schema, {})
        except SpannerError as refused:
            self.findings.codes[refused.code.name] += 1
            if refused.code not in EXPECTED or not str(refused):
                self._report(statement, f"{refused.code.name} {refused}")
        except Exception:
            self._report(statement, traceback.format_exc(limit=-4))
        else:
            self.findings.codes["OK"] += 1

    def _report(self, statement: str, what: str) -> None:
        self.findings.violations.append(f"{statement}\n    {what}")

    def _mutated(self) -> str:
        """Return a statement with some of its tokens lost, doubled, swapped, replaced or borrowed.

        Half of the replacements are tokens of the same kind, so that the syntax stays valid.
        """
        random = self._random
        tokens = list(random.choice(self._tokens))
        for _ in range(random.choice((0, 1, 1, 1, 1, 2, 4))):
            position = random.randrange(len(tokens))
            kind, word = tokens[position]
            match random.randrange(10):
                case 0 if len(tokens) > 1:
                    del tokens[position]
                case 1:
                    tokens.insert(position, (kind, word))
                case 2:
                    other = random.randrange(len(tokens))
                    tokens[position], tokens[other] = tokens[other], tokens[position]
                case 3:
                    tokens[position] = Kind.END, random.choice(_WORDS)
                case 4:
                    tokens.insert(position, (Kind.END, random.choice(_WORDS)))
                case _ if kind is not Kind.KEYWORD and kind is not Kind.PUNCTUATION:
                    tokens[position] = kind, random.choice(self._pools.get(kind, _WORDS))
        return " ".join(word for _, word in tokens)

    def _tokens_of(self, text: str) -> list[tuple[Kind, str]]:
        try:
            return [(token.kind, token.text) for token in self._dialect.tokenize(text)[:-1]]
        except SyntaxFailure:
            return [(Kind.END, word) for word in text.split()]


if __name__ == "__main__":
    sys.exit(
        command.run("postgresql", __doc__, 50_000, lambda seed, count: Campaign(seed).run(count))
    )
