"""An emulator with TLS: gRPC and REST, the clients that reach it and those that cannot."""

from __future__ import annotations

import http.client
import json
import os
import select
import socket
import ssl
import subprocess
import sys
import threading
import urllib.request

import grpc
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives import serialization
from google.cloud.spanner import Client, KeySet

import spanemu
from spanemu.api.endpoint_file import write
from spanemu.api.probe import Unreachable, probe_grpc, probe_rest
from spanemu.api.tls import client_context, open_channel
from spanemu.cli import main
from spanemu.cli.lifecycle import endpoint_of
from tests.certificates import write_certificate

SCHEMA = "CREATE TABLE T (Id INT64) PRIMARY KEY (Id)"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def ca(files):
    return str(files[0])


@pytest.fixture(scope="module")
def emulator(files):
    cert, key = map(str, files)
    settings = {"rest_host_port": "127.0.0.1:0", "tls_cert": cert, "tls_key": key}
    with spanemu.Emulator(**settings) as running:
        running.create_database("shop", SCHEMA)
        yield running


@pytest.fixture
def endpoint_file(emulator, tmp_path):
    path = tmp_path / "endpoint.json"
    write(endpoint_of(emulator), path)
    return path


def rest(emulator, ca):
    address = emulator.rest_address
    return http.client.HTTPSConnection(
        address.host, address.port, timeout=30, context=client_context(ca)
    )


def test_clients_that_trust_the_certificate_reach_both_ports(emulator, ca):
    assert emulator.rest_uri.startswith("https://")
    probe_grpc(emulator.uri, 30, ca)
    probe_rest(emulator.rest_uri, 30, ca)
    with urllib.request.urlopen(
        f"{emulator.rest_uri}/healthz", timeout=30, context=client_context(ca)
    ) as response:
        assert json.load(response) == {"status": "SERVING"}


def test_clients_in_this_process_need_no_certificate(emulator):
    with emulator.database("shop").client().snapshot() as snapshot:
        assert list(snapshot.read("T", ["Id"], KeySet(all_=True))) == []


def test_a_handle_elsewhere_works_with_tls(emulator, ca):
    with spanemu.Emulator.attach(f"localhost:{emulator.port}", tls_ca=ca) as handle:
        database = handle.create_database("attached", SCHEMA)
        with database.client().batch() as batch:
            batch.insert("T", ["Id"], [(1,)])
        snapshot = database.snapshot()
        with database.client().snapshot() as reader:
            assert list(reader.read("T", ["Id"], KeySet(all_=True))) == [[1]]
        database.restore(snapshot)


def test_the_official_client_connects_as_documented(emulator, ca, monkeypatch):
    monkeypatch.delenv("SPANNER_EMULATOR_HOST", raising=False)
    emulator.create_database("projects/default/instances/omni/databases/shop", SCHEMA)
    client = Client(
        client_options={"api_endpoint": f"localhost:{emulator.port}"},
        instance_type="omni",
        ca_certificate=ca,
    )
    with client.instance("omni").database("shop").snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT 1")) == [[1]]


def test_plain_text_and_unknown_certificates_are_refused(emulator, tmp_path):
    other = str(write_certificate(tmp_path)[0])
    port = emulator.port
    for trusted in (None, other):
        # By the other name, past the embedded channel.
        with pytest.raises(Unreachable):
            probe_grpc(f"ipv6:[::ffff:127.0.0.1]:{port}", 1, trusted)
    with pytest.raises(Unreachable):
        probe_rest(emulator.rest_uri, 30, other)
    with pytest.raises(Unreachable):
        probe_rest(emulator.rest_uri.replace("https", "http"), 30)


def test_health_and_doctor_trust_the_endpoint_file(emulator, endpoint_file, ca):
    assert json.loads(endpoint_file.read_text())["tls_ca"] == ca
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", "spanemu", "health", "--endpoint-file", str(endpoint_file)]
    # In a process of its own, because the embedded channel serves this process.
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "https://" in result.stdout
    named = CliRunner().invoke(main, ["doctor", "--endpoint-file", str(endpoint_file)])
    assert "answers gRPC with TLS" in named.output
    assert f"REST answers at {emulator.rest_uri}" in named.output


def test_sql_speaks_tls(endpoint_file):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    text = "DELETE FROM T WHERE Id = 70 THEN RETURN Id;\n\\l"
    command = [sys.executable, "-m", "spanemu", "sql", "shop", "--format", "csv", "-e", text]
    result = subprocess.run(  # in a process of its own, past the embedded channel
        [*command, "--endpoint-file", str(endpoint_file)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("Id\ncurrent,database,")
    assert "*,shop," in result.stdout


def test_env_and_gcloud_name_the_certificate(emulator, endpoint_file, ca, tmp_path, monkeypatch):
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "gcloud"))
    flags = ["--endpoint-file", str(endpoint_file)]
    shown = CliRunner().invoke(main, ["env", "--shell", "sh", *flags]).output
    assert f"export GRPC_DEFAULT_SSL_ROOTS_FILE_PATH='{ca}'" in shown
    assert f"SPANNER_EMULATOR_REST_HOST='{emulator.rest_uri}'" in shown
    assert "SPANNER_EMULATOR_HOST" not in shown
    assert CliRunner().invoke(main, ["gcloud-config", *flags]).exit_code == 0
    written = (tmp_path / "gcloud" / "configurations" / "config_spanemu").read_text()
    assert f"custom_ca_certs_file = {ca}" in written
    assert f"spanner = {emulator.rest_uri}/" in written


def test_rest_streams_and_keeps_connections_with_tls(emulator, ca):
    database = f"/v1/{emulator.database('shop').name}"
    connection = rest(emulator, ca)

    def post(path, content):
        connection.request("POST", path, body=json.dumps(content))
        return json.loads(connection.getresponse().read())

    session = "/v1/" + post(f"{database}/sessions", {})["name"]
    used = connection.sock
    rows = post(f"{session}:executeStreamingSql", {"sql": "SELECT x FROM UNNEST([1, 2]) AS x"})
    assert [value for part in rows for value in part["values"]] == ["1", "2"]
    assert connection.sock is used
    connection.close()


def test_a_page_of_the_server_itself_is_of_the_same_origin(emulator, ca):
    connection = rest(emulator, ca)
    own = emulator.rest_uri
    for origin, status in ((own, 200), (own.replace("https", "http"), 403)):
        connection.request("GET", "/healthz", headers={"Origin": origin})
        response = connection.getresponse()
        response.read()
        assert response.status == status
    connection.close()


@pytest.mark.skipif(not hasattr(select, "POLLRDHUP"), reason="cannot be noticed here")
def test_a_disconnected_tls_client_leaves_the_wait_for_a_lock(emulator, ca):
    shop = emulator.create_database("waiting", SCHEMA)
    session = shop.client().session()
    session.create()
    older = session.transaction()
    older.begin()
    older.execute_update("DELETE FROM T WHERE TRUE")
    connection = rest(emulator, ca)
    connection.request("POST", f"/v1/{shop.name}/sessions", body="{}")
    name = json.loads(connection.getresponse().read())["name"]
    write = {"table": "T", "columns": ["Id"], "values": [["1"]]}
    body = {"singleUseTransaction": {"readWrite": {}}, "mutations": [{"insert": write}]}
    connection.request("POST", f"/v1/{name}:commit", body=json.dumps(body))
    gauges = emulator._instances.database(shop.name).gauges
    until(lambda: gauges().waiting == 1)
    connection.close()
    until(lambda: gauges().waiting == 0)
    older.rollback()
    session.delete()


def until(condition):
    event = threading.Event()
    for _ in range(1_000):
        if condition():
            return
        event.wait(0.01)
    pytest.fail("it did not come true")


def test_a_client_that_sends_no_handshake_is_cut_off(emulator, monkeypatch):
    monkeypatch.setattr("spanemu.rest.server.HANDSHAKE_SECONDS", 0.05)
    address = emulator.rest_address
    with socket.create_connection((address.host, address.port), timeout=30) as opened:
        assert opened.recv(1) == b""


@pytest.mark.parametrize(
    ("cert", "key"),
    [("key", "cert"), ("missing", "key"), ("cert", "nonsense"), ("cert", "other")],
)
def test_unusable_files_are_refused(files, tmp_path, cert, key):
    (tmp_path / "nonsense").write_text("nonsense")
    paths = {
        "cert": files[0],
        "key": files[1],
        "missing": tmp_path / "missing",
        "nonsense": tmp_path / "nonsense",
        "other": write_certificate(tmp_path)[1],
    }
    with pytest.raises(spanemu.InvalidConfig, match="tls_cert"):
        spanemu.Emulator(tls_cert=str(paths[cert]), tls_key=str(paths[key]))
    with pytest.raises(spanemu.InvalidConfig, match="together"):
        spanemu.EmulatorConfig(tls_cert=str(paths[cert]))


def test_an_encrypted_key_is_refused_without_a_question(files, tmp_path):
    key = serialization.load_pem_private_key(files[1].read_bytes(), None)
    path = tmp_path / "encrypted.pem"
    form = serialization.PrivateFormat.PKCS8
    cipher = serialization.BestAvailableEncryption(b"secret")
    path.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, cipher))
    with pytest.raises(spanemu.InvalidConfig, match="tls_key"):
        spanemu.Emulator(tls_cert=str(files[0]), tls_key=str(path))


def test_certificates_are_checked(ca):
    assert client_context(ca).verify_mode is ssl.CERT_REQUIRED
    with open_channel("localhost:1", ca) as channel:
        assert isinstance(channel, grpc.Channel)
