"""What is known of one table or index that is watched: its streams, scans and conflicts."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from spanemu.stats.contention import Contention
from spanemu.stats.scans import Scans
from spanemu.stats.sources import Sources
from spanemu.stats.stream import Stream
from spanemu.stats.thresholds import Thresholds


class Kind(StrEnum):
    """What a request did to a row."""

    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    READ = "read"  # by its key


class TreeLoad:
    """Of one tree. Attributes rather than a mapping by kind: they are asked for at every write."""

    __slots__ = ("conflicts", "deletes", "inserts", "reads", "scans", "sources", "updates")

    def __init__(self, limits: Thresholds) -> None:
        self.inserts = Stream(limits)
        self.updates = Stream(limits)
        self.deletes = Stream(limits)
        self.reads = Stream(limits)
        self.scans = Scans(limits)
        self.conflicts = Contention(limits)
        self.sources = Sources()

    def streams(self) -> Iterator[tuple[Kind, Stream]]:
        """The streams that something was seen of."""
        for kind, stream in (
            (Kind.INSERT, self.inserts),
            (Kind.UPDATE, self.updates),
            (Kind.DELETE, self.deletes),
            (Kind.READ, self.reads),
        ):
            if stream.commits or stream.keys:
                yield kind, stream
