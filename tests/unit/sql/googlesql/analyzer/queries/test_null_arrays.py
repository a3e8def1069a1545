"""Result columns cannot be arrays of structs that Spanner's analysis says can be NULL."""

import pytest

from spanemu.schema.schema import EMPTY
from spanemu.sql.googlesql.analyzer.errors import NullArrayColumn
from spanemu.sql.googlesql.dialect import GOOGLESQL
from spanemu.values.types import INT64, array_of, struct_of

PAIRS = array_of(struct_of(("a", INT64), ("b", INT64)))
ROWS = "FROM UNNEST([1, 2]) AS n"


def resolve(sql):
    return GOOGLESQL.resolve(sql, EMPTY, {"pairs": PAIRS})


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT ARRAY(SELECT AS STRUCT n AS a, 2 AS b {rows})",
        "SELECT ARRAY<STRUCT<a INT64>>[NULL], [STRUCT(1)]",
        "SELECT IF(n = 1, [STRUCT(n)], [STRUCT(2)]) {rows}",
        "SELECT CASE n WHEN 1 THEN [STRUCT(n)] ELSE [STRUCT(2)] END {rows}",
        "SELECT n, ARRAY_AGG(STRUCT(n)) {rows} GROUP BY n",
        "SELECT (SELECT COALESCE(ARRAY_AGG(STRUCT(m)), [STRUCT(1)]) FROM UNNEST([n]) AS m) {rows}",
        "SELECT f.s FROM (SELECT [STRUCT(n)] AS s {rows} ORDER BY n LIMIT 1) AS f JOIN UNNEST([1])",
        "WITH t AS (SELECT [STRUCT(1)] AS s) SELECT s FROM t UNION ALL SELECT s FROM t",
        "SELECT ARRAY_CONCAT([STRUCT(1)], [STRUCT(2)])",
        "SELECT ARRAY_AGG(n), CAST(NULL AS ARRAY<INT64>) {rows}",  # no structs
        "SELECT p.a FROM UNNEST(@pairs) AS p WHERE ARRAY_LENGTH(@pairs) > 1",  # not a result column
    ],
)
def test_columns_that_cannot_be_null_are_accepted(sql):
    resolve(sql.format(rows=ROWS))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT @pairs",
        "SELECT @pairs AS p {rows} ORDER BY n LIMIT 1",
        "SELECT CAST(NULL AS ARRAY<STRUCT<a INT64>>)",
        "SELECT IF(n = 1, [STRUCT(n)], NULL) {rows}",
        "SELECT CASE n WHEN 1 THEN [STRUCT(n)] END {rows}",
        "SELECT NULLIF([STRUCT(1)], [STRUCT(2)])",
        "SELECT COALESCE(NULL, @pairs)",
        "SELECT WITH(p AS @pairs, p)",
        "SELECT ARRAY_CONCAT([STRUCT(1 AS a, 2 AS b)], @pairs)",
        "SELECT (SELECT ARRAY_AGG(STRUCT(m)) FROM UNNEST([n]) AS m) {rows}",
        "SELECT (SELECT [STRUCT(m)] FROM UNNEST([n]) AS m WHERE m > 1) {rows}",
        "SELECT ARRAY(SELECT IF(n = 1, NULL, STRUCT(n)) {rows})",
        "SELECT s {rows} LEFT JOIN (SELECT 1 AS n, [STRUCT(1)] AS s) USING (n)",
        "WITH t AS (SELECT @pairs AS p) SELECT p FROM t UNION ALL SELECT [STRUCT(1, 2)]",
    ],
)
def test_columns_that_can_be_null_are_refused(sql):
    with pytest.raises(NullArrayColumn):
        resolve(sql.format(rows=ROWS))
