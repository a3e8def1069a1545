"""ALTER INDEX: columns that an index stores."""

from __future__ import annotations

from dataclasses import replace

from spanemu.base.errors import Unsupported
from spanemu.ddl.backfill import fill_index
from spanemu.ddl.change import Change
from spanemu.ddl.edit import with_index
from spanemu.ddl.errors.indexes import IndexFilterColumn, StoredColumnExists, StoredColumnNotFound
from spanemu.ddl.lookup import column_of, index_of
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.indexes import managed_problems
from spanemu.ddl.validators.options import changed_options
from spanemu.ddl.validators.places import INDEX_RULES, locality_group_problems
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.sql.syntax import ddl_ast


def alter_index(statement: ddl_ast.AlterIndex, schema: Schema) -> Change:
    """An index that stores one column more, or less; its entries are written anew."""
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


def _with_column(index: Index, action: ddl_ast.AddIndexColumn, schema: Schema) -> Index:
    column = column_of(schema.tables[index.table.lower()], action.column)
    if column in index.columns:
        raise StoredColumnExists(index.name, column.name)
    return replace(_with_options(index, action.options, schema), stored=(*index.stored, column))


def _with_options(index: Index, written: ddl_ast.Options | None, schema: Schema) -> Index:
    options = changed_options(("index", index.name), written, INDEX_RULES, dict(index.options))
    raise_first(locality_group_problems(options, schema))
    return replace(index, options=tuple(options.items()))


def _without_column(index: Index, action: ddl_ast.DropIndexColumn) -> Index:
    name = action.column.name
    stored = tuple(column for column in index.stored if column.name != name)
    if len(stored) == len(index.stored):
        raise StoredColumnNotFound(index.name, name)
    if name in index.where_not_null:
        raise IndexFilterColumn(index.name, name)
    return replace(index, stored=stored)
