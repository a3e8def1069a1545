"""Expressions as Spanner prints them; every text here is the official emulator's.

The columns of a row: id, a, b bigint, s, v text, n numeric, f double precision, o boolean, j jsonb,
y bytea, xs bigint[].
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from spanemu.schema.dialect import POSTGRESQL
from spanemu.schema.schema import Schema
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.state import Aggregation
from spanemu.sql.dialect import DEFAULT_OPTIONS
from spanemu.sql.postgresql.analyzer.analysis import Analysis, Parameters
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve_output
from spanemu.sql.postgresql.analyzer.resolvers import RESOLVER_TABLE
from spanemu.sql.postgresql.analyzer.scope import Env, Scope
from spanemu.sql.postgresql.catalog import CATALOG
from spanemu.sql.postgresql.printing.expressions import ExpressionPrinter
from spanemu.sql.postgresql.printing.notes import Recorder
from spanemu.sql.postgresql.syntax.statement import parse_expression
from spanemu.sql.resolved import ColumnRef, Expr, ResolvedColumn
from spanemu.values import types
from spanemu.values.types import array_of

_COLUMNS = {
    **dict.fromkeys(("id", "a", "b"), types.INT64),
    **dict.fromkeys(("s", "v"), types.STRING),
    "n": types.PG_NUMERIC,
    "f": types.FLOAT64,
    "o": types.BOOL,
    "j": types.PG_JSONB,
    "y": types.BYTES,
    "xs": array_of(types.INT64),
}


class Row(Relation):
    """A relation with the columns of the module's docstring."""

    def __init__(self) -> None:
        super().__init__("t", str)
        self._columns = {
            name: ResolvedColumn(number, name, type_)
            for number, (name, type_) in enumerate(_COLUMNS.items())
        }

    def column(self, name: str, at: int) -> Expr | None:
        column = self._columns.get(name)
        return None if column is None else ColumnRef(column.type, column)

    def column_names(self) -> Iterator[str]:
        return iter(self._columns)


def printed(text: str) -> str:
    """Return the canonical text of an expression."""
    recorder = Recorder(RESOLVER_TABLE)
    schema = Schema(dialect=POSTGRESQL)
    analysis = Analysis(schema, CATALOG, DEFAULT_OPTIONS, Parameters({}), recorder.resolvers)
    analysis.next_id = 100
    node = parse_expression(text)
    env = Env(analysis, Scope(None, Row()), "SELECT", {}, aggregation=Aggregation())
    resolve_output(node, env)
    printer = ExpressionPrinter(
        recorder.notes(analysis), lambda name: name.path.names[-1], lambda _query: "SELECT"
    )
    return printer.part(node)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("1", "'1'::bigint"),
        ("-9223372036854775808", "'-9223372036854775808'::bigint"),
        ("12345678901234567890", "'12345678901234567890'::numeric"),
        ("10.50", "10.50"),
        (".5", "0.5"),
        ("1e3", "'1000'::numeric"),
        ("-1.5", "'-1.5'::numeric"),
        ("'it''s'", "'it''s'::text"),
        (r"E'a\\b'", r"'a\b'::text"),
        ("NULL", "NULL::text"),
        ("NULL::bigint", "NULL::bigint"),
        ("true", "true"),
        ("'on'::bool", "true"),
        ("'1.5'::float8", "'1.5'::double precision"),
        ("'NaN'::numeric", "'NaN'::numeric"),
        (r"'abc'::bytea", r"'\x616263'::bytea"),
        ("'{1,02,NULL}'::bigint[]", "'{1,2,NULL}'::bigint[]"),
        ("'{true,f,NULL}'::bool[]", "'{t,f,NULL}'::boolean[]"),
        ("'{1.50,inf,-0}'::float8[]", "'{1.5,Infinity,-0}'::double precision[]"),
        ("'{\"Jan 8, 2021\"}'::date[]", "'{2021-01-08}'::date[]"),
        (
            "'{2024-01-01}'::timestamptz[]",
            "'{\"2024-01-01 00:00:00-08\"}'::timestamp with time zone[]",
        ),
        (r"""'{abc,"\\xff"}'::bytea[]""", r"""'{"\\x616263","\\xff"}'::bytea[]"""),
        (
            r"""'{a,"NULL",null,"it''s","","x\"y","c\\d","{","a,b", e f}'::text[]""",
            r"""'{a,"NULL",NULL,it''s,"","x\"y","c\\d","{","a,b","e f"}'::text[]""",
        ),
        ("'x'::varchar", "'x'::character varying"),
        ("'xyz'::varchar(2)", "'xyz'::character varying(2)"),
        ("'a::b'::varchar(3)", "'a::b'::character varying(3)"),
        ("'1.555'::numeric(5,2)", "1.555::numeric(5,2)"),
        ("12::numeric(5,1)", "('12'::bigint)::numeric(5,1)"),
        ("-0.0", "0.0"),
        ("-(-(5))", "'5'::bigint"),
        ("-(9223372036854775808)", "'-9223372036854775808'::bigint"),
        ("- -9223372036854775808", "'9223372036854775808'::numeric"),
        ("OPERATOR(pg_catalog.-) 5", "(- '5'::bigint)"),
    ],
)
def test_constants_have_their_types(text: str, canonical: str) -> None:
    assert printed(text) == canonical


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("interval '2' day", "'P2D'::interval"),
        ("'1'::interval hour", "'PT1H'::interval"),
        ("ARRAY['1', NULL]::interval day[]", "ARRAY['P1D'::interval, NULL::interval]"),
        ("CAST('3:4' AS interval minute to second)", "'PT3M4S'::interval"),
        ("interval '1 2' day to hour", "'P1DT2H'::interval"),
        ("interval '1 year 2 months' year", "'P1Y'::interval"),
        ("NULL::interval hour", "NULL::interval"),
    ],
)
def test_the_fields_of_an_interval_are_part_of_its_constant(text: str, canonical: str) -> None:
    # The official emulator has no intervals in this dialect.
    assert printed(text) == canonical


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("a + 1", "(a + '1'::bigint)"),
        ("-a", "(- a)"),
        ("-1.5::float8", "(- (1.5)::double precision)"),
        ("n + 1", "(n + ('1'::bigint)::numeric)"),
        ("a + 1.5", "((a)::numeric + 1.5)"),
        ("a != b", "(a <> b)"),
        ("NOT a = b", "(NOT (a = b))"),
        ("o AND a = 1 OR NOT o", "((o AND (a = '1'::bigint)) OR (NOT o))"),
        ("o AND (o AND o)", "(o AND (o AND o))"),
        ("a BETWEEN 1 AND 2", "((a >= '1'::bigint) AND (a <= '2'::bigint))"),
        (
            "f BETWEEN 1 AND 5",
            "((f >= ('1'::bigint)::double precision) AND (f <= ('5'::bigint)::double precision))",
        ),
        ("a NOT BETWEEN 1 AND 2", "((a < '1'::bigint) OR (a > '2'::bigint))"),
        (
            "a BETWEEN SYMMETRIC 1 AND 2",
            "(((a >= '1'::bigint) AND (a <= '2'::bigint)) OR "
            "((a >= '2'::bigint) AND (a <= '1'::bigint)))",
        ),
        ("a IN (1)", "(a = '1'::bigint)"),
        ("a IN (1, 2)", "(a = ANY (ARRAY['1'::bigint, '2'::bigint]))"),
        ("a NOT IN (1, 2)", "(a <> ALL (ARRAY['1'::bigint, '2'::bigint]))"),
        ("a IN (1, b)", "((a = '1'::bigint) OR (a = b))"),
        ("a IN (1, 2, b)", "((a = ANY (ARRAY['1'::bigint, '2'::bigint])) OR (a = b))"),
        ("a IN (1, 2.5)", "((a)::numeric = ANY (ARRAY[('1'::bigint)::numeric, 2.5]))"),
        ("a = ANY (xs)", "(a = ANY (xs))"),
        ("(a, b) = (1, 2)", "((a = '1'::bigint) AND (b = '2'::bigint))"),
        ("(a, b) <> (1, 2)", "((a <> '1'::bigint) OR (b <> '2'::bigint))"),
        ("s ISNULL", "(s IS NULL)"),
        ("o IS NOT UNKNOWN", "(o IS NOT UNKNOWN)"),
    ],
)
def test_operators_stand_in_parentheses(text: str, canonical: str) -> None:
    assert printed(text) == canonical


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("a::numeric", "(a)::numeric"),
        ("a::text", "(a)::text"),
        ("s::text", "s"),
        ("text(a)", "(a)::text"),
        ("s::varchar(2)", "(s)::character varying(2)"),
        ("n::numeric(4)", "(n)::numeric(4,0)"),
        ("1.5::numeric(4,2)", "1.5::numeric(4,2)"),
        ("'1.50'::numeric::numeric(4)", "1.50::numeric(4,0)"),
        ("ARRAY['a', NULL]::varchar[]", "ARRAY['a'::character varying, NULL::character varying]"),
        ("ARRAY[]::bigint[]", "ARRAY[]::bigint[]"),
        ("ARRAY[1, 2.5]", "ARRAY[('1'::bigint)::numeric, 2.5]"),
        ("xs[1]", "xs['1'::bigint]"),
        ("(ARRAY[1, 2])[1]", "(ARRAY['1'::bigint, '2'::bigint])['1'::bigint]"),
        ("COALESCE(a, 1.5)", "COALESCE((a)::numeric, 1.5)"),
        ("NULLIF(a, 1)", "NULLIF(a, '1'::bigint)"),
        (
            "CASE WHEN a > 1 THEN 1 ELSE 2.5 END",
            "CASE WHEN (a > '1'::bigint) THEN ('1'::bigint)::numeric ELSE 2.5 END",
        ),
        (
            "CASE a WHEN 1 THEN 'x' END",
            "CASE a WHEN '1'::bigint THEN 'x'::text ELSE NULL::text END",
        ),
        ("sqrt(a)", "sqrt((a)::double precision)"),
        ("count(*)", "count(*)"),
    ],
)
def test_casts_and_calls(text: str, canonical: str) -> None:
    assert printed(text) == canonical
