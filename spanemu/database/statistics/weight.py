"""The size of stored rows in bytes, by the rule of Spanner's page on storage.

Each value has a size by its type, plus 8 bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from spanemu.database.statements.results import WrittenRows
from spanemu.schema.indexes import TableOrIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.storage.layout import TreeId, hierarchy_of, key_reader, tree_of
from spanemu.storage.split_map import SplitLocation, SplitMap
from spanemu.values import pg_numeric
from spanemu.values.json import Json
from spanemu.values.pg_jsonb import Jsonb
from spanemu.values.types import Type, TypeCode

Weigh = Callable[[Any], int]

_OVERHEAD = 8  # bytes per value

_FIXED: Mapping[TypeCode, int] = {
    TypeCode.BOOL: 1,
    TypeCode.INT64: 8,
    TypeCode.FLOAT32: 4,
    TypeCode.FLOAT64: 8,
    TypeCode.DATE: 4,
    TypeCode.TIMESTAMP: 12,
    TypeCode.NUMERIC: 22,
    TypeCode.UUID: 16,
    TypeCode.INTERVAL: 16,
    TypeCode.ENUM: 8,
    TypeCode.PG_OID: 8,
}


def row_weigher(source: TableOrIndex) -> Weigh:
    """Return a function that measures rows of a table, or entries of an index, in bytes."""
    stored = [
        (column.position if isinstance(source, Table) else position, _weigher(column.type))
        for position, column in enumerate(source.columns)
        if not column.is_virtual
    ]

    def weigh(row: tuple[Any, ...]) -> int:
        total = 0
        for position, weigh_value in stored:
            # A row written before a column was added is shorter.
            value = row[position] if position < len(row) else None
            if value is not None:
                total += _OVERHEAD + weigh_value(value)
        return total

    return weigh


def _weigher(type_: Type) -> Weigh:
    """Return a function that measures values of a type in bytes."""
    if type_.element is not None:
        weigh = _weigher(type_.element)
        return lambda array: sum(weigh(item) for item in array if item is not None)
    fixed = _FIXED.get(type_.code)
    return _LENGTHS[type_.code] if fixed is None else lambda _: fixed


def _text_length(value: str) -> int:
    return len(value.encode())


def _json_length(value: Json | Jsonb) -> int:
    return _text_length(value.text)


_LENGTHS: Mapping[TypeCode, Weigh] = {
    TypeCode.STRING: _text_length,
    TypeCode.JSON: _json_length,
    TypeCode.PG_JSONB: _json_length,
    TypeCode.PG_NUMERIC: pg_numeric.byte_size,
    TypeCode.BYTES: len,
    TypeCode.PROTO: len,
    TypeCode.TOKENLIST: len,
}


class WriteSizes:
    """The sizes and splits of written rows, by the tables of a schema and the current splits."""

    def __init__(self, schema: Schema, split_map: SplitMap) -> None:
        self._structure = split_map
        self._keys = {tree_of(source): key_reader(source) for source in schema.tables_and_indexes()}
        self._tables = {tree_of(table): table for table in schema.tables.values()}
        self._weighers = {tree: row_weigher(table) for tree, table in self._tables.items()}
        self._hierarchies: dict[TreeId, TreeId] = {
            tree_of(source): hierarchy_of(schema, source) for source in schema.tables_and_indexes()
        }

    def by_table(
        self, samples: Iterable[WrittenRows], trees: Mapping[int, float]
    ) -> dict[str, tuple[int, float]]:
        """Return (rows, bytes) by table of `trees`, the rows by tree; bytes are estimated from the
        samples.
        """
        weighed: dict[int, tuple[int, int]] = {}
        for written in samples:
            for tree, rows, _ in written:
                weigh = self._weighers.get(TreeId(tree))
                left = [row for row in rows if row is not None]
                if weigh is not None and left:
                    count, size = weighed.get(tree, (0, 0))
                    weighed[tree] = count + len(left), size + sum(map(weigh, left))
        by_name = {}
        for tree, rows_left in trees.items():
            table = self._tables.get(TreeId(tree))
            if table is not None:
                count, size = weighed.get(tree, (1, 0))
                by_name[table.name] = round(rows_left), rows_left * size / count
        return by_name

    def participants(self, written: WrittenRows) -> int:
        """Estimate the number of splits that a commit wrote to, from a sample of its rows.

        The keys of deleted rows are not kept: a delete counts as at least one split of its
        hierarchy.
        """
        locations: set[SplitLocation] = set()
        trees: set[TreeId] = set()
        for tree, rows, _ in written:
            trees.add(self._hierarchies.get(TreeId(tree), TreeId(tree)))
            key_of = self._keys.get(TreeId(tree))
            if key_of is not None:
                keys = [(TreeId(tree), key_of(row)) for row in rows if row is not None]
                locations |= self._structure.splits_with_keys(keys)
        return max(1, len(locations) + len(trees - {location.hierarchy for location in locations}))
