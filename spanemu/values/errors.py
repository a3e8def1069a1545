"""The one failure of this package: a text or wire value that is no value of a type.

    ValueError
    └── BadValue

It is no `SpannerError`, because which code a bad value has depends on where it stands: a cell of
a mutation or a key part fails a precondition, a query parameter is an invalid argument, a CAST is
out of range. Whoever knows the place wraps it, and quotes its fields.
"""

from __future__ import annotations

import reprlib
from typing import Any

_SHOWN_CHARACTERS_MAX = 64


class BadValue(ValueError):
    """`value` is no value of the type `type_text`; `reason` says why, if there is more to say."""

    def __init__(self, value: Any, type_text: str, reason: str = "") -> None:
        super().__init__(value, type_text, reason)
        self.value = value
        self.type_text = type_text
        self.reason = reason

    def __str__(self) -> str:
        shown = self.value if isinstance(self.value, str) else reprlib.repr(self.value)
        if len(shown) > _SHOWN_CHARACTERS_MAX:
            shown = shown[:_SHOWN_CHARACTERS_MAX] + "..."
        return f"Could not parse {shown} as {self.type_text}{self.because}"

    @property
    def because(self) -> str:
        """The end of a sentence: a colon and the reason, nothing where there is none."""
        return f": {self.reason}" if self.reason else ""
