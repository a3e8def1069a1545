"""The current state of a database as a few numbers, for metrics."""

from __future__ import annotations

from dataclasses import dataclass

from spanemu.database.core import DatabaseCore
from spanemu.database.sessions.registry import Sessions
from spanemu.storage.split_map import map_bytes


@dataclass(frozen=True, slots=True)
class DatabaseGauges:
    """The numbers.

    `sessions` and `multiplexed_sessions` have not expired. `transactions` are the read-write
    transactions that have not ended, and `waiting` the lock requests that wait. `stored_bytes` is
    an estimate. `stream_readers` are the readers of partitions of change streams.
    """

    sessions: int
    multiplexed_sessions: int
    transactions: int
    waiting: int
    splits: int
    stored_bytes: int
    stream_readers: int


def gauges_of(core: DatabaseCore, sessions: Sessions) -> DatabaseGauges:
    """Return the current numbers of a database."""
    regular, multiplexed = sessions.counts()
    with core.store.mutex:
        split_map = core.store.split_map
        splits = sum(len(each.splits) for each in split_map.hierarchies.values())
        size = map_bytes(split_map)
    return DatabaseGauges(
        sessions=regular,
        multiplexed_sessions=multiplexed,
        transactions=sessions.open_transaction_count(),
        waiting=core.locks.waiting_count(),
        splits=splits,
        stored_bytes=size,
        stream_readers=core.stream_readers.count(),
    )
