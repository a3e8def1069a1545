"""Precedence of operators, and which expressions follow PostgreSQL's grammar."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.errors import SyntaxFailure
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.syntax.statement import parse_expression
from spanemu.sql.syntax_tree import Binary, FloatLiteral, IntLiteral, Name


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("a or b and not c = d", "a or (b and (not (c = d)))"),
        ("a = b is null", "(a = b) is null"),
        ("a is null = b", "(a is null) = b"),
        ("a is null is null", "(a is null) is null"),
        ("a in (1) in (true)", "(a in (1)) in (true)"),
        ("not a is null", "not (a is null)"),
        ("a like b = c", "(a like b) = c"),
        ("a between b and c and d", "(a between b and c) and d"),
        ("a < b || c", "a < (b || c)"),
        ("a || b + c", "a || (b + c)"),
        ("a -> b ->> c", "(a -> b) ->> c"),
        ("a + b * c", "a + (b * c)"),
        ("a * b ^ c", "a * (b ^ c)"),
        ("a ^ b ^ c", "(a ^ b) ^ c"),
        ("- a ^ b", "(- a) ^ b"),
        ("- a::text", "- (a::text)"),
        ("a - - b", "a - (- b)"),
        ("~ a + b", "~ (a + b)"),
        ("~ a || b", "(~ a) || b"),
        ("a at time zone b + c", "(a at time zone b) + c"),
        ('a || b collate "C"', 'a || (b collate "C")'),
        ("a = not b", "a = (not b)"),
        ("a and not b and c", "a and (not b) and c"),
        ("a is distinct from b + c", "a is distinct from (b + c)"),
        ("a <> b", "a != b"),
        ("a operator(pg_catalog.*) b + c", "a * (b + c)"),
    ],
)
def test_precedence(written: str, meant: str) -> None:
    assert parse_expression(written) == parse_expression(meant)


@pytest.mark.parametrize(
    "text",
    [
        "a < b < c",
        "a = b <> c",
        "a between 1 and 2 between 3 and 4",
        "a like b like c",
        "a is distinct from b is null",
        "f(1)[1]",
        "array[1][1]",
        "a in ()",
        "a not b",
        "1 +",
        "'a' 'b'",
        "cast(a)",
        "between(1)",
        "f(distinct)",
        "select",
        "{a}",
        "a /*@ x = 1 */",
        "nullif(1, 2, 3)",
    ],
)
def test_a_text_outside_the_grammar_is_refused(text: str) -> None:
    with pytest.raises(SyntaxFailure, match="syntax error at"):
        parse_expression(text)


def test_a_number_that_fits_in_64_bits_is_an_integer() -> None:
    assert parse_expression("-9223372036854775808") == IntLiteral(-(2**63), "-9223372036854775808")
    assert isinstance(parse_expression("9223372036854775808"), FloatLiteral)
    assert isinstance(parse_expression("1."), FloatLiteral)


@pytest.mark.parametrize(
    ("text", "name", "modifiers", "dimensions"),
    [
        ("int", "int8", (), 0),
        ("integer[]", "int8", (), 1),
        ("double precision", "float8", (), 0),
        ("float(24)", "float4", (), 0),
        ("float(25)", "float8", (), 0),
        ("decimal(10, -2)", "numeric", (10, -2), 0),
        ("character varying(3)", "varchar", (3,), 0),
        ("char", "bpchar", (), 0),
        ("timestamp with time zone", "timestamptz", (), 0),
        ("timestamp(3) without time zone", "timestamp", (3,), 0),
        ("Text ARRAY[4]", "text", (), 1),
        ("bigint[3][]", "int8", (), 2),
        ("pg_catalog.int4", "int4", (), 0),
    ],
)
def test_types_have_internal_names(
    text: str, name: str, modifiers: tuple[int, ...], dimensions: int
) -> None:
    cast = parse_expression(f"a::{text}")
    assert isinstance(cast, ast.Cast)
    assert cast.type == ast.TypeReference(name, modifiers, dimensions)


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("date '2024-01-01'", ast.TypeReference("date")),
        ("timestamp with time zone '2024-01-01'", ast.TypeReference("timestamptz")),
        ("interval '1' day to second(3)", ast.TypeReference("interval", (3,), 0, "DAY TO SECOND")),
        ("varchar(3) 'abc'", ast.TypeReference("varchar", (3,))),
        ("timestamptz(3) '2024-01-01'", ast.TypeReference("timestamptz", (3,))),
    ],
)
def test_a_type_in_front_of_a_string_makes_a_literal(text: str, type_: ast.TypeReference) -> None:
    literal = parse_expression(text)
    assert isinstance(literal, ast.Cast)
    assert (literal.type, literal.form) == (type_, ast.CastForm.LITERAL)


@pytest.mark.parametrize("name", ["time", "position", "values", "interval", "row", "value", "date"])
def test_a_word_with_a_syntax_of_its_own_may_name_a_column(name: str) -> None:
    sum_ = parse_expression(f"{name} + 1")
    assert isinstance(sum_, Binary)
    assert isinstance(sum_.left, Name)


@pytest.mark.parametrize(
    ("words", "plain"),
    [
        ("substring(a from 2 for 3)", "substring(a, 2, 3)"),
        ("substring(a for 3)", "substring(a, 1, 3)"),
        ("substring(a for 3 from 2)", "substring(a, 2, 3)"),
        ("trim(a)", "btrim(a)"),
        ("trim(leading b from a)", "ltrim(a, b)"),
        ("position(a in b)", "strpos(b, a)"),
        ("a at time zone b", "timezone(b, a)"),
        ("overlay(a placing b from 1)", "overlay(a, b, 1)"),
    ],
)
def test_words_between_arguments_make_a_call(words: str, plain: str) -> None:
    call, expected = parse_expression(words), parse_expression(plain)
    assert isinstance(call, ast.FunctionCall)
    assert isinstance(expected, ast.FunctionCall)
    assert call.arguments == expected.arguments
    assert call.sql_form


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("count(*) filter (where a)", Code.UNIMPLEMENTED),
        ("row_number() over (partition by a order by b rows between 1 preceding and current row)",
         Code.UNIMPLEMENTED),
        ("x'1f'", Code.UNIMPLEMENTED),
        ("current_timestamp(3)", Code.UNIMPLEMENTED),
        ("percentile_cont(0.5) within group (order by a)", Code.UNIMPLEMENTED),
        ("xmlelement(name foo, xmlattributes(a))", Code.UNIMPLEMENTED),
    ],
)  # fmt: skip
def test_a_feature_that_spanner_lacks_is_refused_after_syntax_errors(text: str, code: Code) -> None:
    with pytest.raises(SpannerError) as refused:
        parse_expression(text)
    assert refused.value.code is code
    with pytest.raises(SyntaxFailure):
        parse_expression(f"{text} )")


@pytest.mark.parametrize(
    "text",
    ["(" * 5_000, "not " * 5_000 + "a", "- " * 5_000 + "1", "case " * 5_000, "f(" * 5_000,
     "array[" * 5_000, "a[" * 5_000, "a" + ".b" * 5_000, "a" + "::int" * 5_000,
     "a" + " is null" * 5_000, "~ " * 5_000 + "1", "row(" * 5_000],
)  # fmt: skip
def test_a_text_that_is_nested_too_deeply_is_refused(text: str) -> None:
    with pytest.raises(SpannerError) as refused:
        parse_expression(text)
    assert refused.value.code is Code.INVALID_ARGUMENT
