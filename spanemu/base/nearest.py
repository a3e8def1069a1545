"""What to say of a name that nothing has: the names that it may have been meant to be."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

_LISTED_MAX = 8  # where nothing is near


def nearest(name: str, known: Collection[str]) -> str:
    """The known names that begin with `name`, or those most like it, the most like it first.

    Where none is near they are the first few. They are a text, with commas between; "none" where
    nothing is known.
    """
    by_lower = {each.lower(): each for each in known}
    longer = [each for lower, each in by_lower.items() if lower.startswith(name.lower())]
    near = [by_lower[each] for each in get_close_matches(name.lower(), by_lower)]
    told = longer or near or list(by_lower.values())
    shown = told[:_LISTED_MAX]
    return (", ".join(shown) or "none") + (", ..." if len(shown) < len(told) else "")
