"""The statements on models that frameworks send, and other clients while a function runs."""

from __future__ import annotations

import gc
import os
import threading
import time
from itertools import count

import pytest
from google.api_core import exceptions
from google.cloud.spanner_v1 import param_types

import spanemu
from spanemu import models

ENDPOINT = "projects/p/locations/l/publishers/google/models/text-embedding-005"
EMBEDDER = f"""CREATE MODEL Embedder INPUT (content STRING(MAX) OPTIONS (required = true))
OUTPUT (embeddings STRUCT<statistics STRUCT<truncated BOOL, token_count FLOAT64>,
values ARRAY<FLOAT64>>) REMOTE OPTIONS (endpoint = '//aiplatform.googleapis.com/{ENDPOINT}')"""
TEXTS = "CREATE TABLE Texts (Id INT64 NOT NULL, Text STRING(MAX)) PRIMARY KEY (Id)"
_numbers = count(1)


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator() as running:
        yield running


@pytest.fixture
def registered(emulator):
    with emulator.models.scoped() as scoped:
        yield scoped


@pytest.fixture
def home(emulator):
    made = emulator.create_database(f"clients-{next(_numbers)}", schema=[EMBEDDER, TEXTS])
    with made.client().batch() as batch:
        batch.insert("Texts", ["Id", "Text"], [(n, f"text {n}") for n in range(50)])
    return made


def rows(database, sql, **options):
    with database.snapshot() as snapshot:
        return [tuple(row) for row in snapshot.execute_sql(sql, **options)]


QUERY = {"params": {"query": "a lamp"}, "param_types": {"query": param_types.STRING}}


@pytest.mark.parametrize("parameters", ["", ", STRUCT(7 AS outputDimensionality)"])
def test_an_embedding_of_a_query(registered, home, parameters):
    registered.register("Embedder", models.embeddings(dimensions=3))
    sql = f"""SELECT embeddings.values FROM ML.PREDICT(MODEL `Embedder`,
    (SELECT CAST(@query AS STRING) AS content){parameters})"""
    (((*vector,),),) = rows(home.client(), sql, **QUERY)
    assert len(vector) == (7 if parameters else 3)


@pytest.mark.parametrize("parameters", ["", ", 'parameters', JSONB_BUILD_OBJECT('size', 7)"])
def test_an_embedding_in_postgresql(registered, emulator, parameters):
    seen = []

    def embed(batch, call):
        seen.append((call.endpoint, call.parameters, [row["content"] for row in batch]))
        return [{"embeddings": {"values": [0.25, 0.5]}} for _ in batch]

    registered.register("*/text-embedding-005", embed)
    name = f"clients-{next(_numbers)}"
    created = emulator.create_database(name, dialect="postgresql")
    sql = f"""SELECT spanner.FLOAT32_ARRAY(spanner.ML_PREDICT_ROW('{ENDPOINT}',
    JSONB_BUILD_OBJECT('instances', JSONB_BUILD_ARRAY(JSONB_BUILD_OBJECT('content', $1::TEXT))
    {parameters})) -> 'predictions' -> 0 -> 'embeddings' -> 'values')"""
    options = {"params": {"p1": "a lamp"}, "param_types": {"p1": param_types.STRING}}
    assert rows(created.client(), sql, **options) == [([0.25, 0.5],)]
    assert seen == [(ENDPOINT, {"size": 7} if parameters else {}, ["a lamp"])]


def test_tools_read_the_schema_of_models(home):
    database = home.client()
    assert rows(
        database,
        "SELECT model_schema, model_name, is_remote FROM information_schema.models",
    ) == [("", "Embedder", True)]
    assert rows(
        database,
        """SELECT option_name, option_type, option_value FROM information_schema.model_options
        WHERE model_name = 'Embedder'""",
    ) == [("endpoint", "STRING", f"//aiplatform.googleapis.com/{ENDPOINT}")]
    assert rows(
        database,
        """SELECT column_kind, column_name, ordinal_position, data_type, is_explicit
        FROM information_schema.model_columns ORDER BY column_kind""",
    ) == [
        ("INPUT", "content", 1, "STRING(MAX)", True),
        (
            "OUTPUT",
            "embeddings",
            1,
            "STRUCT<statistics STRUCT<truncated BOOL, token_count FLOAT64>, values ARRAY<FLOAT64>>",
            True,
        ),
    ]
    assert rows(
        database,
        """SELECT column_kind, column_name, option_name, option_type, option_value
        FROM information_schema.model_column_options
        ORDER BY column_kind""",
    ) == [
        ("INPUT", "content", "required", "BOOL", "TRUE"),
        ("OUTPUT", "embeddings", "required", "BOOL", "TRUE"),
    ]


# ---------------------------------------------------------------------------- isolation

CALLS = "SELECT COUNT(*) FROM ML.PREDICT(MODEL Embedder, (SELECT Text AS content FROM Texts))"


def test_other_requests_are_served_while_a_function_runs(registered, home):
    entered, release = threading.Event(), threading.Event()

    def hang(batch, call):
        entered.set()
        release.wait(20)
        return [{} for _ in batch]

    registered.register("Embedder", hang)
    database, waits = home.client(), []
    rows(database, "SELECT COUNT(*) FROM Texts")
    caller = threading.Thread(target=rows, args=(database, CALLS))
    caller.start()
    try:
        assert entered.wait(10)
        for number in range(20):
            start = time.perf_counter()
            assert rows(database, "SELECT COUNT(*) FROM Texts WHERE Id < 50") == [(50,)]
            with database.batch() as batch:
                batch.insert_or_update("Texts", ["Id", "Text"], [(0, f"text {number}")])
            waits.append(time.perf_counter() - start)
    finally:
        release.set()
        caller.join()
    assert sorted(waits)[len(waits) // 2] < 0.1


BAD = {
    "hangs": exceptions.DeadlineExceeded,
    "raises": exceptions.InternalServerError,
    "answers too few rows": exceptions.InvalidArgument,
    "answers without end": exceptions.InvalidArgument,
    "answers with another type": exceptions.InvalidArgument,
    "answers with 100 MB": exceptions.ResourceExhausted,
    "answers with a text of 100 MB": exceptions.ResourceExhausted,
}


def resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads /proc")
@pytest.mark.parametrize("bad", BAD)
def test_other_requests_are_served_beside_a_failing_function(emulator, registered, home, bad):
    release, entered = threading.Event(), threading.Event()

    def call_of(answer):
        def function(batch, call):
            entered.set()
            return answer(batch)

        return function

    def fail(batch):
        raise ValueError("no")

    answers = {
        "hangs": lambda batch: release.wait(20),
        "raises": fail,
        "answers too few rows": lambda batch: [],
        "answers without end": lambda batch: count(),
        "answers with another type": lambda batch: [{"embeddings": 1} for _ in batch],
        "answers with 100 MB": lambda batch: [
            {"embeddings": {"values": [1.0] * 12_500_000}} for _ in batch
        ],
        "answers with a text of 100 MB": lambda batch: ["é" * 50_000_000 for _ in batch],
    }
    database, waits, errors = home.client(), [], []
    is_text = "text" in bad
    if is_text:
        home.apply_schema(
            """CREATE MODEL Writer INPUT (content STRING(MAX)) OUTPUT (text STRING(MAX))
            REMOTE OPTIONS (endpoint = 'e')"""
        )
    registered.register("Writer" if is_text else "Embedder", call_of(answers[bad]))
    sql = CALLS.replace("Embedder", "Writer") if is_text else CALLS
    sql = f"{sql} @{{remote_udf_max_rows_per_rpc=1}}"

    def fail_to_call():
        try:
            rows(database, sql, timeout=0.5 if bad == "hangs" else 20)
        except exceptions.GoogleAPICallError as error:
            errors.append(error)

    rows(database, "SELECT COUNT(*) FROM Texts WHERE Id < 50")
    threads, memory = threading.active_count(), resident_bytes()
    caller = threading.Thread(target=fail_to_call)
    caller.start()
    try:
        assert entered.wait(10)
        while len(waits) < 10 or caller.is_alive():
            start = time.perf_counter()
            assert rows(database, "SELECT COUNT(*) FROM Texts WHERE Id < 50") == [(50,)]
            with database.batch() as batch:
                batch.insert_or_update("Texts", ["Id", "Text"], [(0, f"text {len(waits)}")])
            waits.append(time.perf_counter() - start)
        caller.join()
    finally:
        release.set()
    (error,) = errors
    assert isinstance(error, BAD[bad]), error
    assert sorted(waits)[len(waits) // 2] < 0.1
    for _ in range(100):
        if not emulator.models.abandoned and threading.active_count() <= threads + 1:
            break
        threading.Event().wait(0.02)
    assert not emulator.models.abandoned
    assert threading.active_count() <= threads + 1
    registered.clear()
    gc.collect()
    assert resident_bytes() < memory + 50_000_000


def test_what_a_failed_call_leaves(emulator, registered, home):
    release = threading.Event()

    def hang(batch, call):
        release.wait(20)
        return []

    def fail(batch, call):
        raise ValueError("no")

    database, threads = home.client(), threading.active_count()
    wrong = (
        (fail, exceptions.InternalServerError),
        (lambda batch, call: [], exceptions.InvalidArgument),
        (lambda batch, call: [{"embeddings": 1} for _ in batch], exceptions.InvalidArgument),
        (hang, exceptions.DeadlineExceeded),
    )
    try:
        for function, error in wrong:
            registered.register("Embedder", function)
            with pytest.raises(error):
                rows(database, CALLS, timeout=0.3 if function is hang else 20)
        assert len(emulator.models.abandoned) == 1
    finally:
        release.set()
    registered.register("Embedder", models.embeddings(dimensions=3))
    assert rows(database, CALLS) == [(50,)]
    for _ in range(100):
        if not emulator.models.abandoned and threading.active_count() <= threads + 2:
            break
        threading.Event().wait(0.02)
    assert not emulator.models.abandoned
    assert threading.active_count() <= threads + 2


def test_calls_are_refused_while_too_many_functions_hang(registered, home):
    release = threading.Event()

    def hang(batch, call):
        release.wait(20)
        return []

    registered.register("Embedder", hang)
    database = home.client()
    try:
        for _ in range(8):
            with pytest.raises(exceptions.DeadlineExceeded):
                rows(database, CALLS, timeout=0.1)
        with pytest.raises(exceptions.ResourceExhausted, match="hang"):
            rows(database, CALLS)
        assert rows(database, "SELECT COUNT(*) FROM Texts") == [(50,)]
    finally:
        release.set()


def test_a_large_answer_is_not_kept(registered, home):
    registered.register("Embedder", lambda batch, call: [{"embeddings": {"values": [1.0] * 10**6}}])
    with pytest.raises(exceptions.GoogleAPICallError):
        rows(home.client(), CALLS)
    registered.clear()
    gc.collect()
    assert not [each for each in gc.get_objects() if type(each) is list and len(each) == 10**6]


def test_a_function_may_use_the_database(registered, home):
    database = home.client()

    def ask(batch, call):
        ((found,),) = rows(database, "SELECT COUNT(*) FROM Texts")
        return [{"embeddings": {"values": [float(found)]}} for _ in batch]

    registered.register("Embedder", ask)
    sql = "SELECT embeddings.values FROM ML.PREDICT(MODEL Embedder, (SELECT 'a' AS content))"
    assert rows(database, sql) == [([50.0],)]


def test_an_aborted_transaction_calls_again(emulator, registered, home):
    registered.register("Embedder", models.embeddings(dimensions=3))
    emulator.faults.abort_first_attempts()
    seen = []

    def work(transaction):
        seen.append(len(list(transaction.execute_sql(CALLS))))
        transaction.execute_update("UPDATE Texts SET Text = 'x' WHERE Id = 1")

    home.client().run_in_transaction(work)
    assert len(seen) == 2
    assert sum(len(call.rows) for call in registered.calls) == 100


def test_waiting_for_a_function_is_not_processor_time(registered, home):
    def slow(batch, call):
        threading.Event().wait(0.02)
        return [{} for _ in batch]

    registered.register("Embedder", slow)
    with home.client().snapshot() as snapshot:
        result = snapshot.execute_sql(CALLS, query_mode=2)
        assert list(result) == [[50]]
    stats = result.stats.query_stats
    elapsed, computing = (
        float(stats[name].removesuffix(" msecs")) for name in ("elapsed_time", "cpu_time")
    )
    assert elapsed - computing >= 100  # five requests
    for node in result.stats.query_plan.plan_nodes:
        if node.display_name == "Remote Call":
            figures = node.execution_stats
            waited = float(figures["latency"]["total"]) - float(figures["cpu_time"]["total"])
            assert waited >= 100


def test_statistics_and_plans_show_calls(registered, home):
    registered.register("Embedder", models.embeddings(dimensions=3))
    with home.client().snapshot() as snapshot:
        result = snapshot.execute_sql(CALLS, query_mode=2)
        assert list(result) == [[50]]
        plan = result.stats.query_plan
    (call,) = [node for node in plan.plan_nodes if node.display_name == "Remote Call"]
    assert call.metadata["model"] == "Embedder"
    assert call.execution_stats["remote_calls"]["total"] == "5"
