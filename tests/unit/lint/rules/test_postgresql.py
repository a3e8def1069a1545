"""The rules in the PostgreSQL dialect report their own examples, with fixes in PostgreSQL's words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spanemu import lint
from spanemu.lint.rules import RULES
from spanemu.lint.rules.postgresql import rules_of
from tests.page_examples import TWINS, Twins

PG = rules_of("postgresql")
ALL = lint.Settings(select=("all",), dialect="postgresql")
FIXTURES = Path(__file__).parents[4] / "fixtures"
# SPN502 is about lengths that the parser refuses already.
WITH_EXAMPLES = [rule for rule in PG.values() if rule.check is not None and rule.id != "SPN502"]
GOOGLESQL_WORDS = re.compile(
    r"INT64|STRING|BYTES|\bTIMESTAMP\b|NULL_FILTERED|STORING|OPTIONS|NEW_UUID|GENERATE_UUID\b|"
    r"`|PENDING_COMMIT|FARM_FINGERPRINT|ROW DELETION|, INTERLEAVE|NOT ENFORCED"
)


def findings(ddl: str) -> list[lint.Finding]:
    report = lint.run(ddl, ALL)
    assert not report.failures
    return list(report)


@pytest.mark.parametrize("rule", WITH_EXAMPLES, ids=lambda rule: rule.id)
def test_a_rule_reports_its_bad_example_alone(rule: lint.Rule) -> None:
    result = [each for each in findings(rule.bad) if each.id == rule.id]
    assert result
    for finding in result:
        assert not re.search(r"[{}]|\bNone\b", finding.message + finding.fix), finding
        assert not GOOGLESQL_WORDS.search(finding.message + finding.fix), finding
    assert rule.id not in {each.id for each in findings(rule.good)}


@pytest.mark.parametrize("rule", PG.values(), ids=lambda rule: rule.id)
def test_the_texts_of_a_rule_are_postgresql(rule: lint.Rule) -> None:
    assert not GOOGLESQL_WORDS.search(rule.why + rule.fix + rule.message)
    assert not GOOGLESQL_WORDS.search(lint.explain(rule.id, "postgresql"))


def test_the_examples_are_those_of_rules_with_checks() -> None:
    assert {rule.id for rule in PG.values() if rule.bad} == {rule.id for rule in WITH_EXAMPLES}


@pytest.mark.parametrize("name", ["music", "orders", "access_log_bad", "access_log_good"])
def test_both_twins_of_a_schema_have_the_same_findings(name: str) -> None:
    def found(path: Path, dialect: str) -> list[tuple[str, str, str | None]]:
        report = lint.run(path, lint.Settings(select=("all",), dialect=dialect))
        assert not report.failures
        return [
            (each.id, each.object.lower(), each.column and each.column.lower()) for each in report
        ]

    twin = found(FIXTURES / "postgresql" / f"{name}.sql", "postgresql")
    assert twin == found(FIXTURES / f"{name}.sql", "googlesql")


# The page limits the length of this key column in GoogleSQL alone; the rule is not on by default.
UNLIMITED = ("SPN121", "useraccesslogs", "userid")


@pytest.mark.parametrize("twins", TWINS, ids=lambda twins: twins.name)
def test_both_twins_of_a_documented_example_have_the_same_findings(twins: Twins) -> None:
    def found(text: str, dialect: str) -> set[tuple[str, str, str | None]]:
        report = lint.run(text, lint.Settings(select=("all",), dialect=dialect))
        assert not report.failures
        return {
            (each.id, each.object.lower(), each.column and each.column.lower())
            for each in report
            if each.id in PG
        }

    extra = found(twins.postgresql, "postgresql") ^ found(twins.googlesql, "googlesql")
    assert extra <= {UNLIMITED}


def test_a_rule_is_explained_in_the_dialect() -> None:
    text = lint.explain("SPN601", "postgresql")
    assert "ADD TTL INTERVAL" in text
    assert "timestamptz" in text
    with pytest.raises(KeyError):
        lint.explain("SPN119", "postgresql")
    assert PG.keys() < RULES.keys()


@pytest.mark.parametrize("type_", ["numeric", "real", "jsonb"])
def test_a_key_column_of_a_type_that_only_postgresql_refuses_is_reported(type_: str) -> None:
    (finding,) = (
        each
        for each in findings(f"CREATE TABLE t (n {type_}, PRIMARY KEY (n))")
        if each.id == "SPN122"
    )
    assert finding.message.endswith(f"no key column may be of type {type_}.")
