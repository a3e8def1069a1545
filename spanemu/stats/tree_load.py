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


# The places of streams in a `TreeLoad`, in numbers: they are asked for at every write.
INSERTS, UPDATES, DELETES, READS = range(4)
_KINDS = (Kind.INSERT, Kind.UPDATE, Kind.DELETE, Kind.READ)


class TreeLoad:
    """Of one tree."""

    __slots__ = ("_limits", "_streams", "conflicts", "scans", "sources")

    def __init__(self, limits: Thresholds) -> None:
        self._limits = limits
        self._streams: list[Stream | None] = [None] * len(_KINDS)
        self.scans = Scans(limits)
        self.conflicts = Contention(limits)
        self.sources = Sources()

    def stream(self, place: int) -> Stream:
        """`INSERTS`, `UPDATES`, `DELETES` or `READS`."""
        found = self._streams[place]
        if found is None:
            found = self._streams[place] = Stream(self._limits)
        return found

    def streams(self) -> Iterator[tuple[Kind, Stream]]:
        """The streams that something was seen of."""
        for kind, stream in zip(_KINDS, self._streams, strict=True):
            if stream is not None:
                yield kind, stream
