"""Rows of one table in a text file: JSON lines, or CSV.

    {"SingerId":"1","LastName":"Smith"}      JSON lines: an object for each row
    1,Smith                                  CSV: cells in the order of the columns, no header

Both hold cells in wire form. A CSV file has arrays as JSON and NULL as a text of its own.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice, repeat
from math import isfinite
from operator import attrgetter
from typing import Any, Protocol, TextIO

from spanemu.base.counts import counted
from spanemu.base.record import NamedTuple
from spanemu.interchange.connection import Batch, Cell, Row
from spanemu.schema.table import Column, Table
from spanemu.values.types import Type, TypeCode

CSV_NULL = "\\N"
CELL_CHARS_MAX = 1 << 30  # of CSV; more than any value of Spanner has
_CHARS_TOGETHER = 1 << 16  # of rows that are converted together
_ROWS_AT_ONCE = 16  # of CSV that are read before their size is known
_FLOATS = frozenset({TypeCode.FLOAT32, TypeCode.FLOAT64})
_DOCUMENTS = frozenset({TypeCode.JSON, TypeCode.PG_JSONB})
_TRUE, _FALSE = frozenset({"true", "t", "1"}), frozenset({"false", "f", "0"})
_NULL_TEXTS = frozenset({"", "\\n", "null", "(null)", "none", "nil", "n/a", "na"})  # of other tools
_DELIMITERS = ";\t|,"


class InvalidRow(ValueError):
    """A row of a file that cannot be read; the message says what is wrong with it."""


class FileRows(NamedTuple):
    """Some rows of a file with cells for the same columns.

    The rows have a line each, and together about `size` characters. `cells` has the cells of each
    column.
    """

    lines: Sequence[int]
    size: int
    columns: tuple[str, ...]
    cells: Sequence[Sequence[Cell]]

    def part(self, start: int, end: int) -> FileRows:
        """Return the rows between two positions."""
        lines = self.lines[start:end]
        size = self.size * len(lines) // len(self.lines)
        return FileRows(lines, size, self.columns, [cells[start:end] for cells in self.cells])


def file_rows(
    lines: Sequence[int], size: int, columns: tuple[str, ...], rows: Sequence[Row]
) -> FileRows:
    """Return rows of a file whose cells are listed row by row."""
    return FileRows(lines, size, columns, list(zip(*rows, strict=True)))


class RowFormat(Protocol):
    """A format of files with the rows of one table."""

    @property
    def suffix(self) -> str: ...

    @property
    def options(self) -> Mapping[str, Any]:
        """The form of the files, if it is not the default."""
        ...

    def hint(self, line: int, cell: Cell) -> str:
        """Return the end of an error about a cell: an option that may help, or nothing."""
        ...

    def write(self, file: TextIO, columns: Sequence[Column], batches: Iterable[Batch]) -> None:
        """Write rows."""
        ...

    def read(self, file: TextIO, table: Table, columns: Sequence[str]) -> Iterator[FileRows]:
        """Yield the rows of a file; `columns` are those of files that do not name columns."""
        ...


# ---------------------------------------------------------------------------- JSON lines

_text_of_string = json.JSONEncoder(ensure_ascii=False).encode
_read_json = json.JSONDecoder().decode


class JsonLines:
    """An object for each row, with the names of the columns."""

    suffix = ".jsonl"
    options: Mapping[str, Any] = {}

    def hint(self, line: int, cell: Cell) -> str:
        """Return nothing: there are no options."""
        return ""

    def write(self, file: TextIO, columns: Sequence[Column], batches: Iterable[Batch]) -> None:
        """Write rows."""
        names = [_text_of_string(column.name).replace("%", "%%") for column in columns]
        line = "{" + ",".join(f"{name}:%s" for name in names) + "}\n"
        for batch in batches:
            texts = [[_json_text(cell) for cell in cells] for cells in batch]
            file.writelines([line % row for row in zip(*texts, strict=True)])

    def read(self, file: TextIO, table: Table, columns: Sequence[str]) -> Iterator[FileRows]:
        """Yield the rows of a file, each with the columns that its object names."""
        rows: list[tuple[int, Row]] = []  # with the same columns: the line and the cells
        names: tuple[str, ...] = ()
        size = 0
        try:
            for number, named, chars, cells in _json_rows(file, table):
                if rows and named != names:
                    yield _same(names, rows, size)
                    rows, size = [], 0
                names = named
                size += chars
                rows.append((number, cells))
                if size > _CHARS_TOGETHER:
                    yield _same(names, rows, size)
                    rows, size = [], 0
        except (InvalidRow, UnicodeError):
            if rows:
                yield _same(names, rows, size)  # An earlier row may be invalid as well.
            raise
        if rows:
            yield _same(names, rows, size)


def _same(names: tuple[str, ...], rows: Sequence[tuple[int, Row]], size: int) -> FileRows:
    lines, cells = zip(*rows, strict=True)
    return file_rows(lines, size, names, cells)


def _json_rows(file: TextIO, table: Table) -> Iterator[tuple[int, tuple[str, ...], int, Row]]:
    """Yield the line, the columns, the size and the cells of each row. Raises InvalidRow."""
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
        yield number, names, len(line), cells


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

    @property
    def options(self) -> Mapping[str, Any]:
        """The form of the files, if it is not the default."""
        return {} if self == Csv() else asdict(self)

    @property
    def command_line(self) -> str:
        """The options of `spanemu dump` and `spanemu load` for this form."""
        header = "--csv-header " if self.header else ""
        return f"{header}--csv-null {self.null!r} --csv-delimiter {self.delimiter!r}"

    def hint(self, line: int, cell: Cell) -> str:
        """Return the end of an error about a cell: an option that may help, or nothing."""
        if cell is None:
            return f" (the text {self.null!r} is NULL; --csv-null chooses another)"
        if isinstance(cell, str) and cell.lower() in _NULL_TEXTS:
            return f" (--csv-null {cell!r} reads it as NULL)"
        if line == 1 and not self.header:
            return " (--csv-header takes the first line for the names of the columns)"
        return ""

    def write(self, file: TextIO, columns: Sequence[Column], batches: Iterable[Batch]) -> None:
        """Write rows. Raises InvalidRow for a cell that would be read as NULL."""
        writer = csv.writer(file, delimiter=self.delimiter, lineterminator="\n")
        if self.header:
            writer.writerow([column.name for column in columns])
        for batch in batches:
            writer.writerows(zip(*map(self._texts, batch), strict=True))

    def read(self, file: TextIO, table: Table, columns: Sequence[str]) -> Iterator[FileRows]:
        """Yield the rows of a file, with its header or `columns` as the names of the columns."""
        csv.field_size_limit(CELL_CHARS_MAX)
        lines = csv.reader(file, delimiter=self.delimiter, strict=True)
        try:
            names = tuple(next(lines, ())) if self.header else tuple(columns)
        except csv.Error as problem:
            raise InvalidRow(f"line 1: {problem}") from problem
        return _CsvRows(self, names, self._readers(table, names)).read(lines)

    def _readers(self, table: Table, names: Sequence[str]) -> list[tuple[int, _CsvReader]]:
        """Return the functions for the cells that are not texts. Raises InvalidRow."""
        try:
            columns = [_column(table, name, 1) for name in names]
        except InvalidRow as problem:
            if not self.header:
                raise
            raise InvalidRow(f"{problem} (--csv-header takes the first line for names)") from None
        readers = [(number, _csv_reader(column.type)) for number, column in enumerate(columns)]
        return [(number, read) for number, read in readers if read is not None]

    def count(self, texts: Sequence[str], names: Sequence[str]) -> str:
        """Return what is wrong with a row of another length, and the option that may help."""
        problem = f"{counted(len(texts), 'cell')} for {counted(len(names), 'column')}"
        if len(texts) == 1:
            for delimiter in _DELIMITERS:
                if texts[0].count(delimiter) == len(names) - 1:
                    return f"{problem} (--csv-delimiter {delimiter!r} divides the line)"
        return problem

    def _texts(self, cells: list[Cell]) -> list[str]:
        null = self.null
        texts = [
            null if cell is None else cell if isinstance(cell, str) else _to_csv(cell)
            for cell in cells
        ]
        if texts.count(null) != cells.count(None):
            raise InvalidRow(f"the cell {null!r} is the text of NULL; choose another")
        return texts


class _CsvRows:
    """Rows of a CSV file that are converted together, column by column."""

    def __init__(
        self,
        form: Csv,
        names: tuple[str, ...],
        readers: Sequence[tuple[int, _CsvReader]],
    ) -> None:
        self._form = form
        self._names = names
        self._readers = readers

    def read(self, lines: Any) -> Iterator[FileRows]:
        """Yield the rows of `csv.reader`. Raises InvalidRow and UnicodeError."""
        numbered = zip(lines, map(attrgetter("line_num"), repeat(lines)), strict=False)
        line = lines.line_num + 1
        while True:
            rows: list[tuple[list[str], int]] = []
            size = 0
            failure: Exception | None = None
            try:
                while size < _CHARS_TOGETHER:
                    count = len(rows)
                    rows.extend(islice(numbered, _ROWS_AT_ONCE))
                    size += sum([sum(map(len, texts)) for texts, _ in rows[count:]])
                    if len(rows) < count + _ROWS_AT_ONCE:
                        break
            except (csv.Error, UnicodeError) as problem:
                failure = problem  # `rows` has those before it.
            if rows:
                starts = [line, *[end + 1 for _, end in rows]]
                line = starts.pop()
                yield from self._taken(starts, size, [texts for texts, _ in rows])
            if isinstance(failure, UnicodeError):
                raise failure
            if failure is not None:
                raise InvalidRow(f"line {line}: {failure}") from failure
            if size < _CHARS_TOGETHER:
                return

    def _taken(
        self, lines: Sequence[int], size: int, texts: Sequence[list[str]]
    ) -> Iterator[FileRows]:
        """Yield the rows on some lines, up to the first that is invalid. Raises InvalidRow then."""
        try:
            if set(map(len, texts)) != {len(self._names)}:
                raise ValueError
            yield FileRows(lines, size, self._names, self._converted(texts))
        except ValueError:
            for line, cells in zip(lines, map(self._row, lines, texts), strict=True):
                yield file_rows([line], sum(map(len, texts[0])), self._names, [cells])

    def _converted(self, texts: Sequence[list[str]]) -> list[Sequence[Cell]]:
        """Return the columns of rows of the right length. Raises ValueError."""
        null = self._form.null
        columns: list[Sequence[Cell]] = [
            [None if text == null else text for text in column] if null in column else column
            for column in zip(*texts, strict=True)
        ]
        for number, read in self._readers:
            columns[number] = read.column(columns[number])  # type: ignore[arg-type]
        return columns

    def _row(self, line: int, texts: list[str]) -> Row:
        """Return the cells of a row. Raises InvalidRow."""
        if len(texts) != len(self._names):
            raise InvalidRow(f"line {line}: {self._form.count(texts, self._names)}")
        cells: Row = [None if text == self._form.null else text for text in texts]
        for number, read in self._readers:
            if cells[number] is not None:
                try:
                    cells[number] = read.cell(texts[number])
                except ValueError as problem:
                    hint = self._form.hint(line, texts[number])
                    raise InvalidRow(f"line {line}: {problem}{hint}") from problem
        return cells


@dataclass(frozen=True, slots=True)
class _CsvReader:
    """The function from a text to a cell, and one for many texts if there is any."""

    cell: Callable[[str], Cell]
    many: Callable[[Sequence[str]], Sequence[Cell] | None] = lambda texts: None

    def column(self, texts: Sequence[str | None]) -> Sequence[Cell]:
        """Return the cells of texts, of which None stays None. Raises ValueError."""
        if None not in texts and (cells := self.many(texts)) is not None:  # type: ignore[arg-type]
            return cells
        cell = self.cell
        return [None if text is None else cell(text) for text in texts]


def _finite(texts: Sequence[str]) -> Sequence[Cell] | None:
    numbers: list[Cell] = list(map(float, texts))
    return numbers if all(map(isfinite, numbers)) else None  # type: ignore[arg-type]


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
    if text in ("NaN", "Infinity", "-Infinity"):
        return text
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number") from None


def _array(type_: Type, text: str) -> Cell:
    try:
        cell = json.loads(text)
    except ValueError:
        cell = None
    if not isinstance(cell, list):
        raise ValueError(f"{text!r} is not a JSON array")
    return _of_json(type_, cell)


def _csv_reader(type_: Type) -> _CsvReader | None:
    """Return the reader of the cells of a type; None if the text is the cell."""
    return _CsvReader(partial(_array, type_)) if type_.is_array else _CSV_READERS.get(type_.code)


_CSV_READERS: Mapping[TypeCode, _CsvReader] = {
    TypeCode.BOOL: _CsvReader(_bool),
    TypeCode.FLOAT32: _CsvReader(_float, _finite),
    TypeCode.FLOAT64: _CsvReader(_float, _finite),
}


def _column(table: Table, name: str, line: int) -> Column:
    column = table.requested_column(name)
    if column is None:
        raise InvalidRow(f"line {line}: table {table.name} has no column {name!r}")
    return column
