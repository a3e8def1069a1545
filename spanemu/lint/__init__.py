"""The schema linter: finds hotspots and slow patterns in DDL before any load shows them.

In reading order: `rule` (a rule and its hits), `rules` (all rules, by family), `source` (schema
files, positions, directives in comments), `model` and `build` (the declared schema), `values` (what
a declaration implies about a column's values), `settings`, `selection` (rule names, and the rules
that run), `acceptance` (what Spanner would refuse), `run` (applies the rules to a schema),
`baseline` (accepted findings), `formats` (text, JSON, SARIF, GitHub; descriptions of rules).

    report = spanemu.lint.run("schema.sql")
    for finding in report: print(finding.id, finding.object, finding.message)
"""

from __future__ import annotations

from spanemu.base.severity import Severity
from spanemu.lint.formats import explain
from spanemu.lint.rule import Rule
from spanemu.lint.rules import RULES
from spanemu.lint.run import Failure, Finding, Report, run
from spanemu.lint.selection import UndecidedRule, UnknownRule
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
