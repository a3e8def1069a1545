"""Regular expressions that are compiled when they are first used.

Compiling takes longer than importing the rest of many a module, and most runs use few of the
patterns that a start imports.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any


class LazyPattern:
    """A stand-in for a compiled pattern: each of its attributes is kept when it is first used."""

    def __init__(self, text: str | bytes, flags: int = 0) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        attribute = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, attribute)
        return attribute


if TYPE_CHECKING:
    lazy_pattern = re.compile
else:
    lazy_pattern = LazyPattern
