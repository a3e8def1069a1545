"""The signature notation, and every signature written in it."""

from __future__ import annotations

import pytest

from spanemu.sql.functions.notation import NotationError, aggregate, chapter, overload, signature
from spanemu.sql.functions.registry import (
    Arity,
    ArrayOf,
    LambdaOf,
    Nulls,
    Parameter,
    Special,
    TypeVariable,
)
from spanemu.sql.googlesql.catalog import CATALOG
from spanemu.values.types import BOOL, INT64, STRING, array_of

T1 = TypeVariable("T1")


def nothing(*_: object) -> None:
    return None


def test_types_and_optional_parameters() -> None:
    parameters, result = signature("(STRING, [INT64], ARRAY<BOOL>) -> ARRAY<STRING>")
    assert parameters == (
        Parameter(STRING),
        Parameter(INT64, Arity.OPTIONAL),
        Parameter(array_of(BOOL)),
    )
    assert result == array_of(STRING)


def test_variables_arrays_and_lambdas() -> None:
    parameters, result = signature("(ARRAY<T1>, LAMBDA(T1, INT64) -> BOOL) -> ARRAY<T1>")
    assert parameters[0].pattern == ArrayOf(T1)
    assert parameters[1].pattern == LambdaOf((T1, INT64), BOOL)
    assert result == ArrayOf(T1)


def test_a_restriction_holds_for_every_use_of_the_variable() -> None:
    parameters, result = signature("(ARRAY<T1>, T1{INT64|STRING}) -> T1")
    restricted = TypeVariable("T1", frozenset({"INT64", "STRING"}))
    assert [p.pattern for p in parameters] == [ArrayOf(restricted), restricted]
    assert result == restricted


def test_number_stands_for_the_four_numeric_types() -> None:
    _, result = signature("(T1{NUMBER}) -> T1")
    assert result == TypeVariable("T1", frozenset({"INT64", "NUMERIC", "FLOAT32", "FLOAT64"}))


def test_names_defaults_and_literals() -> None:
    parameters, _ = signature("([*year=>INT64 = -1], [mode=>STRING LITERAL = 'a b']) -> STRING")
    assert parameters == (
        Parameter(INT64, Arity.OPTIONAL, "year", named_only=True, default=-1),
        Parameter(STRING, Arity.OPTIONAL, "mode", literal=True, default="a b"),
    )


def test_repeated_and_special_parameters() -> None:
    parameters, result = signature("(DATE_PART, T1...) -> ?")
    assert parameters == (Parameter(Special("DATE_PART")), Parameter(T1, Arity.REPEATED))
    assert result is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "STRING -> STRING",
        "(STRING) STRING",
        "(STRNG) -> STRING",
        "(ARRAY<STRING) -> STRING",
        "([STRING) -> STRING",
        "(STRING STRING) -> STRING",
        "(STRING) -> STRING STRING",
        "(INT64 = x) -> INT64",
        "(INT64; INT64) -> INT64",
        "(T1{INT64) -> T1",
    ],
)
def test_malformed_signatures_are_refused(text: str) -> None:
    with pytest.raises(NotationError):
        signature(text)


def test_a_computed_result_needs_its_function() -> None:
    with pytest.raises(NotationError):
        overload("() -> ?", nothing)
    with pytest.raises(NotationError):
        overload("() -> INT64", nothing, result=lambda _: INT64)


def test_an_overload_needs_something_to_call() -> None:
    with pytest.raises(NotationError):
        overload("() -> INT64")


def test_flags_reach_the_overload() -> None:
    made = overload("() -> INT64", nothing, called=True, lazy=True, volatile=True)
    assert (made.nulls, made.lazy, made.volatile, made.context) == (
        Nulls.CALLED, True, True, False,
    )  # fmt: skip
    assert aggregate("(T1) -> T1", nothing, allows_order=True).allows_order  # type: ignore[arg-type]


def test_a_chapter_names_and_hides() -> None:
    shown, hidden = chapter(
        "x",
        {"A|B|C": (overload("() -> INT64", nothing),), "$d": (overload("() -> INT64", nothing),)},
    )
    assert (shown.name, shown.aliases, shown.hidden, shown.chapter) == ("A", ("B", "C"), False, "x")
    assert hidden.hidden


def test_catalog_names_are_upper_case_and_unique() -> None:
    public = [*CATALOG.scalars, *CATALOG.aggregates]
    assert all(name.startswith("$") or name == name.upper() for name in public)
    assert not CATALOG.scalars.keys() & CATALOG.aggregates.keys()
    assert not CATALOG.unsupported.keys() & set(public)


def test_every_name_of_a_function_leads_to_it() -> None:
    for functions in (CATALOG.scalars, CATALOG.aggregates):
        for function in functions.values():
            for name in (function.name, *function.aliases):
                assert functions[name] is function  # type: ignore[index]


def test_every_overload_can_be_called() -> None:
    for function in CATALOG.scalars.values():
        assert function.overloads
        for one in function.overloads:
            assert callable(one.evaluate)
            assert one.lazy is False or one.nulls is Nulls.CALLED, function.name


def test_lookup_ignores_case() -> None:
    assert CATALOG.lookup("substr") is CATALOG.lookup("SUBSTRING")
    assert CATALOG.lookup("Count") is CATALOG.aggregates["COUNT"]
    assert CATALOG.lookup("$add") is CATALOG.scalars["$add"]
    assert CATALOG.lookup("no_such_function") is None
