"""Errors of keys, hierarchies, constraints and row deletion policies, and of DROP TABLE."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.base.sql_states import SqlState

# ---------------------------------------------------------------------------- size


class TooManyTables(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot add table {table}: too many tables (limit {limit})."
    table: str
    limit: int


class TableTooWide(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "The columns of table {table} that are not in its key are declared with {declared} bytes "
        "in total; the limit is {limit}."
    )
    table: str
    declared: int
    limit: int


class DictionaryInvalid(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Full-text dictionary table {table} {problem}."
    table: str
    problem: str


class TableWithoutColumns(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Table {table} adds no columns and is not a top level table."
    table: str


# ---------------------------------------------------------------------------- keys


class SeveralPrimaryKeys(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_TABLE_DEFINITION
):
    prose = "Table {table} declares its PRIMARY KEY more than once."
    table: str


class KeyColumnMissing(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.UNDEFINED_COLUMN
):
    prose = "Table {table} references nonexistent key column {column}."
    table: str
    column: str


class KeyColumnTwice(SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.DUPLICATE_COLUMN):
    prose = "Table {table} references key column {column} more than once."
    table: str
    column: str


class KeyColumnType(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Column {table}.{column} has type {type}, but is part of the primary key."
    table: str
    column: str
    type: str


class TooManyKeyColumns(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "{kind} {name} has too many keys ({count}); the limit is {limit}."
    kind: str
    name: str
    count: int
    limit: int


# ---------------------------------------------------------------------------- hierarchies


class InterleavingTooDeep(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Table {table} is too deeply nested; the limit is {limit} tables."
    table: str
    limit: int


class ParentKeyMissing(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "{kind} {name} does not reference parent key column {column}."
    kind: str
    name: str
    column: str


class ParentKeyPosition(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "{kind} {name} references parent key column {column} at incorrect position {position}."
    kind: str
    name: str
    column: str
    position: int


class ParentKeyTypeDiffers(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "{kind} {name} references parent key column {column} with incorrect type {type} "
        "(should be {expected})."
    )
    kind: str
    name: str
    column: str
    type: str
    expected: str


class ParentKeyLengthDiffers(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "{kind} {name} references parent key column {column} with incorrect length {length} "
        "(should be {expected})."
    )
    kind: str
    name: str
    column: str
    length: str
    expected: str


class ParentKeyOrderDiffers(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "{kind} {name} references parent key column {column} with incorrect order {order}."
    kind: str
    name: str
    column: str
    order: str


class ParentKeyNullable(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "{kind} {name} references parent key column {column} that is {parent}, but child key is "
        "{child}."
    )
    kind: str
    name: str
    column: str
    parent: str
    child: str


class NotInterleaved(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Cannot {action} on table {table} that does not have an INTERLEAVE clause."
    table: str
    action: str


class OnDeleteOfInterleaveIn(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Cannot SET ON DELETE on table {table}, which is INTERLEAVE IN without PARENT."
    table: str


class InterleavingParentChanged(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Cannot change the interleaving of table {table} from {parent} to {other}."
    table: str
    parent: str
    other: str


class InterleavingDirectCascade(SpannerError, code=Code.UNIMPLEMENTED):
    prose = (
        "Cannot change table {table} from INTERLEAVE IN to INTERLEAVE IN PARENT with ON DELETE "
        "CASCADE directly. Change it to ON DELETE NO ACTION first."
    )
    table: str


# ---------------------------------------------------------------------------- dropping


class TableHasChildren(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DEPENDENT_OBJECTS_STILL_EXIST
):
    prose = "Cannot drop table {table} with interleaved tables: {children}."
    table: str
    children: str


class TableHasIndexes(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DEPENDENT_OBJECTS_STILL_EXIST
):
    prose = "Cannot drop table {table} with indices: {indexes}."
    table: str
    indexes: str


class TableIsReferenced(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DEPENDENT_OBJECTS_STILL_EXIST
):
    prose = (
        "Cannot drop table `{table}`. It is referenced by one or more foreign keys: "
        "{foreign_keys}. You must drop the foreign keys before dropping the table."
    )
    table: str
    foreign_keys: str


# ---------------------------------------------------------------------------- names


class RenamedToColumn(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot rename interleaved table {table} to {name}, the name of a column of {other}."
    table: str
    name: str
    other: str


class SynonymExists(SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.DUPLICATE_TABLE):
    prose = "Table {table} already has a synonym: {synonym}."
    table: str
    synonym: str


class SynonymNotFound(SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.UNDEFINED_TABLE):
    prose = "Synonym {synonym} does not exist on table {table}."
    table: str
    synonym: str


# ---------------------------------------------------------------------------- row deletion


class DeletionPolicyColumnMissing(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.UNDEFINED_COLUMN
):
    prose = "ROW DELETION POLICY of table {table} refers to column {column}, which does not exist."
    table: str
    column: str


class DeletionPolicyColumnType(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "ROW DELETION POLICY of table {table} refers to column {column}, which is not a TIMESTAMP."
    )
    table: str
    column: str


class DeletionPolicyExists(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "ROW DELETION POLICY already exists on table {table}."
    table: str


class DeletionPolicyMissing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "ROW DELETION POLICY does not exist on table {table}."
    table: str


class DeletionPolicyWithNoActionChild(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Cannot add a row deletion policy to table {table}, because descendant table {child} is "
        "interleaved with ON DELETE NO ACTION."
    )
    table: str
    child: str


class DeletionPolicyOnAncestor(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Table {table} cannot be ON DELETE NO ACTION, because its ancestor {ancestor} has a ROW "
        "DELETION POLICY."
    )
    table: str
    ancestor: str


class DeletionPolicyWithForeignKeys(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Cannot add a row deletion policy to table {table}, because it is referenced by one or "
        "more foreign keys: {foreign_keys}."
    )
    table: str
    foreign_keys: str


class ForeignKeyColumnMissing(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.UNDEFINED_COLUMN
):
    prose = "Column `{column}` not found for table `{table}` in foreign key `{foreign_key}`."
    foreign_key: str
    table: str
    column: str


class ForeignKeyColumnTwice(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Column `{column}` used more than once for table `{table}` in foreign key `{foreign_key}`."
    )
    foreign_key: str
    table: str
    column: str


class ForeignKeyColumnCount(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "The number of columns are different for table `{table}` and table `{referenced}` in "
        "foreign key `{foreign_key}`."
    )
    foreign_key: str
    table: str
    referenced: str


class ForeignKeyTypeUnsupported(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Column `{column}` for foreign key `{foreign_key}` on table `{table}` has an unsupported "
        "type."
    )
    foreign_key: str
    table: str
    column: str


class ForeignKeyTypeDiffers(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DATATYPE_MISMATCH
):
    prose = (
        "The column types are different for column `{column}` of table `{table}` and column "
        "`{referenced_column}` of table `{referenced}` in foreign key `{foreign_key}`."
    )
    foreign_key: str
    table: str
    column: str
    referenced: str
    referenced_column: str


class ForeignKeyCommitTimestamp(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Commit timestamp column is not supported for column `{column}` of table `{table}` in "
        "foreign key `{foreign_key}`."
    )
    foreign_key: str
    table: str
    column: str


class ForeignKeyActionNotEnforced(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "ON DELETE actions are not supported for NOT ENFORCED foreign keys: `{foreign_key}`."
    foreign_key: str


class CheckInvalid(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Error parsing expression '{expression}' from check constraint '{check}' in table "
        "'{table}': {reason}"
    )
    table: str
    check: str
    expression: str
    reason: str


class CheckWithoutColumns(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Check constraint `{table}`.`{check}` does not use any non generated column. Expression: "
        "'{expression}'. A check constraint expression requires at least one non-generated column "
        "as dependency."
    )
    table: str
    check: str
    expression: str


class CheckOnCommitTimestamp(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Column `{column}` has option commit_timestamp, which is not supported in check "
        "constraint `{check}`."
    )
    check: str
    column: str
