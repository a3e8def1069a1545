"""Pieces of DDL that rules propose."""

from __future__ import annotations

from spanemu.lint.model import Index, Table
from spanemu.lint.values import order_of


def other_first(thing: Table | Index) -> str:
    """The key with its first part after the next one that does not follow time."""
    names = [part.name for part in thing.key]
    place = next(
        (n for n, part in enumerate(thing.key) if n > 0 and order_of(part.column) is None), None
    )
    if place is None:
        return ", ".join(["ShardId", *names])
    return ", ".join([names[place], *names[:place], *names[place + 1 :]])


def swap(table: Table) -> str:
    """A primary key that does not begin with the time, as a sentence."""
    if any(order_of(part.column) is None for part in table.key[1:]):
        return f"PRIMARY KEY ({other_first(table)})"
    return (
        "Id UUID DEFAULT (NEW_UUID()) ... PRIMARY KEY (Id), or a shard column first: "
        f"PRIMARY KEY ({other_first(table)})"
    )


def spread(index: Index) -> str:
    """An index over the same column that does not grow at one end only.

    Interleaving helps where the rows of the table lie apart.
    """
    parts = ", ".join(part.name for part in index.key)
    if index.table.key_parts and order_of(index.table.key[0].column) is None:
        prefix = ", ".join(part.name for part in index.table.key)
        rest = ", ".join(
            part.name for part in index.key if part.name.lower() not in index.table.key_names
        )
        key = f"{prefix}, {rest}" if rest else prefix
        return (
            f"CREATE INDEX {index.name} ON {index.table.name}({key}), "
            f"INTERLEAVE IN {index.table.name}; or a shard column first: (ShardId, {parts})"
        )
    return f"a shard column first: ON {index.table.name}(ShardId, {parts})"
