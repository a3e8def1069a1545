"""A CHECK constraint."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """`expression` is SQL text over columns of the table; TRUE and NULL pass."""

    name: str
    expression: str
    generated_name: bool = False
