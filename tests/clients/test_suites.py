"""Tests of other projects pass on what they test of the emulator, and so do batches from Rust.

Clients, databases, tools and libraries have suites of their own for Google's emulator, or for the
cloud. Each is fetched at a pinned version. Nothing of it is kept here but what points it to an
emulator: `suites/java` takes the skips for Google's emulator off the client's tests, which then
expect what the cloud answers, and `suites/spicedb` replaces the container that SpiceDB's tests start.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import spanemu
from tests.clients.test_clients import RUN_SECONDS_MAX, SHORT_LIVED_JVM, Client, shell

by_command = pytest.mark.skipif(
    "SPANEMU_TEST_SUITES" not in os.environ,
    reason="takes twenty minutes: set SPANEMU_TEST_SUITES",
)
pytestmark = [pytest.mark.toolchain, pytest.mark.timeout(3_600), by_command]

SUITE_SECONDS_MAX = 1_200

_TESTS = "com.google.cloud.spanner"
JAVA_TESTS = (
    f"{_TESTS}.connection.it.ITDdlTest",
    f"{_TESTS}.connection.it.ITRetryDmlAsPartitionedDmlTest",
    f"{_TESTS}.it.ITBatchDmlTest",
    f"{_TESTS}.it.ITForeignKeyDeleteCascadeTest",
    f"{_TESTS}.it.ITIntervalTest",
    f"{_TESTS}.it.ITJsonWriteReadTest",
    f"{_TESTS}.it.ITPgJsonbTest",
    f"{_TESTS}.it.ITPgNumericTest",
    f"{_TESTS}.it.ITUuidTest",
)
JAVA = Client(
    "java",
    tools=("java", "javac", "mvn"),
    fetch="mvn -B -q compile -Dmaven.main.skip=true -Dout={out}/target",
    build="mvn -B -q -o compile -Dout={out}/target",
    run=f"java {SHORT_LIVED_JVM} "
    '-cp "src/test/resources:{out}/target/classes:$(cat {out}/target/classpath)" '
    f"-Dspanner.testenv.config.class={_TESTS}.GceTestEnvConfig "
    "-Dspanner.gce.config.project_id={project} -Dspanner.testenv.instance={instance} "
    f"org.junit.runner.JUnitCore {' '.join(JAVA_TESTS)}",
    folder="suites/java",
)
SPICEDB = Client(
    "spicedb",
    tools=("go",),
    fetch="sh fetch.sh",
    build="go test -C spicedb -mod=readonly -buildvcs=false -tags datastore -c -o {out}/watch "
    "./internal/datastore/spanner",
    run="{out}/watch -test.v -test.run '^TestSpannerDatastore$/Watch'",
    folder="suites/spicedb",
)
RUST = Client(
    "rust",
    tools=("cargo",),
    fetch="cargo fetch",
    build="cargo build --offline --target-dir {out}/target",
    run="{out}/target/debug/batch {database}",
    prints="""\
rows: [3, 2, 1]
refused: Some(InvalidArgument), after Some([1])
refused: Some(InvalidArgument), after Some([])
refused: Some(InvalidArgument), after Some([])
refused: Some(InvalidArgument), after None
balances: [4, 21]
""",
    folder="rust",
)
_EXACT = """\
near: ['aab', 'bbc']
score: [{score}]
filtered: ['t4', 't5']
by vector: ['cd']
diverse: 2
deleted: True
near: ['bbc']
"""
_BOTH = (
    "exact COSINE\n" + _EXACT.format(score="('gggh', 0.106)")
    + "exact EUCLIDEAN\n" + _EXACT.format(score="('cd', 2.0)")
)  # fmt: skip
LANGCHAIN = Client(
    "langchain",
    tools=("python3",),
    fetch="sh fetch.sh {out}",
    build="{out}/venv/bin/python -m py_compile vector_store.py",
    run="{out}/venv/bin/python vector_store.py {project} {instance} googlesql postgresql",
    prints=f"{_BOTH}stale: ['cd']\napproximate\nnear: ['aab', 'bbc']\nPostgreSQL\n{_BOTH}",
    folder="suites/langchain",
)


def _graph_store(name: str, prints: str) -> Client:
    """Return the documented flow of a graph store, in an environment of its own."""
    return Client(
        f"{name}-graphs",
        tools=("python3",),
        fetch="sh fetch.sh {out}",
        build="{out}/venv/bin/python -m py_compile graph_store.py",
        run="{out}/venv/bin/python graph_store.py {project} {instance} graphs",
        prints=prints,
        folder=f"suites/{name}",
    )


_ADDED = """\
lives: [{'p': 'aab', 'y': 2020}]
hops: [{'p': 'aab', 'q': 'Rome'}, {'p': 'bbc', 'q': 'cd'}]
people: [{'n': 4}]
"""
_LEFT = "near: True True\nleft: [{'tables': 0}]\n"
_FLOW = """\
get: ['aab', 'ddd']
by property: ['bbc']
triplets: [('aab', 'KNOWS', 'bbc'), ('aab', 'LIVES_IN', 'ddd')]
map: True ['KNOWS', 'LIVES_IN']
without: ['LIVES_IN']
near: ['aab'] [0.95]
nodes: [{'n': 4}]
nodes: [{'n': 3}]
"""
GRAPH_STORES = {
    "langchain": _graph_store(
        "langchain",
        f"typed\n{_ADDED}schema: True\n{_LEFT}flexible\n{_ADDED}schema: False\n{_LEFT}",
    ),
    "llama_index": _graph_store(
        "llama_index", f"typed\n{_FLOW}schema: True\nflexible\n{_FLOW}schema: False\n"
    ),
}
_NEAR = "{} COSINE: [[1, 0.051], [2, 0.368]]\n{} EUCLIDEAN: [[1, 1.0], [2, 1.732]]\n"
_STORED = "store: [['aab', 'short', 0.051], ['bbc', 'short', 0.368]]\n"
ADK = Client(
    "adk",
    tools=("python3",),
    fetch="sh fetch.sh {out}",
    build="{out}/venv/bin/python -m py_compile spanner_tools.py",
    run="{out}/venv/bin/python spanner_tools.py {project} {instance} googlesql postgresql",
    prints="""\
tables: ['docs']
types: {'id': 'INT64', 'body': 'STRING(MAX)', 'embedding': 'ARRAY<FLOAT32>(vector_length=>4)'}
indexes: [('PRIMARY_KEY', 'PRIMARY_KEY'), ('by_cosine', 'VECTOR'), ('by_length', 'VECTOR')]
index columns: [('PRIMARY_KEY', 'id'), ('by_cosine', 'embedding'), ('by_length', 'embedding')]
schemas: []
sql: [[1], [2], [3]]
"""
    + _NEAR.format("EXACT", "EXACT") + _NEAR.format("APPRO", "APPRO") + _STORED
    + "PostgreSQL\n" + _NEAR.format("EXACT", "EXACT") + _STORED,
    folder="suites/adk",
)  # fmt: skip
DOCS = """
CREATE TABLE docs (
  id INT64 NOT NULL, body STRING(MAX), embedding ARRAY<FLOAT32>(vector_length=>4)
) PRIMARY KEY (id);
CREATE VECTOR INDEX by_cosine ON docs(embedding) WHERE embedding IS NOT NULL
  OPTIONS (distance_type = 'COSINE');
CREATE VECTOR INDEX by_length ON docs(embedding) WHERE embedding IS NOT NULL
  OPTIONS (distance_type = 'EUCLIDEAN');
CREATE MODEL Embedder INPUT (content STRING(MAX)) OUTPUT (embeddings STRUCT<values ARRAY<FLOAT64>>)
  REMOTE OPTIONS (endpoint = '//aiplatform.googleapis.com/projects/p/locations/l/endpoints/e')
"""
PG_DOCS = """
CREATE TABLE docs (id bigint PRIMARY KEY, body text, embedding float4[] VECTOR LENGTH 4)
"""
ACCOUNTS = "CREATE TABLE Accounts (Id INT64 NOT NULL, Balance INT64) PRIMARY KEY (Id)"


def test_the_integration_tests_of_the_client_for_java(tmp_path: Path) -> None:
    JAVA.make(tmp_path)
    with spanemu.Emulator.subprocess() as emulator:
        emulator.create_database("first")  # Creates the instance.
        instance = f"projects/{emulator.project}/instances/{emulator.instance}"
        places = {"project": emulator.project, "instance": instance}
        ran = shell(JAVA.run, tmp_path, SUITE_SECONDS_MAX, emulator.uri, places)
    assert (ran.returncode, "\nOK (" in ran.stdout) == (0, True), ran.stdout


def test_the_tests_of_spicedb_that_watch_changes(tmp_path: Path) -> None:
    SPICEDB.make(tmp_path)
    with spanemu.Emulator.subprocess() as emulator:
        ran = shell(SPICEDB.run, tmp_path, SUITE_SECONDS_MAX, emulator.uri)
    passed = re.findall(r"--- PASS: TestSpannerDatastore/(\w+)", ran.stdout)
    assert (ran.returncode, "TestWatchBasic" in passed) == (0, True), ran.stdout


def test_batches_of_dml_from_rust(tmp_path: Path) -> None:
    RUST.make(tmp_path)
    with spanemu.Emulator.subprocess() as emulator:
        places = {"database": emulator.create_database("accounts", ACCOUNTS).name}
        ran = shell(RUST.run, tmp_path, RUN_SECONDS_MAX, emulator.uri, places)
    assert (ran.returncode, ran.stdout) == (0, RUST.prints), ran.stderr


def test_the_vector_store_of_langchain(tmp_path: Path) -> None:
    LANGCHAIN.make(tmp_path)
    with spanemu.Emulator.subprocess() as emulator:
        emulator.create_database("googlesql")
        emulator.create_database("postgresql", dialect="postgresql")
        places = {"project": emulator.project, "instance": emulator.instance}
        ran = shell(LANGCHAIN.run, tmp_path, RUN_SECONDS_MAX, emulator.uri, places)
    printed = [line for line in ran.stdout.splitlines(True) if not line.startswith("Waiting for")]
    assert (ran.returncode, "".join(printed)) == (0, LANGCHAIN.prints), ran.stderr


@pytest.mark.parametrize("store", GRAPH_STORES.values(), ids=GRAPH_STORES)
def test_a_graph_store(store: Client, tmp_path: Path) -> None:
    store.make(tmp_path)
    with spanemu.Emulator.subprocess() as emulator:
        emulator.create_database("graphs")
        places = {"project": emulator.project, "instance": emulator.instance}
        ran = shell(store.run, tmp_path, RUN_SECONDS_MAX, emulator.uri, places)
    progress = "Waiting for", "Insert ", "No schema change"
    printed = [line for line in ran.stdout.splitlines(True) if not line.startswith(progress)]
    assert (ran.returncode, "".join(printed)) == (0, store.prints), ran.stderr
def test_the_spanner_tools_of_adk(tmp_path: Path) -> None:
    ADK.make(tmp_path)
    rows = [
        (1, "aab", [2.0, 1.0, 0.0, 0.0]),
        (2, "bbc", [0.0, 2.0, 1.0, 0.0]),
        (3, "cd", [0.0, 0.0, 1.0, 1.0]),
    ]
    with spanemu.Emulator.subprocess() as emulator:
        emulator.models.set_answers("*", default={"embeddings": {"values": [1.0, 1.0, 0.0, 0.0]}})
        for home in (
            emulator.create_database("googlesql", DOCS),
            emulator.create_database("postgresql", PG_DOCS, dialect="postgresql"),
        ):
            with home.client().batch() as batch:
                batch.insert("docs", ("id", "body", "embedding"), rows)
        places = {"project": emulator.project, "instance": emulator.instance}
        ran = shell(ADK.run, tmp_path, RUN_SECONDS_MAX, emulator.uri, places)
    assert (ran.returncode, ran.stdout) == (0, ADK.prints), ran.stderr
