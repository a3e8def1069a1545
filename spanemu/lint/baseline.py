"""Baselines: files of accepted findings, identified by rule, object and column, not by line.

    {"version": 1, "findings": [{"id": "SPN102", "object": "Events", "column": "At"}]}

Each entry of the file removes one finding from a report.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

from spanemu.base.counts import counted
from spanemu.base.errors import Code, SpannerError
from spanemu.base.identifiers import fold
from spanemu.lint.run import Finding, Report

VERSION = 1
_Identity = tuple[str, str, str]  # rule id, object, column


class BadBaseline(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "{path}: not a baseline of spanemu lint: {reason}"
    path: str
    reason: str


def without_known(report: Report, path: Path) -> Report:
    """Return the report without the findings that the file lists. Raises BadBaseline, OSError."""
    known = Counter(_read(path))
    fresh = []
    for finding in report:
        identity = _identity(finding)
        if known[identity] > 0:
            known[identity] -= 1
        else:
            fresh.append(finding)
    return replace(report, findings=tuple(fresh))


def write_baseline(report: Report, path: Path) -> str:
    """Write the report's findings to the file; return a sentence that describes the file.

    Statements that could not be read have no findings, so the sentence counts them.
    """
    findings = sorted(
        ({"id": found.id, "object": found.object, "column": found.column} for found in report),
        key=lambda entry: (entry["id"], entry["object"], entry["column"] or ""),
    )
    text = json.dumps({"version": VERSION, "findings": findings}, indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")
    written = f"{path} accepts {counted(len(findings), 'finding')}."
    if not report.failures:
        return written
    places = counted(len(report.failures), "place")
    return f"{written} It accepts no findings in {places} that could not be read:"


def _identity(finding: Finding) -> _Identity:
    return finding.id, fold(finding.object), fold(finding.column or "")


def _read(path: Path) -> list[_Identity]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["version"] != VERSION:
            raise BadBaseline(str(path), f"version {content['version']!r}")
        return [
            (str(entry["id"]), fold(str(entry["object"])), fold(str(entry.get("column") or "")))
            for entry in content["findings"]
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadBaseline(str(path), repr(error)) from error
