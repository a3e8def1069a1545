"""The names of the operators and functions that the planner recognises in signatures.

The names are those of the catalog (`googlesql.catalog`), which writes operators as "$name". A test
checks this list against the catalog.
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

# The comparison that holds for (b, a) when the key holds for (a, b).
MIRRORED = {
    EQUAL: EQUAL,
    LESS: GREATER,
    LESS_OR_EQUAL: GREATER_OR_EQUAL,
    GREATER: LESS,
    GREATER_OR_EQUAL: LESS_OR_EQUAL,
}

# Functions with a result for all arguments, which may be called earlier than written.
NEVER_FAILING = frozenset(
    {EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL, BETWEEN, IN_LIST, IN_ARRAY}
    | {IS_NULL, IS_TRUE, IS_FALSE, NOT, IS_DISTINCT, STARTS_WITH, COALESCE, IFNULL}
    | {"NULLIF", "ENDS_WITH", "STRPOS", "CHAR_LENGTH", "BYTE_LENGTH", "LENGTH", "LOWER", "UPPER"}
    | {"ARRAY_LENGTH"}
)

# Name prefixes of functions that read long texts, or match texts against a pattern.
SLOW_PREFIXES = ("REGEXP_", "JSON_", "LAX_", "PARSE_", "FORMAT", "TO_JSON", "SEARCH", "SCORE")
