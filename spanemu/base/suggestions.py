"""Suggestions for an unknown name: a list of the nearest known names, or the single best one.

difflib is imported when it is needed: this module is loaded by every command and every test run.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import takewhile
from operator import eq

_LISTED_MAX = 8  # where nothing is near
_CLOSE_MIN = 0.65  # similarity of a name and its misspelling, of 1


def nearest(name: str, known: Collection[str]) -> str:
    """The known names that begin with `name`, or those most like it, the most like it first.

    Where none is near they are the first few. They are a text, with commas between; "none" where
    nothing is known.
    """
    from difflib import get_close_matches

    by_lower = {each.lower(): each for each in known}
    longer = [each for lower, each in by_lower.items() if lower.startswith(name.lower())]
    near = [by_lower[each] for each in get_close_matches(name.lower(), by_lower)]
    told = longer or near or list(by_lower.values())
    shown = told[:_LISTED_MAX]
    return (", ".join(shown) or "none") + (", ..." if len(shown) < len(told) else "")


def closest(name: str, known: Collection[str]) -> str | None:
    """Return the known name that `name` most likely misspells, in any case.

    None when no known name is close, and when several are equally close.
    """
    wanted = name.lower()
    longer = [each for each in known if each.lower().startswith(wanted)] if wanted else []
    if len(longer) == 1:
        return longer[0]
    by_likeness: dict[tuple[float, int], list[str]] = {}
    for each in known:
        by_likeness.setdefault(_likeness(wanted, each.lower()), []).append(each)
    best = max(by_likeness, default=(0.0, 0))
    names = by_likeness.get(best, [])
    return names[0] if best[0] >= _CLOSE_MIN and len(names) == 1 else None


def _likeness(name: str, other: str) -> tuple[float, int]:
    """Return how similar two names are; of equally similar ones a longer common beginning wins."""
    from difflib import SequenceMatcher

    same = takewhile(bool, map(eq, name, other))
    return SequenceMatcher(None, name, other).ratio(), sum(same)


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Return " Did you mean 'serve'?", to end a sentence about an unknown name, or ""."""
    found = closest(name, known)
    return "" if found is None else f" Did you mean '{found}'?"
