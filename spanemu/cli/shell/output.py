"""Results as the shell writes them: a table, a record for each row, CSV, TSV or JSON.

CSV, TSV and JSON are written row by row; a table needs all rows, for the width of its columns.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TextIO

from rich.console import Console

from spanemu.cli.shell.cells import (
    NUMBERS,
    TableColumn,
    json_of,
    print_table,
    printable,
    text_of,
    unique_names,
)
from spanemu.interchange.connection import Cell
from spanemu.interchange.row_files import CSV_NULL

TABLE, CSV, TSV, JSON = "table", "csv", "tsv", "json"
FORMATS = (TABLE, CSV, TSV, JSON)
WIDTH_MAX = 1_000_000  # of a table outside of a terminal, where no line is broken

_TSV_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a result: its name, and its type as the server sent it (None: text)."""

    name: str
    type: Any = None

    @property
    def justify(self) -> Literal["left", "right"]:
        """The side to which the cells of a table are aligned."""
        return "right" if self.type is not None and self.type.code in NUMBERS else "left"


Columns = Sequence[Column]
Rows = Iterable[Sequence[Cell]]


class Printer:
    """The place and the form of results. `expanded` shows a record for each row of a table.

    Notes, such as the number of rows, stand beside a table; in other formats they are for a user at
    a terminal (`is_interactive`), on standard error.
    """

    def __init__(
        self, out: TextIO, err: TextIO, form: str = TABLE, *, is_interactive: bool = False
    ) -> None:
        self.form = form
        self.expanded = False
        self._standard = self._out = out
        self._err = err
        self._is_interactive = is_interactive

    def result(self, columns: Columns, rows: Rows) -> int:
        """Write the rows of a result, and return their number."""
        count = _WRITERS[self.form](self, columns, rows)
        self._out.flush()
        return count

    def note(self, text: str) -> None:
        """Write a note, if it has a reader."""
        if self.form == TABLE or self._is_interactive:
            self.remark(text)

    def remark(self, text: str) -> None:
        """Write a note that the user asked for."""
        file = self._out if self.form == TABLE else self._err
        file.write(f"{text}\n")
        file.flush()

    def text(self, text: str) -> None:
        """Write a text, such as the drawing of a plan."""
        self._out.write(f"{text}\n")
        self._out.flush()

    def redirect(self, path: Path | None) -> None:
        """Write further results to a file, or to standard output again. Raises OSError."""
        file = self._standard if path is None else path.open("w", encoding="utf-8", newline="\n")
        self.close()
        self._out = file

    def close(self) -> None:
        """Close the file of `redirect`."""
        if self._out is not self._standard:
            self._out.close()
            self._out = self._standard

    # ------------------------------------------------------------------ formats

    def _table(self, columns: Columns, rows: Rows) -> int:
        if self.expanded:
            return self._records(columns, rows)
        titles = [TableColumn(printable(column.name), column.justify) for column in columns]
        shown = [[_shown(cell, column) for cell, column in _pairs(row, columns)] for row in rows]
        print_table(self._console(), titles, shown)
        return len(shown)

    def _records(self, columns: Columns, rows: Rows) -> int:
        count = 0
        width = max((len(column.name) for column in columns), default=0)
        for row in rows:
            count += 1
            self._out.write(f"-[ row {count} ]{'-' * width}\n")
            for cell, column in _pairs(row, columns):
                first, *rest = printable(text_of(cell, column.type)).split("\n")
                self._out.write(f"{column.name:<{width}} | {first}\n")
                for line in rest:
                    self._out.write(f"{'':<{width}} | {line}\n")
        return count

    def _console(self) -> Console:
        is_terminal = self._out.isatty()
        width = None if is_terminal else WIDTH_MAX
        return Console(file=self._out, width=width, highlight=False, soft_wrap=False)

    def _csv(self, columns: Columns, rows: Rows) -> int:
        writer = csv.writer(self._out, lineterminator="\n")
        writer.writerow([column.name for column in columns])
        return _counted(
            rows,
            lambda row: writer.writerow(
                [_csv_field(cell, column) for cell, column in _pairs(row, columns)]
            ),
        )

    def _tsv(self, columns: Columns, rows: Rows) -> int:
        names = (column.name.translate(_TSV_ESCAPES) for column in columns)
        self._out.write("\t".join(names) + "\n")
        return _counted(
            rows,
            lambda row: self._out.write(
                "\t".join(_tsv_field(cell, column) for cell, column in _pairs(row, columns)) + "\n"
            ),
        )

    def _json(self, columns: Columns, rows: Rows) -> int:
        names = unique_names([column.name for column in columns])
        self._out.write("[")
        count = 0
        for count, row in enumerate(rows, 1):
            cells = [
                cell if column.type is None else json_of(cell, column.type)
                for cell, column in _pairs(row, columns)
            ]
            text = json.dumps(dict(zip(names, cells, strict=True)), ensure_ascii=False)
            self._out.write(f"{',' if count > 1 else ''}\n  {text}")
        self._out.write("\n]\n" if count else "]\n")
        return count


_WRITERS: Mapping[str, Callable[[Printer, Columns, Rows], int]] = {
    TABLE: Printer._table,
    CSV: Printer._csv,
    TSV: Printer._tsv,
    JSON: Printer._json,
}


def _counted(rows: Rows, write: Callable[[Sequence[Cell]], object]) -> int:
    """Write rows as they arrive, and return their number."""
    count = 0
    for row in rows:
        write(row)
        count += 1
    return count


def _pairs(row: Sequence[Cell], columns: Columns) -> Iterable[tuple[Any, Column]]:
    return zip(row, columns, strict=True)


def _shown(cell: Any, column: Column) -> str | None:
    return None if cell is None else printable(text_of(cell, column.type)).expandtabs()


def _csv_field(cell: Any, column: Column) -> str:
    """Return a cell of CSV; NULL is the text that dumps have."""
    return CSV_NULL if cell is None else text_of(cell, column.type)


def _tsv_field(cell: Any, column: Column) -> str:
    return CSV_NULL if cell is None else text_of(cell, column.type).translate(_TSV_ESCAPES)
