"""Findings that are known and accepted: a file of them, by what they are about, not by line.

    {"version": 1, "findings": [{"id": "SPN102", "object": "Events", "column": "At"}]}

A finding in the file is left out of a report as often as it is listed.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

from spanemu.base.errors import Code, SpannerError
from spanemu.base.identifiers import fold
from spanemu.lint.run import Finding, Report

VERSION = 1
_Mark = tuple[str, str, str]


class BadBaseline(SpannerError):
    """A baseline file cannot be understood."""

    code = Code.INVALID_ARGUMENT
    prose = "{path}: not a baseline of spanemu lint: {reason}"
    path: str
    reason: str


def without_known(report: Report, path: Path) -> Report:
    """The report less what the file lists. Raises BadBaseline, OSError."""
    known = Counter(_read(path))
    fresh = []
    for finding in report:
        mark = _mark(finding)
        if known[mark] > 0:
            known[mark] -= 1
        else:
            fresh.append(finding)
    return replace(report, findings=tuple(fresh))


def write_baseline(report: Report, path: Path) -> str:
    """Make the file list exactly the report's findings. Return a sentence that says what it has.

    Statements that could not be read have no findings, so the sentence counts them.
    """
    findings = sorted(
        ({"id": each.id, "object": each.object, "column": each.column} for each in report),
        key=lambda each: (each["id"], each["object"], each["column"] or ""),
    )
    text = json.dumps({"version": VERSION, "findings": findings}, indent=2, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
    written = f"{path} accepts {_counted(len(findings), 'finding')}."
    if not report.failures:
        return written
    places = _counted(len(report.failures), "place")
    return f"{written} The following {places} could not be read, so no finding there is accepted:"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _mark(finding: Finding) -> _Mark:
    return finding.id, fold(finding.object), fold(finding.column or "")


def _read(path: Path) -> list[_Mark]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["version"] != VERSION:
            raise BadBaseline(str(path), f"version {content['version']!r}")
        return [
            (str(each["id"]), fold(str(each["object"])), fold(str(each.get("column") or "")))
            for each in content["findings"]
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise BadBaseline(str(path), repr(problem)) from problem
