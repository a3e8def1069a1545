"""Clauses of indexes that are missing, too strict, or without effect: SPN221, SPN223, SPN224."""

from __future__ import annotations

import re

import pytest

from spanemu.lint.rules.postgresql import rules_of
from tests.unit.lint.linting import applied, findings, ids, only

DIALECTS = ("googlesql", "postgresql")
USERS = "CREATE TABLE T (Id INT64 NOT NULL, A INT64, B INT64, C INT64) PRIMARY KEY (Id);"


def test_the_fix_stores_each_missing_column() -> None:
    ddl = f"{USERS}CREATE INDEX I1 ON T(A); CREATE INDEX I2 ON T(A, B DESC)"
    assert not findings(ddl, "SPN221"), "SPN209 reports an index that is covered"
    finding = only("SPN221", ddl.replace("T(A)", "T(A) STORING (C)"), "SPN221")
    assert finding.object == "I1"
    assert finding.fix.startswith("ALTER INDEX I2 ADD STORED COLUMN C; DROP INDEX I1 -- ")


def test_all_equal_indexes_merge_into_the_unique_one() -> None:
    two = "CREATE INDEX I1 ON T(A) STORING (B); CREATE INDEX I2 ON T(A) STORING (C)"
    result = findings(f"{USERS}{two}; CREATE UNIQUE INDEX I3 ON T(A)", "SPN221")
    assert [each.fix.partition(";")[0] for each in result] == [
        "ALTER INDEX I3 ADD STORED COLUMN B",
        "ALTER INDEX I3 ADD STORED COLUMN C",
    ]


def test_an_index_is_dropped_for_one_reason() -> None:
    two = "CREATE INDEX I1 ON T(A) STORING (B); CREATE INDEX I2 ON T(A) STORING (C)"
    ddl = f"{USERS}{two}; CREATE INDEX I3 ON T(A) STORING (B, C)"
    assert [(each.id, each.object) for each in findings(ddl)] == [
        ("SPN209", "I1"),
        ("SPN209", "I2"),
    ]


def test_a_longer_key_is_a_weak_case() -> None:
    # Queries in the order of the primary key within a value lose this order.
    ddl = f"{USERS}CREATE INDEX I1 ON T(A) STORING (C); CREATE INDEX I2 ON T(A, B)"
    assert not findings(ddl)
    assert findings(ddl, "SPN221")


def test_an_index_that_a_hint_names_is_a_weak_case() -> None:
    ddl = f"{USERS}CREATE INDEX I1 ON T(A) STORING (B); CREATE INDEX I2 ON T(A) STORING (C)"
    assert ids(ddl) == {"SPN221"}
    view = "CREATE VIEW V SQL SECURITY INVOKER AS SELECT T.A FROM T@{FORCE_INDEX=I2} WHERE T.A = 1"
    assert not ids(f"{ddl};{view}")


def test_a_unique_index_takes_the_columns_of_an_equal_index() -> None:
    # Uniqueness stays, whichever index comes first.
    plain = "INDEX I1 ON T(A) STORING (B)"
    for unique in ("UNIQUE INDEX I2 ON T(A)", "UNIQUE INDEX I2 ON T(A) STORING (C)"):
        for first, second in ((plain, unique), (unique, plain)):
            ddl = f"{USERS}CREATE {first}; CREATE {second}"
            assert [each.object for each in findings(ddl, "SPN221")] == ["I1"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_shorter_primary_key_replaces_a_unique_index(dialect: str) -> None:
    bad = rules_of(dialect)["SPN223"].bad
    fix = only("SPN223", bad, dialect=dialect).fix
    key = fix[fix.index("PRIMARY KEY (") : fix.index(")") + 1]
    table = re.sub(r"PRIMARY KEY \([^()]*\)", key, bad[: bad.index("CREATE UNIQUE")])
    applied(table, dialect)
    assert not findings(table, "SPN223", dialect=dialect)


def test_no_fix_gives_up_uniqueness_unasked() -> None:
    ddl = f"{USERS.replace('(Id)', '(Id, A)')}CREATE UNIQUE INDEX I ON T(Id)"
    assert "DROP" not in only("SPN223", ddl).fix


def test_the_fix_keeps_the_other_clauses() -> None:
    parents = (
        "CREATE TABLE P (K INT64 NOT NULL) PRIMARY KEY (K);"
        "CREATE TABLE T (K INT64 NOT NULL, L INT64 NOT NULL, S STRING(9)) PRIMARY KEY (K, L), "
        "INTERLEAVE IN PARENT P;"
    )
    index = "INDEX {} ON T(K, L DESC) STORING (S), INTERLEAVE IN P"
    fix = only("SPN224", f"{parents}CREATE UNIQUE NULL_FILTERED {index.format('I')}").fix
    assert fix.startswith(f"CREATE UNIQUE {index.format('I2')}; DROP INDEX I -- ")
