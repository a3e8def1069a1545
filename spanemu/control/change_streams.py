"""The change streams of one database: their records and their partitions.

Clients read a stream by its partitions, with READ_<stream>, as on Spanner. Here, the records of all
partitions come in the order of the commits. `api.change_streams` has them as typed records.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from spanemu.base.process import OwnProcess
from spanemu.control.clock import datetime_of, nanos_of
from spanemu.control.operation import ControlInterface, operation
from spanemu.database import change_streams as database_streams
from spanemu.database.database import Database

# mypy: disable-error-code="empty-body"

CHURNS_MAX = 1_000  # in one request


class ChangeStreamControl(ControlInterface):
    """The operations on the change streams of a database."""

    PATH = "{database}/changeStreams"
    SCOPE = "database"

    @operation("ListChangeStreams", "GET", "streams")
    def names(self) -> list[str]:
        """Return the names of the change streams."""

    @operation("ReadChangeStream", "GET /{stream}/records", "records")
    def read(
        self,
        stream: str,
        since: datetime | None = None,
        until: datetime | None = None,
        count: int = 0,
        within_seconds: float = 0.0,
    ) -> list[dict[str, Any]]:
        """Return the data change records of a stream, as JSON objects, in the order of commits.

        `since` and `until` are inclusive; by default all records are returned that are retained.
        With fewer records than `count`, wait for more of them for up to `within_seconds`.
        """

    @operation("ChangeStreamPosition", "GET :position", "timestamp")
    def position(self) -> datetime | None:
        """Return the timestamp of the last commit that a change stream recorded, None for none."""

    @operation("ChurnChangeStream", "POST /{stream}:churn", "partitions")
    def churn(self, stream: str, times: int = 1) -> int:
        """Replace every open partition of a stream by a child, and return their number.

        Does so `times` times.
        """

    @operation("SplitChangeStream", "POST /{stream}:split", "partitions")
    def split(self, stream: str) -> int:
        """Split the partition of a stream with the most rows; return the number of partitions."""

    @operation("MergeChangeStream", "POST /{stream}:merge", "partitions")
    def merge(self, stream: str) -> int:
        """Merge the first two partitions of a stream; return the number of partitions.

        Raises ValueError for a stream with one partition.
        """


class LocalChangeStreams(ChangeStreamControl):
    """The change streams of a database in this process."""

    _database = OwnProcess[Database]()

    def __init__(self, database: Database) -> None:
        self._database = database

    def names(self) -> list[str]:
        return [stream.name for stream in self._database.schema.change_streams.values()]

    def read(
        self,
        stream: str,
        since: datetime | None = None,
        until: datetime | None = None,
        count: int = 0,
        within_seconds: float = 0.0,
    ) -> list[dict[str, Any]]:
        first = None if since is None else nanos_of(since)
        last = None if until is None else nanos_of(until)
        streams = self._streams
        records = streams.recorded(stream, first, last)
        if len(records) >= count or within_seconds <= 0:
            return records

        def has_enough() -> bool:
            return len(streams.recorded(stream, first, last)) >= count

        streams.wait_until(stream, has_enough, within_seconds)
        return streams.recorded(stream, first, last)

    def position(self) -> datetime | None:
        last = self._database.change_streams.last_commit
        return None if last is None else datetime_of(last)

    def churn(self, stream: str, times: int = 1) -> int:
        if not 1 <= times <= CHURNS_MAX:
            raise ValueError(f"times={times} must be 1 to {CHURNS_MAX}")
        for _ in range(times):
            self._streams.churn(stream)
        return self._count(stream)

    def split(self, stream: str) -> int:
        self._streams.split(stream)
        return self._count(stream)

    def merge(self, stream: str) -> int:
        self._streams.merge(stream)
        return self._count(stream)

    @property
    def _streams(self) -> database_streams.ChangeStreams:
        return self._database.change_streams

    def _count(self, stream: str) -> int:
        return len(self._streams.partitions(stream))
