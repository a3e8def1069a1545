"""Prose of the pages, the README and CHANGELOG ends before column 100.

Rows of tables and code may be longer, and a word that is longer stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tidy.modules import ROOT, name_of

WIDTH = 100
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^ *(```+|~~~+).*?^ *\1 *$", re.DOTALL | re.MULTILINE)
# What can stand in one line only: a span of code, and the address of a link.
WORD = re.compile(r"(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|\S)+")


def long_lines(text: str) -> Iterator[str]:
    for line in FENCE.sub("", text).splitlines():
        if len(line) > WIDTH and not line.lstrip().startswith(("|", "#", "!", "<")):
            words = WORD.findall(line.lstrip().lstrip("-*0123456789. "))
            if len(words) > 1:
                yield line


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_lines_of_prose_are_short(page: Path) -> None:
    assert not list(long_lines(page.read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_line_of_prose_is_a_comment_by_accident(page: Path) -> None:
    # MyST leaves out a line that begins with a percent sign.
    lines = FENCE.sub("", page.read_text(encoding="utf-8")).splitlines()
    assert not [line for line in lines if line.lstrip().startswith("%")]


def test_long_lines_are_found() -> None:
    prose = "word " * 30
    assert list(long_lines(f"{prose}\n| {prose} |\n```\n{prose}\n```\n")) == [prose]
