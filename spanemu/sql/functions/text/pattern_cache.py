"""A cache of compiled patterns that long patterns cannot fill with large objects."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Concatenate, ParamSpec, TypeVar

_SHORT_MAX = 512  # characters or bytes of a pattern in the cache of short patterns
_SHORT_COUNT = 256
_LONG_COUNT = 2

P = ParamSpec("P")
K = TypeVar("K", str, bytes)
T = TypeVar("T")


class LongPattern(Exception):
    """A signal that the pattern belongs into the cache of long patterns."""


def pattern_caches(
    compile_pattern: Callable[Concatenate[K, P], T],
) -> tuple[Callable[Concatenate[K, P], T], Callable[Concatenate[K, P], T]]:
    """Return two caches of compiled patterns: for many short and for a few long patterns.

    The first raises LongPattern for a long pattern. A caller that uses both caches itself saves the
    extra call that `pattern_cache` makes.
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
    """Return a cached `compile_pattern` that keeps many short and a few long patterns."""
    short, long = pattern_caches(compile_pattern)

    def compiled(pattern: K, /, *rest: P.args, **named: P.kwargs) -> T:
        try:
            return short(pattern, *rest, **named)
        except LongPattern:
            return long(pattern, *rest, **named)

    return compiled
