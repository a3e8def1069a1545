"""Finds the known name that a misspelt one was probably meant to be."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SIMILARITY_MIN = 0.75


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`, in its own spelling; None if none is near."""
    by_lowered = {candidate.lower(): candidate for candidate in known}
    found = get_close_matches(name.lower(), by_lowered, n=1, cutoff=_SIMILARITY_MIN)
    return by_lowered[found[0]] if found else None
