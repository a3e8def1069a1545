"""Clients in other languages write and read over TLS, set up as docs/how-to/tls.md says."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import spanemu
from tests.certificates import write_certificate
from tests.clients.test_clients import CLIENTS, RUN_SECONDS_MAX, Client, shell

TOURS = {client.language: client for client in CLIENTS}
# {endpoint}, {cert} and {store} are filled in; Java trusts a store of certificates.
PROGRAMS = (
    replace(
        TOURS["go"],
        build="go build -mod=readonly -buildvcs=false -o {out}/tls ./tls",
        run="{out}/tls {endpoint} {cert} {database}",
    ),
    replace(
        TOURS["java"],
        run='java -Djavax.net.ssl.trustStore={store} -Djavax.net.ssl.trustStorePassword=changeit '
        '-cp "{out}/target/classes:$(cat {out}/target/classpath)" Tls {endpoint} {database}',
    ),
    replace(
        TOURS["node"],
        build="node --check tls.mjs",
        run="node tls.mjs {endpoint} {cert} {database}",
    ),
)

pytestmark = [
    pytest.mark.toolchain,
    pytest.mark.skipif(
        "SPANEMU_TEST_HELPERS" not in os.environ,
        reason="takes a minute: set SPANEMU_TEST_HELPERS",
    ),
]


@pytest.fixture(scope="module")
def cert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_certificate(tmp_path_factory.mktemp("tls"))[0]


@pytest.fixture
def emulator(cert: Path) -> Iterator[spanemu.Emulator]:
    key = cert.with_name("key.pem")
    with spanemu.Emulator(tls_cert=str(cert), tls_key=str(key)) as running:
        yield running


@pytest.mark.parametrize("client", PROGRAMS, ids=[client.language for client in PROGRAMS])
def test_a_row_travels_over_tls(
    client: Client, emulator: spanemu.Emulator, cert: Path, tmp_path: Path
) -> None:
    client.make(tmp_path)
    schema = "CREATE TABLE Words (Word STRING(MAX)) PRIMARY KEY (Word)"
    places = {
        "endpoint": f"localhost:{emulator.port}",
        "cert": cert,
        "database": emulator.create_database("words", schema).name,
        "store": tmp_path / "store.p12",
    }
    if client.language == "java":
        _trust(cert, tmp_path / "store.p12")
    ran = shell(client.run, tmp_path, RUN_SECONDS_MAX, places=places)
    assert (ran.returncode, ran.stdout.split()) == (0, [client.language]), ran.stderr


def _trust(cert: Path, store: Path) -> None:
    subprocess.run(
        [
            *("keytool", "-importcert", "-noprompt", "-alias", "spanemu", "-file", str(cert)),
            *("-keystore", str(store), "-storetype", "PKCS12", "-storepass", "changeit"),
        ],
        capture_output=True,
        timeout=60,
        check=True,
    )
