"""Who may call models and remote functions: EXECUTE, and what roles see of models."""

from __future__ import annotations

import pytest
from google.api_core import exceptions

import spanemu

SCHEMA = [
    """CREATE MODEL Rater INPUT (content STRING(MAX)) OUTPUT (score FLOAT64)
    REMOTE OPTIONS (endpoint = '//aiplatform.googleapis.com/projects/p/locations/l/endpoints/e')""",
    """CREATE MODEL Other INPUT (content STRING(MAX)) OUTPUT (score FLOAT64)
    REMOTE OPTIONS (endpoint = '//aiplatform.googleapis.com/projects/p/locations/l/endpoints/e')""",
    """CREATE FUNCTION Twice(x INT64) RETURNS INT64 NOT DETERMINISTIC LANGUAGE REMOTE
    OPTIONS (endpoint = 'https://example.com/f')""",
    "CREATE TABLE Texts (Id INT64 NOT NULL, Text STRING(MAX)) PRIMARY KEY (Id)",
    "CREATE ROLE caller",
    "CREATE ROLE stranger",
    "GRANT EXECUTE ON MODEL Rater TO ROLE caller",
    "GRANT EXECUTE ON FUNCTION Twice TO ROLE caller",
    "GRANT SELECT ON TABLE Texts TO ROLE caller",
    "GRANT SELECT ON TABLE Texts TO ROLE stranger",
    """CREATE VIEW Definers SQL SECURITY DEFINER AS SELECT p.score, Twice(1) AS two
    FROM ML.PREDICT(MODEL Rater, (SELECT 'a' AS content)) AS p""",
    """CREATE VIEW Invokers SQL SECURITY INVOKER AS SELECT p.score
    FROM ML.PREDICT(MODEL Rater, (SELECT 'a' AS content)) AS p""",
    "CREATE VIEW Doublers SQL SECURITY INVOKER AS SELECT Twice(1) AS two",
    "GRANT SELECT ON VIEW Definers, Invokers, Doublers TO ROLE caller, stranger",
]
PREDICT = "SELECT COUNT(*) FROM ML.PREDICT(MODEL Rater, (SELECT Text AS content FROM Texts))"
OTHER = PREDICT.replace("Rater", "Other")
AI = "SELECT AI.IF('a')"
TWICE = "SELECT Twice(1)"


@pytest.fixture(scope="module")
def home():
    with spanemu.Emulator() as emulator:
        emulator.models.set_answers("*", default={"score": 1.0})
        emulator.models.set_answers("Twice", default=2)
        emulator.models.set_answers("AI.IF", default=True)
        yield emulator.create_database("access", schema=SCHEMA)


def rows(home, role, sql):
    with home.client(database_role=role).snapshot() as snapshot:
        return [tuple(row) for row in snapshot.execute_sql(sql)]


@pytest.mark.parametrize(("sql", "found"), [(PREDICT, 0), (TWICE, 2), (AI, True)])
def test_a_role_that_may_execute(home, sql, found):
    assert rows(home, "caller", sql) == [(found,)]


@pytest.mark.parametrize(
    ("role", "sql", "name"),
    [
        ("stranger", PREDICT, "Rater"),
        ("caller", OTHER, "Other"),
        ("stranger", TWICE, "Twice"),
        ("stranger", f"SELECT ({PREDICT})", "Rater"),
        ("stranger", f"SELECT 1 FROM Texts WHERE EXISTS ({PREDICT})", "Rater"),
        ("stranger", "SELECT Id FROM Texts WHERE Twice(Id) = 2", "Twice"),
    ],
)
def test_a_role_that_may_not(home, role, sql, name):
    with pytest.raises(exceptions.PermissionDenied, match=f"EXECUTE.*{name}|{name}.*EXECUTE"):
        rows(home, role, sql)


@pytest.mark.parametrize(("view", "name"), [("Invokers", "Rater"), ("Doublers", "Twice")])
def test_a_view_with_the_rights_of_its_invoker_needs_execute(home, view, name):
    query = f"SELECT COUNT(*) FROM {view}"
    assert rows(home, "caller", query) == [(1,)]
    with pytest.raises(exceptions.PermissionDenied, match=name):
        rows(home, "stranger", query)


def test_a_view_with_the_rights_of_its_definer_needs_no_execute(home):
    assert rows(home, "stranger", "SELECT COUNT(*) FROM Definers") == [(1,)]


def test_a_role_sees_the_models_that_it_may_execute(home):
    query = "SELECT model_name FROM information_schema.models ORDER BY model_name"
    assert rows(home, "caller", query) == [("Rater",)]
    assert rows(home, "stranger", query) == []
    assert rows(home, None, query) == [("Other",), ("Rater",)]
    columns = "SELECT DISTINCT model_name FROM information_schema.model_columns"
    assert rows(home, "caller", columns) == [("Rater",)]


@pytest.mark.parametrize(
    "ddl",
    [
        "CREATE TABLE T (K INT64, V INT64 DEFAULT (Twice(1))) PRIMARY KEY (K)",
        "CREATE TABLE T (K INT64, V INT64 AS (Twice(K)) STORED) PRIMARY KEY (K)",
        "CREATE TABLE T (K INT64, V BOOL AS (AI.IF('a')) STORED) PRIMARY KEY (K)",
        "CREATE TABLE T (K INT64, V BOOL DEFAULT (AI.IF('a'))) PRIMARY KEY (K)",
        "CREATE TABLE T (K INT64, CHECK (AI.SCORE('a') > 1)) PRIMARY KEY (K)",
    ],
)
def test_columns_and_constraints_call_nothing(home, ddl):
    with pytest.raises(spanemu.SpannerError) as refused:
        home.apply_schema(ddl)
    assert "UNIMPLEMENTED" not in str(refused.value.code)
    assert "INTERNAL" not in str(refused.value.code)


def test_a_grant_needs_the_model(home):
    with pytest.raises(spanemu.SpannerError):
        home.apply_schema("GRANT EXECUTE ON MODEL Nope TO ROLE caller")
