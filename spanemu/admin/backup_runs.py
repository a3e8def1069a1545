"""Creates the scheduled backups that are due by the emulator's clock.

No thread does so. Due backups are created when the clock is moved, and on every request about
backups, so that each request sees every due backup. A backup that fell due further back than old
versions are kept is left out. When the clock is moved at once, no backup is left out: each backup
due in between has the content from before the move.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain, count

from spanemu.admin.backup import RETENTION_MAX_NANOS, Backup, Chain
from spanemu.admin.backup_schedule import BackupSchedule
from spanemu.admin.encryption import keys_of
from spanemu.admin.errors import BackupNotFound, ResourceExists
from spanemu.admin.instances import Instances
from spanemu.admin.operation_kinds import BackupCreation
from spanemu.admin.operations import finished
from spanemu.base.clock import NANOS_PER_DAY, NANOS_PER_SECOND
from spanemu.base.errors import ResourceNotFound
from spanemu.base.resource_names import BackupScheduleName
from spanemu.database.database import Database

CHAIN_BACKUPS_MAX = 14  # including the full backup
CHAIN_AGE_MAX_NANOS = 28 * NANOS_PER_DAY
_SCHEDULE_CHARS_MAX = 40  # of its id in the ids of its backups


def time_jumps(instances: Instances, move: Callable[[], object]) -> None:
    """Call `move`, which moves the clock at once, and create the backups due by then."""
    create_due_backups(instances)

    def move_and_run() -> None:
        move()
        _run_all(instances, lambda database: 0)

    instances.time_jumps(move_and_run)


def create_due_backups(instances: Instances) -> None:
    """Create the backups that are due."""
    _run_all(instances, lambda database: database.earliest_version_time())


def _run_all(instances: Instances, earliest: Callable[[Database], int]) -> None:
    for schedule in instances.schedules.all():
        # A concurrently dropped database or schedule gets no backup.
        with suppress(ResourceNotFound):
            database = instances.database(schedule.database)
            _run(instances, schedule.name, database, earliest(database))


def _run(instances: Instances, name: str, database: Database, earliest: int) -> None:
    now = instances.clock.peek()
    with instances.mutex:
        schedule = instances.schedules.get(name)
        if now <= schedule.done_until:
            return
        instances.schedules.change(name, lambda current: replace(current, done_until=now))
    after = max(schedule.done_until, earliest - 1, now - schedule.retention_nanos)
    last = schedule.last_backup
    for at in schedule.cron.between(after, now):
        last = _make(instances, schedule, database, at, last)
    if last != schedule.last_backup:
        instances.schedules.change(name, lambda current: replace(current, last_backup=last))


def _make(
    instances: Instances, schedule: BackupSchedule, database: Database, at: int, last: str
) -> str:
    """Create a backup and return its name; `last` is the name of the previous backup."""
    path = BackupScheduleName.parse(schedule.name)
    backup = Backup(
        name="",
        database=schedule.database,
        content=database.content(at),
        create_time=at,
        version_time=at,
        expire_time=at + schedule.retention_nanos,
        max_expire_time=at + RETENTION_MAX_NANOS,
        schedules=(schedule.name,),
        partitions=database.partitions,
        encryption_keys=keys_of(schedule.encryption, database.encryption_keys),
    )
    stamp = datetime.fromtimestamp(at // NANOS_PER_SECOND, UTC).strftime("%Y%m%d_%H%M%S")
    stem = f"{path.schedule[:_SCHEDULE_CHARS_MAX]}_{stamp}"
    for suffix in chain([""], map("_{}".format, count(2))):
        name = path.parent.parent.backup(stem + suffix)
        named = replace(backup, name=str(name))
        if schedule.incremental:
            named = replace(named, chain=_chain(instances, last, named, name.backup))
        with suppress(ResourceExists):
            instances.backups.add(named)
            break
    finished(instances.operations, name, BackupCreation(named), at)
    return named.name


def _chain(instances: Instances, last: str, backup: Backup, backup_id: str) -> Chain:
    """Return a backup's position in the chain of the previous backup, or at the head of a new
    chain.
    """
    first = Chain(backup_id, backup.version_time)
    try:
        previous = instances.backups.get(last) if last else None
    except BackupNotFound:
        previous = None  # It was deleted or has expired, which ends its chain.
    if previous is None or previous.chain is None:
        return first
    old = previous.chain
    age = backup.version_time - old.oldest_version_time
    if old.place + 1 >= CHAIN_BACKUPS_MAX or age >= CHAIN_AGE_MAX_NANOS:
        return first
    return replace(old, place=old.place + 1, previous_bytes=previous.size_bytes)
