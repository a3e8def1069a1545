"""Statements with the answers that both engines agreed on, replayed without the reference.

One JSON object a line in `corpus.jsonl`: the statement, its kind, the answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.differential.outcome import NO_ANSWER, SECONDS_MAX, Outcome
from tests.differential.statements import Statement, random_statement
from tests.differential.targets import Target
from tests.differential.tree import Piece

PATH = Path(__file__).with_name("corpus.jsonl")
ROWS_SEED = 1
_ROWS_MAX = 40
# What once went wrong, made small.
REGRESSIONS = (
    "SELECT 1 AS c0 FROM Parent AS t1 RIGHT JOIN Parent AS t3 ON FALSE",
    "SELECT t1.A, t2.N FROM Parent t1 LEFT JOIN Child t2 ON t1.A = t2.A AND CAST(NULL AS BOOL)",
    "SELECT MAX(b'') AS c0 FROM (SELECT SUM(1) AS c0 FROM Child AS t2 WHERE FALSE) AS t1",
    "SELECT CURRENT_DATE = CURRENT_DATE() FROM (SELECT 1 AS current_date)",
    "SELECT IF(TRUE, 'a', ERROR('x')), COALESCE(DATE '2020-01-01', ERROR('x'))",
    "SELECT STRING_AGG(x, CAST(NULL AS STRING)) FROM UNNEST(['a']) x",
    "SELECT JSON_VALUE(JSON '{}', Y) FROM Plain",
    "SELECT TO_JSON_STRING(CAST(NULL AS JSON))",
    "SELECT SOUNDEX('nan'), SOUNDEX('Tymczak'), SOUNDEX('Ashcraft')",
    "SELECT VAR_SAMP(x), STDDEV(x) FROM UNNEST([1.0, 2.2e+304, -2.2e+304]) x",
    "SELECT FORMAT('%d', 1, 2)",
    "SELECT TIMESTAMP_TRUNC(TIMESTAMP '2024-02-29 12:34:56.789+00', MILLISECOND, 'an')",
    "SELECT CODE_POINTS_TO_STRING([9223372036854775807, NULL])",
    "SELECT MOD(1.5, 2)",
    "SELECT MOD(NUMERIC '7.5', 2.5), 5 / 2, CEIL(5), LOG(8.5, 2), STDDEV(x) FROM UNNEST([1, 2]) x GROUP BY 1",
    "SELECT LOG(2.5, CAST('-inf' AS FLOAT64)), 1e999, COSINE_DISTANCE([1.5, -1.0], [1.5, -1.0])",
    "SELECT CAST('0x1F.8' AS FLOAT64), CAST(CAST(-0.6666667 AS FLOAT32) AS STRING)",
    "SELECT AVG(x) FROM UNNEST([1e308, 1e308, 1e308]) x",
    "SELECT ARRAY_CONCAT([1], NULL)",
    "SELECT @x_date = @x_date_text",
    "SELECT TO_HEX('a')",
    "SELECT TIMESTAMP(TIMESTAMP '2020-01-01')",
    "SELECT EXTRACT(HOUR FROM @x_timestamp_text AT TIME ZONE 'Asia/Kathmandu')",
    "SELECT @u_date IN (SELECT E FROM Parent)",
    "SELECT ([NULL, NULL] IS NULL) IS NOT NULL",
    "SELECT SAFE.BIT_REVERSE(1, TRUE)",
    "SELECT FORMAT(CAST(1 AS STRING), 'b')",
    "SELECT " + "+".join(["1"] * 76),
    "SELECT " + "+".join(["1"] * 600),
)


@dataclass(frozen=True)
class Entry:
    """A statement and its answer."""

    statement: Statement
    expected: Outcome


def read() -> list[Entry]:
    """Return the stored statements."""
    result = []
    for line in PATH.read_text().splitlines():
        stored = json.loads(line)
        answer = Outcome(stored["code"], tuple(stored["types"]), tuple(stored["rows"]))
        result.append(Entry(Statement(Piece(stored["kind"], (stored["sql"],))), answer))
    return result


def write(ours: Target, theirs: Target, seeds: range) -> int:
    """Store what both engines agree on; the number of statements."""
    lines = []
    for statement in _statements(seeds):
        mine, other = (each.ask(statement, SECONDS_MAX) for each in (ours, theirs))
        if mine.agrees(other) and mine.code not in NO_ANSWER and len(mine.rows) <= _ROWS_MAX:
            facts = {"code": mine.code, "types": mine.types, "rows": mine.rows}
            kind = statement.piece.kind
            lines.append(json.dumps({"sql": statement.sql, "kind": kind, **facts}))
    PATH.write_text("\n".join(lines) + "\n")
    return len(lines)


def _statements(seeds: range) -> Iterator[Statement]:
    for sql in REGRESSIONS:
        yield Statement(Piece("statement", (sql,)))
    yield from map(random_statement, seeds)
