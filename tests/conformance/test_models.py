"""Models, AI functions and remote functions, answered by functions of the test."""

from __future__ import annotations

import threading
from itertools import count

import pytest
from google.api_core import exceptions
from google.cloud.spanner_v1 import param_types

import spanemu
from spanemu import models

ENDPOINT = "//aiplatform.googleapis.com/projects/p/locations/l/publishers/google/models/gecko"
SCHEMA = [
    f"""CREATE MODEL Price INPUT (carat FLOAT64, cut STRING(MAX),
    note STRING(MAX) OPTIONS (required = false)) OUTPUT (value FLOAT64, low FLOAT64)
    REMOTE OPTIONS (endpoint = '{ENDPOINT}', default_batch_size = 2)""",
    f"""CREATE MODEL Embedder INPUT (content STRING(MAX))
    OUTPUT (embeddings STRUCT<statistics STRUCT<truncated BOOL, token_count FLOAT64>,
    values ARRAY<FLOAT64>>) REMOTE OPTIONS (endpoint = '{ENDPOINT}')""",
    f"""CREATE MODEL Writer INPUT (content STRING(MAX)) OUTPUT (text STRING(MAX))
    REMOTE OPTIONS (endpoint = '{ENDPOINT}')""",
    """CREATE FUNCTION Twice(x INT64, label STRING) RETURNS INT64 NOT DETERMINISTIC LANGUAGE REMOTE
    OPTIONS (endpoint = 'https://example.com/f', max_batching_rows = 2)""",
    "CREATE TABLE Gem (Id INT64 NOT NULL, Carat FLOAT64, Cut STRING(MAX), Value STRING(MAX)) "
    "PRIMARY KEY (Id)",
    "CREATE TABLE Doc (Id INT64 NOT NULL, Text STRING(MAX), E ARRAY<FLOAT64>(vector_length=>4)) "
    "PRIMARY KEY (Id)",
]
GEMS = [(1, 0.5, "Ideal", "x"), (2, 1.5, "Good", "y"), (3, 2.5, "Fair", "z")]
DOCS = [(1, "lamp"), (2, "desk"), (3, "chair")]
_numbers = count(1)


@pytest.fixture(scope="module", params=["embedded", "port"])
def emulator(request):
    with spanemu.Emulator(embedded_channel=request.param == "embedded") as running:
        yield running


@pytest.fixture
def registered(emulator):
    with emulator.models.scoped() as scoped:
        yield scoped


@pytest.fixture
def database(emulator):
    made = emulator.create_database(f"models-{next(_numbers)}", schema=SCHEMA).client()
    with made.batch() as batch:
        batch.insert("Gem", ["Id", "Carat", "Cut", "Value"], GEMS)
        batch.insert("Doc", ["Id", "Text"], DOCS)
    return made


def rows(database, sql, **options):
    with database.snapshot() as snapshot:
        return [tuple(row) for row in snapshot.execute_sql(sql, **options)]


def price(batch, call):
    return [{"value": row["carat"] * 100, "low": 1.0} for row in batch]


# ---------------------------------------------------------------------------- ML.PREDICT


def test_a_function_answers_a_batch_of_rows(registered, database):
    registered.register("Price", price)
    query = "SELECT Id, Value FROM ML.PREDICT(MODEL Price, TABLE Gem) ORDER BY Id"
    assert rows(database, query) == [(1, 50.0), (2, 150.0), (3, 250.0)]
    first, second = registered.calls
    assert first.rows == [{"carat": 0.5, "cut": "Ideal"}, {"carat": 1.5, "cut": "Good"}]
    assert second.rows == [{"carat": 2.5, "cut": "Fair"}]
    assert (first.model, first.endpoint, first.function) == ("Price", ENDPOINT, "ML.PREDICT")
    assert first.answers == [{"value": 50.0, "low": 1.0}, {"value": 150.0, "low": 1.0}]


def test_the_columns_are_outputs_then_other_columns(registered, database):
    registered.register("Price", price)
    with database.snapshot() as snapshot:
        result = snapshot.execute_sql(
            "SELECT * FROM ML.PREDICT(MODEL Price, (SELECT 'q' AS value, 1 AS carat, 'c' AS cut))"
        )
        assert list(result) == [[100.0, 1.0, 1, "c"]]
        assert [field.name for field in result.fields] == ["value", "low", "carat", "cut"]


def test_parameters_and_the_hint_reach_the_function(registered, database):
    seen = []

    def embed(batch, call):
        seen.append((len(batch), dict(call.parameters), call.dialect))
        return [{"embeddings": {"values": [1.0, 2.0]}} for _ in batch]

    registered.register("Embedder", embed)
    query = """SELECT embeddings.values FROM ML.PREDICT(
        MODEL Embedder, (SELECT Text AS content FROM Doc), STRUCT(@n AS outputDimensionality))
        @{remote_udf_max_rows_per_rpc=1}"""
    options = {"params": {"n": 7}, "param_types": {"n": param_types.INT64}}
    assert rows(database, query, **options) == [([1.0, 2.0],)] * 3
    assert seen == [(1, {"outputDimensionality": 7}, "googlesql")] * 3


def test_an_update_sends_its_rows_in_batches(registered, database):
    registered.register("Embedder", models.embeddings(dimensions=4))
    changed = database.run_in_transaction(
        lambda transaction: transaction.execute_update(
            """UPDATE Doc SET E = (SELECT embeddings.values FROM SAFE.ML.PREDICT(MODEL Embedder,
            (SELECT Doc.Text AS content)) @{remote_udf_max_rows_per_rpc=200}) WHERE Doc.E IS NULL"""
        )
    )
    assert changed == 3
    (call,) = registered.calls
    assert [row["content"] for row in call.rows] == ["lamp", "desk", "chair"]
    vectors = rows(database, "SELECT E FROM Doc ORDER BY Id")
    assert all(len(vector) == 4 for (vector,) in vectors)


def test_partitioned_dml_calls_models(registered, database):
    registered.register("Embedder", models.embeddings(dimensions=4))
    count = database.execute_partitioned_dml(
        """@{pdml_max_parallelism=5} UPDATE Doc SET E = (SELECT embeddings.values
        FROM ML.PREDICT(MODEL Embedder, (SELECT Doc.Text AS content))) WHERE E IS NULL"""
    )
    assert count == 3


def test_an_embedding_of_another_length_fails_the_write(registered, database):
    registered.register("Embedder", models.embeddings(dimensions=5))
    with pytest.raises(
        exceptions.GoogleAPICallError, match="5 elements and exceeds the `vector_length` limit: 4"
    ):
        database.run_in_transaction(
            lambda transaction: transaction.execute_update(
                """UPDATE Doc SET E = (SELECT embeddings.values FROM ML.PREDICT(MODEL Embedder,
                (SELECT Doc.Text AS content))) WHERE TRUE"""
            )
        )


def test_without_a_function_the_answer_is_that_of_googles_emulator(registered, database):
    query = "SELECT value > 0 FROM ML.PREDICT(MODEL Price, (SELECT 1.0 AS carat, 'a' AS cut))"
    assert rows(database, query) == [(True,)]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT * FROM ML.PREDICT(MODEL Nothing, TABLE Gem)", "Model not found: Nothing"),
        ("SELECT * FROM ML.PREDICT(MODEL Price, TABLE Doc)", "required column `carat`"),
        ("SELECT * FROM ML.PREDICT(MODEL Price)", "two or three arguments"),
        ("SELECT * FROM ML.PREDICT(TABLE Gem, TABLE Gem)", "must be a model"),
        ("SELECT * FROM ML.PREDICT(MODEL Price, (SELECT 'a' AS carat, 'b' AS cut))", "`carat`"),
        ("SELECT * FROM ML.PREDICT(MODEL Price, (SELECT 1 AS cut, 2 AS Cut, 3 AS carat))", "ambig"),
        ("SELECT * FROM ML.PREDICT(MODEL Price, TABLE Gem, STRUCT(Id AS x))", "Id"),
        ("SELECT * FROM ML.PREDICT(MODEL Price, TABLE Gem, 5)", "STRUCT of constants"),
        ("SELECT ML.PREDICT(MODEL Price, TABLE Gem)", "FROM"),
        ("SELECT * FROM Price", "Table not found"),
        ("SELECT Twice(DISTINCT 1, 'a')", "cannot be called with DISTINCT"),
        ("SELECT Twice(1, 'a' ORDER BY 1)", "ORDER BY in arguments"),
        ("SELECT Twice(1, 'a' LIMIT 1)", "LIMIT in arguments"),
    ],
)
def test_invalid_calls_are_refused(database, query, words):
    with pytest.raises(exceptions.InvalidArgument, match=words):
        rows(database, query)


def test_a_sample_is_drawn_from_predictions(registered, database):
    registered.register("Price", price)
    query = (
        "SELECT value FROM ML.PREDICT(MODEL Price, TABLE Gem) AS p TABLESAMPLE RESERVOIR (2 ROWS)"
    )
    assert len(rows(database, query)) == 2
    assert sum(call.row_count for call in registered.calls) == 3


def test_parameters_are_a_constant_struct(registered, database):
    seen = []

    def embed(batch, call):
        seen.append(dict(call.parameters))
        return [{} for _ in batch]

    registered.register("Embedder", embed)
    query = "SELECT 1 FROM ML.PREDICT(MODEL Embedder, (SELECT 'a' AS content), {})"
    struct = param_types.Struct([param_types.StructField("n", param_types.INT64)])
    rows(database, query.format("@p"), params={"p": (5,)}, param_types={"p": struct})
    rows(database, query.format("STRUCT<n INT64>(6)"))
    rows(database, query.format("STRUCT(2 + 5 AS n)"))
    assert seen == [{"n": 5}, {"n": 6}, {"n": 7}]


VIEWS = [
    """CREATE VIEW Priced SQL SECURITY DEFINER AS
    SELECT p.Id, p.value FROM ML.PREDICT(MODEL Price, TABLE Gem) AS p""",
    "CREATE VIEW Asked SQL SECURITY INVOKER AS SELECT d.Id, AI.IF(d.Text) AS a FROM Doc AS d",
    "CREATE FUNCTION Priciest(x FLOAT64) AS ((SELECT MAX(value) FROM ML.PREDICT(MODEL Price, "
    "(SELECT x AS carat, 'c' AS cut))))",
]


def test_views_and_functions_call_models(registered, emulator):
    home = emulator.create_database(f"models-{next(_numbers)}", schema=[*SCHEMA, *VIEWS])
    with home.client().batch() as batch:
        batch.insert("Gem", ["Id", "Carat", "Cut", "Value"], GEMS)
        batch.insert("Doc", ["Id", "Text"], DOCS)
    registered.register("Price", price)
    registered.register("AI.IF", lambda batch, call: [len(row["prompt"]) > 4 for row in batch])
    query = "SELECT Id, value FROM Priced WHERE Id > 1 ORDER BY Id"
    assert rows(home.client(), query) == [(2, 150.0), (3, 250.0)]
    assert rows(home.client(), "SELECT Id FROM Asked WHERE a") == [(3,)]
    assert rows(home.client(), "SELECT Priciest(3.0)") == [(300.0,)]
    refused = {
        "DROP MODEL Price": "Cannot drop MODEL `Price` on which there are dependent views: Priced",
        SCHEMA[0].replace("CREATE", "CREATE OR REPLACE", 1).replace("carat FLOAT64", "x FLOAT64"):
            "required column `x`",
        SCHEMA[0].replace("CREATE", "CREATE OR REPLACE", 1).replace("value FLOAT64", "value BOOL"):
            "FUNCTION `Priciest` to become invalid",
    }  # fmt: skip
    for statement, words in refused.items():
        with pytest.raises(spanemu.SpannerError, match=words) as failure:
            home.apply_schema(statement)
        assert failure.value.code is spanemu.Code.FAILED_PRECONDITION
    home.apply_schema("ALTER MODEL Price SET OPTIONS (default_batch_size = 1)")
    copy = emulator.create_database(
        f"models-{next(_numbers)}", schema=list(home.client().ddl_statements)
    )
    assert list(copy.client().ddl_statements) == list(home.client().ddl_statements)
    home.apply_schema("DROP VIEW Priced; DROP FUNCTION Priciest; DROP MODEL Price")


# ---------------------------------------------------------------------------- AI functions


def test_ai_functions_answer(registered, database):
    registered.register("AI.*", models.choices())
    query = """SELECT AI.CLASSIFY(Text, ['lamp', 'other']), AI.IF(Text) IS NULL, AI.SCORE(Text) >= 0
        FROM Doc WHERE Id = 1"""
    assert rows(database, query) == [("lamp", False, True)]


def test_ai_prompts_are_joined(registered, database):
    registered.register("AI.CLASSIFY", lambda batch, call: ["green"] * len(batch))
    query = """SELECT AI.CLASSIFY(('Rate: ', Text), categories => [('green', 'good'),
        ('red', 'bad')]) FROM Doc WHERE Id = 1"""
    assert rows(database, query) == [("green",)]
    (call,) = registered.calls
    assert call.rows == [{"prompt": "Rate: lamp", "categories": ["green", "red"]}]
    assert call.parameters == {"descriptions": {"green": "good", "red": "bad"}}


def test_an_answer_must_be_a_category(registered, database):
    registered.register("AI.CLASSIFY", lambda batch, call: ["blue"] * len(batch))
    with pytest.raises(exceptions.InvalidArgument, match="blue"):
        rows(database, "SELECT AI.CLASSIFY('x', ['green'])")


def test_ai_functions_need_a_function(registered, database):
    for call in ("AI.IF('x')", "SAFE.AI.IF('x')", "AI.SCORE('x')", "AI.CLASSIFY('x', ['a'])"):
        with pytest.raises(exceptions.FailedPrecondition, match=r"models\.register"):
            rows(database, f"SELECT {call}")


def test_plain_conditions_are_tested_first(registered, database):
    registered.register("AI.IF", lambda batch, call: [True] * len(batch))
    query = "SELECT Id FROM Doc WHERE AI.IF(Text) AND Id = 2"
    assert rows(database, query) == [(2,)]
    assert [call.rows for call in registered.calls] == [[{"prompt": "desk"}]]


def test_a_limit_stops_rows_before_they_are_sent(registered, database):
    registered.register("AI.SCORE", lambda batch, call: [1.0] * len(batch))
    rows(database, "SELECT AI.SCORE(Text) FROM Doc LIMIT 2")
    rows(database, "SELECT Id, AI.SCORE(Text) FROM Doc ORDER BY Id DESC LIMIT 1")
    assert [call.row_count for call in registered.calls] == [2, 1]


def test_a_call_is_made_although_its_result_is_not_used(registered, database):
    registered.register("AI.SCORE", lambda batch, call: [1.0] * len(batch))
    query = "SELECT COUNT(*) FROM (SELECT AI.SCORE(Text) FROM Doc)"
    assert rows(database, query) == [(3,)]
    assert sum(call.row_count for call in registered.calls) == 3


def test_a_branch_calls_for_its_rows_only(registered, database):
    registered.register("AI.SCORE", lambda batch, call: [1.0] * len(batch))
    query = "SELECT CASE WHEN Id > 1 THEN AI.SCORE(Text) ELSE 0 END FROM Doc ORDER BY Id"
    assert rows(database, query) == [(0.0,), (1.0,), (1.0,)]
    assert [call.row_count for call in registered.calls] == [2]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("AI.CLASSIFY(Text, ['lamp', 'desk']) IN (SELECT Cut FROM Gem)", []),
        ("AI.CLASSIFY(Text, ['lamp', 'desk']) NOT IN (SELECT Cut FROM Gem)", [(1,), (2,), (3,)]),
        ("NOT AI.CLASSIFY(Text, ['lamp', 'desk']) IN (SELECT Text FROM Doc)", []),
    ],
)
def test_the_operand_of_in_calls_once_for_each_row(registered, database, condition, expected):
    registered.register("AI.CLASSIFY", lambda batch, call: ["lamp"] * len(batch))
    assert rows(database, f"SELECT Id FROM Doc WHERE {condition} ORDER BY Id") == expected
    assert [call.row_count for call in registered.calls] == [3]


# ---------------------------------------------------------------------------- remote functions


def test_a_remote_function_answers_in_batches(registered, database):
    registered.register("twice", lambda row, call: row["x"] * 2, each=True)
    assert rows(database, "SELECT Twice(Id, Text) FROM Doc ORDER BY Id") == [(2,), (4,), (6,)]
    assert [call.row_count for call in registered.calls] == [2, 1]
    assert registered.calls[0].rows[0] == {"x": 1, "label": "lamp"}


def test_a_remote_function_gets_null(registered, database):
    registered.register("Twice", lambda row, call: row["x"], each=True)
    assert rows(database, "SELECT Twice(NULL, 'a'), 1 + Twice(5, NULL)") == [(None, 6)]


def test_a_remote_function_needs_a_function(registered, database):
    with pytest.raises(exceptions.FailedPrecondition, match="Remote function Twice"):
        rows(database, "SELECT Twice(1, 'x')")


def test_a_remote_function_in_safe_mode(registered, database):
    def fail_for_two(row, call):
        if row["x"] == 2:
            raise ValueError("two")
        return row["x"]

    registered.register("Twice", fail_for_two, each=True)
    query = "SELECT SAFE.Twice(Id, Text) FROM Doc ORDER BY Id"
    assert rows(database, query) == [(1,), (None,), (3,)]
    with pytest.raises(exceptions.InternalServerError, match="two"):
        rows(database, query.replace("SAFE.", ""))


# ---------------------------------------------------------------------------- failures


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ValueError("boom"), exceptions.InternalServerError),
        (exceptions.ResourceExhausted("slow down"), exceptions.ResourceExhausted),
        (exceptions.NotFound("gone"), exceptions.NotFound),
    ],
)
def test_an_exception_becomes_its_code(registered, database, error, kind):
    def fail(batch, call):
        raise error

    registered.register("Price", fail)
    with pytest.raises(kind, match="Agent Platform endpoint"):
        rows(database, "SELECT value FROM ML.PREDICT(MODEL Price, TABLE Gem)")
    assert (
        rows(database, "SELECT value FROM SAFE.ML.PREDICT(MODEL Price, TABLE Gem)") == [(None,)] * 3
    )


@pytest.mark.parametrize(
    "answers", [[], [{"value": "x", "low": 1.0}] * 2, [{"value": 1.0}] * 2, [5, 6], "text"]
)
def test_answers_that_do_not_fit(registered, database, answers):
    registered.register("Price", lambda batch, call: answers)
    with pytest.raises(exceptions.InvalidArgument, match="schema match"):
        rows(database, "SELECT value FROM ML.PREDICT(MODEL Price, (SELECT 1 AS carat, '' AS cut))")


class Answer:
    """An object of a test's class, of which one method raises."""

    def __init__(self, name):
        self.name = name

    def raise_for(self, name):
        if self.name == name:
            raise RuntimeError(f"{name} of a test")

    def __repr__(self):
        self.raise_for("repr")
        return "answer"

    def tolist(self):
        self.raise_for("tolist")
        return self


class Outputs(dict):
    """Outputs that cannot be looked up."""

    def __getitem__(self, name):
        raise ZeroDivisionError(name)


class UnprintableError(Exception):
    """An exception without a message or a code."""

    def __str__(self):
        raise RuntimeError("no message")

    @property
    def code(self):
        raise RuntimeError("no code")


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer("repr"), exceptions.InvalidArgument),
        ({"value": Answer("repr"), "low": 1.0}, exceptions.InvalidArgument),
        ({"value": Answer("tolist"), "low": 1.0}, exceptions.InternalServerError),
        (Outputs(value=1.0, low=1.0), exceptions.InternalServerError),
        (UnprintableError(), exceptions.InternalServerError),
    ],
)
def test_what_an_answer_raises_is_the_failure_of_the_model(registered, database, answer, kind):
    registered.register("Price", lambda batch, call: [answer for _ in batch])
    query = "SELECT value FROM {}ML.PREDICT(MODEL Price, TABLE Gem)"
    with pytest.raises(kind, match="Agent Platform endpoint"):
        rows(database, query.format(""))
    assert rows(database, query.format("SAFE.")) == [(None,)] * 3


def test_a_required_output_is_not_null_after_its_conversion(registered, database):
    class Masked:
        """A number whose Python object is None, as numpy.ma.masked."""

        def tolist(self):
            return None

    registered.register("Price", lambda batch, call: [{"value": Masked(), "low": 1.0}])
    with pytest.raises(exceptions.InvalidArgument, match="required output value"):
        rows(database, "SELECT value FROM ML.PREDICT(MODEL Price, (SELECT 1 AS carat, '' AS cut))")


def test_calls_are_listed_whatever_their_parameters_are(registered, database):
    registered.register("Price", price)
    parameters = "NEW_UUID() AS u, INTERVAL 90 MINUTE AS i, b'x' AS b, DATE '2026-01-02' AS d"
    query = f"""SELECT value FROM ML.PREDICT(MODEL Price, (SELECT 1 AS carat, '' AS cut),
        STRUCT({parameters}))"""
    assert rows(database, query) == [(100.0,)]
    (call,) = registered.call_records()
    assert call.parameters["i"] == "PT1H30M"
    assert len(call.parameters["u"]) == 36


def test_one_row_fails_alone_in_safe_mode(registered, database):
    def price_of(row, call):
        if row["carat"] > 2:
            raise ValueError("too heavy")
        return {"value": 1.0, "low": 0.0}

    registered.register("Price", price_of, each=True)
    query = "SELECT value FROM SAFE.ML.PREDICT(MODEL Price, TABLE Gem) ORDER BY Id"
    assert rows(database, query) == [(1.0,), (1.0,), (None,)]


def test_a_hundred_megabytes_are_refused(registered, database):
    registered.register("Writer", lambda batch, call: ["x" * 100_000_000])
    query = "SELECT text FROM ML.PREDICT(MODEL Writer, (SELECT 'a' AS content))"
    with pytest.raises(exceptions.ResourceExhausted, match="exceeds the limit"):
        rows(database, query)
    registered.register("AI.CLASSIFY", lambda batch, call: ["x" * 100_000_000])
    with pytest.raises(exceptions.ResourceExhausted, match="exceeds the limit"):
        rows(database, "SELECT AI.CLASSIFY('a', ['x'])")
    registered.register("AI.CLASSIFY", lambda batch, call: ["x" * 1_000_000])
    with pytest.raises(exceptions.InvalidArgument, match="none of the categories x") as failure:
        rows(database, "SELECT AI.CLASSIFY('a', ['x'])")
    assert len(str(failure.value)) < 1000


def test_a_function_that_hangs_is_abandoned(registered, database, emulator):
    release = threading.Event()

    def hang(batch, call):
        release.wait()
        return [{"value": 1.0, "low": 1.0}] * len(batch)

    registered.register("Price", hang)
    try:
        with pytest.raises(exceptions.DeadlineExceeded):
            rows(database, "SELECT value FROM ML.PREDICT(MODEL Price, TABLE Gem)", timeout=1)
        for _ in range(500):  # The client may give up before the server does.
            if emulator.models.abandoned:
                break
            threading.Event().wait(0.02)
        assert len(emulator.models.abandoned) == 1
        assert "hang" in emulator.models.abandoned[0]
        assert rows(database, "SELECT COUNT(*) FROM Gem") == [(3,)]
    finally:
        release.set()


def test_a_transaction_stays_usable_after_a_failure(registered, database):
    registered.register("Price", lambda batch, call: [])

    def work(transaction):
        assert len(list(transaction.execute_sql("SELECT Id FROM Gem"))) == 3
        with pytest.raises(exceptions.InvalidArgument):
            transaction.execute_update(
                """UPDATE Gem SET Value = (SELECT CAST(value AS STRING) FROM ML.PREDICT(MODEL Price,
                (SELECT Gem.Carat AS carat, Gem.Cut AS cut))) WHERE TRUE"""
            )
        return transaction.execute_update("UPDATE Gem SET Value = 'kept' WHERE Id = 1")

    assert database.run_in_transaction(work) == 1


def test_injected_failures(registered, database):
    registered.register("Price", price)
    registered.fail("Price", "quota")
    query = "SELECT value FROM ML.PREDICT(MODEL Price, (SELECT 1 AS carat, 'a' AS cut))"
    with pytest.raises(exceptions.ResourceExhausted, match="quota has been exceeded"):
        rows(database, query)
    assert rows(database, query) == [(100.0,)]
    with pytest.raises(ValueError, match="no failure"):
        registered.fail("Price", "fire")


def test_calls_fall_back_to_the_next_endpoint(registered, emulator):
    other = ENDPOINT.replace("gecko", "newt")
    created = emulator.create_database(
        f"models-{next(_numbers)}",
        schema=f"CREATE MODEL m INPUT (a INT64) OUTPUT (b INT64) "
        f"REMOTE OPTIONS (endpoints = ['{ENDPOINT}', '{other}'])",
    ).client()

    def fail(batch, call):
        raise exceptions.ServiceUnavailable("busy")

    registered.register("*gecko", fail)
    registered.register("projects/*/newt", lambda batch, call: [{"b": row["a"]} for row in batch])
    assert rows(created, "SELECT b FROM ML.PREDICT(MODEL m, (SELECT 5 AS a))") == [(5,)]
    assert [call.endpoint for call in registered.calls] == [ENDPOINT, other]


def test_the_rows_of_a_statement_are_limited():
    with spanemu.Emulator(limits=spanemu.Limits(model_rows=2)) as emulator:
        created = emulator.create_database("limited", schema=SCHEMA).client()
        query = "SELECT AI.IF(x) FROM UNNEST(['a', 'b', 'c']) AS x"
        emulator.models.register("AI.IF", lambda batch, call: [True] * len(batch))
        with pytest.raises(exceptions.ResourceExhausted, match=r"AI\.IF.*model_rows"):
            rows(created, query)


def test_a_coroutine_function_answers(registered, database):
    async def ask(batch, call):
        return [True] * len(batch)

    registered.register("AI.IF", ask)
    assert rows(database, "SELECT AI.IF('x')") == [(True,)]


# ---------------------------------------------------------------------------- PostgreSQL

ROW = """spanner.ml_predict_row('projects/p/locations/l/publishers/google/models/e',
    jsonb_build_object('instances', jsonb_build_array(jsonb_build_object('content', {text}))))"""


@pytest.fixture(scope="module")
def postgresql(emulator):
    schema = "CREATE TABLE docs (id bigint PRIMARY KEY, body text, e float8[])"
    created = emulator.create_database(
        f"models-{next(_numbers)}", schema=schema, dialect="postgresql"
    ).client()
    with created.batch() as batch:
        batch.insert("docs", ["id", "body"], DOCS)
    return created


def test_ml_predict_row_answers_with_jsonb(registered, postgresql):
    registered.register("projects/*/models/e", models.embeddings(dimensions=4))
    query = f"SELECT {ROW.format(text='body')} -> 'predictions' -> 0 -> 'embeddings' -> 'values' FROM docs"
    assert len(rows(postgresql, query)) == 3
    (call,) = registered.calls
    assert call.rows == [{"content": "lamp"}, {"content": "desk"}, {"content": "chair"}]
    assert call.function == "spanner.ml_predict_row"


def test_an_update_with_ml_predict_row(registered, postgresql):
    registered.register("*", models.embeddings(dimensions=4))
    value = f"""spanner.float64_array({ROW.format(text="body")}
        /*@ remote_udf_max_rows_per_rpc=2 */ -> 'predictions' -> 0 -> 'embeddings' -> 'values')"""
    count = postgresql.run_in_transaction(
        lambda transaction: transaction.execute_update(f"UPDATE docs SET e = {value} WHERE true")
    )
    assert count == 3
    assert [call.row_count for call in registered.calls] == [2, 1]


def test_the_documented_answer_of_ml_predict_row(registered, postgresql):
    query = """SELECT (spanner.ml_predict_row('projects/p/locations/l/endpoints/e',
        '{"instances": [{"Amount": "1000", "Name": "John Smith"}]}')
        ->'predictions'->0->'Outcome')::boolean"""
    assert rows(postgresql, query) == [(True,)]


@pytest.mark.parametrize(
    "arguments", ["NULL, '{}'", "'e', NULL", "'e', '[]'", "'{\"x\": 1}'::jsonb, '{}'", "'e', '{}'"]
)
def test_bad_arguments_of_ml_predict_row(postgresql, arguments):
    with pytest.raises(exceptions.InvalidArgument):
        rows(postgresql, f"SELECT spanner.ml_predict_row({arguments})")
