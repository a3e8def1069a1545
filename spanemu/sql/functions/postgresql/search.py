"""The search functions of PostgreSQL databases: those of GoogleSQL under the schema `spanner`.

Documents are jsonb, options may be passed by position, and scores of n-grams take no aggregator of
arrays. `tokenize_jsonb` is TOKENIZE_JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from spanemu.sql.functions.registry import Function, Overload, Parameter
from spanemu.sql.functions.search import functions as search
from spanemu.values import pg_jsonb
from spanemu.values.pg_jsonb import Jsonb
from spanemu.values.types import FLOAT32, JSON, PG_JSONB, array_of

_RENAMED = {"TOKENIZE_JSON": "tokenize_jsonb"}
_MISSING = frozenset({"array_aggregator", "support_relative_search", "precision"})
_MISSING_TYPES = (FLOAT32, array_of(FLOAT32))


def snippet(*arguments: Any) -> Jsonb | None:
    """Return `spanner.snippet(text, query, ...)`."""
    value = search.snippet_json(*arguments)
    return None if value is None else pg_jsonb.parse(value.text)


def _functions() -> Iterator[Function]:
    for function in search.FUNCTIONS:
        name = _RENAMED.get(function.name, function.name.lower())
        overloads = tuple(
            _postgresql(one)
            for one in function.overloads
            if one.parameters[0].pattern not in _MISSING_TYPES
        )
        yield replace(function, name=f"spanner.{name}", overloads=overloads)


def _postgresql(overload: Overload) -> Overload:
    parameters = tuple(
        replace(parameter, named_only=False, pattern=_pattern(parameter))
        for parameter in overload.parameters
        if parameter.name not in _MISSING
    )
    if overload.evaluate is search.snippet_json:
        return replace(overload, parameters=parameters, result=PG_JSONB, evaluate=snippet)
    return replace(overload, parameters=parameters)


def _pattern(parameter: Parameter) -> Any:
    return PG_JSONB if parameter.pattern == JSON else parameter.pattern


FUNCTIONS = tuple(_functions())
