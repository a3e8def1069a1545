"""Tables as text. Where a terminal is too narrow for a line, rich breaks the cells.

rich needs a third of a millisecond for each row; lines that fit are drawn without its help.

┌──────────┬──────┐
│ SingerId │ Name │
├──────────┼──────┤
│        1 │ Ann  │
└──────────┴──────┘
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Literal, NamedTuple

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from spanemu.cli.shell.cells import NULL

_BORDER = 3  # the width of what stands between two columns
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"

Lines = list[str]


class TableColumn(NamedTuple):
    """A column: its title, and the side to which its cells are aligned."""

    title: str
    justify: Literal["left", "right"]


def print_table(
    console: Console, columns: Sequence[TableColumn], rows: Sequence[Sequence[str | None]]
) -> None:
    """Print rows of text; None is NULL."""
    lines = [[(NULL if cell is None else cell).split("\n") for cell in row] for row in rows]
    titles = [column.title.split("\n") for column in columns]
    widths = [
        max((_width(line) for cell in cells for line in cell), default=0)
        for cells in zip(titles, *lines, strict=True)
    ]
    if sum(widths) + _BORDER * len(widths) + 1 > console.width:
        console.print(_rich_table(columns, rows))
        return
    dim = console.color_system is not None
    write = console.file.write
    write(_rule(("┌", "┬", "┐"), widths))
    justify = [column.justify for column in columns]
    for text in _text_lines(titles, widths, justify):
        write(f"{text}\n")
    write(_rule(("├", "┼", "┤"), widths))
    for row, cells in zip(rows, lines, strict=True):
        nulls = [cell is None for cell in row] if dim else ()
        for text in _text_lines(cells, widths, justify, nulls):
            write(f"{text}\n")
    write(_rule(("└", "┴", "┘"), widths))


def _rule(corners: tuple[str, str, str], widths: Sequence[int]) -> str:
    first, middle, last = corners
    return f"{first}{middle.join('─' * (width + _BORDER - 1) for width in widths)}{last}\n"


def _text_lines(
    cells: Sequence[Lines],
    widths: Sequence[int],
    justify: Sequence[str],
    nulls: Sequence[bool] = (),
) -> Iterator[str]:
    """Yield the lines of a row, which are as many as those of its highest cell."""
    for line in zip_longest(*cells, fillvalue=""):
        texts = [
            _padded(text, width, side)
            for text, width, side in zip(line, widths, justify, strict=True)
        ]
        if any(nulls):
            texts = [
                f"{_DIM}{text}{_PLAIN}" if is_null else text
                for text, is_null in zip(texts, nulls, strict=True)
            ]
        yield f"│ {' │ '.join(texts)} │"


def _padded(text: str, width: int, side: str) -> str:
    space = " " * (width - _width(text))
    return space + text if side == "right" else text + space


def _width(text: str) -> int:
    """Return the width of a line on a terminal."""
    return len(text) if text.isascii() else cell_len(text)


def _rich_table(columns: Sequence[TableColumn], rows: Sequence[Sequence[str | None]]) -> Table:
    table = Table(box=box.SQUARE, show_edge=True)
    for column in columns:
        table.add_column(Text(column.title), justify=column.justify, overflow="fold")
    null = Text(NULL, style="dim")
    for row in rows:
        table.add_row(*(null if cell is None else Text(cell) for cell in row))
    return table
