"""The physical layout of a database as text: rows in interleaved order, with split boundaries.

    Singers(1)      "Marc"    "Richards"   ...
      Albums(1, 1)  "Total Junk"
      Albums(1, 2)  "Go, Go, Go"
        Songs(1, 2, 1)  "42"
    ---------------------------------------- split boundary
    Singers(2)      ...

Hierarchies are sorted by the name of their root, as in the drawings of Spanner's schema pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from spanemu.schema.indexes import Index, TableOrIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.storage.layout import BoundaryFinder, encoder_of, hierarchy_of, parts_of, tree_of
from spanemu.storage.store import Store
from spanemu.storage.versions import row_cells
from spanemu.txn.errors import IndexNotFound, TableNotFound
from spanemu.txn.key_sets import KeyReader
from spanemu.txn.locks.modes import Lock, columns_of
from spanemu.values.cell_mask import WHOLE_ROW
from spanemu.values.key import key_decoder
from spanemu.values.key_text import value_text

BOUNDARY = "-" * 40 + " split boundary"


def physical_layout(store: Store, schema: Schema, *, servers: bool = False) -> str:
    """Return a line for each row and index entry; "" for an empty database.

    With `servers` each split begins with a line that names its server.
    """
    blocks = [
        "\n".join(_hierarchy(store, schema, root, servers=servers))
        for root in sorted(_roots(schema), key=lambda root: root.name.lower())
    ]
    return "\n\n".join(block for block in blocks if block)


def _roots(schema: Schema) -> Iterator[TableOrIndex]:
    for table in schema.tables.values():
        if table.parent is None:
            yield table
    for index in schema.all_indexes():
        if index.has_entries and index.parent is None:
            yield index


def _hierarchy(store: Store, schema: Schema, root: TableOrIndex, *, servers: bool) -> Iterator[str]:
    hierarchy = tree_of(root)
    lines = [
        (position, text)
        for source in schema.tables_and_indexes()
        if hierarchy_of(schema, source) == hierarchy
        for position, text in _rows(store, schema, source)
    ]
    lines.sort(key=lambda line: line[0])
    tiling = store.split_map.hierarchies[hierarchy].tiling
    heads = [
        (position, f"{BOUNDARY}, server {split.server}" if servers else BOUNDARY)
        for position, split in zip(tiling.positions, tiling.splits[1:], strict=True)
    ]
    if servers and lines:
        yield f"{'-' * 40} server {tiling.splits[0].server}"
    for position, text in lines:
        while heads and position >= heads[0][0]:
            yield heads.pop(0)[1]
        yield text
    yield from (head for _, head in heads)


def _rows(store: Store, schema: Schema, source: TableOrIndex) -> Iterator[tuple[bytes, str]]:
    placing = BoundaryFinder(schema, source)
    indent = "  " * (len(placing.path) - 1)
    encode = encoder_of(parts_of(source))
    parts = parts_of(source)
    if isinstance(source, Table):
        key_positions: Sequence[int] = source.key_positions
        width = source.width
        others = [(c.position, c) for c in source.columns if c not in source.key_columns]
    else:
        key_positions = range(len(parts))
        width = len(source.columns)
        others = list(enumerate(source.columns))[len(parts) :]
    shown = [(position, column) for position, column in others if not column.is_virtual]
    for row in store.scan(tree_of(source)):
        row = row_cells(row, width)
        key = [row[position] for position in key_positions]
        key_shown = ", ".join(
            value_text(value, part.column.type) for value, part in zip(key, parts, strict=True)
        )
        cells = [value_text(row[position], column.type) for position, column in shown]
        position = placing.before(encode(key)).position
        yield position, "  ".join([f"{indent}{source.name}({key_shown})", *cells])


def table_or_index(schema: Schema, table: str, index: str) -> TableOrIndex:
    """Return the index `index`, or the table if `index` is empty.

    Raises TableNotFound and IndexNotFound, the latter also for an index of another table.
    """
    source = schema.table(table)
    if not index:
        if source is None:
            raise TableNotFound(table)
        return source
    known_index = schema.index(index)
    if known_index is None or (table and schema.fold(table) != schema.fold(known_index.table)):
        raise IndexNotFound(index, table)
    return known_index


def row_key(source: TableOrIndex, key: Sequence[Any]) -> bytes:
    """Return the encoded key; for an index, its own key parts are enough.

    Raises the errors of a request's key.
    """
    parts = source.declared_key
    if isinstance(source, Index) and len(key) > len(parts):
        parts = source.full_key
    return KeyReader(source.name, parts).key(key)


def root_name(schema: Schema, source: TableOrIndex) -> str:
    """Return the name of the root table that a table or an index is interleaved in."""
    parent = schema.parent(source) if isinstance(source, Table) else schema.index_within(source)
    return source.name if parent is None else schema.root(parent).name


def locked_key_text(source: TableOrIndex, key: bytes, *, is_range: bool) -> str:
    """Return a row of a table or index, or a range by its start, as text."""
    return f"{source.name}({_key(source, key)}{'+' if is_range else ''})"


def locked_columns(source: TableOrIndex, lock: Lock) -> Sequence[str]:
    """Return the columns that a lock covers; `_exists` is the row's existence, empty means all."""
    cells = lock[0] | lock[1]
    return () if cells == WHOLE_ROW else tuple(columns_of(cells, column_names(source)))


def column_names(source: TableOrIndex) -> list[str]:
    """Return the column names of rows or entries by position; a dropped column is ""."""
    if isinstance(source, Index):
        return [column.name for column in source.columns]
    names = [""] * source.width
    for column in source.columns:
        names[column.position] = column.name
    return names


def _before(bound: bytes) -> bytes:
    """Return the prefix that ends before a bound, if the bound is behind all keys with it."""
    return bound[:-1] + bytes([bound[-1] - 1]) if bound and bound[-1] else bound


def _key(source: TableOrIndex, key: bytes) -> str:
    """Return a key as text; a bound that is no whole key is shown as the key it derives from."""
    types = [part.column.type for part in parts_of(source)]
    for whole in (key, key[:-1], _before(key)):
        try:
            values = key_decoder(types)(whole)
        except ValueError:
            continue
        return ",".join(
            value_text(value, type_) for value, type_ in zip(values, types, strict=False)
        )
    return key.hex()
