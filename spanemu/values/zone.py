"""Time zones: the offset at an instant, and the instant of a local time.

A zone is named as in the tz database (the `tzdata` package, so that results do not depend on the
machine), or by its offset (`+05:30`). Local times that a zone skips or repeats are resolved as in
GoogleSQL; see `Zone.instant_of`.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from spanemu.base.deferred import deferred, lazy_pattern
from spanemu.values.errors import BadValue

if TYPE_CHECKING:
    import zoneinfo
else:
    zoneinfo = deferred("zoneinfo")

_OFFSET = lazy_pattern(r"(?:UTC)?([+-])(\d{1,2})(?::?(\d{1,2}))?", re.ASCII)
_OFFSET_SECONDS_MAX = 14 * 3_600
# Two days inside the range of `datetime`, so that no local time leaves it. No zone changes its
# offset near these limits.
_FIRST_SECOND = -62_135_596_800 + 172_800
_LAST_SECOND = 253_402_300_799 - 172_800


class Civil(NamedTuple):
    """A date and time of day in some zone."""

    year: int
    month: int
    day: int
    hour: int = 0
    minute: int = 0
    second: int = 0
    nanos: int = 0


class Zone:
    """One time zone. Instants and local times are seconds since 1970-01-01T00:00:00."""

    __slots__ = ("_epoch", "_fixed", "_rules", "name")

    def __init__(self, name: str, rules: tzinfo, fixed: int | None = None) -> None:
        self.name = name
        self._rules = rules
        self._fixed = fixed
        self._epoch = datetime(1970, 1, 1, tzinfo=rules)  # Midnight in this zone.

    def __repr__(self) -> str:
        return f"Zone({self.name})"

    def offset_at(self, instant: int) -> int:
        """Return how many seconds local time is ahead of UTC at `instant`."""
        if self._fixed is not None:
            return self._fixed
        instant = min(max(instant, _FIRST_SECOND), _LAST_SECOND)
        return _seconds(self._rules.fromutc(self._epoch + timedelta(0, instant)).utcoffset())

    def instant_of(self, local: int) -> int:
        """Return the instant of a local time.

        A repeated local time gives its first instant; a skipped one uses the offset before the gap.
        """
        if self._fixed is not None:
            return local - self._fixed
        return local - _seconds(self._clock(local).utcoffset())

    def last_instant_of(self, local: int) -> int:
        """Return the last instant of a local time, as PostgreSQL reads it.

        A repeated local time gives its second instant; a skipped one uses the offset before
        the gap.
        """
        if self._fixed is not None:
            return local - self._fixed
        clock = self._clock(local)
        first, second = clock.utcoffset(), clock.replace(fold=1).utcoffset()
        return local - min(_seconds(first), _seconds(second))

    def abbreviation_at(self, instant: int) -> str:
        """Return the abbreviated name of local time at `instant`, such as PST."""
        instant = min(max(instant, _FIRST_SECOND), _LAST_SECOND)
        return self._rules.fromutc(self._epoch + timedelta(0, instant)).tzname() or ""

    def _clock(self, local: int) -> datetime:
        return self._epoch + timedelta(0, min(max(local, _FIRST_SECOND), _LAST_SECOND))


@lru_cache(maxsize=1024)
def zone_named(name: str) -> Zone:
    """Return the zone with that name or offset."""
    if match := _OFFSET.fullmatch(name):
        sign, hours, minutes = match.groups()
        seconds = int(hours) * 3_600 + int(minutes or 0) * 60
        if int(minutes or 0) >= 60 or seconds > _OFFSET_SECONDS_MAX:
            raise BadValue(name, "time zone", "offset out of range")
        return fixed_zone(-seconds if sign == "-" else seconds)
    if name not in _names():
        raise BadValue(name, "time zone", "no such time zone")
    if name in ("UTC", "Etc/UTC"):
        return Zone(name, UTC, 0)
    source = files("tzdata").joinpath("zoneinfo", *name.split("/"))
    with source.open("rb") as data:
        return Zone(name, zoneinfo.ZoneInfo.from_file(data, key=name))


@lru_cache(maxsize=256)
def fixed_zone(offset: int) -> Zone:
    """Return a zone that is always `offset` seconds ahead of UTC."""
    rules = timezone(timedelta(0, offset))
    return Zone(str(rules), rules, offset)


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    return frozenset(files("tzdata").joinpath("zones").read_text("ascii").split())


def _seconds(offset: timedelta | None) -> int:
    assert offset is not None
    return offset.days * 86_400 + offset.seconds
