"""A heatmap as one HTML file that needs no network, the same bytes for the same input.

The figures are JSON in the page, the picture is drawn by the script of `heatmap.html`; without
scripts, and for those who cannot see it, there is a table.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path

from spanemu.hotspots.cause import Reason
from spanemu.hotspots.finding import Finding
from spanemu.hotspots.heatmap.heatmap import COUNTED, Band, Heatmap, Metric
from spanemu.hotspots.heatmap.runs import Figures, Side, differences, figures
from spanemu.hotspots.split_info import SplitStat
from spanemu.hotspots.thresholds import THRESHOLDS

_TEMPLATE = Path(__file__).with_name("heatmap.html")
_PLACES = re.compile(r"(__[A-Z]+__)")


def page(
    heatmap: Heatmap,
    findings: Sequence[Finding],
    stats: Sequence[SplitStat],
    notes: Sequence[str] = (),
    before: Figures | None = None,
) -> str:
    """The whole file; with the figures of an earlier run it compares the two."""
    runs = [figures(heatmap), *([] if before is None else [before])]
    content = {"runs": runs, "constants": asdict(THRESHOLDS)}
    # A closing tag inside a key must not end the script element.
    data = json.dumps(content, separators=(",", ":"), sort_keys=True).replace("<", "\\u003c")
    parts = {
        "__BANNERS__": _banners(heatmap, findings, notes),
        "__FINDINGS__": _findings(findings),
        "__STATS__": _stats(stats),
        "__TABLE__": _table(heatmap),
        "__CHANGES__": "" if before is None else _changes(before, runs[0]),
        "__RANGES__": "".join(map(_ranges, heatmap.bands)),
        "__DATA__": data,
    }
    pieces = _PLACES.split(_TEMPLATE.read_text(encoding="utf-8"))
    return "".join(parts.get(piece, piece) for piece in pieces)


def _banners(heatmap: Heatmap, findings: Sequence[Finding], notes: Sequence[str]) -> str:
    lines = [
        f'<li class="danger"><b>Single hot row</b>: {escape(each.start)}</li>'
        for each in findings
        if each.reason is Reason.HOT_ROW
    ]
    lines += [
        f'<li class="danger"><b>Large row tree</b>: {escape(each.message)}</li>'
        for each in findings
        if each.rule == "SPN303"
    ]
    lines += [
        f"<li><b>{escape(banner)}</b>: {escape(band.name)}</li>"
        for band in heatmap.bands
        for banner in band.banners
    ]
    if heatmap.commits < THRESHOLDS.judged_min:
        lines.append(f"<li><b>Too few writes</b>: {heatmap.commits} commits</li>")
    if heatmap.dropped:
        lines.append(
            f"<li><b>Values approximate</b>: {heatmap.dropped} older commits left out</li>"
        )
    if heatmap.nodes:
        lines.append(
            f"<li><b>Simulated</b>: splits, servers and their loads are those of a model with "
            f"{heatmap.nodes} nodes, no measurement of Spanner</li>"
        )
    lines += [f"<li>{escape(note)}</li>" for note in notes]
    return "".join(lines)


def _findings(findings: Sequence[Finding]) -> str:
    if not findings:
        return "<p>No findings.</p>"
    return "".join(
        f'<article class="{each.severity}"><h3>{each.rule} {each.reason} '
        f"{escape(each.object)}</h3><p>{escape(each.message)}</p>"
        f"<p>{escape(str(each.evidence))}</p>{_writers(each)}"
        f"<p>Fix: <code>{escape(each.fix)}</code></p></article>"
        for each in findings
    )


def _writers(finding: Finding) -> str:
    """Sample keys, and who wrote them."""
    shown = [f"<code>{escape(key)}</code>" for key in finding.samples]
    shown += [escape(str(source)) for source in finding.sources]
    return f"<ul>{''.join(f'<li>{each}</li>' for each in shown)}</ul>" if shown else ""


def _stats(stats: Sequence[SplitStat]) -> str:
    rows = "".join(
        f"<tr><td>{escape(row.split_start)}</td><td>{escape(row.split_limit)}</td>"
        f"<td>{row.cpu_usage_score}</td><td>{escape(', '.join(row.affected_tables))}</td>"
        f"<td>{escape(', '.join(row.unsplittable_reasons))}</td></tr>"
        for row in stats
    )
    heads = ("SPLIT_START", "SPLIT_LIMIT", "CPU_USAGE_SCORE", "AFFECTED_TABLES",
             "UNSPLITTABLE_REASONS")  # fmt: skip
    return f"<tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>{rows}"


def _table(heatmap: Heatmap) -> str:
    """One line a table or index: what the picture shows, in words."""
    lines = []
    for band in heatmap.bands:
        totals = [sum(row) for row in band.cells[Metric.WRITTEN]]
        busiest = max(range(len(totals)), key=totals.__getitem__)
        lines.append(
            f"<tr><td>{escape(band.name)}</td><td>{escape(band.pattern)}</td>"
            f"<td>{sum(totals)}</td><td>{len(totals)}</td>"
            f"<td>{escape(band.starts[busiest])}</td><td>{totals[busiest]}</td></tr>"
        )
    return "".join(lines)


def _changes(before: Figures, now: Figures) -> str:
    """What is different from the earlier run, a line a table or index."""
    lines = "".join(
        f"<tr><td>{escape(each.name)}</td>{_sides(each.before)}{_sides(each.now)}</tr>"
        for each in differences(before, now)
    )
    heads = "".join(f"<th>{head}</th>" for head in ("Pattern", "Rows written", "Busiest range"))
    return (
        "<h2>Before and now</h2><table><tr><th rowspan=2>Table or index</th><th colspan=3>Before"
        f"</th><th colspan=3>Now</th></tr><tr>{heads * 2}</tr>{lines}</table>"
    )


def _sides(side: Side | None) -> str:
    if side is None:
        return "<td colspan=3>not touched</td>"
    return f"<td>{escape(side.pattern)}</td><td>{side.rows}</td><td>{side.busiest:.0%}</td>"


def _ranges(band: Band) -> str:
    """What the picture of one table or index holds, a line a range."""
    metrics = [metric for metric in COUNTED if band.cells.get(metric)]
    heads = "".join(f"<th>{escape(metric)}</th>" for metric in metrics)
    lines = []
    for place, start in enumerate(band.starts):
        numbers = "".join(f"<td>{sum(band.cells[metric][place])}</td>" for metric in metrics)
        mark = "yes" if place in band.boundaries else ""
        lines.append(f"<tr><th scope=row>{escape(start)}</th>{numbers}<td>{mark}</td></tr>")
    return (
        f"<details><summary>{escape(band.name)} by range</summary><table><tr><th>Range from</th>"
        f"{heads}<th>Split begins here</th></tr>{''.join(lines)}</table></details>"
    )
