"""Rows of one table in a text file: JSON lines, or CSV.

    {"SingerId":"1","LastName":"Smith"}      JSON lines: an object for each row
    1,Smith                                  CSV: cells in the order of the columns, no header

Both hold cells in wire form. A CSV file has arrays as JSON and NULL as a text of its own.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TextIO

from spanemu.interchange.connection import Cell, Row
from spanemu.schema.column import Column
from spanemu.schema.table import Table
from spanemu.values.types import Type, TypeCode

CSV_NULL = "\\N"
_FLOATS = frozenset({TypeCode.FLOAT32, TypeCode.FLOAT64})
_DOCUMENTS = frozenset({TypeCode.JSON, TypeCode.PG_JSONB})
_TRUE, _FALSE = frozenset({"true", "t", "1"}), frozenset({"false", "f", "0"})


class InvalidRow(ValueError):
    """A row of a file that cannot be read; the message says what is wrong with it."""


class FileRow(NamedTuple):
    """A row of a file: its line, the names of its columns, and its cells."""

    line: int
    columns: tuple[str, ...]
    cells: Row


class RowFormat(Protocol):
    """A format of files with the rows of one table."""

    @property
    def suffix(self) -> str: ...

    def write(self, file: TextIO, columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[int]:
        """Write rows, and yield 1 for each."""
        ...

    def read(self, file: TextIO, table: Table, columns: Sequence[str]) -> Iterator[FileRow]:
        """Yield the rows of a file; `columns` are those of files that do not name columns."""
        ...


# ---------------------------------------------------------------------------- JSON lines


class JsonLines:
    """An object for each row, with the names of the columns."""

    suffix = ".jsonl"

    def write(self, file: TextIO, columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[int]:
        """Write rows, and yield 1 for each."""
        encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
        names = [column.name for column in columns]
        for row in rows:
            file.write(encode(dict(zip(names, row, strict=True))) + "\n")
            yield 1

    def read(self, file: TextIO, table: Table, columns: Sequence[str]) -> Iterator[FileRow]:
        """Yield the rows of a file, each with the columns that its object names."""
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                values = json.loads(line)
            except ValueError as problem:
                raise InvalidRow(f"line {number}: {problem}") from problem
            if not isinstance(values, dict):
                raise InvalidRow(f"line {number}: a row is an object")
            cells = [
                _of_json(_column(table, name, number).type, value) for name, value in values.items()
            ]
            yield FileRow(number, tuple(values), cells)


def _of_json(type_: Type, value: Any) -> Cell:
    """Return a value of a JSON document in wire form; numbers of INT64 may be numbers."""
    if value is None:
        return None
    if type_.is_array and isinstance(value, list):
        return [_of_json(type_.item(), item) for item in value]
    if type_.code in _DOCUMENTS and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool) or type_.code in _FLOATS:
        return value  # type: ignore[no-any-return]
    return str(value) if isinstance(value, int | float) else value


# ---------------------------------------------------------------------------- CSV


@dataclass(frozen=True, slots=True)
class Csv:
    """Cells separated by commas, in the form of Spanner's own exports.

    `header` is a first line with the names of the columns; `null` is the text of NULL.
    """

    header: bool = False
    null: str = CSV_NULL
    delimiter: str = ","

    @property
    def suffix(self) -> str:
        """The suffix of the files."""
        return ".csv"

    def write(self, file: TextIO, columns: Sequence[Column], rows: Iterable[Row]) -> Iterator[int]:
        """Write rows, and yield 1 for each."""
        writer = csv.writer(file, delimiter=self.delimiter, lineterminator="\n")
        if self.header:
            writer.writerow([column.name for column in columns])
        for row in rows:
            writer.writerow([self.null if cell is None else self._text(cell) for cell in row])
            yield 1

    def read(self, file: TextIO, table: Table, columns: Sequence[str]) -> Iterator[FileRow]:
        """Yield the rows of a file, with its header or `columns` as the names of the columns."""
        lines = csv.reader(file, delimiter=self.delimiter, strict=True)
        try:
            names = tuple(next(lines, ())) if self.header else tuple(columns)
            readers = [_CSV_READERS.get(each.type.code, str) for each in _columns(table, names)]
            for cells in lines:
                if len(cells) != len(names):
                    raise InvalidRow(
                        f"line {lines.line_num}: {len(cells)} cells for {len(names)} columns"
                    )
                yield FileRow(lines.line_num, names, self._row(cells, readers, lines.line_num))
        except csv.Error as problem:
            raise InvalidRow(f"line {lines.line_num}: {problem}") from problem

    def _text(self, cell: Cell) -> str:
        text = _to_csv(cell)
        if text == self.null:
            raise InvalidRow(f"the cell {text!r} is the text of NULL; choose another")
        return text

    def _row(self, cells: list[str], readers: Sequence[Callable[[str], Cell]], line: int) -> Row:
        try:
            return [
                None if cell == self.null else read(cell)
                for cell, read in zip(cells, readers, strict=True)
            ]
        except ValueError as problem:
            raise InvalidRow(f"line {line}: {problem}") from problem


def _to_csv(cell: Cell) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, list):
        return json.dumps(cell, ensure_ascii=False)
    return repr(cell) if isinstance(cell, float) else str(cell)


def _bool(text: str) -> Cell:
    word = text.lower()
    if word not in _TRUE | _FALSE:
        raise ValueError(f"{text!r} is not a BOOL")
    return word in _TRUE


def _float(text: str) -> Cell:
    return text if text in ("NaN", "Infinity", "-Infinity") else float(text)


def _array(text: str) -> Cell:
    cell = json.loads(text)
    if not isinstance(cell, list):
        raise ValueError(f"{text!r} is not a JSON array")
    return cell


_CSV_READERS: Mapping[TypeCode, Callable[[str], Cell]] = {
    TypeCode.BOOL: _bool,
    TypeCode.FLOAT32: _float,
    TypeCode.FLOAT64: _float,
    TypeCode.ARRAY: _array,
}


def _columns(table: Table, names: Sequence[str]) -> list[Column]:
    return [_column(table, name, 1) for name in names]


def _column(table: Table, name: str, line: int) -> Column:
    column = table.requested_column(name)
    if column is None:
        raise InvalidRow(f"line {line}: table {table.name} has no column {name!r}")
    return column
