"""What to say of a name that nothing has: the names that it may have been meant to be."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

_LISTED_MAX = 8  # where nothing is near


def nearest(name: str, known: Collection[str]) -> str:
    """The known names most like `name`, the most like it first; the first few where none is near.

    They are a text, with commas between; "none" where nothing is known.
    """
    by_lower = {each.lower(): each for each in known}
    near = [by_lower[each] for each in get_close_matches(name.lower(), by_lower)]
    if near or not by_lower:
        return ", ".join(near) or "none"
    first = list(by_lower.values())[:_LISTED_MAX]
    return ", ".join(first) + (", ..." if len(by_lower) > _LISTED_MAX else "")
