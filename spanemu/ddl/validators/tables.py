"""Rules for columns, primary keys, parents, foreign keys and row deletion policies of tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spanemu.base.errors import SpannerError
from spanemu.base.limits import (
    BYTES_LENGTH_MAX,
    KEY_PARTS_MAX,
    NON_KEY_BYTES_MAX,
    STRING_LENGTH_MAX,
)
from spanemu.ddl.errors import columns as column_errors
from spanemu.ddl.errors import tables as table_errors
from spanemu.ddl.naming import column_name_problems, find_column
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, ForeignKey, Interleave, KeyPart, Table
from spanemu.values.key import can_be_key
from spanemu.values.types import INT64, STRING, Type, TypeCode, array_of
from spanemu.values.value import INT64_MAX

LENGTHS_MAX = {TypeCode.STRING: STRING_LENGTH_MAX, TypeCode.BYTES: BYTES_LENGTH_MAX}


def scalar_of(type_: Type) -> Type:
    """Return the type itself, or the type of an array's elements."""
    return type_.item() if type_.is_array else type_


def column_problems(table: str, column: Column, schema: Schema) -> Iterator[SpannerError]:
    """Yield the problems with a column, except for its expressions."""
    yield from column_name_problems(table, column.name, schema)
    yield from _length_problems(table, column)
    yield from _vector_problems(table, column)
    if column.type.code is TypeCode.TOKENLIST and not column.hidden:
        yield column_errors.TokenListNotHidden(table, column.name)
    if column.type.code is TypeCode.TOKENLIST and column.generated is None:
        yield column_errors.TokenListNotGenerated(table, column.name)
    if column.type.is_array and column.type.item().code is TypeCode.TOKENLIST:
        yield column_errors.TypeNotStorable(table, column.name, str(column.type))
    if "allow_commit_timestamp" in column.options and column.type.code is not TypeCode.TIMESTAMP:
        yield column_errors.CommitTimestampType(table, column.name)
    if column.identity is not None and column.type != INT64:
        yield column_errors.IdentityNotInteger(table, column.name, str(column.type))
    if column.generated is not None and column.allow_commit_timestamp:
        yield column_errors.CommitTimestampOnGenerated(table, column.name)
    if column.is_virtual:
        if column.not_null:
            yield column_errors.VirtualNotNull(table, column.name)
        if column.length is not None:
            yield column_errors.VirtualWithLength(table, column.name)


def _length_problems(table: str, column: Column) -> Iterator[SpannerError]:
    most = LENGTHS_MAX.get(scalar_of(column.type).code)
    if most is not None and column.length is not None and not 1 <= column.length <= most:
        yield column_errors.BadLength(table, column.name, column.length, most)


_BYTES_PER_UNIT = {TypeCode.STRING: 4, TypeCode.BYTES: 1}  # of a declared length


def width_problems(table: Table) -> Iterator[SpannerError]:
    """Yield the error for a table whose stored columns may hold too much besides the key."""
    key = {column.name for column in table.key_columns}
    declared = sum(
        (column.length or LENGTHS_MAX[column.type.code]) * _BYTES_PER_UNIT[column.type.code]
        for column in table.columns
        if column.type.code in _BYTES_PER_UNIT and column.name not in key and not column.is_virtual
    )
    if declared > NON_KEY_BYTES_MAX:
        yield table_errors.TableTooWide(table.name, declared, NON_KEY_BYTES_MAX)


DICTIONARY_OPTION = "fulltext_dictionary_table"
_DICTIONARY_COLUMNS = {"key": STRING, "value": array_of(STRING)}


def dictionary_problems(table: Table) -> Iterator[SpannerError]:
    """Yield the problems with a dictionary of full-text search; other tables are not looked at."""
    if not table.options.get(DICTIONARY_OPTION):
        return
    if "." in table.name:
        yield table_errors.DictionaryInvalid(table.name, "must be in the default schema")
    columns = {column.name.lower(): column.type for column in table.columns}
    if columns != _DICTIONARY_COLUMNS:
        problem = "must have the columns Key of type STRING and Value of type ARRAY<STRING> alone"
        yield table_errors.DictionaryInvalid(table.name, problem)
    elif [column.name.lower() for column in table.key_columns] != ["key"]:
        yield table_errors.DictionaryInvalid(table.name, "must have the primary key Key")
    elif not all(column.not_null for column in table.columns):
        yield table_errors.DictionaryInvalid(table.name, "must have NOT NULL columns")


def _vector_problems(table: str, column: Column) -> Iterator[SpannerError]:
    if column.vector_length is None:
        return
    if not (column.type.is_array and column.type.item().is_float):
        yield column_errors.VectorLengthType(table, column.name, str(column.type))
    if column.vector_length > INT64_MAX:
        yield column_errors.VectorLengthRange(table, column.name, column.vector_length)
    if column.default is not None or column.generated is not None:
        yield column_errors.VectorLengthOnComputed(table, column.name)


def is_key_type(type_: Type, schema: Schema) -> bool:
    """Return whether values of a type can be part of a key in the dialect of the schema."""
    return can_be_key(type_) and type_.code not in schema.dialect.unsorted_types


def primary_key_problems(table: Table, schema: Schema) -> Iterator[SpannerError]:
    """Yield repeated columns, types without order, and too many parts."""
    seen: set[int] = set()
    for column in table.key_columns:
        if column.id in seen:
            yield table_errors.KeyColumnTwice(table.name, column.name)
        seen.add(column.id)
        if not is_key_type(column.type, schema):
            yield table_errors.KeyColumnType(table.name, column.name, column.type.kind)
    if len(table.key) > KEY_PARTS_MAX:
        yield table_errors.TooManyKeyColumns("Table", table.name, len(table.key), KEY_PARTS_MAX)


def parent_key_problems(
    kind: str, name: str, key: Sequence[KeyPart], parent: Table
) -> Iterator[SpannerError]:
    """Yield each way in which a child's key does not begin with its parent's key."""
    positions = {parent.fold(part.column.name): number for number, part in enumerate(key)}
    for expected, parent_part in enumerate(parent.key):
        column = parent_part.column
        position = positions.get(parent.fold(column.name))
        if position is None:
            yield table_errors.ParentKeyMissing(kind, name, column.name)
        elif position != expected:
            yield table_errors.ParentKeyPosition(kind, name, column.name, position)
        else:
            yield from shared_part_problems(kind, name, key[position], parent_part)


def shared_part_problems(
    kind: str, name: str, part: KeyPart, parent_part: KeyPart, *, lengths: bool = True
) -> Iterator[SpannerError]:
    """Yield how a key part differs from the parent's key part at its position."""
    column, parent_column = part.column, parent_part.column
    if column.type != parent_column.type:
        yield table_errors.ParentKeyTypeDiffers(
            kind, name, parent_column.name, str(column.type), str(parent_column.type)
        )
    if lengths and column.length != parent_column.length:
        yield table_errors.ParentKeyLengthDiffers(
            kind, name, parent_column.name, _length(column), _length(parent_column)
        )
    if column.not_null != parent_column.not_null:
        yield table_errors.ParentKeyNullable(
            kind, name, parent_column.name, _nullability(parent_column), _nullability(column)
        )
    if part.order != parent_part.order:
        order = "DESC" if parent_part.descending else "ASC"
        yield table_errors.ParentKeyOrderDiffers(kind, name, parent_column.name, order)


def descent_problems(table: Table, parent: Table, schema: Schema) -> Iterator[SpannerError]:
    """Yield why a table cannot be interleaved in `parent`: no columns, or too deep."""
    if not table.columns:
        yield table_errors.TableWithoutColumns(table.name)
    depth = 1
    above: Table | None = parent
    while above is not None and above.parent is not None:
        above = schema.parent(above)
        depth += 1
    if depth > schema.limits.interleave_depth:
        yield table_errors.InterleavingTooDeep(table.name, schema.limits.interleave_depth)


def _length(column: Column) -> str:
    return "MAX" if column.length is None else str(column.length)


def _nullability(column: Column) -> str:
    return "not null" if column.not_null else "nullable"


def foreign_key_problems(
    foreign_key: ForeignKey, table: Table, referenced: Table, schema: Schema
) -> Iterator[SpannerError]:
    """Yield the problems with the columns on both sides and with their pairs."""
    name = foreign_key.name
    if foreign_key.cascade and not foreign_key.enforced:
        yield table_errors.ForeignKeyActionNotEnforced(name)
    for side, columns in (
        (table, foreign_key.columns),
        (referenced, foreign_key.referenced_columns),
    ):
        yield from _side_problems(name, side, columns, schema)
    if len(foreign_key.columns) != len(foreign_key.referenced_columns):
        yield table_errors.ForeignKeyColumnCount(name, table.name, referenced.name)
    pairs = zip(foreign_key.columns, foreign_key.referenced_columns, strict=False)
    for referencing, referenced_name in pairs:
        column, other = find_column(table, referencing), find_column(referenced, referenced_name)
        if column is not None and other is not None and column.type != other.type:
            yield table_errors.ForeignKeyTypeDiffers(
                name, table.name, column.name, referenced.name, other.name
            )


def _side_problems(
    foreign_key: str, table: Table, names: Sequence[str], schema: Schema
) -> Iterator[SpannerError]:
    seen: set[str] = set()
    for name in names:
        column = find_column(table, name)
        if column is None:
            yield table_errors.ForeignKeyColumnMissing(foreign_key, table.name, name)
            continue
        if name in seen:
            yield table_errors.ForeignKeyColumnTwice(foreign_key, table.name, name)
        seen.add(name)
        if not is_key_type(column.type, schema):
            yield table_errors.ForeignKeyTypeUnsupported(foreign_key, table.name, column.name)
        yield from _timestamp_problems(foreign_key, table, column)


def _timestamp_problems(foreign_key: str, table: Table, column: Column) -> Iterator[SpannerError]:
    if column.allow_commit_timestamp:
        yield table_errors.ForeignKeyCommitTimestamp(foreign_key, table.name, column.name)


def policy_problems(table: Table, schema: Schema) -> Iterator[SpannerError]:
    """Yield the problems with the row deletion policy of a table of `schema`."""
    if table.row_deletion_policy is None:
        return
    name, _ = table.row_deletion_policy
    column = find_column(table, name)
    if column is None:
        yield table_errors.DeletionPolicyColumnMissing(table.name, name)
    elif column.type.code is not TypeCode.TIMESTAMP:
        yield table_errors.DeletionPolicyColumnType(table.name, name)
    for child in _descendants(table, schema):
        if not child.cascade:
            yield table_errors.DeletionPolicyWithNoActionChild(table.name, child.name)
    yield from referenced_policy_problems(table, schema)


def referenced_policy_problems(table: Table, schema: Schema) -> Iterator[SpannerError]:
    """Yield foreign keys that would stop the policy of the referenced table."""
    if table.row_deletion_policy is None:
        return
    stopping = [
        f"`{key.name}`" for _, key in schema.referencing(table) if key.enforced and not key.cascade
    ]
    if stopping:
        yield table_errors.DeletionPolicyWithForeignKeys(table.name, ", ".join(stopping))


def ancestor_policy_problems(table: Table, schema: Schema) -> Iterator[SpannerError]:
    """Yield ancestors whose row deletion policy a child table would stop."""
    if table.cascade or table.interleave is not Interleave.IN_PARENT:
        return
    above: Table | None = schema.parent(table)
    while above is not None:
        if above.row_deletion_policy is not None:
            yield table_errors.DeletionPolicyOnAncestor(table.name, above.name)
        above = schema.parent(above) if above.interleave is Interleave.IN_PARENT else None


def _descendants(table: Table, schema: Schema) -> Iterator[Table]:
    for child in schema.children(table):
        if child.interleave is Interleave.IN_PARENT:
            yield child
            yield from _descendants(child, schema)
