"""Rows of tables and entries of indexes as tests name them: by names and raw key values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.txn.errors.names import IndexNotFound, TableNotFound
from spanemu.txn.key_sets import KeyReader


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
