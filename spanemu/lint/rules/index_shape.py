"""SPN208 to SPN218: indexes that are redundant, misplaced, too wide or too many."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.identifiers import fold
from spanemu.lint.model import Edge, Index, Schema, Table
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


def _directions(source: Table | Index) -> tuple[tuple[str, bool], ...]:
    return tuple((fold(name), descending) for name, descending, _ in source.key_parts)


def _redundant(schema: Schema) -> Iterator[Hit]:
    for table in schema.tables.values():
        indexes = table.indexes
        for number, index in enumerate(indexes):
            if _covered_by_key(index):
                yield hit_on(index, other=f"the primary key of {table.name}")
                continue
            for other_number, other in enumerate(indexes):
                if other is not index and _covered(index, other, later=other_number < number):
                    yield hit_on(index, other=other.name)
                    break


def _covered_by_key(index: Index) -> bool:
    mine, key = _directions(index), _directions(index.table)
    if index.null_filtered or index.where_not_null or index.interleave is not None:
        return False
    return mine == key or (mine == key[: len(mine)] and not index.unique)


def _covered(index: Index, other: Index, *, later: bool) -> bool:
    """Return whether `other` makes `index` redundant; of equal indexes, only the later is."""
    mine, theirs = _directions(index), _directions(other)
    if mine != theirs[: len(mine)] or (mine == theirs and not later):
        return False
    filtered_alike = _filter(index) == _filter(other) and (
        not index.null_filtered or len(mine) == len(theirs)
    )
    carried = {*other.storing, *other.key_names, *index.table.key_names}
    unique_kept = not index.unique or (mine == theirs and other.unique)
    return (
        filtered_alike
        and unique_kept
        and set(index.storing) <= carried
        and _interleaved_alike(index, other)
    )


def _filter(index: Index) -> tuple[bool, frozenset[str], frozenset[str]]:
    return index.null_filtered, index.where_not_null, index.distinct_key


def _interleaved_alike(index: Index, other: Index) -> bool:
    first, second = (i.interleave and fold(str(i.interleave.table)) for i in (index, other))
    return first == second


def _could_interleave(index: Index) -> Iterator[Hit]:
    if not index.is_root:
        return
    for home in (index.table, *index.table.ancestors):
        length = len(home.key_parts)
        if 0 < length < len(index.key_parts) and _directions(index)[:length] == _directions(home):
            yield hit_on_part(index, parent=home.name)
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
    columns = (tuple(fold(each.name) for each in end.columns) for end in ends)
    return any(index.key_names[: len(names)] == names for names in columns)


def _wide_storing(index: Index) -> Iterator[Hit]:
    stored = [column for name in index.storing if (column := index.table.columns.get(name))]
    unbounded = [c for c in stored if c.length == "MAX" or c.type in ("JSON", "ARRAY")]
    if unbounded:
        names = ", ".join(column.name for column in unbounded)
        weak = not any(holds_long_values(column) for column in unbounded)
        yield hit_on(index, unbounded[0].name, what=f"{names} of any length", opt_in=weak)
    elif len(index.storing) > STORED_COLUMNS_MAX:
        yield hit_on(index, what=f"{len(index.storing)} columns", opt_in=True)


def _too_many(table: Table) -> Iterator[Hit]:
    count = sum(index.is_root for index in table.indexes)
    limit = table.schema.settings.indexes_max
    if limit < count <= INDEXES_PER_TABLE_MAX:
        yield hit_on(table, count=count)


def _beside_foreign_key(schema: Schema) -> Iterator[Hit]:
    managed: dict[tuple[str, tuple[str, ...]], tuple[str, bool]] = {}
    for table in schema.tables.values():
        for key, _ in table.foreign_keys:
            if not key.enforced:
                continue
            described = f"{table.name}({', '.join(each.name for each in key.columns)})"
            mine = tuple(fold(each.name) for each in key.columns)
            theirs = tuple(fold(each.name) for each in key.referenced_columns)
            managed[fold(table.name), mine] = described, False
            managed[fold(str(key.referenced_table)), theirs] = described, True
    for index in schema.indexes.values():
        table = index.table
        described, is_unique = managed.get((fold(table.name), index.key_names), ("", False))
        if not described or (index.unique and not is_unique):
            continue
        in_key_order = index.key_names == table.key_names[: len(index.key_names)]
        if not in_key_order and index.is_root and not index.storing:
            yield hit_on(index, foreign_key=described)


def _quota(index: Index) -> Iterator[Hit]:
    parts = index.full_key
    if len(parts) > KEY_PARTS_MAX:
        yield hit_on(index, reason=f"its key has {len(parts)} parts with the table's key, the "
                 f"limit is {KEY_PARTS_MAX}")  # fmt: skip
    if (oversize := oversize_of(parts)) is not None:
        size, rare = oversize
        reason = f"its key may take {size} bytes, the limit is {KEY_BYTES_MAX}"
        yield hit_on(index, reason=reason, severity=WARNING, opt_in=rare)


def _quotas(schema: Schema) -> Iterator[Hit]:
    yield from each_index(_quota)(schema)
    for table in schema.tables.values():
        if len(table.indexes) > INDEXES_PER_TABLE_MAX:
            reason = (
                f"it has {len(table.indexes)} indexes where {INDEXES_PER_TABLE_MAX} are allowed"
            )
            yield hit_on(table, reason=reason)


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
        "index is one more participant of every write.",
        "DROP INDEX {object}",
        "{object} serves no query that {other} does not serve.",
        bad=f"{_USERS}) PRIMARY KEY (Id);\nCREATE INDEX ByName ON Users(Name);\n"
        "CREATE INDEX ByNameEmail ON Users(Name, Email)",
        good=f"{_USERS}) PRIMARY KEY (Id);\nCREATE INDEX ByEmail ON Users(Email);\n"
        "CREATE INDEX ByNameEmail ON Users(Name, Email)",
        check=_redundant,
    ),
    Rule(
        "SPN210", INFO, "D", "Index that could be interleaved",
        "The index begins with the key of a parent table. Interleaved in the parent, the entries "
        "are stored beside the rows, and a write stays in a single split.",
        "add: , INTERLEAVE IN {parent}",
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
        "index entry.",
        "Store only what frequent queries need",
        "{object} stores {what}.",
        bad=f"{_USERS}) PRIMARY KEY (Id);\nCREATE INDEX ByName ON Users(Name) STORING (Photo)",
        good=f"{_USERS}) PRIMARY KEY (Id);\nCREATE INDEX ByName ON Users(Name) STORING (Email)",
        check=each_index(_wide_storing),
    ),
    Rule(
        "SPN214", WARNING, "D", "Many indexes on one table",
        "Each index adds a participant and mutations to every insert.",
        "Drop the indexes that no query uses",
        "{object} has {count} secondary indexes that are not interleaved.",
        bad=_MANY + ";\n".join(f"CREATE INDEX By{c} ON T({c})" for c in "ABCDEFGHI"),
        good=_MANY + ";\n".join(f"CREATE INDEX By{c} ON T({c})" for c in "ABCDEFGH"),
        rate=True, check=each_table(_too_many),
    ),
    Rule(
        "SPN216", WARNING, "D", "Index that repeats the index of a foreign key",
        "An enforced foreign key has a managed index on the same columns, and never uses this "
        "index. Queries can use the managed index by its name.",
        "DROP INDEX {object}, or FOREIGN KEY ... NOT ENFORCED",
        "{object} repeats the managed index of the foreign key {foreign_key}.",
        bad="CREATE TABLE Customers (Id INT64 NOT NULL) PRIMARY KEY (Id);\n"
        "CREATE TABLE Orders (OrderId INT64 NOT NULL, CustomerId INT64, "
        "FOREIGN KEY (CustomerId) REFERENCES Customers (Id)) PRIMARY KEY (OrderId);\n"
        "CREATE INDEX ByCustomer ON Orders(CustomerId)",
        good="CREATE TABLE Customers (Id INT64 NOT NULL) PRIMARY KEY (Id);\n"
        "CREATE TABLE Orders (OrderId INT64 NOT NULL, CustomerId INT64, "
        "FOREIGN KEY (CustomerId) REFERENCES Customers (Id) NOT ENFORCED) PRIMARY KEY (OrderId);\n"
        "CREATE INDEX ByCustomer ON Orders(CustomerId)",
        check=_beside_foreign_key,
    ),
    Rule(
        "SPN218", ERROR, "D", "Index beyond a limit",
        "An index key has at most 16 parts and 8 KiB, the table's key included. A table has at "
        "most 128 indexes.",
        "Fewer or shorter key columns",
        "{object} exceeds a limit: {reason}.",
        bad=f"CREATE TABLE T (Id INT64, {', '.join(f'C{n} INT64' for n in range(16))}) "
        f"PRIMARY KEY (Id);\nCREATE INDEX Wide ON T({', '.join(f'C{n}' for n in range(16))})",
        good=f"CREATE TABLE T (Id INT64, {', '.join(f'C{n} INT64' for n in range(16))}) "
        f"PRIMARY KEY (Id);\nCREATE INDEX Wide ON T({', '.join(f'C{n}' for n in range(15))})",
        check=_quotas,
    ),
)  # fmt: skip
