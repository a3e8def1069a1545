"""The search of expressions in texts, by RE2 where it can and by the matcher elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from spanemu.base.deadline_checks import check_deadline_if_large, interruptible_stream
from spanemu.sql.functions.postgresql.regexp.linear import Search, linear_search
from spanemu.sql.functions.postgresql.regexp.matcher import Groups, Matcher, Span
from spanemu.sql.functions.postgresql.regexp.options import Options
from spanemu.sql.functions.postgresql.regexp.parser import parse_regexp
from spanemu.sql.functions.postgresql.regexp.syntax import Preference, Regexp
from spanemu.sql.functions.text.pattern_cache import pattern_cache

Occurrence = tuple[Span, Groups]
# Finds the first match that begins at a position or later.
Finder = Callable[[int], Occurrence | None]


class Pattern:
    """A compiled expression."""

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
        """Yield the matches that do not overlap; after an empty match go on by one character."""
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
