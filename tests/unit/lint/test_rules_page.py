"""docs/lint-rules.md is up to date with the rules."""

from __future__ import annotations

from spanemu.lint.rules import RULES
from tests.unit.lint.rules_page import FAMILIES, PAGE, page


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.unit.lint.rules_page"


def test_no_rule_is_left_out() -> None:
    assert all(id_[:4] in FAMILIES for id_ in RULES)
