"""Golden tests of mistakes that newcomers make: each message says what is wrong, and what to do.

Markers and settings are those of a suite that runs with the plugin; the rest are command lines.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

import pytest
from click.testing import CliRunner

import spanemu
from spanemu.api.variables import KNOWN
from spanemu.cli import main
from tests.golden.runner import (
    Case,
    Command,
    file_id,
    golden_files,
    parse_golden,
    run_golden,
)
from tests.ports import free_port

SCREEN_LINES = 24
SCREEN_COLUMNS = 80
MUSIC = "CREATE TABLE Singers (SingerId INT64, Name STRING(MAX)) PRIMARY KEY (SingerId)"


class World:
    """A folder, a server with databases in two instances, and an address without a server."""

    def __init__(self, path: Path, pytester: pytest.Pytester, emulator: spanemu.Emulator) -> None:
        self._path = path
        self._pytester = pytester
        self._emulator = emulator
        self._closed = f"localhost:{free_port()}"

    def commands(self) -> dict[str, Command]:
        return {
            "file": self.file,
            "marker": self.test,
            "test": self.test,
            "settings": self.settings,
            "$": self.command,
        }

    def file(self, case: Case) -> str:
        """Return a file of the folder."""
        (name,) = case.arguments
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(case.input + "\n", encoding="utf-8")
        return ""

    def test(self, case: Case) -> str:
        """Return a test: its marker, or its lines with the fixtures after the command."""
        return self._shown(self._failures[f"test_{case.number}"])

    @cached_property
    def _failures(self) -> Mapping[str, str]:
        """The errors of all tests of the file, which run together."""
        cases = [
            each for each in parse_golden(self._path.read_text("utf-8")) if isinstance(each, Case)
        ]
        tests = [_test_of(case) for case in cases if case.command in ("marker", "test")]
        self._pytester.makepyfile(test_it="\n".join(["import pytest", *tests]))
        reports = self._pytester.inline_run("-p", "no:randomly").getreports()
        return {
            report.nodeid.partition("::")[2].partition("[")[0]: _message(report.longreprtext)
            for report in reports
            if report.failed
        }

    def settings(self, case: Case) -> str:
        """Return lines of an ini file, and NAME=VALUE for variables of the environment."""
        lines = self._own(case.input).splitlines()
        variables = [line for line in lines if line.split("=")[0].isupper()]
        ini = [line for line in lines if line not in variables]
        with pytest.MonkeyPatch.context() as environment:
            for variable in variables:
                environment.setenv(*variable.split("=", 1))
            self._pytester.makeini("\n".join(["[pytest]", *ini]))
            return self._suite()

    def command(self, case: Case) -> str:
        """Return a command line, with variables before it."""
        words = shlex.split(self._own(case.line.removeprefix("$ ")))
        variables = {}
        while not words[0].startswith("spanemu"):
            name, _, value = words.pop(0).partition("=")
            variables[name] = value
        result = CliRunner().invoke(
            main, words[1:], env=variables, input=case.input, prog_name="spanemu"
        )
        return self._shown(f"{result.output}exit {result.exit_code}")

    def _suite(self) -> str:
        """Run a test, and return the errors of the run."""
        self._pytester.makepyfile(test_it="def test_it(spanner_database): ...\n")
        result = self._pytester.runpytest_inprocess("--tb=line", "-p", "no:randomly", "-rN")
        lines = [*result.errlines, *map(str, result.outlines)]
        kept = [line for line in lines if _MESSAGE.match(line)]
        return self._shown("\n".join(line.removeprefix("ERROR: ") for line in kept))

    def _own(self, text: str) -> str:
        """Fill in the addresses."""
        rest = (self._emulator.rest_uri or "").removeprefix("http://")
        text = text.replace("REST", rest)
        return text.replace("SERVER", self._emulator.uri).replace("CLOSED", self._closed)

    def _shown(self, text: str) -> str:
        """Replace what differs from run to run. A message fits on a screen."""
        rest = (self._emulator.rest_uri or "").removeprefix("http://")
        text = text.replace(self._emulator.uri, "SERVER").replace(self._closed, "CLOSED")
        text = text.replace(rest, "REST")
        for folder in {str(Path.cwd()), str(Path.cwd().resolve())}:
            text = text.replace(f"{folder}/", "").replace(folder, "FOLDER")
        text = re.sub(r"(?<=:)\d{5}\b", "PORT", text)
        text = re.sub(r"(?<=::)test_\d+", "test_it", text)
        rows = sum(1 + len(line) // SCREEN_COLUMNS for line in text.splitlines())
        assert rows <= SCREEN_LINES, text
        return text


_MESSAGE = re.compile(r"ERROR: |spanner: (?!embedded|external)")


def _test_of(case: Case) -> str:
    """Return the source of a test with the line of its case in the name."""
    if case.command == "marker":
        return f"{case.input}\ndef test_{case.number}(spanner_database): ..."
    lines = "\n".join(f"    {line}" for line in case.input.splitlines())
    return f"def test_{case.number}({', '.join(case.arguments)}):\n{lines}"


def _message(text: str) -> str:
    """Return the message of a failure, without the lines of the test."""
    raised = re.findall(r"^E +(.*)", text, re.MULTILINE)
    return "\n".join(raised) or text


def _fail(*_: object) -> None:
    raise AssertionError("the server has started")


@pytest.fixture(scope="module")
def emulator() -> Iterator[spanemu.Emulator]:
    with spanemu.Emulator(
        project="test", instance="shops", rest_host_port="127.0.0.1:0"
    ) as emulator:
        emulator.create_database("music", MUSIC)
        emulator.create_database("orders", MUSIC)
        emulator.create_database("projects/test/instances/other/databases/orders", MUSIC)
        yield emulator


@pytest.mark.usefixtures("untuned")
@pytest.mark.parametrize("path", golden_files("mistakes"), ids=file_id)
def test_mistakes(
    path: Path,
    rewrite: bool,
    pytester: pytest.Pytester,
    emulator: spanemu.Emulator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in KNOWN:
        monkeypatch.delenv(name, raising=False)
    # No server is expected to start.
    monkeypatch.setattr("spanemu.cli.lifecycle.announce", _fail)
    run_golden(path, World(path, pytester, emulator).commands(), rewrite=rewrite)


def test_the_files_have_at_least_forty_mistakes() -> None:
    texts = [path.read_text(encoding="utf-8") for path in golden_files("mistakes")]
    assert (
        sum(len(re.findall(r"^(?:marker$|test |settings$|\$ )", text, re.M)) for text in texts)
        >= 40
    )
