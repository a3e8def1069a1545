"""A report as text, as JSON, as SARIF 2.1.0, and as annotations of GitHub Actions.

JSON is a list of objects: id, severity, object, column (of the table or index), message, fix, file,
line, line_column. Lines and columns count from one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from spanemu.base.severity import Severity
from spanemu.lint.explain import fix_text
from spanemu.lint.rule import Rule
from spanemu.lint.run import Failure, Finding, Report

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
SARIF_VERSION = "2.1.0"


def as_text(report: Report) -> str:
    """For a terminal: one line a finding, its fix below, a line of totals."""
    lines = []
    for each in report:
        place = f"{each.file}:{each.line}:{each.line_column}"
        lines += [f"{place}: {each.id} {each.severity}: {each.message}", f"    fix: {each.fix}"]
    lines.append(_totals(report))
    return "\n".join(lines)


def _totals(report: Report) -> str:
    counts = {each: sum(one.severity is each for one in report) for each in Severity}
    found = ", ".join(f"{n} {each}{'s' * (n != 1)}" for each, n in counts.items() if n)
    if not found and report.failures:
        return "No findings in what could be read."
    return found or "No findings."


def as_json(report: Report) -> str:
    """For programs."""
    return json.dumps([_object(each) for each in report], indent=2, ensure_ascii=False)


def _object(finding: Finding) -> dict[str, Any]:
    return {name: getattr(finding, name) for name in finding.__dataclass_fields__}


# ---------------------------------------------------------------------------- GitHub

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def as_github(report: Report) -> str:
    """Workflow commands, which show findings in the diff."""
    return "\n".join(
        f"::{_COMMANDS[each.severity]} file={_property(each.file)},line={each.line},"
        f"col={each.line_column},title={_property(f'{each.id} {each.rule.title}')}"
        f"::{_data(f'{each.message} Fix: {each.fix}')}"
        for each in report
    )


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


# ---------------------------------------------------------------------------- SARIF

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def as_sarif(report: Report) -> str:
    """One run; failures to read are notifications of its invocation."""
    rules = sorted({each.id: each.rule for each in report}.values(), key=lambda rule: rule.id)
    places = {rule.id: place for place, rule in enumerate(rules)}
    driver = {
        "name": "spanemu lint",
        "informationUri": "https://pypi.org/project/spanemu/",
        "rules": [_descriptor(rule) for rule in rules],
    }
    invocation = {
        "executionSuccessful": not report.failures,
        "toolExecutionNotifications": [_notification(each) for each in report.failures],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": [_result(each, places[each.id]) for each in report],
    }
    log = {"$schema": SARIF_SCHEMA, "version": SARIF_VERSION, "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False)


def _descriptor(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": f"{rule.why} Fix: {fix_text(rule)}"},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(finding: Finding, rule_index: int) -> dict[str, Any]:
    name = finding.object if finding.column is None else f"{finding.object}.{finding.column}"
    return {
        "ruleId": finding.id,
        "ruleIndex": rule_index,
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message} Fix: {finding.fix}"},
        "locations": [_location(finding) | {"logicalLocations": [{"fullyQualifiedName": name}]}],
        "partialFingerprints": {"spanemu/v1": f"{finding.id}:{name.lower()}"},
    }


def _notification(failure: Failure) -> dict[str, Any]:
    return {
        "level": "error",
        "message": {"text": failure.message},
        "locations": [_location(failure)],
    }


def _location(place: Finding | Failure) -> dict[str, Any]:
    region = {"startLine": place.line, "startColumn": place.line_column}
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(PurePath(place.file).as_posix())},
            "region": region,
        }
    }


FORMATS: Mapping[str, Callable[[Report], str]] = {
    "text": as_text,
    "json": as_json,
    "sarif": as_sarif,
    "github": as_github,
}
