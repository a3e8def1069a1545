"""Sets the emulator's clock to another time. The time between does not pass: no row or backup
expires, and no backup falls due.

    set_back     to an earlier time that a test asks for: refused if a timestamp is later
    come_back    to a state that the clock had: a database with later timestamps goes on by itself

What passes when time moves on is in `backup_runs` and `database.own_time`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from spanemu.admin.instances import Instances
from spanemu.base.clock import ClockState, SystemClock
from spanemu.base.nanos import NANOS_PER_MILLI
from spanemu.database.database import Database
from spanemu.values.timestamp import format_utc

__tracebackhide__ = True  # from pytest, whose users look for their own lines

BEHIND_MAX_NANOS = NANOS_PER_MILLI  # Timestamps at a frozen time are some microseconds after it.


class TimeHasPassed(ValueError):
    """A time is asked for that lies before what a database shows."""

    def __init__(self, at: int, database: str, latest: int) -> None:
        super().__init__(
            f"{format_utc(at)} has passed in {database}: it has a timestamp {format_utc(latest)}, "
            "and in what a database shows, time never moves backwards. Set the time before the "
            "first write: a database that tests go back to (isolation restore or clone) lets it "
            "be any. Its settle() makes what is there older than all times, and "
            "Emulator(start_time=...) starts in the past."
        )


def check_not_passed(instances: Instances, at: int) -> None:
    """Raise TimeHasPassed if a database has a timestamp after `at`, some microseconds aside."""
    _check(instances.all_databases(), at)


def set_back(instances: Instances, source: SystemClock, at: int) -> None:
    """Stop the clock at an earlier time. Raises TimeHasPassed."""
    with _held(instances) as databases:
        _check(databases, at)
        source.set_back(at)
        _follow(databases, source)
    for database in databases:
        database.time.forget_statistics()
    _put_off_backups(instances)


def come_back(instances: Instances, source: SystemClock, state: ClockState) -> None:
    """Bring the clock back to an earlier state, unless it is like that."""
    if state.is_like(source.state):
        return
    with _held(instances) as databases:
        presents = [database.time.clock.peek() for database in databases]
        source.set_state(state)
        passed = source.peek() + BEHIND_MAX_NANOS
        following = [each for each in databases if each.time.latest <= passed]
        _follow(following, source)
        for database, present in zip(databases, presents, strict=True):
            if database not in following:
                database.time.go_on_from(present)
    for database in following:
        database.time.forget_statistics()
    _put_off_backups(instances)


@contextmanager
def _held(instances: Instances) -> Iterator[Sequence[Database]]:
    """Give every database, by name; none of them commits while the block runs."""
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
    """Let databases go by the clock that was set, whose next reading is later than they show."""
    for database in databases:
        source.pass_over(database.time.latest)
    for database in databases:
        database.time.follow()


def _put_off_backups(instances: Instances) -> None:
    now = instances.clock.peek()
    for schedule in instances.schedules.all():
        instances.schedules.change(schedule.name, lambda each: replace(each, done_until=now))
