"""The figures of a heatmap as they stand in its page, and what has changed since an earlier run.

An earlier run is a heatmap, or the page that was written of it: the figures are in there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from spanemu.hotspots.heatmap.heatmap import Band, Heatmap, Metric

Figures = Mapping[str, Any]
Earlier = Heatmap | str | PathLike[str]

_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def figures(heatmap: Heatmap) -> Figures:
    """All that the picture is drawn from."""
    return {
        "commits": heatmap.commits,
        "columns": heatmap.columns,
        "commits_per_column": heatmap.commits_per_column,
        "nodes": heatmap.nodes,
        "metrics": _metrics(heatmap),
        "bands": [_band(band) for band in heatmap.bands],
    }


def earlier_figures(earlier: Earlier) -> Figures:
    """Those of an earlier run. Raises ValueError for a file that is no page of a heatmap."""
    if isinstance(earlier, Heatmap):
        return figures(earlier)
    found = _DATA.search(Path(earlier).read_text(encoding="utf-8", errors="replace"))
    runs = None if found is None else json.loads(found[1]).get("runs")
    if not runs:
        raise ValueError(f"{earlier} is not the page of a heatmap")
    last: Figures = runs[0]
    return last


def _metrics(heatmap: Heatmap) -> list[str]:
    """Those that there is something of, and rows written."""
    return [
        str(metric)
        for metric in Metric
        if metric is Metric.WRITTEN or any(band.cells.get(metric) for band in heatmap.bands)
    ]


def _band(band: Band) -> dict[str, Any]:
    return {
        "name": band.name,
        "kind": "index" if band.is_index else "table",
        "pattern": str(band.pattern),
        "starts": band.starts,
        "cells": {str(metric): cells for metric, cells in band.cells.items()},
        "boundaries": band.boundaries,
        "splits": band.splits,
        "servers": band.servers,
        "sources": band.sources,
    }


@dataclass(frozen=True, slots=True)
class Side:
    """A table or index in one of the runs; `busiest` is the part of its fullest range."""

    pattern: str
    rows: int
    busiest: float


@dataclass(frozen=True, slots=True)
class Difference:
    """A table or index in both runs; None where it was not touched."""

    name: str
    before: Side | None
    now: Side | None


def differences(before: Figures, now: Figures) -> Iterator[Difference]:
    """Every table and index of either run, by name."""
    olds, news = ({band["name"]: _side(band) for band in one["bands"]} for one in (before, now))
    for name in sorted({*olds, *news}):
        yield Difference(name, olds.get(name), news.get(name))


def _side(band: Mapping[str, Any]) -> Side:
    totals = [sum(row) for row in band["cells"][str(Metric.WRITTEN)]]
    whole = sum(totals)
    return Side(band["pattern"], whole, max(totals) / whole if whole else 0.0)
