"""DDL and sentences for the fixes that rules suggest."""

from __future__ import annotations

from collections.abc import Iterable

from spanemu.base.identifiers import fold
from spanemu.lint.model import Index, Part, Table
from spanemu.lint.values import order_of
from spanemu.schema.dialect import POSTGRESQL


def key_of(parts: Iterable[Part]) -> str:
    """Return key parts as DDL text, including their directions."""
    return ", ".join(
        part.position.dialect.quoted(part.name) + (" DESC" if part.descending else "")
        for part in parts
    )


def _is_postgresql(source: Table | Index) -> bool:
    return source.position.dialect.database is POSTGRESQL


def _sharded(source: Table | Index) -> str:
    shard = "shard_id" if _is_postgresql(source) else "ShardId"
    return f"{shard}, {key_of(source.key)}"


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
    random = (
        "id uuid DEFAULT gen_random_uuid() PRIMARY KEY"
        if _is_postgresql(table)
        else "Id UUID DEFAULT (NEW_UUID()) ... PRIMARY KEY (Id)"
    )
    return f"{random}, or a shard column first: PRIMARY KEY ({other_first(table)})"


def spread(index: Index) -> str:
    """Suggest an index over the same column whose new entries do not all land at one end.

    Interleaving helps if the table's own key spreads its rows. For a unique index, the shard column
    must be computed from the indexed columns, so that the index stays unique.
    """
    table, quoted_path = index.table, index.position.dialect.quoted_path
    if index.unique:
        return f"a shard column computed from the others first: {_create(index, _sharded(index))}"
    if table.key_parts and order_of(table.key[0].column) is None:
        rest = [part for part in index.key if fold(part.name) not in table.key_names]
        return (
            f"{_create(index, key_of([*table.key, *rest]), parent=table)}; or a shard column "
            f"first: ({_sharded(index)})"
        )
    return f"a shard column first: ON {quoted_path(table.name)}({_sharded(index)})"


def without_nulls(index: Index) -> str:
    """Return the CREATE statement of the index without the entries for NULL."""
    return _create(index, key_of(index.key), null_filtered=True)


def without_filter(index: Index) -> str:
    """Return the CREATE statement of the index with an entry for every row."""
    home = index.table.schema.table(index.home) if index.home else None
    return _create(index, key_of(index.key), null_filtered=False, parent=home)


def add_stored(index: Index, columns: Iterable[str]) -> str:
    """Return the statements by which an index also stores `columns`."""
    dialect = index.position.dialect
    clause = "ADD INCLUDE COLUMN" if _is_postgresql(index) else "ADD STORED COLUMN"
    altered = f"ALTER INDEX {dialect.quoted_path(index.name)} {clause}"
    return "; ".join(f"{altered} {dialect.quoted(column)}" for column in columns)


def _create(
    index: Index, key: str, *, null_filtered: bool | None = None, parent: Table | None = None
) -> str:
    """Return the CREATE statement of an index with `key`, interleaved in `parent` if given.

    None as `null_filtered` keeps the index's NULL filtering.
    """
    create = _create_in_postgresql if _is_postgresql(index) else _create_in_googlesql
    return create(index, key, null_filtered, parent)


def _create_in_googlesql(
    index: Index, key: str, null_filtered: bool | None, parent: Table | None
) -> str:
    filtered = index.null_filtered if null_filtered is None else null_filtered
    kind = ("UNIQUE " if index.unique else "") + ("NULL_FILTERED " if filtered else "")
    quoted_path = index.position.dialect.quoted_path
    text = f"CREATE {kind}INDEX {quoted_path(index.name)} ON {quoted_path(index.table.name)}({key})"
    text += f" STORING ({_stored(index)})" if index.storing else ""
    return text if parent is None else f"{text}, INTERLEAVE IN {quoted_path(parent.name)}"


def _create_in_postgresql(
    index: Index, key: str, null_filtered: bool | None, parent: Table | None
) -> str:
    dialect = index.position.dialect
    name, table = dialect.quoted_path(index.name), dialect.quoted_path(index.table.name)
    text = f"CREATE {'UNIQUE ' if index.unique else ''}INDEX {name} ON {table} ({key})"
    text += f" INCLUDE ({_stored(index)})" if index.storing else ""
    text += "" if parent is None else f" INTERLEAVE IN {dialect.quoted_path(parent.name)}"
    filtered = [
        f"{dialect.quoted(part.name)} IS NOT NULL"
        for part in index.key
        if null_filtered or (null_filtered is None and fold(part.name) in index.where_not_null)
    ]
    return f"{text} WHERE {' AND '.join(filtered)}" if filtered else text


def _stored(index: Index) -> str:
    """Return the names of the stored columns, as SQL writes them."""
    columns = filter(None, map(index.table.column, index.storing))
    return ", ".join(index.position.dialect.quoted(column.name) for column in columns)
