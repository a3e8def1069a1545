"""GREATEST and LEAST of PostgreSQL databases, which ignore NULLs.

COALESCE and NULLIF are those of both dialects, in `functions.conditional`.
"""

from __future__ import annotations

from typing import Any

from spanemu.sql.functions.notation import chapter, overload


def greatest(*values: Any) -> Any:
    """Return the greatest value; NULL if all are NULL."""
    return max((value for value in values if value is not None), default=None)


def least(*values: Any) -> Any:
    """Return the least value; NULL if all are NULL."""
    return min((value for value in values if value is not None), default=None)


FUNCTIONS = chapter(
    "conditional",
    {
        "greatest": (overload("(T, T...) -> T", greatest, called=True),),
        "least": (overload("(T, T...) -> T", least, called=True),),
    },
    safe_allowed=False,
)
