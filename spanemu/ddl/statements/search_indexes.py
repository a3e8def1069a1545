"""CREATE, ALTER and DROP SEARCH INDEX."""

from __future__ import annotations

from dataclasses import replace

from spanemu.base.errors import Unsupported
from spanemu.ddl.change import Change
from spanemu.ddl.edit import with_object, without_object
from spanemu.ddl.errors.indexes import IndexPartMissing, StoredColumnExists
from spanemu.ddl.errors.objects import ObjectOptionMissing
from spanemu.ddl.lookup import column_of, dropped_object, find_object, object_of, table_of
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.names import index_name_problems
from spanemu.ddl.validators.options import (
    TRUE_OR_FALSE,
    Rule,
    Rules,
    changed_options,
    is_text,
    whole,
    words,
)
from spanemu.ddl.validators.search_indexes import (
    key_order_problems,
    search_index_problems,
    vector_index_problems,
)
from spanemu.schema.index import SearchIndex, VectorIndex
from spanemu.schema.schema import Schema
from spanemu.sql import ddl_ast

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


_VECTOR_KIND = "Vector index"
_MANY = whole(1, 2**31 - 1)
_VECTOR_RULES: Rules = {
    "distance_type": words("COSINE", "DOT_PRODUCT", "EUCLIDEAN"),
    "tree_depth": whole(2, 3),
    "num_leaves": _MANY,
    "num_branches": _MANY,
    "leaf_scatter_factor": whole(0, 2**31 - 1),
    "min_branch_splits": _MANY,
    "min_leaf_splits": _MANY,
    "locality_group": Rule(is_text, "the name of a locality group"),
    "disable_search": TRUE_OR_FALSE,
}


def create_vector_index(statement: ddl_ast.CreateVectorIndex, schema: Schema) -> Change:
    """A new vector index: declared, and the columns it names stay."""
    name = str(statement.name)
    if statement.if_not_exists and find_object(schema, "vector_indexes", name) is not None:
        return Change(schema)
    table = table_of(schema, statement.table)
    raise_first(index_name_problems(name, schema))
    index = VectorIndex(
        name=name,
        table=table.name,
        key=tuple(part.column.name for part in statement.key),
        stored=tuple(column.name for column in statement.storing),
        partition_by=tuple(column.name for column in statement.partition_by),
        where_not_null=tuple(column.name for column in statement.where_not_null),
        options=changed_options((_VECTOR_KIND, name), statement.options, _VECTOR_RULES),
    )
    if "distance_type" not in index.options:
        raise ObjectOptionMissing(_VECTOR_KIND, name, "distance_type")
    raise_first(vector_index_problems(index, table, schema))
    return Change(with_object(schema, "vector_indexes", index))


def alter_vector_index(statement: ddl_ast.AlterVectorIndex, schema: Schema) -> Change:
    """One stored column more or less, or whether queries may use the index."""
    index: VectorIndex = object_of(schema, "vector_indexes", str(statement.name), _VECTOR_KIND)
    action = statement.action
    table = schema.tables[index.table.lower()]
    if isinstance(action, ddl_ast.AddIndexColumn):
        name = column_of(table, action.column).name
        if name in index.stored:
            raise StoredColumnExists(index.name, name)
        after = replace(index, stored=(*index.stored, name))
    elif isinstance(action, ddl_ast.DropIndexColumn):
        name = action.column.name
        if name not in index.stored:
            raise IndexPartMissing(index.name, "stored column", name)
        after = replace(index, stored=tuple(other for other in index.stored if other != name))
    elif isinstance(action, ddl_ast.SetIndexOptions):
        rules = {"disable_search": TRUE_OR_FALSE}
        options = changed_options((_VECTOR_KIND, index.name), action.options, rules, index.options)
        after = replace(index, options=options)
    else:
        raise Unsupported("ALTER VECTOR INDEX ALTER STORED COLUMN")
    raise_first(vector_index_problems(after, table, schema))
    return Change(with_object(schema, "vector_indexes", after))


def drop_vector_index(
    statement: ddl_ast.DropVectorIndex | ddl_ast.DropIndex, schema: Schema
) -> Change:
    """Take a vector index away; DROP INDEX does it too."""
    if dropped_object(schema, "vector_indexes", statement, _VECTOR_KIND) is None:
        return Change(schema)
    return Change(without_object(schema, "vector_indexes", str(statement.name)))
