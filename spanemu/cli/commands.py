"""The table of subcommands. The module of a subcommand is imported when it is first used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import click

import spanemu
from spanemu.cli.suggesting_group import SuggestingGroup

# name -> the module that has a click command of that name
COMMANDS: Mapping[str, str] = {
    "ddl": "spanemu.cli.ddl",
    "layout": "spanemu.cli.layout",
    "lint": "spanemu.cli.lint",
    "serve": "spanemu.cli.serve",
}


class _Commands(SuggestingGroup):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = COMMANDS.get(cmd_name)
        if module is None:
            return None
        command = getattr(import_module(module), cmd_name)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(spanemu.__version__, prog_name="spanemu")
def main() -> None:
    """A Cloud Spanner emulator for tests."""
