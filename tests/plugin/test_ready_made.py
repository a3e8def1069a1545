"""Tests that `--spanner-check` adds."""

GOOD = (
    "CREATE TABLE Singers (SingerId STRING(36) NOT NULL, Name STRING(9)) PRIMARY KEY (SingerId);\n"
)
PASS = "def test(): pass"


def test_checks_that_do_not_apply_are_skipped(project):
    result = project.run(PASS, "--spanner-check", "-v")
    result.assert_outcomes(passed=2, skipped=6)
    result.stdout.fnmatch_lines(
        [
            "*::spanemu::schema_applies SKIPPED (there is no schema)*",
            "*::spanemu::schema_lints PASSED*",
            "*::spanemu::seeds_load SKIPPED (there are no seeds)*",
            "*::spanemu::migrations_apply_from_empty SKIPPED (spanner_migrator*",
            "*::spanemu::migrations_reach_schema SKIPPED (spanner_migrator*",
            "*::spanemu::models_match_schema SKIPPED (spanner_models names no*",
            "*::spanemu::queries_compile SKIPPED (spanner_queries names no*",
        ]
    )


def test_checks_of_a_schema_migrations_and_queries(project):
    project.file("migrations/000001_a.sql", GOOD)
    project.file("migrations/000002_b.sql", "CREATE INDEX ByName ON Singers (Name);\n")
    project.file("queries/one.sql", "SELECT Name FROM Singers WHERE SingerId = @id;\n")
    project.file("queries/two.sql", "SELECT Nam FROM Singers;\n")
    project.ini("spanner_schema = migrations\nspanner_queries = queries\n")
    result = project.run(PASS, "--spanner-check")
    result.assert_outcomes(passed=5, failed=1, skipped=2)
    result.stdout.fnmatch_lines(["Statements that do not compile:", "  *two.sql:1: *Nam*"])
    project.run(PASS).assert_outcomes(passed=1)


def test_migrations_that_differ_from_the_schema_and_lint_findings_are_reported(project):
    project.file("migrations/000001_a.sql", GOOD)
    project.ini("spanner_schema = migrations\n")
    project.file(
        "conftest.py",
        f"""
import pytest

@pytest.fixture(scope="session")
def spanner_schema():
    return [{GOOD.strip().rstrip(";")!r}, "CREATE TABLE E (Ts TIMESTAMP NOT NULL) PRIMARY KEY (Ts)"]
""",
    )
    result = project.run(PASS, "--spanner-check")
    result.assert_outcomes(passed=3, failed=2, skipped=3)
    result.stdout.fnmatch_lines(["Findings of the linter:", "  *: SPN102 E(Ts) (warning): *"])
    result.stdout.fnmatch_lines(["The migrations lack:", "  *CREATE TABLE E *"])


def test_models_and_seeds(project):
    project.file("schema.sql", GOOD)
    project.file("seeds/Singers.csv", "SingerId,Nam\na,b\n")
    project.file(
        "shop_models.py",
        """
from sqlalchemy import Column, String, MetaData, Table

metadata = MetaData()
Table("Singers", metadata, Column("SingerId", String(36), primary_key=True),
      Column("Name", String(9)), Column("Age", String(3)))
""",
    )
    project.ini("spanner_models = metadata:shop_models:metadata\n")
    result = project.run(PASS, "--spanner-check", "-k", "match or load or applies")
    result.assert_outcomes(passed=1, failed=1, errors=1, deselected=5)
    result.stdout.fnmatch_lines(["*Singers.csv:2: table Singers has no column 'Nam'"])
    project.file("seeds/Singers.csv", "SingerId,Name\na,b\n")
    result = project.run(PASS, "--spanner-check", "-k", "match or load or applies")
    result.assert_outcomes(passed=2, failed=1, deselected=5)
    result.stdout.fnmatch_lines(["The schema lacks:", "  ALTER TABLE Singers ADD COLUMN Age *"])


def test_a_schema_may_have_more_than_its_models(project):
    project.file(
        "schema.sql",
        """
CREATE TABLE Singers (
  SingerId STRING(36) NOT NULL, Name STRING(9), Lower STRING(9) AS (LOWER(Name)) STORED,
  CONSTRAINT Named CHECK (Name != '')
) PRIMARY KEY (SingerId);
CREATE TABLE Awards (
  AwardId STRING(36) NOT NULL, SingerId STRING(36),
  CONSTRAINT AwardOfSinger FOREIGN KEY (SingerId) REFERENCES Singers (SingerId)
) PRIMARY KEY (AwardId);
CREATE INDEX ByName ON Singers (Name);
""",
    )
    models = """
from sqlalchemy import Column, ForeignKey, MetaData, String, Table

metadata = MetaData()
Table("Singers", metadata, Column("SingerId", String(36), primary_key=True),
      Column("Name", String(9)))
Table("Awards", metadata, Column("AwardId", String(36), primary_key=True),
      Column("SingerId", String(36), ForeignKey("Singers.SingerId")))
"""
    project.file("shop_models.py", models)
    project.ini("spanner_models = metadata:shop_models:metadata\n")
    project.run(PASS, "--spanner-check", "-k", "match").assert_outcomes(passed=1, deselected=7)
    project.file("other_models.py", models.replace("String(9)", "String(8)"))
    project.ini("spanner_models = metadata:other_models:metadata\n")
    result = project.run(PASS, "--spanner-check", "-k", "match")
    result.assert_outcomes(failed=1, deselected=7)
    result.stdout.fnmatch_lines(["The schema lacks:", "  ALTER TABLE Singers ALTER COLUMN Name *"])
