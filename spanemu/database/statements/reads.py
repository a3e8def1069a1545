"""Read and StreamingRead: rows of a table by key, without SQL.

What depends only on table, columns and index is computed once per schema generation (`ReadPlan`); a
read by key then costs a decode, an encode and a lookup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from spanemu.database.generation import Generation
from spanemu.database.options import ReadRequest
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Table
from spanemu.sql.executor.run import ByteRange, Row, RowReader
from spanemu.sql.functions.registry import Context
from spanemu.sql.planner import search_errors
from spanemu.txn import key_sets
from spanemu.txn.errors import (
    ColumnNotFound,
    ColumnNotInIndex,
    IndexNotFound,
    IndexNotReady,
    IndexOfOtherTable,
    NoColumns,
    TableNotFound,
    ViewNotReadable,
)
from spanemu.txn.rules import cell_getter, with_virtual_columns
from spanemu.values.cell_mask import EXISTENCE, WHOLE_ROW, cells_of
from spanemu.values.mutation import RawKeySet
from spanemu.values.types import Type

_KIND_OF_READ = "is a {kind} index type, which is not supported for reads: use a query"


class ReadPlan:
    """A read of given columns of a table, by its key or by an index."""

    def __init__(self, generation: Generation, request: ReadRequest) -> None:
        schema = generation.schema
        self.table = _table(schema, request.table)
        self.index = _index(schema, self.table, request.index) if request.index else None
        if not request.columns:
            raise NoColumns(self.table.name)
        columns = [self._column(name) for name in request.columns]
        # Declared names, whatever spelling the request uses.
        self.columns: tuple[tuple[str, Type], ...] = tuple(
            (column.name, column.type) for column in columns
        )
        self.reads = frozenset(column.position for column in columns)
        self._rules = generation.rules.of(self.table)
        self._computes = any(column.is_virtual for column in columns) and self.index is None
        positions = self._positions(columns)
        self._pick = self._picker(positions)
        # A virtual column is computed from other columns.
        self._cells = WHOLE_ROW if self._computes else EXISTENCE | cells_of(positions)
        source = self.table if self.index is None else self.index
        self._keys = key_sets.KeyReader(source.name, source.key)

    def rows(
        self, request: ReadRequest, reader: RowReader, context: Context
    ) -> Iterator[tuple[Any, ...]]:
        """Return the rows of a request, in key order."""
        if request.limit:
            reader = reader.stopping_early()
        stored = self._stored_rows(request.key_set, reader, exclusive=request.lock_exclusive)
        if self._computes:
            stored = (with_virtual_columns(self._rules, row, context) for row in stored)
        rows = map(self._pick, stored)
        return islice(rows, request.limit) if request.limit else rows

    def ranges(self, key_set: RawKeySet) -> Sequence[ByteRange]:
        """Return the ranges of encoded keys of a key set."""
        return self._keys.ranges(key_set)

    def scan(
        self, reader: RowReader, ranges: Sequence[ByteRange], context: Context
    ) -> Iterator[tuple[Any, ...]]:
        """Return the rows of the given ranges, for a partition."""
        stored = self._scan(reader, ranges, exclusive=False)
        if self._computes:
            stored = (with_virtual_columns(self._rules, row, context) for row in stored)
        return map(self._pick, stored)

    def _stored_rows(
        self, key_set: RawKeySet, reader: RowReader, *, exclusive: bool
    ) -> Iterator[Row]:
        if self.index is not None or key_set.all or key_set.ranges:
            return self._scan(reader, self._keys.ranges(key_set), exclusive=exclusive)
        table, cells, keys = self.table, self._cells, list(map(self._keys.key, key_set.keys))
        if len(keys) == 1:  # the most frequent case
            row = reader.get(table, keys[0], for_update=exclusive, cells=cells)
            return iter(() if row is None else (row,))
        get = partial(reader.get, table, for_update=exclusive, cells=cells)
        return (row for row in map(get, sorted(set(keys))) if row is not None)

    def _scan(
        self, reader: RowReader, ranges: Sequence[ByteRange], *, exclusive: bool
    ) -> Iterator[Row]:
        if not ranges:
            return iter(())
        source = self.table if self.index is None else self.index
        return reader.scan(source, ranges, for_update=exclusive, cells=self._cells)

    def _column(self, name: str) -> Column:
        column = self.table.requested_column(name)
        if column is None:
            raise ColumnNotFound(self.table.name, name)
        if self.index is not None and column not in self.index.columns:
            raise ColumnNotInIndex(self.index.name, name)
        return column

    def _positions(self, columns: Sequence[Column]) -> list[int]:
        """Return the positions of the columns in the rows of the table or index."""
        if self.index is None:
            return [column.position for column in columns]
        positions = {
            column.position: position for position, column in enumerate(self.index.columns)
        }
        return [positions[column.position] for column in columns]

    def _picker(self, positions: Sequence[int]) -> Callable[[Row], tuple[Any, ...]]:
        if self.index is None and list(positions) == list(range(self.table.width)):
            return _whole
        return cell_getter(positions)


def read_plan(generation: Generation, request: ReadRequest) -> ReadPlan:
    """Return the plan for a request's table, columns and index, from the cache or compiled now."""
    key = (ReadPlan, request.table, request.columns, request.index)
    plan: ReadPlan = generation.compiled(key, lambda: ReadPlan(generation, request))
    return plan


def _whole(row: Row) -> Row:
    return row


def _table(schema: Schema, name: str) -> Table:
    table = schema.requested_table(name)
    if table is not None:
        return table
    view = schema.in_any_case(schema.views, name)
    raise TableNotFound(name) if view is None else ViewNotReadable(view.name)


def _index(schema: Schema, table: Table, name: str) -> SortedIndex:
    index = schema.in_any_case(schema.indexes, name)
    if index is None:
        other = schema.index_in_any_case(name)
        if other is not None:
            searches = schema.in_any_case(schema.search_indexes, name) is not None
            reason = _KIND_OF_READ.format(kind="SEARCH" if searches else "VECTOR")
            raise search_errors.SearchIndexUnusable(other.name, reason)
        raise IndexNotFound(name, table.name)
    if index.table != table.name:
        raise IndexOfOtherTable(index.name, index.table, table.name)
    if not index.ready:
        raise IndexNotReady(index.name, table.name)
    return index
