"""Rules in other schemas than their own examples."""

from __future__ import annotations

import pytest

from spanemu import lint
from spanemu.lint.rules import RULES
from tests.unit.lint.variants import VARIANTS

SPEAKS = [(rule, ddl) for rule, (speaks, _) in VARIANTS.items() for ddl in speaks]
SILENT = [(rule, ddl) for rule, (_, silent) in VARIANTS.items() for ddl in silent]


def ids(ddl: str) -> set[str]:
    report = lint.run(ddl, lint.Settings(select=("all",)))
    assert not report.failures
    return {finding.id for finding in report}


def test_every_rule_that_ddl_decides_has_variants() -> None:
    assert set(VARIANTS) == {rule.id for rule in RULES.values() if rule.check is not None}
    assert all(min(len(speaks), len(silent)) >= 3 for speaks, silent in VARIANTS.values())


@pytest.mark.parametrize(("rule", "ddl"), SPEAKS)
def test_speaks(rule: str, ddl: str) -> None:
    assert rule in ids(ddl)


@pytest.mark.parametrize(("rule", "ddl"), SILENT)
def test_is_silent(rule: str, ddl: str) -> None:
    assert rule not in ids(ddl)
