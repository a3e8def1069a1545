"""Divides SQL into statements: a large file, with a few statements in memory, or a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TextIO

from spanemu.base.record import NamedTuple
from spanemu.schema.dialect import POSTGRESQL, DatabaseDialect

_CHUNK_CHARS = 1 << 20


class FileStatement(NamedTuple):
    """A statement without its semicolon, and the line, counted from one, on which it begins."""

    text: str
    line: int


class _Syntax(NamedTuple):
    """The patterns that divide a text of a dialect into statements.

    `blank` matches the white space and the comments before a statement. `body` matches pieces of a
    statement: texts without a semicolon, quotations and comments. `quotation` matches the
    quotations of another form, before which `body` ends.
    """

    blank: re.Pattern[str]
    body: re.Pattern[str]
    quotation: re.Pattern[str]


# The pattern of a body matches so many pieces at once: the memory of a match grows with them.
_PIECES = 1000
_COMMENT_TEXT = r"[^\n\r]*+(?:[\n\r]|\Z)"  # the rest of a comment, with its line end
_BLOCK_COMMENT = r"/\*.*?\*/"
_GOOGLESQL = _Syntax(
    re.compile(rf"(?:\s++|(?:--|\#){_COMMENT_TEXT}|{_BLOCK_COMMENT})*", re.DOTALL),
    re.compile(
        rf"""
        (?: [^;'"`\#/-]++
          | (?:--|\#){_COMMENT_TEXT} | -
          | {_BLOCK_COMMENT} | /(?!\*)
          | '''(?:[^\\']++|\\.|'(?!''))*''' | '(?!'')[^\\']*+(?:\\.[^\\']*+)*+'
          | \"""(?:[^\\"]++|\\.|"(?!""))*\""" | "(?!"")[^\\"]*+(?:\\.[^\\"]*+)*+"
          | `[^\\`]*+(?:\\.[^\\`]*+)*+`
        ){{0,{_PIECES}}}
        """,
        re.DOTALL | re.VERBOSE,
    ),
    re.compile(r"(?!)"),
)
# The position of a quotation mark behind the E of an escaped string.
_ESCAPED = r"(?<=[eE])(?<!\w[eE])"
_POSTGRESQL = _Syntax(
    re.compile(rf"(?:\s++|--{_COMMENT_TEXT}|{_BLOCK_COMMENT})*", re.DOTALL),
    re.compile(
        rf"""
        (?: [^;'"/$-]++
          | --{_COMMENT_TEXT} | -
          | {_BLOCK_COMMENT} | /(?!\*)
          | {_ESCAPED}'[^\\']*+(?:\\.[^\\']*+)*+'
          | (?!{_ESCAPED})'[^']*+'
          | "[^"]*+"
          | (?<=\w)\$ | \$(?!(?:[A-Za-z_]\w*)?\$)
        ){{0,{_PIECES}}}
        """,
        re.ASCII | re.DOTALL | re.VERBOSE,
    ),
    re.compile(r"(\$(?:[A-Za-z_]\w*)?\$).*?\1", re.ASCII | re.DOTALL),
)


def file_statements(file: TextIO, dialect: DatabaseDialect) -> Iterator[FileStatement]:
    """Yield the statements of a file. Comments before a statement are left out."""
    syntax = _syntax(dialect)
    text, line = "", 1
    while chunk := file.read(max(_CHUNK_CHARS, len(text))):
        text += chunk
        start = 0
        for end in _ends(text, syntax):
            yield from _statement(text[start:end], line, syntax.blank)
            line += text.count("\n", start, end)
            start = end + 1
        text = text[start:]
    yield from _statement(text, line, syntax.blank)


def divide(text: str, dialect: DatabaseDialect) -> tuple[list[FileStatement], str]:
    """Return the statements of a text that a semicolon ends, and the text behind the last one."""
    syntax = _syntax(dialect)
    statements: list[FileStatement] = []
    start, line = 0, 1
    for end in _ends(text, syntax):
        statements.extend(_statement(text[start:end], line, syntax.blank))
        line += text.count("\n", start, end)
        start = end + 1
    return statements, text[start:]


def without_comments(text: str, dialect: DatabaseDialect) -> str:
    """Return a text without the white space and the comments at its beginning."""
    blank = _syntax(dialect).blank.match(text)
    assert blank is not None
    return text[blank.end() :]


def _syntax(dialect: DatabaseDialect) -> _Syntax:
    return _POSTGRESQL if dialect is POSTGRESQL else _GOOGLESQL


def _statement(text: str, line: int, leading: re.Pattern[str]) -> Iterator[FileStatement]:
    blank = leading.match(text)
    assert blank is not None
    if body := text[blank.end() :].rstrip():
        yield FileStatement(body, line + text.count("\n", 0, blank.end()))


def _ends(text: str, syntax: _Syntax) -> Iterator[int]:
    """Yield the positions of the semicolons that end statements.

    More text behind the last of them cannot change these positions.
    """
    position = 0
    while position < len(text):
        body = syntax.body.match(text, position)
        assert body is not None
        if body.end() == len(text):
            return
        if text[body.end()] == ";":
            yield body.end()
            position = body.end() + 1
        elif body.end() > position:
            position = body.end()
        elif quotation := syntax.quotation.match(text, position):
            position = quotation.end()
        else:
            return  # before a quotation or a comment whose end is missing
