"""CREATE, ALTER and DROP VECTOR INDEX."""

from __future__ import annotations

from dataclasses import replace

from spanemu.base.errors import Unsupported
from spanemu.ddl.change import Change
from spanemu.ddl.edit import with_object, without_object
from spanemu.ddl.errors.indexes import StoredColumnExists
from spanemu.ddl.errors.options import ObjectOptionMissing
from spanemu.ddl.errors.search import IndexPartMissing
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
from spanemu.ddl.validators.search_indexes import vector_index_problems
from spanemu.schema.schema import Schema
from spanemu.schema.search_index import VectorIndex
from spanemu.sql.syntax import ddl_ast

_KIND = "Vector index"
_MANY = whole(1, 2**31 - 1)
_RULES: Rules = {
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
        options=changed_options((_KIND, name), statement.options, _RULES),
    )
    if "distance_type" not in index.options:
        raise ObjectOptionMissing(_KIND, name, "distance_type")
    raise_first(vector_index_problems(index, table, schema))
    return Change(with_object(schema, "vector_indexes", index))


def alter_vector_index(statement: ddl_ast.AlterVectorIndex, schema: Schema) -> Change:
    """One stored column more or less, or whether queries may use the index."""
    index: VectorIndex = object_of(schema, "vector_indexes", str(statement.name), _KIND)
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
        options = changed_options((_KIND, index.name), action.options, rules, index.options)
        after = replace(index, options=options)
    else:
        raise Unsupported("ALTER VECTOR INDEX ALTER STORED COLUMN")
    raise_first(vector_index_problems(after, table, schema))
    return Change(with_object(schema, "vector_indexes", after))


def drop_vector_index(
    statement: ddl_ast.DropVectorIndex | ddl_ast.DropIndex, schema: Schema
) -> Change:
    """Take a vector index away; DROP INDEX does it too."""
    if dropped_object(schema, "vector_indexes", statement, _KIND) is None:
        return Change(schema)
    return Change(without_object(schema, "vector_indexes", str(statement.name)))
