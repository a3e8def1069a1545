"""The bombs, and what a server has to answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

OK = "OK"
MEMORY = "RESOURCE_EXHAUSTED"
RANGE = "OUT_OF_RANGE"
INVALID = "INVALID_ARGUMENT"
TIME = "DEADLINE_EXCEEDED"

ROWS = 4_000
SCHEMA = [
    "CREATE TABLE T (Id INT64 NOT NULL, N INT64, S STRING(MAX), J JSON) PRIMARY KEY (Id)",
    "CREATE TABLE U (Id INT64 NOT NULL, N INT64, S STRING(MAX)) PRIMARY KEY (Id)",
]

LONG = "REPEAT('x', 1000000)"
WHOLE = "REPEAT('x', 1048576)"
GROWN = f"({LONG} || CAST(a AS STRING))"
A = "UNNEST(GENERATE_ARRAY(1, 16000)) a"
PAIRS = f"(SELECT a * 16000 + b AS n, a, b FROM {A}, UNNEST(GENERATE_ARRAY(1, 16000)) b)"


@dataclass(frozen=True)
class Bomb:
    """A statement, how it is sent, and the codes that are right answers.

    `how` is "query", "dml", "batch" (batch DML) or "partitioned".
    """

    name: str
    sql: str
    codes: frozenset[str]
    how: str = "query"
    parameters: Mapping[str, tuple[str, Any]] = field(default_factory=dict)


def _bomb(name: str, sql: str, *codes: str, how: str = "query", **parameters: Any) -> Bomb:
    return Bomb(name, sql, frozenset(codes), how, parameters)


def _doubled(first: str, step: str, last: str, times: int) -> str:
    """Return a chain of common tables, each of which uses the one before twice."""
    tables = [f"t0 AS ({first})", *(f"t{n} AS ({step.format(n - 1)})" for n in range(1, times))]
    return f"WITH {', '.join(tables)} {last.format(times - 1)}"


def _nested(opening: str, inner: str, closing: str, times: int) -> str:
    return opening * times + inner + closing * times


SIZES: Sequence[Bomb] = (
    _bomb("concat", f"SELECT CONCAT({WHOLE}, {WHOLE})", RANGE),
    _bomb("concat of many", f"SELECT CONCAT({', '.join([LONG] * 300)})", RANGE),
    _bomb("double pipes", f"SELECT {' || '.join([LONG] * 60)}", RANGE),
    _bomb("string_agg", f"SELECT LENGTH(STRING_AGG({LONG})) FROM {A}", MEMORY),
    _bomb("string_agg grown", f"SELECT LENGTH(STRING_AGG({GROWN})) FROM {A}", MEMORY),
    _bomb("string_agg ordered", f"SELECT STRING_AGG({GROWN} ORDER BY a) FROM {A}", MEMORY),
    _bomb("string_agg distinct", f"SELECT STRING_AGG(DISTINCT {GROWN}) FROM {A}", MEMORY),
    _bomb(
        "string_agg of groups",
        f"SELECT STRING_AGG({GROWN}) FROM {A} GROUP BY MOD(a, 4000)",
        MEMORY,
    ),
    _bomb("array_agg", f"SELECT ARRAY_AGG({GROWN}) FROM {A}", MEMORY),
    _bomb("array_agg of pairs", f"SELECT ARRAY_AGG(n) FROM {PAIRS}", MEMORY),
    _bomb("array_concat_agg", f"SELECT ARRAY_CONCAT_AGG([{GROWN}]) FROM {A}", MEMORY),
    _bomb("array subquery", f"SELECT ARRAY(SELECT n FROM {PAIRS})", MEMORY),
    _bomb("array literal", f"SELECT [{', '.join([LONG] * 300)}]", MEMORY),
    _bomb(
        "array_concat",
        f"SELECT ARRAY_CONCAT({', '.join(['GENERATE_ARRAY(1, 16000)'] * 200)})",
        MEMORY,
    ),
    _bomb("array_to_string", f"SELECT ARRAY_TO_STRING(['a', 'b', 'c'], {WHOLE})", RANGE),
    _bomb("generate_array", "SELECT x FROM UNNEST(GENERATE_ARRAY(1, 1000000000)) x", RANGE),
    _bomb(
        "generate_date_array",
        "SELECT GENERATE_DATE_ARRAY(DATE '0001-01-01', DATE '9999-12-31')",
        RANGE,
    ),
    _bomb("lpad", "SELECT LPAD('x', 1000000000, 'y')", RANGE),
    _bomb("repeat", "SELECT REPEAT(REPEAT('x', 1000000), 1000000)", RANGE),
    _bomb("replace", "SELECT REPLACE(REPEAT('x', 100000), 'x', REPEAT('y', 100000))", RANGE),
    _bomb("format", "SELECT FORMAT('%*d', 1000000000, 1)", RANGE),
    _bomb("format of many", f"SELECT FORMAT('{'%s' * 100}'{f', {LONG}' * 100})", RANGE),
    _bomb(
        "hexadecimal",
        f"SELECT LENGTH({_nested('TO_HEX(CAST(', LONG, ' AS BYTES))', 30)})",
        RANGE,
    ),
    _bomb(
        "normalize",
        "SELECT LENGTH(NORMALIZE(CONCAT('a', REPEAT('\\u0301\\u0327', 250000)), NFD))",
        OK,
    ),
    _bomb("json text", f"SELECT TO_JSON_STRING(JSON_ARRAY({LONG}, {LONG}))", RANGE),
    _bomb("wide row", f"SELECT {', '.join([GROWN] * 480)} FROM {A}", MEMORY),
    _bomb("long rows", f"SELECT {GROWN} FROM {A}", TIME, MEMORY, OK),
    _bomb("split", f"SELECT ARRAY_LENGTH(SPLIT({LONG}, '')) + a FROM {A}", TIME, OK),
)

PRODUCTS: Sequence[Bomb] = (
    _bomb("cross join", "SELECT COUNT(*) FROM T a, T b, T c, T d WHERE a.N + b.N + c.N < 0", TIME),
    _bomb("sort", f"SELECT n FROM {PAIRS} ORDER BY b DESC, a", MEMORY, TIME),
    _bomb("sort of long keys", f"SELECT a FROM {A} ORDER BY {GROWN}", MEMORY, TIME),
    _bomb("top n", f"SELECT n FROM {PAIRS} ORDER BY b LIMIT 100000000", MEMORY, TIME),
    _bomb("distinct", f"SELECT COUNT(*) FROM (SELECT DISTINCT n FROM {PAIRS})", MEMORY, TIME),
    _bomb("group by", f"SELECT n, COUNT(*) FROM {PAIRS} GROUP BY n", MEMORY, TIME),
    _bomb("groups of long keys", f"SELECT {GROWN}, COUNT(*) FROM {A} GROUP BY 1", MEMORY, TIME),
    _bomb("count distinct", f"SELECT COUNT(DISTINCT n) FROM {PAIRS}", MEMORY, TIME),
    _bomb("hash join", f"SELECT COUNT(*) FROM {PAIRS} x JOIN {PAIRS} y USING (n)", MEMORY, TIME),
    _bomb(
        "full join", f"SELECT COUNT(*) FROM {PAIRS} x FULL JOIN {PAIRS} y USING (n)", MEMORY, TIME
    ),
    _bomb("loop join", f"SELECT COUNT(*) FROM T x JOIN {PAIRS} y ON x.N < y.n", MEMORY, TIME),
    _bomb("in subquery", f"SELECT COUNT(*) FROM T WHERE N IN (SELECT n FROM {PAIRS})", MEMORY, TIME),
    _bomb("union distinct", f"SELECT n FROM {PAIRS} UNION DISTINCT SELECT Id FROM T", MEMORY, TIME),
    _bomb("intersect", f"SELECT Id FROM T INTERSECT ALL SELECT n FROM {PAIRS}", MEMORY, TIME),
    _bomb(
        "common table",
        f"WITH c AS (SELECT n FROM {PAIRS}) SELECT COUNT(*) FROM c x JOIN c y ON x.n = y.n + 1",
        MEMORY,
        TIME,
    ),
    _bomb(
        "correlated",
        "SELECT (SELECT COUNT(*) FROM U u, U v WHERE u.N + v.N > t.N) FROM T t ORDER BY 1",
        TIME,
    ),
    _bomb("insert", f"INSERT INTO U (Id, N) SELECT n, 1 FROM {PAIRS}", MEMORY, TIME, how="dml"),
    _bomb(
        "insert long", f"INSERT INTO U (Id, S) SELECT a + 10000, {GROWN} FROM {A}",
        MEMORY, TIME, how="dml",
    ),
    _bomb(
        "then return",
        f"UPDATE T SET N = N + 1 WHERE TRUE THEN RETURN ARRAY(SELECT n FROM {PAIRS})",
        MEMORY, TIME, INVALID, how="dml",
    ),
    _bomb(
        "batch", f"UPDATE T SET N = (SELECT COUNT(DISTINCT n) FROM {PAIRS}) WHERE TRUE",
        MEMORY, TIME, how="batch",
    ),
    _bomb(
        "partitioned", f"UPDATE T SET S = {LONG} || {LONG} || CAST(Id AS STRING) WHERE TRUE",
        RANGE, TIME, how="partitioned",
    ),
    _bomb(
        "parameters",
        "SELECT COUNT(*) FROM UNNEST(@many) a, UNNEST(@many) b, UNNEST(@many) c",
        TIME, INVALID,
        many=("INT64", list(range(200_000))),
    ),
)  # fmt: skip

NESTING: Sequence[Bomb] = (
    _bomb(
        "doubled rows",
        _doubled(
            "SELECT Id AS x FROM T",
            "SELECT x FROM t{0} UNION ALL SELECT x FROM t{0}",
            "SELECT COUNT(*) FROM t{0}",
            40,
        ),
        MEMORY, TIME, INVALID,
    ),
    _bomb(
        "doubled text",
        _doubled("SELECT 'ab' AS x", "SELECT x || x AS x FROM t{0}", "SELECT x FROM t{0}", 50),
        RANGE,
    ),
    _bomb(
        "doubled document",
        _doubled(
            "SELECT JSON_ARRAY(1, 2) AS x",
            "SELECT JSON_ARRAY(x, x) AS x FROM t{0}",
            "SELECT x FROM t{0}",
            50,
        ),
        RANGE,
    ),
    _bomb(
        "doubled struct",
        _doubled(
            "SELECT [STRUCT(1 AS a, 2 AS b)] AS x",
            "SELECT ARRAY_CONCAT(x, x) AS x FROM t{0}",
            "SELECT ARRAY_LENGTH(x) FROM t{0}",
            50,
        ),
        MEMORY,
    ),
    _bomb("parentheses", f"SELECT {_nested('(', '1', ')', 100_000)}", OK),
    _bomb("subqueries", f"SELECT {_nested('(SELECT ', '1', ')', 5_000)}", INVALID),
    _bomb("nested calls", f"SELECT {_nested('UPPER(', '1', ')', 20_000)}", INVALID),
    _bomb("nested document", f"SELECT PARSE_JSON('{_nested('[', '', ']', 200_000)}')", RANGE),
    _bomb("many terms", f"SELECT 1 FROM T WHERE {' OR '.join(['N = 1'] * 60_000)}", INVALID),
)  # fmt: skip

PATTERNS: Sequence[Bomb] = (
    _bomb("repetition", f"SELECT REGEXP_CONTAINS({LONG}, '(x+x+)+y') FROM {A}", OK, TIME),
    _bomb("counted", "SELECT REGEXP_CONTAINS('a', '((a{100}){100}){100}')", RANGE),
    _bomb("long pattern", f"SELECT REGEXP_CONTAINS('a', {LONG})", RANGE),
    _bomb(
        "many long patterns",
        f"SELECT COUNTIF(REGEXP_CONTAINS('a', REPEAT('a', 100000) || CAST(a AS STRING))) FROM {A}",
        OK, TIME,
    ),
    _bomb(
        "replacement", f"SELECT REGEXP_REPLACE({LONG}, 'x', REPEAT('y', 1000))", RANGE,
    ),
    _bomb("like", "SELECT 'a' LIKE REPEAT('%a', 500000)", RANGE),
    _bomb("wildcards", "SELECT REPEAT('a', 1000000) LIKE REPEAT('%a_', 20000) || 'b'", OK),
)  # fmt: skip

BOMBS: Sequence[Bomb] = (*SIZES, *PRODUCTS, *NESTING, *PATTERNS)
