"""The admin calls for databases that are long-running operations in Spanner.

    create_database  update_database  update_ddl

Here each call is done when it returns, and its completed operation is in the log. An invalid
request raises instead. Only UpdateDatabaseDdl can end in a failed operation: if a statement after
the first is refused, or existing data violates one, the statements before it stay applied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spanemu.admin.backup_schedule import ScheduleSpec, new_schedule
from spanemu.admin.encryption import check_keys
from spanemu.admin.errors import (
    InvalidCreateStatement,
    InvalidUpdateMask,
    MissingCreateStatement,
    MissingDdlStatements,
    MissingField,
    SchemaInCreateDatabase,
)
from spanemu.admin.instance import UNITS_PER_NODE
from spanemu.admin.instances import Instances, NewDatabase, add_database
from spanemu.admin.operation_kinds import (
    DatabaseCreation,
    DatabaseUpdate,
    DdlUpdate,
    ddl_action,
)
from spanemu.admin.operations import Operation, finished
from spanemu.base.clock import NANOS_PER_DAY, NANOS_PER_HOUR, NANOS_PER_MINUTE
from spanemu.base.resource_names import DatabaseName, InstanceName, OperationName
from spanemu.database import errors, sql_failures
from spanemu.database.database import Database
from spanemu.database.schema_changes import DdlOutcome
from spanemu.database.splits.split_points import (
    CHANGES_PER_NODE_DAY_MAX,
    CHANGES_PER_NODE_MINUTE_MAX,
    POINTS_PER_NODE_MAX,
    NewSplitPoints,
)
from spanemu.schema.objects import NO_TYPES, ProtoTypes
from spanemu.sql.dialects import dialect_of

DEFAULT_SCHEDULE_ID = "default_schedule"
DEFAULT_SCHEDULE_RETENTION_NANOS = 7 * NANOS_PER_DAY


def create_database(instances: Instances, parent: str, new: NewDatabase) -> Operation:
    """Create a database with its first schema; it appears complete or not at all."""
    instance = InstanceName.parse(parent)
    instances.instance(parent)
    name = instance.database(_database_id(parent, new))
    if new.extra_statements and not new.dialect.created_with_schema:
        raise SchemaInCreateDatabase(new.dialect.title)
    check_keys(new.encryption_keys, str(name))
    start = instances.clock.now()
    database = add_database(instances, name, new)
    if instances.instance(parent).default_schedules:
        _add_default_schedule(instances, database)
    return finished(instances.operations, name, DatabaseCreation(database), start)


def _add_default_schedule(instances: Instances, database: Database) -> None:
    """Add a daily full backup at the hour of the creation, kept for a week."""
    now = instances.clock.now()
    hour = now // NANOS_PER_HOUR % 24
    spec = ScheduleSpec(f"0 {hour} * * *", DEFAULT_SCHEDULE_RETENTION_NANOS, incremental=False)
    name = f"{database.name}/backupSchedules/{DEFAULT_SCHEDULE_ID}"
    instances.schedules.add(new_schedule(name, spec, now))


def add_split_points(
    instances: Instances, name: str, requests: Sequence[NewSplitPoints], initiator: str
) -> None:
    """Add split points; all of them or none.

    Raises TooManySplitPoints if they exceed a limit of the instance's nodes, in total or in a
    period.
    """
    database = instances.database(name)
    instance = DatabaseName.parse(name).parent
    units = instances.instance(str(instance)).processing_units
    nodes = max(1, -(-units // UNITS_PER_NODE))
    now = database.clock.peek()
    points = database.split_points.resolve(requests, initiator, now)

    kept = [point for point in points if point.expires > now]
    neighbours = instances.databases_of(instance)
    known = {(point.tree, point.text) for point in database.split_points.live(now)}
    fresh = {(point.tree, point.text) for point in kept} - known
    live = sum(len(neighbour.split_points.live(now)) for neighbour in neighbours)
    _check_points(live + len(fresh), POINTS_PER_NODE_MAX * nodes, "in the instance")
    for length, limit, where in (
        (NANOS_PER_MINUTE, CHANGES_PER_NODE_MINUTE_MAX, "added or updated within a minute"),
        (NANOS_PER_DAY, CHANGES_PER_NODE_DAY_MAX, "added or updated within a day"),
    ):
        recent = sum(neighbour.split_points.changes_since(now - length) for neighbour in neighbours)
        _check_points(recent + len(points), limit * nodes, where)
    database.split_points.put(points, now)


def _check_points(count: int, limit: int, where: str) -> None:
    if count > limit:
        raise errors.TooManySplitPoints(limit, where)


def update_database(
    instances: Instances, name: str, drop_protection: bool, paths: Sequence[str]
) -> Operation:
    """Change the drop protection of a database, its only mutable setting."""
    database = instances.database(name)
    if not paths:
        raise MissingField("UpdateDatabase", "update_mask")
    for path in paths:
        if path != "enable_drop_protection":
            raise InvalidUpdateMask(name, path)
    start = instances.clock.now()
    database.drop_protection = drop_protection
    kind = DatabaseUpdate(database, drop_protection, tuple(paths))
    return finished(instances.operations, DatabaseName.parse(name), kind, start)


@dataclass(frozen=True, slots=True)
class SchemaUpdate:
    """A batch of schema statements of UpdateDatabaseDdl."""

    statements: tuple[str, ...]
    operation_id: str = ""
    proto_types: ProtoTypes = NO_TYPES


def update_ddl(instances: Instances, name: str, update: SchemaUpdate) -> Operation:
    """Run schema statements in order, up to the first that fails, which fails the operation.

    Raises, with no statement applied, if one does not parse or the first is refused.
    """
    database = instances.database(name)
    if not update.statements:
        raise MissingDdlStatements(name)
    operation = instances.operations.reserve(DatabaseName.parse(name), update.operation_id)
    try:
        return _run_ddl(instances, database, operation, update)
    finally:
        instances.operations.release(operation)


def _run_ddl(
    instances: Instances, database: Database, name: OperationName, update: SchemaUpdate
) -> Operation:
    start, outcome = instances.clock.now(), DdlOutcome()
    actions = tuple(map(ddl_action, update.statements))
    kind = DdlUpdate(database.name, update.statements, outcome.commit_timestamps, actions)
    log = instances.operations
    log.begin(Operation(name, kind, start, None, cancel=outcome.cancel))
    database.apply_ddl(update.statements, update.proto_types, outcome, whole=False)
    return log.record(Operation(name, kind, start, instances.clock.now(), outcome.failure))


def _database_id(instance: str, new: NewDatabase) -> str:
    dialect = dialect_of(new.dialect)
    if not new.create_statement.strip():
        raise MissingCreateStatement(instance)
    database_id = dialect.created_database(new.create_statement)
    if database_id is None:
        refusal = InvalidCreateStatement(new.create_statement)
        sql_failures.report_ddl(refusal, new.dialect)
        raise refusal
    return database_id
