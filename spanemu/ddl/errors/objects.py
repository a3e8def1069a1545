"""Errors of names that are taken, invalid or unknown, and of named objects and grants.

DDL must spell names exactly. The objects are sequences, views, named schemas, options, placements
and roles.
"""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.base.sql_states import SqlState


class DuplicateName(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DUPLICATE_TABLE
):
    prose = "Duplicate name in schema: {name}."
    name: str


class InvalidObjectName(SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.RESERVED_NAME):
    prose = "{kind} name not valid: {name}."
    kind: str
    name: str


class ReservedIndexName(SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.RESERVED_NAME):
    prose = "Cannot use reserved name {name} for a secondary index."
    name: str


class ReservedPrefix(SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.RESERVED_NAME):
    prose = "Invalid {kind} name: {name}. Prefix {prefix} cannot be used."
    kind: str
    name: str
    prefix: str


class SchemaNotFound(SpannerError, code=Code.NOT_FOUND, sql_state=SqlState.INVALID_SCHEMA_NAME):
    prose = "Schema not found: {name}"
    name: str


class TableNotFound(SpannerError, code=Code.NOT_FOUND, sql_state=SqlState.UNDEFINED_TABLE):
    prose = "Table not found: {name}"
    name: str


class QueueIsNoTable(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "{name} is a queue, not a table. Use CREATE, ALTER and DROP QUEUE for queues."
    name: str


class ColumnNotFound(SpannerError, code=Code.NOT_FOUND, sql_state=SqlState.UNDEFINED_COLUMN):
    prose = "Column not found in table {table}: {column}"
    table: str
    column: str


class IndexNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Index not found: {name}"
    name: str


class ConstraintNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "{constraint} is not a constraint in {table}"
    constraint: str
    table: str


class SequenceNotFound(SpannerError, code=Code.NOT_FOUND, sql_state=SqlState.UNDEFINED_TABLE):
    prose = "Sequence not found: {name}"
    name: str


class ViewNotFound(SpannerError, code=Code.NOT_FOUND, sql_state=SqlState.UNDEFINED_TABLE):
    prose = "View not found: {name}"
    name: str


class ObjectNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "{kind} not found: {name}"
    kind: str
    name: str


class NamedSchemaNotSupported(SpannerError, code=Code.UNIMPLEMENTED):
    prose = "{kind} is not yet supported in named schema: {name}."
    kind: str
    name: str


# ---------------------------------------------------------------------------- sequences


class SequenceKindMissing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "The sequence {sequence} does not have a valid sequence kind. Please specify the sequence "
        "kind explicitly or set the database option `default_sequence_kind`."
    )
    sequence: str


class SequenceKindUnknown(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Unsupported sequence kind: {kind}"
    kind: str


class SequenceClausesAndOptions(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "The sequence properties can only be set in either clauses or options for the sequence "
        "{sequence}"
    )
    sequence: str


class BadSequenceOption(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Option: {option} is unknown or has an unexpected value for sequence {sequence}."
    sequence: str
    option: str


class SkipRangeIncomplete(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "`skip_range_min` and `skip_range_max` have to be set together"


class SkipRangeReversed(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "`skip_range_min` has to be lesser than or equal to `skip_range_max`"


class SkipRangeNotPositive(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "The sequence skipped range has to contain at least one positive value"


class SequenceCounterNotPositive(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "`start_with_counter` has to be a positive INT64 number"


class SequenceInUse(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DEPENDENT_OBJECTS_STILL_EXIST
):
    prose = (
        "Cannot drop SEQUENCE `{sequence}` on which there is a dependent column: {table}.{column}."
    )
    sequence: str
    table: str
    column: str


# ---------------------------------------------------------------------------- views


class ViewWithoutSecurity(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "View `{view}` is missing the SQL SECURITY clause."
    view: str


class ViewInvalid(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Error analyzing the definition of view `{view}`: {reason}"
    view: str
    reason: str


class ViewReplacementInvalid(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot replace VIEW `{view}` because new definition is invalid with the following "
        "diagnostic message: {reason}"
    )
    view: str
    reason: str


class ViewNamedAsFunction(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot create a view with the same name as builtin function: {view}."
    view: str


class ViewNestedTooDeeply(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "View {view} is too deeply nested; the limit is {limit}."
    view: str
    limit: int


class TooManyViews(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.PROGRAM_LIMIT_EXCEEDED
):
    prose = "Cannot add view {view}: too many views (limit {limit})."
    view: str
    limit: int


class ViewsDepend(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DEPENDENT_OBJECTS_STILL_EXIST
):
    prose = "Cannot drop {kind} `{name}` on which there are dependent views: {views}."
    kind: str
    name: str
    views: str


class ViewBecomesInvalid(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot alter {kind} `{name}`. The new definition causes the definition of VIEW `{view}` "
        "to become invalid with the following diagnostic message: {reason}"
    )
    kind: str
    name: str
    view: str
    reason: str


class ViewsDependOnType(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DEPENDENT_OBJECTS_STILL_EXIST
):
    prose = (
        "Cannot alter {kind} `{name}`. The action would implicitly change the name or type of an "
        "output column of view `{view}`."
    )
    kind: str
    name: str
    view: str


# ---------------------------------------------------------------------------- schemas


class SchemaNotEmpty(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DEPENDENT_OBJECTS_STILL_EXIST
):
    prose = "Cannot drop schema {schema} while it has dependencies: {objects}."
    schema: str
    objects: str


# ---------------------------------------------------------------------------- database


class UnknownDatabaseOption(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Invalid Alter Database Option: {option}."
    option: str


class BadDatabaseOption(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Invalid value for database option {option}: {value}. {supported}"
    option: str
    value: str
    supported: str


class BadRetentionPeriod(BadDatabaseOption):
    """For how long versions cannot be kept; of all options, this one's value is an argument."""

    code = Code.INVALID_ARGUMENT


class StatisticsPackageNotFound(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Query optimizer statistics package not found: {name}"
    name: str


class AnalyzeNotAlone(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "ANALYZE must be the only statement of its request."


class DefaultSequenceKindUnset(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "The default_sequence_kind option may not be unset once set."


class DatabaseHasPlacements(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Option {option} can only be changed while the database has no placements."
    option: str


class DatabaseHasTables(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Option {option} can only be changed while the database has no tables."
    option: str


class CreateDatabaseMisplaced(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "CREATE DATABASE is not allowed here: database {name} must be created by itself."
    name: str


class OtherDatabaseAltered(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "ALTER DATABASE {database} was sent to another database of the instance."
    database: str


class OptionTwice(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Duplicate option: {option}."
    option: str


class UnknownObjectOption(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Invalid {kind} option: {option} of {name}. Supported options are {supported}."
    kind: str
    name: str
    option: str
    supported: str


class BadObjectOption(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Invalid value for option {option} of {kind} {name}: {value}. It must be {supported}."
    kind: str
    name: str
    option: str
    value: str
    supported: str


class ObjectOptionMissing(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "{kind} {name} has no option {option}, which is required."
    kind: str
    name: str
    option: str


class TooManyObjects(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.PROGRAM_LIMIT_EXCEEDED
):
    prose = "Cannot add {kind} {name}: too many of them (limit {limit})."
    kind: str
    name: str
    limit: int


class LocalityGroupNameInvalid(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Invalid locality group name: {group}. {reason}."
    group: str
    reason: str


class LocalityGroupExists(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DUPLICATE_OBJECT
):
    prose = "Duplicate name in schema: locality group {group}."
    group: str


class LocalityGroupInUse(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DEPENDENT_OBJECTS_STILL_EXIST
):
    prose = "Locality group {group} cannot be dropped as it is referenced by {user}."
    group: str
    user: str


class PlacementNameInvalid(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Invalid placement name: {placement}. {reason}."
    placement: str
    reason: str


class PlacementInUse(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DEPENDENT_OBJECTS_STILL_EXIST
):
    prose = "Cannot drop placement {placement}: table {table} has rows in it."
    placement: str
    table: str


class PlacedTableInNamedSchema(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Table {table} cannot be in a named schema: its rows are in placements."
    table: str


class PlacementKeyInvalid(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Column {table}.{column} cannot be a PLACEMENT KEY: {reason}."
    table: str
    column: str
    reason: str


class RoleNameReserved(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Role name not valid: {role}. It is reserved."
    role: str


class RoleExists(SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DUPLICATE_OBJECT):
    prose = "Duplicate name in schema: role {role}."
    role: str


class RoleInUse(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DEPENDENT_OBJECTS_STILL_EXIST
):
    prose = "Cannot drop role {role}: it has privileges on {objects}. Revoke them first."
    role: str
    objects: str


class SystemRoleFixed(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Role {role} is a system role: {reason}."
    role: str
    reason: str


class RoleCycle(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot grant role {role} to role {member}: {member} would be a member of itself."
    role: str
    member: str


class PrivilegeNotForKind(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Privilege {privilege} cannot be granted on {kind} {name}: {reason}."
    privilege: str
    kind: str
    name: str
    reason: str


class PrivilegesDepend(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DEPENDENT_OBJECTS_STILL_EXIST
):
    prose = (
        "Cannot drop {kind} `{name}`: the roles {roles} have privileges on it. Revoke them first."
    )
    kind: str
    name: str
    roles: str
