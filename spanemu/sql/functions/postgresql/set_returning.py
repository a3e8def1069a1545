"""Functions that return rows in FROM, as functions that return an array of the rows.

Those of jsonb are in `json`. The analyzer makes an array scan of a call.
"""

from __future__ import annotations

from typing import Any

from spanemu.sql.functions.array import generate_int_array
from spanemu.sql.functions.notation import chapter, overload
from spanemu.sql.functions.postgresql.errors import BadFunctionArgument


def unnest(array: Any) -> Any:
    """Return the rows of an array: its elements."""
    return array


def generate_series(start: int, stop: int, step: int = 1) -> tuple[int, ...]:
    """Return the numbers from `start` to `stop`. Raise BadFunctionArgument for a step of zero."""
    if not step:
        raise BadFunctionArgument("step size cannot equal zero")
    return generate_int_array(start, stop, step)


FUNCTIONS = chapter(
    "set returning",
    {
        "unnest": (overload("(ARRAY<T>) -> ARRAY<T>", unnest),),
        "generate_series": (overload("(INT64, INT64, [INT64]) -> ARRAY<INT64>", generate_series),),
    },
    safe_allowed=False,
)
