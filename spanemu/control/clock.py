"""The emulator's clock, which tests read, freeze and move.

    clock.freeze("2026-12-01T00:00Z")     stop the clock at that time
    clock.advance(days=31)                move the clock forward; rows expire
    clock.auto(milliseconds=5)            move by 5 ms with each commit
    clock.tick(ms=5)                      move forward by 5 ms
    clock.follow()                        follow Python's time, which freezegun sets
    clock.run_ttl()                       apply the row deletion policies

The clock determines every timestamp of Spanner: commits, CURRENT_TIMESTAMP, timestamp bounds, row
deletion, version retention, the times of operations. Request deadlines, lock waits and session ages
use the machine's real time instead, because client and server measure them on their machines.

Commit timestamps increase strictly, by a microsecond each, even while the clock is frozen.
"""

from __future__ import annotations

import datetime as python_datetime
from collections.abc import Callable, Iterator, MutableSequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, TypedDict, Unpack

from spanemu.admin import backup_runs, clock_moves
from spanemu.admin.instances import Instances
from spanemu.base.clock import NANOS_PER_MICRO, ClockState, SystemClock
from spanemu.base.deferred import lazy_pattern
from spanemu.base.errors import Unsupported
from spanemu.base.process import OwnProcess
from spanemu.base.record import dataclass
from spanemu.control.operation import ControlInterface, operation

# mypy: disable-error-code="empty-body"

__tracebackhide__ = True  # pytest then shows the caller's line

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_END = datetime(9999, 12, 31, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DATE = lazy_pattern(r"\d{4}-\d{2}-\d{2}")
_JUMP = timedelta(seconds=1)  # A larger step of Python's time counts as a move of the clock.


class Duration(TypedDict, total=False):
    """The parts of a duration, as `datetime.timedelta` takes them."""

    days: float
    hours: float
    minutes: float
    seconds: float
    milliseconds: float
    microseconds: int | float  # an int is exact


_FORMS = (
    f"a duration is a timedelta, or {', '.join(Duration.__annotations__)} by name, as in "
    "seconds=5, and not negative: time never moves backwards"
)


@dataclass(frozen=True, slots=True)
class ClockTime:
    """The current time of the clock, and whether the clock is frozen."""

    now: datetime
    frozen: bool


class TimeOutOfSight(Unsupported):
    prose = (
        "{feature} needs an emulator in this process: an emulator in another process does not see "
        "this process's time. Run the emulator in this process (spanemu.Emulator, "
        "--spanner-target=embedded), or move its clock by clock.advance()."
    )


class EmulatorClock(ControlInterface):
    """The clock of one emulator and all its databases."""

    PATH = "clock"

    @operation("GetClock", "GET")
    def time(self) -> ClockTime:
        """Return the current time, and whether the clock is frozen."""

    @property
    def now(self) -> datetime:
        """The current time in UTC. Reading the clock does not move the clock."""
        return self.time().now

    @property
    def is_frozen(self) -> bool:
        """Return whether the clock is frozen, or moves in explicit steps only."""
        return self.time().frozen

    @operation("FreezeClock", "POST :freeze")
    def freeze(self, at: datetime | str | None = None) -> None:
        """Stop the clock, at the current time or at `at`.

        `at` has a time zone, as in "2026-12-01T08:00Z"; a date means midnight in UTC. A time
        earlier than the current time is accepted if no database has a later timestamp: a database
        that is empty, was restored to a snapshot, or was settled (`DatabaseHandle.settle`). Raises
        ValueError otherwise, which names the database.
        """

    @operation("SetClock", "POST :set")
    def move_to(self, at: datetime | str) -> None:
        """Move the clock to a time; it runs on from there, or stays frozen if it is frozen.

        `at` is that of `freeze`, and so are the times that are accepted.
        """

    @operation("ThawClock", "POST :thaw")
    def thaw(self) -> None:
        """Resume the clock from its current time."""

    def follow(self) -> None:
        """Follow Python's time, as freezegun and time-machine set it, until `thaw`.

        The clock moves when a request arrives, and stops while Python's time goes back. If
        Python's time is behind the clock at the call, the clock is set back as by `freeze`. Raises
        Unsupported for an emulator in another process, which cannot see this process's time.
        """
        raise TimeOutOfSight("clock.follow()")

    @operation("ResetClock", "POST :reset")
    def reset(self) -> None:
        """Undo every move of the clock: the clock then shows the machine's time, or the start time.

        The time may go back. A database with later timestamps keeps a time of its own until it is
        restored to a snapshot, or until the clock has reached those timestamps.
        """

    def tick(self, ms: float = 0.001) -> None:
        """Move the clock forward by milliseconds; by default by a microsecond."""
        self.advance(milliseconds=ms)

    @contextmanager
    def frozen(self, at: datetime | str | None = None) -> Iterator[None]:
        """Freeze the clock while a block runs, at the current time or at `at`."""
        self.freeze(at)
        try:
            yield
        finally:
            self.thaw()

    def advance(self, by: timedelta | None = None, /, **parts: Unpack[Duration]) -> None:
        """Move the clock forward, as in `clock.advance(days=31)`, whether or not it is frozen.

        Sessions do not age by it. Row deletion policies are applied if a day has passed since the
        last time; versions that are no longer readable are discarded; scheduled backups are made,
        and expired backups deleted. Raises ValueError for a negative duration, and for a time
        beyond the range of TIMESTAMP.
        """
        self.advance_by(microseconds=_microseconds(by, parts))

    def auto(self, by: timedelta | None = None, /, **parts: Unpack[Duration]) -> None:
        """Freeze the clock, and move it forward by a duration with every commit.

        An empty duration, as in `clock.auto()`, keeps the clock frozen at commits too.
        """
        self.auto_by(microseconds=_microseconds(by, parts))

    @operation("AdvanceClock", "POST :advance")
    def advance_by(self, **parts: Unpack[Duration]) -> None:
        """Move the clock forward by a duration, given by its parts, as `advance` does."""

    @operation("AutoClock", "POST :auto")
    def auto_by(self, **parts: Unpack[Duration]) -> None:
        """Freeze the clock, and move it forward by a duration with every commit."""

    @operation("RunTtl", "POST :runTtl", "rows")
    def run_ttl(self) -> int:
        """Apply every row deletion policy now and return the number of deleted rows."""

    @operation("ExpireVersions", "POST :expireVersions", "versions")
    def expire_versions(self) -> int:
        """Discard every version that is no longer readable and return their number.

        The emulator also discards versions as rows are written and as the clock is moved.
        """


class EmbeddedClock(EmulatorClock):
    """The clock of an emulator in this process."""

    source = OwnProcess[SystemClock]()
    _instances = OwnProcess[Instances]()
    _watchers = OwnProcess[MutableSequence[Any]]()

    def __init__(
        self, source: SystemClock, instances: Instances, watchers: MutableSequence[Any]
    ) -> None:
        self.source = source
        self._instances = instances
        self._watchers = watchers
        self._following = _PythonTime(self._catch_up)

    def time(self) -> ClockTime:
        if self._is_following:
            self._catch_up()
        return ClockTime(datetime_of(self.source.peek()), self.source.is_frozen)

    def freeze(self, at: datetime | str | None = None) -> None:
        self._stop_following()
        if at is None:
            self.source.freeze()
            return
        moment = nanos_of(as_datetime(at))
        if moment < self.source.peek():
            clock_moves.set_back(self._instances, self.source, moment)
            return
        clock_moves.check_not_passed(self._instances, moment)
        backup_runs.time_jumps(self._instances, partial(self._freeze_at, moment))

    def move_to(self, at: datetime | str) -> None:
        was_frozen = self.source.is_frozen
        self.freeze(at)
        if not was_frozen:
            self.source.thaw()

    def thaw(self) -> None:
        self._stop_following()
        self.source.thaw()

    def follow(self) -> None:
        moment, present = python_time(), self.now
        self.freeze(moment if abs(moment - present) > _JUMP else None)
        self._watchers.append(self._following)

    def reset(self) -> None:
        self.restore_clock(self.source.unmoved)

    def restore_clock(self, state: ClockState) -> None:
        """Undo the moves made since `state`; keep following if time was frozen in `state`."""
        if state.frozen_at is None:
            self._stop_following()
        clock_moves.restore_clock(self._instances, self.source, state)

    def advance_by(self, **parts: Unpack[Duration]) -> None:
        nanos = self._nanos_ahead(parts)
        backup_runs.time_jumps(self._instances, lambda: self.source.advance(nanos))

    def auto_by(self, **parts: Unpack[Duration]) -> None:
        self._stop_following()
        self.source.freeze(step=self._nanos_ahead(parts))

    def run_ttl(self) -> int:
        return sum(database.delete_expired_rows() for database in self._instances.all_databases())

    def expire_versions(self) -> int:
        return sum(database.time.forget_versions() for database in self._instances.all_databases())

    def _freeze_at(self, moment: int) -> None:
        self.source.freeze(moment)
        for database in self._instances.all_databases():
            database.time.follow_if_passed()

    @property
    def _is_following(self) -> bool:
        return self._following in self._watchers

    def _stop_following(self) -> None:
        if self._is_following:
            self._watchers.remove(self._following)

    def _catch_up(self) -> None:
        moment = python_time()
        ahead = moment - datetime_of(self.source.peek())
        move = partial(self.source.freeze, nanos_of(moment))
        with suppress(ValueError):  # Another request has been faster.
            if ahead >= _JUMP:
                backup_runs.time_jumps(self._instances, move)
            elif ahead > timedelta():
                move()

    def _nanos_ahead(self, parts: Duration) -> int:
        duration = timedelta(**parts)
        if duration < timedelta():
            seconds = duration.total_seconds()
            raise ValueError(f"the duration of {seconds:g} seconds is negative: {_FORMS}")
        if duration > _END - datetime_of(self.source.peek()):
            raise ValueError(f"{duration} from now is beyond the year 9999, the end of TIMESTAMP")
        return duration // _MICROSECOND * NANOS_PER_MICRO


class _PythonTime:
    """A watcher of all RPCs that checks Python's time whenever a request arrives."""

    def __init__(self, catch_up: Callable[[], None]) -> None:
        self._catch_up = catch_up

    def started(self, call: Any, request: Any) -> None:
        self._catch_up()

    def replied(self, call: Any, reply: bytes) -> None: ...

    def ended(self, call: Any, error: Exception | None) -> None: ...


def python_time() -> datetime:
    """Return the current time of Python's `datetime`, which freezegun and time-machine change."""
    return python_datetime.datetime.now(UTC)  # By full name: tools replace `datetime.datetime`.


def as_datetime(moment: datetime | str) -> datetime:
    """Return a time from its ISO text, or as it is.

    A date is its midnight in UTC. Raises ValueError for a time of day without a time zone.
    """
    if isinstance(moment, str) and _DATE.fullmatch(moment):
        moment += "T00:00Z"
    try:
        parsed = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    except ValueError:
        raise ValueError(f"{moment!r} is not a time; write it like 2026-01-01T00:00Z") from None
    if parsed.tzinfo is None:
        raise ValueError(f"{moment} has no time zone: write Z, or an offset, after it")
    return parsed


def nanos_of(moment: datetime) -> int:
    """Return the nanoseconds from the epoch to `moment`."""
    return (moment - _EPOCH) // _MICROSECOND * NANOS_PER_MICRO


def datetime_of(nanos: int) -> datetime:
    """Return the UTC time that is `nanos` nanoseconds after the epoch."""
    return _EPOCH + nanos // NANOS_PER_MICRO * _MICROSECOND


def _microseconds(by: timedelta | None, parts: Duration) -> int:
    """Return a duration in microseconds. Raises TypeError for what is no duration."""
    if not isinstance(by, timedelta | None):
        raise TypeError(f"{by!r} is no duration: {_FORMS}")
    try:
        return ((by or timedelta()) + timedelta(**parts)) // _MICROSECOND
    except TypeError:
        given = ", ".join(f"{name}={part!r}" for name, part in parts.items())
        raise TypeError(f"{given} is no duration: {_FORMS}") from None
