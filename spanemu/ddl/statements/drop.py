"""DROP TABLE and DROP INDEX."""

from __future__ import annotations

from spanemu.ddl.change import Change
from spanemu.ddl.errors import IndexNotFound, TableNotFound
from spanemu.schema.schema import Schema
from spanemu.sql.syntax import ddl_ast


def drop_table(statement: ddl_ast.DropTable, schema: Schema) -> Change:
    """Take a table away."""
    name = str(statement.name)
    if name.lower() not in schema.tables:
        if statement.if_exists:
            return Change(schema)
        raise TableNotFound(name)
    tables = {key: table for key, table in schema.tables.items() if key != name.lower()}
    return Change(schema.next(tables=tables))


def drop_index(statement: ddl_ast.DropIndex, schema: Schema) -> Change:
    """Take an index away."""
    name = str(statement.name)
    if name.lower() not in schema.indexes:
        if statement.if_exists:
            return Change(schema)
        raise IndexNotFound(name)
    indexes = {key: index for key, index in schema.indexes.items() if key != name.lower()}
    return Change(schema.next(indexes=indexes))
