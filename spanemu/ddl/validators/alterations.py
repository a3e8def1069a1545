"""Rules for changes of columns by ALTER COLUMN."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spanemu.base.errors import SpannerError
from spanemu.ddl.errors.alterations import (
    CannotChangeGeneratedExpression,
    CannotChangeKeyColumn,
    CannotChangeStoredAttribute,
    CannotChangeStoredType,
    CannotChangeType,
    CannotDropIdentity,
    CannotMakeGenerated,
    CannotMakeIdentity,
    CannotMakeRegular,
    ColumnInRowDeletionPolicy,
    ColumnTypeInCheck,
    ColumnTypeInForeignKey,
    ColumnTypeInGeneratedColumn,
    CommitTimestampInForeignKey,
    KeyColumnHasChildren,
    NotNullInForeignKey,
    NotNullInIndex,
    ParentKeyColumnAltered,
    VectorLengthAdded,
    VectorLengthRemoved,
)
from spanemu.ddl.errors.columns import CommitTimestampDependency
from spanemu.ddl.errors.objects import PlacementKeyInvalid
from spanemu.ddl.errors.tables import CheckOnCommitTimestamp
from spanemu.ddl.expressions import columns_of_checks, columns_of_generated
from spanemu.ddl.kinds.table import column_dependents
from spanemu.ddl.validators.tables import scalar_of
from spanemu.schema.indexes import Index, SearchIndex, SortedIndex, VectorIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, ForeignKey, Table
from spanemu.values.types import TypeCode

_TEXTS = frozenset({TypeCode.STRING, TypeCode.BYTES})
# Types of the same set are stored in the same way.
_BINARIES = frozenset({TypeCode.BYTES, TypeCode.PROTO})
_INTEGERS = frozenset({TypeCode.INT64, TypeCode.ENUM})


@dataclass(frozen=True, slots=True)
class Alteration:
    """A column of a table before and after ALTER COLUMN; `schema` is the schema before."""

    schema: Schema
    table: Table
    before: Column
    after: Column

    @property
    def place(self) -> tuple[str, str]:
        """The names of the table and the column."""
        return self.table.name, self.before.name

    @property
    def changes_type(self) -> bool:
        return self.before.type != self.after.type

    @property
    def type_codes(self) -> frozenset[TypeCode]:
        """The codes of both types, or of their elements if they are arrays."""
        return frozenset(scalar_of(column.type).code for column in (self.before, self.after))

    @property
    def changes_nullability(self) -> bool:
        return self.before.not_null != self.after.not_null

    def foreign_keys(self) -> Iterator[ForeignKey]:
        """Yield the foreign keys that the column is part of, on either side."""
        yield from foreign_keys_over(self.schema, self.table, self.before)


def foreign_keys_over(schema: Schema, table: Table, column: Column) -> Iterator[ForeignKey]:
    """Yield the foreign keys that a column is part of, on either side."""
    for key in table.foreign_keys:
        if column.name in key.columns:
            yield key
    for _, key in schema.referencing(table):
        if column.name in key.referenced_columns:
            yield key


def shared_key_problems(schema: Schema, table: Table, column: Column) -> Iterator[SpannerError]:
    """Yield why a key column that parent and child tables share cannot be altered.

    Only its options can, which may differ between the tables.
    """
    parent = schema.parent(table)
    if parent is not None:
        shared = table.key_columns[: len(parent.key)]
        if column.id in {shared_column.id for shared_column in shared}:
            yield ParentKeyColumnAltered(table.name, column.name)
    if schema.children(table) and column.id in {key_column.id for key_column in table.key_columns}:
        yield KeyColumnHasChildren(table.name, column.name)


def redefinition_problems(change: Alteration) -> Iterator[SpannerError]:
    """Yield why a column cannot be redefined, except for its new expressions."""
    yield from _key_problems(change)
    yield from _computed_problems(change)
    yield from _type_problems(change)
    yield from _nullability_problems(change)
    yield from _vector_change_problems(change)
    if change.before.placement_key != change.after.placement_key:
        yield PlacementKeyInvalid(*change.place, "only CREATE TABLE says which column is one")


def _vector_change_problems(change: Alteration) -> Iterator[SpannerError]:
    if change.after.vector_length is None and change.before.vector_length is not None:
        yield VectorLengthRemoved(*change.place)
    elif change.after.vector_length != change.before.vector_length:
        yield VectorLengthAdded(*change.place)


def _key_problems(change: Alteration) -> Iterator[SpannerError]:
    yield from shared_key_problems(change.schema, change.table, change.before)
    is_key = change.before.id in {column.id for column in change.table.key_columns}
    if is_key and change.changes_nullability:
        yield CannotChangeKeyColumn(*change.place)


def _computed_problems(change: Alteration) -> Iterator[SpannerError]:
    before, after = change.before, change.after
    if before.generated is None and after.generated is not None:
        yield CannotMakeGenerated(*change.place)
    elif before.generated is not None and after.generated is None:
        yield CannotMakeRegular(*change.place)
    elif before.generated is not None:
        if before.stored != after.stored:
            yield CannotChangeStoredAttribute(*change.place)
        if before.generated != after.generated and (before.stored or _is_used(change)):
            yield CannotChangeGeneratedExpression(*change.place)
        if before.stored and change.changes_type:
            yield CannotChangeStoredType(*change.place)
    if before.identity is None and after.identity is not None:
        yield CannotMakeIdentity(*change.place)
    elif before.identity is not None and after.identity is None:
        yield CannotDropIdentity(*change.place)


def _is_used(change: Alteration) -> bool:
    """Return whether an index, a generated column or a check uses a generated column."""
    schema, table, id_ = change.schema, change.table, change.before.id
    return (
        any(column.id == id_ for index in schema.indexes_of(table) for column in index.columns)
        or any(id_ in used for used in columns_of_generated(table, schema).values())
        or any(id_ in used for used in columns_of_checks(table, schema).values())
    )


def _type_problems(change: Alteration) -> Iterator[SpannerError]:
    if not change.changes_type:
        return
    schema, table, before = change.schema, change.table, change.before
    for id_, used in columns_of_generated(table, schema).items():
        if before.id in used:
            generated = next(column for column in table.columns if column.id == id_)
            yield ColumnTypeInGeneratedColumn(*change.place, generated.name)
    for key in change.foreign_keys():
        yield ColumnTypeInForeignKey(*change.place, key.name)
    for check, used in columns_of_checks(table, schema).items():
        if before.id in used:
            yield ColumnTypeInCheck(*change.place, check)
    if table.row_deletion_policy is not None and table.row_deletion_policy[0] == before.name:
        yield ColumnInRowDeletionPolicy(*change.place)
    yield from column_dependents(schema, table, before.name)
    if not _is_convertible(before, change.after):
        yield CannotChangeType(*change.place, str(before.type), str(change.after.type))


def _is_convertible(before: Column, after: Column) -> bool:
    if before.type.is_array != after.type.is_array:
        return False
    codes = {scalar_of(before.type).code, scalar_of(after.type).code}
    return codes <= _TEXTS or codes <= _BINARIES or codes <= _INTEGERS


def _nullability_problems(change: Alteration) -> Iterator[SpannerError]:
    if not change.changes_nullability:
        return
    for key in change.foreign_keys():
        yield NotNullInForeignKey(*change.place, key.name)
    for index in change.schema.all_indexes_of(change.table):
        if change.before.id in _unfiltered_key(index):
            yield NotNullInIndex(*change.place, index.name)


def _unfiltered_key(index: Index) -> set[int]:
    """Return the ids of the key columns whose NULL does not keep a row out of the index."""
    if isinstance(index, VectorIndex):
        return {column.id for column in index.key if column.name not in index.where_not_null}
    assert isinstance(index, SortedIndex | SearchIndex)
    filtered = {column.id for column in index.filtered}
    return {part.column.id for part in index.declared_key} - filtered


def commit_timestamp_problems(change: Alteration) -> Iterator[SpannerError]:
    """Yield why a column cannot begin to hold commit timestamps."""
    if change.before.allow_commit_timestamp or not change.after.allow_commit_timestamp:
        return
    schema, table, before = change.schema, change.table, change.before
    for key in change.foreign_keys():
        yield CommitTimestampInForeignKey(*change.place, key.name)
    for check, used in columns_of_checks(table, schema).items():
        if before.id in used:
            yield CheckOnCommitTimestamp(check, before.name)
    for id_, used in columns_of_generated(table, schema).items():
        if before.id in used:
            generated = next(column for column in table.columns if column.id == id_)
            yield CommitTimestampDependency(generated.name, before.name)
