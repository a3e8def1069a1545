"""A statement's context for functions of the PostgreSQL dialect."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from spanemu.base.errors import Code, SpannerError
from spanemu.base.rand import Randomness


@dataclass
class FixedContext:
    """A context at a fixed time in a fixed zone."""

    time_zone: str = "America/Los_Angeles"
    now: int = 0
    randomness: Randomness = field(default_factory=lambda: Randomness(1))
    sequences: dict[str, int] = field(default_factory=dict)

    def next_sequence_value(self, sequence: str) -> int:
        self.sequences[sequence] = self.sequences.get(sequence, 0) + 1
        return self.sequences[sequence]

    def sequence_state(self, sequence: str) -> int | None:
        return self.sequences.get(sequence)

    def identity_state(self, column: str) -> int | None:
        return self.sequences.get(column)


def code_of(function: Callable[..., Any], *arguments: Any) -> Code | None:
    """Return the code of the error that a call raises, or None for a call without an error."""
    try:
        function(*arguments)
    except SpannerError as failure:
        return failure.code
    return None
