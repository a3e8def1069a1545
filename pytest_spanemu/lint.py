"""`spanner_fail_on = lint:error`: the first test of a schema that the linter has something against
fails.

Findings are told by the file and line of their statement. Settings are those of the project's
pyproject.toml, as for `spanemu lint`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from pytest_spanemu.databases.template import Schema
from pytest_spanemu.options import LINT_PREFIX
from pytest_spanemu.sources import Ddl
from spanemu.lint import (
    BadSettings,
    Finding,
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
    """What the run's `fail_on` does not let pass, a text each.

    `ddl` is the schema as the database has it, for one that programs have made. Raises ValueError
    for settings that the linter does not understand.
    """
    ranks = [
        Severity(word.removeprefix(LINT_PREFIX)).rank for word in fail_on if word in LINT_CONDITIONS
    ]
    if not ranks:
        return []
    steps = [step for step in schema.steps if isinstance(step, Ddl)]
    if len(steps) < len(schema.steps):
        steps = [Ddl(text, "schema", number) for number, text in enumerate(ddl, 1)]
    found = _linted(";\n".join(step.text for step in steps), root / "pyproject.toml")
    return [
        f"{_place(steps, each.line)}: {each.severity} {each.id} {each.object}: {each.message}\n"
        f"    {each.fix}"
        for each in found
        if each.severity.rank <= max(ranks)
    ]


def _linted(text: str, pyproject: Path) -> Sequence[Finding]:
    try:
        return run(text, settings_from(pyproject) if pyproject.is_file() else None).findings
    except BadSettings as problem:
        raise ValueError(str(problem)) from problem
    except (UnknownRule, UndecidedRule) as problem:
        raise ValueError(f"{pyproject}: {problem}") from problem


def _place(steps: Sequence[Ddl], line: int) -> str:
    """Where a line of the joined statements comes from."""
    for step in steps:
        lines = step.text.count("\n") + 1
        if line <= lines:
            return f"{step.origin}:{step.line + line - 1}"
        line -= lines
    return "schema"
