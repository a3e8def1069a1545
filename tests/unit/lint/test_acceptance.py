"""The linter reports what Spanner would refuse: every fault at its place, and no consequence."""

from __future__ import annotations

import json

import pytest

from spanemu import lint
from spanemu.lint.formats import FORMATS

BASE = "CREATE TABLE T (Id INT64 NOT NULL, Name STRING(MAX)) PRIMARY KEY (Id);\n"
PG_BASE = "CREATE TABLE t (id bigint PRIMARY KEY, name varchar(100));\n"


def refusals(ddl: str, dialect: str = "googlesql") -> list[str]:
    report = lint.run(ddl, lint.Settings(dialect=dialect))
    assert not report.failures
    return [f"{each.line}:{each.line_column} {each.message}" for each in report.refusals]


@pytest.mark.parametrize(
    ("statement", "place", "words"),
    [
        ("CREATE TABLE U (Id INT64, Name STRING) PRIMARY KEY (Id)", "2:27", "must have a length"),
        ("CREATE TABLE U (Id INT64, N ARRAY<BYTES>) PRIMARY KEY (Id)", "2:27", "length"),
        ("CREATE TABLE t (Id INT64) PRIMARY KEY (Id)", "2:14", "Duplicate name"),
        ("CREATE TABLE U (Id INT64) PRIMARY KEY (Idd)", "2:40", "key column Idd"),
        ("CREATE TABLE U (Id INT64, Id INT64) PRIMARY KEY (Id)", "2:27", "Duplicate column"),
        ("CREATE TABLE U (Id INT46) PRIMARY KEY (Id)", "2:20", "Type not found: INT46"),
        ("CREATE TABLE U (Id INT64, C DATE DEFAULT (1)) PRIMARY KEY (Id)", "2:27", "DATE"),
        ("CREATE TABLE U (Id INT64, CHECK (Nope > 1)) PRIMARY KEY (Id)", "2:34", "Nope"),
        ("CREATE INDEX I ON T(Nope)", "2:21", "Nope which does not exist"),
        ("CREATE INDEX I ON Nope(Id)", "2:19", "Table not found: Nope"),
        ("CREATE INDEX I ON T(Name) STORING (Nope)", "2:36", "Nope"),
        ("ALTER TABLE T ADD COLUMN Name INT64", "2:13", "Duplicate column"),
        ("ALTER TABLE Nope ADD COLUMN C INT64", "2:13", "Table not found: Nope"),
        ("ALTER TABLE T ADD COLUMN C STRING", "2:26", "must have a length"),
        ("DROP INDEX Nope", "2:12", "Nope"),
        ("CREATE VIEW V SQL SECURITY INVOKER AS SELECT t.Nope FROM T t", "2:48", "Nope"),
        (
            "CREATE TABLE U (Id INT64) PRIMARY KEY (Id),\n  INTERLEAVE IN PARENT Nope",
            "3:24",
            "Table not found: Nope",
        ),
        (
            "CREATE TABLE U (Id INT64,\n FOREIGN KEY (Id) REFERENCES T (Nope)) PRIMARY KEY (Id)",
            "3:2",
            "Nope",
        ),
        (
            "CREATE TABLE U (Id INT64) PRIMARY KEY (Id),\n"
            "  ROW DELETION POLICY (OLDER_THAN(Id, INTERVAL 1 DAY))",
            "3:",
            "not a TIMESTAMP",
        ),
    ],
)
def test_a_refused_statement_is_reported_at_the_faulty_part(statement, place, words):
    (refusal,) = refusals(BASE + statement)
    assert refusal.startswith(place), refusal
    assert words in refusal


@pytest.mark.parametrize(
    ("statement", "place", "words"),
    [
        ("CREATE TABLE T (id bigint PRIMARY KEY)", "2:14", "uplicate"),
        ("CREATE TABLE u (id bigint, PRIMARY KEY (idd))", "2:41", "idd"),
        ("CREATE INDEX i ON t (nope)", "2:22", "nope"),
        ("CREATE INDEX i ON nope (id)", "2:19", "nope"),
        ("ALTER TABLE nope ADD COLUMN c bigint", "2:13", "nope"),
    ],
)
def test_postgresql_is_checked_too(statement, place, words):
    (refusal,) = refusals(PG_BASE + statement, "postgresql")
    assert refusal.startswith(place), refusal
    assert words in refusal


def test_every_fault_of_a_statement_is_reported():
    found = refusals(
        "CREATE TABLE T (\n  Id INT64,\n  A STRING,\n  B BYTES,\n  C DATE DEFAULT ('x' || 1),\n"
        "  CHECK (Nope > 1),\n) PRIMARY KEY (Idd)"
    )
    assert [each.partition(":")[0] for each in found] == ["3", "4", "5", "6", "7"]


@pytest.mark.parametrize(
    "refused",
    [
        "CREATE TABLE U (Id INT64, Name STRING) PRIMARY KEY (Id)",
        "CREATE TABLE U (Id INT64, Name NOTHING) PRIMARY KEY (Id)",
        "CREATE TABLE U (Id INT64, Name STRING(MAX), CHECK (Nope > 1)) PRIMARY KEY (Id)",
        "CREATE TABLE U (Id INT64, Name STRING(MAX)) PRIMARY KEY (Id), INTERLEAVE IN PARENT Nope",
        "ALTER TABLE Nope RENAME TO U",
    ],
)
def test_statements_that_depend_on_a_refused_one_are_not_reported(refused):
    dependents = (
        "CREATE INDEX ByName ON U(Name);\n"
        "CREATE TABLE C (Id INT64, CId INT64) PRIMARY KEY (Id, CId), INTERLEAVE IN PARENT U;\n"
        "CREATE TABLE F (Id INT64, FOREIGN KEY (Id) REFERENCES U (Id)) PRIMARY KEY (Id);\n"
        "CREATE INDEX ById ON C(CId);\n"
        "CREATE VIEW V SQL SECURITY INVOKER AS SELECT U.Name FROM U;\n"
        "CREATE VIEW W SQL SECURITY INVOKER AS SELECT V.Name FROM V;\n"
        "ALTER TABLE U ADD COLUMN Born DATE;\n"
        "DROP INDEX ByName;\n"
    )
    (refusal,) = refusals(f"{BASE}{refused};\n{dependents}")
    assert refusal.startswith("2:")


def test_dependents_of_a_statement_that_cannot_be_read_are_not_reported():
    report = lint.run(f"{BASE}CREATE TABLE U (Id INT64 PRIMARY;\nCREATE INDEX I ON U(Id);\n")
    assert [each.line for each in report.failures] == [2]
    assert not report.refusals


def test_a_second_declaration_does_not_hide_faults_of_the_first_table():
    found = refusals(
        f"{BASE}CREATE TABLE T (Id INT64, More INT64) PRIMARY KEY (Id);\n"
        "CREATE INDEX A ON T(More);\nCREATE INDEX B ON T(Nope);\n"
    )
    assert [each.partition(":")[0] for each in found] == ["2", "4"]


def test_independent_faults_beside_a_consequence_are_reported():
    found = refusals(
        f"{BASE}CREATE TABLE U (Id INT64, Name STRING) PRIMARY KEY (Id);\n"
        "CREATE INDEX ByName ON U(Name, Nope);\n"
    )
    assert [each.partition(":")[0] for each in found] == ["2", "3"]


def test_a_part_of_a_schema_is_not_checked():
    assert not refusals("ALTER TABLE Orders ADD COLUMN Note STRING(9)")
    assert not refusals("CREATE INDEX ByNote ON Orders(Note)")


def test_proto_bundles_are_not_checked_without_descriptors():
    assert not refusals(
        f"CREATE PROTO BUNDLE (a.b.C);\n{BASE}ALTER TABLE T ADD COLUMN P a.b.C;\n"
        "CREATE INDEX I ON T(Name) STORING (P);\n"
    )


def test_a_schema_of_a_database_is_accepted():
    assert not lint.run(BASE + BASE, is_accepted=True).refusals


def test_all_formats_have_every_refusal_with_its_place(tmp_path):
    path = tmp_path / "schema.sql"
    path.write_text(f"{BASE}{BASE}CREATE INDEX I ON T(Nope);\n")
    report = lint.run(path)
    places = [(str(path), 2, 14), (str(path), 3, 21)]
    listed = [each for each in json.loads(FORMATS["json"](report)) if each["id"] == "invalid"]
    assert [(each["file"], each["line"], each["line_column"]) for each in listed] == places
    assert all(each["severity"] == "error" for each in listed)
    (run,) = json.loads(FORMATS["sarif"](report))["runs"]
    results = [each for each in run["results"] if each["ruleId"] == "invalid"]
    regions = [each["locations"][0]["physicalLocation"]["region"] for each in results]
    assert [(each["startLine"], each["startColumn"]) for each in regions] == [(2, 14), (3, 21)]
    assert not run["invocations"][0]["executionSuccessful"]
    commands = FORMATS["github"](report)
    assert all(f"file={path},line={line},col={column}" in commands for _, line, column in places)


def test_consequences_of_a_refused_drop_are_not_reported():
    (refusal,) = refusals(f"{BASE}CREATE INDEX I ON T(Name);\nDROP TABLE T;\n{BASE}")
    assert refusal.startswith("3:12")
