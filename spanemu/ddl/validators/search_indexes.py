"""Search indexes and vector indexes as declared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spanemu.base.errors import SpannerError
from spanemu.base.limits import VECTOR_LENGTH_MAX
from spanemu.ddl.errors.indexes import (
    IndexInOtherSchema,
    IndexWithoutKey,
    SearchIndexInvalid,
    SearchIndexParentInvalid,
    StoredColumnIsKey,
    StoredColumnIsTableKey,
    VectorIndexInvalid,
)
from spanemu.ddl.lookup import find_object, schema_part
from spanemu.ddl.validators.indexes import index_column_problems
from spanemu.ddl.validators.options import locality_group_problems
from spanemu.schema.column import Column
from spanemu.schema.index import SearchIndex, VectorIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql import ddl_ast
from spanemu.values.types import INT64, TypeCode

_ORDER_TYPES = frozenset({INT64})


def key_order_problems(index: str, key: Sequence[ddl_ast.KeyPart]) -> Iterator[SpannerError]:
    """Token columns have no order."""
    for part in key:
        if part.order is not None or part.nulls is not None:
            yield SearchIndexInvalid(index, part.column.name, "is a token key without order")


def search_index_problems(
    index: SearchIndex, table: Table, schema: Schema
) -> Iterator[SpannerError]:
    """What is wrong with a search index, new or altered."""
    ordered = tuple(name for name, _ in index.order_by)
    lists = (index.key, index.stored, index.partition_by, ordered, index.where_not_null)
    yield from _shared_problems(index, table, lists)
    columns = table.by_name
    for name in index.key:
        if columns[name.lower()].type.code is not TypeCode.TOKENLIST:
            yield SearchIndexInvalid(index.name, name, "is not of type TOKENLIST")
    for name in index.partition_by:
        if columns[name.lower()].type.code is TypeCode.TOKENLIST:
            yield SearchIndexInvalid(index.name, name, "is a TOKENLIST, which cannot partition")
    yield from _order_problems(index, [columns[name.lower()] for name in ordered])
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


def vector_index_problems(
    index: VectorIndex, table: Table, schema: Schema
) -> Iterator[SpannerError]:
    """What is wrong with a vector index, new or altered."""
    lists = (index.key, index.stored, index.partition_by, index.where_not_null)
    yield from _shared_problems(index, table, lists)
    embedding = table.by_name[index.key[0].lower()]
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
    for name in index.stored:
        if name in index.key:
            yield StoredColumnIsKey(index.name, name)
        if name in keys:
            yield StoredColumnIsTableKey(index.name, name, table.name)
