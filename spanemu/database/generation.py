"""A schema generation with everything compiled for it: rules, reads and plans.

Databases that share a schema (a template and its clones, a database before and after a restore)
share generations, so nothing is compiled twice.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any

from spanemu.base.limits import DEFAULT_LIMITS, Limits
from spanemu.schema.schema import Schema
from spanemu.txn.rules import CompiledSchema

COMPILED_MAX = 2_000  # statements and reads kept per generation
# A compiled statement takes some fifty times the memory of its text. The limit keeps a program
# that writes rows as literals from evicting the statements that repeat.
LARGE_CHARACTERS = 1_000
CHARACTERS_KEPT_MAX = 2_000_000  # of a single entry, computed constants included
LARGE_CHARACTERS_KEPT_MAX = 1_000_000


class Generation:
    """A schema and everything compiled for it. Safe to use from several threads."""

    def __init__(self, schema: Schema, limits: Limits = DEFAULT_LIMITS) -> None:
        self.schema = schema
        self.limits = limits
        self._mutex = threading.Lock()  # Held while the maps change, not for lookups.
        self._compiled: dict[Any, Any] = {}
        self._large: dict[Any, int] = {}  # characters of large entries by key
        self._large_characters = 0

    @cached_property
    def rules(self) -> CompiledSchema:
        """The schema compiled for checking and completing rows."""
        return CompiledSchema(self.schema, self.limits)

    def compiled(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return the cached value of `key`, or the result of `make`, cached from now on.

        The attribute `characters` of a value, if any, is its size.
        """
        value = self._compiled.get(key)
        if value is None:
            value = make()
            with self._mutex:
                self._keep(key, value)
        return value

    def forget(self) -> None:
        """Clear the cache; later requests compile their statements again."""
        with self._mutex:
            self._compiled.clear()
            self._large.clear()
            self._large_characters = 0

    def _keep(self, key: Any, value: Any) -> None:
        """Cache a value, and evict the oldest entries beyond the limits."""
        self._forget(key)  # Another thread may have cached the key first.
        characters = getattr(value, "characters", 0)
        if characters > CHARACTERS_KEPT_MAX:
            return
        self._compiled[key] = value
        if characters >= LARGE_CHARACTERS:
            self._large[key] = characters
            self._large_characters += characters
            while self._large_characters > LARGE_CHARACTERS_KEPT_MAX and len(self._large) > 1:
                self._forget(next(iter(self._large)))
        if len(self._compiled) > COMPILED_MAX:
            self._forget(next(iter(self._compiled)))

    def _forget(self, key: Any) -> None:
        self._compiled.pop(key, None)
        self._large_characters -= self._large.pop(key, 0)
