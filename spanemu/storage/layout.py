"""Where rows lie: every table and index is a tree of keys inside one hierarchy.

A hierarchy is a root table with everything interleaved in it, or a top-level index. Because a
child's encoded key begins with its parent's (`values.key`), one boundary, the encoded key of a
root row, cuts all trees of a hierarchy between the same two families of rows:

    boundary           1                2                3
    Singers      ......1................2................3.........
    Albums       ......1/1..1/2.........2/1..2/2.........
    Songs        ...........1/2/1.......

`TreeId` is the id of the table or index in the schema; ids are never reused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NewType

from spanemu.schema.column import KeyPart
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.values.key import key_encoder

TreeId = NewType("TreeId", int)


def tree_of(source: Table | Index) -> TreeId:
    """The tree that holds the rows of a table, or the entries of an index."""
    return TreeId(source.id)


def hierarchy_of(schema: Schema, source: Table | Index) -> TreeId:
    """The hierarchy that a tree belongs to, named by its root's tree."""
    if isinstance(source, Table):
        return tree_of(schema.root(source))
    parent = schema.index_within(source)
    return tree_of(source) if parent is None else tree_of(schema.root(parent))


def parts_of(source: Table | Index) -> tuple[KeyPart, ...]:
    """The key under which rows of a table, or entries of an index, are sorted."""
    return source.key if isinstance(source, Table) else source.full_key


def encoder_of(parts: Sequence[KeyPart]) -> Callable[[Sequence[Any]], bytes]:
    """Values of those key parts, or of a prefix of them, to order-preserving bytes."""
    return key_encoder(tuple((part.column.type, part.descending) for part in parts))


def key_reader(source: Table | Index) -> Callable[[Sequence[Any]], bytes]:
    """From a stored row of a table, or an entry of an index, to its encoded key."""
    parts = parts_of(source)
    encode = encoder_of(parts)
    places = source.key_positions if isinstance(source, Table) else range(len(parts))
    return lambda row: encode([row[place] for place in places])


def lineage(schema: Schema, source: Table | Index) -> Iterator[Table | Index]:
    """`source` and all it is interleaved in, root first."""
    above = schema.parent(source) if isinstance(source, Table) else schema.index_within(source)
    if above is not None:
        yield from lineage(schema, above)
    yield source
