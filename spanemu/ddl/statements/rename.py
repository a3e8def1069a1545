"""RENAME TABLE, and ALTER TABLE ... RENAME TO."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from spanemu.base.errors import Unsupported
from spanemu.ddl.change import Change
from spanemu.ddl.errors.tables import RenamedToColumn
from spanemu.ddl.kinds.table import with_renamed_table
from spanemu.ddl.lookup import schema_part, table_of
from spanemu.ddl.references import with_checked_views
from spanemu.ddl.statements.table_properties import with_synonym
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.names import object_name_problems
from spanemu.schema.constraints import ForeignKey
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql import ddl_ast


def rename_table(table: Table, action: ddl_ast.RenameTo, schema: Schema) -> Change:
    """Another name for a table; the old one can go on as its synonym."""
    name = str(action.name)
    following = _renamed(schema, table, name)
    if action.synonym is not None:
        renamed = following.tables[schema.fold(name)]
        following = with_synonym(following, renamed, str(action.synonym))
    return Change(_checked(following, (table.name, name), table.name))


def rename_tables(statement: ddl_ast.RenameTables, schema: Schema) -> Change:
    """Several names, one after the other; views are looked at when all are done."""
    names: set[str] = set()
    following = schema
    for old, new in statement.renames:
        following = _renamed(following, table_of(following, old), str(new))
        names |= {str(old), str(new)}
    first, _ = statement.renames[0]
    return Change(_checked(following, names, str(first)))


def _checked(schema: Schema, names: Collection[str], name: str) -> Schema:
    return with_checked_views(schema, names, "TABLE", name)


def _renamed(schema: Schema, table: Table, name: str) -> Schema:
    raise_first(object_name_problems("Table", name, schema))
    if schema_part(name) != schema_part(table.name):
        raise Unsupported("Renaming a table into another schema")
    for other in (table, schema.parent(table)):
        if table.parent is not None and other is not None and other.column(name) is not None:
            raise RenamedToColumn(table.name, name, other.name)
    old = table.name
    changed = {
        schema.fold(old): table,
        **{schema.fold(child.name): child for child in schema.children(table)},
        **{schema.fold(other.name): other for other, _ in schema.referencing(table)},
    }
    tables = {}
    for key, found in schema.tables.items():
        after = _following(found, old, name) if key in changed else found
        tables[schema.fold(after.name)] = after
    indexes = {
        key: replace(
            index,
            table=name if index.table == old else index.table,
            parent=name if index.parent == old else index.parent,
        )
        if old in (index.table, index.parent)
        else index
        for key, index in schema.indexes.items()
    }
    others = with_renamed_table(schema, old, name)
    return schema.next(tables=tables, indexes=indexes, **others)


def _following(table: Table, old: str, new: str) -> Table:
    """A table with every mention of the old name changed."""
    return replace(
        table,
        name=new if table.name == old else table.name,
        parent=new if table.parent == old else table.parent,
        foreign_keys=tuple(_following_key(key, old, new) for key in table.foreign_keys),
    )


def _following_key(key: ForeignKey, old: str, new: str) -> ForeignKey:
    return replace(
        key,
        table=new if key.table == old else key.table,
        referenced_table=new if key.referenced_table == old else key.referenced_table,
    )
