"""The properties of functions that the planner and the executor use, besides their values.

The tables of this module name functions as the chapter modules do. `notation` puts the properties
into each `Function`, and the analyzer into each `Signature`. Planner and executor look at these
properties and never at names, so a dialect can give a function another name.
"""

from __future__ import annotations

from enum import Enum
from typing import Any


class Operation(Enum):
    """The meaning of a function for which the engine has a method of its own."""

    # A member is equal to itself alone. The hash of Enum, that of the name, is a call in Python.
    __hash__ = object.__hash__

    EQUAL = "$equal"
    NOT_EQUAL = "$not_equal"
    LESS = "$less"
    LESS_OR_EQUAL = "$less_or_equal"
    GREATER = "$greater"
    GREATER_OR_EQUAL = "$greater_or_equal"
    BETWEEN = "$between"
    IN_LIST = "$in"
    IN_ARRAY = "$in_unnest"
    IS_NULL = "$is_null"
    IS_TRUE = "$is_true"
    IS_FALSE = "$is_false"
    IS_DISTINCT = "$is_distinct_from"
    NOT = "$not"
    LIKE = "$like"
    STARTS_WITH = "STARTS_WITH"
    COALESCE = "COALESCE"
    IFNULL = "IFNULL"
    ADD = "$add"
    SUBTRACT = "$subtract"
    MULTIPLY = "$multiply"
    DIVIDE = "$divide"
    CONCATENATE = "$concat_op"
    NEXT_SEQUENCE_VALUE = "GET_NEXT_SEQUENCE_VALUE"


COMPARISONS = frozenset(
    {Operation.EQUAL, Operation.NOT_EQUAL, Operation.LESS, Operation.LESS_OR_EQUAL}
    | {Operation.GREATER, Operation.GREATER_OR_EQUAL}
)

_OPERATIONS = {operation.value: operation for operation in Operation}

# Functions with a result for all arguments, which may be called earlier than written.
NEVER_FAILING = frozenset(
    {
        "$equal", "$not_equal", "$less", "$less_or_equal", "$greater", "$greater_or_equal",
        "$between", "$in", "$in_unnest", "$is_null", "$is_true", "$is_false", "$not",
        "$is_distinct_from", "STARTS_WITH", "COALESCE", "IFNULL", "NULLIF", "ENDS_WITH",
        "STRPOS", "CHAR_LENGTH", "BYTE_LENGTH", "LENGTH", "LOWER", "UPPER", "ARRAY_LENGTH",
    }
)  # fmt: skip

# Name prefixes of functions that read long texts, or match texts against a pattern.
_SLOW_PREFIXES = ("REGEXP_", "JSON_", "LAX_", "PARSE_", "FORMAT", "TO_JSON", "SEARCH", "SCORE")


def function_properties(name: str) -> dict[str, Any]:
    """Return the fields of `Function` that depend on the function of a chapter."""
    return {
        "operation": _OPERATIONS.get(name),
        "cannot_fail": name in NEVER_FAILING,
        "is_slow": name.startswith(_SLOW_PREFIXES),
    }


# Aggregates that a correlated subquery may compute for all of its groups at once.
DECORRELATED = frozenset(
    {
        "$count_star", "COUNT", "COUNTIF", "SUM", "AVG", "MIN", "MAX", "ANY_VALUE",
        "LOGICAL_AND", "LOGICAL_OR", "BIT_AND", "BIT_OR", "BIT_XOR",
    }
)  # fmt: skip


def aggregate_properties(name: str) -> dict[str, Any]:
    """Return the fields of `AggregateFunction` that depend on the function of a chapter."""
    return {
        "is_min": name == "MIN",
        "is_max": name == "MAX",
        "counts_rows": name == "$count_star",
        "null_is_false": name == "COUNTIF",
        "decorrelates": name in DECORRELATED,
    }
