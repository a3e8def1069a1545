"""Row deletion policies whose deletions fail or lose rows."""

from __future__ import annotations

import pytest

from spanemu.base.severity import Severity
from tests.unit.lint.linting import ids, only

INFO, WARNING = Severity.INFO, Severity.WARNING

SESSIONS = {
    "googlesql": "CREATE TABLE Sessions (Id STRING(36) NOT NULL, At1 TIMESTAMP NOT NULL) "
    "PRIMARY KEY (Id), ROW DELETION POLICY (OLDER_THAN(At1, INTERVAL 30 DAY));",
    "postgresql": "CREATE TABLE sessions (id varchar(36) PRIMARY KEY, at1 timestamptz NOT NULL) "
    "TTL INTERVAL '30 days' ON at1;",
}
CHILD = (
    "CREATE TABLE {name} (Id STRING(36) NOT NULL, {column}, S STRING(9)) PRIMARY KEY (Id, N), "
    "INTERLEAVE IN PARENT Sessions ON DELETE CASCADE; CREATE INDEX I ON {name}(S);"
)


@pytest.mark.parametrize(
    ("name", "column", "severity"),
    [
        ("Views", "N TIMESTAMP NOT NULL", WARNING),
        ("Events", "N STRING(36) NOT NULL", INFO),
        ("Parts", "N STRING(36) NOT NULL, Payload BYTES(MAX)", INFO),
        ("Parts", "N STRING(36) NOT NULL", None),
    ],
)
def test_a_policy_on_the_parent_of_large_children(
    name: str, column: str, severity: Severity | None
) -> None:
    ddl = SESSIONS["googlesql"] + CHILD.format(name=name, column=column)
    if severity is None:
        assert "SPN602" not in ids(ddl)
    else:
        assert only("SPN602", ddl).severity is severity
    assert "SPN602" in ids(ddl, "SPN602")
    own = ddl.replace(" ON DELETE CASCADE;", " ON DELETE CASCADE, ROW DELETION POLICY "
                      "(OLDER_THAN(N, INTERVAL 9 DAY));")  # fmt: skip
    assert "SPN602" not in ids(own, "all")


@pytest.mark.parametrize("dialect", ["googlesql", "postgresql"])
def test_a_policy_on_the_table_of_a_cascading_foreign_key(dialect: str) -> None:
    visits = {
        "googlesql": "CREATE TABLE Visits (VisitId STRING(36) NOT NULL, Id STRING(36), S INT64, "
        "FOREIGN KEY (Id) REFERENCES Sessions (Id) ON DELETE CASCADE) PRIMARY KEY (VisitId);",
        "postgresql": "CREATE TABLE visits (visitid varchar(36) PRIMARY KEY, id varchar(36), "
        "s bigint, FOREIGN KEY (id) REFERENCES sessions (id) ON DELETE CASCADE);",
    }
    ddl = SESSIONS[dialect] + visits[dialect]
    assert "SPN602" not in ids(ddl, dialect=dialect)
    assert only("SPN602", f"{ddl}CREATE INDEX I ON Visits(S)", dialect=dialect).severity is INFO
    unique = f"{ddl}CREATE INDEX I ON Visits(S); CREATE UNIQUE INDEX J ON Visits(Id)"
    assert "SPN602" not in ids(unique, "all", dialect=dialect)


def test_rows_that_are_not_deleted_with_their_parent_row() -> None:
    child = CHILD.format(name="Views", column="N TIMESTAMP NOT NULL")
    loose = child.replace("IN PARENT Sessions ON DELETE CASCADE", "IN Sessions")
    assert "SPN602" not in ids(SESSIONS["googlesql"] + loose, "all")


def test_a_unique_index_on_the_column_of_a_policy_is_a_constraint() -> None:
    assert "SPN604" in ids(SESSIONS["googlesql"] + "CREATE INDEX I ON Sessions(At1)", "all")
    assert "SPN604" not in ids(
        SESSIONS["googlesql"] + "CREATE UNIQUE INDEX I ON Sessions(At1)", "all"
    )


@pytest.mark.parametrize(
    ("default", "reported"), [("", True), (" DEFAULT (CURRENT_TIMESTAMP())", False)]
)
def test_a_column_with_a_default_is_seldom_null(default: str, reported: bool) -> None:
    ddl = (
        f"CREATE TABLE T (Id INT64 NOT NULL, At1 TIMESTAMP{default}) PRIMARY KEY (Id), "
        "ROW DELETION POLICY (OLDER_THAN(At1, INTERVAL 2 DAY))"
    )
    assert ("SPN605" in ids(ddl)) is reported
    assert "SPN605" in ids(ddl, "SPN605")
