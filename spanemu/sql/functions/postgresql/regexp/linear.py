"""Expressions without look-around and back-references, as programs of RE2.

RE2 finds where a match begins and its longest end, much faster than `matcher`; it does not find
what PostgreSQL's groups match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import re2

from spanemu.sql.functions.postgresql.regexp.characters import CharacterSet
from spanemu.sql.functions.postgresql.regexp.syntax import (
    Alternation,
    Characters,
    Concatenation,
    Constraint,
    Group,
    Node,
    Position,
    Repetition,
)

_CODE_MAX = 0x10FFFF
_CONSTRAINTS = {
    Constraint.TEXT_START: r"\A",
    Constraint.TEXT_END: r"\z",
    Constraint.LINE_START: r"(?m:^)",
    Constraint.LINE_END: r"(?m:$)",
    Constraint.WORD_BOUNDARY: r"\b",
    Constraint.NO_WORD_BOUNDARY: r"\B",
}

# From the text in UTF-8 and a position to a match or None.
Search = Callable[..., Any]
Range = tuple[int, int]


class _Untranslatable(Exception):
    """A signal that RE2 has no such part of an expression."""


def linear_search(root: Node) -> Search | None:
    """Return the search function of RE2 for an expression, or None if RE2 cannot search for it."""
    try:
        return _compiled(_text(root))
    except (_Untranslatable, re2.error):
        return None


def _compiled(pattern: str) -> Search:
    options = re2.Options()
    options.log_errors = False
    options.longest_match = True
    search: Search = re2.compile(pattern.encode(), options).search
    return search


def _text(node: Node) -> str:
    match node:
        case Characters(characters):
            return _set_text(characters)
        case Position(constraint) if constraint in _CONSTRAINTS:
            return _CONSTRAINTS[constraint]
        case Concatenation(items):
            return "".join(map(_text, items))
        case Alternation(branches):
            return f"(?:{'|'.join(map(_text, branches))})"
        case Repetition(inner, least, most):
            return f"(?:{_text(inner)}){{{least},{'' if most is None else most}}}"
        case Group(inner):
            return f"(?:{_text(inner)})"
    raise _Untranslatable


def _set_text(characters: CharacterSet) -> str:
    ranges = _ranges(characters)
    if not ranges:
        raise _Untranslatable
    return "[" + "".join([f"\\x{{{low:x}}}-\\x{{{high:x}}}" for low, high in ranges]) + "]"


def _ranges(characters: CharacterSet) -> Sequence[Range]:
    """Return the code points of a set as ranges in order."""
    members = [(ord(character), ord(character)) for character in characters.characters]
    members += [(ord(low), ord(high)) for low, high in characters.ranges]
    for other in characters.others:
        members += _ranges(other)
    merged = _merged(members)
    return _complement(merged) if characters.negated else merged


def _merged(ranges: Iterable[Range]) -> list[Range]:
    merged: list[Range] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return merged


def _complement(ranges: Iterable[Range]) -> list[Range]:
    others: list[Range] = []
    begin = 0
    for low, high in ranges:
        if low > begin:
            others.append((begin, low - 1))
        begin = high + 1
    if begin <= _CODE_MAX:
        others.append((begin, _CODE_MAX))
    return others
