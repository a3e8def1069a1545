"""CREATE INDEX, ALTER INDEX and DROP INDEX."""

from __future__ import annotations

from dataclasses import replace

from spanemu.base.errors import Unsupported
from spanemu.ddl import expressions
from spanemu.ddl.change import Change, with_index
from spanemu.ddl.errors.indexes import (
    IndexFilterColumn,
    IndexInterleavedInParent,
    IndexParentNotFound,
    StoredColumnExists,
    StoredColumnNotFound,
)
from spanemu.ddl.errors.objects import IndexNotFound, ViewsDepend
from spanemu.ddl.jobs import fill_index
from spanemu.ddl.kinds import table as kinds
from spanemu.ddl.naming import (
    addressed_column,
    find_index,
    find_table,
    index_name_problems,
    index_of,
    table_of,
)
from spanemu.ddl.validators import property_graphs as graphs
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.indexes import index_column_problems, index_problems, managed_problems
from spanemu.ddl.validators.options import INDEX_RULES, changed_options, locality_group_problems
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import KeyPart, Table
from spanemu.sql import ddl_ast
from spanemu.values.order import SortOrder


def create_index(statement: ddl_ast.CreateIndex, schema: Schema) -> Change:
    """Create a secondary index, and fill it from stored rows."""
    name = str(statement.name)
    if statement.if_not_exists and schema.index_in_any_case(name) is not None:
        return Change(schema)
    table = table_of(schema, statement.table)
    raise_first(index_name_problems(name, schema))
    index = _index(statement, table, schema)
    raise_first(index_problems(index, table, schema))
    raise_first(locality_group_problems(index.options, schema))
    return Change(with_index(schema, index), [fill_index(index)])


def _index(statement: ddl_ast.CreateIndex, table: Table, schema: Schema) -> SortedIndex:
    name = str(statement.name)
    keys = [part.column.name for part in statement.key]
    stored = [column.name for column in statement.storing]
    where = [column.name for column in statement.where_not_null]
    for names in (keys, stored, where):
        raise_first(index_column_problems(name, table, names))
    columns, declared = table.by_name, set(keys)
    return SortedIndex(
        name=name,
        id=schema.next_id,
        table=table.name,
        key=tuple(
            KeyPart(columns[schema.fold(part.column.name)], _order(part, schema))
            for part in statement.key
        ),
        suffix=tuple(part for part in table.key if part.column.name not in declared),
        stored=tuple(columns[schema.fold(column)] for column in stored),
        unique=statement.unique,
        nulls_distinct=schema.dialect.nulls_distinct,
        null_filtered=statement.null_filtered,
        where_not_null=tuple(where),
        parent=_parent(statement, schema),
        options=changed_options(("index", name), statement.options, INDEX_RULES),
    )


def _order(part: ddl_ast.KeyPart, schema: Schema) -> SortOrder:
    if part.nulls is None:
        return schema.orders.order(descending=part.descending)
    if not schema.dialect.places_null_in_keys:
        raise Unsupported("NULLS FIRST and NULLS LAST in keys")
    return schema.orders.order(descending=part.descending, nulls_first=part.nulls == "FIRST")


def _parent(statement: ddl_ast.CreateIndex, schema: Schema) -> str | None:
    clause = statement.interleave
    if clause is None:
        return None
    if clause.in_parent or clause.on_delete is not None:
        raise IndexInterleavedInParent(str(statement.name), str(clause.table))
    parent = find_table(schema, clause.table)
    if parent is None:
        raise IndexParentNotFound(str(statement.name), str(clause.table))
    return parent.name


def alter_index(statement: ddl_ast.AlterIndex, schema: Schema) -> Change:
    """Add or drop a stored column, and write all entries again; or set options."""
    if find_index(schema, statement.name) is None:
        altered = kinds.alter_managed_index(statement, schema)
        if altered is not None:
            return altered
    index = index_of(schema, statement.name)
    raise_first(managed_problems(index))
    action = statement.action
    if isinstance(action, ddl_ast.AddIndexColumn):
        after = _with_column(index, action, schema)
    elif isinstance(action, ddl_ast.DropIndexColumn):
        after = _without_column(index, action)
    elif isinstance(action, ddl_ast.SetIndexOptions):
        return Change(with_index(schema, _with_options(index, action.options, schema)))
    else:
        raise Unsupported("ALTER INDEX ALTER STORED COLUMN")
    return Change(with_index(schema, after), [fill_index(after)])


def _with_column(index: SortedIndex, action: ddl_ast.AddIndexColumn, schema: Schema) -> SortedIndex:
    column = addressed_column(schema.tables[schema.fold(index.table)], action.column)
    if column in index.columns:
        raise StoredColumnExists(index.name, column.name)
    return replace(_with_options(index, action.options, schema), stored=(*index.stored, column))


def _with_options(
    index: SortedIndex, written: ddl_ast.Options | None, schema: Schema
) -> SortedIndex:
    options = changed_options(("index", index.name), written, INDEX_RULES, index.options)
    raise_first(locality_group_problems(options, schema))
    return replace(index, options=options)


def _without_column(index: SortedIndex, action: ddl_ast.DropIndexColumn) -> SortedIndex:
    name = action.column.name
    stored = tuple(column for column in index.stored if column.name != name)
    if len(stored) == len(index.stored):
        raise StoredColumnNotFound(index.name, name)
    if name in index.where_not_null:
        raise IndexFilterColumn(index.name, name)
    return replace(index, stored=stored)


def drop_index(statement: ddl_ast.DropIndex, schema: Schema) -> Change:
    """Drop an index of any kind: a secondary, search or vector index."""
    index = find_index(schema, statement.name)
    if index is None:
        dropped = kinds.drop_managed_index(statement, schema)
        if dropped is not None:
            return dropped
        if statement.if_exists:
            return Change(schema)
        raise IndexNotFound(str(statement.name))
    raise_first(managed_problems(index))
    raise_first(graphs.graphs_over_index_problems(schema, index))
    following = expressions.with_checked_views(
        schema.without_index(index.name), (index.table,), "INDEX", index.name,
        lambda view, _: ViewsDepend("INDEX", index.name, view.name),
    )  # fmt: skip
    return Change(following)
