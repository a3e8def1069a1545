"""The process of an emulator is left as it was: collector, gRPC, signals, threads, descriptors.

It is compared with itself before, when it had imported and used Google's client.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PRELUDE = """
import gc, os, sys, time
sys.path.insert(0, {root!r})
os.environ["SPANNER_DISABLE_BUILTIN_METRICS"] = "true"
from google.auth.credentials import AnonymousCredentials
from google.cloud import spanner
from tests.unit.process_facts import differences, facts

def use_the_client():
    "Begin a call that nobody answers."
    os.environ["SPANNER_EMULATOR_HOST"] = "localhost:1"
    client = spanner.Client("p", AnonymousCredentials())
    try:
        next(iter(client.instance_admin_api.list_instances(
            request={{"parent": "projects/p"}}, timeout=0.01, retry=None)), None)
    except Exception:
        pass
    del os.environ["SPANNER_EMULATOR_HOST"]
    client.instance_admin_api.transport.close()

at_first = facts()
use_the_client()
end = time.monotonic() + 20
while facts()["descriptors"] - at_first["descriptors"] and time.monotonic() < end:
    time.sleep(0.01)  # gRPC closes them a while after the channel.
before = facts()
"""
EMULATOR = """
import spanemu
with spanemu.Emulator({settings}) as emulator:
    shop = emulator.create_database("shop", "CREATE TABLE T (K INT64, S STRING(9)) PRIMARY KEY (K)")
    database = shop.client()
    with database.batch() as batch:
        batch.insert("T", ["K", "S"], [[key, "row"] for key in range(100)])
    with database.snapshot() as snapshot:
        assert len(list(snapshot.execute_sql("SELECT K, S FROM T"))) == 100
    assert gc.get_freeze_count() == before["collector"][3]
    assert gc.callbacks == before["callbacks of the collector"]
    assert gc.isenabled()
changed = differences(before)
changed.pop({ignored!r}, None)
assert not changed, changed
"""
SUITE = """
import gc
import pytest

@pytest.mark.parametrize("number", range(20))
def test_it(spanner_database, number):
    spanner_database.update_ddl(["CREATE TABLE T (K INT64) PRIMARY KEY (K)"]).result()
    with spanner_database.batch() as batch:
        batch.insert("T", ["K"], [[number]])
    assert not [each for each in gc.callbacks if each.__module__.startswith("spanemu")]
    assert gc.get_freeze_count() < 1_000
"""
PYTEST = """
import pytest
common = ["-q", "-p", "no:cacheprovider", "-W", "error"]
assert pytest.main([*common, "-p", "no:spanemu", "test_plain.py"]) == 0
before = facts()
assert pytest.main([*common, "test_suite.py"]) == 0
changed = differences(before)
assert not changed, changed
"""


def run_apart(code: str, folder: Path) -> None:
    program = PRELUDE.format(root=str(ROOT)) + code
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "settings", ["", "rest_host_port='localhost:0'", "embedded_channel=False", "metrics=True"]
)
def test_an_emulator_restores_its_process(settings: str, tmp_path: Path) -> None:
    # The client has sockets of its own, which it does not close, only without this channel.
    ignored = "descriptors" if "embedded_channel" in settings else ""
    run_apart(EMULATOR.format(settings=settings, ignored=ignored), tmp_path)


def test_a_run_of_pytest_restores_its_process(tmp_path: Path) -> None:
    (tmp_path / "test_plain.py").write_text("def test_it(tmp_path):\n    pass\n")
    (tmp_path / "test_suite.py").write_text(SUITE)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    run_apart(PYTEST, tmp_path)


DECIMALS = """
import decimal
context = decimal.getcontext()
context.prec = 3
for signal in (decimal.Inexact, decimal.Rounded, decimal.Subnormal, decimal.FloatOperation):
    context.traps[signal] = True
import spanemu
schemas = {"googlesql": "CREATE TABLE T (K INT64, N NUMERIC) PRIMARY KEY (K)",
           "postgresql": "CREATE TABLE t (k bigint PRIMARY KEY, n numeric)"}
queries = {"googlesql": "SELECT SUM(N), AVG(N), MAX(N) / 3, ROUND(MAX(N), 1) FROM T",
           "postgresql": "SELECT sum(n), avg(n), max(n) / 3, max(n) - 0.05 FROM t"}
with spanemu.Emulator() as emulator:
    for dialect, schema in schemas.items():
        database = emulator.create_database(dialect[:6], schema, dialect=dialect).client()
        with database.batch() as batch:
            batch.insert("T", ["K", "N"], [[1, "123456.789"], [2, "987654.321"]])
        with database.snapshot() as snapshot:
            print(*map(str, list(snapshot.execute_sql(queries[dialect]))[0]))
"""


def test_numbers_do_not_depend_on_the_decimal_context_of_the_program(tmp_path: Path) -> None:
    def answers(code: str) -> str:
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    plain = DECIMALS[DECIMALS.index("import spanemu") :]
    assert answers(DECIMALS) == answers(plain)
