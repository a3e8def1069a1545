"""Tests of calls by name."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code, SpannerError
from tests.unit.sql.postgresql.analyzer.expressions.world import (
    analysis_of,
    resolved,
    shown,
    type_of,
)


def code_of(text: str) -> Code:
    with pytest.raises(SpannerError) as failure:
        resolved(text)
    return failure.value.code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("nope(1)", Code.NOT_FOUND),
        ("md5(1)", Code.NOT_FOUND),
        ("md5(t)", Code.UNIMPLEMENTED),
        ("ln(2.0)", Code.UNIMPLEMENTED),
        ("round(2.567, 2)", Code.NOT_FOUND),
        ("point(1, 2)", Code.UNIMPLEMENTED),
        ("spanner.nope()", Code.NOT_FOUND),
        ("foo.abs(1)", Code.NOT_FOUND),
        ("public.abs(1)", Code.NOT_FOUND),
        ("date(d, t)", Code.NOT_FOUND),
        ("abs(DISTINCT i)", Code.INVALID_ARGUMENT),
        ("abs(*)", Code.NOT_FOUND),
        ("unnest(ia)", Code.INVALID_ARGUMENT),
        ("spanner.pending_commit_timestamp()", Code.INVALID_ARGUMENT),
        ("nextval('s')", Code.NOT_FOUND),
        ("spanner.search(spanner.token(t), t)", Code.INVALID_ARGUMENT),
        ("make_interval(days => 1, days => 2)", Code.INVALID_ARGUMENT),
        ("make_interval(days => 1, 2)", Code.INVALID_ARGUMENT),
        ("make_interval(nope => 1)", Code.NOT_FOUND),
        ("bool(i)", Code.NOT_FOUND),
        ("localtime", Code.UNIMPLEMENTED),
    ],
)
def test_calls_without_a_function_of_spanner_are_refused(text: str, code: Code):
    assert code_of(text) is code


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("abs(i)", "bigint"),
        ("abs('-1')", "double precision"),
        ("pg_catalog.abs(n)", "numeric"),
        ("sqrt(4)", "double precision"),
        ("div(9, 4)", "numeric"),
        ("text(5)", "text"),
        ("float8(n)", "double precision"),
        ("CURRENT_TIMESTAMP", "timestamp with time zone"),
        ("CURRENT_DATE", "date"),
        ("INTERVAL '1' DAY", "interval"),
        ("array_cat(ia, '{1}')", "bigint[]"),
        ("gen_random_uuid()", "uuid"),
    ],
)
def test_a_call_has_the_type_of_postgresql(text: str, type_: str):
    assert type_of(text) == type_


def test_arguments_by_name_leave_the_others_at_their_defaults():
    assert shown("make_interval(days => i, hours => 5)") == "make_interval(0, 0, 0, i#2, 5)"


def test_random_values_mark_the_statement_as_volatile():
    analysis = analysis_of()
    resolved("gen_random_uuid()", analysis)
    assert analysis.traits.volatile
    resolved("now()", analysis)
    assert analysis.traits.stable
