"""The error of this package: a text or wire value that is not a value of a type.

    ValueError
    └── BadValue

`BadValue` is not a `SpannerError`, because the code of a bad value depends on its context: in a
cell of a mutation or a key part it fails a precondition, a query parameter is an invalid argument,
and in a CAST it is out of range. The caller that knows the context wraps the error and quotes its
fields.
"""

from __future__ import annotations

import reprlib
from typing import Any

_SHOWN_CHARACTERS_MAX = 64


class BadValue(ValueError):
    """A `value` that is not a value of the type `type_text`; `reason` adds a reason, if any."""

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
        """The end of an error sentence: a colon and the reason, or nothing without a reason."""
        return f": {self.reason}" if self.reason else ""
