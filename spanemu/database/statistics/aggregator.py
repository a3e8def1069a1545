"""The aggregator of a database's records, which makes its sums on first use.

The path of a request appends a record to the activity log. A test that runs few requests and reads
no statistics needs no sums.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from spanemu.database.activity import ActivityLog, taken
from spanemu.database.statistics import period, sums
from spanemu.schema.schema import Schema
from spanemu.txn.locks.waits import LockLog


class StatisticsAggregator:
    """The statistics of a database. Safe to use from several threads.

    `schema` returns the current schema.
    """

    def __init__(self, log: ActivityLog, waits: LockLog, schema: Callable[[], Schema]) -> None:
        self._log = log
        self._waits = waits
        self._schema = schema
        self._mutex = threading.Lock()  # Guards the sums.
        self._sums: sums.Sums | None = None
        log.when_full = self.aggregate

    def aggregate(self) -> None:
        """Aggregate the records, unless another thread is doing so."""
        if self._mutex.acquire(blocking=False):
            try:
                self._aggregated()
            finally:
                self._mutex.release()

    def flush(self) -> None:
        """Aggregate all records made until now."""
        with self._mutex:
            self._aggregated()

    def forget(self) -> None:
        """Delete all statistics, because the database was restored.

        The log's follower still receives the records.
        """
        with self._mutex:
            if self._log.follower is not None:
                self._log.follower(taken(self._log.requests))
            self._log.forget()
            self._waits.drain()
            if self._sums is not None:
                self._sums.clear()

    def query(self, table: sums.StatisticsTable, interval: str, now: int) -> list[period.Row]:
        """Return the rows of a table as of `now`, in nanoseconds, for intervals that have ended."""
        with self._mutex:
            return self._aggregated().rows(table, interval, now)

    def _aggregated(self) -> sums.Sums:
        """Return the sums with all records made until now."""
        if self._sums is None:
            self._sums = sums.Sums(self._log, self._waits, self._schema)
        self._sums.aggregate()
        return self._sums
