"""The schema linter: what DDL tells before any load does.

In reading order: `rule` (what a rule is), `rules` (all of them, by family), `rule_names`, `source`
(texts, places, steering comments), `client_statements` (what is no schema and skipped), `model` and
`build` (the schema as declared), `values` (what a declaration says about values), `settings`,
`selection` (which rules run), `run` (rules over a schema), `baseline` (findings that are known),
`formats` (text, JSON, SARIF, GitHub), `explain`.

    report = spanemu.lint.run("schema.sql")
    for finding in report: print(finding.id, finding.object, finding.message)
"""

from __future__ import annotations

from spanemu.base.severity import Severity
from spanemu.lint.explain import explain
from spanemu.lint.rule import Rule
from spanemu.lint.rule_names import UndecidedRule, UnknownRule
from spanemu.lint.rules import RULES
from spanemu.lint.run import Failure, Finding, Report, run
from spanemu.lint.settings import BadSettings, Settings, TableSettings, settings_from
from spanemu.lint.source import SourceMissing

__all__ = [
    "RULES",
    "BadSettings",
    "Failure",
    "Finding",
    "Report",
    "Rule",
    "Settings",
    "Severity",
    "SourceMissing",
    "TableSettings",
    "UndecidedRule",
    "UnknownRule",
    "explain",
    "run",
    "settings_from",
]
