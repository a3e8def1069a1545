"""The table of subcommands. The module of a subcommand is imported when the subcommand is used.

The list of subcommands in `spanemu --help` imports none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import NamedTuple

import click

import spanemu
from spanemu.cli.suggesting_group import SuggestingGroup


class Subcommand(NamedTuple):
    """A subcommand: the module that has a click command of its name, and the line in the help."""

    module: str
    summary: str


COMMANDS: Mapping[str, Subcommand] = {
    "ddl": Subcommand("spanemu.cli.ddl", "Work with schemas."),
    "layout": Subcommand(
        "spanemu.cli.layout", "Print rows in interleaved order, with split boundaries."
    ),
    "lint": Subcommand(
        "spanemu.cli.lint",
        "Find what will be slow or hot in a schema, which all files make together.",
    ),
    "serve": Subcommand("spanemu.cli.serve", "Run an emulator on a port until it is stopped."),
}


class _Commands(SuggestingGroup):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = COMMANDS.get(cmd_name)
        if found is None:
            return None
        command = getattr(import_module(found.module), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name].summary) for name in sorted(COMMANDS)])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(spanemu.__version__, prog_name="spanemu")
def main() -> None:
    """A Cloud Spanner emulator for tests."""
