"""What a process has imported: tests of what a start and a statement bring print it."""

from __future__ import annotations

import sys


def modules_that_ran() -> set[str]:
    """Return the names of modules whose code has run; packages of spanemu, which are empty, aside."""
    return {
        name
        for name, module in sys.modules.copy().items()
        if type(module).__name__ != "LazyModule"
        if not (name.startswith("spanemu.") and hasattr(module, "__path__"))
    }
