"""The clock of an emulator in another process; `control.clock` says what each thing means."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Unpack

from spanemu.base.plain import from_plain
from spanemu.control.clock import Duration, as_datetime
from spanemu.wire_control.calls import Calls

_MICROSECOND = timedelta(microseconds=1)


class RemoteClock:
    """Offers what `EmulatorClock` does."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    @property
    def now(self) -> datetime:
        """The present time, in UTC; asking does not move it."""
        found: datetime = from_plain(datetime, self._calls("GetClock")["now"])
        return found

    @property
    def is_frozen(self) -> bool:
        """Whether time stands still, or moves by steps only."""
        return bool(self._calls("GetClock")["frozen"])

    def freeze(self, at: datetime | str | None = None) -> None:
        """Stop time, now or at a time to come. Raises ValueError for one that has passed."""
        self._calls("FreezeClock", at=None if at is None else as_datetime(at))

    def thaw(self) -> None:
        """Let time run again from where it stands."""
        self._calls("ThawClock")

    @contextmanager
    def frozen(self, at: datetime | str | None = None) -> Iterator[None]:
        """Freeze time while a block runs."""
        self.freeze(at)
        try:
            yield
        finally:
            self.thaw()

    def advance(self, by: timedelta | None = None, /, **parts: Unpack[Duration]) -> None:
        """Move time forward. Raises ValueError when asked to go back."""
        self._calls("AdvanceClock", microseconds=_microseconds(by, parts))

    def tick(self, ms: float = 0.001) -> None:
        """Move time forward by so many milliseconds, or by a microsecond: a TIMESTAMP's least."""
        self.advance(milliseconds=ms)

    def follow(self) -> None:
        """What an emulator in this process does. Raises NotImplementedError."""
        raise NotImplementedError(
            "an emulator in another process does not see this one's time; run it in this process "
            "(--spanner-target=embedded, spanemu.Emulator), or move its clock by advance()"
        )

    def auto(self, by: timedelta | None = None, /, **parts: Unpack[Duration]) -> None:
        """Freeze time, and have every commit move it forward; an empty duration stops that."""
        self._calls("AutoClock", microseconds=_microseconds(by, parts))

    def run_ttl(self) -> int:
        """Apply every row deletion policy now; how many rows were deleted."""
        return int(self._calls("RunTtl")["rows"])

    def expire_versions(self) -> int:
        """Forget every version that can no longer be read; how many those were."""
        return int(self._calls("ExpireVersions")["versions"])


def _microseconds(by: timedelta | None, parts: Duration) -> int:
    return ((by or timedelta()) + timedelta(**parts)) // _MICROSECOND
