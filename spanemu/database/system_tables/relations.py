"""Rows about schemas, tables, columns, views and indexes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from spanemu.base.clock import NANOS_PER_MICRO
from spanemu.base.identifiers import split_name
from spanemu.database.system_tables.declaration import Source, last_part, written
from spanemu.ddl.expressions import columns_of_generated
from spanemu.ddl.kinds.rows import typed
from spanemu.schema.indexes import Index, SearchIndex, VectorIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Identity, Interleave, Table
from spanemu.sql.dialects import dialect_of
from spanemu.storage.layout import tree_of

Rows = Iterator[tuple[Any, ...]]

YES_NO = ("NO", "YES")  # by truth value
COMMITTED = "COMMITTED"


def schemata(source: Source) -> Rows:
    """Yield the rows of SCHEMATA: the default schema with its effective timestamp, then the
    others.

    The proto bundle is a serialized google.protobuf.FileDescriptorSet.
    """
    bundle = source.schema.proto_bundle
    descriptors = None if bundle is None else bundle.descriptors
    yield "", "", source.effective_at // NANOS_PER_MICRO, None, descriptors
    for name in ("INFORMATION_SCHEMA", "SPANNER_SYS", *source.schema.named_schemas.values()):
        yield "", name, None, None, None


def tables(source: Source) -> Rows:
    """Yield the rows of TABLES: tables, their synonyms, views."""
    deletion_policy = dialect_of(source.schema.dialect).row_deletion_policy
    for table in source.schema.tables.values():
        home, name = split_name(table.name)
        yield "", home, name, *_placement(table), deletion_policy(table)
        for synonym in table.synonyms:
            yield "", *split_name(synonym), None, None, "SYNONYM", None, None, None
    for view in source.schema.views.values():
        yield "", *split_name(view.name), None, None, "VIEW", None, None, None


def _placement(table: Table) -> tuple[Any, ...]:
    kind = "QUEUE" if table.is_queue else "BASE TABLE"
    if table.parent is None:
        return None, None, kind, COMMITTED, None
    action = None
    if table.interleave is Interleave.IN_PARENT:
        action = "CASCADE" if table.cascade else "NO ACTION"
    return last_part(table.parent), action, kind, COMMITTED, str(table.interleave)


def table_synonyms(source: Source) -> Rows:
    """Yield the rows of TABLE_SYNONYMS."""
    for table in source.schema.tables.values():
        for synonym in table.synonyms:
            yield "", *split_name(table.name), "", *split_name(synonym)


def views(source: Source) -> Rows:
    """Yield the rows of VIEWS."""
    for view in source.schema.views.values():
        security = "INVOKER" if view.invoker_rights else "DEFINER"
        yield "", *split_name(view.name), view.query, security


# ---------------------------------------------------------------------------- columns

_NO_IDENTITY = ("NO", None, None, None, None, None)
# IS_GENERATED to ON_UPDATE_EXPRESSION of a column that is not computed.
_PLAIN = ("NEVER", False, None, None, COMMITTED, *_NO_IDENTITY, None)


def columns(source: Source) -> Rows:
    """Yield the rows of COLUMNS: columns of tables, then of views."""
    schema = source.schema
    type_text = TypeTexts(schema)
    for table in source.tables():
        home, name = split_name(table.name)
        for position, column in enumerate(table.columns, 1):
            yield (
                "", home, name, column.name, position, column.default, None,
                YES_NO[not column.not_null], type_text.of(column), *_origin(column),
            )  # fmt: skip
    for view in source.views():
        home, name = split_name(view.name)
        for position, (column_name, type_) in enumerate(view.columns, 1):
            yield "", home, name, column_name, position, None, None, "YES", written(type_), *_PLAIN


class TypeTexts:
    """The types of columns as DDL writes them, cached: a schema has many columns and few types."""

    def __init__(self, schema: Schema) -> None:
        self._column_type = dialect_of(schema.dialect).column_type
        self._known: dict[Any, str] = {}

    def of(self, column: Column) -> str:
        """Return the type of a column, whose schema must outlive this object."""
        commit_timestamp = column.allow_commit_timestamp
        key = id(column.type), column.length, column.vector_length, commit_timestamp
        text = self._known.get(key)
        if text is None:
            text = self._known[key] = self._column_type(column)
        return text


def _origin(column: Column) -> tuple[Any, ...]:
    """Return the columns IS_GENERATED to ON_UPDATE_EXPRESSION."""
    generated = column.generated
    if generated is None:
        if column.identity is None and column.on_update is None and not column.hidden:
            return _PLAIN
        computed: tuple[Any, ...] = ("NEVER", column.hidden, None, None)
    else:
        computed = ("ALWAYS", column.hidden, generated, YES_NO[column.stored])
    return *computed, COMMITTED, *identity_facts(column.identity), column.on_update


def identity_facts(identity: Identity | None) -> tuple[str | None, ...]:
    """Return IS_IDENTITY, IDENTITY_GENERATION, _KIND, _START_WITH_COUNTER and _SKIP_RANGE_MIN,
    _MAX.
    """
    if identity is None:
        return _NO_IDENTITY
    kind = None if identity.kind is None else "BIT_REVERSED_POSITIVE_SEQUENCE"
    start = None if identity.start_counter is None else str(identity.start_counter)
    low, high = (None, None) if identity.skip_range is None else map(str, identity.skip_range)
    return "YES", "BY DEFAULT", kind, start, low, high


def column_column_usage(source: Source) -> Rows:
    """Yield the rows of COLUMN_COLUMN_USAGE: the columns that generated columns depend on."""
    used_by_table = _used_by_generated(source)
    for table in source.tables():
        used = used_by_table.get(table.id)
        if used is None:
            continue
        home, name = split_name(table.name)
        by_id = {column.id: column.name for column in table.columns}
        for column in table.columns:
            for id_ in sorted(used.get(column.id, ())):
                yield "", home, name, by_id[id_], column.name


def _used_by_generated(source: Source) -> Mapping[int, Mapping[int, frozenset[int]]]:
    """Return the ids of the columns that each generated column names, by table id.

    Every expression must be analyzed, so the result is computed once per generation.
    """
    schema = source.schema
    used_columns: Mapping[int, Mapping[int, frozenset[int]]] = source.generation.compiled(
        columns_of_generated,
        lambda: {
            table.id: columns_of_generated(table, schema)
            for table in schema.tables.values()
            if any(column.generated is not None for column in table.columns)
        },
    )
    return used_columns


PRIMARY_KEY = "PRIMARY_KEY"  # the index name and the index type of a primary key
# The columns of INDEXES for each primary key, from INDEX_NAME on.
PRIMARY_KEY_FACTS = (PRIMARY_KEY, PRIMARY_KEY, "", True, False, None, False, None, None, None)


def indexes(source: Source) -> Rows:
    """Yield the rows of INDEXES: the indexes of a table, then its primary key."""
    schema = source.schema
    for table in source.tables():
        home, name = split_name(table.name)
        for index in schema.indexes_of(table):
            parent = "" if index.parent is None else last_part(index.parent)
            yield (
                "", home, name, last_part(index.name), "INDEX", parent, index.unique,
                index.null_filtered, "READ_WRITE" if index.ready else "WRITE_ONLY",
                index.is_managed, filter_text(index, schema), None, None,
            )  # fmt: skip
        yield "", home, name, *PRIMARY_KEY_FACTS
    for kind, special in _special(schema):
        parent = "" if special.parent is None else last_part(special.parent)
        yield (
            "", *split_name(special.table), last_part(special.name), kind, parent, False, False,
            "READ_WRITE" if special.ready else "WRITE_ONLY", False,
            filter_text(special, schema), *_search_order(special),
        )  # fmt: skip


def filter_text(index: Index, schema: Schema) -> str | None:
    """Return the condition of a partial index, None for an index without."""
    if not index.where_not_null:
        return None
    quoted = dialect_of(schema.dialect).quoted
    return " AND ".join(f"{quoted(name)} IS NOT NULL" for name in index.where_not_null)


def _search_order(index: SearchIndex | VectorIndex) -> tuple[list[str] | None, list[str] | None]:
    """Return SEARCH_PARTITION_BY and SEARCH_ORDER_BY, each None for an index without."""
    if isinstance(index, VectorIndex):
        return None, None
    partition = [column.name for column in index.partition_by]
    ordered = [f"{part.column.name}{' DESC' * part.descending}" for part in index.order_by]
    return partition or None, ordered or None


def index_options(source: Source) -> Rows:
    """Yield the rows of INDEX_OPTIONS: the options that are set."""
    schema = source.schema
    kinds = chain((("INDEX", index) for index in schema.indexes.values()), _special(schema))
    for kind, index in kinds:
        head = "", *split_name(index.table), last_part(index.name), kind
        for option, value in index.options.items():
            if value is not None:
                yield *head, option, *typed(value)
        if isinstance(index, VectorIndex):
            for option, value in tree_of_vectors(index, source).items():
                yield *head, option, *typed(value)


# What Spanner recommends: rows in a leaf, leaves in a branch, and rows in a tree of depth 2.
_ROWS_PER_LEAF, _LEAVES_PER_BRANCH, _ROWS_OF_TWO_LEVELS = 500, 100, 10_000_000


def tree_of_vectors(index: VectorIndex, source: Source) -> Mapping[str, int]:
    """Return the shape of the tree that Spanner would make for the rows of a vector index."""
    table = source.schema.tables[source.schema.fold(index.table)]
    rows = source.core.store.row_count(tree_of(table))
    options = index.options
    is_deep = "num_branches" in options or rows > _ROWS_OF_TWO_LEVELS
    depth = options.get("tree_depth") or (3 if is_deep else 2)
    leaves = options.get("num_leaves") or max(1, rows // _ROWS_PER_LEAF)
    shape = {"system_optimized_tree_depth": depth, "system_optimized_num_leaves": leaves}
    if depth == 3:
        branches = options.get("num_branches") or max(1, leaves // _LEAVES_PER_BRANCH)
        shape["system_optimized_num_branches"] = branches
    return shape


def _special(schema: Schema) -> Iterator[tuple[str, SearchIndex | VectorIndex]]:
    vector = schema.dialect.vector_index_type
    yield from (("SEARCH", index) for index in schema.search_indexes.values())
    yield from ((vector, index) for index in schema.vector_indexes.values())


def index_columns(source: Source) -> Rows:
    """Yield the rows of INDEX_COLUMNS: key parts, then stored columns without a position."""
    schema = source.schema
    type_text = TypeTexts(schema)
    for table in source.tables():
        home, name = split_name(table.name)
        for index in schema.indexes_of(table):
            head = "", home, name, last_part(index.name), "INDEX"
            filtered = {column.id for column in index.filtered}
            for position, part in enumerate(index.key, 1):
                column = part.column
                nullable = YES_NO[not column.not_null and column.id not in filtered]
                order = schema.orders.text(part.order)
                yield *head, column.name, position, order, nullable, type_text.of(column)
            for column in index.stored:
                nullable = YES_NO[not column.not_null]
                yield *head, column.name, None, None, nullable, type_text.of(column)
        head = "", home, name, PRIMARY_KEY, PRIMARY_KEY
        for position, part in enumerate(table.key, 1):
            column, order = part.column, schema.orders.text(part.order)
            yield (
                *head,
                column.name,
                position,
                order,
                YES_NO[not column.not_null],
                type_text.of(column),
            )
    for kind, special in _special(schema):
        head = "", *split_name(special.table), last_part(special.name), kind
        for position, (column, ordering) in enumerate(_special_key(special, schema), 1):
            nullable = YES_NO[not column.not_null]
            yield *head, column.name, position, ordering, nullable, type_text.of(column)
        for column in special.stored:
            nullable = YES_NO[not column.not_null]
            yield *head, column.name, None, None, nullable, type_text.of(column)


def _special_key(
    index: SearchIndex | VectorIndex, schema: Schema
) -> Iterator[tuple[Column, str | None]]:
    """Yield the columns of a key with their order; token lists and embeddings have none."""
    if isinstance(index, SearchIndex):
        yield from ((column, None) for column in index.key)
        yield from ((part.column, schema.orders.text(part.order)) for part in index.declared_key)
    else:
        yield index.key[0], None
        yield from ((column, "ASC") for column in index.key[1:])
