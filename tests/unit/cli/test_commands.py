"""The table of subcommands agrees with their modules; unknown commands get a suggestion."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from spanemu.cli.commands import COMMANDS, main
from spanemu.cli.serve import serve
from spanemu.schema.dialect import DIALECT_OPTIONS

HELP_CHARS_MAX = 200


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_has_the_summary_of_each_subcommand(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.get_short_help_str(HELP_CHARS_MAX) == COMMANDS[name].summary
    help_text = " ".join(CliRunner().invoke(main, ["--help"]).output.split())
    assert f"{name} {COMMANDS[name].summary}" in help_text


def test_the_dialects_of_the_option_are_all_dialects() -> None:
    (option,) = (each for each in serve.params if each.name == "dialect")
    assert isinstance(option.type, click.Choice)
    assert list(option.type.choices) == list(DIALECT_OPTIONS)


def test_the_help_imports_no_subcommand() -> None:
    code = (
        "import sys; from spanemu.cli import main; main(['--help'], standalone_mode=False); "
        "assert not {'google', 'grpc', 'spanemu.api.embedded', 'spanemu.sql'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "suggestion"),
    [(["lnit"], "lint"), (["ddl", "aply"], "apply"), (["start"], None), (["ddl", "zzz"], None)],
)
def test_an_unknown_command_has_one_suggestion_or_none(
    arguments: list[str], suggestion: str | None
) -> None:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert f"No such command {arguments[-1]!r}." in result.stderr
    suggested = result.stderr.partition("Did you mean ")[2].strip()
    assert suggested == ("" if suggestion is None else f"{suggestion!r}?")
