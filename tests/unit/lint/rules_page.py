"""A generator of docs/lint-rules.md from the rules: `python -m tests.unit.lint.rules_page`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from spanemu.lint.formats import fix_text
from spanemu.lint.rule import Rule
from spanemu.lint.rules import DETECTED, RULES
from spanemu.lint.rules.postgresql import rules_of

PAGE = Path(__file__).parents[3] / "docs" / "lint-rules.md"

FAMILIES = {
    "SPN1": "Primary keys",
    "SPN2": "Indexes",
    "SPN3": "Interleaving",
    "SPN4": "Foreign keys",
    "SPN5": "Columns and rows",
    "SPN6": "Row deletion",
    "SPN7": "Operations",
    "SPN8": "Workload",
}
HEAD = """# Rules

Generated from `spanemu/lint/rules`. `spanemu lint --explain ID` prints a rule with its examples,
and with `--dialect postgresql` those of the PostgreSQL dialect. Where a text differs in this
dialect, it follows the one of GoogleSQL.

| column | values |
|---|---|
| evidence | the input that the rule needs: D the schema, V values, L load, Q queries |
| linter | "on": a default rule; "off": runs when it is selected (`--select default,SPN210`, `--select all`); "no": needs more than a schema |
| report | "yes": the report on [hotspots](hotspots.md) reports the rule when it has enough evidence |
"""


def page() -> str:
    """Return the text of the page."""
    parts = [HEAD]
    for prefix, title in FAMILIES.items():
        rules = [rule for rule in RULES.values() if rule.id.startswith(prefix)]
        parts.append("\n".join([f"## {title}", "", *_table(rules), ""]))
    return "\n".join(parts)


def _table(rules: list[Rule]) -> Iterator[str]:
    yield "| id | severity | evidence | linter | report | what | fix |"
    yield "|---|---|---|---|---|---|---|"
    for rule in rules:
        runs = "no" if rule.check is None else "off" if rule.opt_in else "on"
        seen = "yes" if rule.id in DETECTED else "no"
        yield (
            f"| {rule.id} | {rule.severity} | {rule.evidence} | {runs} | {seen} | "
            f"**{rule.title}.** {_why(rule)} | {_fix(rule)} |"
        )


def _why(rule: Rule) -> str:
    twin = _POSTGRESQL.get(rule.id)
    if twin is None:
        return f"{rule.why}<br>GoogleSQL only."
    return _in_both(rule.why, twin.why)


def _fix(rule: Rule) -> str:
    twin = _POSTGRESQL.get(rule.id, rule)
    return _in_both(_cell(fix_text(rule)), _cell(fix_text(twin, "postgresql")))


def _in_both(googlesql: str, postgresql: str) -> str:
    same = googlesql == postgresql
    return googlesql if same else f"{googlesql}<br>PostgreSQL: {postgresql}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


_POSTGRESQL = rules_of("postgresql")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
