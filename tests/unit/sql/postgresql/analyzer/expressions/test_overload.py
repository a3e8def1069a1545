"""Tests of the choice among candidates, which PostgreSQL's manual describes in chapter 10."""

from __future__ import annotations

from typing import NamedTuple

from spanemu.sql.postgresql.analyzer.expressions.overload import applicable, select
from spanemu.sql.postgresql.foreign_types import type_called
from spanemu.values.types import Type


class Function(NamedTuple):
    operands: tuple[Type, ...]


def chosen(candidates: str, arguments: str) -> str | None:
    """The candidate that a call means; candidates are "int8,text numeric,text"."""
    functions = {_types(each): each for each in candidates.split()}
    types = _types(arguments)
    remaining = applicable([Function(operands) for operands in functions], types)
    if len(remaining) == 1:
        return functions[remaining[0].operands]
    best = select(remaining, types) if remaining else None
    return None if best is None else functions[best.operands]


def _types(names: str) -> tuple[Type, ...]:
    return tuple(type_called(name) for name in names.split(","))


def test_arguments_convert_implicitly_only():
    assert chosen("text,text", "int8,text") is None
    assert chosen("numeric", "int8") == "numeric"
    assert chosen("int4", "int8") is None


def test_most_exact_matches_win():
    assert chosen("float8,float8 numeric,numeric", "numeric,int8") == "numeric,numeric"


def test_preferred_types_win_among_equals():
    assert chosen("float4 float8 numeric", "int8") == "float8"


def test_a_literal_is_a_string_if_a_candidate_takes_one():
    assert chosen("text bytea", "unknown") == "text"
    assert chosen("text,anynonarray anycompatiblearray,anycompatible", "unknown,int8") == (
        "text,anynonarray"
    )


def test_a_literal_is_of_the_preferred_type_of_the_only_category():
    assert chosen("int8 float8 numeric", "unknown") == "float8"
    assert chosen("int8 interval", "unknown") is None


def test_a_literal_is_of_the_type_of_the_known_arguments():
    assert chosen("date,date date,interval", "date,unknown") == "date,date"


def test_a_literal_beside_an_array_is_an_array():
    candidates = "anycompatiblearray,anycompatible anycompatiblearray,anycompatiblearray"
    assert chosen(candidates, "_int8,unknown") == "anycompatiblearray,anycompatiblearray"
