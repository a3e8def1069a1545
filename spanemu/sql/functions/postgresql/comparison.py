"""The comparisons of PostgreSQL: a function for each operator and type, such as int8lt, texteq.

Python orders the values of a PostgreSQL database as SQL does, NaN included (`floats.GREATEST_NAN`,
`pg_numeric.NAN`), so the functions are Python's operators, and planner and executor treat them as
they treat GoogleSQL's. GREATEST and LEAST ignore NULLs; COALESCE and NULLIF are those of both
dialects, in `functions.conditional`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanemu.sql.functions.comparison import SCALAR_TESTS
from spanemu.sql.functions.notation import chapter, overload
from spanemu.sql.functions.registry import Function, Operation

# The names of = <> < <= > >= of each type.
_SHORT = ("{}eq", "{}ne", "{}lt", "{}le", "{}gt", "{}ge")
_LONG = ("{}_eq", "{}_ne", "{}_lt", "{}_le", "{}_gt", "{}_ge")
_OF_TEXT = ("texteq", "textne", "text_lt", "text_le", "text_gt", "text_ge")
_OPERATIONS = (
    Operation.EQUAL,
    Operation.NOT_EQUAL,
    Operation.LESS,
    Operation.LESS_OR_EQUAL,
    Operation.GREATER,
    Operation.GREATER_OR_EQUAL,
)
_TYPES = (
    ("BOOL", "bool", _SHORT),
    ("BYTES", "bytea", _SHORT),
    ("DATE", "date", _LONG),
    ("FLOAT32", "float4", _SHORT),
    ("FLOAT64", "float8", _SHORT),
    ("INT64", "int8", _SHORT),
    ("INTERVAL", "interval", _LONG),
    ("PG_NUMERIC", "numeric", _LONG),
    ("PG_OID", "oid", _SHORT),
    ("STRING", "text", _OF_TEXT),
    ("TIMESTAMP", "timestamptz", _LONG),
    ("UUID", "uuid", _LONG),
)


def _comparisons() -> Iterator[Function]:
    for type_, prefix, names in _TYPES:
        for name, operation in zip(names, _OPERATIONS, strict=True):
            test = SCALAR_TESTS[operation]
            yield Function(
                name.format(prefix),
                (overload(f"({type_}, {type_}) -> BOOL", test),),
                "comparison",
                safe_allowed=False,
                operation=operation,
                cannot_fail=True,
            )


def _mixed_comparisons() -> Iterator[Function]:
    """Yield the comparisons of a real with a double precision, by which no key is found."""
    for types, prefix in (("FLOAT32, FLOAT64", "float48"), ("FLOAT64, FLOAT32", "float84")):
        for name, operation in zip(_SHORT, _OPERATIONS, strict=True):
            test = overload(f"({types}) -> BOOL", SCALAR_TESTS[operation])
            yield Function(
                name.format(prefix), (test,), "comparison", safe_allowed=False, cannot_fail=True
            )


def greatest(*values: Any) -> Any:
    """Return the greatest value; NULL if all are NULL."""
    return max((value for value in values if value is not None), default=None)


def least(*values: Any) -> Any:
    """Return the least value; NULL if all are NULL."""
    return min((value for value in values if value is not None), default=None)


_CONDITIONALS = chapter(
    "conditional",
    {
        "greatest": (overload("(T, T...) -> T", greatest, called=True),),
        "least": (overload("(T, T...) -> T", least, called=True),),
    },
    safe_allowed=False,
)

FUNCTIONS = (*_comparisons(), *_mixed_comparisons(), *_CONDITIONALS)
