"""The physical layout of a database as text: rows in interleaved order, with split boundaries.

    Singers(1)      "Marc"    "Richards"   ...
      Albums(1, 1)  "Total Junk"
      Albums(1, 2)  "Go, Go, Go"
        Songs(1, 2, 1)  "42"
    ---------------------------------------- split boundary
    Singers(2)      ...

Hierarchies come in the order of their root's name, as in the drawings of Spanner's schema pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.storage.boundary import BoundaryFinder
from spanemu.storage.layout import encoder_of, hierarchy_of, parts_of, tree_of
from spanemu.storage.store import Store
from spanemu.storage.versions import row_cells
from spanemu.txn.errors.requests import IndexNotFound, TableNotFound
from spanemu.txn.key_sets import KeyReader
from spanemu.txn.locks.modes import Lock, columns_of
from spanemu.values.cell_mask import WHOLE_ROW
from spanemu.values.key import key_decoder
from spanemu.values.value_text import value_text

BOUNDARY = "-" * 40 + " split boundary"


def physical_layout(store: Store, schema: Schema, *, servers: bool = False) -> str:
    """Every row and index entry, one line each; "" for a database without any.

    With `servers` each split begins with a line that names the server it is on.
    """
    blocks = [
        "\n".join(_hierarchy(store, schema, root, servers=servers))
        for root in sorted(_roots(schema), key=lambda root: root.name.lower())
    ]
    return "\n\n".join(block for block in blocks if block)


def _roots(schema: Schema) -> Iterator[Table | Index]:
    for table in schema.tables.values():
        if table.parent is None:
            yield table
    for index in schema.indexes.values():
        if index.parent is None:
            yield index


def _hierarchy(
    store: Store, schema: Schema, root: Table | Index, *, servers: bool
) -> Iterator[str]:
    hierarchy = tree_of(root)
    lines = [
        (place, text)
        for thing in schema.tables_and_indexes()
        if hierarchy_of(schema, thing) == hierarchy
        for place, text in _rows(store, schema, thing)
    ]
    lines.sort(key=lambda line: line[0])
    tiling = store.split_map.hierarchies[hierarchy].tiling
    heads = [
        (place, f"{BOUNDARY}, server {split.server}" if servers else BOUNDARY)
        for place, split in zip(tiling.positions, tiling.splits[1:], strict=True)
    ]
    if servers and lines:
        yield f"{'-' * 40} server {tiling.splits[0].server}"
    for place, text in lines:
        while heads and place >= heads[0][0]:
            yield heads.pop(0)[1]
        yield text
    yield from (head for _, head in heads)


def _rows(store: Store, schema: Schema, thing: Table | Index) -> Iterator[tuple[bytes, str]]:
    placing = BoundaryFinder(schema, thing)
    indent = "  " * (len(placing.path) - 1)
    encode = encoder_of(parts_of(thing))
    columns = thing.columns
    key_columns = [part.column for part in parts_of(thing)]
    if isinstance(thing, Table):
        positions = {column.position: column.position for column in columns}
    else:
        positions = {column.position: place for place, column in enumerate(columns)}
    width = thing.width if isinstance(thing, Table) else len(columns)
    others = [column for column in columns if column not in key_columns and not column.is_virtual]
    for row in store.scan(tree_of(thing)):
        row = row_cells(row, width)
        key = [row[positions[column.position]] for column in key_columns]
        key_shown = ", ".join(
            value_text(value, column.type) for value, column in zip(key, key_columns, strict=True)
        )
        cells = [value_text(row[positions[c.position]], c.type) for c in others]
        place = placing.before(encode(key)).position
        yield place, "  ".join([f"{indent}{thing.name}({key_shown})", *cells])


def keyed(schema: Schema, table: str, index: str) -> Table | Index:
    """The index of that name, or the table if none is given.

    Raises TableNotFound, IndexNotFound, also for an index of another table.
    """
    found = schema.table(table)
    if not index:
        if found is None:
            raise TableNotFound(table)
        return found
    known = schema.index(index)
    if known is None or (table and table.lower() != known.table.lower()):
        raise IndexNotFound(index, table)
    return known


def row_key(thing: Table | Index, key: Sequence[Any]) -> bytes:
    """An encoded key; of an index its own part is enough. Raises what a request's key would."""
    parts = thing.key
    if isinstance(thing, Index) and len(key) > len(parts):
        parts = thing.full_key
    return KeyReader(thing.name, parts).key(key)


def root_name(schema: Schema, thing: Table | Index) -> str:
    """The root table that a table or an index is interleaved in."""
    parent = schema.parent(thing) if isinstance(thing, Table) else schema.index_within(thing)
    return thing.name if parent is None else schema.root(parent).name


def place_text(thing: Table | Index, key: bytes, *, is_range: bool) -> str:
    """A row of a table or index, or a range by its start."""
    return f"{thing.name}({_key(thing, key)}{'+' if is_range else ''})"


def locked_columns(thing: Table | Index, lock: Lock) -> Sequence[str]:
    """The columns that a lock covers, none for all; `_exists` for whether there is a row."""
    cells = lock[0] | lock[1]
    return () if cells == WHOLE_ROW else tuple(columns_of(cells, column_names(thing)))


def column_names(thing: Table | Index) -> list[str]:
    """The columns of rows or entries by place; one that was dropped is ""."""
    if isinstance(thing, Index):
        return [column.name for column in thing.columns]
    names = [""] * thing.width
    for column in thing.columns:
        names[column.position] = column.name
    return names


def _key(thing: Table | Index, key: bytes) -> str:
    """A key as text; of a bound that is not quite one, the key that it is made of."""
    parts = [(part.column.type, part.descending) for part in parts_of(thing)]
    for end in (len(key), len(key) - 1):
        try:
            values = key_decoder(parts)(key[:end])
        except ValueError:
            continue
        return ",".join(
            value_text(value, part[0]) for value, part in zip(values, parts, strict=False)
        )
    return key.hex()
