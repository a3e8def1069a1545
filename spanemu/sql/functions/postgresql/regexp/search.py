"""The search of expressions in texts, by RE2 where it can and by the matcher elsewhere.

An expression without look-around and back-references is a program of RE2, which finds where a match
begins and its longest end, much faster than `matcher`. RE2 does not find what PostgreSQL's groups
match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import re2

from spanemu.base.deadline_checks import check_deadline_if_large, interruptible_stream
from spanemu.sql.functions.postgresql.regexp.characters import CharacterSet
from spanemu.sql.functions.postgresql.regexp.matcher import Groups, Matcher, Span
from spanemu.sql.functions.postgresql.regexp.options import Options
from spanemu.sql.functions.postgresql.regexp.parser import parse_regexp
from spanemu.sql.functions.postgresql.regexp.syntax import (
    Alternation,
    Characters,
    Concatenation,
    Constraint,
    Group,
    Node,
    Position,
    Preference,
    Regexp,
    Repetition,
)
from spanemu.sql.functions.text.pattern_cache import pattern_cache

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


Occurrence = tuple[Span, Groups]
# Finds the first match that begins at a position or later.
Finder = Callable[[int], Occurrence | None]


class Pattern:
    """A compiled regular expression."""

    def __init__(self, regexp: Regexp) -> None:
        self.groups = regexp.groups
        self._regexp = regexp

    @cached_property
    def _linear(self) -> Search | None:
        return linear_search(self._regexp.root)

    def is_in(self, text: str) -> bool:
        """Return whether the expression matches anywhere in the text."""
        check_deadline_if_large(text)
        if self._linear is not None:
            return self._linear(text.encode(errors="surrogatepass")) is not None
        return Matcher(self._regexp, text).matches()

    def first(self, text: str, with_groups: bool) -> Occurrence | None:
        """Return the first match with its groups."""
        return next(self._occurrences(text, with_groups), None)

    def all(self, text: str, with_groups: bool) -> Iterator[Occurrence]:
        """Yield the matches that do not overlap; an empty match advances by one character."""
        return interruptible_stream(self._occurrences(text, with_groups))

    def _occurrences(self, text: str, with_groups: bool) -> Iterator[Occurrence]:
        check_deadline_if_large(text)
        with_groups = with_groups and self.groups > 0
        if with_groups and self._linear is not None and not self.is_in(text):
            return
        find = self._finder(text, with_groups)
        at = 0
        while at <= len(text):
            match = find(at)
            if match is None:
                return
            yield match
            begin, end = match[0]
            at = end + (begin == end)

    def _finder(self, text: str, with_groups: bool) -> Finder:
        is_longest = self._regexp.root.preference is not Preference.SHORTEST
        # In ASCII, the positions of bytes are those of characters.
        if self._linear is not None and is_longest and not with_groups and text.isascii():
            return _linear_finder(self._linear, text)
        return _matcher_finder(Matcher(self._regexp, text), with_groups)


def _linear_finder(search: Search, text: str) -> Finder:
    data = text.encode()

    def find(begin: int) -> Occurrence | None:
        match = search(data, begin)
        return None if match is None else (match.span(), {})

    return find


def _matcher_finder(matcher: Matcher, with_groups: bool) -> Finder:
    def find(begin: int) -> Occurrence | None:
        span = matcher.search(begin, with_groups)
        return None if span is None else (span, matcher.groups)

    return find


@pattern_cache
def compiled(pattern: str, options: Options) -> Pattern:
    """Return the compiled expression, from the cache if possible."""
    return Pattern(parse_regexp(pattern, options))


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
