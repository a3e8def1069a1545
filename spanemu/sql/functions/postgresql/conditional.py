"""GREATEST and LEAST of PostgreSQL databases, which ignore NULLs.

COALESCE and NULLIF are those of both dialects, in `functions.conditional`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from spanemu.sql.functions.notation import chapter, overload
from spanemu.values.order import identity, sort_key
from spanemu.values.types import Type


def _extreme(choose: Callable[..., Any]) -> Callable[[Sequence[Type], Type], Any]:
    def bind(types: Sequence[Type], _: Type) -> Callable[..., Any]:
        key = sort_key(types[0], nan_greatest=True)

        def extreme(*values: Any) -> Any:
            known = [value for value in values if value is not None]
            if not known:
                return None
            return choose(known) if key is identity else choose(known, key=key)

        return extreme

    return bind


FUNCTIONS = chapter(
    "conditional",
    {
        "greatest": (overload("(T, T...) -> T", bind=_extreme(max), called=True),),
        "least": (overload("(T, T...) -> T", bind=_extreme(min), called=True),),
    },
)
