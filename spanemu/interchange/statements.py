"""Divides SQL into statements: a large file, with a few statements in memory, or a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TextIO

from spanemu.schema.dialect import POSTGRESQL, DatabaseDialect

_CHUNK_CHARS = 1 << 20


class FileStatement(NamedTuple):
    """A statement without its semicolon, and the line, counted from one, on which it begins."""

    text: str
    line: int


class _Syntax(NamedTuple):
    """The texts in which a semicolon ends no statement, by the pattern of their beginning.

    `ends` maps a beginning to the pattern that ends it; other beginnings end with themselves.
    `blank` is what may stand before a statement: white space and comments.
    """

    blank: re.Pattern[str]
    opening: re.Pattern[str]
    ends: Mapping[str, re.Pattern[str]]


_COMMENT_ENDS = {
    "--": re.compile(r"[^\n]*(?:\n|\Z)"),
    "#": re.compile(r"[^\n]*(?:\n|\Z)"),
    "/*": re.compile(r".*?\*/", re.DOTALL),
}
_GOOGLESQL = _Syntax(
    re.compile(r"(?:\s|(?:--|#)[^\n]*(?:\n|\Z)|/\*.*?\*/)*", re.DOTALL),
    re.compile(r"'''|\"\"\"|'|\"|`|--|#|/\*|;"),
    {
        **_COMMENT_ENDS,
        "'''": re.compile(r"(?:[^\\']|\\.|'(?!''))*?'''", re.DOTALL),
        '"""': re.compile(r'(?:[^\\"]|\\.|"(?!""))*?"""', re.DOTALL),
        "'": re.compile(r"[^\\']*(?:\\.[^\\']*)*'", re.DOTALL),
        '"': re.compile(r'[^\\"]*(?:\\.[^\\"]*)*"', re.DOTALL),
        "`": re.compile(r"[^\\`]*(?:\\.[^\\`]*)*`", re.DOTALL),
    },
)
_POSTGRESQL = _Syntax(
    re.compile(r"(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/)*", re.DOTALL),
    re.compile(r"(?<![A-Za-z0-9_])[eE]'|'|\"|--|/\*|\$(?:[A-Za-z_][A-Za-z_0-9]*)?\$|;"),
    {
        "--": _COMMENT_ENDS["--"],
        "/*": _COMMENT_ENDS["/*"],
        "E'": re.compile(r"[^\\']*(?:\\.[^\\']*)*'", re.DOTALL),
        "e'": re.compile(r"[^\\']*(?:\\.[^\\']*)*'", re.DOTALL),
        "'": re.compile(r"[^']*'"),
        '"': re.compile(r'[^"]*"'),
    },
)
_OPENING_CHARS_MAX = 66  # of a dollar quote; other beginnings have three characters at most


def file_statements(file: TextIO, dialect: DatabaseDialect) -> Iterator[FileStatement]:
    """Yield the statements of a file. Comments before a statement are left out."""
    syntax = _syntax(dialect)
    text, line, complete = "", 1, False
    while not complete:
        chunk = file.read(_CHUNK_CHARS)
        complete = not chunk
        text += chunk
        start = 0
        for end in _ends(text, syntax, complete):
            statement = text[start:end]
            yield from _statement(statement, line, syntax.blank)
            line += statement.count("\n")
            start = end + 1
        text = text[start:]
    yield from _statement(text, line, syntax.blank)


def divide(text: str, dialect: DatabaseDialect) -> tuple[list[FileStatement], str]:
    """Return the statements of a text that a semicolon ends, and the text behind the last one."""
    syntax = _syntax(dialect)
    statements: list[FileStatement] = []
    start, line = 0, 1
    for end in _ends(text, syntax, complete=True):
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


def _ends(text: str, syntax: _Syntax, complete: bool) -> Iterator[int]:
    """Yield the positions of the semicolons that end statements.

    Stop before a quotation or a comment whose end is missing, unless the text is complete.
    """
    position = 0
    limit = len(text) if complete else len(text) - _OPENING_CHARS_MAX
    while match := syntax.opening.search(text, position):
        if match.start() >= limit:
            return
        opening = match[0]
        if opening == ";":
            yield match.start()
            position = match.end()
            continue
        ending = syntax.ends.get(opening) or re.compile(rf".*?{re.escape(opening)}", re.DOTALL)
        end = ending.match(text, match.end())
        if end is None or (not complete and end.end() == len(text)):
            return
        position = end.end()
