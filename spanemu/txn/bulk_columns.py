"""Columns of new rows: their checks, completion, keys and index entries, for `bulk_insert`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from types import NoneType
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.base.record import NamedTuple
from spanemu.schema.table import Column, KeyPart
from spanemu.sql.functions.registry import Context
from spanemu.txn import value_errors
from spanemu.txn.cells import DOCUMENTS, RowExpression, surely_valid_length
from spanemu.txn.rules import (
    CompiledIndex,
    CompiledSingleIndex,
    CompiledTable,
    Row,
    is_timestamp,
)
from spanemu.txn.write_plan import WritePlan, check_commit_timestamp
from spanemu.values.columns import ColumnEncoder, joined_parts, key_column_encoder
from spanemu.values.document_columns import document_chars_max
from spanemu.values.mutation import COMMIT_TIMESTAMP, CommitTimestampMark
from spanemu.values.types import TypeCode

Cells = Sequence[Any]  # the values of one column


class Entries(NamedTuple):
    """The entries of an index for some rows; `prefixes` are the declared keys of a unique index."""

    of: CompiledIndex
    keys: Sequence[bytes]
    cells: Sequence[Row]
    prefixes: Sequence[bytes]


class NewRows(NamedTuple):
    """Rows to insert, also by column, with their entries and the different keys of parents."""

    keys: Sequence[bytes]
    rows: Sequence[Row]
    columns: Sequence[Cells]
    entries: Sequence[Entries]
    parents: Sequence[bytes]


PARTS_OF_REST = 15  # of many rows each, after one of different values
# The types whose equal values are the same, and of which columns often have few.
REPETITIVE = frozenset({TypeCode.INT64, TypeCode.STRING, TypeCode.DATE})


class Sharing:
    """The sharing of equal values of one column, which rests while there are few of them."""

    def __init__(self, column: int) -> None:
        self.column = column
        self._rests = 0  # for so many more parts

    def shared(self, cells: Cells) -> Cells:
        """Return cells of which equal ones are one object, if there are many of them."""
        if self._rests:
            self._rests -= 1
            return cells
        known = dict(zip(cells, cells, strict=True))
        if 2 * len(known) > len(cells):
            self._rests = PARTS_OF_REST
            return cells
        return [known[cell] for cell in cells]


# ---------------------------------------------------------------------------- completion


def has_known_keys(plan: WritePlan) -> bool:
    """Return whether generated key columns depend only on columns that new rows have before."""
    rules = plan.rules
    known = plan.listed | {position for position, _ in plan.defaults} | rules.identities.keys()
    return all(
        expression.reads <= known
        for column, expression in rules.stored_generated
        if column.position in rules.table.key_positions
    )


def completed(plan: WritePlan, listed: list[Cells], count: int, context: Context) -> list[Cells]:
    """Return the columns of new rows: the listed ones, defaults, generated values, and NULL.

    Raises SpannerError for a value that the column does not take, as far as it is not deferred.
    """
    if plan.in_order:
        return listed
    columns: list[Cells] = [(None,) * count] * plan.rules.width
    for position, cells in zip(plan.positions, listed, strict=True):
        columns[position] = cells
    drawn = [position for position, _ in (*plan.identities, *plan.defaults)]
    if drawn:
        rows = [_drawn(plan, context) for _ in range(count)]
        for position, cells in zip(drawn, zip(*rows, strict=True), strict=True):
            columns[position] = cells
        for position, check in plan.default_checks:
            for cell in columns[position]:
                if cell is not None:
                    check(cell)
        for position in plan.default_not_null:
            if None in columns[position]:
                column = plan.rules.columns_at[position]
                raise value_errors.NullInNotNull(plan.rules.table.name, column.name)
    return computed(plan.rules.stored_generated, columns, context)


def _drawn(plan: WritePlan, context: Context) -> list[Any]:
    """Return the values of a row from its sequences and its defaults, in this order."""
    cells = [context.next_sequence_value(sequence) for _, sequence in plan.identities]
    cells += [default.evaluate((), context) for _, default in plan.defaults]
    return cells


def computed(
    generated: Sequence[tuple[Column, RowExpression]], columns: list[Cells], context: Context
) -> list[Cells]:
    """Return columns with generated ones computed, each after those that it depends on."""
    if not generated:
        return columns
    columns = list(columns)
    for column, expression in generated:
        rows = list(zip(*columns, strict=True))
        columns[column.position] = expression.evaluate_all(rows, context)
    return columns


def hold(
    rules: CompiledTable, columns: Sequence[Cells], rows: Sequence[Row], context: Context
) -> bool:
    """Return whether the checks that are made at the end of a batch surely hold for new rows."""
    if any(CommitTimestampMark in set(map(type, columns[each])) for each in rules.timestamps):
        return False
    try:
        if rules.virtual:
            columns = computed(rules.virtual, list(columns), context)
            rows = list(zip(*columns, strict=True))
        for column in rules.completed:
            cells = columns[column.position]
            if column.not_null and None in cells:
                return False
            check = rules.cell_checks.get(column.position)
            if check is not None:
                for cell in cells:
                    if cell is not None:
                        check(cell)
        return all(
            expression.evaluate(row, context) is not False
            for _, expression in rules.checks
            for row in rows
        )
    except SpannerError:
        return False


# ---------------------------------------------------------------------------- keys and entries


class KeyParts:
    """The key parts of a table and its indexes; each part is encoded once for a row."""

    def __init__(self) -> None:
        self._parts: dict[tuple[int, Any], tuple[int, ColumnEncoder]] = {}

    def number(self, part: KeyPart, position: int) -> int:
        """Return the number of a key part with the values at a position."""
        known = position, part.order
        if known not in self._parts:
            encode = key_column_encoder((part.column.type, part.order))
            self._parts[known] = len(self._parts), encode
        return self._parts[known][0]

    def encoded(self, columns: list[Cells]) -> list[list[bytes]]:
        """Return the encoded values of each part."""
        return [encode(columns[position]) for (position, _), (_, encode) in self._parts.items()]


class IndexColumns:
    """An index, with the positions of its columns and the parts of its keys."""

    def __init__(self, index: CompiledIndex, parts: KeyParts) -> None:
        self._index = index
        self._positions = [column.position for column in index.index.columns]
        full_key = index.index.full_key
        self._key = [parts.number(part, part.column.position) for part in full_key]
        self._declared = self._key[: index.declared_parts] if index.is_unique else []

    def entries(self, columns: list[Cells], parts: list[list[bytes]]) -> Entries:
        """Return the entries of the rows that the index contains."""
        index = self._index
        if type(index) is not CompiledSingleIndex:
            pairs = [pair for row in zip(*columns, strict=True) for pair in index.entries(row)]
            return Entries(index, [key for key, _ in pairs], [cells for _, cells in pairs], ())
        keys = joined_parts([parts[number] for number in self._key])
        cells = list(zip(*[columns[position] for position in self._positions], strict=True))
        declared = self._declared
        prefixes = joined_parts([parts[number] for number in declared]) if declared else ()
        filters = [columns[position] for position in index.filtered]
        if any(None in each for each in filters):
            kept = [None not in values for values in zip(*filters, strict=True)]
            keys, cells = list(compress(keys, kept)), list(compress(cells, kept))
            prefixes = list(compress(prefixes, kept))
        return Entries(index, keys, cells, prefixes)


ColumnCheck = Callable[[Cells, int], bool]


def _length_max(cells: Cells) -> int:
    return max(map(len, cells), default=0)


def column_check(rules: CompiledTable, column: Column) -> ColumnCheck:
    """Return a function that returns False, or raises, unless values of a column are valid.

    Its second argument is the time of the statement, which bounds commit timestamps.
    """
    cell_bytes = rules.compiled.limits.cell_bytes
    longest = None if column.placement_key else surely_valid_length(column, cell_bytes)
    length_max = document_chars_max if column.type.code in DOCUMENTS else _length_max
    check = rules.cell_checks.get(column.position) if longest is None else None
    is_bounded = is_timestamp(column) and column.allow_commit_timestamp

    def is_valid(cells: Cells, now: int) -> bool:
        kinds = set(map(type, cells))
        if CommitTimestampMark in kinds:
            check_commit_timestamp(rules, column)
            cells = [cell for cell in cells if cell is not COMMIT_TIMESTAMP]
        if NoneType in kinds:
            if column.not_null:
                return False
            cells = [cell for cell in cells if cell is not None]
        if longest is not None and length_max(cells) > longest:
            return False
        if check is not None:
            for cell in cells:
                check(cell)
        return not is_bounded or max(cells, default=now) <= now

    return is_valid
