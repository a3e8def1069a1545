"""The wheel in an empty environment: the README works, and a missing extra is named."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

import spanemu
from tests.packaging.distributions import INSTALL_SECONDS_MAX, ROOT, Environment, build

SUITE = """\
def test_albums(spanner_database):
    spanner_database.update_ddl(["CREATE TABLE T (Id INT64) PRIMARY KEY (Id)"]).result()
    with spanner_database.batch() as batch:
        batch.insert("T", ("Id",), [(1,)])
"""
EXTRAS = """\
import sys
import spanemu
with spanemu.Emulator() as emulator:
    shop = emulator.create_database("shop", "CREATE TABLE T (Id INT64) PRIMARY KEY (Id)")
    for sql in ("NET.PUBLIC_SUFFIX('http://a.com')", "ZSTD_COMPRESS('a')"):
        with shop.client().snapshot() as snapshot:
            try:
                print(list(snapshot.execute_sql(f"SELECT {sql}")))
            except Exception as problem:
                print(problem)
    try:
        shop.dump(sys.argv[1], format="avro")
    except ValueError as problem:
        print(problem)
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Return an environment with the wheel and pytest, installed from the index."""
    folder = tmp_path_factory.mktemp("installed")
    build(folder / "dist", "--wheel")
    (wheel,) = (folder / "dist").glob("*.whl")
    environment = Environment(folder / "environment")
    began = monotonic()
    environment.install(wheel, "pytest")
    assert monotonic() - began < 5 * INSTALL_SECONDS_MAX  # on a machine that does other things
    return environment


@pytest.fixture
def server(environment: Environment, tmp_path: Path) -> Iterator[str]:
    """Yield the address of a server with an instance and a database."""
    file = tmp_path / "endpoint.json"
    options = ["--host-port", "localhost:0", "--instance", "shops", "--database", "music"]
    command = [environment.programs / "spanemu", "serve", *options, "--endpoint-file", file]
    environ = {name: each for name, each in os.environ.items() if not name.startswith("PYTHON")}
    with subprocess.Popen(
        [*command, "--schema", ROOT / "fixtures" / "music.sql"], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=environ | {"PYTHONWARNINGS": "error"},
    ) as process:  # fmt: skip
        assert process.stdout is not None
        for line in process.stdout:
            if "gRPC server listening" in line or "SPANNER_EMULATOR_HOST" in line:
                break
        yield str(file)
        process.send_signal(signal.SIGINT)
        _, warned = process.communicate(timeout=60)
    assert (process.returncode, warned) == (0, "")


def test_the_first_test_of_the_readme_passes(environment: Environment, tmp_path: Path) -> None:
    (tmp_path / "test_albums.py").write_text(SUITE)
    done = environment.run("pytest", "-W", "error", cwd=tmp_path)
    assert "1 passed" in done.stdout, done.stdout


def test_a_server_answers_sql_and_is_dumped(
    environment: Environment, server: str, tmp_path: Path
) -> None:
    def spanemu_(*arguments: str | Path) -> str:
        done = environment.run("spanemu", *arguments, "--endpoint-file", server)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout

    insert = "INSERT INTO Singers (SingerId, LastName) VALUES (1, 'Smith')"
    spanemu_("sql", "music", "--execute", insert)
    assert "Smith" in spanemu_("sql", "music", "--execute", "SELECT LastName FROM Singers")
    spanemu_("dump", "music", "--output", tmp_path / "dump.sql")
    assert "Smith" in (tmp_path / "dump.sql").read_text("utf-8")


def test_a_schema_is_linted(environment: Environment) -> None:
    done = environment.run("spanemu", "lint", ROOT / "fixtures" / "music.sql")
    assert done.returncode in (0, 1)
    assert done.stderr == ""


def test_the_module_and_the_script_are_the_same_command(environment: Environment) -> None:
    for arguments in (["--version"], ["--help"], ["serve", "--help"], ["nonsense"]):
        script = environment.run("spanemu", *arguments)
        module = environment.run("python", "-m", "spanemu", *arguments)
        assert (script.returncode, script.stdout) == (module.returncode, module.stdout)
        assert script.stderr == module.stderr
    assert spanemu.__version__ in environment.run("spanemu", "--version").stdout


def test_a_missing_extra_is_named(environment: Environment, tmp_path: Path) -> None:
    program = tmp_path / "extras.py"
    program.write_text(EXTRAS)
    done = environment.run("python", program, tmp_path / "dump")
    assert done.stdout.count("pip install 'spanemu[functions]'") == 2, done.stdout + done.stderr
    assert done.stdout.count("pip install 'spanemu[avro]'") == 1
