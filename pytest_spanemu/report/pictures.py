"""Heatmaps for the HTML report: images in the page, with axes and a legend.

`picture_of` takes the figures of a heatmap into plain data, which xdist's workers send;
`picture_html` shows them.
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


def picture_of(hotspots: Any) -> Plain:
    """Return the tables and indexes of a heatmap that have rows written, as plain data."""
    from spanemu.hotspots.heatmap.file import band_image

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


def picture_html(picture: Plain) -> str:
    """Return the pictures of a test's tables and indexes, one below the other."""
    return "".join(_band(band, picture) for band in picture["bands"])


def _band(band: Plain, picture: Plain) -> str:
    totals: Sequence[int] = band["totals"]
    rows = len(totals)
    height = rows * max(1, min(_ROW_HEIGHT_MAX, _HEIGHT_MAX // rows))
    busiest = max(range(rows), key=totals.__getitem__)
    said = (
        f"{band['pattern']}. {counted(sum(totals), 'row')} written in "
        f"{counted(picture['commits'], 'commit')}; the busiest of "
        f"{counted(rows, 'key range')} begins at {band['starts'][busiest]} and has "
        f"{totals[busiest]:,}."
    )
    lines = "".join(
        f'<i style="top:{100 * boundary / rows:.2f}%"></i>' for boundary in band["boundaries"]
    )
    return (
        f'<figure class="heat"><figcaption><b>{escape(band["name"])}</b> {band["kind"]} · '
        f"{escape(said)}</figcaption>"
        f'<div class="plot"><div class="keys" aria-hidden="true">{_key_labels(band)}</div>'
        f'<div class="map" style="height:{height}px"><img alt="{escape(said)}" '
        f'src="data:image/png;base64,{band["image"]}">{lines}</div>'
        f'<div class="commits" aria-hidden="true">{_commit_labels(picture["commits"])}</div></div>'
        f"{_legend(band, picture)}</figure>"
    )


def _key_labels(band: Plain) -> str:
    """Return the axis of keys: the first, the middle and the last range."""
    name, starts = band["name"], band["starts"]
    places = dict.fromkeys((0, len(starts) // 2, len(starts) - 1)) if len(starts) > 4 else {0: None}
    return "".join(
        f'<span title="{escape(starts[place])}">{escape(starts[place].removeprefix(name))}</span>'
        for place in places
    )


def _commit_labels(commits: int) -> str:
    """Return the axis of commits: the first, the middle and the last."""
    if commits < 3:
        return "<span>1st commit</span>"
    return f"<span>1st commit</span><span>{commits // 2:,}</span><span>{commits:,}</span>"


def _legend(band: Plain, picture: Plain) -> str:
    width = picture["commits_per_column"]
    column = "one commit" if width == 1 else f"{width:,} commits"
    drawn = " A line is the boundary of a split." if band["boundaries"] else ""
    fullest = counted(band["fullest_cell"], "row")
    return (
        f'<p class="legend">0 <span class="scale"></span> {fullest} written in a cell. Keys from '
        f"top to bottom, commits from left to right, {column} to a column.{drawn}</p>"
    )
