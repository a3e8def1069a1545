"""Heatmaps as files: HTML pages and PNG images. The same input gives the same bytes.

A page is one file that needs no network. The figures are JSON in the page, and the script
`heatmap.js` of `spanemu.web` draws the picture. A table shows the same figures to readers without
scripts, and to readers who cannot see the picture.
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

from spanemu.hotspots.finding import Finding
from spanemu.hotspots.heatmap.heatmap import COUNTED, Band, Heatmap, Metric
from spanemu.hotspots.report import Report
from spanemu.hotspots.split_info import SplitStat
from spanemu.hotspots.thresholds import THRESHOLDS
from spanemu.hotspots.verdict import Reason
from spanemu.web import shell
from spanemu.web.shell import Section

Figures = Mapping[str, Any]
Earlier = Heatmap | str | PathLike[str]

WIDTH_MIN = 960  # pixels
_STATS_TABLE = shell.breakable("SPANNER_SYS.SPLIT_STATS_TOP_MINUTE")
ROW_PIXELS, GAP_PIXELS = 4, 6
_STEPS = ((5, 5, 20), (70, 20, 120), (200, 60, 90), (250, 180, 60), (255, 255, 255))
_FAINT = 0.15  # the weakest color distinguishable from no load
_GAP = bytes((140, 140, 150))
_BOUNDARY = bytes((255, 255, 255))

_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Observed:
    """The content of a heatmap page.

    `rules` describes the rules of the findings in HTML, each in an element whose id is the rule's.
    """

    heatmap: Heatmap
    report: Report
    stats: Sequence[SplitStat]
    rules: str = ""


def save(path: str | PathLike[str], observed: Observed, before: Earlier | None = None) -> None:
    """Write an image to a .png, text to a .txt, and an HTML page to any other file.

    The page compares the heatmap with an earlier run. Raises ValueError for an earlier file that is
    no such page.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix == ".png":
        file.write_bytes(image(observed.heatmap))
    elif suffix == ".txt":
        file.write_text(observed.heatmap.text() + "\n", encoding="utf-8", newline="\n")
    else:
        earlier = None if before is None else earlier_figures(before)
        file.write_text(page(observed, earlier), encoding="utf-8", newline="\n")


def figures(heatmap: Heatmap) -> Figures:
    """Return the figures that a heatmap's picture is drawn from."""
    return {
        "commits": heatmap.commits,
        "columns": heatmap.columns,
        "commits_per_column": heatmap.commits_per_column,
        "nodes": heatmap.nodes,
        "metrics": _metrics(heatmap),
        "bands": [_band(band) for band in heatmap.bands],
    }


def earlier_figures(earlier: Earlier) -> Figures:
    """Return the figures of an earlier run. Raises ValueError for a file without a heatmap."""
    if isinstance(earlier, Heatmap):
        return figures(earlier)
    data = _DATA.search(Path(earlier).read_text(encoding="utf-8", errors="replace"))
    runs = None if data is None else json.loads(data[1]).get("runs")
    if not runs:
        raise ValueError(f"{earlier} is not the page of a heatmap")
    last: Figures = runs[0]
    return last


def _metrics(heatmap: Heatmap) -> list[str]:
    """Return the metrics that have cells, and always rows written."""
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
    """A table or index in one run; `busiest` is the part of its rows in the fullest range."""

    pattern: str
    rows: int
    busiest: float


@dataclass(frozen=True, slots=True)
class Difference:
    """A table or index in both runs; None where the run did not touch it."""

    name: str
    before: Side | None
    now: Side | None


def differences(before: Figures, now: Figures) -> Iterator[Difference]:
    """Yield every table and index of either run, by name."""
    olds, news = ({band["name"]: _side(band) for band in run["bands"]} for run in (before, now))
    for name in sorted({*olds, *news}):
        yield Difference(name, olds.get(name), news.get(name))


def _side(band: Mapping[str, Any]) -> Side:
    totals = [sum(row) for row in band["cells"][str(Metric.WRITTEN)]]
    whole = sum(totals)
    return Side(band["pattern"], whole, max(totals) / whole if whole else 0.0)


_INTRODUCTION = (
    '<p class="lead">Where the load fell: key ranges from top to bottom, commits from left to '
    "right. Arrow keys, Page Up, Page Down, Home and End move through the picture, Escape leaves "
    "it. It shows a test, and is no measurement of Spanner.</p>"
)
_SCRIPTS = """\
<noscript><p class="note">The picture needs scripts; the tables say what it shows.</p></noscript>
<script type="application/json" id="data">{data}</script>
<script>
"use strict";
{drawing}
const {{ runs }} = JSON.parse(document.getElementById("data").textContent);
heatmapView(document.getElementById("picture"), runs);
const reveal = () => {{
  const rule = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (rule?.matches("details.rule")) rule.open = true;
}};
addEventListener("hashchange", reveal);
reveal();
</script>"""


def page(observed: Observed, before: Figures | None = None) -> str:
    """Return the whole file; given the figures of an earlier run, the page compares both runs."""
    heatmap, findings = observed.heatmap, observed.report.findings
    runs = [figures(heatmap), *([] if before is None else [before])]
    content = {"runs": runs, "constants": asdict(THRESHOLDS)}
    # A closing tag inside a key must not end the script element.
    data = json.dumps(content, separators=(",", ":"), sort_keys=True).replace("<", "\\u003c")
    banners = f'<ul class="banners">{_banners(heatmap, findings, observed.report.notes)}</ul>'
    sections = (
        Section("", "", f'{_INTRODUCTION}{banners}<div id="picture"></div>'),
        Section("findings", "Findings", _findings(findings), len(findings)),
        Section("words", "In words", _table(heatmap)),
        Section("changes", "Before and now", "" if before is None else _changes(before, runs[0])),
        Section("ranges", "By range", "".join(map(_ranges, heatmap.bands))),
        Section("stats", "Split statistics", _stats(observed.stats)),
        Section("rules", "Rules", observed.rules),
    )
    scripts = _SCRIPTS.format(data=data, drawing=shell.asset("heatmap.js"))
    return shell.page("Heatmap", sections, scripts)


def _banners(heatmap: Heatmap, findings: Sequence[Finding], notes: Sequence[str]) -> str:
    lines = [
        f'<li class="danger"><b>Single hot row</b>: {escape(finding.start)}</li>'
        for finding in findings
        if finding.reason is Reason.HOT_ROW
    ]
    lines += [
        f'<li class="danger"><b>Large row tree</b>: {escape(finding.message)}</li>'
        for finding in findings
        if finding.rule == "SPN303"
    ]
    lines += [
        f"<li><b>{escape(banner)}</b>: {escape(band.name)}</li>"
        for band in heatmap.bands
        for banner in band.banners
    ]
    if heatmap.commits < THRESHOLDS.verdict_commits_min:
        lines.append(f"<li><b>Too few writes</b>: {heatmap.commits} commits</li>")
    if heatmap.dropped:
        lines.append(
            f"<li><b>Values approximate</b>: {heatmap.dropped} older commits left out</li>"
        )
    if heatmap.nodes:
        lines.append(
            f"<li><b>Simulated</b>: splits, servers and their loads are those of a model with "
            f"{heatmap.nodes} nodes, not measurements of Spanner</li>"
        )
    lines += [f"<li>{escape(note)}</li>" for note in notes]
    return "".join(lines)


def _findings(findings: Sequence[Finding]) -> str:
    if not findings:
        return "<p>No findings.</p>"
    return "".join(
        f'<article class="{finding.severity}">'
        f"{shell.finding_heading(finding.rule, finding.name, finding.severity)}"
        f"<p>{escape(finding.message)}</p>"
        f"<p>{escape(str(finding.evidence))}</p>{_writers(finding)}"
        f"{shell.fix(finding.fix)}</article>"
        for finding in findings
    )


def _writers(finding: Finding) -> str:
    """Return the sample keys, and the sources that wrote them, as a list."""
    shown = [_key(key) for key in finding.samples]
    shown += [shell.breakable(str(source)) for source in finding.sources]
    return f"<ul>{''.join(f'<li>{item}</li>' for item in shown)}</ul>" if shown else ""


def _stats(stats: Sequence[SplitStat]) -> str:
    heads = ("SPLIT_START", "SPLIT_LIMIT", "CPU_USAGE_SCORE", "AFFECTED_TABLES",
             "UNSPLITTABLE_REASONS")  # fmt: skip
    rows = (
        (
            _key(row.split_start),
            _key(row.split_limit),
            str(row.cpu_usage_score),
            escape(", ".join(row.affected_tables)),
            escape(", ".join(row.unsplittable_reasons)),
        )
        for row in stats
    )
    table = shell.table(heads, rows, ("CPU_USAGE_SCORE",))
    return f"<p>The rows of {_STATS_TABLE}.</p>{table}"


def _key(text: str) -> str:
    return f"<code>{shell.breakable(text)}</code>"


def _table(heatmap: Heatmap) -> str:
    """Return one line of text for each table or index: what the picture shows."""
    lines = []
    for band in heatmap.bands:
        totals = [sum(row) for row in band.cells[Metric.WRITTEN]]
        busiest = max(range(len(totals)), key=totals.__getitem__)
        lines.append((
            escape(band.name),
            escape(band.pattern),
            f"{sum(totals):,}",
            f"{len(totals):,}",
            _key(band.starts[busiest]),
            f"{totals[busiest]:,}",
        ))  # fmt: skip
    heads = ("Table or index", "Pattern", "Rows", "Ranges", "Busiest range from", "Rows there")
    return shell.table(heads, lines, ("Rows", "Ranges", "Rows there"))


def _changes(before: Figures, now: Figures) -> str:
    """Return the differences from the earlier run, one line for each table or index."""
    figures = ("Pattern", "Rows written", "Busiest range")
    heads = [f"{figure} {when}" for when in ("before", "now") for figure in figures]
    lines = (
        (escape(difference.name), *_side_cells(difference.before), *_side_cells(difference.now))
        for difference in differences(before, now)
    )
    numbers = [head for head in heads if not head.startswith("Pattern")]
    return shell.table(("Table or index", *heads), lines, numbers)


def _side_cells(side: Side | None) -> tuple[str, str, str]:
    if side is None:
        return "not touched", "", ""
    return escape(side.pattern), f"{side.rows:,}", f"{side.busiest:.0%}"


def _ranges(band: Band) -> str:
    """Return the figures of one table or index, one line for each range."""
    metrics = [metric for metric in COUNTED if band.cells.get(metric)]
    lines = []
    for index, start in enumerate(band.starts):
        figures = (f"{sum(band.cells[metric][index]):,}" for metric in metrics)
        lines.append((_key(start), *figures, "yes" if index in band.boundaries else ""))
    numbers = [str(metric) for metric in metrics]
    table = shell.table(("Range from", *numbers, "Split begins here"), lines, numbers)
    return f"<details><summary>{escape(band.name)}</summary>{table}</details>"


def image(heatmap: Heatmap, metric: Metric = Metric.WRITTEN) -> bytes:
    """Return the PNG file."""
    across = -(-WIDTH_MIN // heatmap.columns)
    most = max(
        (n for band in heatmap.bands for row in band.cells.get(metric, ()) for n in row), default=0
    )
    lines = [line for band in heatmap.bands for line in _lines(band, metric, most, heatmap.columns)]
    rows = [_widened(line, across) for line in lines] or [_GAP * heatmap.columns * across]
    return _png(rows, heatmap.columns * across)


def band_image(band: Band, columns: int, metric: Metric = Metric.WRITTEN) -> bytes:
    """Return the PNG file of a table or index, with its own fullest cell in white."""
    cells = band.cells.get(metric) or [[]] * len(band.starts)
    most = max((n for row in cells for n in row), default=0)
    rows = [b"".join(_colour(_at(row, n, columns), most) for n in range(columns)) for row in cells]
    return _png(rows, columns)


def _png(rows: Sequence[bytes], width: int) -> bytes:
    header = struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    chunks = ((b"IHDR", header), (b"IDAT", pixels), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _lines(band: Band, metric: Metric, most: int, columns: int) -> Iterator[list[bytes]]:
    """Yield the lines of pixels of one table or index, each with one color for each column."""
    cells = band.cells.get(metric) or [[]] * len(band.starts)
    for index, row in enumerate(cells):
        colours = [_colour(_at(row, column, columns), most) for column in range(columns)]
        first = [_BOUNDARY] * columns if index in band.boundaries else colours
        yield first
        yield from [colours] * (ROW_PIXELS - 1)
    yield from [[_GAP] * columns] * GAP_PIXELS


def _at(row: Sequence[int], column: int, columns: int) -> int:
    return row[column * len(row) // columns] if row else 0


def _colour(count: int, most: int) -> bytes:
    part = _FAINT + (1 - _FAINT) * count / most if count else 0.0
    index = part * (len(_STEPS) - 1)
    low = min(len(_STEPS) - 2, int(index))
    pairs = zip(_STEPS[low], _STEPS[low + 1], strict=True)
    return bytes(round(below + (index - low) * (above - below)) for below, above in pairs)


def _widened(colours: Sequence[bytes], across: int) -> bytes:
    return b"".join(colour * across for colour in colours)


def _chunk(kind: bytes, data: bytes) -> bytes:
    checked = kind + data
    return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))
