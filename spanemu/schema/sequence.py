"""A bit-reversed sequence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sequence:
    """A sequence as declared; its counter is data and lives with the store."""

    name: str
    id: int
    kind: str = "bit_reversed_positive"
    skip_range: tuple[int, int] | None = None
    start_counter: int | None = None
    by_options: bool = True  # written with OPTIONS (...), or with clauses
    internal: bool = False  # belongs to an identity column
    kind_written: bool = True  # or taken from the option default_sequence_kind
