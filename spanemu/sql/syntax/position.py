"""Where an offset is, as a reader of the statement would say it."""

from __future__ import annotations

import re

_LINE_END = re.compile(r"\r\n|\r|\n")
_TAB_WIDTH = 8


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, both from one; a tab moves to the next multiple of eight.

    >>> line_and_column("SELECT\\n\\tx", 8)
    (2, 9)
    """
    line, start = 1, 0
    for line_end in _LINE_END.finditer(text, 0, offset):
        line, start = line + 1, line_end.end()
    column = 0
    for character in text[start:offset]:
        column += _TAB_WIDTH - column % _TAB_WIDTH if character == "\t" else 1
    return line, column + 1
