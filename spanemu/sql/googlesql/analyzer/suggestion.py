"""Finds the known name that a misspelt one was probably meant to be.

By ZetaSQL's measure: the fewest letters to insert, drop or exchange, the first in the alphabet
among equals, and nothing that would change more than about a fifth of the word.
"""

from __future__ import annotations

from collections.abc import Iterable

_LETTERS_MIN = 3


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`, in its own spelling; None if none is near."""
    letters = len(name)
    if letters < _LETTERS_MIN:
        return None
    edits_max = letters // 2 if letters < 5 else letters // 5 + 2
    written = name.lower()
    near = (
        (edits, candidate)
        for candidate in known
        if abs(len(candidate) - letters) <= edits_max
        and (edits := _edits(written, candidate.lower())) <= edits_max
    )
    return min(near, default=(0, None))[1]


def _edits(one: str, other: str) -> int:
    """How many letters to insert, drop or exchange to turn one word into the other."""
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, 1):
        diagonal, row[0] = row[0], number
        for at, wanted in enumerate(other, 1):
            exchanged = diagonal + (letter != wanted)
            diagonal = row[at]
            row[at] = min(exchanged, row[at] + 1, row[at - 1] + 1)
    return row[-1]
