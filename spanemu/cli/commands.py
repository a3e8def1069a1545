"""The table of subcommands, whose modules are imported on use, and what several of them share.

`spanemu --help` lists the subcommands without importing their modules.
"""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Mapping
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click

import spanemu
from spanemu.base.record import NamedTuple
from spanemu.base.suggestions import did_you_mean

# Otherwise gRPC prints lines of its own, about a port in use or a server that does not answer. It
# reads the variable when it is imported, which no command has done yet.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

# The option of several commands.
dialect_option = click.option(
    "--dialect",
    type=click.Choice(["googlesql", "postgresql"]),
    default="googlesql",
    show_default=True,
    help="The SQL dialect of the schema files and databases.",
)

strict_heartbeats_option = click.option(
    "--strict-heartbeats",
    is_flag=True,
    help="Refuse heartbeat_milliseconds below 1000, as Spanner does; otherwise below 100.",
)


class SuggestingGroup(click.Group):
    """A group of commands that suggests the most likely command for a misspelt name."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that `args` begin with. Raises click.UsageError."""
        name, known = args[0], self.list_commands(ctx)
        if name in known or name.startswith("-"):
            return super().resolve_command(ctx, args)
        raise click.UsageError(f"No such command {name!r}.{did_you_mean(name, known)}", ctx)


class Subcommand(NamedTuple):
    """A subcommand: the module with the click command of the same name, and the help line."""

    module: str
    summary: str


COMMANDS: Mapping[str, Subcommand] = {
    "doctor": Subcommand(
        "spanemu.cli.doctor",
        "Check the installation, the environment, the ports and the configuration.",
    ),
    "dump": Subcommand(
        "spanemu.cli.dump",
        "Write the schema and the rows of a database to SQL, JSON lines, CSV or Avro.",
    ),
    "env": Subcommand(
        "spanemu.cli.env",
        "Print the environment variables by which clients and tools reach a server.",
    ),
    "gcloud-config": Subcommand(
        "spanemu.cli.gcloud", "Write a named configuration of gcloud for a server."
    ),
    "health": Subcommand(
        "spanemu.cli.health", "Check that a server answers on its gRPC port and its REST port."
    ),
    "ddl": Subcommand("spanemu.cli.ddl", "Format, check, compare and apply schemas."),
    "layout": Subcommand(
        "spanemu.cli.layout", "Print rows in interleaved order, with split boundaries."
    ),
    "lint": Subcommand(
        "spanemu.cli.lint",
        "Find hotspots and slow patterns in the schema that all files form together.",
    ),
    "load": Subcommand(
        "spanemu.cli.load",
        "Read a dump into a database: SQL, JSON lines, CSV, or an export of Spanner in Avro.",
    ),
    "save": Subcommand(
        "spanemu.cli.save", "Save the state of a running server in its data directory."
    ),
    "serve": Subcommand("spanemu.cli.serve", "Run an emulator on a port until it is stopped."),
    "sql": Subcommand(
        "spanemu.cli.sql",
        "Run SQL on a database of a running server: statements, files, or a shell.",
    ),
}


VARIABLE_PREFIX = "SPANEMU_"


class Ids(click.types.StringParamType):
    """The ids of an option that may be repeated; its variable separates ids by commas or spaces."""

    def split_envvar_value(self, rv: str) -> list[str]:
        """Return the ids in the value of an environment variable."""
        return [part for part in re.split(r"[\s,]+", rv) if part]


def with_variables(command: click.Command) -> click.Command:
    """Make every option of a command take its value from SPANEMU_<OPTION>, too."""
    for option in command.params:
        if isinstance(option, click.Option):
            option.envvar = variable_of(option)
            option.show_envvar = not option.hidden
    return command


def variable_of(option: click.Option) -> str:
    """Return the name of the environment variable of an option."""
    return VARIABLE_PREFIX + option.opts[-1].removeprefix("--").replace("-", "_").upper()


def variables_of(name: str) -> list[str]:
    """Return the environment variables of the options of a subcommand."""
    command = command_named(name)
    return [str(option.envvar) for option in command.params if option.envvar]


def command_named(name: str) -> click.Command:
    """Return the click command of a subcommand, from its module."""
    command = getattr(import_module(COMMANDS[name].module), name.replace("-", "_"))
    assert isinstance(command, click.Command)
    return command


def _show_warning(message: Warning | str, *_: object) -> None:
    click.echo(f"spanemu: {message}", err=True)


def _escape_unprintable() -> None:
    """Print escapes in place of the characters that the encoding of standard output lacks."""
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")


class _Commands(SuggestingGroup):
    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, and print warnings without the line of code that they come from."""
        _escape_unprintable()
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning  # type: ignore[assignment]  # takes less
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return command_named(cmd_name) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name].summary) for name in sorted(COMMANDS)])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(spanemu.__version__, prog_name="spanemu")
def main() -> None:
    """Run a Cloud Spanner emulator for tests, or work with schemas."""
