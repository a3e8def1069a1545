"""Functions that GoogleSQL has and Spanner refuses; unknown names are another error."""

import pytest

from spanemu.sql.googlesql.catalog import CATALOG
from tests.conformance.backends import IA, UNIMPLEMENTED, refused, says, spanemu_only

VALUES = {
    "ANY": "1",
    "ARRAY": "[1]",
    "FLOAT64": "0.5",
    "INT64": "1",
    "INTERVAL INT64 DATE_TIME_PART": "INTERVAL 1 DAY",
    "JSON": "JSON '{}'",
    "STRING": "'a'",
    "TIMESTAMP": "TIMESTAMP '2024-01-01'",
}


def sample_call(signature):
    """Return a valid call of a function, without its optional arguments."""
    name, _, parameters = signature[:-1].partition("(")
    types = [each for each in parameters.split(", ") if each and not each.startswith("[")]
    return f"{name}({', '.join(VALUES[type_] for type_ in types)})"


@pytest.fixture
def db(create):
    """Return a database with an empty table."""
    return create("CREATE TABLE T (Id INT64, Name STRING(MAX)) PRIMARY KEY (Id)")


@pytest.mark.parametrize("name", CATALOG.foreign)
def test_a_function_that_spanner_lacks_is_unsupported(db, name):
    call = sample_call(CATALOG.foreign[name])
    with refused(UNIMPLEMENTED) as caught:
        db.rows(f"SELECT {call} FROM T")
    rewritten = {"NULLIFERROR": "IFERROR"}  # by Google's emulator
    assert says(caught) in {
        f"Unsupported built-in function: {each}" for each in (name, rewritten.get(name))
    }


@pytest.mark.parametrize(
    "query",
    [
        "SELECT safe.Chr(65)",
        "SELECT `chr`(65)",
        "SELECT Id FROM T WHERE RAND() > 0.5",
        "SELECT Id FROM T ORDER BY RAND()",
        "SELECT COUNT(*) FROM T GROUP BY CHR(Id)",
        "SELECT COUNT(CHR(Id)) FROM T",
        "SELECT Id FROM T GROUP BY Id HAVING APPROX_COUNT_DISTINCT(Name) > 1",
        "SELECT ABS(ASCII(CHR(65)))",
        "SELECT (SELECT CHR(65))",
        "SELECT IF(TRUE, REGEXP_INSTR('a', 'a', 1), 1)",
    ],
)
def test_unsupported_functions_anywhere_in_a_query(db, query):
    refused(UNIMPLEMENTED, db.rows, query)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO T (Id, Name) VALUES (1, CHR(65))",
        "INSERT INTO T (Id, Name) SELECT 1, CHR(65)",
        "UPDATE T SET Name = CHR(65) WHERE TRUE",
        "DELETE FROM T WHERE RAND() < 1",
    ],
)
def test_unsupported_functions_in_dml(db, statement):
    refused(UNIMPLEMENTED, db.dml, statement)


@pytest.mark.parametrize(
    "call",
    ["NO_SUCH(1)", "a.CHR(65)", "LAG(Id)", "ST_AREA(Id)", "INITCAP(Name)", "CHR()", "CHR(65, 1)",
     "CHR(NoSuch)", "RAND(1)", "REGEXP_INSTR('a')", "CHR(c => 65)", "CHR(65) OVER ()"],
)  # fmt: skip
def test_unknown_functions_and_wrong_calls_are_invalid(db, call):
    refused(IA, db.rows, f"SELECT {call} FROM T")


@pytest.mark.parametrize("call", ["RAND()", "NO_SUCH()"])
def test_a_scalar_function_is_refused_as_a_table_function(db, call):
    refused(IA, db.rows, f"SELECT * FROM {call}")


@pytest.mark.parametrize(
    "ddl",
    [
        "CREATE TABLE U (Id INT64, Name STRING(MAX) AS (CHR(Id))) PRIMARY KEY (Id)",
        "CREATE TABLE U (Id INT64, Part FLOAT64 DEFAULT (RAND())) PRIMARY KEY (Id)",
        "CREATE TABLE U (Id INT64, CHECK (CHR(Id) = 'a')) PRIMARY KEY (Id)",
        "CREATE VIEW V SQL SECURITY INVOKER AS SELECT CHR(65) AS x",
    ],
)
def test_a_schema_with_an_unsupported_function_is_invalid(create, ddl):
    with refused(IA) as caught:
        create(ddl)
    assert "Unsupported built-in function: " in says(caught)


@spanemu_only  # Google's emulator of June 2025 has no user-defined functions.
def test_a_user_defined_function_may_have_the_name(create):
    db = create("CREATE FUNCTION CHR(x INT64) RETURNS INT64 AS (x + 1)")
    assert db.rows("SELECT CHR(1)") == [[2]]
