"""Keeps pytest from rewriting the assertions of the engine.

pytest rewrites every package of a distribution that has a plugin, so that a plugin's own assertions
explain themselves. The package `spanemu` is in that distribution too. Its assertions state
invariants that no test is expected to break, and rewriting its modules costs seconds whenever there
is no bytecode, as in a fresh container.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

PACKAGE = "spanemu"


class PlainImport:
    """A finder, first in `sys.meta_path`, that imports the engine as Python does without pytest."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return Python's own spec for a module of the engine, and None for any other module."""
        if name.partition(".")[0] != PACKAGE:
            return None
        return PathFinder.find_spec(name, path, target)

    def install(self) -> None:
        """Put the finder in front of pytest's."""
        sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """Take the finder away again."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
