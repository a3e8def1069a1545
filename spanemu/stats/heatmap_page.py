"""A heatmap as one HTML file that needs no network, the same bytes for the same input.

The figures are JSON in the page, the picture is drawn by the script of `heatmap.html`; without
scripts, and for those who cannot see it, there is a table.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Any

from spanemu.stats.cause import Reason
from spanemu.stats.finding import Finding
from spanemu.stats.heatmap import Band, Heatmap, Metric
from spanemu.stats.split_stats import SplitStat
from spanemu.stats.thresholds import THRESHOLDS

_TEMPLATE = Path(__file__).with_name("heatmap.html")


def page(heatmap: Heatmap, findings: Sequence[Finding], stats: Sequence[SplitStat]) -> str:
    """The whole file."""
    content = {
        "commits": heatmap.commits,
        "columns": heatmap.columns,
        "metrics": [str(metric) for metric in Metric],
        "bands": [_band(band) for band in heatmap.bands],
        "constants": asdict(THRESHOLDS),
    }
    # A closing tag inside a key must not end the script element.
    data = json.dumps(content, separators=(",", ":"), sort_keys=True).replace("<", "\\u003c")
    return (
        _TEMPLATE.read_text(encoding="utf-8")
        .replace("__BANNERS__", _banners(heatmap, findings))
        .replace("__FINDINGS__", _findings(findings))
        .replace("__STATS__", _stats(stats))
        .replace("__TABLE__", _table(heatmap))
        .replace("__DATA__", data)
    )


def _band(band: Band) -> dict[str, Any]:
    return {
        "name": band.name,
        "kind": "index" if band.is_index else "table",
        "pattern": str(band.pattern),
        "starts": band.starts,
        "cells": {str(metric): cells for metric, cells in band.cells.items()},
    }


def _banners(heatmap: Heatmap, findings: Sequence[Finding]) -> str:
    lines = [
        f'<li class="danger"><b>Single hot row</b>: {escape(each.start)}</li>'
        for each in findings
        if each.reason is Reason.HOT_ROW
    ]
    lines += [
        f"<li><b>{escape(banner)}</b>: {escape(band.name)}</li>"
        for band in heatmap.bands
        for banner in band.banners
    ]
    if heatmap.commits < THRESHOLDS.judged_min:
        lines.append(f"<li><b>Too few writes</b>: {heatmap.commits} commits</li>")
    return "".join(lines)


def _findings(findings: Sequence[Finding]) -> str:
    if not findings:
        return "<p>No findings.</p>"
    return "".join(
        f'<article class="{each.severity}"><h3>{each.rule} {each.reason} '
        f"{escape(each.object)}</h3><p>{escape(each.message)}</p>"
        f"<p>{escape(str(each.evidence))}</p><p>Fix: <code>{escape(each.fix)}</code></p></article>"
        for each in findings
    )


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
