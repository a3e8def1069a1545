"""Which rules run: the default ones, those that are named, and their weak cases."""

from __future__ import annotations

import pytest

from spanemu import lint
from spanemu.base.severity import Severity

TASTE = frozenset(
    f"SPN{number}"
    for number in (118, 119, 123, 125, 208, 210, 227, 228, 310, 311, 403, 504, 601, 604, 705)
)  # fmt: skip
DECIDED = [rule for rule in lint.RULES.values() if rule.check is not None]


def ids(ddl: str, *select: str, ignore: tuple[str, ...] = ()) -> set[str]:
    report = lint.run(ddl, lint.Settings(select=select, ignore=ignore))
    assert not report.failures
    return {finding.id for finding in report}


def test_matters_of_taste_are_off_by_default() -> None:
    assert {rule.id for rule in DECIDED if rule.opt_in} == TASTE


@pytest.mark.parametrize("rule", DECIDED, ids=lambda rule: rule.id)
def test_the_default_rules_run_without_a_selection(rule: lint.Rule) -> None:
    weak = {"SPN702"}  # its example is a weak case
    assert (rule.id in ids(rule.bad)) == (rule.id not in TASTE | weak)
    assert rule.id in ids(rule.bad, "all")


@pytest.mark.parametrize(
    ("select", "ignore", "expected"),
    [
        ((), (), False),
        (("default",), (), False),
        (("all",), (), True),
        (("ALL",), (), True),
        (("default", "SPN210"), (), True),
        (("SPN2",), (), True),
        (("all",), ("SPN210",), False),
        (("all",), ("SPN2",), False),
        (("all", "SPN210"), ("SPN2",), True),
        (("SPN210",), ("default",), True),
    ],
)
def test_a_rule_of_taste(select: tuple[str, ...], ignore: tuple[str, ...], expected: bool) -> None:
    assert ("SPN210" in ids(lint.RULES["SPN210"].bad, *select, ignore=ignore)) == expected


def test_the_word_default_keeps_the_other_rules() -> None:
    ddl = "CREATE TABLE T (At1 TIMESTAMP NOT NULL, Id STRING(36) NOT NULL) PRIMARY KEY (At1, Id)"
    assert ids(ddl) == {"SPN102"}
    assert ids(ddl, "default", "SPN123") == {"SPN102", "SPN123"}
    assert ids(ddl, "SPN123") == {"SPN123"}
    assert ids(ddl, "default", ignore=("default",)) == set()


WEAK = "CREATE TABLE T (Name STRING(MAX) NOT NULL) PRIMARY KEY (Name)"


@pytest.mark.parametrize(
    ("select", "expected"),
    [((), False), (("default",), False), (("SPN121",), True), (("SPN1",), True), (("all",), True)],
)
def test_a_weak_case_is_reported_when_its_rule_is_named(
    select: tuple[str, ...], expected: bool
) -> None:
    assert ("SPN121" in ids(WEAK, *select)) == expected
    assert "SPN121" in ids(WEAK.replace("Name", "Url"), *select)


def test_a_weak_case_is_information() -> None:
    (finding,) = lint.run(WEAK, lint.Settings(select=("SPN121",)))
    assert finding.severity is Severity.INFO
    (finding,) = lint.run(WEAK.replace("Name", "Url"))
    assert finding.severity is Severity.WARNING


def test_a_comment_may_ignore_all_rules() -> None:
    ddl = "-- spanemu: ignore=all\nCREATE TABLE T (At1 TIMESTAMP NOT NULL) PRIMARY KEY (At1)"
    assert ids(ddl, "all") == set()
