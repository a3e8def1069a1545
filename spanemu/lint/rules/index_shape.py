"""SPN208 to SPN218: indexes that are redundant, misplaced, too wide or too many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from spanemu.base.identifiers import fold
from spanemu.base.name_hints import like_long_text
from spanemu.lint.model import Column, Edge, Index, Schema, Table, names_of
from spanemu.lint.rule import (
    ERROR,
    INFO,
    WARNING,
    Hit,
    Rule,
    each_index,
    each_table,
    hit_on,
    hit_on_part,
)
from spanemu.lint.rules.fixes import drop, interleaved
from spanemu.lint.rules.key_shape import KEY_BYTES_MAX, KEY_PARTS_MAX, oversize_of
from spanemu.lint.values import holds_long_values

INDEXES_PER_TABLE_MAX = 128  # quotas.md
STORED_COLUMNS_MAX = 8


def _unique_with_nulls(index: Index) -> Iterator[Hit]:
    if not index.unique:
        return
    for ordinal, part in enumerate(index.key):
        is_filtered = index.null_filtered or fold(part.name) in index.distinct_key
        if is_filtered and part.column is not None and not part.column.not_null:
            yield hit_on_part(index, ordinal)
            return


def redundant(schema: Schema) -> Iterator[Hit]:
    """Yield each index whose rows and order another index or the table has, too.

    An index that a hint in the linted files names stays.
    """
    for table in schema.tables.values():
        indexes = table.indexes
        for number, index in enumerate(indexes):
            if index.is_in_hint:
                continue
            facts: dict[str, Any] = {"drop": drop(index)}
            if _covered_by_key(index):
                # Only a scan of all rows is shorter in the index than in the table.
                scanned = len(index.key_parts) > len(table.key_parts) or bool(index.storing)
                facts["severity"] = INFO if scanned else None
                # A scan of an index that stores columns passes no large ones.
                shorter = scanned and _is_without_large_columns(index)
                yield hit_on(
                    index, other=f"the primary key of {table.name}", opt_in=shorter, **facts
                )
                continue
            for other_number, other in enumerate(indexes):
                if other is not index and _covered(index, other, later=other_number < number):
                    yield hit_on(index, other=other.name, **facts)
                    break


def _is_without_large_columns(index: Index) -> bool:
    """Return whether the table has large columns, none of which the index has."""
    has = {*index.key_names, *index.storing}
    large = {name for name, column in index.table.columns.items() if holds_long_values(column)}
    return bool(large) and large.isdisjoint(has)


def redundant_names(schema: Schema) -> frozenset[str]:
    """Return the names of the indexes that SPN209 reports by default."""
    return frozenset(hit.object for hit in redundant(schema) if not hit.opt_in)


def _covered_by_key(index: Index) -> bool:
    """Return whether the primary key serves an index: as its first parts, or as its beginning.

    A unique index on the first columns of the key is a constraint. An index that begins with the
    whole key finds a single row, as the key does.
    """
    mine, key = index.directions, index.table.directions
    if not key or index.omits_rows or not _is_at_home(index):
        return False
    length = min(len(mine), len(key))
    return mine[:length] == key[:length] and not (index.unique and len(mine) < len(key))


def _is_at_home(index: Index) -> bool:
    """Return whether the entries lie with rows of the table's own hierarchy, or by themselves."""
    if index.interleave is None:
        return True
    home = index.table.schema.table(str(index.interleave.table))
    return home is index.table or any(home is each for each in index.table.ancestors)


def _covered(index: Index, other: Index, *, later: bool) -> bool:
    """Return whether `other` makes `index` redundant; of equal indexes, only the later is."""
    return _serves(other, index) and (later or not _serves(index, other))


def _serves(other: Index, index: Index) -> bool:
    """Return whether `other` has the order, entries, columns and constraint of `index`."""
    return serves_but_for_columns(other, index) and not not_stored(index, other)


def serves_but_for_columns(other: Index, index: Index) -> bool:
    """Return whether `other` has the order, entries and constraint of `index`."""
    mine, theirs = index.directions, other.directions
    if mine != theirs[: len(mine)] or index.filter != other.filter or index.home != other.home:
        return False
    whole = len(mine) == len(theirs)
    return (whole or not index.null_filtered) and (not index.unique or (whole and other.unique))


def not_stored(index: Index, other: Index) -> list[str]:
    """Return the names of the columns that `index` stores and `other` does not have."""
    carried = {*other.storing, *other.key_names, *index.table.key_names}
    columns = (index.table.column(name) for name in index.storing if name not in carried)
    return [column.name for column in columns if column is not None]


def _could_interleave(index: Index) -> Iterator[Hit]:
    """Yield indexes that begin with an ancestor's key; SPN209 reports the table's own key."""
    if not index.is_root:
        return
    for home in index.table.ancestors:
        length = len(home.key_parts)
        if 0 < length < len(index.key_parts) and index.directions[:length] == home.directions:
            yield hit_on_part(index, parent=home.name, interleaved=interleaved(index, home))
            return


def _foreign_home(index: Index) -> Iterator[Hit]:
    if index.interleave is None:
        return
    home = index.table.schema.table(str(index.interleave.table))
    if home is None or home is index.table or home in index.table.ancestors:
        return
    if not any(_begins_with_end(index, edge) for edge in index.table.edges):
        yield hit_on(index, parent=home.name, table=index.table.name)


def _begins_with_end(index: Index, edge: Edge) -> bool:
    """Return whether an index finds edges by one of their ends, as reverse traversals do."""
    ends = (edge.source, edge.destination)
    columns = (names_of(end.columns) for end in ends)
    return any(index.key_names[: len(names)] == names for names in columns)


def _stored(schema: Schema) -> Iterator[Hit]:
    """Yield indexes of every kind that store wide columns."""
    for index in schema.indexes.values():
        yield from _wide_storing(index)


def _wide_storing(index: Index) -> Iterator[Hit]:
    stored = [column for name in index.storing if (column := index.table.columns.get(name))]
    embedding = index.key_parts[0][0] if index.vector else ""
    unbounded = [
        column
        for column in stored
        if column.length == "MAX"
        or column.type in ("JSON", "ARRAY")
        or fold(column.name) == fold(embedding)
    ]
    facts = {"use": "that searches filter by" if index.vector else "that frequent queries need"}
    if unbounded:
        names = ", ".join(column.name for column in unbounded)
        weak = not any(holds_long_values(column) or _is_vector(column) for column in unbounded)
        yield hit_on(index, unbounded[0].name, what=f"{names} of any length", opt_in=weak, **facts)
    elif len(index.storing) > STORED_COLUMNS_MAX:
        yield hit_on(index, what=f"{len(index.storing)} columns", opt_in=True, **facts)


def _is_vector(column: Column) -> bool:
    """Return whether a column holds embeddings: an array of floating-point numbers."""
    element = column.definition.type.element
    return element is not None and str(element.path).upper() in ("FLOAT32", "FLOAT64")


def _too_many(table: Table) -> Iterator[Hit]:
    count = sum(index.is_root for index in table.indexes)
    limit = table.schema.settings.indexes_max
    if limit < count <= INDEXES_PER_TABLE_MAX:
        yield hit_on(table, count=count)


def _beside_foreign_key(schema: Schema) -> Iterator[Hit]:
    managed = _managed_indexes(schema)
    for index in schema.indexes.values():
        table = index.table
        described, is_unique = managed.get((fold(table.name), index.key_names), ("", False))
        if not described or (index.unique and not is_unique):
            continue
        in_key_order = index.key_names == table.key_names[: len(index.key_names)]
        alike = index.is_root and not index.storing and not index.is_in_hint
        if alike and not in_key_order and _has_managed_entries(index):
            note = _weakness(index)
            facts = {"foreign_key": described, "drop": drop(index, note)}
            yield hit_on(index, opt_in=bool(note), **facts)


def _weakness(index: Index) -> str:
    """Return what an index has that the managed index lacks; "" if there is nothing."""
    if index.unique:
        return "Uniqueness then ends with the foreign key. "
    if any(part.descending for part in index.key):
        return "If no query sorts by it in descending order. "
    return ""


def _managed_indexes(schema: Schema) -> dict[tuple[str, tuple[str, ...]], tuple[str, bool]]:
    """Return the foreign key and the uniqueness of each managed index, by table and columns."""
    managed: dict[tuple[str, tuple[str, ...]], tuple[str, bool]] = {}
    for table in schema.tables.values():
        for key, _ in table.foreign_keys:
            described = f"{table.name}({', '.join(each.name for each in key.columns)})"
            if key.enforced:
                managed.setdefault((fold(table.name), names_of(key.columns)), (described, False))
            target = schema.table(str(key.referenced_table))
            if target is not None and target.referenced_by(key) != target.key_names:
                names = target.referenced_by(key)
                managed[fold(target.name), names] = described, True
    return managed


def _has_managed_entries(index: Index) -> bool:
    """Return whether a managed index has all entries of `index`.

    A managed index is NULL_FILTERED, so only an index without entries for NULL has no more.
    """
    nullable = {name for name in index.key_names if not _is_not_null(index.table, name)}
    return index.null_filtered or nullable <= index.where_not_null | index.distinct_key


def _is_not_null(table: Table, name: str) -> bool:
    column = table.column(name)
    return column is not None and column.not_null


def _quota(index: Index) -> Iterator[Hit]:
    parts = index.full_key
    if len(parts) > KEY_PARTS_MAX:
        reason = (
            f"its key has {len(parts)} parts with the table's key, the limit is {KEY_PARTS_MAX}"
        )
        yield hit_on(index, shorter="Fewer key columns", reason=reason, exceeds=_EXCEEDS)
    own = [part for part in index.key if fold(part.name) not in index.table.key_names]
    unbounded = [part.column for part in own if part.column and part.column.length == "MAX"]
    if unbounded:  # SPN121 reports the table's own key.
        long = [column for column in unbounded if like_long_text(column.spelling)]
        column = (long or unbounded)[0]
        reason = f"{column.name} has no length, and a row whose key exceeds 8 KiB is refused"
        shorter = _SHORTER_UNIQUE if index.unique else _SHORTER
        facts = {"reason": reason, "shorter": shorter, "exceeds": _MAY_EXCEED}
        yield hit_on(index, column.name, severity=INFO, opt_in=not long, **facts)
    if (oversize := oversize_of(parts)) is not None:
        size, rare = oversize
        reason = f"its key may take {size} bytes, the limit is {KEY_BYTES_MAX}"
        facts = {
            "reason": reason,
            "shorter": "Fewer or shorter key columns",
            "exceeds": _MAY_EXCEED,
        }
        yield hit_on(index, severity=WARNING, opt_in=rare, **facts)


def _quotas(schema: Schema) -> Iterator[Hit]:
    dropped = redundant_names(schema)  # SPN209 says to drop them.
    for hit in each_index(_quota)(schema):
        yield replace(hit, opt_in=True) if hit.object in dropped else hit
    for table in schema.tables.values():
        if len(table.indexes) > INDEXES_PER_TABLE_MAX:
            reason = (
                f"it has {len(table.indexes)} indexes where {INDEXES_PER_TABLE_MAX} are allowed"
            )
            yield hit_on(table, reason=reason, shorter="Fewer indexes", exceeds=_EXCEEDS)


_EXCEEDS, _MAY_EXCEED = "exceeds", "may exceed"
_SHORTER = (
    "A length, or an index on a generated column with the beginning of the text; a search index "
    "for words in the text"
)
_SHORTER_UNIQUE = "A length, or a unique index on a generated column with a hash of the text"

_USERS = (
    "CREATE TABLE Users (Id INT64 NOT NULL, Email STRING(64), Name STRING(64), Photo BYTES(MAX)"
)
_SINGERS = (
    "CREATE TABLE Singers (SingerId INT64 NOT NULL) PRIMARY KEY (SingerId);\n"
    "CREATE TABLE Albums (SingerId INT64 NOT NULL, AlbumId INT64 NOT NULL, Title STRING(64)) "
    "PRIMARY KEY (SingerId, AlbumId), INTERLEAVE IN PARENT Singers;\n"
)
_MANY = (
    "CREATE TABLE T (Id INT64 NOT NULL, "
    + ", ".join(f"{c} INT64" for c in "ABCDEFGHI")
    + ") PRIMARY KEY (Id);\n"
)

RULES = (
    Rule(
        "SPN208", INFO, "D", "Unique index that ignores rows with NULL",
        "A row whose key has a NULL has no entry in a NULL_FILTERED index, so nothing enforces "
        "its uniqueness.",
        "{column} ... NOT NULL, if every row must be unique. A UNIQUE index that keeps NULLs "
        "allows a single row with NULL",
        "{object} is UNIQUE and NULL_FILTERED: rows with NULL in {column} need not be unique.",
        bad=f"{_USERS}) PRIMARY KEY (Id);\n"
        "CREATE UNIQUE NULL_FILTERED INDEX ByEmail ON Users(Email)",
        good="CREATE TABLE Users (Id INT64 NOT NULL, Email STRING(64) NOT NULL) PRIMARY KEY (Id);\n"
        "CREATE UNIQUE INDEX ByEmail ON Users(Email)",
        opt_in=True, check=each_index(_unique_with_nulls),
    ),
    Rule(
        "SPN209", WARNING, "D", "Redundant index",
        "Another index, or the table itself, has the same order and all columns of the index. Each "
        "index is one more participant of every write. The primary key also serves an index that "
        "begins with the whole key, interleaved in its table or not.",
        "{drop}",
        "{object} serves no query that {other} does not serve.",
        bad=f"{_USERS}) PRIMARY KEY (Id);\nCREATE INDEX ByName ON Users(Name);\n"
        "CREATE INDEX ByNameEmail ON Users(Name, Email)",
        good=f"{_USERS}) PRIMARY KEY (Id);\nCREATE INDEX ByEmail ON Users(Email);\n"
        "CREATE INDEX ByNameEmail ON Users(Name, Email)",
        check=redundant,
    ),
    Rule(
        "SPN210", INFO, "D", "Index that could be interleaved",
        "The index begins with the key of a parent table. Interleaved in the parent, the entries "
        "are stored beside the rows, and a write stays in a single split.",
        "{interleaved}",
        "{object} begins with the whole key of {parent}, but is not interleaved in it.",
        bad=f"{_SINGERS}CREATE INDEX ByTitle ON Albums(SingerId, Title)",
        good=f"{_SINGERS}CREATE INDEX ByTitle ON Albums(SingerId, Title), INTERLEAVE IN Singers",
        opt_in=True, check=each_index(_could_interleave),
    ),
    Rule(
        "SPN211", INFO, "D", "Index interleaved in a table that is no ancestor",
        "The entries are stored with rows of another hierarchy, so a write to the table involves "
        "several splits. Use this only for the reverse edges of graphs.",
        "INTERLEAVE IN an ancestor of {table}, or no interleaving",
        "{object} is interleaved in {parent}, which is not an ancestor of {table}.",
        bad="CREATE TABLE People (PersonId INT64 NOT NULL) PRIMARY KEY (PersonId);\n"
        "CREATE TABLE Likes (LikeId INT64 NOT NULL, PersonId INT64 NOT NULL) PRIMARY KEY "
        "(LikeId);\n"
        "CREATE INDEX ByPerson ON Likes(PersonId, LikeId), INTERLEAVE IN People",
        good=f"{_SINGERS}CREATE INDEX ByTitle ON Albums(SingerId, Title), INTERLEAVE IN Singers",
        check=each_index(_foreign_home),
    ),
    Rule(
        "SPN212", WARNING, "DL", "Index stores wide columns",
        "The index has copies of stored columns: every update of such a column also rewrites the "
        "index entry. A search or vector index stores columns likewise, and reads them with each "
        "of the entries that a search compares.",
        "Store only columns {use}",
        "{object} stores {what}.",
        bad=f"{_USERS}) PRIMARY KEY (Id);\nCREATE INDEX ByName ON Users(Name) STORING (Photo)",
        good=f"{_USERS}) PRIMARY KEY (Id);\nCREATE INDEX ByName ON Users(Name) STORING (Email)",
        check=_stored,
    ),
    Rule(
        "SPN214", WARNING, "D", "Many indexes on one table",
        "Each index adds a participant and mutations to every insert.",
        "Drop the indexes that no query uses and no FORCE_INDEX hint names",
        "{object} has {count} secondary indexes that are not interleaved.",
        bad=_MANY + ";\n".join(f"CREATE INDEX By{c} ON T({c})" for c in "ABCDEFGHI"),
        good=_MANY + ";\n".join(f"CREATE INDEX By{c} ON T({c})" for c in "ABCDEFGH"),
        rate=True, check=each_table(_too_many),
    ),
    Rule(
        "SPN216", WARNING, "D", "Index that repeats the index of a foreign key",
        "An enforced foreign key has a managed index on the same columns, and never uses this "
        "index. Queries can use the managed index, which INFORMATION_SCHEMA.INDEXES names. It has "
        "no entries for NULL, so an index of nullable columns serves IS NULL and stays.",
        "{drop}",
        "{object} repeats the managed index of the foreign key {foreign_key}.",
        bad="CREATE TABLE Customers (Id INT64 NOT NULL) PRIMARY KEY (Id);\n"
        "CREATE TABLE Orders (OrderId INT64 NOT NULL, CustomerId INT64 NOT NULL, "
        "FOREIGN KEY (CustomerId) REFERENCES Customers (Id)) PRIMARY KEY (OrderId);\n"
        "CREATE INDEX ByCustomer ON Orders(CustomerId)",
        good="CREATE TABLE Customers (Id INT64 NOT NULL) PRIMARY KEY (Id);\n"
        "CREATE TABLE Orders (OrderId INT64 NOT NULL, CustomerId INT64, "
        "FOREIGN KEY (CustomerId) REFERENCES Customers (Id)) PRIMARY KEY (OrderId);\n"
        "CREATE INDEX ByCustomer ON Orders(CustomerId)",
        check=_beside_foreign_key,
    ),
    Rule(
        "SPN218", ERROR, "D", "Index beyond a limit",
        "An index key has at most 16 parts and 8 KiB, the table's key included. A table has at "
        "most 128 indexes. A text without a length may be longer.",
        "{shorter}",
        "{object} {exceeds} a limit: {reason}.",
        bad=f"CREATE TABLE T (Id INT64 NOT NULL, {', '.join(f'C{n} INT64' for n in range(16))}) "
        f"PRIMARY KEY (Id);\nCREATE INDEX Wide ON T({', '.join(f'C{n}' for n in range(16))})",
        good=f"CREATE TABLE T (Id INT64 NOT NULL, {', '.join(f'C{n} INT64' for n in range(16))}) "
        f"PRIMARY KEY (Id);\nCREATE INDEX Wide ON T({', '.join(f'C{n}' for n in range(15))})",
        check=_quotas,
    ),
)  # fmt: skip
