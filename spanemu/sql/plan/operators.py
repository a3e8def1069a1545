"""The operators and functions that planning must recognise, by the names signatures bear.

The names are the catalogue's (`googlesql.catalog`): operators are written "$name". A test holds
this list against the catalogue.
"""

from __future__ import annotations

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
NOT = "$not"
LIKE = "$like"
IS_DISTINCT = "$is_distinct_from"
STARTS_WITH = "STARTS_WITH"
COALESCE = "COALESCE"
IFNULL = "IFNULL"

COMPARISONS = {
    EQUAL: "=",
    NOT_EQUAL: "!=",
    LESS: "<",
    LESS_OR_EQUAL: "<=",
    GREATER: ">",
    GREATER_OR_EQUAL: ">=",
}

# The comparison that holds of (b, a) when this one holds of (a, b).
MIRRORED = {
    EQUAL: EQUAL,
    LESS: GREATER,
    LESS_OR_EQUAL: GREATER_OR_EQUAL,
    GREATER: LESS,
    GREATER_OR_EQUAL: LESS_OR_EQUAL,
}

# Functions that have a result for all arguments, so that they may be called earlier than written.
NEVER_FAILING = frozenset(
    {EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL, BETWEEN, IN_LIST, IN_ARRAY}
    | {IS_NULL, IS_TRUE, IS_FALSE, NOT, IS_DISTINCT, STARTS_WITH, COALESCE, IFNULL}
    | {"NULLIF", "ENDS_WITH", "STRPOS", "CHAR_LENGTH", "BYTE_LENGTH", "LENGTH", "LOWER", "UPPER"}
    | {"ARRAY_LENGTH"}
)

# Beginnings of the names of functions that read long texts, or texts against a pattern.
SLOW_PREFIXES = ("REGEXP_", "JSON_", "LAX_", "PARSE_", "FORMAT", "TO_JSON", "SEARCH", "SCORE")
