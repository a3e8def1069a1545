"""Reports as text, as JSON, as SARIF 2.1.0, and as annotations of GitHub Actions; rules as text.

JSON of a report is a list of objects: id, severity, object, column (of the table or index),
message, fix, file, line, line_column. Lines and columns count from one. A statement that cannot be
read, or that Spanner would refuse, has the id `invalid`, and null for object, column and fix; text
leaves these failures to the caller.

A rule is described in full (`spanemu lint --explain SPN102`), or in a list of all (`--list-rules`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from spanemu.base.severity import Severity
from spanemu.lint.rule import Evidence, Rule
from spanemu.lint.rules import DETECTED, RULES
from spanemu.lint.rules.postgresql import rules_of
from spanemu.lint.run import Failure, Finding, Report
from spanemu.lint.selection import is_selected
from spanemu.lint.settings import Settings
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
SARIF_VERSION = "2.1.0"
INVALID, INVALID_TITLE = "invalid", "Invalid statement"


def as_text(report: Report) -> str:
    """Format a report for a terminal: a line and a fix for each finding, then the totals."""
    lines = []
    for finding in report:
        location = f"{finding.file}:{finding.line}:{finding.line_column}"
        lines.append(f"{location}: {finding.id} {finding.severity}: {finding.message}")
        lines.append(f"    fix: {finding.fix}")
    lines.append(_totals(report))
    return "\n".join(lines)


def _totals(report: Report) -> str:
    counts = Counter(finding.severity for finding in report)
    totals = ", ".join(
        f"{n} {severity}{'s' * (n != 1)}" for severity in Severity if (n := counts[severity])
    )
    if not totals and report.faults:
        return "No findings in the statements that could be read."
    return totals or "No findings."


def as_json(report: Report) -> str:
    """Format a report as a list of JSON objects."""
    return json.dumps([_object(each) for each in report.items], indent=2, ensure_ascii=False)


def _object(item: Finding | Failure) -> dict[str, Any]:
    given = {"id": INVALID, "severity": Severity.ERROR}
    return {name: getattr(item, name, given.get(name)) for name in Finding.__dataclass_fields__}


# ---------------------------------------------------------------------------- GitHub

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def as_github(report: Report) -> str:
    """Format a report as workflow commands, which annotate the diff."""
    return "\n".join(map(_command, report.items))


def _command(item: Finding | Failure) -> str:
    command, title, message = _COMMANDS[Severity.ERROR], INVALID_TITLE, item.message
    if isinstance(item, Finding):
        command, title = _COMMANDS[item.severity], f"{item.id} {item.rule.title}"
        message = f"{item.message} Fix: {item.fix}"
    position = f"file={_property(item.file)},line={item.line},col={item.line_column}"
    return f"::{command} {position},title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


# ---------------------------------------------------------------------------- SARIF

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def as_sarif(report: Report) -> str:
    """Format a report as a SARIF log of one run.

    Failures are results, which code scanning shows, and notifications of the invocation.
    """
    rules = sorted({each.id: each.rule for each in report}.values(), key=lambda rule: rule.id)
    descriptors = [*map(_descriptor, rules), *([_INVALID] if report.faults else [])]
    numbers = {each["id"]: number for number, each in enumerate(descriptors)}
    driver = {
        "name": "spanemu lint",
        "rules": descriptors,
    }
    invocation = {
        "executionSuccessful": not report.faults,
        "toolExecutionNotifications": [_notification(each) for each in report.faults],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": [_result(item, numbers) for item in report.items],
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


_INVALID = {
    "id": INVALID,
    "shortDescription": {"text": INVALID_TITLE},
    "fullDescription": {"text": "The statement cannot be read, or Spanner would refuse it."},
    "defaultConfiguration": {"level": "error"},
}


def _result(item: Finding | Failure, numbers: Mapping[str, int]) -> dict[str, Any]:
    if isinstance(item, Finding):
        return _result_of_rule(item, numbers[item.id])
    return {
        "ruleId": INVALID,
        "ruleIndex": numbers[INVALID],
        "level": "error",
        "message": {"text": item.message},
        "locations": [_location(item)],
    }


def _result_of_rule(finding: Finding, rule_index: int) -> dict[str, Any]:
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


def _location(item: Finding | Failure) -> dict[str, Any]:
    region = {"startLine": item.line, "startColumn": item.line_column}
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": file_uri(item.file)},
            "region": region,
        }
    }


def file_uri(file: str) -> str:
    """Return a file as a URI, relative if the file is."""
    path = PurePath(file)
    return path.as_uri() if path.drive else quote(path.as_posix())


FORMATS: Mapping[str, Callable[[Report], str]] = {
    "text": as_text,
    "json": as_json,
    "sarif": as_sarif,
    "github": as_github,
}


# ---------------------------------------------------------------------------- a rule

_NEEDS = {
    Evidence.DDL: "the schema",
    Evidence.VALUES: "values",
    Evidence.LOAD: "load",
    Evidence.QUERIES: "queries",
}


def explain(id_: str, dialect: str = GOOGLE_STANDARD_SQL.option) -> str:
    """Describe a rule: its reason, its fix, and DDL with and without a finding.

    Raises KeyError for a rule that does not exist, or does not apply in the dialect.
    """
    return "\n".join(_lines(rules_of(dialect)[id_.strip().upper()], dialect))


def rules_described(dialect: str = GOOGLE_STANDARD_SQL.option) -> dict[str, dict[str, Any]]:
    """Return the description of each rule of a dialect as plain data, by id."""
    return {
        id_: {
            "id": id_,
            "severity": str(rule.severity),
            "title": rule.title,
            "why": rule.why,
            "needs": _needs(rule),
            "fix": fix_text(rule, dialect),
            "notes": list(_notes(rule)),
            "bad": rule.bad,
            "good": rule.good,
        }
        for id_, rule in rules_of(dialect).items()
    }


def rules_as_html(ids: Iterable[str], dialect: str = GOOGLE_STANDARD_SQL.option) -> str:
    """Return an HTML element for each rule of a dialect, whose id is the rule's."""
    rules = rules_described(dialect)
    return "".join(_article(rules[id_]) for id_ in sorted(ids) if id_ in rules)


def _article(rule: Mapping[str, Any]) -> str:
    given = {name: escape(value) for name, value in rule.items() if isinstance(value, str)}
    examples = "".join(
        f'<p>{title}:</p><pre class="block">{given[name]}</pre>'
        for title, name in (("Reported", "bad"), ("Not reported", "good"))
        if given[name]
    )
    return (
        f'<details class="rule" id="{rule["id"]}"><summary><b>{rule["id"]}</b> {given["title"]} '
        f'<span class="badge {rule["severity"]}">{rule["severity"]}</span></summary>'
        f"<p>{given['why']}</p><p>Fix: {given['fix']}</p>{examples}</details>"
    )


def _needs(rule: Rule) -> str:
    return ", ".join(_NEEDS[Evidence(letter)] for letter in rule.evidence)


def _notes(rule: Rule) -> Iterator[str]:
    if rule.check is None:
        yield "The linter cannot check this rule."
    if rule.id in DETECTED:
        yield "The hotspot report checks it from the writes and reads of a run."
    if rule.opt_in:
        yield f"Off by default; --select default,{rule.id} adds it."
    if rule.rate:
        yield "Does not apply to tables marked low-rate."


def _lines(rule: Rule, dialect: str) -> list[str]:
    lines = [f"{rule.id} ({rule.severity}): {rule.title}", "", rule.why, ""]
    lines += [f"Decided from: {_needs(rule)}", f"Fix: {fix_text(rule, dialect)}"]
    for note in _notes(rule):
        lines += ["", note]
    for title, example in (("Reported", rule.bad), ("Not reported", rule.good)):
        if example:
            lines += ["", f"{title}:", *(f"    {line}" for line in example.splitlines())]
    return lines


def fix_text(rule: Rule, dialect: str = GOOGLE_STANDARD_SQL.option) -> str:
    """Return the fix with placeholders for its fields, or words for fields that are statements."""
    text = rule.fix.replace("{without}", _WITHOUT_NULLS[dialect])
    for field, words in _WORDED.items():
        text = text.replace(field, words)
    return text.replace("{", "<").replace("}", ">")


_WORDED = {
    "{cascade}": "",
    "{how}": "",
    "{unsigned}": "the absolute value of the modulo",
    "{random}": "UUIDs of version 4, which are random, or for a number GENERATED BY DEFAULT AS "
    "IDENTITY (BIT_REVERSED_POSITIVE)",
    "{apart}": "",
    "{shorter}": "fewer or shorter columns",
    "{without_key}": "ALTER TABLE {object} DROP CONSTRAINT ...",
    "{use}": "that frequent queries need, or that searches filter by",
    "{drop}": "DROP INDEX {object}, once no FORCE_INDEX hint names it",
    "{instead}": "another column first, or for a number GENERATED BY DEFAULT AS IDENTITY "
    "(BIT_REVERSED_POSITIVE)",
    "{interleaved}": "the same index with INTERLEAVE IN {parent}",
    "{swap}": "another column first, or a shard column",
    "{spread}": "a shard column first; for a child table also an index interleaved in the parent",
    "{add}": "ALTER INDEX {other} to store more",
    "{create}": "the same index without the filter",
    "{indexed}": "CREATE INDEX ... ON {object}({columns})",
    "{relation}": "with the key of {object} and one id, interleaved in {object}",
    "{ends}": "nodes",
    "{keys}": "a foreign key to each",
    "{whole}": "a foreign key to the whole primary key, in place of this one",
}
_WITHOUT_NULLS = {
    GOOGLE_STANDARD_SQL.option: "CREATE NULL_FILTERED INDEX {object} ON {table}(...)",
    POSTGRESQL.option: "CREATE INDEX {object} ON {table} (...) WHERE {column} IS NOT NULL",
}


# ---------------------------------------------------------------------------- all rules

HOTSPOTS = "hotspots"  # only the hotspot report checks the rule


def rules_as_text(settings: Settings) -> str:
    """Return a line of text for each rule: id, severity, state under the settings, title."""
    lines = [
        f"{rule.id}  {rule.severity!s:<7}  {_state(rule, settings):<8}  {rule.title}"
        for rule in RULES.values()
    ]
    return "\n".join(lines)


def rules_as_json(settings: Settings) -> str:
    """Return id, severity, state and title of each rule as a list of JSON objects."""
    listed = [
        {
            "id": rule.id,
            "severity": str(rule.severity),
            "state": _state(rule, settings),
            "title": rule.title,
        }
        for rule in RULES.values()
    ]
    return json.dumps(listed, indent=2, ensure_ascii=False)


RULE_LISTS: Mapping[str, Callable[[Settings], str]] = {
    "text": rules_as_text,
    "json": rules_as_json,
}


def _state(rule: Rule, settings: Settings) -> str:
    """Return "on" or "off", or "hotspots" for a rule that the linter cannot check."""
    if rule.check is None:
        return HOTSPOTS
    return "on" if is_selected(rule.id, settings) else "off"
