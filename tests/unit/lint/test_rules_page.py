"""docs/lint-rules.md is up to date with the rules."""

from __future__ import annotations

import re

import pytest

from spanemu.lint.formats import fix_text
from spanemu.lint.rules import RULES
from spanemu.lint.rules.postgresql import rules_of
from tests.unit.lint.rules_page import FAMILIES, PAGE, page


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.unit.lint.rules_page"


def test_no_rule_is_left_out() -> None:
    assert all(id_[:4] in FAMILIES for id_ in RULES)


# What a fix may leave open: the name of an object that a finding has, or a number.
OPEN = frozenset(
    {
        *("object", "table", "index", "parent", "root", "other"),
        *("column", "columns", "key", "part", "end", "points"),
    }
)


@pytest.mark.parametrize("dialect", ["googlesql", "postgresql"])
def test_the_fix_of_a_rule_leaves_open_only_names(dialect: str) -> None:
    for rule in rules_of(dialect).values():
        fix = fix_text(rule, dialect)
        assert set(re.findall(r"<(\w+)>", fix)) <= OPEN, fix
        assert len(re.sub(r"<\w+>", "", fix).split()) > 1, fix
