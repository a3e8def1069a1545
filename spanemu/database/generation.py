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
from spanemu.txn.rules import RuleBook

COMPILED_MAX = 2_000  # statements and reads kept per generation


class Generation:
    """A schema and what was compiled for it. Safe to use from several threads."""

    def __init__(self, schema: Schema, limits: Limits = DEFAULT_LIMITS) -> None:
        self.schema = schema
        self.limits = limits
        self._mutex = threading.Lock()  # Held while the map changes, not to look something up.
        self._compiled: dict[Any, Any] = {}

    @cached_property
    def rules(self) -> RuleBook:
        """How rows of each table are checked and completed."""
        return RuleBook(self.schema, self.limits)

    def compiled(self, key: Any, make: Callable[[], Any]) -> Any:
        """What `make` gave for `key` before, or gives now."""
        found = self._compiled.get(key)
        if found is None:
            found = make()
            with self._mutex:
                if len(self._compiled) >= COMPILED_MAX:
                    del self._compiled[next(iter(self._compiled))]  # The oldest goes.
                self._compiled[key] = found
        return found
