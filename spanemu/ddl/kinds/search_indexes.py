"""Search indexes and vector indexes: declared, printed and listed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spanemu.base.errors import SpannerError, Unsupported
from spanemu.base.limits import KEY_PARTS_MAX, VECTOR_LENGTH_MAX
from spanemu.ddl.change import Change, Job, with_index
from spanemu.ddl.errors.alterations import ColumnInIndex
from spanemu.ddl.errors.indexes import (
    IndexColumnTwice,
    IndexFilterColumn,
    IndexInOtherSchema,
    IndexInterleavedInParent,
    IndexPartMissing,
    IndexWithoutKey,
    SearchIndexByTokens,
    SearchIndexInvalid,
    SearchIndexOptionsInvalid,
    SearchIndexOrderNull,
    SearchIndexOrderType,
    SearchIndexParentInvalid,
    SearchIndexTokenOrder,
    StoredColumnIsKey,
    StoredColumnIsTableKey,
    StoredColumnNotFound,
    VectorIndexColumnNotStored,
    VectorIndexColumnTwice,
    VectorIndexFilterColumn,
    VectorIndexInvalid,
    VectorIndexKeyStored,
    VectorIndexOptionsInvalid,
    VectorIndexPartitioned,
)
from spanemu.ddl.errors.objects import BadObjectOption, UnknownObjectOption
from spanemu.ddl.errors.tables import TableHasIndexes, TooManyKeyColumns
from spanemu.ddl.jobs import fill_index
from spanemu.ddl.kinds.kind import ObjectKind
from spanemu.ddl.naming import (
    addressed_column,
    column_of,
    find_object,
    index_name_problems,
    schema_part,
    table_of,
)
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.indexes import index_column_problems, key_type_problems
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
from spanemu.ddl.validators.tables import is_key_type
from spanemu.schema.indexes import Index, SearchIndex, SortedIndex, VectorIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, KeyPart, Table
from spanemu.sql import ddl_ast
from spanemu.sql.syntax_tree import Identifier
from spanemu.values.order import SortOrder
from spanemu.values.types import INT64, TypeCode

_LABEL = "Search index"
_RULES: Rules = {
    "sort_order_sharding": TRUE_OR_FALSE,
    "disable_automatic_uid_column": TRUE_OR_FALSE,
}


def _create_search_index(statement: ddl_ast.CreateSearchIndex, schema: Schema) -> Change:
    name = str(statement.name)
    table = table_of(schema, statement.table)
    raise_first(index_name_problems(name, schema))
    raise_first(_clause_problems(name, statement))
    columns = _Columns(name, table)
    partition = columns.listed(statement.partition_by)
    ordered = columns.of_key(statement.order_by)
    declared = {column.name for column in (*partition, *ordered)}
    index = SearchIndex(
        name=name,
        id=schema.next_id,
        table=table.name,
        key=columns.of_key(statement.key),
        stored=columns.listed(statement.storing),
        partition_by=partition,
        partition_orders=_partition_orders(statement, len(partition), schema),
        order_by=tuple(
            [
                KeyPart(column, schema.orders.order(descending=part.descending))
                for column, part in zip(ordered, statement.order_by, strict=True)
            ]
        ),
        suffix=tuple([part for part in table.key if part.column.name not in declared]),
        where_not_null=columns.filtered(statement.where_not_null),
        parent=None if statement.interleave is None else str(statement.interleave.table),
        options=_options((_LABEL, name), statement.options, _RULES, SearchIndexOptionsInvalid),
    )
    raise_first(_search_problems(index, table, schema))
    return Change(with_index(schema, index), [fill_index(index)])


def _partition_orders(
    statement: ddl_ast.CreateSearchIndex, parts: int, schema: Schema
) -> tuple[SortOrder, ...]:
    """Return the orders of the partition columns: those of the table to interleave in come first.

    The keys of entries begin with the keys of that table.
    """
    parent = statement.interleave and find_object(schema, "tables", str(statement.interleave.table))
    shared = [part.order for part in parent.key] if parent else []
    own = [schema.orders.order()] * parts
    return (*shared[:parts], *own[len(shared) :])


def _altered_search_index(
    statement: ddl_ast.AlterSearchIndex, index: SearchIndex, schema: Schema
) -> SearchIndex:
    action, table = statement.action, schema.tables[schema.fold(index.table)]
    if isinstance(action, ddl_ast.AddIndexColumn):
        before = index.stored if action.stored else index.key
        added = _Columns(index.name, table).listed((action.column,), after=before)
        after = (
            replace(index, stored=before + added)
            if action.stored
            else replace(index, key=before + added)
        )
    elif isinstance(action, ddl_ast.DropIndexColumn):
        after = _without(index, action)
    else:
        raise Unsupported("ALTER SEARCH INDEX SET OPTIONS")
    raise_first(_search_problems(after, table, schema))
    return after


def _without(index: SearchIndex, action: ddl_ast.DropIndexColumn) -> SearchIndex:
    name = action.column.name
    held, part = (index.stored, "stored column") if action.stored else (index.key, "column")
    left = tuple([column for column in held if column.name != name])
    if len(left) == len(held):
        raise IndexPartMissing(index.name, part, name)
    return replace(index, stored=left) if action.stored else replace(index, key=left)


class _Columns:
    """The columns of a table by the names in the lists of an index."""

    def __init__(self, index: str, table: Table) -> None:
        self._index = index
        self._table = table

    def of_key(self, parts: Sequence[ddl_ast.KeyPart]) -> tuple[Column, ...]:
        """Return the columns of key parts."""
        return self.listed([part.column for part in parts])

    def listed(
        self, names: Sequence[Identifier], after: Sequence[Column] = ()
    ) -> tuple[Column, ...]:
        """Return the columns of a list, or of a list that continues `after`.

        Raise the error for a column that the table does not have, or that is named twice.
        """
        texts = [column.name for column in after] + [name.name for name in names]
        raise_first(index_column_problems(self._index, self._table, texts))
        return tuple([column_of(self._table, name) for name in names])

    def filtered(self, names: Sequence[Identifier]) -> tuple[str, ...]:
        """Return the names of columns, which exist, as the statement writes them."""
        self.listed(names)
        return tuple([name.name for name in names])


_VECTOR_LABEL = "Vector index"
_MANY = whole(1, 2**31 - 1)
_VECTOR_RULES: Rules = {
    "distance_type": words("COSINE", "DOT_PRODUCT", "EUCLIDEAN"),
    "tree_depth": whole(2, 3),
    "num_leaves": _MANY,
    "num_branches": _MANY,
    "leaf_scatter_factor": whole(0, 32),
    "min_branch_splits": _MANY,
    "min_leaf_splits": _MANY,
    "locality_group": Rule(is_text, "the name of a locality group"),
    "disable_search": TRUE_OR_FALSE,
}


def _create_vector_index(statement: ddl_ast.CreateVectorIndex, schema: Schema) -> Change:
    name = str(statement.name)
    if statement.if_not_exists and schema.index_in_any_case(name) is not None:
        return Change(schema)
    table = table_of(schema, statement.table)
    raise_first(index_name_problems(name, schema))
    raise_first(_vector_clause_problems(name, statement))
    columns = _Columns(name, table)
    index = VectorIndex(
        name=name,
        id=schema.next_id,
        table=table.name,
        key=columns.of_key(statement.key),
        stored=columns.listed(statement.storing),
        where_not_null=columns.filtered(statement.where_not_null),
        options=_vector_options(name, statement.options, _VECTOR_RULES),
    )
    if "distance_type" not in index.options:
        raise VectorIndexOptionsInvalid(name, "the option distance_type is required")
    raise_first(_vector_problems(index, table, schema))
    return Change(with_index(schema, index), [fill_index(index)] if index.has_entries else ())


def _altered_vector_index(
    statement: ddl_ast.AlterVectorIndex, index: VectorIndex, schema: Schema
) -> VectorIndex:
    action = statement.action
    table = schema.tables[schema.fold(index.table)]
    if isinstance(action, ddl_ast.AddIndexColumn):
        column = addressed_column(table, action.column)
        if column in index.stored:
            raise VectorIndexColumnTwice(index.name, column.name)
        if column in index.key:
            raise VectorIndexKeyStored(index.name, column.name)
        after = replace(index, stored=(*index.stored, column))
    elif isinstance(action, ddl_ast.DropIndexColumn):
        name = action.column.name
        left = tuple([column for column in index.stored if column.name != name])
        if len(left) == len(index.stored):
            is_embedding = name == index.key[0].name
            missing = VectorIndexColumnNotStored if is_embedding else StoredColumnNotFound
            raise missing(index.name, name)
        after = replace(index, stored=left)
    elif isinstance(action, ddl_ast.SetIndexOptions):
        rules = {"disable_search": TRUE_OR_FALSE}
        options = _vector_options(index.name, action.options, rules, index.options)
        after = replace(index, options=options)
    else:
        raise Unsupported("ALTER VECTOR INDEX ALTER STORED COLUMN")
    raise_first(_vector_problems(after, table, schema))
    return after


def _vector_options(
    index: str,
    written: ddl_ast.Options | None,
    rules: Rules,
    before: Mapping[str, Any] | None = None,
) -> Mapping[str, Any]:
    owner = _VECTOR_LABEL, index
    return _options(owner, written, rules, VectorIndexOptionsInvalid, before)


def _options(
    owner: tuple[str, str],
    written: ddl_ast.Options | None,
    rules: Rules,
    invalid: Callable[[str, str], SpannerError],
    before: Mapping[str, Any] | None = None,
) -> Mapping[str, Any]:
    """Return the options of an index after those written; raise `invalid` for others."""
    try:
        return changed_options(owner, written, rules, before)
    except UnknownObjectOption as unknown:
        reason = f"there is no option {unknown.option}, but {unknown.supported}"
    except BadObjectOption as bad:
        reason = f"{bad.option} is {bad.value}, and must be {bad.supported}"
    raise invalid(owner[1], reason)


# ---------------------------------------------------------------------------- rules

_ORDER_TYPES = frozenset({INT64})


def _clause_problems(index: str, statement: ddl_ast.CreateSearchIndex) -> Iterator[SpannerError]:
    # Token columns have no order.
    for part in statement.key:
        if part.order is not None or part.nulls is not None:
            yield SearchIndexTokenOrder(index, part.column.name)
    # The column to order by has no NULLs in an index.
    if any(part.nulls is not None for part in statement.order_by):
        yield Unsupported("NULLS FIRST and NULLS LAST in a search index")
    clause = statement.interleave
    if clause is not None and (clause.in_parent or clause.on_delete is not None):
        yield IndexInterleavedInParent(index, str(clause.table))


def _search_problems(index: SearchIndex, table: Table, schema: Schema) -> Iterator[SpannerError]:
    yield from _shared_problems(index, table)
    for column in index.key:
        if column.type.code is not TypeCode.TOKENLIST:
            yield SearchIndexInvalid(index.name, column.name, "is not of type TOKENLIST")
    for column in index.partition_by:
        if column.type.code is TypeCode.TOKENLIST:
            yield SearchIndexByTokens(index.name, column.name)
        elif not is_key_type(column.type, schema):
            reason = f"is of type {column.type}, which cannot partition"
            yield SearchIndexInvalid(index.name, column.name, reason)
    for part in index.declared_key:
        if part.column in index.stored:
            yield StoredColumnIsKey(index.name, part.column.name)
    yield from _order_problems(index, [part.column for part in index.order_by])
    yield from _filter_problems(index)
    # All token lists count as one part of the key, and so does the hidden number of a row.
    parts = len(index.full_key) + (1 if index.unique else 2)
    if parts > KEY_PARTS_MAX:
        yield TooManyKeyColumns("Index", index.name, parts, KEY_PARTS_MAX)
    if index.parent is not None:
        yield from _parent_problems(index, schema)


def _order_problems(index: SearchIndex, ordered: Sequence[Column]) -> Iterator[SpannerError]:
    for column in ordered:
        if column.type not in _ORDER_TYPES:
            yield SearchIndexOrderType(index.name, column.name, str(column.type))
        elif not column.not_null and column.name not in index.where_not_null:
            yield SearchIndexOrderNull(index.name, column.name)
        if column in index.partition_by:
            yield IndexColumnTwice(index.name, column.name)
    for column in ordered[1:]:
        yield SearchIndexInvalid(index.name, column.name, "is a second column to order by")


def _filter_problems(index: SearchIndex) -> Iterator[SpannerError]:
    for column in index.filtered:
        if column.type.is_array or column.type.code is TypeCode.TOKENLIST:
            reason = f"is of type {column.type}, whose NULLs cannot be left out"
            yield SearchIndexInvalid(index.name, column.name, reason)


def _parent_problems(index: SearchIndex, schema: Schema) -> Iterator[SpannerError]:
    assert index.parent is not None
    parent = find_object(schema, "tables", index.parent)

    def refuse(reason: str) -> SpannerError:
        return SearchIndexParentInvalid(index.name, str(index.parent), reason)

    if parent is None:
        yield refuse("it does not exist")
        return
    if parent.parent is not None:
        yield refuse("it is not a root table")
    if not index.options.get("sort_order_sharding"):
        yield refuse("only an index with sort_order_sharding can be interleaved")
    keys = [(column.name, column.type) for column in parent.key_columns]
    if [(column.name, column.type) for column in index.partition_by[: len(keys)]] != keys:
        yield refuse("PARTITION BY does not begin with its primary key")


def _vector_clause_problems(
    index: str, statement: ddl_ast.CreateVectorIndex
) -> Iterator[SpannerError]:
    if statement.partition_by:
        yield VectorIndexPartitioned(index)
    for part in statement.key:
        if part.order is not None or part.nulls is not None:
            yield VectorIndexInvalid(index, part.column.name, "cannot have an order")


def _vector_problems(index: VectorIndex, table: Table, schema: Schema) -> Iterator[SpannerError]:
    yield from _shared_problems(index, table, VectorIndexFilterColumn)
    yield from _embedding_problems(index, index.key[0])
    for column in index.key[1:]:
        yield from key_type_problems(index.name, column, schema)
    branches, leaves = index.options.get("num_branches"), index.options.get("num_leaves")
    if branches is not None and index.options.get("tree_depth", 3) != 3:
        yield VectorIndexOptionsInvalid(index.name, "num_branches requires a tree_depth of 3")
    if branches is not None and leaves is not None and branches >= leaves:
        yield VectorIndexOptionsInvalid(
            index.name, f"num_branches, {branches}, must be fewer than num_leaves, {leaves}"
        )
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
        yield refuse(
            f"has vector_length {column.vector_length}, which is larger than the maximum allowed "
            f"vector_length {VECTOR_LENGTH_MAX}"
        )
    if not column.not_null and column.name not in index.where_not_null:
        yield refuse(f"must be NOT NULL, or null filtered by `WHERE {column.name} IS NOT NULL`")


def _shared_problems(
    index: SearchIndex | VectorIndex,
    table: Table,
    bad_filter: Callable[[str, str], SpannerError] = IndexFilterColumn,
) -> Iterator[SpannerError]:
    if schema_part(index.name) != schema_part(table.name):
        yield IndexInOtherSchema(index.name, table.name)
    if not index.key:
        yield IndexWithoutKey(index.name)
    keys = {column.name for column in table.key_columns}
    held = {column.name for column in index.columns}
    for name in index.where_not_null:
        if name not in held | keys:
            yield bad_filter(index.name, name)
    for column in index.stored:
        if column in index.key:
            yield StoredColumnIsKey(index.name, column.name)
        if column.name in keys:
            yield StoredColumnIsTableKey(index.name, column.name, table.name)


# ---------------------------------------------------------------------------- description


def _indexes_on_table(schema: Schema, table: Table) -> Iterator[SpannerError]:
    """Yield the error that names the search indexes and vector indexes of a table to drop."""
    indexes = [index.name for index in _special_indexes(schema, table)]
    if indexes:
        yield TableHasIndexes(table.name, ",".join(indexes))


def _indexes_over_column(schema: Schema, table: Table, column: str) -> Iterator[SpannerError]:
    for index in _special_indexes(schema, table):
        if column in index.named_columns:
            yield ColumnInIndex(table.name, column, index.name)


def _special_indexes(schema: Schema, table: Table) -> list[Index]:
    return [each for each in schema.all_indexes_of(table) if not isinstance(each, SortedIndex)]


def _renamed(index: Index, old: str, new: str) -> Index:
    return index.renamed(old, new)


def _written_again(statement: ddl_ast.DdlStatement, index: SearchIndex) -> Sequence[Job]:
    """Return the job that writes all entries of an altered index again."""
    is_altered = isinstance(statement, ddl_ast.AlterSearchIndex)
    return [fill_index(index)] if is_altered else ()


def _depends_on(index: SearchIndex | VectorIndex, _schema: Schema) -> Iterable[tuple[str, str]]:
    return [(index.table, "index on")]


# The checks of dependents cover both kinds, as one error names all indexes.
SEARCH_INDEX = ObjectKind(
    words="SEARCH INDEX",
    label=_LABEL,
    field="search_indexes",
    alter=ddl_ast.AlterSearchIndex,
    redefine=_altered_search_index,
    jobs=_written_again,
    drop=ddl_ast.DropSearchIndex,
    statements=((ddl_ast.CreateSearchIndex, _create_search_index),),
    table_dependents=_indexes_on_table,
    column_dependents=_indexes_over_column,
    renamed=_renamed,
    depends_on=_depends_on,
)
VECTOR_INDEX = ObjectKind(
    words="VECTOR INDEX",
    label=_VECTOR_LABEL,
    field="vector_indexes",
    alter=ddl_ast.AlterVectorIndex,
    redefine=_altered_vector_index,
    drop=ddl_ast.DropVectorIndex,
    statements=((ddl_ast.CreateVectorIndex, _create_vector_index),),
    renamed=_renamed,
    depends_on=_depends_on,
)
