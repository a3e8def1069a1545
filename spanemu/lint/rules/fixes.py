"""DDL and sentences for the fixes that rules suggest."""

from __future__ import annotations

from collections.abc import Iterable

from spanemu.base.identifiers import fold, quoted, quoted_path
from spanemu.lint.model import Index, Part, Table
from spanemu.lint.values import order_of


def key_of(parts: Iterable[Part]) -> str:
    """Return key parts as DDL text, including their directions."""
    return ", ".join(quoted(part.name) + (" DESC" if part.descending else "") for part in parts)


def _sharded(source: Table | Index) -> str:
    return f"ShardId, {key_of(source.key)}"


def other_first(source: Table | Index) -> str:
    """Return the key with the first part that does not grow with time moved to the front.

    If every part grows with time, a shard column comes first.
    """
    key = source.key
    first = next((n for n in range(1, len(key)) if order_of(key[n].column) is None), None)
    if first is None:
        return _sharded(source)
    return key_of([key[first], *key[:first], *key[first + 1 :]])


def swap(table: Table) -> str:
    """Suggest a primary key that does not begin with the time."""
    if any(order_of(part.column) is None for part in table.key[1:]):
        return f"PRIMARY KEY ({other_first(table)})"
    return (
        "Id UUID DEFAULT (NEW_UUID()) ... PRIMARY KEY (Id), or a shard column first: "
        f"PRIMARY KEY ({other_first(table)})"
    )


def spread(index: Index) -> str:
    """Suggest an index over the same column whose new entries do not all land at one end.

    Interleaving helps if the table's own key spreads its rows. For a unique index, the shard column
    must be computed from the indexed columns, so that the index stays unique.
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
    """Return the CREATE statement of the index as a NULL_FILTERED index."""
    return _create(index, key_of(index.key), null_filtered=True)


def _create(index: Index, key: str, *, null_filtered: bool | None = None) -> str:
    """Return the CREATE statement of an index with `key`; None keeps its NULL filtering."""
    filtered = index.null_filtered if null_filtered is None else null_filtered
    kind = ("UNIQUE " if index.unique else "") + ("NULL_FILTERED " if filtered else "")
    name, table = quoted_path(index.name), quoted_path(index.table.name)
    text = f"CREATE {kind}INDEX {name} ON {table}({key})"
    stored = filter(None, map(index.table.column, index.storing))
    names = ", ".join(quoted(column.name) for column in stored)
    return f"{text} STORING ({names})" if names else text
