"""Clauses of indexes that are missing, too strict, or without effect: SPN221, SPN223, SPN224."""

from __future__ import annotations

import pytest

from tests.unit.lint.rules.fixing import (
    DIALECTS,
    appended,
    assert_fix_cures,
    findings,
    statement_replaced,
)

USERS = "CREATE TABLE T (Id INT64 NOT NULL, A INT64, B INT64, C INT64) PRIMARY KEY (Id);"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_storing_more_replaces_an_index(dialect: str) -> None:
    def apply(ddl: str, fix: str) -> str:
        statements, warning = fix.split(", after ")
        assert "FORCE_INDEX" in warning
        return appended(ddl, statements)

    assert_fix_cures("SPN221", dialect, apply)


def test_the_fix_stores_each_missing_column() -> None:
    ddl = f"{USERS}CREATE INDEX I1 ON T(A); CREATE INDEX I2 ON T(A, B DESC)"
    assert not findings(ddl, rule="SPN221"), "SPN209 reports an index that is covered"
    (finding,) = findings(ddl.replace("T(A)", "T(A) STORING (C)"), rule="SPN221")
    assert (finding.object, finding.fix.partition(", ")[0]) == (
        "I1",
        "ALTER INDEX I2 ADD STORED COLUMN C; DROP INDEX I1",
    )


def test_a_longer_key_is_a_weak_case() -> None:
    """Queries in the order of the primary key within a value lose this order."""
    ddl = f"{USERS}CREATE INDEX I1 ON T(A) STORING (C); CREATE INDEX I2 ON T(A, B)"
    assert not findings(ddl, rule="default")
    assert findings(ddl, rule="SPN221")


def test_a_unique_index_takes_the_columns_of_an_equal_index() -> None:
    """Uniqueness stays, whichever index comes first."""
    plain = "INDEX I1 ON T(A) STORING (B)"
    for unique in ("UNIQUE INDEX I2 ON T(A)", "UNIQUE INDEX I2 ON T(A) STORING (C)"):
        for first, second in ((plain, unique), (unique, plain)):
            ddl = f"{USERS}CREATE {first}; CREATE {second}"
            assert [each.object for each in findings(ddl, rule="SPN221")] == ["I1"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_shorter_primary_key_replaces_a_unique_index(dialect: str) -> None:
    def apply(ddl: str, fix: str) -> str:
        key = fix.partition("PRIMARY KEY (")[2].partition(")")[0]
        table = ddl[: ddl.index("CREATE UNIQUE")].strip().removesuffix(";")
        start = table.rindex("PRIMARY KEY (")
        return table[:start] + f"PRIMARY KEY ({key}" + table[table.index(")", start) :]

    assert_fix_cures("SPN223", dialect, apply)


def test_no_fix_gives_up_uniqueness_unasked() -> None:
    ddl = f"{USERS.replace('(Id)', '(Id, A)')}CREATE UNIQUE INDEX I ON T(Id)"
    (finding,) = findings(ddl, rule="SPN223")
    assert "DROP" not in finding.fix


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_index_without_its_filter_has_the_same_rows(dialect: str) -> None:
    assert_fix_cures("SPN224", dialect, statement_replaced)


def test_the_fix_keeps_the_other_clauses() -> None:
    parents = (
        "CREATE TABLE P (K INT64 NOT NULL) PRIMARY KEY (K);"
        "CREATE TABLE T (K INT64 NOT NULL, L INT64 NOT NULL, S STRING(9)) PRIMARY KEY (K, L), "
        "INTERLEAVE IN PARENT P;"
    )
    index = "INDEX I ON T(K, L DESC) STORING (S), INTERLEAVE IN P"
    (finding,) = findings(f"{parents}CREATE UNIQUE NULL_FILTERED {index}", rule="SPN224")
    assert finding.fix == f"CREATE UNIQUE {index}"
