"""Findings before and after their fix, in both dialects."""

from __future__ import annotations

from collections.abc import Callable

from spanemu import lint
from spanemu.ddl.api import schema_of
from spanemu.lint.rules.postgresql import rules_of
from spanemu.schema.dialect import dialect_named

DIALECTS = ("googlesql", "postgresql")

Fix = Callable[[str, str], str]  # (DDL, suggested fix) -> DDL with the fix applied


def findings(ddl: str, dialect: str = "googlesql", rule: str = "all") -> list[lint.Finding]:
    """Return the findings of a rule in a schema that Spanner accepts."""
    schema_of(ddl, dialect=dialect_named(dialect))
    report = lint.run(ddl, lint.Settings(select=(rule,), dialect=dialect))
    assert not report.failures
    return list(report)


def assert_fix_cures(rule: str, dialect: str, apply: Fix) -> None:
    """Assert that the fix of the rule's bad example is valid DDL that ends the finding."""
    bad = rules_of(dialect)[rule].bad
    (finding,) = findings(bad, dialect, rule)
    assert not findings(apply(bad, finding.fix), dialect, rule)


def appended(ddl: str, statements: str) -> str:
    return f"{ddl};\n{statements}"


def statement_replaced(ddl: str, statement: str) -> str:
    """Return DDL whose last statement, the creation of an index, is replaced."""
    assert statement.startswith("CREATE ")
    return ddl[: ddl.rindex("CREATE ")] + statement
