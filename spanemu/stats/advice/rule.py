"""What a rule of the report is, and what several of them need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.stats.cause import Reason
from spanemu.stats.judged import Judged, Scene, judged_of
from spanemu.stats.stream import Stream
from spanemu.stats.telling import Told
from spanemu.stats.tree_load import Kind

Advice = tuple[Judged, Told]  # the stream that it is told of, and what
Rule = Callable[[Scene], Iterator[Advice]]


cost = partial(Told, reason=Reason.UNSPECIFIED)  # what costs without being a hot spot


def busiest(scene: Scene, thing: Table | Index) -> Judged:
    """The longest of a thing's streams of writes; an empty one where nothing was written."""
    found = [one for one in scene.judged if one.thing is thing and one.kind is not Kind.READ]
    if found:
        return max(found, key=lambda one: one.stream.commits)
    return judged_of(scene.schema, thing, Kind.INSERT, Stream(scene.limits).summary(), scene.limits)
