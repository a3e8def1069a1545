"""Suggests the known name closest to a misspelt name.

The measure is ZetaSQL's: the smallest edit distance (insert, delete or substitute a letter), the
alphabetically first name at equal distance, and no name that differs in more than about a fifth
of the letters.
"""

from __future__ import annotations

from collections.abc import Iterable

_LETTERS_MIN = 3


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the name of `known` closest to `name`, in its own spelling.

    Return None if no known name is close enough.
    """
    letters = len(name)
    if letters < _LETTERS_MIN:
        return None
    edits_max = letters // 2 if letters < 5 else letters // 5 + 2
    written = name.lower()
    near = (
        (edits, candidate)
        for candidate in known
        if abs(len(candidate) - letters) <= edits_max
        and (edits := _edit_distance(written, candidate.lower())) <= edits_max
    )
    return min(near, default=(0, None))[1]


def _edit_distance(first: str, second: str) -> int:
    """Return the number of insertions, deletions and substitutions between two words."""
    row = list(range(len(second) + 1))
    for number, letter in enumerate(first, 1):
        diagonal, row[0] = row[0], number
        for at, target in enumerate(second, 1):
            substituted = diagonal + (letter != target)
            diagonal = row[at]
            row[at] = min(substituted, row[at] + 1, row[at - 1] + 1)
    return row[-1]
