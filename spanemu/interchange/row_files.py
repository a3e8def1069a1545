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
from typing import Any, Protocol, TextIO

from spanemu.base.record import NamedTuple
from spanemu.interchange.connection import Batch, Cell, Row
from spanemu.schema.table import Column, Table
from spanemu.values.types import Type, TypeCode

CSV_NULL = "\\N"
CELL_CHARS_MAX = 1 << 30  # of CSV; more than any value of Spanner has
_FLOATS = frozenset({TypeCode.FLOAT32, TypeCode.FLOAT64})
_DOCUMENTS = frozenset({TypeCode.JSON, TypeCode.PG_JSONB})
_TRUE, _FALSE = frozenset({"true", "t", "1"}), frozenset({"false", "f", "0"})


class InvalidRow(ValueError):
    """A row of a file that cannot be read; the message says what is wrong with it."""


class FileRow(NamedTuple):
    """A row of a file: its line, its approximate size, the names of its columns, and its cells."""

    line: int
    size: int
    columns: tuple[str, ...]
    cells: Row


class RowFormat(Protocol):
    """A format of files with the rows of one table."""

    @property
    def suffix(self) -> str: ...

    def write(self, file: TextIO, columns: Sequence[Column], batches: Iterable[Batch]) -> None:
        """Write rows."""
        ...

    def read(self, file: TextIO, table: Table, columns: Sequence[str]) -> Iterator[FileRow]:
        """Yield the rows of a file; `columns` are those of files that do not name columns."""
        ...


# ---------------------------------------------------------------------------- JSON lines

_text_of_string = json.JSONEncoder(ensure_ascii=False).encode
_read_json = json.JSONDecoder().decode


class JsonLines:
    """An object for each row, with the names of the columns."""

    suffix = ".jsonl"

    def write(self, file: TextIO, columns: Sequence[Column], batches: Iterable[Batch]) -> None:
        """Write rows."""
        names = [_text_of_string(column.name).replace("%", "%%") for column in columns]
        line = "{" + ",".join(f"{name}:%s" for name in names) + "}\n"
        for batch in batches:
            texts = [[_json_text(cell) for cell in cells] for cells in batch]
            file.writelines([line % row for row in zip(*texts, strict=True)])

    def read(self, file: TextIO, table: Table, columns: Sequence[str]) -> Iterator[FileRow]:
        """Yield the rows of a file, each with the columns that its object names."""
        known: dict[tuple[str, ...], list[Type]] = {}
        for number, line in enumerate(file, 1):
            if line.isspace():
                continue
            try:
                values = _read_json(line)
            except ValueError as problem:
                raise InvalidRow(f"line {number}: {problem}") from problem
            if not isinstance(values, dict):
                raise InvalidRow(f"line {number}: a row is an object")
            names = tuple(values)
            types = known.get(names)
            if types is None:
                types = [_column(table, name, number).type for name in names]
                known[names] = types
            try:
                cells = [
                    value if value.__class__ is str else _of_json(type_, value)
                    for type_, value in zip(types, values.values(), strict=True)
                ]
            except ValueError as problem:
                raise InvalidRow(f"line {number}: {problem}") from problem
            yield FileRow(number, len(line), names, cells)


def _json_text(cell: Cell) -> str:
    if cell is None:
        return "null"
    if isinstance(cell, str):
        return _text_of_string(cell)
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, list):
        return f"[{','.join([_json_text(item) for item in cell])}]"
    return repr(cell)


def _of_json(type_: Type, value: Any) -> Cell:
    """Return a value of a JSON document in wire form; numbers of INT64 may be numbers."""
    if value is None:
        return None
    if type_.is_array and isinstance(value, list):
        item = type_.item()
        return [each if each.__class__ is str else _of_json(item, each) for each in value]
    if type_.code in _DOCUMENTS and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict | list):
        raise ValueError(f"{json.dumps(value)} is not a value of {type_}")
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

    def write(self, file: TextIO, columns: Sequence[Column], batches: Iterable[Batch]) -> None:
        """Write rows. Raises InvalidRow for a cell that would be read as NULL."""
        writer = csv.writer(file, delimiter=self.delimiter, lineterminator="\n")
        if self.header:
            writer.writerow([column.name for column in columns])
        for batch in batches:
            writer.writerows(zip(*map(self._texts, batch), strict=True))

    def read(self, file: TextIO, table: Table, columns: Sequence[str]) -> Iterator[FileRow]:
        """Yield the rows of a file, with its header or `columns` as the names of the columns."""
        csv.field_size_limit(CELL_CHARS_MAX)
        lines = csv.reader(file, delimiter=self.delimiter, strict=True)
        null = self.null
        try:
            names = tuple(next(lines, ())) if self.header else tuple(columns)
            types = [column.type.code for column in _columns(table, names)]
            readers = [
                (number, _CSV_READERS[code])
                for number, code in enumerate(types)
                if code in _CSV_READERS
            ]
            for texts in lines:
                line = lines.line_num
                if len(texts) != len(names):
                    raise InvalidRow(f"line {line}: {len(texts)} cells for {len(names)} columns")
                cells: Row = [None if text == null else text for text in texts]
                for number, read in readers:
                    if cells[number] is not None:
                        cells[number] = _read_cell(read, texts[number], line)
                yield FileRow(line, sum(map(len, texts)), names, cells)
        except csv.Error as problem:
            raise InvalidRow(f"line {lines.line_num}: {problem}") from problem

    def _texts(self, cells: list[Cell]) -> list[str]:
        null = self.null
        texts = [
            null if cell is None else cell if isinstance(cell, str) else _to_csv(cell)
            for cell in cells
        ]
        if texts.count(null) != cells.count(None):
            raise InvalidRow(f"the cell {null!r} is the text of NULL; choose another")
        return texts


def _read_cell(read: Callable[[str], Cell], text: str, line: int) -> Cell:
    try:
        return read(text)
    except ValueError as problem:
        raise InvalidRow(f"line {line}: {problem}") from problem


def _to_csv(cell: bool | float | list[Cell]) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return json.dumps(cell, ensure_ascii=False) if isinstance(cell, list) else repr(cell)


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
