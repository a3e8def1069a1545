"""Heatmaps in the HTML report: images with axes and a legend.

`heatmap_data` returns a heatmap as plain data, which xdist's workers send; `heatmap_html` renders
this data.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from html import escape
from typing import Any

from pytest_spanemu.asserts.request_text import counted

_HEIGHT_MAX = 320  # pixels
_ROW_HEIGHT_MAX = 24
_WRITTEN = "rows written"
Plain = dict[str, Any]


def heatmap_data(hotspots: Any) -> Plain:
    """Return the tables and indexes of a heatmap that the test wrote to, as plain data."""
    from spanemu.hotspots.heatmap.files import band_image

    heatmap = hotspots.heatmap()
    bands = [
        {
            "name": band.name,
            "kind": "index" if band.is_index else "table",
            "pattern": str(band.pattern),
            "image": b64encode(band_image(band, heatmap.columns)).decode("ascii"),
            "totals": [sum(row) for row in band.cells[_WRITTEN]],
            "fullest_cell": max(max(row) for row in band.cells[_WRITTEN]),
            "starts": list(band.starts),
            "boundaries": list(band.boundaries),
        }
        for band in heatmap.bands
        if any(map(any, band.cells[_WRITTEN]))
    ]
    per_column = heatmap.commits_per_column
    return {"commits": heatmap.commits, "commits_per_column": per_column, "bands": bands}


def heatmap_html(heatmap: Plain) -> str:
    """Return one image for each table and index of a heatmap."""
    return "".join(_band(band, heatmap) for band in heatmap["bands"])


def _band(band: Plain, heatmap: Plain) -> str:
    totals: Sequence[int] = band["totals"]
    rows = len(totals)
    height = rows * max(1, min(_ROW_HEIGHT_MAX, _HEIGHT_MAX // rows))
    busiest = max(range(rows), key=totals.__getitem__)
    caption = (
        f"{band['pattern']}. {counted(sum(totals), 'row')} written in "
        f"{counted(heatmap['commits'], 'commit')}; the busiest of "
        f"{counted(rows, 'key range')} begins at {band['starts'][busiest]} and has "
        f"{totals[busiest]:,}."
    )
    lines = "".join(
        f'<i style="top:{100 * boundary / rows:.2f}%"></i>' for boundary in band["boundaries"]
    )
    return (
        f'<figure class="heatmap"><figcaption><b>{escape(band["name"])}</b> {band["kind"]} · '
        f"{escape(caption)}</figcaption>"
        f'<div class="plot"><div class="keys" aria-hidden="true">{_key_labels(band)}</div>'
        f'<div class="map" style="height:{height}px"><img alt="{escape(caption)}" '
        f'src="data:image/png;base64,{band["image"]}">{lines}</div>'
        f'<div class="commits" aria-hidden="true">{_commit_labels(heatmap["commits"])}</div></div>'
        f"{_legend(band, heatmap)}</figure>"
    )


def _key_labels(band: Plain) -> str:
    """Return the labels of the key axis: the first, the middle and the last range."""
    name, starts = band["name"], band["starts"]
    shown = [starts[0], starts[len(starts) // 2], starts[-1]] if len(starts) > 4 else starts[:1]
    return "".join(
        f'<span title="{escape(start)}">{escape(start.removeprefix(name))}</span>'
        for start in shown
    )


def _commit_labels(commits: int) -> str:
    """Return the labels of the commit axis: the first, the middle and the last commit."""
    if commits < 3:
        return "<span>1st commit</span>"
    return f"<span>1st commit</span><span>{commits // 2:,}</span><span>{commits:,}</span>"


def _legend(band: Plain, heatmap: Plain) -> str:
    width = heatmap["commits_per_column"]
    column = "one commit" if width == 1 else f"{width:,} commits"
    splits = " Lines are split boundaries." if band["boundaries"] else ""
    fullest = counted(band["fullest_cell"], "row")
    return (
        f'<p class="legend">0 <span class="scale"></span> {fullest} written in a cell. Keys from '
        f"top to bottom, commits from left to right, {column} to a column.{splits}</p>"
    )
