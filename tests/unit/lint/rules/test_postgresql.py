"""The rules in the PostgreSQL dialect report their own examples, with fixes in PostgreSQL's words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from spanemu import lint
from spanemu.lint.rules import RULES
from spanemu.lint.rules.postgresql import rules_of

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
    found = [each for each in findings(rule.bad) if each.id == rule.id]
    assert found
    for finding in found:
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


USERS = (
    "CREATE TABLE Users (UserId INT64 NOT NULL, LastAccess TIMESTAMP) PRIMARY KEY (UserId);",
    "CREATE TABLE Users (userid bigint NOT NULL, lastaccess TIMESTAMPTZ, PRIMARY KEY (userid));",
)
# Pairs of statements from Spanner's page on schema design.
TWINS = (
    (
        "CREATE TABLE UserAccessLogs (LastAccess TIMESTAMP NOT NULL, UserId STRING(1024)) "
        "PRIMARY KEY (LastAccess, UserId)",
        "CREATE TABLE useraccesslogs (lastaccess timestamptz NOT NULL, userid varchar(1024), "
        "PRIMARY KEY (lastaccess, userid))",
    ),
    (
        "CREATE TABLE UserAccessLogs (LogEntryId UUID DEFAULT (NEW_UUID()), LastAccess TIMESTAMP "
        "NOT NULL, UserId STRING(1024)) PRIMARY KEY (LogEntryId)",
        "CREATE TABLE useraccesslogs (logentryid uuid PRIMARY KEY DEFAULT gen_random_uuid(), "
        "lastaccess timestamptz NOT NULL, userid text)",
    ),
    (
        "CREATE TABLE UserAccessLogs (UserId INT64 NOT NULL, LastAccess TIMESTAMP NOT NULL) "
        "PRIMARY KEY (UserId, LastAccess)",
        "CREATE TABLE useraccesslogs (userid bigint NOT NULL, lastaccess TIMESTAMPTZ NOT NULL, "
        "PRIMARY KEY (UserId, LastAccess))",
    ),
    (
        "CREATE TABLE UserAccessLogs (ShardId INT64 NOT NULL, LastAccess TIMESTAMP NOT NULL, "
        "UserId INT64 NOT NULL) PRIMARY KEY (ShardId, LastAccess, UserId)",
        "CREATE TABLE useraccesslogs (shardid bigint NOT NULL, lastaccess TIMESTAMPTZ NOT NULL, "
        "userid bigint NOT NULL, PRIMARY KEY (shardid, lastaccess, userid))",
    ),
    (
        f"{USERS[0]} CREATE NULL_FILTERED INDEX UsersByLastAccess ON Users(LastAccess)",
        f"{USERS[1]} CREATE INDEX usersbylastaccess ON users(lastaccess) "
        "WHERE lastaccess IS NOT NULL",
    ),
    (
        f"{USERS[0]} CREATE NULL_FILTERED INDEX UsersByLastAccess ON Users(UserId, LastAccess), "
        "INTERLEAVE IN Users",
        f"{USERS[1]} CREATE INDEX usersbylastaccess ON users(userid, lastaccess) "
        "WHERE lastaccess IS NOT NULL, INTERLEAVE IN Users",
    ),
)  # fmt: skip


@pytest.mark.parametrize("pair", TWINS, ids=range(len(TWINS)))
def test_both_twins_of_a_documented_example_have_the_same_findings(pair: tuple[str, str]) -> None:
    def found(text: str, dialect: str) -> set[tuple[str, str, str | None]]:
        report = lint.run(text, lint.Settings(select=("all",), dialect=dialect))
        assert not report.failures
        return {
            (each.id, each.object.lower(), each.column and each.column.lower())
            for each in report
            if each.id in PG
        }

    googlesql, postgresql = pair
    assert found(postgresql, "postgresql") == found(googlesql, "googlesql")


def test_a_rule_is_explained_in_the_dialect() -> None:
    text = lint.explain("SPN601", "postgresql")
    assert "ADD TTL INTERVAL" in text
    assert "timestamptz" in text
    with pytest.raises(KeyError):
        lint.explain("SPN119", "postgresql")
    assert PG.keys() < RULES.keys()
