"""`gcloud spanner` against a server: `gcloud/commands.txt` has the commands, and what they print.

The commands take more than a minute, so the test runs where SPANEMU_TEST_GCLOUD is set.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

import spanemu
from spanemu.cli import main

HERE = Path(__file__).parent / "gcloud"
COMMAND_SECONDS_MAX = 60
COMMANDS_MIN = 45
QUIET = {
    "CLOUDSDK_CORE_DISABLE_PROMPTS": "1",
    "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING": "true",
    "CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK": "true",
}


class Command(NamedTuple):
    """A command line after `gcloud spanner`, and the patterns that its output contains."""

    line: str
    fails: bool
    patterns: list[str]

    def arguments(self, values: dict[str, str]) -> list[str]:
        """Return the arguments: names, then options, whose values may contain spaces."""
        line = re.sub(r"\{(\w+)\}", lambda name: values[name[1]], self.line)
        names, *options = re.split(r" (?=--)", line)
        return [*names.split(), *options]


def commands() -> list[Command]:
    """Return the commands in order."""
    read: list[Command] = []
    for line in (HERE / "commands.txt").read_text().splitlines():
        if line.startswith("  "):
            read[-1].patterns.append(line.strip())
        elif line and not line.startswith("#"):
            read.append(Command(line.removeprefix("!"), line.startswith("!"), []))
    return read


@pytest.mark.toolchain
def test_gcloud_prints_the_output_of_spanner(tmp_path, monkeypatch) -> None:
    if shutil.which("gcloud") is None:
        pytest.skip("gcloud: not installed here")
    if "SPANEMU_TEST_GCLOUD" not in os.environ:
        pytest.skip("takes more than a minute: set SPANEMU_TEST_GCLOUD")
    splits = tmp_path / "splits.txt"
    splits.write_text("TABLE Users (5)\n")
    later = datetime.now(UTC) + timedelta(days=3)
    values = {"later": f"{later:%Y-%m-%dT%H:%M:%SZ}", "splits": str(splits)}
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "gcloud"))
    problems = []
    with spanemu.Emulator(rest_host_port="localhost:0") as emulator:
        options = ["--host-port", emulator.uri, "--rest-host-port", str(emulator.rest_address)]
        written = CliRunner().invoke(
            main, ["gcloud-config", "--activate", "--project", "gcloud-test", *options]
        )
        assert written.exit_code == 0, written.output
        for command in commands():
            values["now"] = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
            done = subprocess.run(
                ["gcloud", "spanner", *command.arguments(values)],
                env=os.environ | QUIET,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=COMMAND_SECONDS_MAX,
                check=False,
            )
            missing = [each for each in command.patterns if not re.search(each, done.stdout)]
            if missing or (done.returncode != 0) != command.fails:
                problems.append(f"{command.line}: {missing}\n{done.stdout}")
    assert not problems, "\n".join(problems)


def test_the_file_has_enough_commands() -> None:
    assert len(commands()) >= COMMANDS_MIN
