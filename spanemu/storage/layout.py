"""The layout of rows: every table and index is a tree of keys in one hierarchy.

A hierarchy is a root table with all tables interleaved in it, or a top-level index. A child's
encoded key begins with its parent's (`values.key`). So one boundary, the encoded key of a root
row, cuts all trees of a hierarchy between the same two families of rows:

    boundary           1                2                3
    Singers      ......1................2................3.........
    Albums       ......1/1..1/2.........2/1..2/2.........
    Songs        ...........1/2/1.......

`TreeId` is the id of the table or index in the schema; ids are never reused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NewType

from spanemu.base.deadline_checks import interruptible
from spanemu.schema.index import TableOrIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import KeyPart, Table
from spanemu.values.key import ByteRange, key_encoder

TreeId = NewType("TreeId", int)


def tree_of(source: TableOrIndex) -> TreeId:
    """Return the tree of a table's rows, or of an index's entries."""
    return TreeId(source.id)


def hierarchy_of(schema: Schema, source: TableOrIndex) -> TreeId:
    """Return the hierarchy of a table or an index, named by its root's tree."""
    if isinstance(source, Table):
        return tree_of(schema.root(source))
    parent = schema.index_within(source)
    return tree_of(source) if parent is None else tree_of(schema.root(parent))


def parts_of(source: TableOrIndex) -> tuple[KeyPart, ...]:
    """Return the parts of the key that sorts a table's rows, or an index's entries."""
    return source.key if isinstance(source, Table) else source.full_key


def encoder_of(parts: Sequence[KeyPart]) -> Callable[[Sequence[Any]], bytes]:
    """Return a function from values of key parts, or of a prefix, to order-preserving bytes."""
    return key_encoder(tuple((part.column.type, part.order) for part in parts))


def key_reader(source: TableOrIndex) -> Callable[[Sequence[Any]], bytes]:
    """Return a function from a stored row or an index entry to its encoded key."""
    parts = parts_of(source)
    encode = encoder_of(parts)
    positions = source.key_positions if isinstance(source, Table) else range(len(parts))
    return lambda row: encode([row[position] for position in positions])


def lineage(schema: Schema, source: TableOrIndex) -> Iterator[TableOrIndex]:
    """Yield the tables that `source` is interleaved in, root first, then `source`."""
    above = schema.parent(source) if isinstance(source, Table) else schema.index_within(source)
    if above is not None:
        yield from lineage(schema, above)
    yield source


EVERYTHING: tuple[ByteRange, ...] = ((b"", b"\xff" * 64),)  # greater than every encoded key


def in_order(ranges: Sequence[ByteRange] | None, *, descending: bool) -> Iterable[ByteRange]:
    """Return the ranges in scan order; None stands for all keys.

    There may be many ranges without any rows, so the deadline is checked between them.
    """
    if ranges is None:
        return EVERYTHING
    return interruptible(ranges[::-1] if descending else ranges)
