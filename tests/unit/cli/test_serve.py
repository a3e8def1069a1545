"""`spanemu serve` from outside: what it prints, writes and answers to the shell."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner
from google.api_core.exceptions import NotFound, OutOfRange, ResourceExhausted
from google.cloud.spanner_v1 import SpannerClient, types
from google.cloud.spanner_v1.services.spanner.transports.grpc import SpannerGrpcTransport
from grpc import RpcError, insecure_channel

import spanemu
from spanemu.admin.published_configs import published_configs
from spanemu.api.endpoint_file import Endpoint
from spanemu.api.remote import inherited_environment
from spanemu.cli import main
from spanemu.cli.serve import serve as serve_command
from spanemu.cli.telemetry_options import telemetry_config

SINGERS = "CREATE TABLE Singers (\n  Id INT64 NOT NULL,\n) PRIMARY KEY(Id)"

NO_REST = ("--rest-host-port", "off")
SHOP = "projects/emulator-project/instances/emulator-instance/databases/shop"


@pytest.fixture
def serve(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    started = []

    def start(*flags):
        command = [sys.executable, "-m", "spanemu", "serve", "--host-port", "127.0.0.1:0"]
        command += flags if any("rest" in flag for flag in flags) else [*NO_REST, *flags]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def ready(process):
    return [process.stdout.readline().rstrip() for _ in range(4)]


def test_serve_offers_spanner_configurations_by_name(serve, tmp_path):
    path = tmp_path / "endpoint.json"
    process = serve("--endpoint-file", str(path), "--instance-config", "regional-us-central1")
    ready(process)
    client = spanemu.Emulator.attach(Endpoint.read(path).uri).client()
    offered = [config.name.rpartition("/")[2] for config in client.list_instance_configs()]
    assert offered == ["emulator-config", "regional-us-central1"]


def test_serve_refuses_unpublished_configurations():
    with spanemu.Emulator.subprocess(strict_instance_configs=True) as emulator:
        client = emulator.client()
        made_up = f"{client.project_name}/instanceConfigs/made-up"
        with pytest.raises(NotFound, match="made-up"):
            client.instance("inst-1", configuration_name=made_up).create()


@pytest.mark.parametrize(("flags", "least"), [((), 100), (("--strict-heartbeats",), 1_000)])
def test_a_change_stream_refuses_heartbeats_below_the_least_interval(serve, flags, least):
    process = serve(*flags)
    emulator = spanemu.Emulator.attach(ready(process)[1].rpartition(" ")[2])
    database = emulator.create_database("shop", schema="CREATE CHANGE STREAM s FOR ALL")
    now = datetime.now(UTC).isoformat()
    query = f"SELECT ChangeRecord FROM READ_s(TIMESTAMP '{now}', NULL, NULL, {least - 1})"
    with (
        database.client().snapshot() as snapshot,
        pytest.raises(OutOfRange, match=f"min {least} and max 300000"),
    ):
        list(snapshot.execute_sql(query))


def test_a_data_directory_outlives_the_server(serve, tmp_path, monkeypatch):
    # The first server creates a database, which the second begins with and does not create.
    data, export, schema = tmp_path / "data", tmp_path / "export", tmp_path / "schema.sql"
    schema.write_text(SINGERS)
    flags = ("--data-dir", str(data), "--database", "shop", "--schema", str(schema))
    process = serve(*flags)
    monkeypatch.setenv("SPANNER_EMULATOR_HOST", ready(process)[1].rpartition(" ")[2])
    monkeypatch.delenv("SPANEMU_ENDPOINT_FILE", raising=False)
    rows = CliRunner().invoke(main, ["load", "shop", "-"], input="INSERT Singers (Id) VALUES (1);")
    assert rows.exit_code == 0, rows.output
    saved = CliRunner().invoke(main, ["save"])
    assert saved.output == f"{data / 'state-000001'}\n"
    process.kill()
    process = serve(*flags, "--export-on-exit", str(export))
    monkeypatch.setenv("SPANNER_EMULATOR_HOST", ready(process)[1].rpartition(" ")[2])
    assert "VALUES (1)" in CliRunner().invoke(main, ["dump", "shop"]).output
    second = serve("--data-dir", str(data))
    assert second.wait(timeout=60) == 2
    assert str(data) in second.stderr.read()
    process.terminate()
    assert process.wait(timeout=60) == 0
    with (
        spanemu.Emulator(import_from=export) as emulator,
        emulator.database("shop").client().snapshot() as snapshot,
    ):
        assert list(snapshot.execute_sql("SELECT Id FROM Singers")) == [[1]]


def test_export_on_exit_needs_a_directory():
    result = CliRunner().invoke(main, ["serve", "--export-on-exit"])
    assert result.exit_code == 2
    assert "needs a directory" in result.output


def test_a_state_that_cannot_be_saved_is_an_exit_code(serve, tmp_path):
    process = serve("--data-dir", str(tmp_path / "data"))
    ready(process)
    (tmp_path / "data").rename(tmp_path / "moved")
    process.terminate()
    assert process.wait(timeout=60) == 4
    assert "not saved" in process.stderr.read()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_serve_announces_readiness_and_stops_on_a_signal(serve, tmp_path, number):
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
    assert process.stdout.readline() == "Created projects/emulator-project/instances/inst\n"
    assert (endpoint.pid, endpoint.instance_id) == (process.pid, "inst")
    process.send_signal(number)
    assert process.wait(timeout=60) == 0
    assert process.stderr.read() == ""
    assert list(tmp_path.iterdir()) == []


def test_open_transactions_and_waiting_requests_do_not_delay_the_exit(serve, tmp_path):
    schema = tmp_path / "schema.sql"
    schema.write_text(SINGERS)
    process = serve("--database", "shop", "--schema", str(schema))
    uri = ready(process)[1].rpartition(" ")[2]
    with insecure_channel(uri) as channel:
        api = SpannerClient(transport=SpannerGrpcTransport(channel=channel))
        session = api.create_session(database=SHOP).name
        write = types.TransactionOptions.ReadWrite()
        begin = types.TransactionSelector(begin=types.TransactionOptions(read_write=write))
        everything = types.KeySet(all_=True)
        read = types.ReadRequest(
            session=session, transaction=begin, table="Singers", columns=["Id"], key_set=everything
        )
        assert api.read(read).metadata.transaction.id
        insert = types.Mutation.Write(table="Singers", columns=["Id"], values=[["1"]])
        commit = types.CommitRequest(
            session=api.create_session(database=SHOP).name,
            single_use_transaction=types.TransactionOptions(read_write=write),
            mutations=[types.Mutation(insert=insert)],
        )
        waiting = channel.unary_unary("/google.spanner.v1.Spanner/Commit").future(
            types.CommitRequest.serialize(commit)
        )
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
        # Had the exit waited, the idle holder of the lock would have made way for the commit.
        assert isinstance(waiting.exception(timeout=60), RpcError)


def test_a_port_in_use_ends_the_server_with_one_sentence(serve):
    uri = ready(serve())[1].rpartition(" ")[2]
    late = serve("--host-port", uri)
    said = late.communicate(timeout=60)
    assert late.returncode == 3
    assert said[0] == ""
    assert len(said[1].splitlines()) == 1
    assert uri in said[1]


def test_databases_have_the_dialect_of_the_option(serve, tmp_path):
    schema = tmp_path / "schema.sql"
    schema.write_text("\\connect shop\nCREATE TABLE singers (id bigint PRIMARY KEY);")
    process = serve("--database", "shop", "--dialect", "postgresql", "--schema", str(schema))
    lines = [process.stdout.readline() for _ in range(6)]
    uri = next(line for line in lines if "export" in line).split("=")[1].strip()
    with spanemu.Emulator.attach(uri) as emulator:
        shop = emulator.database("shop")
        assert shop.dialect == "postgresql"
        assert shop.ddl() == ["CREATE TABLE singers (\n  id bigint NOT NULL,\n  PRIMARY KEY(id)\n)"]


def test_schema_errors_name_file_and_line(serve, tmp_path):
    schema = tmp_path / "schema.sql"
    schema.write_text(f"{SINGERS};\nCREATE TABLE Singers (x INT64) PRIMARY KEY (x);")
    process = serve("--database", "shop", "--schema", str(schema))
    said = process.communicate(timeout=60)
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
@pytest.mark.usefixtures("untuned")
def test_invalid_command_lines(flags):
    before = signal.getsignal(signal.SIGTERM)
    ran = CliRunner().invoke(main, ["serve", "--host-port", "127.0.0.1:0", *flags])
    assert ran.exit_code == 2
    assert ran.stdout == ""
    assert ran.stderr
    assert signal.getsignal(signal.SIGTERM) is before


def test_serve_ends_with_its_parent_on_request(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    command = [sys.executable, "-m", "spanemu", "serve", "--host-port", "127.0.0.1:0"]
    with subprocess.Popen(
        [*command, "--stop-on-stdin-end"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        process.stdout.readline()
        process.stdin.close()
        assert process.wait(timeout=60) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process choose its CPUs")
@pytest.mark.parametrize("flags", [(), ("--all-cpus",)])
def test_the_threads_of_a_server_share_a_cpu_by_default(serve, flags):
    process = serve(*flags)
    ready(process)
    expected = len(os.sched_getaffinity(0)) if flags else 1
    cpus = set()
    for name in os.listdir(f"/proc/{process.pid}/task"):
        with suppress(ProcessLookupError):  # A thread of the start may have ended meanwhile.
            cpus.add(len(os.sched_getaffinity(int(name))))
    assert cpus == {expected}


@pytest.mark.usefixtures("untuned")
@pytest.mark.parametrize(
    ("flags", "expected"),
    [([], True), (["--gc-freeze", "auto"], "auto"), (["--gc-freeze", "off"], False)],
)
def test_full_collections_of_a_server_skip_what_stays_by_default(monkeypatch, flags, expected):
    settings = []

    def start(config):
        settings.append(config.gc_freeze)
        raise spanemu.CannotListen("127.0.0.1:0", "not in this test")

    monkeypatch.setattr(spanemu, "Emulator", start)
    CliRunner().invoke(serve_command, flags)
    assert settings == [expected]


def test_every_flag_has_an_environment_variable(serve, tmp_path, monkeypatch):
    (tmp_path / "schema.sql").write_text(SINGERS)
    for flag, value in {
        "DATABASE": "shop, music",
        "SCHEMA": str(tmp_path / "schema.sql"),
        "INSTANCE_CONFIG": "made-up published",
        "SEED": "7",
        "ALL_CPUS": "1",
        "MAX_DATABASES_PER_INSTANCE": "2",
        "ABORT_SHARE": "0.3",
        "ENDPOINT_FILE": str(tmp_path / "endpoint.json"),
    }.items():
        monkeypatch.setenv(f"SPANEMU_{flag}", value)
    assert "Seed 7" in ready(serve())
    emulator = spanemu.Emulator.attach(Endpoint.read(tmp_path / "endpoint.json").uri)
    client = emulator.client()
    listed = [config.name.rpartition("/")[2] for config in client.list_instance_configs()]
    assert listed == sorted({"emulator-config", "made-up", *published_configs()})
    databases = client.instance("emulator-instance").list_databases()
    assert sorted(database.name.rpartition("/")[2] for database in databases) == ["music", "shop"]
    with pytest.raises(ResourceExhausted):
        emulator.create_database("third")
    emulator.faults.clear()  # This fault stays.
    assert [fault.verb for fault in emulator.faults.states()] == ["abort_rate"]


def test_the_variables_of_a_server_do_not_reach_the_servers_of_tests(monkeypatch):
    monkeypatch.setenv("SPANEMU_DATABASE", "shop")
    assert "SPANEMU_DATABASE" not in inherited_environment()


@pytest.mark.parametrize("flag", ["--log-requests=json", "--log-slow-ms=0"])
def test_serve_logs_requests_to_standard_error(serve, flag):
    process = serve(flag, "--database", "shop")
    uri = ready(process)[1].rpartition(" ")[2]
    stub = insecure_channel(uri).unary_unary("/google.spanner.v1.Spanner/GetSession")
    with pytest.raises(RpcError):
        stub(b"", timeout=30)
    line = process.stderr.readline()
    assert ("INVALID_ARGUMENT" in line, line.startswith("{")) == (True, "json" in flag)


@pytest.mark.parametrize(
    ("value", "form"), [("json", "json"), ("1", "text"), ("true", "text"), ("off", None)]
)
def test_the_variable_of_the_request_log_may_be_a_boolean(monkeypatch, value, form):
    monkeypatch.setenv("SPANEMU_LOG_REQUESTS", value)
    context = serve_command.make_context("serve", [])
    assert telemetry_config(context.params)["log_requests"] == form
