"""A cache of compiled patterns that long patterns cannot fill with large objects."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Concatenate, ParamSpec, TypeVar

_SHORT_MAX = 512  # characters or bytes of a pattern that is kept among many
_SHORT_COUNT = 256
_LONG_COUNT = 2

P = ParamSpec("P")
K = TypeVar("K", str, bytes)
T = TypeVar("T")


def pattern_cache(
    compile_pattern: Callable[Concatenate[K, P], T],
) -> Callable[Concatenate[K, P], T]:
    """Remember what a function made of its latest patterns: of many short and of few long ones."""
    short: Callable[..., Any] = lru_cache(maxsize=_SHORT_COUNT)(compile_pattern)
    long: Callable[..., Any] = lru_cache(maxsize=_LONG_COUNT)(compile_pattern)

    def compiled(pattern: K, /, *rest: P.args, **named: P.kwargs) -> T:
        found: T = (short if len(pattern) <= _SHORT_MAX else long)(pattern, *rest, **named)
        return found

    return compiled
