"""Functions of regular expressions: ~, regexp_match, regexp_replace and their kind."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.limits import CELL_BYTES_MAX
from spanemu.sql.functions.postgresql.regexp.matcher import Groups, Span
from spanemu.sql.functions.postgresql.regexp.options import (
    DEFAULT_OPTIONS,
    BadRegexpOption,
    Options,
    parse_flags,
)
from spanemu.sql.functions.postgresql.regexp.search import compiled
from spanemu.sql.functions.value_size import (
    ELEMENTS_MAX,
    bounded,
    check_element_count,
    check_size,
)


def matches(text: str, pattern: str) -> bool:
    """Return `text ~ pattern`."""
    return compiled(pattern, DEFAULT_OPTIONS).is_in(text)


def does_not_match(text: str, pattern: str) -> bool:
    """Return `text !~ pattern`."""
    return not compiled(pattern, DEFAULT_OPTIONS).is_in(text)


def substring_matching(text: str, pattern: str) -> str | None:
    """Return `substring(text, pattern)`: the first match, or what its first group matched."""
    regexp = compiled(pattern, DEFAULT_OPTIONS)
    match = regexp.first(text, with_groups=True)
    if match is None:
        return None
    span = match[1].get(1) if regexp.groups else match[0]
    return None if span is None else text[span[0] : span[1]]


def regexp_match(text: str, pattern: str, flags: str = "") -> tuple[str | None, ...] | None:
    """Return `regexp_match(text, pattern [, flags])`: the groups of the first match, or all of it.

    The result is NULL without a match.
    """
    regexp = compiled(pattern, _options(flags, "regexp_match", "regexp_matches"))
    match = regexp.first(text, with_groups=True)
    if match is None:
        return None
    (begin, end), groups = match
    if not regexp.groups:
        return (text[begin:end],)
    spans = [groups.get(number) for number in range(1, regexp.groups + 1)]
    return tuple([None if span is None else text[span[0] : span[1]] for span in spans])


def regexp_split_to_array(text: str, pattern: str, flags: str = "") -> tuple[str, ...]:
    """Return `regexp_split_to_array(text, pattern [, flags])`: the parts between the matches."""
    options = _options(flags, "regexp_split_to_array", "")
    pieces, last = [], 0
    for begin, end in _separators(text, pattern, options):
        pieces.append(text[last:begin])
        if len(pieces) > ELEMENTS_MAX:
            break
        last = end
    check_element_count(len(pieces))
    return (*pieces, text[last:])


def regexp_replace(text: str, pattern: str, replacement: str, flags: str = "") -> str:
    """Return `regexp_replace(text, pattern, replacement [, flags])`: the first match replaced.

    The flag g replaces all matches.
    """
    options, is_global = parse_flags(flags)
    regexp = compiled(pattern, options)
    pieces, last, size = [], 0, 0
    for (begin, end), groups in regexp.all(text, with_groups="\\" in replacement):
        pieces += [text[last:begin], _expanded(replacement, text, {0: (begin, end), **groups})]
        size += len(pieces[-1])
        check_size(size, "regexp_replace", CELL_BYTES_MAX)
        last = end
        if not is_global:
            break
    pieces.append(text[last:])
    return bounded("".join(pieces), "regexp_replace", CELL_BYTES_MAX)


def _options(flags: str, function: str, instead: str) -> Options:
    options, is_global = parse_flags(flags)
    if is_global:
        hint = f"\nHint: Use the {instead} function instead." if instead else ""
        raise BadRegexpOption(f'{function}() does not support the "global" option{hint}')
    return options


def _separators(text: str, pattern: str, options: Options) -> Iterator[Span]:
    """Yield the matches that separate; an empty match separates only two characters."""
    last_end = 0
    for (begin, end), _ in compiled(pattern, options).all(text, with_groups=False):
        if begin < len(text) and end > last_end:
            yield begin, end
        last_end = end


def _expanded(replacement: str, text: str, groups: Groups) -> str:
    r"""Return a replacement with \1 to \9 and \& in it replaced; group 0 is the whole match."""
    if "\\" not in replacement:
        return replacement
    head, *rest = replacement.split("\\")
    pieces, parts = [head], iter(rest)
    for part in parts:
        if part[:1] and part[0] in _GROUP_NUMBERS:
            begin, end = groups.get(_GROUP_NUMBERS[part[0]], (0, 0))
            pieces += [text[begin:end], part[1:]]
        else:  # A second backslash, or another character, which loses its meaning here.
            pieces.append("\\" + (part or next(parts, "")))
    return "".join(pieces)


_GROUP_NUMBERS = {"&": 0, **{str(number): number for number in range(1, 10)}}
