"""`spanemu serve` from outside: what it prints, writes and answers to the shell."""

import os
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from spanemu.cli import main
from spanemu.endpoint import Endpoint

SINGERS = "CREATE TABLE Singers (\n  Id INT64 NOT NULL,\n) PRIMARY KEY(Id)"


@pytest.fixture
def serve(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    started = []

    def start(*flags):
        command = [sys.executable, "-m", "spanemu", "serve", "--host-port", "127.0.0.1:0", *flags]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def ready(process):
    return [process.stdout.readline().rstrip() for _ in range(4)]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_says_when_it_is_ready_and_stops_when_told(serve, tmp_path, number):
    path = tmp_path / "endpoint.json"
    process = serve("--endpoint-file", str(path), "--seed", "5", "--instance", "inst")
    lines = ready(process)
    endpoint = Endpoint.read(path)
    assert lines == [
        "Cloud Spanner emulator running.",
        f"gRPC server listening at {endpoint.uri}",
        f"export SPANNER_EMULATOR_HOST={endpoint.uri}",
        "Seed 5",
    ]
    assert (endpoint.pid, endpoint.instance_id) == (process.pid, "inst")
    process.send_signal(number)
    assert process.wait(timeout=10) == 0
    assert process.stderr.read() == ""
    assert list(tmp_path.iterdir()) == []


def test_a_taken_port_ends_it_with_one_sentence(serve):
    uri = ready(serve())[1].rpartition(" ")[2]
    late = serve("--host-port", uri)
    said = late.communicate(timeout=10)
    assert late.returncode == 3
    assert said[0] == ""
    assert len(said[1].splitlines()) == 1
    assert uri in said[1]


def test_schema_errors_name_file_and_line(serve, tmp_path):
    schema = tmp_path / "schema.sql"
    schema.write_text(f"{SINGERS};\nCREATE TABLE Singers (x INT64) PRIMARY KEY (x);")
    process = serve("--database", "shop", "--schema", str(schema))
    said = process.communicate(timeout=10)
    assert process.returncode == 2
    assert f"{schema}:4: " in said[1]


@pytest.mark.parametrize(
    "flags",
    [
        ("--schema", __file__),
        ("--schema", "missing.sql", "--database", "shop"),
        ("--host-port", "nonsense"),
        ("--instance", "Bad"),
        ("--project", ""),
        ("--seed", "x"),
        ("--nonsense",),
        ("--database", "Bad"),
        ("--endpoint-file", "/nowhere/endpoint.json"),
    ],
)
def test_command_lines_that_make_no_sense(flags):
    before = signal.getsignal(signal.SIGTERM)
    ran = CliRunner().invoke(main, ["serve", "--host-port", "127.0.0.1:0", *flags])
    assert ran.exit_code == 2
    assert ran.stdout == ""
    assert ran.stderr
    assert signal.getsignal(signal.SIGTERM) is before


def test_it_ends_with_its_parent_when_asked(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    command = [sys.executable, "-m", "spanemu", "serve", "--host-port", "127.0.0.1:0"]
    with subprocess.Popen(
        [*command, "--stop-on-stdin-end"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        process.stdin.close()
        assert process.wait(timeout=10) == 0
