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

from collections.abc import Iterator
from typing import Any

from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.storage.layout import TreeId, encoder_of, hierarchy_of, lineage, parts_of, tree_of
from spanemu.storage.store import Store, row_cells
from spanemu.txn.key_text import value_text

BOUNDARY = "-" * 40 + " split boundary"

_Place = tuple[bytes, ...]


def physical_layout(store: Store, schema: Schema) -> str:
    """Every row and index entry, one line each; "" for a database without any."""
    blocks = [
        "\n".join(_hierarchy(store, schema, root))
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


def _hierarchy(store: Store, schema: Schema, root: Table | Index) -> Iterator[str]:
    hierarchy = tree_of(root)
    lines = [
        (place, text)
        for thing in schema.sorted_things()
        if hierarchy_of(schema, thing) == hierarchy
        for place, text in _rows(store, schema, thing)
    ]
    lines.sort(key=lambda line: line[0])
    boundaries = list(store.boundaries(hierarchy))[1:]
    for place, text in lines:
        while boundaries and place[0] >= boundaries[0]:
            boundaries.pop(0)
            yield BOUNDARY
        yield text
    yield from (BOUNDARY for _ in boundaries)


def _rows(store: Store, schema: Schema, thing: Table | Index) -> Iterator[tuple[_Place, str]]:
    path = list(lineage(schema, thing))
    indent = "  " * (len(path) - 1)
    place_of = _placer(path)
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
        yield place_of(key), "  ".join([f"{indent}{thing.name}({key_shown})", *cells])


def _placer(path: list[Table | Index]) -> Any:
    """Key values to a place in the hierarchy: a parent sorts right before what is under it."""
    cuts: list[tuple[int, int, bytes, Any]] = []
    start = 0
    for depth, thing in enumerate(path):
        parts = parts_of(thing)
        rank = b"" if depth == 0 else _rank(thing)
        cuts.append((start, len(parts), rank, encoder_of(parts[start:])))
        start = len(parts)

    def place(key: list[Any]) -> _Place:
        found: list[bytes] = []
        for first, last, rank, encode in cuts:
            if rank:
                found.append(rank)
            found.append(encode(key[first:last]))
        return tuple(found)

    return place


def _rank(thing: Table | Index) -> bytes:
    """Tables before indexes, each in order of creation."""
    kind = b"\1" if isinstance(thing, Table) else b"\2"
    return kind + TreeId(thing.id).to_bytes(8, "big")
