"""Clients in other languages print what the tours in Python print, and what JDBC should show.

Each is built from its pinned manifest, with the downloads that its own toolchain keeps.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pytest

import spanemu
from tests.conformance.test_tour import POSTGRESQL_PRINTED, PRINTED

HERE = Path(__file__).parent
FETCH_SECONDS_MAX = 600
BUILD_SECONDS_MAX = 600
RUN_SECONDS_MAX = 120

# Without these, clients ask around for a cloud to run in and to send their metrics to.
STAY_HERE = {
    "METADATA_SERVER_DETECTION": "none",
    "NO_GCE_CHECK": "true",
    "SPANNER_DISABLE_BUILTIN_METRICS": "true",
}


@dataclass(frozen=True)
class Client:
    """How one language gets its dependencies, builds, and runs. `{out}` is a scratch directory."""

    language: str
    tools: tuple[str, ...]
    fetch: str
    build: str
    run: str
    prints: str = PRINTED
    folder: str = ""  # that of the first tool if empty

    @property
    def home(self) -> Path:
        return HERE / (self.folder or self.tools[0])

    def make(self, out: Path) -> None:
        """Fetch what the program needs, and build it; skip the test where that is impossible."""
        missing = [tool for tool in self.tools if shutil.which(tool) is None]
        if missing:
            pytest.skip(f"{', '.join(missing)}: not installed here")
        _fetch(self, out)
        built = shell(self, self.build, out, BUILD_SECONDS_MAX)
        assert built.returncode == 0, built.stdout + built.stderr


JDBC = """\
statements of DDL: 3
generated keys: Id
a large one: true
the same name again: code 6
orders: 3
balance in the transaction: 28.5
after its rollback: 0
after a commit: 28.5
tables: [Customers, Orders]
key: [Id, Number]
refers to: [Customers]
unique: [CustomersByName, PRIMARY_KEY]
"""


def _java(name: str, program: str, prints: str) -> Client:
    return Client(
        name,
        tools=("java", "javac", "mvn"),
        fetch="mvn -B -q compile -Dmaven.main.skip=true -Dout={out}/target",
        build="mvn -B -q -o compile -Dout={out}/target",
        run=f'java -cp "{{out}}/target/classes:$(cat {{out}}/target/classpath)" {program}',
        prints=prints,
    )


CLIENTS = (
    Client(
        "go",
        tools=("go",),
        fetch="go mod download",
        build="go build -mod=readonly -buildvcs=false -o {out}/tour .",
        run="{out}/tour",
    ),
    Client(
        "go-postgresql",
        tools=("go",),
        fetch="go mod download",
        build="go build -mod=readonly -buildvcs=false -o {out}/tour ./postgresql",
        run="{out}/tour",
        prints=POSTGRESQL_PRINTED,
    ),
    _java("java", "Tour", PRINTED),
    _java("java-postgresql", "PgTour", POSTGRESQL_PRINTED),
    _java("jdbc", "Jdbc", JDBC),
    Client(
        "node",
        tools=("node", "npm"),
        fetch="npm ci --prefer-offline --ignore-scripts --no-audit --no-fund",
        build="node --check tour.mjs",
        run="node tour.mjs",
    ),
    Client(
        "node-postgresql",
        tools=("node", "npm"),
        fetch="npm ci --prefer-offline --ignore-scripts --no-audit --no-fund",
        build="node --check postgresql.mjs",
        run="node postgresql.mjs",
        prints=POSTGRESQL_PRINTED,
    ),
)


@pytest.mark.toolchain
@pytest.mark.parametrize("client", CLIENTS, ids=[client.language for client in CLIENTS])
def test_tour(client: Client, tmp_path: Path) -> None:
    client.make(tmp_path)
    with spanemu.Emulator.subprocess() as emulator:
        ran = shell(client, client.run, tmp_path, RUN_SECONDS_MAX, emulator.uri)
    assert (ran.returncode, ran.stdout) == (0, client.prints), ran.stderr


def test_lock_files_name_no_hosts() -> None:
    packages = json.loads((HERE / "node" / "package-lock.json").read_text())["packages"]
    assert packages
    assert not [name for name, package in packages.items() if "resolved" in package]


def _fetch(client: Client, out: Path) -> None:
    try:
        fetched = shell(client, client.fetch, out, FETCH_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        pytest.skip(f"no dependencies for {client.language} within {FETCH_SECONDS_MAX} s")
    if fetched.returncode:
        said = (fetched.stdout + fetched.stderr).strip()[-500:]
        pytest.skip(f"no dependencies for {client.language}: {said}")


def shell(
    client: Client,
    command: str,
    out: Path,
    seconds: float,
    uri: str = "",
    places: Mapping[str, object] = MappingProxyType({}),
) -> subprocess.CompletedProcess[str]:
    """Run a command of a client in its folder; `places` fills in what `{out}` does not."""
    return subprocess.run(
        f"exec {command.format(out=out, **places)}",  # So that a time-out ends the tool, not its shell.
        shell=True,
        cwd=client.home,
        env=os.environ | STAY_HERE | ({"SPANNER_EMULATOR_HOST": uri} if uri else {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
