"""Rows as functions get them, and answers as rows of outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from operator import itemgetter
from typing import Any

from spanemu.base.limits import CELL_BYTES_MAX
from spanemu.models.errors import AnswerTooLarge, BadAnswer
from spanemu.models.values import measure, reader, shown, writer
from spanemu.sql.remote_calls import Row, TargetColumn
from spanemu.values.types import TypeCode
from spanemu.values.value import INT64_MAX, INT64_MIN

Columns = tuple[TargetColumn, ...]

_ANSWER_BYTES_MAX = 64 * 1024 * 1024  # of all answers to one request
_ROW_BYTES = 64

# The classes of Python objects that are values as they are, by type.
_SAME: Mapping[TypeCode, frozenset[type]] = {
    TypeCode.BOOL: frozenset({bool, type(None)}),
    TypeCode.FLOAT64: frozenset({float, type(None)}),
}


ToDicts = Callable[[Sequence[Row]], list[dict[str, Any]]]
Sizer = Callable[[Sequence[Row]], int]  # about how many bytes the cells of some rows have


@lru_cache(maxsize=256)
def dict_maker(columns: Columns | None) -> ToDicts:
    """Return the function from rows to dicts by the names of columns.

    Without columns, it returns copies of the plain data that each row consists of.
    """
    if columns is None:
        return lambda rows: [deepcopy(row[0]) for row in rows]
    names = [column.name for column in columns]
    convert = [writer(column.type) for column in columns]
    if not any(convert):
        return lambda rows: [dict(zip(names, row, strict=True)) for row in rows]

    def make(rows: Sequence[Row]) -> list[dict[str, Any]]:
        return [
            {
                name: value if write is None or value is None else write(value)
                for name, write, value in zip(names, convert, row, strict=True)
            }
            for row in rows
        ]

    return make


class OutputReader:
    """The reader of the answers of a target: a row of outputs for each answer.

    An answer is a dict by the names of the outputs, in any case, or the value of the only output.
    """

    def __init__(self, columns: Columns, *, is_json: bool, is_bare: bool) -> None:
        self._columns = columns
        self._is_bare = is_bare  # the answer of a function that returns a value
        self._names = [column.name for column in columns]
        self._readers = [reader(column.type, is_json=is_json) for column in columns]
        self._pick: Callable[[Any], Row] = _picker(self._names)

    def rows(self, answers: Sequence[Any]) -> list[Row]:
        """Return the outputs of each answer. Raises BadAnswer."""
        if not self._is_bare:
            try:
                cells = list(map(self._pick, answers))
            except (KeyError, TypeError, IndexError):
                return list(map(self.row, answers))
            return self._converted(cells, answers)
        return self._converted([(answer,) for answer in answers], answers)

    def _converted(self, cells: list[Row], answers: Sequence[Any]) -> list[Row]:
        """Return rows of outputs with their cells converted, column by column."""
        columns = list(zip(*cells, strict=True))
        is_changed = False
        for number, values in enumerate(columns):
            kinds = set(map(type, values))
            if self._columns[number].required and type(None) in kinds:
                return list(map(self.row, answers))  # which raises the error
            if not _is_same(self._columns[number].type.code, kinds, values):
                read = self._readers[number]
                try:
                    columns[number] = tuple([read(value) for value in values])
                except BadAnswer:
                    return list(map(self.row, answers))  # which names the output
                if self._columns[number].required and None in columns[number]:
                    return list(map(self.row, answers))
                is_changed = True
        return list(zip(*columns, strict=True)) if is_changed else cells

    def row(self, answer: Any) -> Row:
        """Return the outputs of one answer. Raises BadAnswer."""
        if self._is_bare:
            return (self._cell(0, answer),)
        if not isinstance(answer, Mapping):
            if len(self._columns) == 1:
                return (self._cell(0, answer),)
            raise BadAnswer(f"{shown(answer)} is no dict of {', '.join(self._names)}")
        known = {str(name).lower(): value for name, value in answer.items()}
        is_only = len(self._columns) == 1 and self._names[0].lower() not in known
        if is_only and self._columns[0].type.is_struct:  # the fields of the only output
            return (self._cell(0, answer),)
        return tuple(
            [self._cell(number, known.get(name.lower())) for number, name in enumerate(self._names)]
        )

    def _cell(self, number: int, value: Any) -> Any:
        column = self._columns[number]
        try:
            cell = self._readers[number](value)
        except BadAnswer as bad:
            raise BadAnswer(f"output {column.name}: {bad}") from None
        if cell is None and column.required:  # a masked number of numpy
            raise BadAnswer(f"the required output {column.name} is missing")
        return cell


def _is_same(code: TypeCode, kinds: set[type], values: Sequence[Any]) -> bool:
    """Return whether Python objects of these classes are values of a type as they are."""
    same = _SAME.get(code)
    if same is not None:
        return same.issuperset(kinds)
    if code is TypeCode.INT64 and kinds == {int}:
        return bool(min(values) >= INT64_MIN and max(values) <= INT64_MAX)
    if code is not TypeCode.STRING or kinds != {str}:
        return False
    return sum(map(len, values)) <= CELL_BYTES_MAX and "".join(values).isascii()


def _picker(names: Sequence[str]) -> Callable[[Any], Row]:
    if len(names) == 1:
        (name,) = names
        return lambda answer: (answer[name],)
    return itemgetter(*names)


@lru_cache(maxsize=256)
def output_reader(columns: Columns, *, is_json: bool, is_bare: bool) -> OutputReader:
    """Return the reader of the answers of a target."""
    return OutputReader(columns, is_json=is_json, is_bare=is_bare)


@lru_cache(maxsize=256)
def sizer(columns: Columns | None) -> Sizer:
    """Return the function that measures rows of columns, or of plain data or documents."""
    if columns is None:
        return lambda rows: sum([len(repr(row[0])) for row in rows])
    known = [(place, measure(column.type)) for place, column in enumerate(columns)]
    varying = [(place, of_cells) for place, of_cells in known if of_cells is not None]

    def size(rows: Sequence[Row]) -> int:
        total = len(rows) * _ROW_BYTES
        for place, of_cells in varying:
            total += of_cells([row[place] for row in rows])
        return total

    return size


def check_size(rows: Sequence[Row], size_of: Sizer, callee: str) -> int:
    """Return the size of rows of outputs. Raises AnswerTooLarge."""
    size = size_of(rows)
    if size > CELL_BYTES_MAX:
        if size > _ANSWER_BYTES_MAX:
            raise AnswerTooLarge(callee, _ANSWER_BYTES_MAX)
        if any(size_of((row,)) > CELL_BYTES_MAX + _ROW_BYTES for row in rows):
            raise AnswerTooLarge(callee, CELL_BYTES_MAX)
    return size
