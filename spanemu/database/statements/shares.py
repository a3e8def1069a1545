"""Shares of a partitioned query: one for each split of the hierarchy whose rows it goes through.

A query that can be partitioned works on whole families (`sql.plan.partitionable`), so a share has
the families of one split, and whatever is read of that hierarchy stays within it. Boundaries inside
of a family, which the policy `modern` has, divide no query.
"""

from __future__ import annotations

from spanemu.schema.schema import Schema
from spanemu.sql.executor.reader import ByteRange
from spanemu.storage.layout import TreeId, hierarchy_of, tree_of
from spanemu.storage.ranges import EVERYTHING
from spanemu.storage.store import Store


def query_shares(store: Store, hierarchy: TreeId, most: int) -> list[ByteRange]:
    """Ranges of root keys that cover a hierarchy; no more than `most` if that is not 0."""
    inner = [each.key for each in store.structure.boundaries(hierarchy) if len(each.path) == 1]
    if most:
        inner = inner[: most - 1]
    low, high = EVERYTHING[0]
    return list(zip([low, *inner], [*inner, high], strict=True))


def hierarchy_named(schema: Schema, name: str) -> TreeId:
    """The hierarchy whose root table or index is so called."""
    return next(tree_of(thing) for thing in schema.sorted_things() if thing.name == name)


def trees_of(schema: Schema, name: str) -> frozenset[TreeId]:
    """The trees of that hierarchy."""
    root = hierarchy_named(schema, name)
    things = schema.sorted_things()
    return frozenset(tree_of(thing) for thing in things if hierarchy_of(schema, thing) == root)
