"""Excerpts of a statement for error texts: the lines around a position, with a caret below it.

    SELECT Id,
           Nam
           ^
    FROM Singers

Lines and columns count from one, as in the "[at LINE:COLUMN]" of Spanner's messages.
"""

from __future__ import annotations

import re

from spanemu.base.deferred import lazy_pattern

INDENT = "    "
_LINE_CHARS_MAX = 120
_CONTEXT_CHARS = 50  # before the position, in a truncated line
_POSITION = lazy_pattern(r"\[at (\d+):(\d+)\]")
# Messages about one name. Their position may be relative to an expression of the statement.
_NAMED = lazy_pattern(
    r"(?:Unrecognized name|Function not found|Table not found|Type not found): `?(?P<first>[\w.]+)"
    r"|Name (?P<second>\w+) not found"
    r"|column (?P<third>\w+) which does not exist"
    r'|column "?(?P<fourth>[\w.]+)"? does not exist'
    r'|relation "(?P<fifth>[\w.]+)" does not exist'
    r"|function (?P<sixth>[\w.]+)\([^)]*\) does not exist"
)


def excerpt(text: str, line: int, column: int, *, before: int = 0, after: int = 0) -> str:
    """Return a line of a text with a caret below a column, and some lines around it.

    Return "" for a position outside of the text, such as the end of an incomplete statement.
    """
    lines = text.split("\n")
    if not 0 < line <= len(lines):
        return ""
    shown, caret = _pointed_at(lines[line - 1].rstrip(), column)
    first = max(0, line - 1 - before)
    while first < line - 1 and not lines[first].strip():
        first += 1
    listed = [*lines[first : line - 1], shown, caret, *lines[line : line + after]]
    return "\n".join(f"{INDENT}{each.rstrip()[:_LINE_CHARS_MAX]}" for each in listed)


def position_in(message: str) -> tuple[int, int] | None:
    """Return the line and column in a message, or None without a position."""
    match = _POSITION.search(message)
    return None if match is None else (int(match[1]), int(match[2]))


def position_of_name(text: str, message: str) -> tuple[int, int] | None:
    """Return the position of the name that a message mentions, if it occurs once in the text."""
    named = _NAMED.search(message)
    if named is None or named.lastgroup is None:
        return None
    name = named[named.lastgroup].rpartition(".")[2]
    matches = list(re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE))
    if len(matches) != 1:
        return None
    at = matches[0].start()
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _pointed_at(line: str, column: int) -> tuple[str, str]:
    """Return a line and the line with the caret; a long line is truncated around the column."""
    cut = 0
    if len(line) > _LINE_CHARS_MAX and column > _LINE_CHARS_MAX - _CONTEXT_CHARS:
        cut = column - 1 - _CONTEXT_CHARS
        line, column = "..." + line[cut:], column - cut + 3
    blank = "".join("\t" if char == "\t" else " " for char in line[: column - 1])
    return line[:_LINE_CHARS_MAX], f"{blank.ljust(column - 1)}^"
