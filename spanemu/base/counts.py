"""Counts with their nouns, for messages: "1 row", "2 rows"."""

from __future__ import annotations


def counted(count: int, singular: str, plural: str = "") -> str:
    """Return a count with its noun, whose plural ends with "s" unless it is given."""
    return f"{count} {singular if count == 1 else plural or f'{singular}s'}"
