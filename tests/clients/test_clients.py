"""Clients in other languages print what the tours in Python print, and what JDBC should show.

Each is built from its pinned manifest, with the downloads that its own toolchain keeps. Clients of
one folder share a copy of it, what they fetch, and what the same command builds.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pytest

import spanemu
from tests.conformance.test_tour import POSTGRESQL_PRINTED, PRINTED

HERE = Path(__file__).parent
FETCH_SECONDS_MAX = 600
BUILD_SECONDS_MAX = 1_800  # of SpiceDB, on a busy machine
RUN_SECONDS_MAX = 120

# Without these, clients ask around for a cloud to run in and to send their metrics to.
STAY_HERE = {
    "METADATA_SERVER_DETECTION": "none",
    "NO_GCE_CHECK": "true",
    "SPANNER_DISABLE_BUILTIN_METRICS": "true",
}
# A program that ends within seconds gains nothing from the second compiler of the JVM, nor from a
# collector with threads: without them it needs half the processor time. Maven is such a program.
SHORT_LIVED_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@dataclass(frozen=True)
class Client:
    """A client in one language: its dependencies, its build, its run.

    Commands run in a copy of the client's folder, inside the scratch directory `{out}`.
    """

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
        """Fetch what the program needs, and build it; skip the test where that is impossible.

        Does nothing again that has been done in `out`.
        """
        missing = [tool for tool in self.tools if shutil.which(tool) is None]
        if missing:
            pytest.skip(f"{', '.join(missing)}: not installed here")
        _fetch(self.home, self.fetch, out)
        _build(self.build, out)


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
        run=f'java {SHORT_LIVED_JVM} -cp "{{out}}/target/classes:$(cat {{out}}/target/classpath)" {program}',
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
        build="go build -mod=readonly -buildvcs=false -o {out}/postgresql ./postgresql",
        run="{out}/postgresql",
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


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """Return a function from a client's folder to the scratch directory of its clients."""
    return cache(lambda home: tmp_path_factory.mktemp(home.name))


@pytest.mark.toolchain
@pytest.mark.parametrize("client", CLIENTS, ids=[client.language for client in CLIENTS])
def test_tour(client: Client, scratch: Callable[[Path], Path]) -> None:
    out = scratch(client.home)
    client.make(out)
    with spanemu.Emulator.subprocess() as emulator:
        ran = shell(client.run, out, RUN_SECONDS_MAX, emulator.uri)
    assert (ran.returncode, ran.stdout) == (0, client.prints), ran.stderr


def test_lock_files_name_no_hosts() -> None:
    packages = json.loads((HERE / "node" / "package-lock.json").read_text())["packages"]
    assert packages
    assert not [name for name, package in packages.items() if "resolved" in package]


@cache
def _fetch(home: Path, command: str, out: Path) -> None:
    """Copy a client's folder and fetch what it needs; skip the test where that is impossible."""
    # Two workers of xdist may fetch for one folder. npm begins by deleting what another run fetched.
    ignored = shutil.ignore_patterns("node_modules")
    shutil.copytree(home, _source(out), ignore=ignored, dirs_exist_ok=True)
    try:
        fetched = shell(command, out, FETCH_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        pytest.skip(f"no dependencies for {home.name} within {FETCH_SECONDS_MAX} s")
    if fetched.returncode:
        printed = (fetched.stdout + fetched.stderr).strip()[-500:]
        pytest.skip(f"no dependencies for {home.name}: {printed}")


@cache
def _build(command: str, out: Path) -> None:
    """Build a client whose dependencies have been fetched."""
    built = shell(command, out, BUILD_SECONDS_MAX)
    assert built.returncode == 0, built.stdout + built.stderr


def _source(out: Path) -> Path:
    """Return the copy of the client's folder in a scratch directory."""
    return out / "source"


def shell(
    command: str,
    out: Path,
    seconds: float,
    uri: str = "",
    places: Mapping[str, object] = MappingProxyType({}),
) -> subprocess.CompletedProcess[str]:
    """Run a client's command in the copy of its folder; `places` fills in what `{out}` does not."""
    emulator = {"SPANNER_EMULATOR_HOST": uri} if uri else {}
    return subprocess.run(
        f"exec {command.format(out=out, **places)}",  # So that a time-out ends the tool, not its shell.
        shell=True,
        cwd=_source(out),
        env=os.environ | {"MAVEN_OPTS": SHORT_LIVED_JVM} | STAY_HERE | emulator,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
