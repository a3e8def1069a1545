"""What a watched database did, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from spanemu.hotspots.sources import Source
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import TreeWrite

Commit = tuple[int, Sequence[TreeWrite]]  # its timestamp, and what it wrote
Touch = tuple[int, TreeId, bytes]  # the last commit when a key was read or fought for


@dataclass(frozen=True, slots=True)
class Trace:
    """The newest of what was seen, oldest first; `dropped` commits came before.

    `sources` are by tree.
    """

    commits: Sequence[Commit] = ()
    reads: Sequence[Touch] = ()
    conflicts: Sequence[Touch] = ()
    dropped: int = 0
    sources: Mapping[TreeId, Sequence[Source]] = field(default_factory=dict)
