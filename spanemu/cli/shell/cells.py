"""Cells in wire form as text of a table, CSV or TSV, and as values of JSON.

A scalar is shown as Spanner sends it: BYTES in Base64, a timestamp with its nanoseconds. Arrays and
structs are JSON in text: [1, 2], {"a": 1}.

    ┌──────────┬──────┐
    │ SingerId │ Name │
    ├──────────┼──────┤
    │        1 │ Ann  │
    └──────────┴──────┘

Where a terminal is too narrow for a line of a table, rich breaks the cells. rich needs a third of a
millisecond for each row; lines that fit are drawn without its help.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Literal

from google.cloud.spanner_v1 import TypeCode
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from spanemu.base.record import NamedTuple
from spanemu.interchange.connection import Cell

NULL = "NULL"
NUMBERS = frozenset({TypeCode.INT64, TypeCode.FLOAT64, TypeCode.FLOAT32, TypeCode.NUMERIC})
_UNQUOTED = frozenset({TypeCode.INT64, TypeCode.ENUM})  # numbers that are text on the wire
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_BORDER = 3  # the width of what stands between two columns
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
Lines = list[str]


def text_of(cell: Cell, type_: Any) -> str:
    """Return a cell as text, NULL included."""
    if cell is None:
        return NULL
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, list):
        return json.dumps(_nested(cell, type_), ensure_ascii=False)
    if isinstance(cell, float):
        return repr(cell).removesuffix(".0")
    return cell


def printable(text: str) -> str:
    r"""Return a text in which control characters are escapes, as a terminal would obey them.

    >>> printable("a\x1b[31m")
    'a\\x1b[31m'
    """
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def json_of(cell: Cell, type_: Any) -> Any:
    """Return a cell as a value of JSON: INT64 and NUMERIC as text, documents as documents."""
    if isinstance(cell, list):
        if type_.code == TypeCode.STRUCT:
            return _struct(cell, type_, json_of)
        return [json_of(item, type_.array_element_type) for item in cell]
    if isinstance(cell, str) and type_.code == TypeCode.JSON:
        return json.loads(cell)
    return cell


def _nested(cell: Cell, type_: Any) -> Any:
    """Return a cell inside an array or a struct for its JSON text, with integers as numbers."""
    if isinstance(cell, list):
        if type_.code == TypeCode.STRUCT:
            return _struct(cell, type_, _nested)
        return [_nested(item, type_.array_element_type) for item in cell]
    if isinstance(cell, str) and type_.code in _UNQUOTED:
        return int(cell)
    return cell


def _struct(cells: list[Cell], type_: Any, convert: Any) -> dict[str, Any]:
    fields = type_.struct_type.fields
    names = unique_names([field.name for field in fields])
    return {
        name: convert(cell, field.type_)
        for name, field, cell in zip(names, fields, cells, strict=True)
    }


def unique_names(names: list[str]) -> list[str]:
    """Return names for the keys of an object: unnamed columns get numbers, repeated names suffixes.

    >>> unique_names(["a", "", "a"])
    ['a', 'column_2', 'a_2']
    """
    unique: list[str] = []
    for number, name in enumerate(names, 1):
        candidate = base = name or f"column_{number}"
        count = 1
        while candidate in unique:
            count += 1
            candidate = f"{base}_{count}"
        unique.append(candidate)
    return unique


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
