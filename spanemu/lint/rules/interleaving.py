"""SPN301 to SPN311: hierarchies of interleaved tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from spanemu.base.identifiers import fold
from spanemu.base.name_hints import like_lookup, like_migrations
from spanemu.lint.model import Part, Table, names_of
from spanemu.lint.rule import ERROR, INFO, WARNING, Hit, Rule, each_table, hit_on, hit_on_part
from spanemu.lint.values import cardinality_of, growing_part, is_enum, large_column, order_of
from spanemu.sql.ddl_ast import ForeignKeyDefinition, OnDelete

MUTATIONS_MAX = 80_000  # quotas.md: mutations of a commit, index entries included
ENFORCED_PARENTS_MAX = 2  # levels of IN PARENT before SPN311


def _depth(table: Table) -> Iterator[Hit]:
    depth, settings = sum(1 for _ in table.ancestors), table.schema.settings
    if depth >= settings.depth_warning and not table.children:
        severity = ERROR if depth > settings.depth_max else None
        yield hit_on(table, depth=depth, severity=severity)


def _is_deleted(table: Table) -> bool:
    """Return whether a row deletion policy deletes old rows."""
    return bool(table.policies) or any(ancestor.policies for ancestor in table.ancestors)


def _unbounded_child(table: Table) -> Iterator[Hit]:
    large, parent = large_column(table), table.parent
    part, by_name = growing_part(table, table.own_key)
    if large and part and parent and not _is_deleted(table):
        ordinal = table.key.index(part)
        facts = {"parent": parent.name, "large": large.name}
        yield hit_on_part(table, ordinal, opt_in=by_name, **facts)


def _few_roots(table: Table) -> Iterator[Hit]:
    *_, root = table.ancestors or (table,) if table.parent else (table,)
    if root is table or table.parent is not root or not root.key_parts:
        return
    column = root.key[0].column
    count = None if column is None else cardinality_of(root, column)
    few = count is not None and count <= table.schema.settings.cardinality_low_max
    if few or (column is not None and is_enum(column)) or _is_lookup(root, table):
        yield hit_on(table, root=root.name)


def _is_lookup(root: Table, child: Table) -> bool:
    """Return whether `root` is named like a lookup table and `child` is not."""
    return (
        len(root.key_parts) == 1 and like_lookup(root.spelling) and not like_lookup(child.spelling)
    )


def _names(key: ForeignKeyDefinition) -> tuple[str, ...]:
    return names_of(key.columns)


def _refers_to_key(table: Table, key: ForeignKeyDefinition) -> Table | None:
    """Return the table whose whole primary key, in order, a foreign key refers to; else None."""
    target = table.schema.table(str(key.referenced_table))
    if target is None or target is table or not target.key_names:
        return None
    return target if target.referenced_by(key) == target.key_names else None


def _could_interleave(table: Table) -> Iterator[Hit]:
    if table.interleave is not None:
        return
    if like_migrations(table.spelling):
        return  # A tool creates the table.
    for key, position in table.foreign_keys:
        target = _refers_to_key(table, key)
        names = _names(key)
        if target is None or not set(names) < set(table.key_names) or like_lookup(target.spelling):
            continue
        first = table.key_names[: len(names)] == names
        how = "" if first else " once those columns come first"
        if names != target.key_names:
            how += f" with its columns named as in {target.name}"
        cascade = " ON DELETE CASCADE" if key.on_delete is OnDelete.CASCADE else ""
        facts = {"parent": target.name, "how": how, "cascade": cascade}
        weak = table.is_deployed or not first
        yield Hit(position, table.name, key.columns[0].name, facts=facts, opt_in=weak)


def _twice(table: Table) -> Iterator[Hit]:
    parent = table.parent
    if parent is None or table.interleave is None or not table.interleave.in_parent:
        return
    for key, position in table.foreign_keys:
        if _refers_to_key(table, key) is parent and _names(key) == parent.key_names:
            facts = {"parent": parent.name, "without_key": _without_key(table, key)}
            yield Hit(position, table.name, key.columns[0].name, facts=facts)


def _without_key(table: Table, key: ForeignKeyDefinition) -> str:
    """Return the statements that drop a foreign key whose work the interleaving does.

    The interleaving deletes the rows with their parent row if the foreign key did so.
    """
    dialect, clause = table.position.dialect, table.interleave
    alter = f"ALTER TABLE {dialect.quoted_path(table.name)}"
    cascade = key.on_delete is OnDelete.CASCADE and clause is not None
    kept = f"{alter} SET ON DELETE CASCADE" if cascade and not cascades(table) else ""
    if key.name is None:
        dropped = "drop the foreign key, which INFORMATION_SCHEMA.TABLE_CONSTRAINTS names"
        return f"first {kept}, then {dropped}" if kept else dropped.capitalize()
    dropped = f"{alter} DROP CONSTRAINT {dialect.quoted(key.name.name)}"
    return f"{kept}; {dropped}" if kept else dropped


def _prefix(table: Table) -> Iterator[Hit]:
    parent = table.parent
    if parent is None:
        return
    for parent_part, part in zip_longest(parent.key, table.key[: len(parent.key_parts)]):
        reason = _difference(parent_part, part)
        if reason:
            facts = {"parent": parent.name, "reason": reason}
            position = table.position if part is None else part.position
            yield Hit(position, table.name, parent_part.name, facts=facts)
            return


def _difference(parent_part: Part, part: Part | None) -> str:
    """Return how a key part of a child differs from the parent's key part; "" if it does not."""
    if part is None or fold(part.name) != fold(parent_part.name):
        return f"{parent_part.name} is missing at its position"
    if part.descending != parent_part.descending:
        return f"{part.name} has another order"
    column, parent_column = part.column, parent_part.column
    if column is None or parent_column is None:
        return ""
    if (column.type, column.length) != (parent_column.type, parent_column.length):
        return f"{part.name} has another type"
    if column.not_null != parent_column.not_null:
        return f"{part.name} is nullable in only one of the tables"
    if column.allows_commit_timestamp != parent_column.allows_commit_timestamp:
        return f"{part.name} allows commit timestamps in only one of the tables"
    return ""


def cascades(table: Table) -> bool:
    """Return whether a row is deleted with its parent row."""
    clause = table.interleave
    return clause is not None and clause.in_parent and clause.on_delete is OnDelete.CASCADE


def _big_cascade(table: Table) -> Iterator[Hit]:
    """Yield tables whose rows are deleted with a row of another table, index entries included.

    A range of interleaved rows counts as one mutation, rows of a foreign key count one by one.
    """
    roots = global_indexes(table)
    own = [index for index in table.indexes if index.is_root]
    if cascades(table) and table.parent is not None and roots:
        part, by_name = growing_part(table, table.own_key)
        if part is not None:
            severity = INFO if by_name or not own else None
            facts = _mutations(table, table.parent.name, len(roots))
            yield hit_on(table, severity=severity, **facts)
    for key, position in table.foreign_keys:
        if key.on_delete is not OnDelete.CASCADE or refers_once(table, key):
            continue
        names = _names(key)
        is_prefix = table.key_names[: len(names)] == names
        part, by_name = growing_part(table, table.key[len(names) :] if is_prefix else table.key)
        grows = is_prefix and part is not None and not by_name
        if own or part is not None:
            facts = _mutations(table, str(key.referenced_table), 1 + len(roots))
            severity = None if grows and own else INFO
            column = key.columns[0].name
            weak = not own or (part is None and _is_counted(table, names))
            yield Hit(position, table.name, column, severity, facts, opt_in=weak)


def _is_counted(table: Table, names: tuple[str, ...]) -> bool:
    """Return whether one row of a table has `names` and certain other references.

    A row that they refer to has then one row of the table for each row elsewhere. These do not
    accumulate, unless an index sorts them by time.
    """
    sorted_by = (order_of(part.column) for index in table.indexes for part in index.key)
    if any(sorted_by):
        return False
    unique = ({*index.key_names} for index in table.indexes if index.unique)
    keys = [{*table.key_names}, *unique]
    return any({*names} <= key <= table.referring_columns for key in keys)


def _mutations(table: Table, parent: str, count: int) -> dict[str, Any]:
    """Return the facts of rows of a table that take `count` mutations each to delete."""
    indexes = [name for name, _ in global_indexes(table)]
    entries = f" and their entries in {', '.join(indexes)}" if indexes else ""
    return {"parent": parent, "entries": entries, "rows": MUTATIONS_MAX // count}


def global_indexes(table: Table) -> list[tuple[str, tuple[str, ...]]]:
    """Return name and columns of the indexes that are not interleaved with a table.

    Managed indexes of foreign keys count like others.
    """
    own = [(index.name, index.key_names) for index in table.indexes if index.is_root]
    managed = {
        _names(key): f"the index of the foreign key to {key.referenced_table}"
        for key in table.enforced_keys
    }
    return [*own, *((name, columns) for columns, name in managed.items())]


def refers_once(table: Table, key: ForeignKeyDefinition) -> bool:
    """Return whether at most one row of a table refers to a row: the columns are unique."""
    names = set(_names(key))
    unique = [set(index.key_names) for index in table.indexes if index.unique]
    return any(columns and columns <= names for columns in [set(table.key_names), *unique])


def _rarely_read(table: Table) -> Iterator[Hit]:
    if not table.children and table.parent is None:
        return
    for column in table.columns.values():
        large = (column.type == "BYTES" and column.length == "MAX") or column.type == "JSON"
        if large and "locality_group" not in column.options:
            yield Hit(column.position, table.name, column.name, facts={"type": column.type})


def _load_order(table: Table) -> Iterator[Hit]:
    enforced = [
        level
        for level in (table, *table.ancestors)
        if level.interleave and level.interleave.in_parent
    ]
    if len(enforced) > ENFORCED_PARENTS_MAX and not table.children:
        yield hit_on(table, count=len(enforced), parent=str(enforced[0].interleave.table))  # type: ignore[union-attr]


def _chain(length: int) -> str:
    """Return the DDL of a hierarchy that is `length` levels deep below its root."""
    statements = []
    for level in range(length + 1):
        columns = ", ".join(f"K{n} INT64 NOT NULL" for n in range(level + 1))
        key = ", ".join(f"K{n}" for n in range(level + 1))
        tail = f", INTERLEAVE IN PARENT T{level - 1}" if level else ""
        statements.append(f"CREATE TABLE T{level} ({columns}) PRIMARY KEY ({key}){tail}")
    return ";\n".join(statements)


_SINGERS = "CREATE TABLE Singers (SingerId INT64 NOT NULL) PRIMARY KEY (SingerId);\n"
_PLAYS = (
    "CREATE TABLE Plays (SingerId INT64 NOT NULL, Ts TIMESTAMP NOT NULL, Raw STRING(MAX)) "
    "PRIMARY KEY (SingerId, Ts), INTERLEAVE IN PARENT Singers"
)
_ALBUMS = "CREATE TABLE Albums (SingerId INT64 NOT NULL, AlbumId INT64 NOT NULL"

RULES = (
    Rule(
        "SPN301", WARNING, "D", "Deep hierarchy",
        "Spanner allows seven levels below the root. Every level repeats the keys of its "
        "ancestors.",
        "Flatten the hierarchy: make deep tables root tables with a foreign key",
        "{object} lies {depth} levels below its root.",
        bad=_chain(5), good=_chain(4), check=each_table(_depth),
    ),
    Rule(
        "SPN302", WARNING, "D", "Unbounded child rows",
        "A root row and all rows below it are stored together and limited in size. Large rows "
        "that accumulate under a parent row exceed the limit.",
        "A root table with the same key, a bucket column between {parent} and {column}, or, if old "
        "rows may go, a row deletion policy on {object}",
        "{object} accumulates rows by {column} under each row of {parent}, {large} may be large, "
        "and nothing deletes the rows.",
        bad=_SINGERS + _PLAYS,
        good=_SINGERS + _PLAYS + ", ROW DELETION POLICY (OLDER_THAN(Ts, INTERVAL 30 DAY))",
        check=each_table(_unbounded_child),
    ),
    Rule(
        "SPN305", WARNING, "D", "Interleaved in a table of few rows",
        "A root row and its interleaved rows can share a split, so few root rows mean few splits.",
        "A foreign key to {root} instead of INTERLEAVE, with the same ON DELETE",
        "{object} is interleaved in {root}, which has few rows.",
        bad="CREATE TABLE Countries (Country STRING(2) NOT NULL) PRIMARY KEY (Country);\n"
        "CREATE TABLE Orders (Country STRING(2) NOT NULL, OrderId STRING(64) NOT NULL) "
        "PRIMARY KEY (Country, OrderId), INTERLEAVE IN PARENT Countries",
        good="CREATE TABLE Customers (Customer STRING(64) NOT NULL) PRIMARY KEY (Customer);\n"
        "CREATE TABLE Orders (Customer STRING(64) NOT NULL, OrderId STRING(64) NOT NULL) "
        "PRIMARY KEY (Customer, OrderId), INTERLEAVE IN PARENT Customers",
        rate=True, check=each_table(_few_roots),
    ),
    Rule(
        "SPN306", INFO, "D", "Table that could be interleaved",
        "The key contains the whole key of the referenced table. If the table is interleaved, "
        "Spanner reads and writes parent and children in the same place.",
        "INTERLEAVE IN PARENT {parent}{cascade} in place of the foreign key{how}",
        "The key of {object} contains the key of {parent}, to which {object} refers: the table "
        "could be interleaved{how}.",
        bad=f"{_SINGERS}{_ALBUMS}, FOREIGN KEY (SingerId) REFERENCES Singers (SingerId)) "
        "PRIMARY KEY (SingerId, AlbumId)",
        good=f"{_SINGERS}{_ALBUMS}, FOREIGN KEY (SingerId) REFERENCES Singers (SingerId)) "
        "PRIMARY KEY (AlbumId)",
        check=each_table(_could_interleave),
    ),
    Rule(
        "SPN307", WARNING, "D", "Foreign key that repeats the interleaving",
        "INTERLEAVE IN PARENT already requires the parent row; the foreign key adds a second check "
        "to every write.",
        "{without_key}",
        "{object} is interleaved in {parent} and refers to it by a foreign key as well.",
        bad=f"{_SINGERS}{_ALBUMS}, CONSTRAINT OfSinger FOREIGN KEY (SingerId) REFERENCES "
        "Singers (SingerId)) PRIMARY KEY (SingerId, AlbumId), INTERLEAVE IN PARENT Singers",
        good=f"{_SINGERS}{_ALBUMS}) "
        "PRIMARY KEY (SingerId, AlbumId), INTERLEAVE IN PARENT Singers",
        check=each_table(_twice),
    ),
    Rule(
        "SPN308", ERROR, "D", "Child key does not begin with the parent's",
        "The parent's key columns come first in a child's key, with the same names, types, order, "
        "nullability and options.",
        "Begin the key of {object} with the key of {parent}",
        "{object} cannot be interleaved in {parent}: {reason}.",
        bad=f"{_SINGERS}{_ALBUMS}) PRIMARY KEY (AlbumId, SingerId), INTERLEAVE IN PARENT Singers",
        good=f"{_SINGERS}{_ALBUMS}) PRIMARY KEY (SingerId, AlbumId), INTERLEAVE IN PARENT Singers",
        check=each_table(_prefix),
    ),
    Rule(
        "SPN309", WARNING, "DV", "Cascade that may exceed the limit of mutations",
        "Deleting a parent row deletes all its children in one commit of at most 80,000 mutations. "
        "Each entry of a global index counts, managed indexes included; interleaved rows count as "
        "one, rows of a foreign key each. How many children a row has is known by hints only.",
        "Delete the rows of {object} first, in several transactions or by partitioned DML",
        "Deleting a row of {parent} deletes all its rows in {object}{entries}: more than {rows:,} "
        "rows exceed the limit.",
        bad=f"{_SINGERS}{_PLAYS} ON DELETE CASCADE;\nCREATE INDEX ByAt ON Plays(Raw)",
        good=f"{_SINGERS}{_ALBUMS}, Title STRING(64)) PRIMARY KEY (SingerId, AlbumId), "
        "INTERLEAVE IN PARENT Singers ON DELETE CASCADE;\nCREATE INDEX ByTitle ON Albums(Title)",
        check=each_table(_big_cascade),
    ),
    Rule(
        "SPN310", INFO, "D", "Large columns in a hierarchy",
        "All rows of a hierarchy are stored together, so scans pass over large columns that they "
        "do not need.",
        "A table of its own for {column}, or a locality group",
        "{column} of {object} ({type}) may be large and is stored in a hierarchy of rows.",
        bad="CREATE TABLE Singers (SingerId INT64 NOT NULL, Info BYTES(MAX)) PRIMARY KEY "
        "(SingerId);"
        f"\n{_ALBUMS}) PRIMARY KEY (SingerId, AlbumId), INTERLEAVE IN PARENT Singers",
        good="CREATE TABLE Singers (SingerId INT64 NOT NULL, Info BYTES(MAX)) PRIMARY KEY "
        "(SingerId)",
        opt_in=True, check=each_table(_rarely_read),
    ),
    Rule(
        "SPN311", INFO, "D", "Bulk load must follow the order of parents",
        "INTERLEAVE IN PARENT requires every parent row before its children, at every level, which "
        "makes a parallel load difficult.",
        "INTERLEAVE IN while loading, ALTER TABLE {object} SET INTERLEAVE IN PARENT {parent} later",
        "{object} has {count} levels of enforced parents above it.",
        bad=_chain(3), good=_chain(2), opt_in=True, check=each_table(_load_order),
    ),
)  # fmt: skip
