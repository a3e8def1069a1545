"""The operators and functions that planning must recognise, by the names signatures bear.

The names are the catalogue's (`functions.catalog`): operators are written "$name". A test holds
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
