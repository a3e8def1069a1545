"""What a rule of the report is, and what several of them need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from spanemu.hotspots.cause import Reason
from spanemu.hotspots.finding_builder import FindingSpec
from spanemu.hotspots.stream import Stream
from spanemu.hotspots.stream_analysis import AnalysisContext, StreamAnalysis, analyze_stream
from spanemu.hotspots.tree_load import Kind
from spanemu.schema.index import Index
from spanemu.schema.table import Table

Advice = tuple[StreamAnalysis, FindingSpec]  # the stream that it is told of, and what
Rule = Callable[[AnalysisContext], Iterator[Advice]]


cost = partial(FindingSpec, reason=Reason.UNSPECIFIED)  # what costs without being a hot spot


def busiest(scene: AnalysisContext, thing: Table | Index) -> StreamAnalysis:
    """The longest of a thing's streams of writes; an empty one where nothing was written."""
    found = [one for one in scene.judged if one.thing is thing and one.kind is not Kind.READ]
    if found:
        return max(found, key=lambda one: one.stream.commits)
    return analyze_stream(
        scene.schema, thing, Kind.INSERT, Stream(scene.limits).summary(), scene.limits
    )
