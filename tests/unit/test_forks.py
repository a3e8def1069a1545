"""Handles in a forked child: what acts on the emulator is refused, what reaches it works."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

# Run in a process of its own: a fork of the process that runs the tests would have all its threads'
# locks, and newer Pythons warn of that.
SCRIPT = """
import json, os, signal, sys
from spanemu import Emulator

def outcome(act):
    try:
        return repr(act())
    except Exception as error:
        code = getattr(error, "code", None)
        return getattr(code, "name", None) or type(error).__name__

emulator = {emulator}
database = emulator.create_database("data", "CREATE TABLE T (K INT64) PRIMARY KEY (K)")
inherited = database.client()
clock, faults, splits = emulator.clock, emulator.faults, database.splits
hotspots, recorder = emulator.hotspots(database), emulator.record(database)
watch = hotspots.watch()
fault = faults.abort("Rollback")
snapshot = database.snapshot()

def insert(client, key):
    with client.batch() as batch:
        batch.insert("T", ["K"], [[key]])

def parts():
    yield "restore", lambda: database.restore(snapshot)
    yield "snapshot", database.snapshot
    yield "apply_schema", lambda: database.apply_schema("CREATE TABLE U (K INT64) PRIMARY KEY (K)")
    yield "create_database", lambda: emulator.create_database("more")
    yield "database", lambda: emulator.database("data")
    yield "clone", lambda: database.clone("copy")
    yield "drop", database.drop
    yield "layout", database.layout
    yield "abort_transactions", database.abort_transactions
    yield "splits", lambda: splits.at("T", [5])
    yield "database.splits", lambda: database.splits
    yield "clock.now", lambda: clock.now
    yield "clock.advance", lambda: clock.advance(days=1)
    yield "clock.thaw", clock.thaw
    yield "faults.abort", lambda: faults.abort("Commit")
    yield "faults.clear", faults.clear
    yield "fault.remove", fault.remove
    yield "fault.fired", lambda: fault.fired
    yield "hotspots.report", hotspots.report
    yield "watch.report", watch.report
    yield "record", recorder.start
    yield "emulator.record", lambda: emulator.record(database)

def child():
    found = dict((name, outcome(act)) for name, act in parts()) if {refusals} else {{}}
    found["new client"] = outcome(lambda: insert(database.client(), 1))
    found["attach"] = outcome(
        lambda: Emulator.attach(emulator.uri).database("data").split_at("T", [3])
    )
    found["close"] = outcome(emulator.close)
    return found

reading, writing = os.pipe()
pid = os.fork()
if pid == 0:
    signal.alarm(60)
    os.write(writing, json.dumps(child()).encode())
    os._exit(0)
os.close(writing)
_, status = os.waitpid(pid, 0)
with os.fdopen(reading) as pipe:
    seen = json.loads(pipe.read() or "{{}}")
insert(inherited, 2)
with inherited.snapshot() as reader:
    rows = [row[0] for row in reader.execute_sql("SELECT K FROM T ORDER BY K")]
emulator.close()
print(json.dumps({{"status": status, "seen": seen, "rows": rows}}))
"""


def forked(tmp_path: Path, emulator: str, refusals: bool) -> dict[str, object]:
    script = tmp_path / "forks.py"
    script.write_text(SCRIPT.format(emulator=emulator, refusals=refusals))
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", str(script)],
        env=os.environ | {"SPANNER_DISABLE_BUILTIN_METRICS": "true"},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    result: dict[str, object] = json.loads(ran.stdout)
    return result


def test_handles_of_an_embedded_emulator_are_refused_in_a_forked_child(tmp_path: Path) -> None:
    result = forked(tmp_path, "Emulator()", refusals=True)
    seen = result["seen"]
    assert isinstance(seen, dict)
    allowed = {name: seen.pop(name, None) for name in ("new client", "attach", "close")}
    assert set(seen.values()) == {"FAILED_PRECONDITION"}, seen
    assert allowed == {"new client": "None", "attach": "None", "close": "None"}
    assert result["rows"] == [1, 2]  # The parent's emulator is as it was, and runs.
    assert result["status"] == 0


def test_a_forked_child_reaches_an_emulator_in_another_process(tmp_path: Path) -> None:
    found = forked(tmp_path, "Emulator.subprocess()", refusals=False)
    assert found["seen"] == {"new client": "None", "attach": "None", "close": "None"}
    assert found["rows"] == [1, 2]  # Closing the child's handle left the emulator running.
