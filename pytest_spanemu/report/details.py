"""The details of a test in the HTML report: its statements, transactions, findings and heatmaps.

Statements are grouped by text and calling lines, with their plans. Transactions have their waits
for locks, findings their evidence and fix. All is plain data, since xdist's workers send it;
`heatmap_html` renders the data of a heatmap.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from html import escape
from itertools import takewhile
from typing import Any

from google.api_core.exceptions import GoogleAPIError

from pytest_spanemu.asserts.hotspots import hotspot_score
from pytest_spanemu.asserts.plans import PlanCheck
from pytest_spanemu.asserts.request_text import calling_lines, counted, query_notes
from pytest_spanemu.report.run_report import is_full_scan

STATEMENTS_MAX = 50  # of one test
TRANSACTIONS_MAX = 50
Plain = dict[str, Any]


_HEIGHT_MAX = 320  # pixels
_LABEL_CHARS_MAX = 24
_SHARED_CHARS_SHOWN = 2  # of a beginning that labels share
_ROW_HEIGHT_MAX = 24
_WRITTEN = "rows written"


def details_of(recording: Any, database: Any) -> Plain:
    """Return the statements and transactions of a recording, with plans if `database` is given."""
    transactions = recording.transactions
    return {
        "statements": _statements(recording.queries, _planner(database)),
        "transactions": _transactions(transactions),
        "more_transactions": max(0, len(transactions) - TRANSACTIONS_MAX),
    }


def findings_of(report: Any) -> list[Plain]:
    """Return the findings of the detector with their evidence and fix."""
    return [
        {
            "rule": finding.rule,
            "name": finding.name,
            "score": hotspot_score(finding),
            "severity": str(finding.severity),
            "message": finding.message,
            "evidence": str(finding.evidence),
            "fix": finding.fix,
        }
        for finding in report.findings
    ]


def _statements(queries: Sequence[Any], plan: Callable[[Any], str]) -> list[Plain]:
    grouped: dict[tuple[str, str], list[Any]] = {}
    for query in queries:
        grouped.setdefault((query.sql, calling_lines(query)), []).append(query)
    worst = sorted(
        grouped.values(), key=lambda group: (bool(group[0].full_scans), len(group)), reverse=True
    )
    return [
        {
            "sql": group[0].sql,
            "kind": group[0].kind,
            "site": calling_lines(group[0]),
            "count": len(group),
            "seconds": sum(query.seconds for query in group),
            "full_scans": list(group[0].full_scans) if is_full_scan(group[0]) else [],
            "notes": query_notes(group[0]),
            "plan": plan(group[0]),
        }
        for group in worst[:STATEMENTS_MAX]
    ]


def _planner(database: Any) -> Callable[[Any], str]:
    """Return a function from a recorded statement to the text of its plan, "" for no plan."""
    plans: dict[str, str] = {}

    def plan(query: Any) -> str:
        if database is None or query.kind == "read" or query.error:
            return ""
        if query.sql not in plans:
            try:
                plans[query.sql] = str(PlanCheck.of(database, query.sql, {}))
            except GoogleAPIError:  # Its parameters need types, or its table no longer exists.
                plans[query.sql] = ""
        return plans[query.sql]

    return plan


def _transactions(transactions: Sequence[Any]) -> list[Plain]:
    worst = sorted(
        transactions, key=lambda each: (each.lock_wait_seconds, bool(each.error)), reverse=True
    )
    return [
        {
            "id": each.id,
            "tag": each.commit.tag if each.commit is not None else "",
            "error": each.error,
            "mutations": each.commit.mutations if each.commit is not None else 0,
            "lock_wait_seconds": each.lock_wait_seconds,
            "requests": [_request(request) for request in (*each.queries, *_commit(each))],
        }
        for each in worst[:TRANSACTIONS_MAX]
    ]


def _commit(transaction: Any) -> tuple[Any, ...]:
    return () if transaction.commit is None else (transaction.commit,)


def _request(request: Any) -> Plain:
    return {
        "sql": getattr(request, "sql", "COMMIT"),
        "site": calling_lines(request),
        "seconds": request.seconds,
        "lock_wait_seconds": request.lock_wait_seconds,
        "waited_for": list(request.waited_for),
        "error": request.error,
    }


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
    labels = elided([start.removeprefix(name) for start in shown])
    return "".join(
        f'<span title="{escape(start)}">{escape(label)}</span>'
        for start, label in zip(shown, labels, strict=True)
    )


def elided(labels: Sequence[str]) -> list[str]:
    """Return labels that fit, without the long beginning that they share.

    What is too long all the same loses its middle.
    """
    alike = takewhile(lambda letters: len(set(letters)) == 1, zip(*labels, strict=False))
    shared = sum(1 for _ in alike) if len(labels) > 1 else 0
    if max(map(len, labels)) > _LABEL_CHARS_MAX and shared > _SHARED_CHARS_SHOWN:
        cut = shared - _SHARED_CHARS_SHOWN
        labels = [f"…{label[cut:]}" for label in labels]
    half = _LABEL_CHARS_MAX // 2
    return [
        label if len(label) <= _LABEL_CHARS_MAX else f"{label[:half]}…{label[1 - half :]}"
        for label in labels
    ]


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
