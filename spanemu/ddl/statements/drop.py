"""DROP TABLE and DROP INDEX."""

from __future__ import annotations

from spanemu.ddl.change import Change
from spanemu.ddl.edit import without_table
from spanemu.ddl.errors.names import IndexNotFound, TableNotFound
from spanemu.ddl.errors.objects import ViewsDepend
from spanemu.ddl.errors.tables import TableHasChildren, TableHasIndexes, TableIsReferenced
from spanemu.ddl.kinds.kind import drop_object
from spanemu.ddl.kinds.table import WITH_TABLES, table_dependents
from spanemu.ddl.lookup import find_index, find_object, find_table
from spanemu.ddl.references import dependent_view_problems, with_checked_views
from spanemu.ddl.statements.constraints import release_indexes
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.indexes import managed_problems
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql import ddl_ast


def drop_table(statement: ddl_ast.DropTable, schema: Schema) -> Change:
    """Drop a table with its rows and its foreign keys."""
    table = find_table(schema, statement.name)
    if table is None:
        if statement.if_exists:
            return Change(schema)
        raise TableNotFound(str(statement.name))
    _refuse_used(table, schema)
    raise_first(table_dependents(schema, table))
    raise_first(dependent_view_problems(schema, "TABLE", table.name))
    return Change(without_table(release_indexes(schema, table.foreign_keys), table))


def _refuse_used(table: Table, schema: Schema) -> None:
    children = schema.children(table)
    if children:
        raise TableHasChildren(table.name, ",".join(child.name for child in children))
    indexes = [index.name for index in schema.indexes_of(table) if not index.is_managed]
    if indexes:
        raise TableHasIndexes(table.name, ",".join(indexes))
    referring = [
        f"`{key.name}`" for other, key in schema.referencing(table) if other.id != table.id
    ]
    if referring:
        raise TableIsReferenced(table.name, ", ".join(referring))


def drop_index(statement: ddl_ast.DropIndex, schema: Schema) -> Change:
    """Drop an index of any kind: a secondary, search or vector index."""
    index = find_index(schema, statement.name)
    if index is None:
        for kind in WITH_TABLES:
            if find_object(schema, kind.field, str(statement.name)) is not None:
                return drop_object(kind, statement, schema)
        if statement.if_exists:
            return Change(schema)
        raise IndexNotFound(str(statement.name))
    raise_first(managed_problems(index))
    following = with_checked_views(
        schema.without_index(index.name), (index.table,), "INDEX", index.name,
        lambda view, _: ViewsDepend("INDEX", index.name, view.name),
    )  # fmt: skip
    return Change(following)
