"""Setting the emulator's clock to another time. The time in between does not pass: no row or backup
expires, and no backup falls due.

    set_back         to an earlier time that a test asks for: refused if a timestamp is later
    restore_clock    to an earlier state of the clock: a database with later timestamps stays ahead

Moving time forward is in `backup_runs` and `database.database_time`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from spanemu.admin.instances import Instances
from spanemu.base.clock import NANOS_PER_MILLI, ClockState, SystemClock
from spanemu.database.database import Database
from spanemu.values.timestamp import format_utc

__tracebackhide__ = True  # hides these frames in pytest's tracebacks

BEHIND_MAX_NANOS = NANOS_PER_MILLI  # Timestamps at a frozen time are some microseconds after it.


class TimeHasPassed(ValueError):
    """A time before the latest timestamp of a database."""

    def __init__(self, at: int, database: str, latest: int) -> None:
        super().__init__(
            f"{format_utc(at)} has passed in {database}, whose latest timestamp is "
            f"{format_utc(latest)}; "
            "timestamps of a database never move backwards. Set the time before the first write: "
            "a database that tests restore (isolation restore or clone) accepts any time. "
            "Database.settle() makes its content older than all times, and "
            "Emulator(start_time=...) starts in the past."
        )


def check_not_passed(instances: Instances, at: int) -> None:
    """Raise TimeHasPassed if a database has a timestamp after `at`, some microseconds aside."""
    _check(instances.all_databases(), at)


def set_back(instances: Instances, source: SystemClock, at: int) -> None:
    """Stop the clock at an earlier time.

    Raises TimeHasPassed.
    """
    with _held(instances) as databases:
        _check(databases, at)
        source.set_back(at)
        _follow(databases, source)
    for database in databases:
        database.time.forget_statistics()
    _skip_due_backups(instances)


def restore_clock(instances: Instances, source: SystemClock, state: ClockState) -> None:
    """Restore an earlier state of the clock, unless the clock is in that state."""
    if state.is_like(source.state):
        return
    with _held(instances) as databases:
        presents = [database.time.clock.peek() for database in databases]
        source.set_state(state)
        passed = source.peek() + BEHIND_MAX_NANOS
        following = [database for database in databases if database.time.latest <= passed]
        _follow(following, source)
        for database, present in zip(databases, presents, strict=True):
            if database not in following:
                database.time.continue_from(present)
    for database in following:
        database.time.forget_statistics()
    _skip_due_backups(instances)


@contextmanager
def _held(instances: Instances) -> Iterator[Sequence[Database]]:
    """Yield every database, by name; none of them commits while the block runs."""
    databases = instances.all_databases()
    with ExitStack() as stack:
        for database in databases:
            stack.enter_context(database.time.held())
        yield databases


def _check(databases: Sequence[Database], at: int) -> None:
    for database in databases:
        if database.time.latest > at + BEHIND_MAX_NANOS:
            raise TimeHasPassed(at, database.name, database.time.latest)


def _follow(databases: Sequence[Database], source: SystemClock) -> None:
    """Let the databases follow the clock, whose next reading is after their latest timestamps."""
    for database in databases:
        source.pass_over(database.time.latest)
    for database in databases:
        database.time.follow()


def _skip_due_backups(instances: Instances) -> None:
    now = instances.clock.peek()
    for schedule in instances.schedules.all():
        instances.schedules.change(schedule.name, lambda current: replace(current, done_until=now))
