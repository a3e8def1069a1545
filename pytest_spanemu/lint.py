"""`spanner_fail_on = lint:error`: findings of the linter fail the first test of a schema.

A finding shows the file and line of its statement. The linter reads its settings from the
project's pyproject.toml, as `spanemu lint` does.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from pytest_spanemu.databases.template import Schema
from pytest_spanemu.options import LINT_PREFIX
from pytest_spanemu.sources import Ddl
from spanemu.lint import (
    BadSettings,
    Finding,
    Settings,
    Severity,
    UndecidedRule,
    UnknownRule,
    run,
    settings_from,
)

LINT_CONDITIONS = tuple(f"{LINT_PREFIX}{severity}" for severity in Severity)


def lint_failures(
    schema: Schema, ddl: Sequence[str], root: Path, fail_on: Collection[str]
) -> list[str]:
    """Return the findings that fail a test by `fail_on`, one text for each.

    `ddl` is the schema of the database, for schemas that programs build. Raises ValueError for
    invalid settings of the linter.
    """
    ranks = [
        Severity(word.removeprefix(LINT_PREFIX)).rank for word in fail_on if word in LINT_CONDITIONS
    ]
    if not ranks:
        return []
    steps = [step for step in schema.steps if isinstance(step, Ddl)]
    if len(steps) < len(schema.steps):
        steps = [Ddl(text, "schema", number) for number, text in enumerate(ddl, 1)]
    text = ";\n".join(step.text for step in steps)
    findings = _lint(text, root / "pyproject.toml", schema.dialect)
    return [
        f"{_position(steps, each.line)}: {each.name} ({each.severity}): {each.message}\n"
        f"    {each.fix}"
        for each in findings
        if each.severity.rank <= max(ranks)
    ]


def _lint(text: str, pyproject: Path, dialect: str) -> Sequence[Finding]:
    try:
        settings = settings_from(pyproject) if pyproject.is_file() else Settings()
        return run(text, replace(settings, dialect=dialect), is_accepted=True).findings
    except BadSettings as problem:
        raise ValueError(str(problem)) from problem
    except (UnknownRule, UndecidedRule) as problem:
        raise ValueError(f"{pyproject}: {problem}") from problem


def _position(steps: Sequence[Ddl], line: int) -> str:
    """Return the file and line of a line of the joined statements."""
    for step in steps:
        lines = step.text.count("\n") + 1
        if line <= lines:
            return f"{step.origin}:{step.line + line - 1}"
        line -= lines
    return "schema"
