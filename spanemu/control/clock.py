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

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, MutableSequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, TypedDict, Unpack

from spanemu.admin.backup_runs import time_jumps
from spanemu.admin.clock_moves import check_not_passed, come_back, set_back
from spanemu.admin.instances import Instances
from spanemu.base.clock import ClockState, SystemClock
from spanemu.base.nanos import NANOS_PER_MICRO
from spanemu.base.process import OwnProcess
from spanemu.control.following import Following, python_time

__tracebackhide__ = True  # pytest then shows the caller's line

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_END = datetime(9999, 12, 31, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_JUMP = timedelta(seconds=1)  # A larger step of Python's time counts as a move of the clock.


class Duration(TypedDict, total=False):
    """The parts of a duration, as `datetime.timedelta` takes them."""

    days: float
    hours: float
    minutes: float
    seconds: float
    milliseconds: float
    microseconds: float


class EmulatorClock(ABC):
    """The clock of one emulator and all its databases."""

    @property
    @abstractmethod
    def now(self) -> datetime:
        """The current time in UTC. Reading the clock does not move the clock."""

    @property
    @abstractmethod
    def is_frozen(self) -> bool:
        """Return whether the clock is frozen, or moves in explicit steps only."""

    @abstractmethod
    def freeze(self, at: datetime | str | None = None) -> None:
        """Stop time, now or at another time, given with its zone; a date is its midnight in UTC.

        An earlier time is fine as long as no database shows a later timestamp: a database that is
        empty, was taken back to a snapshot, or was settled (`DatabaseHandle.settle`). Raises
        ValueError otherwise, which names the database.
        """

    @abstractmethod
    def thaw(self) -> None:
        """Let time run again from the current time of the clock."""

    @abstractmethod
    def follow(self) -> None:
        """Follow Python's time, as freezegun and time-machine set it, until `thaw`.

        The clock moves when a request arrives, and stands still when Python's time goes back. If
        Python's time is behind the clock at the call, the clock is set back as by `freeze`. Raises
        Unsupported for an emulator in another process, which cannot see this process's time.
        """

    @abstractmethod
    def reset(self) -> None:
        """Undo every move: time runs as it would have without any.

        It may go back. A database that shows later timestamps goes on in a time of its own, until
        it is taken back to a snapshot, or the clock has reached them.
        """

    def tick(self, ms: float = 0.001) -> None:
        """Move time forward by so many milliseconds, or by a microsecond: a TIMESTAMP's least."""
        self.advance(milliseconds=ms)

    @contextmanager
    def frozen(self, at: datetime | str | None = None) -> Iterator[None]:
        """Freeze time while a block runs."""
        self.freeze(at)
        try:
            yield
        finally:
            self.thaw()

    @abstractmethod
    def advance(self, by: timedelta | None = None, /, **parts: Unpack[Duration]) -> None:
        """Move time forward, whether it is frozen or runs. Sessions do not age by it.

        Row deletion policies are applied if it has been a day since they were; versions that can
        no longer be read are forgotten; backups that are due are made, and expired ones go. Raises
        ValueError when asked to go back, or to leave the years that TIMESTAMP has.
        """

    @abstractmethod
    def auto(self, by: timedelta | None = None, /, **parts: Unpack[Duration]) -> None:
        """Freeze time, and have every commit move it forward; an empty duration stops that."""

    @abstractmethod
    def run_ttl(self) -> int:
        """Apply every row deletion policy now and return the number of deleted rows."""

    @abstractmethod
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
        self._following = Following(self._catch_up)

    @property
    def now(self) -> datetime:
        if self._is_following:
            self._catch_up()
        return datetime_of(self.source.peek())

    @property
    def is_frozen(self) -> bool:
        return self.source.is_frozen

    def freeze(self, at: datetime | str | None = None) -> None:
        self._stop_following()
        if at is None:
            self.source.freeze()
            return
        moment = nanos_of(as_datetime(at))
        if moment < self.source.peek():
            set_back(self._instances, self.source, moment)
            return
        check_not_passed(self._instances, moment)
        time_jumps(self._instances, partial(self._freeze_at, moment))

    def thaw(self) -> None:
        self._stop_following()
        self.source.thaw()

    def follow(self) -> None:
        moment, present = python_time(), self.now
        self.freeze(moment if abs(moment - present) > _JUMP else None)
        self._watchers.append(self._following)

    def reset(self) -> None:
        self.come_back(self.source.unmoved)

    def come_back(self, state: ClockState) -> None:
        """Undo the moves made since `state`; keep following if time was frozen in `state`."""
        if state.frozen_at is None:
            self._stop_following()
        come_back(self._instances, self.source, state)

    def advance(self, by: timedelta | None = None, /, **parts: Unpack[Duration]) -> None:
        nanos = self._nanos_ahead(_duration(by, parts))
        time_jumps(self._instances, lambda: self.source.advance(nanos))

    def auto(self, by: timedelta | None = None, /, **parts: Unpack[Duration]) -> None:
        self._stop_following()
        self.source.freeze(step=self._nanos_ahead(_duration(by, parts)))

    def run_ttl(self) -> int:
        return sum(database.delete_expired_rows() for database in self._instances.all_databases())

    def expire_versions(self) -> int:
        return sum(database.time.forget_versions() for database in self._instances.all_databases())

    def _freeze_at(self, moment: int) -> None:
        self.source.freeze(moment)
        for database in self._instances.all_databases():
            database.time.rejoin()

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
                time_jumps(self._instances, move)
            elif ahead > timedelta():
                move()

    def _nanos_ahead(self, duration: timedelta) -> int:
        if duration < timedelta():
            raise ValueError(f"{duration} is negative, and time never moves backwards")
        if duration > _END - datetime_of(self.source.peek()):
            raise ValueError(f"{duration} from now there is no time any more: years end at 9999")
        return duration // _MICROSECOND * NANOS_PER_MICRO


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


def _duration(by: timedelta | None, parts: Duration) -> timedelta:
    return (by or timedelta()) + timedelta(**parts)
