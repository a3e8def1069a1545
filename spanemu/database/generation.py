"""One schema generation with everything compiled for it: rules, reads, plans.

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
# What is compiled takes some fifty times the memory of its text: a program that writes rows
# as literals may keep so much of that, and what others ask again and again stays beside it.
LARGE_CHARACTERS = 1_000
CHARACTERS_KEPT_MAX = 2_000_000  # of one, constants that were computed included
LARGE_CHARACTERS_KEPT_MAX = 1_000_000


class Generation:
    """A schema and what was compiled for it. Safe to use from several threads."""

    def __init__(self, schema: Schema, limits: Limits = DEFAULT_LIMITS) -> None:
        self.schema = schema
        self.limits = limits
        self._mutex = threading.Lock()  # Held while the maps change, not to look something up.
        self._compiled: dict[Any, Any] = {}
        self._large: dict[Any, int] = {}  # the characters of those that have many
        self._large_characters = 0

    @cached_property
    def rules(self) -> CompiledSchema:
        """How rows of each table are checked and completed."""
        return CompiledSchema(self.schema, self.limits)

    def compiled(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` gave for `key` before, or gives now; its `characters` say how large it is."""
        found = self._compiled.get(key)
        if found is None:
            found = make()
            with self._mutex:
                self._keep(key, found)
        return found

    def forget(self) -> None:
        """Let go of all that was compiled: who still asks has it compiled again."""
        with self._mutex:
            self._compiled.clear()
            self._large.clear()
            self._large_characters = 0

    def _keep(self, key: Any, found: Any) -> None:
        """Keep what was compiled, and let the oldest go where there is too much."""
        self._forget(key)  # Another thread may have been faster.
        characters = getattr(found, "characters", 0)
        if characters > CHARACTERS_KEPT_MAX:
            return
        self._compiled[key] = found
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
