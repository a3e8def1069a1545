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


class LongPattern(Exception):
    """The pattern belongs into the cache of long patterns."""


def pattern_caches(
    compile_pattern: Callable[Concatenate[K, P], T],
) -> tuple[Callable[Concatenate[K, P], T], Callable[Concatenate[K, P], T]]:
    """Return two caches: of many short patterns and of a few long ones.

    The first raises LongPattern. A caller that uses both saves the call of `pattern_cache`.
    """

    def compile_short(pattern: K, /, *rest: P.args, **named: P.kwargs) -> T:
        if len(pattern) > _SHORT_MAX:
            raise LongPattern
        return compile_pattern(pattern, *rest, **named)

    short: Any = lru_cache(maxsize=_SHORT_COUNT)(compile_short)
    long: Any = lru_cache(maxsize=_LONG_COUNT)(compile_pattern)
    return short, long


def pattern_cache(
    compile_pattern: Callable[Concatenate[K, P], T],
) -> Callable[Concatenate[K, P], T]:
    """Remember what a function made of its latest patterns: of many short and of few long ones."""
    short, long = pattern_caches(compile_pattern)

    def compiled(pattern: K, /, *rest: P.args, **named: P.kwargs) -> T:
        try:
            return short(pattern, *rest, **named)
        except LongPattern:
            return long(pattern, *rest, **named)

    return compiled
