"""Pieces of DDL that rules propose."""

from __future__ import annotations

from collections.abc import Iterable

from spanemu.base.identifiers import fold, quoted, quoted_path
from spanemu.lint.model import Index, Part, Table
from spanemu.lint.values import order_of


def key_of(parts: Iterable[Part]) -> str:
    """Key parts as DDL has them, directions included."""
    return ", ".join(quoted(part.name) + (" DESC" if part.descending else "") for part in parts)


def _sharded(thing: Table | Index) -> str:
    return f"ShardId, {key_of(thing.key)}"


def other_first(thing: Table | Index) -> str:
    """The key with its first part after the next one that does not follow time."""
    key = thing.key
    place = next((n for n in range(1, len(key)) if order_of(key[n].column) is None), None)
    if place is None:
        return _sharded(thing)
    return key_of([key[place], *key[:place], *key[place + 1 :]])


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

    Interleaving helps where the rows of the table lie apart. A shard column that is computed from
    what is indexed leaves a unique index unique.
    """
    table = index.table
    if index.unique:
        return f"a shard column computed from the others first: {_create(index, _sharded(index))}"
    if table.key_parts and order_of(table.key[0].column) is None:
        rest = [part for part in index.key if fold(part.name) not in table.key_names]
        return (
            f"{_create(index, key_of([*table.key, *rest]))}, INTERLEAVE IN "
            f"{quoted_path(table.name)}; or a shard column first: ({_sharded(index)})"
        )
    return f"a shard column first: ON {quoted_path(table.name)}({_sharded(index)})"


def without_nulls(index: Index) -> str:
    """The index without entries that have a NULL."""
    return _create(index, key_of(index.key), null_filtered=True)


def _create(index: Index, key: str, *, null_filtered: bool | None = None) -> str:
    """The index anew, with another key, and perhaps other entries."""
    filtered = index.null_filtered if null_filtered is None else null_filtered
    kind = ("UNIQUE " if index.unique else "") + ("NULL_FILTERED " if filtered else "")
    name, table = quoted_path(index.name), quoted_path(index.table.name)
    text = f"CREATE {kind}INDEX {name} ON {table}({key})"
    stored = filter(None, map(index.table.column, index.storing))
    kept = ", ".join(quoted(column.name) for column in stored)
    return f"{text} STORING ({kept})" if kept else text
