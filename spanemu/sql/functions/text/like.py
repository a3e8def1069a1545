"""LIKE: `%` is any run of characters, `_` one character, `\\` takes the next one literally.

A pattern is compiled to a matcher once. The pieces between the `%` signs must occur one after the
other, and the first occurrence of each is always a right choice, so matching never backtracks.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from spanemu.base.deadline_checks import interruptible
from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.functions.text.pattern_cache import LongPattern, pattern_caches

_NOWHERE = -1

_INSTRUCTIONS_MAX = 349_525  # of a program in RE2: an instruction for each literal character
_RUN_INSTRUCTIONS = 5
_WILDCARD_INSTRUCTIONS = 8
_ALWAYS_COMPILES = 10_000  # characters


def like(text: str, pattern: str) -> bool:
    """Return `STRING LIKE STRING`."""
    try:
        matches = _short_matcher(pattern)
    except LongPattern:
        matches = _long_matcher(pattern)
    return matches(text)


def like_bytes(data: bytes, pattern: bytes) -> bool:
    """Return `BYTES LIKE BYTES`, compared byte by byte."""
    # Latin-1 gives each byte a character of its own.
    return like(data.decode("latin-1"), pattern.decode("latin-1"))


def string_matcher(pattern: str) -> Callable[[str], bool]:
    """Return a function that tests whether the whole of a text matches the pattern."""
    if len(pattern) > _ALWAYS_COMPILES:
        _check_program_size(pattern)
    pieces = _pieces(pattern)
    if len(pieces) == 1:
        return _whole(pieces[0])
    head, *middle, tail = pieces
    if any("" in piece for piece in pieces):  # "" stands for `_`
        return _general(pieces)
    prefix, suffix = "".join(head), "".join(tail)
    inner = ["".join(piece) for piece in middle if piece]
    if not inner:
        return _prefix_and_suffix(prefix, suffix)
    if len(inner) == 1 and not prefix and not suffix:
        infix = inner[0]
        return lambda text: infix in text
    return _general(pieces)


_short_matcher, _long_matcher = pattern_caches(string_matcher)


def _check_program_size(pattern: str) -> None:
    """Raise BadArgument for a pattern that RE2, which evaluates LIKE in Spanner, cannot compile."""
    runs, wildcards = pattern.count("%"), pattern.count("_")
    size = len(pattern) + runs * _RUN_INSTRUCTIONS + wildcards * _WILDCARD_INSTRUCTIONS
    if size > _INSTRUCTIONS_MAX:
        raise BadArgument("pattern too large - compile failed")


def _pieces(pattern: str) -> list[list[str]]:
    """Cut the pattern at each `%` into lists of characters, with "" for `_`."""
    pieces: list[list[str]] = [[]]
    characters = iter(pattern)
    for character in characters:
        if character == "%":
            pieces.append([])
        elif character == "_":
            pieces[-1].append("")
        elif character == "\\":
            escaped = next(characters, None)
            if escaped is None:
                raise BadArgument("LIKE pattern ends with a backslash")
            pieces[-1].append(escaped)
        else:
            pieces[-1].append(character)
    return pieces


def _whole(piece: list[str]) -> Callable[[str], bool]:
    if "" not in piece:
        return "".join(piece).__eq__
    fullmatch = _regex(piece).fullmatch
    return lambda text: fullmatch(text) is not None


def _prefix_and_suffix(prefix: str, suffix: str) -> Callable[[str], bool]:
    if not suffix:
        return lambda text: text.startswith(prefix)
    if not prefix:
        return lambda text: text.endswith(suffix)
    shortest = len(prefix) + len(suffix)
    return lambda text: len(text) >= shortest and text.startswith(prefix) and text.endswith(suffix)


def _general(pieces: list[list[str]]) -> Callable[[str], bool]:
    """Return a matcher for any pattern of at least two pieces."""
    head, *middle, tail = pieces
    starts = _regex(head).match
    ends = _regex(tail).match
    finders = [_finder(piece) for piece in middle if piece]
    head_length, tail_length = len(head), len(tail)

    def match(text: str) -> bool:
        last = len(text) - tail_length
        if last < head_length or not starts(text) or not ends(text, last):
            return False
        at = head_length
        for find in interruptible(finders):
            at = find(text, at, last)
            if at < 0:
                return False
        return True

    return match


def _finder(piece: list[str]) -> Callable[[str, int, int], int]:
    """Return a function that finds the piece in a range of a text.

    The function returns the end of the first occurrence; a negative number if there is none.
    """
    length = len(piece)
    if "" in piece:
        search = _regex(piece).search

        def find_wild(text: str, start: int, end: int) -> int:
            match = search(text, start, end)
            return match.end() if match else _NOWHERE

        return find_wild
    literal = "".join(piece)

    def find(text: str, start: int, end: int) -> int:
        at = text.find(literal, start, end)
        return at + length if at >= 0 else at

    return find


def _regex(piece: list[str]) -> re.Pattern[str]:
    return re.compile("".join(re.escape(c) if c else "." for c in piece), re.DOTALL)
