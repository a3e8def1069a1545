"""DDL and sentences for the fixes that rules suggest.

A fix that begins with CREATE, ALTER or DROP is a script: its statements can be applied after those
of the schema, and the finding is gone. What a script cannot say follows in a comment. Spanner
cannot change the key of an index, so a script creates an index of another name before it drops the
old one: queries and constraints never lack an index.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import count

from spanemu.base.identifiers import fold
from spanemu.base.name_hints import like_counter, like_lookup, like_period, like_status
from spanemu.lint.model import Column, Index, Part, Table
from spanemu.lint.values import Shard, are_few, is_random, order_of, shard_of
from spanemu.schema.dialect import POSTGRESQL
from spanemu.sql.inspection import columns_read, modulus


def key_of(parts: Iterable[Part]) -> str:
    """Return key parts as DDL text, including their directions."""
    return ", ".join(
        part.position.dialect.quoted(part.name) + (" DESC" if part.descending else "")
        for part in parts
    )


def _is_postgresql(source: Table | Index) -> bool:
    return source.position.dialect.database is POSTGRESQL


# ---------------------------------------------------------------------------- primary keys


def swap(table: Table) -> str:
    """Suggest a primary key that does not begin with the time."""
    if (first := _spreading(table)) is not None:
        key = table.key
        return f"PRIMARY KEY ({key_of([key[first], *key[:first], *key[first + 1 :]])})"
    random = (
        "id uuid DEFAULT gen_random_uuid() PRIMARY KEY"
        if _is_postgresql(table)
        else "Id UUID NOT NULL DEFAULT (NEW_UUID()) ... PRIMARY KEY (Id)"
    )
    sharded = f"{_new_name('ShardId', table)}, {key_of(table.key)}"
    return (
        f"a shard column computed from the key first: PRIMARY KEY ({sharded}); or, if the key need "
        f"not be unique, {random}"
    )


def _spreading(table: Table) -> int | None:
    """Return the position of a later key part whose values spread: of a shard column, if any."""
    parts = list(enumerate(table.key))[1:]
    for ordinal, part in parts:
        if shard_of(table, part.column) is not None:
            return ordinal
    for ordinal, part in parts:
        column = part.column
        if column is None or order_of(column) is not None or are_few(table, column):
            continue
        if not _seems_not_to_spread(column):
            return ordinal
    return None


def _seems_not_to_spread(column: Column) -> bool:
    """Return whether the name is that of a status, a period or a counter."""
    grows = like_period(column.spelling) or like_counter(column.spelling)
    return like_status(column.spelling) or (
        grows and column.type in ("INT64", "STRING") and not is_random(column)
    )


# ---------------------------------------------------------------------------- indexes


def drop(index: Index, note: str = "") -> str:
    """Return the statement that drops an index, with what to know before in a comment."""
    name = index.position.dialect.quoted_path(index.name)
    hints = f"FORCE_INDEX hints that name {name} fail without it: change them first"
    return f"DROP INDEX {name} -- {note}{hints}"


def spread(index: Index) -> str:
    """Suggest an index over the same columns whose new entries do not all land at one end.

    An index of a child table is interleaved in the parent, for the queries of one parent row. An
    index of a root table gets a shard column, as does a unique index, because it would be unique
    in one parent row only. An index interleaved in its own table serves no query: the table's key
    finds the row already.
    """
    parent = index.table.parent
    if parent is not None and not index.unique and _can_be_interleaved(index, parent):
        created = _create(index, key_of(_below(index, parent)), parent=parent)
        note = f"For queries of one row of {parent.name}: others need a shard column first. "
        return _replaced(index, created, note=note)
    return _sharded(index)


def _replaced(index: Index, *statements: str, note: str = "") -> str:
    """Return the script that drops an index after `statements`, which create its replacement.

    If a hint in the linted files names the index, the script depends on a change of the hint.
    """
    script = "; ".join([*statements, drop(index, note)])
    if index.is_in_hint:
        name = index.position.dialect.quoted_path(index.name)
        return f"If no FORCE_INDEX hint names {name} any more: {script}"
    return script


def _below(index: Index, parent: Table) -> list[Part]:
    """Return the key of the index inside `parent`."""
    rest = [part for part in index.key if fold(part.name) not in parent.key_names]
    return [*parent.key, *rest]


def _can_be_interleaved(index: Index, parent: Table) -> bool:
    """Return whether new entries spread over the rows of `parent`, and none gets lost.

    If the table's own key has the same order, nobody needs the index.
    """
    columns = [part.column for part in parent.key]
    if not columns or columns[0] is None or order_of(columns[0]) is not None:
        return False
    if are_few(parent, columns[0]) or like_lookup(parent.spelling):
        return False
    names = tuple(fold(part.name) for part in _below(index, parent))
    if all(one == other for one, other in zip(names, index.table.key_names, strict=False)):
        return False
    filtered = index.null_filtered or bool(index.where_not_null)
    return not filtered or all(column is not None and column.not_null for column in columns)


def _sharded(index: Index) -> str:
    """Return the statements that put a shard column first in an index."""
    table, dialect = index.table, index.position.dialect
    statements: list[str] = []
    shards: int | None = table.schema.settings.nodes
    if (shard := _known_shard(index)) is not None:
        computed = modulus(shard.column.generated or shard.column.default_tree)
        name, shards = dialect.quoted(shard.column.name), computed[0] if computed else None
    else:
        name = _new_name("ShardId", table)
        hashed = _hashed(index)
        if hashed is None:
            on = f"ON {dialect.quoted_path(table.name)}({name}, {key_of(index.key)})"
            return f"a shard column first, which the application computes: {on}"
        added = f"{name} {_shard_type(index, hashed)}"
        statements.append(f"ALTER TABLE {dialect.quoted_path(table.name)} ADD COLUMN {added}")
    statements.append(_create(index, f"{name}, {key_of(index.key)}"))
    note = f"First let queries say {_all_shards(index, name, shards)}. "
    return _replaced(index, *statements, note=note)


def _known_shard(index: Index) -> Shard | None:
    """Return a shard column of the table that keeps the index unique, if there is one.

    A hash is no shard: a query could not name all its values.
    """
    for column in index.table.columns.values():
        shard = shard_of(index.table, column)
        if shard is None or shard.signed or column.type != "INT64":
            continue
        if shard.count is None and column.generated is not None:
            continue
        read = set() if column.generated is None else columns_read(column.generated)
        if not index.unique or (read and read <= set(index.key_names)):
            return shard
    return None


def _all_shards(index: Index, name: str, shards: int | None) -> str:
    """Return the condition of a query that reads every shard."""
    if shards is None:
        return f"{name} = each of its values"
    if _is_postgresql(index):
        return f"{name} IN ({', '.join(map(str, range(min(shards, 2))))}, ..., {shards - 1})"
    return f"{name} IN UNNEST(GENERATE_ARRAY(0, {shards - 1}))"


def _shard_type(index: Index, hashed: str) -> str:
    """Return type and expression of a generated shard column."""
    shards = index.table.schema.settings.nodes
    if _is_postgresql(index):
        hashed = f"abs(mod(spanner.farm_fingerprint({hashed}), {shards}))"
        return f"bigint GENERATED ALWAYS AS ({hashed}) STORED"
    return f"INT64 AS (ABS(MOD(FARM_FINGERPRINT({hashed}), {shards}))) STORED"


def _hashed(index: Index) -> str | None:
    """Return the text that a shard column hashes; None if no column can be read.

    The table's key makes rows fall into all shards. A unique index stays unique if only its own
    columns decide the shard. A generated column cannot read a commit timestamp.
    """
    parts = index.key if index.unique else index.table.key
    columns = [part.column for part in parts if part.column is not None]
    columns = [column for column in columns if not column.allows_commit_timestamp]
    if _is_postgresql(index) and len(columns) > 1:  # No function makes a text of bytea.
        columns = [column for column in columns if column.type != "BYTES"]
    if not columns:
        return None
    texts = [_as_text(column, postgresql=_is_postgresql(index)) for column in columns]
    return texts[0] if len(texts) == 1 else f"CONCAT({', '.join(texts)})"


def _as_text(column: Column, *, postgresql: bool) -> str:
    """Return an expression for the value of a column that can be hashed and is not NULL."""
    name = column.position.dialect.quoted(column.name)
    if column.type == "STRING" or (column.type == "BYTES" and postgresql):
        text = name
    elif column.type == "BYTES":
        text = f"TO_HEX({name})"
    else:
        text = f"{name}::text" if postgresql else f"CAST({name} AS STRING)"
    return text if column.not_null else f"COALESCE({text}, '')"


def _new_name(name: str, table: Table) -> str:
    """Return `name`, in the spelling of the dialect, with a number if it names a column."""
    spelled = "shard_id" if _is_postgresql(table) else name
    return _free(spelled, table.columns)


def _free(name: str, names: Collection[str]) -> str:
    if fold(name) not in names:
        return name
    return next(free for n in count(2) if fold(free := f"{name}{n}") not in names)


def without_nulls(index: Index) -> str:
    """Return the statements that replace an index by one without the entries for NULL."""
    return _replaced(index, _create(index, key_of(index.key), null_filtered=True))


def interleaved(index: Index, parent: Table) -> str:
    """Return the statements that replace an index by one that is interleaved in `parent`."""
    return _replaced(index, _create(index, key_of(index.key), parent=parent))


def without_filter(index: Index) -> str:
    """Return the statements that replace an index by one with an entry for every row."""
    plain = replace(index, null_filtered=False, where_not_null=frozenset())
    home = index.table.schema.table(index.home) if index.home else None
    return f"{_create(plain, key_of(index.key), parent=home)}; {drop(index)}"


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

    The index has a new name. None as `null_filtered` keeps the index's NULL filtering.
    """
    create = _create_in_postgresql if _is_postgresql(index) else _create_in_googlesql
    return create(index, key, null_filtered, parent)


def _new_index(index: Index) -> str:
    dialect, schema = index.position.dialect, index.table.schema
    taken = schema.indexes.keys() | schema.tables.keys()
    return dialect.quoted_path(
        next(free for n in count(2) if fold(free := f"{index.name}{n}") not in taken)
    )


def _create_in_googlesql(
    index: Index, key: str, null_filtered: bool | None, parent: Table | None
) -> str:
    filtered = index.null_filtered if null_filtered is None else null_filtered
    kind = ("UNIQUE " if index.unique else "") + ("NULL_FILTERED " if filtered else "")
    dialect = index.position.dialect
    text = f"CREATE {kind}INDEX {_new_index(index)} ON {dialect.quoted_path(index.table.name)}"
    text += f"({key})"
    text += f" STORING ({_stored(index)})" if index.storing else ""
    text += "" if filtered else _where(index)
    return text if parent is None else f"{text}, INTERLEAVE IN {dialect.quoted_path(parent.name)}"


def _create_in_postgresql(
    index: Index, key: str, null_filtered: bool | None, parent: Table | None
) -> str:
    dialect = index.position.dialect
    name, table = _new_index(index), dialect.quoted_path(index.table.name)
    text = f"CREATE {'UNIQUE ' if index.unique else ''}INDEX {name} ON {table} ({key})"
    text += f" INCLUDE ({_stored(index)})" if index.storing else ""
    text += "" if parent is None else f" INTERLEAVE IN {dialect.quoted_path(parent.name)}"
    return text + _where(index, [*index.key_names] if null_filtered else ())


def _where(index: Index, more: Sequence[str] = ()) -> str:
    """Return the WHERE clause of an index, which also filters `more` columns, folded names."""
    names = [*dict.fromkeys([*index.where_not_null, *more])]
    columns = [column for name, column in index.table.columns.items() if name in names]
    quoted = index.position.dialect.quoted
    filters = [f"{quoted(column.name)} IS NOT NULL" for column in columns]
    return f" WHERE {' AND '.join(filters)}" if filters else ""


def _stored(index: Index) -> str:
    """Return the names of the stored columns, as SQL writes them."""
    columns = filter(None, map(index.table.column, index.storing))
    return ", ".join(index.position.dialect.quoted(column.name) for column in columns)
