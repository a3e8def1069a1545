"""CREATE, ALTER and DROP SEARCH INDEX."""

from __future__ import annotations

from dataclasses import replace

from spanemu.base.errors import Unsupported
from spanemu.ddl.change import Change
from spanemu.ddl.edit import with_object, without_object
from spanemu.ddl.errors.search import IndexPartMissing
from spanemu.ddl.lookup import dropped_object, find_object, object_of, table_of
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.names import index_name_problems
from spanemu.ddl.validators.options import TRUE_OR_FALSE, Rules, changed_options
from spanemu.ddl.validators.search_indexes import key_order_problems, search_index_problems
from spanemu.schema.schema import Schema
from spanemu.schema.search_index import SearchIndex
from spanemu.sql.syntax import ddl_ast

_KIND = "Search index"
_RULES: Rules = {
    "sort_order_sharding": TRUE_OR_FALSE,
    "disable_automatic_uid_column": TRUE_OR_FALSE,
}


def create_search_index(statement: ddl_ast.CreateSearchIndex, schema: Schema) -> Change:
    """A new search index: declared, and the columns it names stay."""
    name = str(statement.name)
    if statement.if_not_exists and find_object(schema, "search_indexes", name) is not None:
        return Change(schema)
    table = table_of(schema, statement.table)
    raise_first(index_name_problems(name, schema))
    raise_first(key_order_problems(name, statement.key))
    index = SearchIndex(
        name=name,
        table=table.name,
        key=tuple(part.column.name for part in statement.key),
        stored=tuple(column.name for column in statement.storing),
        partition_by=tuple(column.name for column in statement.partition_by),
        order_by=tuple((part.column.name, part.descending) for part in statement.order_by),
        where_not_null=tuple(column.name for column in statement.where_not_null),
        parent=None if statement.interleave is None else str(statement.interleave.table),
        options=changed_options((_KIND, name), statement.options, _RULES),
    )
    raise_first(search_index_problems(index, table, schema))
    return Change(with_object(schema, "search_indexes", index))


def alter_search_index(statement: ddl_ast.AlterSearchIndex, schema: Schema) -> Change:
    """One column more or less, searched or stored."""
    index: SearchIndex = object_of(schema, "search_indexes", str(statement.name), _KIND)
    action = statement.action
    if isinstance(action, ddl_ast.AddIndexColumn):
        name = action.column.name
        after = (
            replace(index, stored=(*index.stored, name))
            if action.stored
            else replace(index, key=(*index.key, name))
        )
    elif isinstance(action, ddl_ast.DropIndexColumn):
        after = _without(index, action)
    else:
        raise Unsupported("ALTER SEARCH INDEX SET OPTIONS")
    raise_first(search_index_problems(after, schema.tables[index.table.lower()], schema))
    return Change(with_object(schema, "search_indexes", after))


def _without(index: SearchIndex, action: ddl_ast.DropIndexColumn) -> SearchIndex:
    name = action.column.name
    held, what = (index.stored, "stored column") if action.stored else (index.key, "column")
    if name not in held:
        raise IndexPartMissing(index.name, what, name)
    left = tuple(other for other in held if other != name)
    return replace(index, stored=left) if action.stored else replace(index, key=left)


def drop_search_index(
    statement: ddl_ast.DropSearchIndex | ddl_ast.DropIndex, schema: Schema
) -> Change:
    """Drop a search index, by either statement."""
    if dropped_object(schema, "search_indexes", statement, _KIND) is None:
        return Change(schema)
    return Change(without_object(schema, "search_indexes", str(statement.name)))
