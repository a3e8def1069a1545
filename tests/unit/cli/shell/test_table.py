"""A table that fits is drawn as rich would draw it, and rich draws the others."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from spanemu.cli.shell.table import TableColumn, _rich_table, print_table

COLUMNS = [TableColumn("Id", "right"), TableColumn("漢字", "left"), TableColumn("Note", "left")]
ROWS = [
    ["1", "漢字テスト", None],
    ["20", "é\nzwei", "NULL"],
    ["300", "", "👩 emoji"],
    [None, "a", "b"],
]


def drawn(draw, width=200):
    text = io.StringIO()
    draw(Console(file=text, width=width, highlight=False))
    return text.getvalue()


@pytest.mark.parametrize("rows", [ROWS, ROWS[:1], []])
def test_a_table_is_drawn_as_by_rich(rows):
    expected = drawn(lambda console: console.print(_rich_table(COLUMNS, rows)))
    assert drawn(lambda console: print_table(console, COLUMNS, rows)) == expected


def test_a_narrow_terminal_breaks_cells():
    lines = drawn(lambda console: print_table(console, COLUMNS, [["1", "x", "y" * 90]]), 40)
    assert max(map(len, lines.splitlines())) <= 40
    assert lines.count("y") == 90


def test_a_terminal_shows_null_apart_from_its_text():
    text = io.StringIO()
    console = Console(file=text, width=80, force_terminal=True, color_system="standard")
    print_table(console, COLUMNS[:1], [[None], ["NULL"]])
    assert text.getvalue().count("\x1b[2m") == 1
