"""Descriptions of rules: a rule in full (`spanemu lint --explain SPN102`), or a list of all rules
(`--list-rules`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from spanemu.lint.rule import Evidence, Rule
from spanemu.lint.rules import DETECTED, RULES
from spanemu.lint.rules.postgresql import rules_of
from spanemu.lint.selection import is_selected
from spanemu.lint.settings import Settings
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL

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


def _lines(rule: Rule, dialect: str) -> list[str]:
    evidence = ", ".join(_NEEDS[Evidence(letter)] for letter in rule.evidence)
    lines = [f"{rule.id} ({rule.severity}): {rule.title}", "", rule.why, ""]
    lines += [f"Decided from: {evidence}", f"Fix: {fix_text(rule, dialect)}"]
    if rule.check is None:
        lines += ["", "The linter cannot check this rule."]
    if rule.id in DETECTED:
        lines += ["", "The hotspot report checks it from the writes and reads of a run."]
    if rule.opt_in:
        lines += ["", f"Off by default; --select default,{rule.id} adds it."]
    if rule.rate:
        lines += ["", "Does not apply to tables marked low-rate."]
    for title, example in (("Reported", rule.bad), ("Not reported", rule.good)):
        if example:
            lines += ["", f"{title}:", *(f"    {line}" for line in example.splitlines())]
    return lines


def fix_text(rule: Rule, dialect: str = GOOGLE_STANDARD_SQL.option) -> str:
    """Return the fix with placeholders for its fields, or in words if it is a single field."""
    if rule.fix == "{without}":
        return _WITHOUT_NULLS[dialect]
    return _WORDED.get(rule.fix, rule.fix.replace("{", "<").replace("}", ">"))


_WORDED = {
    "{swap}": "another column first, a UUID, or a shard column",
    "{spread}": "an interleaved index, or a shard column first",
}
_WITHOUT_NULLS = {
    GOOGLE_STANDARD_SQL.option: "CREATE NULL_FILTERED INDEX <object> ON <table>(...)",
    POSTGRESQL.option: "CREATE INDEX <object> ON <table> (...) WHERE <column> IS NOT NULL",
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
