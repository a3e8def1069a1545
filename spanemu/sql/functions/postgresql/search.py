"""The search functions of PostgreSQL databases: those of GoogleSQL under the schema `spanner`.

Documents are jsonb, only bigint numbers are tokenized, and of arrays only those of text, by the
tokenizers of text. Scores of n-grams take no aggregator of arrays. `tokenize_jsonb` is
TOKENIZE_JSON.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from spanemu.sql.functions.registry import Function, Overload, Parameter
from spanemu.sql.functions.search import functions as search
from spanemu.values import pg_jsonb
from spanemu.values.pg_jsonb import Jsonb
from spanemu.values.types import (
    BOOL,
    BYTES,
    FLOAT32,
    FLOAT64,
    INT64,
    JSON,
    PG_JSONB,
    STRING,
    array_of,
)

_RENAMED = {"TOKENIZE_JSON": "tokenize_jsonb"}
_MISSING = frozenset({"array_aggregator", "support_relative_search", "precision"})
# Types of the first argument that no overload takes.
_MISSING_TYPES = (FLOAT32, FLOAT64, *map(array_of, (BOOL, BYTES, FLOAT32, FLOAT64, INT64)))
_WITHOUT_ARRAYS = frozenset({"TOKEN"})


def snippet(*arguments: Any) -> Jsonb | None:
    """Return `spanner.snippet(text, query, ...)`."""
    value = search.snippet_json(*arguments)
    return None if value is None else pg_jsonb.parse(value.text)


def _functions() -> Iterator[Function]:
    for function in search.FUNCTIONS:
        name = _RENAMED.get(function.name, function.name.lower())
        overloads = tuple(
            [_postgresql(each) for each in function.overloads if _exists(function, each)]
        )
        yield replace(function, name=f"spanner.{name}", overloads=overloads)


def _exists(function: Function, overload: Overload) -> bool:
    pattern = overload.parameters[0].pattern
    if pattern in _MISSING_TYPES:
        return False
    return function.name not in _WITHOUT_ARRAYS or pattern != array_of(STRING)


def _postgresql(overload: Overload) -> Overload:
    parameters = tuple(
        replace(parameter, pattern=_pattern(parameter))
        for parameter in overload.parameters
        if parameter.name not in _MISSING
    )
    if overload.evaluate is search.snippet_json:
        return replace(overload, parameters=parameters, result=PG_JSONB, evaluate=snippet)
    return replace(overload, parameters=parameters)


def _pattern(parameter: Parameter) -> Any:
    return PG_JSONB if parameter.pattern == JSON else parameter.pattern


FUNCTIONS = tuple(_functions())
