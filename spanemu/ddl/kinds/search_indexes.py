"""Search indexes and vector indexes: declared, printed and listed, without entries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from spanemu.base.errors import SpannerError, Unsupported
from spanemu.base.identifiers import quoted, quoted_path
from spanemu.base.limits import VECTOR_LENGTH_MAX
from spanemu.ddl.change import Change, with_object
from spanemu.ddl.errors.alterations import ColumnInIndex
from spanemu.ddl.errors.indexes import (
    IndexInOtherSchema,
    IndexPartMissing,
    IndexWithoutKey,
    SearchIndexInvalid,
    SearchIndexParentInvalid,
    StoredColumnExists,
    StoredColumnIsKey,
    StoredColumnIsTableKey,
    VectorIndexInvalid,
)
from spanemu.ddl.errors.objects import ObjectOptionMissing
from spanemu.ddl.errors.tables import TableHasIndexes
from spanemu.ddl.kinds.kind import ObjectKind
from spanemu.ddl.naming import (
    addressed_column,
    find_object,
    index_name_problems,
    schema_part,
    table_of,
)
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.indexes import filter_problems, index_column_problems
from spanemu.ddl.validators.options import (
    TRUE_OR_FALSE,
    Rule,
    Rules,
    changed_options,
    is_text,
    locality_group_problems,
    whole,
    words,
)
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Index, NamedPart, SearchIndex, Table, VectorIndex
from spanemu.schema.table_text import clause_options, options_text, where_text
from spanemu.sql import ddl_ast
from spanemu.values.types import INT64, TypeCode

AnyIndex = TypeVar("AnyIndex", Index, SearchIndex)

_LABEL = "Search index"
_RULES: Rules = {
    "sort_order_sharding": TRUE_OR_FALSE,
    "disable_automatic_uid_column": TRUE_OR_FALSE,
}


def _create_search_index(statement: ddl_ast.CreateSearchIndex, schema: Schema) -> Change:
    name = str(statement.name)
    if statement.if_not_exists and schema.in_any_case(schema.search_indexes, name) is not None:
        return Change(schema)
    table = table_of(schema, statement.table)
    raise_first(index_name_problems(name, schema))
    raise_first(_key_order_problems(name, statement.key))
    index = SearchIndex(
        name=name,
        table=table.name,
        key=tuple(part.column.name for part in statement.key),
        stored=tuple(column.name for column in statement.storing),
        partition_by=tuple(column.name for column in statement.partition_by),
        order_by=tuple((part.column.name, part.descending) for part in statement.order_by),
        where_not_null=tuple(column.name for column in statement.where_not_null),
        parent=None if statement.interleave is None else str(statement.interleave.table),
        options=changed_options((_LABEL, name), statement.options, _RULES),
    )
    raise_first(_search_problems(index, table, schema))
    return Change(with_object(schema, "search_indexes", index))


def _altered_search_index(
    statement: ddl_ast.AlterSearchIndex, index: SearchIndex, schema: Schema
) -> SearchIndex:
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
    raise_first(_search_problems(after, schema.tables[schema.fold(index.table)], schema))
    return after


def _without(index: SearchIndex, action: ddl_ast.DropIndexColumn) -> SearchIndex:
    name = action.column.name
    held, part = (index.stored, "stored column") if action.stored else (index.key, "column")
    if name not in held:
        raise IndexPartMissing(index.name, part, name)
    left = tuple(other for other in held if other != name)
    return replace(index, stored=left) if action.stored else replace(index, key=left)


_VECTOR_LABEL = "Vector index"
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


def _create_vector_index(statement: ddl_ast.CreateVectorIndex, schema: Schema) -> Change:
    name = str(statement.name)
    if statement.if_not_exists and schema.in_any_case(schema.vector_indexes, name) is not None:
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
        options=changed_options((_VECTOR_LABEL, name), statement.options, _VECTOR_RULES),
    )
    if "distance_type" not in index.options:
        raise ObjectOptionMissing(_VECTOR_LABEL, name, "distance_type")
    raise_first(_vector_problems(index, table, schema))
    return Change(with_object(schema, "vector_indexes", index))


def _altered_vector_index(
    statement: ddl_ast.AlterVectorIndex, index: VectorIndex, schema: Schema
) -> VectorIndex:
    action = statement.action
    table = schema.tables[schema.fold(index.table)]
    if isinstance(action, ddl_ast.AddIndexColumn):
        name = addressed_column(table, action.column).name
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
        options = changed_options((_VECTOR_LABEL, index.name), action.options, rules, index.options)
        after = replace(index, options=options)
    else:
        raise Unsupported("ALTER VECTOR INDEX ALTER STORED COLUMN")
    raise_first(_vector_problems(after, table, schema))
    return after


# ---------------------------------------------------------------------------- rules

_ORDER_TYPES = frozenset({INT64})


def _key_order_problems(index: str, key: Sequence[ddl_ast.KeyPart]) -> Iterator[SpannerError]:
    # Token columns have no order.
    for part in key:
        if part.order is not None or part.nulls is not None:
            yield SearchIndexInvalid(index, part.column.name, "is a token key without order")


def _search_problems(index: SearchIndex, table: Table, schema: Schema) -> Iterator[SpannerError]:
    ordered = tuple(name for name, _ in index.order_by)
    lists = (index.key, index.stored, index.partition_by, ordered, index.where_not_null)
    yield from _shared_problems(index, table, lists)
    columns = table.by_name
    for name in index.key:
        if columns[schema.fold(name)].type.code is not TypeCode.TOKENLIST:
            yield SearchIndexInvalid(index.name, name, "is not of type TOKENLIST")
    for name in index.partition_by:
        if columns[schema.fold(name)].type.code is TypeCode.TOKENLIST:
            yield SearchIndexInvalid(index.name, name, "is a TOKENLIST, which cannot partition")
    yield from _order_problems(index, [columns[schema.fold(name)] for name in ordered])
    if index.parent is not None:
        yield from _parent_problems(index, schema)


def _order_problems(index: SearchIndex, ordered: Sequence[Column]) -> Iterator[SpannerError]:
    for column in ordered:
        if column.type not in _ORDER_TYPES:
            yield SearchIndexInvalid(index.name, column.name, "is not of type INT64")
        elif not column.not_null and column.name not in index.where_not_null:
            yield SearchIndexInvalid(index.name, column.name, "must be NOT NULL to order by")
    for column in ordered[1:]:
        yield SearchIndexInvalid(index.name, column.name, "is a second column to order by")


def _parent_problems(index: SearchIndex, schema: Schema) -> Iterator[SpannerError]:
    assert index.parent is not None
    parent = find_object(schema, "tables", index.parent)

    def refuse(reason: str) -> SpannerError:
        return SearchIndexParentInvalid(index.name, str(index.parent), reason)

    if parent is None:
        yield refuse("it does not exist")
        return
    if not index.options.get("sort_order_sharding"):
        yield refuse("only an index with sort_order_sharding can be interleaved")
    keys = [column.name for column in parent.key_columns]
    if list(index.partition_by[: len(keys)]) != keys:
        yield refuse("PARTITION BY does not begin with its primary key")


def _vector_problems(index: VectorIndex, table: Table, schema: Schema) -> Iterator[SpannerError]:
    lists = (index.key, index.stored, index.partition_by, index.where_not_null)
    yield from _shared_problems(index, table, lists)
    embedding = table.by_name[schema.fold(index.key[0])]
    yield from _embedding_problems(index, embedding)
    branches, leaves = index.options.get("num_branches"), index.options.get("num_leaves")
    if branches is not None and index.options.get("tree_depth", 2) != 3:
        yield VectorIndexInvalid(index.name, embedding.name, "has num_branches, not tree_depth 3")
    if branches is not None and leaves is not None and branches >= leaves:
        yield VectorIndexInvalid(index.name, embedding.name, "has not fewer branches than leaves")
    yield from locality_group_problems(index.options, schema)


def _embedding_problems(index: VectorIndex, column: Column) -> Iterator[SpannerError]:
    def refuse(reason: str) -> SpannerError:
        return VectorIndexInvalid(index.name, column.name, reason)

    if not column.type.is_array:
        yield refuse("must be ARRAY type")
    elif not column.type.item().is_float:
        yield refuse("must be ARRAY<FLOAT32> or ARRAY<FLOAT64>")
    elif column.vector_length is None:
        yield refuse("must have `vector_length=>` set")
    elif column.vector_length > VECTOR_LENGTH_MAX:
        yield refuse(f"has a vector_length larger than {VECTOR_LENGTH_MAX}")
    if not column.not_null and column.name not in index.where_not_null:
        yield refuse(f"must be NOT NULL, or filtered by `WHERE {column.name} IS NOT NULL`")


def _shared_problems(
    index: SearchIndex | VectorIndex, table: Table, lists: Sequence[Sequence[str]]
) -> Iterator[SpannerError]:
    if schema_part(index.name) != schema_part(table.name):
        yield IndexInOtherSchema(index.name, table.name)
    if not index.key:
        yield IndexWithoutKey(index.name)
    for names in lists:
        yield from index_column_problems(index.name, table, names)
    keys = {column.name for column in table.key_columns}
    yield from filter_problems(index.name, index.where_not_null, {*index.held, *keys})
    for name in index.stored:
        if name in index.key:
            yield StoredColumnIsKey(index.name, name)
        if name in keys:
            yield StoredColumnIsTableKey(index.name, name, table.name)


# ---------------------------------------------------------------------------- text


def search_index_text(index: SearchIndex) -> str:
    """Return CREATE SEARCH INDEX."""
    text = f"CREATE SEARCH INDEX {_head(index)}{_storing(index.stored)}"
    if index.partition_by:
        text += f" PARTITION BY {_quoted(index.partition_by)}"
    if index.order_by:
        text += f" ORDER BY {', '.join(map(_part_text, index.order_by))}"
    text += where_text(index.where_not_null)
    if index.parent is not None:
        text += f", INTERLEAVE IN {quoted_path(index.parent)}"
    return text + (clause_options(index.options.items()) if index.options else "")


def vector_index_text(index: VectorIndex) -> str:
    """Return CREATE VECTOR INDEX."""
    text = f"CREATE VECTOR INDEX {_head(index)}{_storing(index.stored)}"
    if index.partition_by:
        text += f" PARTITION BY {_quoted(index.partition_by)}"
    return text + where_text(index.where_not_null) + options_text(index.options)


def _head(index: SearchIndex | VectorIndex) -> str:
    return f"{quoted_path(index.name)} ON {quoted_path(index.table)}({_quoted(index.key)})"


def _storing(names: Sequence[str]) -> str:
    return f" STORING ({_quoted(names)})" if names else ""


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(quoted(name) for name in names)


def _part_text(part: NamedPart) -> str:
    name, descending = part
    return f"{quoted(name)} DESC" if descending else quoted(name)


# ---------------------------------------------------------------------------- description


def _indexes_on_table(schema: Schema, table: Table) -> Iterator[SpannerError]:
    """Yield the error that names the search indexes and vector indexes of a table to drop."""
    indexes = [index.name for index in _indexes_of(schema) if index.table == table.name]
    if indexes:
        yield TableHasIndexes(table.name, ",".join(indexes))


def _indexes_over_column(schema: Schema, table: Table, column: str) -> Iterator[SpannerError]:
    for index in _indexes_of(schema):
        if index.table == table.name and column in index.columns:
            yield ColumnInIndex(table.name, column, index.name)


def _indexes_of(schema: Schema) -> list[SearchIndex | VectorIndex]:
    return [*schema.search_indexes.values(), *schema.vector_indexes.values()]


def renamed_index(index: AnyIndex, old: str, new: str) -> AnyIndex:
    """Return an index after its table or the table it is interleaved in was renamed."""
    if old not in (index.table, index.parent):
        return index
    return replace(
        index,
        table=new if index.table == old else index.table,
        parent=new if index.parent == old else index.parent,
    )


def _renamed_vector_index(index: VectorIndex, old: str, new: str) -> VectorIndex:
    return replace(index, table=new) if index.table == old else index


def _depends_on(index: SearchIndex | VectorIndex, _schema: Schema) -> Iterable[tuple[str, str]]:
    return [(index.table, "index on")]


# The checks of dependents cover both kinds, as one error names all indexes.
SEARCH_INDEX = ObjectKind(
    words="SEARCH INDEX",
    label=_LABEL,
    field="search_indexes",
    alter=ddl_ast.AlterSearchIndex,
    redefine=_altered_search_index,
    drop=ddl_ast.DropSearchIndex,
    statements=((ddl_ast.CreateSearchIndex, _create_search_index),),
    table_dependents=_indexes_on_table,
    column_dependents=_indexes_over_column,
    renamed=renamed_index,
    depends_on=_depends_on,
    text=search_index_text,
)
VECTOR_INDEX = ObjectKind(
    words="VECTOR INDEX",
    label=_VECTOR_LABEL,
    field="vector_indexes",
    alter=ddl_ast.AlterVectorIndex,
    redefine=_altered_vector_index,
    drop=ddl_ast.DropVectorIndex,
    statements=((ddl_ast.CreateVectorIndex, _create_vector_index),),
    renamed=_renamed_vector_index,
    depends_on=_depends_on,
    text=vector_index_text,
)
