"""Indexes that are redundant or too wide, and indexes that only seem so."""

from __future__ import annotations

from pathlib import Path

import pytest

from spanemu import lint
from spanemu.base.severity import Severity
from tests.unit.lint.linting import findings, ids, only

INFO, WARNING = Severity.INFO, Severity.WARNING

DIALECTS = ["googlesql", "postgresql"]
PARENT = {
    "googlesql": "CREATE TABLE P (K INT64 NOT NULL, Code INT64{null}) PRIMARY KEY (K);",
    "postgresql": "CREATE TABLE p (k bigint PRIMARY KEY, code bigint{null});",
}
REFERRING = {
    "googlesql": "CREATE TABLE D (Id INT64 NOT NULL, K INT64{null}, FOREIGN KEY (K) REFERENCES "
    "P ({to}){cascade}) PRIMARY KEY (Id);",
    "postgresql": "CREATE TABLE d (id bigint PRIMARY KEY, k bigint{null}, FOREIGN KEY (k) "
    "REFERENCES p ({to}){cascade});",
}


def referring(dialect: str, *, null: bool, to: str = "K", cascade: bool = False) -> str:
    return (PARENT[dialect] + REFERRING[dialect]).format(
        null="" if null else " NOT NULL", to=to, cascade=" ON DELETE CASCADE" if cascade else ""
    )


@pytest.mark.parametrize("cascade", [False, True])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_index_with_entries_for_null_stays_beside_a_foreign_key(
    dialect: str, cascade: bool
) -> None:
    # The managed index is NULL_FILTERED, so it serves no IS NULL.
    index = "CREATE INDEX I ON D(K)"
    nullable = referring(dialect, null=True, cascade=cascade)
    assert "SPN216" not in ids(nullable + index, "all", dialect=dialect)
    required = referring(dialect, null=False, cascade=cascade)
    finding = only("SPN216", required + index, dialect=dialect)
    assert finding.fix.startswith("DROP INDEX")
    assert "ENFORCED" not in finding.fix
    assert "INFORMATION_SCHEMA.INDEXES" in finding.rule.why


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_index_without_entries_for_null_repeats_that_of_a_foreign_key(dialect: str) -> None:
    ddl = referring(dialect, null=True)
    assert "SPN216" in ids(f"{ddl}CREATE INDEX I ON D(K) WHERE K IS NOT NULL", dialect=dialect)
    if dialect == "googlesql":
        assert "SPN216" in ids(f"{ddl}CREATE NULL_FILTERED INDEX I ON D(K)")


def test_uniqueness_of_null_is_a_constraint_of_its_own() -> None:
    # A UNIQUE index of GoogleSQL allows one row with NULL, a managed one any number.
    #
    # The managed index is gone with the foreign key, so other uniqueness is a weak case.
    index = "CREATE UNIQUE INDEX I ON P(Code)"
    assert "SPN216" not in ids(referring("googlesql", null=True, to="Code") + index, "all")
    for dialect, null in (("googlesql", False), ("postgresql", True)):
        ddl = referring(dialect, null=null, to="Code") + index
        assert "SPN216" not in ids(ddl, dialect=dialect)
        assert "Uniqueness" in only("SPN216", ddl, "SPN216", dialect=dialect).fix


def test_a_descending_index_beside_a_foreign_key_is_a_weak_case() -> None:
    ddl = referring("googlesql", null=False) + "CREATE INDEX I ON D(K DESC)"
    assert "SPN216" not in ids(ddl)
    assert "descending" in only("SPN216", ddl, "SPN216").fix


HINTS = {
    "googlesql": [
        "CREATE VIEW V SQL SECURITY INVOKER AS SELECT D.Id FROM D@{FORCE_INDEX=I}",
        "SELECT Id FROM D@{ force_index = `i` }",
        "UPDATE D@{FORCE_INDEX=I} SET K = 1 WHERE K = 2",
    ],
    "postgresql": [
        "CREATE VIEW v SQL SECURITY INVOKER AS SELECT d.id FROM d /*@ FORCE_INDEX = i */",
        "SELECT id FROM d /*@ force_index=i */",
    ],
}


@pytest.mark.parametrize(
    ("dialect", "hint"), [(dialect, hint) for dialect in DIALECTS for hint in HINTS[dialect]]
)
@pytest.mark.parametrize("id_", ["SPN209", "SPN216"])
def test_an_index_that_a_hint_names_stays(dialect: str, hint: str, id_: str) -> None:
    index = "CREATE INDEX I ON D(K)" if id_ == "SPN216" else "CREATE INDEX I ON D(Id)"
    ddl = referring(dialect, null=False) + index
    assert id_ in ids(ddl, dialect=dialect)
    assert id_ not in ids(f"{ddl}; {hint}", "all", dialect=dialect)
    assert id_ in ids(
        f"{ddl}; {hint.replace('=I', '=J').replace('= i', '= j')}".replace("=i", "=j").replace(
            "`i`", "J"
        ),
        dialect=dialect,
    )


def test_a_hint_in_another_file_counts(tmp_path: Path) -> None:
    (tmp_path / "schema.sql").write_text(
        referring("googlesql", null=False) + "CREATE INDEX I ON D(K);"
    )
    assert [each.id for each in lint.run(tmp_path)] == ["SPN216"]
    (tmp_path / "queries.sql").write_text("SELECT Id FROM D@{FORCE_INDEX=I} WHERE K = 1;")
    assert [each.id for each in lint.run(tmp_path)] == []


# ---------------------------------------------------------------------------- the primary key

T = {
    "googlesql": "CREATE TABLE T (A INT64 NOT NULL, B INT64 NOT NULL, C INT64) PRIMARY KEY (A, B);",
    "postgresql": "CREATE TABLE t (a bigint, b bigint, c bigint, PRIMARY KEY (a, b));",
}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("index", "severity"),
    [
        ("INDEX I ON T(A)", WARNING),
        ("INDEX I ON T(A, B)", WARNING),
        ("INDEX I ON T(A, B, C)", INFO),
        ("UNIQUE INDEX I ON T(A, B)", WARNING),
        ("UNIQUE INDEX I ON T(A, B, C DESC)", None),
        ("UNIQUE INDEX I ON T(A)", None),
        ("INDEX I ON T(A DESC, B)", None),
        ("INDEX I ON T(B, A)", None),
        ("INDEX I ON T(A, C)", None),
        ("INDEX I ON T(A, B, C) WHERE C IS NOT NULL", None),
        ("INDEX I ON T(A) WHERE A IS NOT NULL", WARNING),
    ],
)
def test_an_index_that_the_primary_key_serves(
    dialect: str, index: str, severity: Severity | None
) -> None:
    # A unique index of nullable columns lacks entries in PostgreSQL, so it is a constraint.
    if severity is None and "C DESC" in index and dialect == "googlesql":
        severity = INFO
    result = [
        finding.severity
        for finding in findings(f"{T[dialect]}CREATE {index}", "SPN209", dialect=dialect)
    ]
    assert result == ([] if severity is None else [severity])


def test_of_equal_indexes_the_one_that_does_more_stays() -> None:
    for item, other in (
        ("INDEX {} ON T(C)", "UNIQUE INDEX {} ON T(C)"),
        ("INDEX {} ON T(C)", "INDEX {} ON T(C) STORING (D)"),
    ):
        table = T["googlesql"].replace("C INT64", "C INT64, D INT64")
        less, more = (f"CREATE {each}" for each in (item.format("Less"), other.format("More")))
        for ddl in (f"{table}{less};{more}", f"{table}{more};{less}"):
            assert [each.object for each in findings(ddl, "SPN209")] == ["Less"]


# ---------------------------------------------------------------------------- wide indexes


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_index_on_text_without_a_length(dialect: str) -> None:
    table = {
        "googlesql": "CREATE TABLE T (Id INT64 NOT NULL, {} STRING(MAX)) PRIMARY KEY (Id);",
        "postgresql": "CREATE TABLE t (id bigint PRIMARY KEY, {} text);",
    }[dialect]
    ddl = table + "CREATE {}INDEX I ON T({})"
    finding = only("SPN218", ddl.format("Url", "", "Url"), dialect=dialect)
    assert finding.severity is INFO
    assert "beginning" in finding.fix
    unique = only("SPN218", ddl.format("Url", "UNIQUE ", "Url"), dialect=dialect)
    assert "hash" in unique.fix
    name = ddl.format("Name", "", "Name")
    assert "SPN218" not in ids(name, dialect=dialect)
    assert "SPN218" in ids(name, "SPN218", dialect=dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_vector_index_that_stores_wide_columns(dialect: str) -> None:
    if dialect == "googlesql":
        ddl = (
            "CREATE TABLE T (Id INT64 NOT NULL, Body STRING(MAX), Kind STRING(9), "
            "E ARRAY<FLOAT32>(vector_length=>8) NOT NULL) PRIMARY KEY (Id);"
            "CREATE VECTOR INDEX I ON T(E) STORING ({}) OPTIONS (distance_type = 'COSINE')"
        )
    else:
        ddl = (
            "CREATE TABLE t (id bigint PRIMARY KEY, body text, kind varchar(9), "
            "e float4[] VECTOR LENGTH 8 NOT NULL);"
            "CREATE INDEX i ON t USING scann(e) INCLUDE ({}) WITH (distance_type = 'COSINE')"
        )
    finding = only("SPN212", ddl.format("Body"), dialect=dialect)
    assert finding.severity is WARNING
    assert finding.fix.endswith("that searches filter by")
    assert ids(ddl.format("Kind"), dialect=dialect) == set()
    # No rule about sorted indexes takes a vector index for one.
    assert ids(ddl.format("Kind"), "SPN2", dialect=dialect) == set()


def test_a_search_index_that_stores_wide_columns() -> None:
    ddl = (
        "CREATE TABLE T (Id INT64 NOT NULL, J JSON, Body STRING(MAX), X TOKENLIST AS (TOKEN(Body)) HIDDEN) "
        "PRIMARY KEY (Id); CREATE SEARCH INDEX I ON T(X) STORING ({})"
    )
    assert ids(ddl.format("J")) == {"SPN212"}
    assert ids(f"{ddl.format('Id')}; ALTER SEARCH INDEX I ADD STORED COLUMN Body") == {"SPN212"}


POSTS = (
    "CREATE TABLE Posts (U INT64 NOT NULL, P INT64 NOT NULL, Title STRING(64), {large}) "
    "PRIMARY KEY (U, P);"
)


@pytest.mark.parametrize(
    ("large", "index", "reported"),
    [
        ("Body STRING(MAX)", "(U) STORING (Title)", False),
        ("Image BYTES(MAX)", "(U, P, Title)", False),
        ("Body STRING(MAX)", "(U) STORING (Title, Body)", True),
        ("Body STRING(MAX)", "(U)", True),
        ("Body STRING(64)", "(U) STORING (Title)", True),
    ],
)
def test_an_index_whose_scan_passes_no_large_column_stays(
    large: str, index: str, reported: bool
) -> None:
    ddl = f"{POSTS.format(large=large)}CREATE INDEX I ON Posts{index}"
    assert ("SPN209" in ids(ddl)) is reported
    assert "SPN209" in ids(ddl, "SPN209")


@pytest.mark.parametrize(
    ("index", "id_"),
    [
        ("UNIQUE NULL_FILTERED INDEX I ON Posts(U, P)", "SPN224"),
        ("INDEX I ON Posts(U, P, Url)", "SPN218"),
    ],
)
def test_an_index_to_drop_has_no_other_finding(index: str, id_: str) -> None:
    ddl = f"{POSTS.format(large='Url STRING(MAX)')}CREATE {index}"
    assert ids(ddl) == {"SPN209"}
    assert id_ in ids(ddl, id_)
