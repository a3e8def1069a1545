"""The change streams of one database, read without the partition protocol, for tests.

    stream = database.change_stream("OrderChanges")
    place_order(database)
    (record,) = stream.records()
    record.mods[0].new_values["Status"]              "OPEN"
    stream.wait_for(2, within=3.0)                   for code that writes in the background

    stream.churn()                                   readers meet new partitions

The records of all partitions come in the order of the commits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from spanemu.api.change_records import Change, DataChangeRecord
from spanemu.base.clock import monotonic
from spanemu.control.change_streams import ChangeStreamControl

__tracebackhide__ = True  # pytest then shows the caller's line
WAIT_SECONDS = 5.0  # the default bound of a wait
_MICROSECOND = timedelta(microseconds=1)  # the unit of commit timestamps

Match = Callable[[DataChangeRecord], bool]


class ChangesMissing(AssertionError):
    """A change stream did not have the expected records within the time allowed."""


class ChangeStreamsHandle:
    """The change streams of a database, by name: `database.change_streams["OrderChanges"]`.

    `since` is the first commit timestamp of the records, None for all records.
    """

    def __init__(self, control: ChangeStreamControl, since: datetime | None = None) -> None:
        self._control = control
        self.since = since

    def names(self) -> list[str]:
        """Return the names of the change streams."""
        return self._control.names()

    def from_now(self) -> ChangeStreamsHandle:
        """Return the streams without the records of commits so far."""
        last = self._control.position()
        since = self.since if last is None else last + _MICROSECOND
        return ChangeStreamsHandle(self._control, since)

    def __getitem__(self, name: str) -> ChangeStreamHandle:
        """Return the change stream with that name, which need not exist yet."""
        return ChangeStreamHandle(self._control, name, self.since)

    def __iter__(self) -> Iterator[ChangeStreamHandle]:
        return iter([self[name] for name in self.names()])

    def __len__(self) -> int:
        return len(self.names())


class ChangeStreamHandle:
    """One change stream of a database."""

    def __init__(
        self, control: ChangeStreamControl, name: str, since: datetime | None = None
    ) -> None:
        self._control = control
        self._since = since
        self.name = name

    def records(
        self, since: datetime | None = None, until: datetime | None = None
    ) -> list[DataChangeRecord]:
        """Return the data change records, in the order of the commits.

        `since` and `until` are inclusive commit timestamps.
        """
        return _typed(self._control.read(self.name, since or self._since, until))

    def changes(self, since: datetime | None = None, until: datetime | None = None) -> list[Change]:
        """Return the changes of the records, one for each changed row."""
        return [change for record in self.records(since, until) for change in record.changes]

    def wait_for(
        self,
        count: int = 1,
        *,
        match: Match | None = None,
        since: datetime | None = None,
        within: float = WAIT_SECONDS,
    ) -> list[DataChangeRecord]:
        """Return the records that `match` accepts as soon as there are `count` of them.

        Raises ChangesMissing after `within` seconds.
        """

        def matching(records: Sequence[DataChangeRecord]) -> list[DataChangeRecord]:
            return [each for each in records if match is None or match(each)]

        records = self.wait_until(
            lambda records: len(matching(records)) >= count, since=since, within=within
        )
        accepted = matching(records)
        if len(accepted) < count:
            raise ChangesMissing(_missing(self.name, count, within, records))
        return accepted

    def wait_until(
        self,
        condition: Callable[[Sequence[DataChangeRecord]], bool],
        *,
        since: datetime | None = None,
        within: float = WAIT_SECONDS,
    ) -> list[DataChangeRecord]:
        """Return the records as soon as a condition on them holds, or after `within` seconds."""
        deadline = monotonic() + within
        records = self.records(since)
        while not condition(records) and (left := deadline - monotonic()) > 0:
            last = records[-1].commit_timestamp if records else None
            first = last + _MICROSECOND if last else since or self._since
            records += _typed(self._control.read(self.name, first, None, 1, left))
        return records

    def churn(self, times: int = 1) -> int:
        """Replace every open partition by a child, and return the number of open partitions.

        Does so `times` times. Spanner may do so at any time.
        """
        return self._control.churn(self.name, times)

    def split(self) -> int:
        """Split the partition with the most rows, and return the number of open partitions.

        The splits of the database stay; `SplitsHandle.at` changes both.
        """
        return self._control.split(self.name)

    def merge(self) -> int:
        """Merge the first two partitions, and return the number of open partitions.

        Raises ValueError if the stream has one partition.
        """
        return self._control.merge(self.name)

    def __repr__(self) -> str:
        return f"<ChangeStreamHandle {self.name}>"


def _typed(records: Sequence[dict[str, Any]]) -> list[DataChangeRecord]:
    return [DataChangeRecord.from_json(record) for record in records]


def _missing(stream: str, count: int, within: float, records: Sequence[DataChangeRecord]) -> str:
    number = f"{count} record{'' if count == 1 else 's'}"
    expected = f"Expected {number} in {stream} within {within:g} s"
    changes = [f"  {change}" for record in records for change in record.changes]
    return "\n".join([f"{expected}, saw{':' if changes else ' none'}", *changes])
