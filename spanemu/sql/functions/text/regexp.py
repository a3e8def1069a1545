"""Regular expressions, in RE2's syntax and with RE2's guarantee of linear time.

Texts are matched as UTF-8 bytes and results are cut from these bytes, so no positions are converted
between characters and bytes. For a BYTES pattern each byte is a character.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import re2

from spanemu.base.deadline_checks import check_deadline_if_large, interruptible_stream, is_long
from spanemu.base.limits import CELL_BYTES_MAX
from spanemu.base.record import NamedTuple
from spanemu.sql.functions.errors import BadArgument, BadRegularExpression
from spanemu.sql.functions.notation import Rows, function, overload
from spanemu.sql.functions.registry import Operation
from spanemu.sql.functions.text.pattern_cache import pattern_cache
from spanemu.sql.functions.value_size import ELEMENTS_MAX, bounded, check_element_count, check_size

_SPECIAL = frozenset(rb"\.+*?()|[]{}^$")


def _options(encoding: Any) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.encoding = encoding
    return options


_TEXT = _options(re2.Options.Encoding.UTF8)
_BYTES = _options(re2.Options.Encoding.LATIN1)


class Pattern(NamedTuple):
    """A compiled pattern. `literal` is the pattern itself if it has no special characters."""

    search: Callable[..., Any]
    groups: int
    literal: bytes | None


@pattern_cache
def compiled(pattern: bytes, of_bytes: bool = False) -> Pattern:
    """Return the pattern, compiled for search, from the cache if possible."""
    check_deadline_if_large(pattern)
    try:
        regexp = re2.compile(pattern, _BYTES if of_bytes else _TEXT)
    except re2.error as failure:
        raise BadRegularExpression(_reason(failure)) from None
    if is_long(pattern):
        re2.purge()  # RE2's own cache would keep megabytes for each long pattern.
    literal = None if _SPECIAL.intersection(pattern) else pattern
    return Pattern(regexp.search, regexp.groups, literal)


def _reason(failure: Exception) -> str:
    reason = failure.args[0] if failure.args else ""
    return reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)


def _extracting(pattern: bytes, of_bytes: bool) -> Pattern:
    regexp = compiled(pattern, of_bytes)
    if regexp.groups > 1:
        raise BadArgument(
            "Regular expressions passed into extraction functions must not have more "
            "than 1 capturing group"
        )
    return regexp


def contains(value: bytes, pattern: bytes, of_bytes: bool) -> bool:
    """Return whether the pattern occurs in `value`."""
    check_deadline_if_large(value)
    search, _, literal = compiled(pattern, of_bytes)
    if literal is not None:
        return literal in value
    return search(value) is not None


def extract(value: bytes, pattern: bytes, of_bytes: bool) -> bytes | None:
    """Return the first occurrence, or the part of it that the capturing group matched."""
    check_deadline_if_large(value)
    search, groups, _ = _extracting(pattern, of_bytes)
    match: Any = search(value)
    return None if match is None else match[groups]


def extract_all(value: bytes, pattern: bytes, of_bytes: bool) -> Iterator[bytes]:
    """Yield all occurrences that do not overlap; an empty match advances by one character."""
    matches = _occurrences(value, _extracting(pattern, of_bytes), of_bytes)
    return _counted(interruptible_stream(matches)) if is_long(value) else matches


def _counted(pieces: Iterable[bytes]) -> Iterator[bytes]:
    yield from islice(pieces, ELEMENTS_MAX)
    check_element_count(ELEMENTS_MAX + sum(1 for _ in islice(pieces, 1)))


def _occurrences(value: bytes, pattern: Pattern, of_bytes: bool) -> Iterator[bytes]:
    search, groups, _ = pattern
    at = 0
    while (match := search(value, at)) is not None:
        yield match[groups] or b""
        start, at = match.span()
        if start == at < len(value):
            at += 1 if of_bytes else _character_length(value, at)
        if at >= len(value):
            return


def replace(value: bytes, pattern: bytes, replacement: bytes, of_bytes: bool) -> bytes:
    """Replace all occurrences, except an empty match directly after another match."""
    regexp = compiled(pattern, of_bytes)
    pieces = _rewrite_pieces(replacement, regexp.groups)
    written = _rewritten(value, regexp, pieces, of_bytes)
    joined = b"".join(interruptible_stream(written) if is_long(value) else written)
    return bounded(joined, "REGEXP_REPLACE", CELL_BYTES_MAX)


def _rewritten(
    value: bytes, pattern: Pattern, pieces: Sequence[bytes | int], of_bytes: bool
) -> Iterator[bytes]:
    """Yield the text before each occurrence and its replacement in turn, then the rest."""
    at, last_end, size = 0, -1, 0
    while (match := pattern.search(value, at)) is not None:
        start, end = match.span()
        yield value[at:start]
        if start != end or start != last_end:
            new = b"".join([p if isinstance(p, bytes) else match[p] or b"" for p in pieces])
            yield new
            size += len(new)
        at = last_end = end
        if start == end:
            if at >= len(value):
                break
            step = 1 if of_bytes else _character_length(value, at)
            yield value[at : at + step]
            at += step
        check_size(size, "REGEXP_REPLACE", CELL_BYTES_MAX)
    yield value[at:]


def _character_length(value: bytes, at: int) -> int:
    end = at + 1
    while end < len(value) and value[end] & 0xC0 == 0x80:
        end += 1
    return end - at


@pattern_cache
def _rewrite_pieces(replacement: bytes, groups: int) -> tuple[bytes | int, ...]:
    """Parse the replacement into literal bytes and group numbers."""
    pieces: list[bytes | int] = []
    for part in _unescaped(replacement):
        if isinstance(part, int) and part > groups:
            raise BadArgument(
                f"Invalid REGEXP_REPLACE pattern: Rewrite schema requests {part} matches, "
                f"but the regexp only has {groups} parenthesized subexpressions."
            )
        pieces.append(part)
    return tuple(pieces)


def _unescaped(replacement: bytes) -> Iterator[bytes | int]:
    """Yield the literal bytes and the group numbers of a replacement."""
    head, *rest = replacement.split(b"\\")
    yield head
    parts = iter(rest)
    for part in parts:
        if part[:1].isdigit():
            yield int(part[:1])
            yield part[1:]
        elif part:
            raise BadArgument(
                "Invalid REGEXP_REPLACE pattern: "
                "Rewrite schema error: '\\' must be followed by a digit or '\\'."
            )
        else:  # Two backslashes in a row, or a backslash at the end.
            literal = next(parts, None)
            if literal is None:
                raise BadArgument(
                    "Invalid REGEXP_REPLACE pattern: Rewrite schema error: '\\' not allowed at end."
                )
            yield b"\\" + literal


# ---------------------------------------------------------------------------- the table


def _contains_text(value: str, pattern: str) -> bool:
    return contains(value.encode(), pattern.encode(), False)


def _contains_bytes(value: bytes, pattern: bytes) -> bool:
    return contains(value, pattern, True)


def _extract_text(value: str, pattern: str) -> str | None:
    occurrence = extract(value.encode(), pattern.encode(), False)
    return None if occurrence is None else occurrence.decode(errors="replace")


def _extract_bytes(value: bytes, pattern: bytes) -> bytes | None:
    return extract(value, pattern, True)


def _extract_all_texts(value: str, pattern: str) -> tuple[str, ...]:
    occurrences = extract_all(value.encode(), pattern.encode(), False)
    return tuple([data.decode(errors="replace") for data in occurrences])


def _extract_all_bytes(value: bytes, pattern: bytes) -> tuple[bytes, ...]:
    return tuple(extract_all(value, pattern, True))


def _replace_text(value: str, pattern: str, replacement: str) -> str:
    return replace(value.encode(), pattern.encode(), replacement.encode(), False).decode(
        errors="replace"
    )


def _replace_bytes(value: bytes, pattern: bytes, replacement: bytes) -> bytes:
    return replace(value, pattern, replacement, True)


OVERLOADS: Rows = {
    "REGEXP_CONTAINS": function(
        (
            overload("(STRING, STRING) -> BOOL", _contains_text),
            overload("(BYTES, BYTES) -> BOOL", _contains_bytes),
        ),
        operation=Operation.REGEXP_CONTAINS,
        is_slow=True,
    ),
    "REGEXP_EXTRACT": function(
        (
            overload("(STRING, STRING) -> STRING", _extract_text),
            overload("(BYTES, BYTES) -> BYTES", _extract_bytes),
        ),
        is_slow=True,
    ),
    "REGEXP_EXTRACT_ALL": function(
        (
            overload("(STRING, STRING) -> ARRAY<STRING>", _extract_all_texts),
            overload("(BYTES, BYTES) -> ARRAY<BYTES>", _extract_all_bytes),
        ),
        is_slow=True,
    ),
    "REGEXP_REPLACE": function(
        (
            overload("(STRING, STRING, STRING) -> STRING", _replace_text),
            overload("(BYTES, BYTES, BYTES) -> BYTES", _replace_bytes),
        ),
        is_slow=True,
    ),
}
