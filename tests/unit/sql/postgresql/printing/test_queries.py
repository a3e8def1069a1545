"""Queries of views as Spanner prints them; every text here is the official emulator's."""

from __future__ import annotations

import pytest

from spanemu.base.errors import SpannerError
from spanemu.schema.dialect import POSTGRESQL
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, KeyPart, Table
from spanemu.sql.postgresql.printing.canonical import canonical_expression, canonical_view
from spanemu.values import types
from spanemu.values.types import Type, array_of


def table(name: str, first_id: int, **columns: Type) -> Table:
    """Return a table whose key is its first column."""
    declared = tuple(
        Column(column, type_, id=first_id + number, position=number)
        for number, (column, type_) in enumerate(columns.items())
    )
    key = (KeyPart(declared[0], POSTGRESQL.orders.order()),)
    return Table(name, first_id, declared, key, fold=str)


BIGINT, TEXT = types.INT64, types.STRING
T = table(
    "t", 100, id=BIGINT, a=BIGINT, b=BIGINT, s=TEXT, n=types.PG_NUMERIC, o=types.BOOL,
    xs=array_of(BIGINT),
)  # fmt: skip
U = table("u", 200, id=BIGINT, a=BIGINT, w=TEXT, Mixed=BIGINT)
SCHEMA = Schema(dialect=POSTGRESQL, tables={"t": T, "u": U})


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("SELECT * FROM t", "SELECT id, a, b, s, n, o, xs FROM t"),
        ("SELECT * FROM u ORDER BY 2, w", 'SELECT id, a, w, "Mixed" FROM u ORDER BY a, w'),
        ('SELECT x.id y, x.a "Y Z" FROM t AS x', 'SELECT id AS y, a AS "Y Z" FROM t x'),
        (
            "SELECT t.id, u.w FROM t, u WHERE t.a = u.a",
            "SELECT t.id, u.w FROM t, u WHERE (t.a = u.a)",
        ),
        (
            "SELECT t.id, u.w FROM t INNER JOIN u ON t.a = u.a WHERE t.b = 1",
            "SELECT t.id, u.w FROM (t JOIN u ON ((t.a = u.a))) WHERE (t.b = '1'::bigint)",
        ),
        (
            "SELECT t.id, u.w FROM t RIGHT OUTER JOIN u ON t.a = u.a",
            "SELECT t.id, u.w FROM (t RIGHT JOIN u ON ((t.a = u.a)))",
        ),
        ("SELECT t.id, u.w FROM t CROSS JOIN u", "SELECT t.id, u.w FROM (t CROSS JOIN u)"),
        ("SELECT id, w FROM t JOIN u USING (id)", "SELECT t.id, u.w FROM (t JOIN u USING (id))"),
        (
            "SELECT x.id FROM t JOIN (u JOIN u AS x ON x.id = u.id) ON x.id = t.id",
            "SELECT x.id FROM (t JOIN (u JOIN u x ON ((x.id = u.id))) ON ((x.id = t.id)))",
        ),
        (
            "SELECT q.id FROM (SELECT id, a FROM t WHERE a > 1) AS q(id, z)",
            "SELECT id FROM (SELECT t.id, t.a FROM t WHERE (t.a > '1'::bigint)) q(id, z)",
        ),
        ("SELECT DISTINCT a FROM t", "SELECT DISTINCT a FROM t"),
        (
            "SELECT a, count(*) AS n FROM t GROUP BY a HAVING count(*) > 1 ORDER BY n DESC",
            "SELECT a, count(*) AS n FROM t GROUP BY a HAVING (count(*) > '1'::bigint) ORDER BY (count(*)) DESC",
        ),
        (
            "SELECT a + 1 AS k, sum(b) FROM t GROUP BY 1",
            "SELECT (a + '1'::bigint) AS k, sum(b) AS sum FROM t GROUP BY (a + '1'::bigint)",
        ),
        (
            "SELECT a AS k, sum(b) FROM t GROUP BY k",
            "SELECT a AS k, sum(b) AS sum FROM t GROUP BY a",
        ),
        (
            "SELECT a FROM t ORDER BY b NULLS FIRST, s DESC NULLS LAST, a ASC NULLS LAST, n DESC NULLS FIRST",
            "SELECT a FROM t ORDER BY b NULLS FIRST, s DESC NULLS LAST, a, n DESC",
        ),
        ("SELECT a AS z FROM t ORDER BY z DESC", "SELECT a AS z FROM t ORDER BY a DESC"),
        (
            "SELECT a FROM t ORDER BY a LIMIT 3 OFFSET 1",
            "SELECT a FROM t ORDER BY a OFFSET '1'::bigint LIMIT '3'::bigint",
        ),
        (
            "SELECT a FROM t UNION ALL SELECT a FROM u UNION ALL SELECT b FROM t",
            "SELECT t.a FROM t UNION ALL SELECT u.a FROM u UNION ALL SELECT t.b FROM t",
        ),
        (
            "SELECT a FROM t UNION SELECT a FROM u INTERSECT SELECT b FROM t",
            "SELECT t.a FROM t UNION (SELECT u.a FROM u INTERSECT SELECT t.b FROM t)",
        ),
        (
            "(SELECT a FROM t ORDER BY a LIMIT 1) UNION ALL (SELECT a FROM u LIMIT 2)",
            "(SELECT t.a FROM t ORDER BY t.a LIMIT '1'::bigint) UNION ALL (SELECT u.a FROM u LIMIT '2'::bigint)",
        ),
        (
            "SELECT a AS k FROM t UNION ALL SELECT a AS j FROM u ORDER BY k DESC",
            "SELECT t.a AS k FROM t UNION ALL SELECT u.a AS j FROM u ORDER BY 1 DESC",
        ),
        (
            "SELECT id, (SELECT w FROM u WHERE u.id = t.id) AS m FROM t",
            "SELECT id, (SELECT u.w FROM u WHERE (u.id = t.id)) AS m FROM t",
        ),
        (
            "SELECT id FROM t WHERE NOT EXISTS (SELECT id FROM u)",
            "SELECT id FROM t WHERE (NOT (EXISTS (SELECT u.id FROM u)))",
        ),
        (
            "SELECT id FROM t WHERE a NOT IN (SELECT a FROM u WHERE w = 'x')",
            "SELECT id FROM t WHERE (NOT (a IN (SELECT u.a FROM u WHERE (u.w = 'x'::text))))",
        ),
        (
            "SELECT id FROM t WHERE a = ANY (SELECT a FROM u)",
            "SELECT id FROM t WHERE (a IN (SELECT u.a FROM u))",
        ),
        (
            "SELECT ARRAY(SELECT a FROM u) AS l FROM t",
            "SELECT ARRAY(SELECT u.a FROM u) AS l FROM t",
        ),
        (
            "SELECT x FROM unnest(ARRAY[1,2]) AS x",
            "SELECT x FROM unnest(ARRAY['1'::bigint, '2'::bigint]) x(x)",
        ),
        (
            "SELECT t.id, q.e FROM t, unnest(t.xs) AS q(e)",
            "SELECT t.id, q.e FROM t, LATERAL unnest(t.xs) q(e)",
        ),
        ("SELECT t.*, u.w FROM t, u", "SELECT t.id, t.a, t.b, t.s, t.n, t.o, t.xs, u.w FROM t, u"),
        (
            "SELECT abs(a), a::text, CASE WHEN o THEN 1 END FROM t",
            "SELECT abs(a) AS abs, (a)::text AS a, CASE WHEN o THEN '1'::bigint ELSE NULL::bigint END AS \"case\" FROM t",
        ),
        (
            "SELECT id FROM t WHERE a = 1 OR EXISTS (SELECT 1 FROM u WHERE u.a = a)",
            "SELECT id FROM t WHERE ((a = '1'::bigint) OR (EXISTS (SELECT '1'::bigint FROM u WHERE (u.a = u.a))))",
        ),
        (
            "SELECT t.id FROM t WHERE EXISTS (SELECT 1 FROM t WHERE t.id = 1)",
            "SELECT id FROM t WHERE (EXISTS (SELECT '1'::bigint FROM t t_1 WHERE (t_1.id = '1'::bigint)))",
        ),
        ("SELECT id FROM (SELECT id FROM t) t", "SELECT id FROM (SELECT t_1.id FROM t t_1) t"),
        (
            "SELECT a BETWEEN 1 AND 2.5 AS x FROM t",
            "SELECT ((a >= '1'::bigint) AND ((a)::numeric <= 2.5)) AS x FROM t",
        ),
        (
            "SELECT b IN (1, (SELECT max(a) FROM u)) AS x FROM t",
            "SELECT (b = ANY (ARRAY['1'::bigint, (SELECT max(u.a) AS max FROM u)])) AS x FROM t",
        ),
        (
            "SELECT (a = 1 AND b = 2) AND o AS x FROM t",
            "SELECT ((a = '1'::bigint) AND (b = '2'::bigint) AND o) AS x FROM t",
        ),
        (
            "SELECT abs(a) AS x FROM t GROUP BY abs(a) ORDER BY abs(a)",
            "SELECT abs(a) AS x FROM t GROUP BY (abs(a)) ORDER BY (abs(a))",
        ),
        (
            "SELECT q.n FROM (SELECT count(*) AS n FROM t GROUP BY a) q WHERE q.n > 1",
            "SELECT n FROM (SELECT count(*) AS n FROM t GROUP BY t.a) q WHERE (n > '1'::bigint)",
        ),
    ],
)
def test_a_query_prints_as_in_a_view(text: str, canonical: str) -> None:
    assert canonical_view(text, SCHEMA) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "SELECT x FROM unnest(ARRAY[1, 2]) WITH ORDINALITY AS z(x, n)",
        "SELECT t.id, q.e FROM t LEFT JOIN unnest(t.xs) AS q(e) ON true",
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id)",
        "SELECT id /*c*/ FROM t /*@ FORCE_INDEX = _BASE_TABLE */ WHERE s = 'a'",
        "SELECT t.id FROM t JOIN /*@ JOIN_METHOD = HASH_JOIN */ u ON t.id = u.id ORDER BY u.w",
        """SELECT "Mixed" AS "select", w "user" FROM u WHERE w IS DISTINCT FROM 'x'""",
        "SELECT -a AS m, - (-5) AS n, a % 2 AS r FROM t",
    ],
)
def test_the_canonical_text_is_its_own_canonical_text(text: str) -> None:
    canonical = canonical_view(text, SCHEMA)
    assert canonical_view(canonical, SCHEMA) == canonical


def test_an_expression_of_a_column_prints_without_its_last_cast() -> None:
    assert canonical_expression("1", T, SCHEMA, types.PG_NUMERIC) == "'1'::bigint"
    assert canonical_expression("'1'", T, SCHEMA, types.PG_NUMERIC) == "'1'::numeric"
    assert canonical_expression("t.a + b", T, SCHEMA, BIGINT) == "(a + b)"


def test_literals_of_another_generated_column_leave_no_trace() -> None:
    g = Column("g", BIGINT, id=150, position=7, generated="(a + '7'::bigint)", stored=False)
    with_g = Table("t", 100, (*T.columns, g), T.key, fold=str)
    schema = Schema(dialect=POSTGRESQL, tables={"t": with_g})
    text = "g > 1 AND s = 'a'"
    canonical = "((g > '1'::bigint) AND (s = 'a'::text))"
    assert canonical_expression(text, with_g, schema, types.BOOL) == canonical


def test_an_invalid_query_has_no_canonical_text() -> None:
    with pytest.raises(SpannerError, match="nope"):
        canonical_view("SELECT nope FROM t", SCHEMA)
