"""Errors of ALTER TABLE on columns."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.base.sql_states import SqlState


class NotNullColumnAdded(SpannerError, code=Code.UNIMPLEMENTED):
    prose = "Cannot add NOT NULL column {table}.{column} to existing table {table}."
    table: str
    column: str


class PrimaryKeyOnAddedColumn(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Unexpected PRIMARY KEY clause on column {table}.{column}."
    table: str
    column: str


# ---------------------------------------------------------------------------- dropping


class CannotDropKeyColumn(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Cannot drop key column {column} from table {table}."
    table: str
    column: str


class ColumnInIndex(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DEPENDENT_OBJECTS_STILL_EXIST
):
    prose = "Cannot drop column {column} from table {table} because it is used by index {index}."
    table: str
    column: str
    index: str


class ColumnInForeignKeys(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DEPENDENT_OBJECTS_STILL_EXIST
):
    prose = (
        "Cannot drop column `{column}` from table `{table}`. It is used by one or more foreign "
        "keys: {foreign_keys}. You must drop the foreign keys before dropping the column."
    )
    table: str
    column: str
    foreign_keys: str


class ColumnInCheck(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DEPENDENT_OBJECTS_STILL_EXIST
):
    prose = "Cannot drop column `{column}` on which there is a dependent check constraint: {check}."
    table: str
    column: str
    check: str


class ColumnInGeneratedColumn(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DEPENDENT_OBJECTS_STILL_EXIST
):
    prose = (
        "Cannot drop column `{column}` from table `{table}` because it is referenced by generated "
        "column `{generated}`."
    )
    table: str
    column: str
    generated: str


class ColumnInRowDeletionPolicy(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.DEPENDENT_OBJECTS_STILL_EXIST
):
    prose = "ROW DELETION POLICY will break on table {table}: it goes by column {column}."
    table: str
    column: str


# ---------------------------------------------------------------------------- keys


class CannotChangeKeyColumn(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Cannot change key column {table}.{column}."
    table: str
    column: str


class KeyColumnHasChildren(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Requested change to key column {table}.{column} could not be made because table {table} "
        "has one or more child tables."
    )
    table: str
    column: str


class ParentKeyColumnAltered(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Cannot alter parent key column {table}.{column}."
    table: str
    column: str


# ---------------------------------------------------------------------------- types


class CannotChangeType(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.DATATYPE_MISMATCH
):
    prose = "Cannot change type of column `{column}` from `{old}` to `{new}`"
    table: str
    column: str
    old: str
    new: str


class CannotChangeStoredType(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Cannot change the data type of stored generated column `{table}.{column}`."
    table: str
    column: str


class ColumnTypeInForeignKey(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot change the type of column `{column}` in table `{table}`. It is used by foreign "
        "key `{foreign_key}`."
    )
    table: str
    column: str
    foreign_key: str


class NotNullInForeignKey(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot change the nullability of column `{column}` in table `{table}`. It is used by "
        "foreign key `{foreign_key}`."
    )
    table: str
    column: str
    foreign_key: str


class CommitTimestampInForeignKey(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot set the allow_commit_timestamp option of column `{column}` in table `{table}`. It "
        "is used by foreign key `{foreign_key}`."
    )
    table: str
    column: str
    foreign_key: str


class ColumnTypeInCheck(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Cannot change the data type of column `{column}`, which is used by check constraint "
        "`{check}`."
    )
    table: str
    column: str
    check: str


class ColumnTypeInGeneratedColumn(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot change the data type of column `{column}`, which has a dependent generated column "
        "`{generated}`."
    )
    table: str
    column: str
    generated: str


class NotNullInIndex(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Changing NOT NULL constraints on column {column} is not allowed because it affects index "
        "{index}."
    )
    table: str
    column: str
    index: str


class VectorLengthAdded(SpannerError, code=Code.FAILED_PRECONDITION):
    """Also for another length: Spanner says that the column gets one."""

    prose = "Cannot change column {table}.{column} to add `vector_length`"
    table: str
    column: str


class VectorLengthRemoved(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot change column {table}.{column} to remove `vector_length`"
    table: str
    column: str


# ---------------------------------------------------------------------------- computed columns


class GeneratedColumnHasDefault(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Column {table}.{column} with a DEFAULT value cannot be a generated column and vice versa."
    )
    table: str
    column: str


class CannotMakeGenerated(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Cannot convert column `{table}.{column}` to a generated column."
    table: str
    column: str


class CannotMakeRegular(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Cannot convert generated column `{table}.{column}` to a regular column."
    table: str
    column: str


class CannotChangeStoredAttribute(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Cannot change the STORED attribute for generated column `{table}.{column}`."
    table: str
    column: str


class CannotChangeGeneratedExpression(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Cannot change the expression of a generated column `{table}.{column}` because it is "
        "stored or has other dependencies."
    )
    table: str
    column: str


class CannotMakeIdentity(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Cannot alter column `{table}.{column}` to an identity column."
    table: str
    column: str


class CannotDropIdentity(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Cannot alter column `{table}.{column}` to drop the identity property."
    table: str
    column: str


class CannotChangeIdentity(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Cannot alter an identity column `{table}.{column}` to a generated or default column."
    table: str
    column: str


class NotIdentityColumn(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Column is not an identity column in table {table}: {column}"
    table: str
    column: str
