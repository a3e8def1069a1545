"""The clock of an emulator in another process; `control.clock` documents the methods."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Unpack

from spanemu.base.errors import Unsupported
from spanemu.base.serialization import from_plain
from spanemu.control.clock import Duration, EmulatorClock, as_datetime
from spanemu.wire_control.calls import Calls

_MICROSECOND = timedelta(microseconds=1)


class TimeOutOfSight(Unsupported):
    prose = (
        "{feature} needs an emulator in this process, whose time another process does not see. Run "
        "the emulator in this process (spanemu.Emulator, --spanner-target=embedded), or move its "
        "clock by clock.advance()."
    )


class RemoteClock(EmulatorClock):
    """The clock of an emulator in another process."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    @property
    def now(self) -> datetime:
        now: datetime = from_plain(datetime, self._calls("GetClock")["now"])
        return now

    @property
    def is_frozen(self) -> bool:
        return bool(self._calls("GetClock")["frozen"])

    def freeze(self, at: datetime | str | None = None) -> None:
        self._calls("FreezeClock", at=None if at is None else as_datetime(at))

    def thaw(self) -> None:
        self._calls("ThawClock")

    def reset(self) -> None:
        self._calls("ResetClock")

    def advance(self, by: timedelta | None = None, /, **parts: Unpack[Duration]) -> None:
        self._calls("AdvanceClock", microseconds=_microseconds(by, parts))

    def follow(self) -> None:
        raise TimeOutOfSight("clock.follow()")

    def auto(self, by: timedelta | None = None, /, **parts: Unpack[Duration]) -> None:
        self._calls("AutoClock", microseconds=_microseconds(by, parts))

    def run_ttl(self) -> int:
        return int(self._calls("RunTtl")["rows"])

    def expire_versions(self) -> int:
        return int(self._calls("ExpireVersions")["versions"])


def _microseconds(by: timedelta | None, parts: Duration) -> int:
    return ((by or timedelta()) + timedelta(**parts)) // _MICROSECOND
