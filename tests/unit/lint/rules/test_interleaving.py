"""Cascades that exceed the limit of mutations, and tables that could be interleaved."""

from __future__ import annotations

from pathlib import Path

import pytest

from spanemu import lint
from spanemu.base.severity import Severity
from tests.unit.lint.linting import applied, fixed, ids, only

INFO, WARNING = Severity.INFO, Severity.WARNING
DIALECTS = ["googlesql", "postgresql"]

P = "CREATE TABLE P (K STRING(36) NOT NULL) PRIMARY KEY (K);"
ORDERS = {
    "googlesql": f"{P}CREATE TABLE Orders (Id STRING(36) NOT NULL, K STRING(36), X INT64, "
    "FOREIGN KEY (K) REFERENCES P (K) ON DELETE CASCADE) PRIMARY KEY (Id);",
    "postgresql": "CREATE TABLE p (k varchar(36) PRIMARY KEY);"
    "CREATE TABLE orders (id varchar(36) PRIMARY KEY, k varchar(36), x bigint, "
    "FOREIGN KEY (k) REFERENCES p (k) ON DELETE CASCADE);",
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_cascade_of_a_foreign_key_with_global_indexes(dialect: str) -> None:
    # A row, its entry in the managed index, and its entries in two others are mutations.
    ddl = ORDERS[dialect] + "CREATE INDEX A ON Orders(X); CREATE INDEX B ON Orders(X, K);"
    finding = only("SPN309", ddl, dialect=dialect)
    assert finding.severity is INFO
    assert "20,000" in finding.message
    assert "partitioned DML" in finding.fix
    assert "SPN309" not in ids(ORDERS[dialect], dialect=dialect)
    no_action = ddl.replace(" ON DELETE CASCADE", "")
    assert "SPN309" not in ids(no_action, "all", dialect=dialect)


def test_a_cascade_over_rows_that_grow_by_time_is_a_warning() -> None:
    ddl = ORDERS["googlesql"].replace("Id STRING(36)", "At1 TIMESTAMP")
    ddl = ddl.replace("KEY (Id)", "KEY (K, At1)")
    finding = only("SPN309", f"{ddl}CREATE INDEX A ON Orders(X)")
    assert finding.severity is WARNING
    assert "40,000" in finding.message  # The key serves the foreign key, without an index.


def test_a_cascade_to_one_row_is_not_reported() -> None:
    unique = ORDERS["googlesql"] + "CREATE UNIQUE INDEX A ON Orders(K); CREATE INDEX B ON Orders(X)"
    assert "SPN309" not in ids(unique, "all")


def test_managed_indexes_count_in_cascades_of_interleaved_rows() -> None:
    ddl = (
        f"{P}CREATE TABLE Q (Q INT64 NOT NULL) PRIMARY KEY (Q);"
        "CREATE TABLE E (K STRING(36) NOT NULL, At1 TIMESTAMP NOT NULL, Q INT64, "
        "CONSTRAINT F FOREIGN KEY (Q) REFERENCES Q (Q)) PRIMARY KEY (K, At1), "
        "INTERLEAVE IN PARENT P ON DELETE CASCADE;"
    )
    assert "80,000" in only("SPN309", ddl).message
    assert only("SPN309", ddl).severity is INFO
    assert only("SPN309", f"{ddl}CREATE INDEX I ON E(At1, Q)").severity is WARNING
    assert "SPN309" not in ids(f"{ddl}ALTER TABLE E DROP CONSTRAINT F", "all")


# ---------------------------------------------------------------------------- SPN306

ALBUMS = (
    "CREATE TABLE Singers (Id INT64 NOT NULL) PRIMARY KEY (Id);"
    "CREATE TABLE Albums (Id INT64 NOT NULL, N INT64 NOT NULL, FOREIGN KEY (Id) REFERENCES "
    "Singers (Id)) PRIMARY KEY (Id, N);"
)


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("0001_init.sql", "0002_more.sql"),
        ("V1__init.sql", "V2__more.sql"),
        ("20240101120000_init.up.sql", "20240102120000_more.up.sql"),
        ("1.sql", "2.sql"),
        ("001init.sql", "R__views.sql"),
        ("20240101_init/migration.sql", "20240102_more/migration.sql"),
        ("2024-01-01-000000_init/up.sql", "2024-01-02-000000_more/up.sql"),
    ],
)
def test_tables_of_applied_migrations_are_not_suggested_for_interleaving(
    tmp_path: Path, first: str, last: str
) -> None:
    # Spanner cannot move a table that exists into a parent.
    later = ALBUMS.replace("Singers", "Bands").replace("Albums", "Records")
    for name in (first, last):
        (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / first).write_text(ALBUMS)
    assert reported(tmp_path) == ["Albums"]
    (tmp_path / last).write_text(later)
    assert reported(tmp_path) == ["Records"]
    assert reported(tmp_path, "SPN306") == ["Albums", "Records"]


def test_interleaving_takes_the_place_of_the_foreign_key_and_its_action() -> None:
    assert only("SPN306", ALBUMS).fix == "INTERLEAVE IN PARENT Singers in place of the foreign key"
    cascade = ALBUMS.replace("Singers (Id))", "Singers (Id) ON DELETE CASCADE)")
    assert "PARENT Singers ON DELETE CASCADE in place" in only("SPN306", cascade).fix


def test_files_of_a_schema_are_not_taken_for_migrations(tmp_path: Path) -> None:
    (tmp_path / "albums.sql").write_text(ALBUMS)
    (tmp_path / "users.sql").write_text("CREATE TABLE U (Id INT64 NOT NULL) PRIMARY KEY (Id);")
    assert reported(tmp_path) == ["Albums"]


def reported(path: Path, *select: str) -> list[str]:
    report = lint.run(path, lint.Settings(select=select))
    return [finding.object for finding in report if finding.id == "SPN306"]


def test_the_key_of_applied_migrations_is_settled(tmp_path: Path) -> None:
    nullable = "CREATE TABLE A (Id INT64) PRIMARY KEY (Id); CREATE TABLE B (N INT64);"
    (tmp_path / "1_a.sql").write_text(nullable)
    assert {"SPN120", "SPN124"} <= {each.id for each in lint.run(tmp_path)}
    (tmp_path / "2_b.sql").write_text("CREATE TABLE C (Id INT64 NOT NULL) PRIMARY KEY (Id);")
    assert not {"SPN120", "SPN124"} & {each.id for each in lint.run(tmp_path)}


# ---------------------------------------------------------------------------- SPN307


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_foreign_key_that_cascades_is_dropped_after_the_interleaving_does(dialect: str) -> None:
    if dialect == "googlesql":
        ddl = (
            f"{P}CREATE TABLE C (K STRING(36) NOT NULL, N INT64 NOT NULL, CONSTRAINT F FOREIGN KEY "
            "(K) REFERENCES P (K) ON DELETE CASCADE) PRIMARY KEY (K, N), INTERLEAVE IN PARENT P"
        )
    else:
        ddl = (
            "CREATE TABLE p (k varchar(36) PRIMARY KEY);"
            "CREATE TABLE c (k varchar(36), n bigint, CONSTRAINT f FOREIGN KEY (k) REFERENCES "
            "p (k) ON DELETE CASCADE, PRIMARY KEY (k, n)) INTERLEAVE IN PARENT p"
        )
    finding = only("SPN307", ddl, dialect=dialect)
    assert "SET ON DELETE CASCADE; ALTER TABLE" in finding.fix
    applied(fixed(ddl, finding), dialect)
    assert "SPN307" not in ids(fixed(ddl, finding), dialect=dialect)


# ---------------------------------------------------------------------------- bounded children

RUNS = (
    f"{P}CREATE TABLE Q (Q STRING(36) NOT NULL) PRIMARY KEY (Q);"
    "CREATE TABLE Metrics (K STRING(36) NOT NULL, Q STRING(36) NOT NULL, At1 TIMESTAMP, X INT64, "
    "FOREIGN KEY (Q) REFERENCES Q (Q) ON DELETE CASCADE) PRIMARY KEY (K, Q), "
    "INTERLEAVE IN PARENT P ON DELETE CASCADE;"
)


def test_rows_for_each_pair_of_references_do_not_accumulate_under_a_parent() -> None:
    # A log has a further row with time; a pair of references has one row.
    assert "SPN309" not in ids(f"{RUNS}CREATE INDEX I ON Metrics(X)")
    assert "SPN309" in ids(f"{RUNS}CREATE INDEX I ON Metrics(X)".replace("Q)", "At1)"))


@pytest.mark.parametrize(("index", "reported"), [("Q, At1", True), ("X", False)])
def test_rows_for_each_pair_of_references_accumulate_if_an_index_sorts_them_by_time(
    index: str, reported: bool
) -> None:
    ddl = RUNS.replace(", INTERLEAVE IN PARENT P ON DELETE CASCADE", "")
    ddl = ddl.replace("X INT64, ", "X INT64, FOREIGN KEY (K) REFERENCES P (K), ")
    assert ("SPN309" in ids(f"{ddl}CREATE INDEX I ON Metrics({index})")) is reported
