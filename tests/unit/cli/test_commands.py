"""The list of subcommands in the help is written down beside their modules, and says the same."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from spanemu.cli.commands import COMMANDS, main

HELP_CHARS_MAX = 200


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_says_of_a_subcommand_what_the_subcommand_says(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.get_short_help_str(HELP_CHARS_MAX) == COMMANDS[name].summary
    help_text = " ".join(CliRunner().invoke(main, ["--help"]).output.split())
    assert f"{name} {COMMANDS[name].summary}" in help_text


def test_the_help_imports_no_subcommand() -> None:
    code = (
        "import sys; from spanemu.cli import main; main(['--help'], standalone_mode=False); "
        "assert not {'google', 'grpc', 'spanemu.api.embedded', 'spanemu.sql'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
