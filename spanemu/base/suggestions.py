"""Suggestions for an unknown name: a list of the nearest known names, or the single best one.

difflib is imported when it is needed: this module is loaded by every command and every test run.
"""

from __future__ import annotations

from collections.abc import Collection, Set
from itertools import takewhile
from operator import eq

_LISTED_MAX = 8  # names in a list of suggestions
_CLOSE_MIN = 0.65  # the least similarity of a name and its misspelling, from 0 to 1


def nearest(name: str, known: Collection[str]) -> str:
    """Return the known names that begin with `name`, or the most similar names, as a text.

    Without a similar name, return the first few names; "none" if no name is known. The names of a
    set are in alphabetical order.
    """
    from difflib import get_close_matches

    ordered = sorted(known) if isinstance(known, Set) else known
    by_lower = {each.lower(): each for each in ordered}
    longer = [each for lower, each in by_lower.items() if lower.startswith(name.lower())]
    near = [by_lower[each] for each in get_close_matches(name.lower(), by_lower)]
    candidates = longer or near or list(by_lower.values())
    shown = candidates[:_LISTED_MAX]
    return (", ".join(shown) or "none") + (", ..." if len(shown) < len(candidates) else "")


def closest(name: str, known: Collection[str]) -> str | None:
    """Return the known name that `name` most likely misspells, in any case.

    Return None when no known name is close, and when several are equally close.
    """
    lowered = name.lower()
    longer = [each for each in known if each.lower().startswith(lowered)] if lowered else []
    if len(longer) == 1:
        return longer[0]
    by_likeness: dict[tuple[float, int], list[str]] = {}
    for candidate in known:
        by_likeness.setdefault(_likeness(lowered, candidate.lower()), []).append(candidate)
    best = max(by_likeness, default=(0.0, 0))
    names = by_likeness.get(best, [])
    return names[0] if best[0] >= _CLOSE_MIN and len(names) == 1 else None


def _likeness(name: str, other: str) -> tuple[float, int]:
    """Return the similarity of two names; between ties, the longer common prefix is greater."""
    from difflib import SequenceMatcher

    same = takewhile(bool, map(eq, name, other))
    return SequenceMatcher(None, name, other).ratio(), sum(same)


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Return " Did you mean 'serve'?", to end a sentence about an unknown name, or ""."""
    suggestion = closest(name, known)
    return "" if suggestion is None else f" Did you mean '{suggestion}'?"
