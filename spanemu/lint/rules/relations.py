"""SPN222, SPN405 and SPN504: relations that keys, indexes and constraints serve only in part.

    edge of a graph   found by the columns of an end only if a key or an index begins with them
    foreign key       refers to a whole primary key, or Spanner makes the referenced part unique
    array of ids      no constraint checks its elements, and no secondary index finds them

Not here: foreign keys that Spanner refuses (`constraints`), and interleaving (`interleaving`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from spanemu.base.identifiers import fold
from spanemu.base.name_hints import like_ids, words
from spanemu.lint.model import Column, Schema, Table, names_of
from spanemu.lint.rule import INFO, WARNING, Hit, Rule, each_table
from spanemu.lint.values import is_random
from spanemu.schema.dialect import POSTGRESQL
from spanemu.sql.ddl_ast import ForeignKeyDefinition, OnDelete

# ---------------------------------------------------------------------------- edges of graphs


def _scanned_edges(schema: Schema) -> Iterator[Hit]:
    reported: set[tuple[str, tuple[str, ...]]] = set()
    for edge in schema.edges:
        for end, endpoint in (("source", edge.source), ("destination", edge.destination)):
            names = tuple(each.name for each in endpoint.columns)
            folded = names_of(endpoint.columns)
            if (edge.table.name, folded) in reported or _is_found_by(edge.table, frozenset(folded)):
                continue
            reported.add((edge.table.name, folded))
            index = _index_on(edge.table, names)
            facts = {
                "end": end,
                "columns": ", ".join(names),
                "indexed": index,
                "read": _edges_read(edge.table, frozenset(folded)),
            }
            yield Hit(edge.position, edge.table.name, names[0], facts=facts)


def _keys(table: Table) -> list[tuple[str, ...]]:
    """Return the keys of a table: its own, those of indexes, and of indexes of foreign keys."""
    indexes = (index.key_names for index in table.indexes)
    managed = (names_of(key.columns) for key in table.enforced_keys)
    return [table.key_names, *indexes, *managed]


def _is_found_by(table: Table, names: frozenset[str]) -> bool:
    """Return whether a key begins with columns."""
    return any(frozenset(key[: len(names)]) == names for key in _keys(table))


def _edges_read(table: Table, names: frozenset[str]) -> str:
    """Return the edges that a traversal reads: those with the first columns of the best key."""
    beginnings = [tuple(takewhile(names.__contains__, key)) for key in _keys(table)]
    longest = max(beginnings, key=len)
    shared = map(table.column, longest)
    columns = ", ".join(column.name for column in shared if column is not None)
    return f"all edges of the same {columns}" if columns else "all edges"


def _index_on(table: Table, names: Iterable[str]) -> str:
    """Return the CREATE statement of a new index on columns of a table."""
    dialect = table.position.dialect
    base = name = _joined(table.name, "By", *names)
    number = 2
    while fold(name) in table.schema.indexes:
        name, number = f"{base}{number}", number + 1
    columns = ", ".join(map(dialect.quoted, names))
    return (
        f"CREATE INDEX {dialect.quoted_path(name)} ON {dialect.quoted_path(table.name)}({columns})"
    )


def _joined(name: str, *more: str) -> str:
    """Return a name with further words, in the way in which the name is written."""
    if name.islower():
        return "_".join((name, *(part.lower() for part in more)))
    return name + "".join(part[:1].upper() + part[1:] for text in more for part in text.split("_"))


# ---------------------------------------------------------------------------- foreign keys


def _part_of_key(table: Table) -> Iterator[Hit]:
    for key, position in table.foreign_keys:
        target = table.schema.table(str(key.referenced_table))
        part = frozenset(names_of(key.referenced_columns))
        if target is None or not part < frozenset(target.key_names):
            continue
        if any(index.unique and frozenset(index.key_names) == part for index in target.indexes):
            continue  # Declared as unique, so no row is refused by surprise.
        random = any(map(is_random, filter(None, map(target.column, part))))
        facts = {
            "parent": target.name,
            "part": ", ".join(each.name for each in key.referenced_columns),
            "whole": _refer_to_whole_key(table, key, target),
        }
        severity = INFO if random else None  # Random values never collide; the index costs writes.
        yield Hit(position, table.name, key.columns[0].name, severity, facts)


def _refer_to_whole_key(table: Table, key: ForeignKeyDefinition, target: Table) -> str:
    """Return DDL for a foreign key to the whole key, as far as the table has the columns.

    A row with NULL in one of the columns refers to no row, so the further columns are NOT NULL.
    """
    dialect = table.position.dialect
    referencing = {
        fold(theirs.name): mine.name
        for mine, theirs in zip(key.columns, key.referenced_columns, strict=False)
    }
    columns: list[str] = []
    for part in target.key:
        further = fold(part.name) not in referencing
        column = table.column(referencing.get(fold(part.name), part.name))
        fits = column is not None and part.column is not None and column.type == part.column.type
        if column is None or not fits or (further and not column.not_null):
            return (
                f"FOREIGN KEY (...) REFERENCES {_clause(target)}, with a column for {part.name} "
                "that is NOT NULL"
            )
        columns.append(dialect.quoted(column.name))
    clause = f"FOREIGN KEY ({', '.join(columns)}) REFERENCES {_clause(target)}{_actions(key)}"
    if key.name is None:
        return f"{clause}, in place of this one, which information_schema names"
    alter, name = f"ALTER TABLE {dialect.quoted_path(table.name)}", dialect.quoted(key.name.name)
    return f"{alter} ADD {clause}; {alter} DROP CONSTRAINT {name}"


def _clause(target: Table) -> str:
    dialect = target.position.dialect
    columns = ", ".join(dialect.quoted(part.name) for part in target.key)
    return f"{dialect.quoted_path(target.name)} ({columns})"


def _actions(key: ForeignKeyDefinition) -> str:
    cascade = " ON DELETE CASCADE" if key.on_delete is OnDelete.CASCADE else ""
    return cascade + ("" if key.enforced else " NOT ENFORCED")


# ---------------------------------------------------------------------------- arrays of ids


def _array_of_ids(table: Table) -> Iterator[Hit]:
    for column in table.columns.values():
        type_ = _element_type(column)
        if type_ not in _ID_TYPES or column.generated is not None or not table.key_parts:
            continue
        target = _named_like(column, type_, table.schema)
        if target is not None or like_ids(column.spelling):
            facts = {"relation": _relation(table, column, target)}
            yield Hit(column.position, table.name, column.name, facts=facts)


_ID_TYPES = frozenset({"STRING", "INT64", "UUID", "BYTES"})


def _element_type(column: Column) -> str:
    """Return the type's name of an array's elements; "" for a column of another type."""
    element = column.definition.type.element
    return "" if element is None or element.path is None else str(element.path).upper()


def _named_like(column: Column, type_: str, schema: Schema) -> Table | None:
    """Return the table of whose ids an array is named: PlayerIds or players for Players."""
    said = " ".join(part for part in words(column.spelling) if part not in ("id", "ids", "uuids"))
    for target in schema.tables.values():
        name = " ".join(words(target.spelling.rpartition(".")[2]))
        key = target.key[0].column if len(target.key_parts) == 1 else None
        if key is not None and key.type == type_ and said in (name, name.removesuffix("s")):
            return target
    return None


def _relation(table: Table, column: Column, target: Table | None) -> str:
    """Return the declaration of a table with a row for each element of an array."""
    dialect = table.position.dialect
    element = column.name.removesuffix("s")
    if element == column.name or table.column(element) is not None:
        element = f"{column.name}_id"
    name = dialect.quoted_path(_joined(table.name, column.name))
    key = [dialect.quoted(part.name) for part in table.key] + [dialect.quoted(element)]
    columns = [*_key_columns(table), f"{key[-1]} {_element(column)} NOT NULL"]
    if target is not None:
        columns.append(f"FOREIGN KEY ({key[-1]}) REFERENCES {_clause(target)}")
    parent = f"INTERLEAVE IN PARENT {dialect.quoted_path(table.name)} ON DELETE CASCADE"
    if dialect.database is POSTGRESQL:
        return f"{name} ({', '.join(columns)}, PRIMARY KEY ({', '.join(key)})) {parent}"
    directed = [
        f"{each} DESC" if part.descending else each
        for each, part in zip(key, table.key, strict=False)
    ]
    return (
        f"{name} ({', '.join(columns)}) PRIMARY KEY ({', '.join([*directed, key[-1]])}), {parent}"
    )


def _element(column: Column) -> str:
    """Return the type of an array's elements as DDL text."""
    element, text = column.definition.type.element, column.position.statement.text
    return "" if element is None else re.sub(r"\s*\[\s*\]$", "", text[element.at : element.end])


def _key_columns(table: Table) -> Iterator[str]:
    """Yield the key columns of a table as the definitions of a child table."""
    for part in table.key:
        if part.column is not None:
            type_, text = part.column.definition.type, part.column.position.statement.text
            null = " NOT NULL" if part.column.not_null else ""
            yield f"{part.position.dialect.quoted(part.name)} {text[type_.at : type_.end]}{null}"


# ---------------------------------------------------------------------------- the rules

_GRAPH = (
    "CREATE TABLE Person (Id INT64 NOT NULL) PRIMARY KEY (Id);\n"
    "CREATE TABLE Account (Id INT64 NOT NULL) PRIMARY KEY (Id);\n"
    "CREATE TABLE Owns (Id INT64 NOT NULL, AccountId INT64 NOT NULL, "
    "FOREIGN KEY (AccountId) REFERENCES Account (Id) NOT ENFORCED) "
    "PRIMARY KEY (Id, AccountId), INTERLEAVE IN PARENT Person;\n"
    "CREATE PROPERTY GRAPH Bank NODE TABLES (Person, Account) EDGE TABLES (Owns "
    "SOURCE KEY (Id) REFERENCES Person (Id) DESTINATION KEY (AccountId) REFERENCES Account (Id))"
)
_ORDERS = (
    "CREATE TABLE Orders (ShopId INT64 NOT NULL, OrderId INT64 NOT NULL) "
    "PRIMARY KEY (ShopId, OrderId);\n"
    "CREATE TABLE Items (ItemId STRING(36) NOT NULL, ShopId INT64 NOT NULL, OrderId INT64, "
    "CONSTRAINT OfOrder FOREIGN KEY "
)
_GAMES = "CREATE TABLE Games (GameId STRING(36) NOT NULL, {}) PRIMARY KEY (GameId)"

RULES = (
    Rule(
        "SPN222", INFO, "DQ", "Graph edges without an index on an end",
        "A traversal finds the edges of a node by the columns of one end. Without a key or an "
        "index that begins with these columns, it reads all edges of the table, or of the first "
        "of the columns. Traversals in either direction are common. See Spanner Graph's best "
        "practices on schema design.",
        "If queries follow these edges from their {end}: {indexed}",
        "No key and no index of {object} begins with {columns}, the {end} of its edges: a "
        "traversal from the {end} reads {read}.",
        bad=_GRAPH,
        good=f"{_GRAPH};\nCREATE INDEX OwnsByAccount ON Owns(AccountId), INTERLEAVE IN Account",
        check=_scanned_edges,
    ),
    Rule(
        "SPN405", WARNING, "D", "Foreign key to part of a primary key",
        "The referenced columns must be unique. Where they are only a part of the primary key, "
        "Spanner adds a hidden unique index on them, which every write maintains and which "
        "refuses rows that the primary key would allow.",
        "If rows of {parent} may share {part}: {whole}",
        "The foreign key of {object} refers to {part}, a part of the key of {parent}: a hidden "
        "unique index refuses a second row of {parent} with the same {part}.",
        bad=f"{_ORDERS}(OrderId) REFERENCES Orders (OrderId)) PRIMARY KEY (ItemId)",
        good=f"{_ORDERS}(ShopId, OrderId) REFERENCES Orders (ShopId, OrderId)) "
        "PRIMARY KEY (ItemId)",
        check=each_table(_part_of_key),
    ),
    Rule(
        "SPN504", INFO, "D", "Relation kept in an array of ids",
        "No foreign key checks the elements of an array, no secondary index finds the rows that "
        "hold an id, and every change rewrites the whole array.",
        "In place of the array, a table {relation}",
        "{column} of {object} looks like a relation to other rows, kept as an array of their ids.",
        bad=_GAMES.format("PlayerIds ARRAY<STRING(36)>"),
        good=_GAMES.format("Moves ARRAY<STRING(36)>"),
        opt_in=True, check=each_table(_array_of_ids),
    ),
)  # fmt: skip
