"""`spanemu sql`: a shell for SQL on a running server.

exit 0   everything ran
exit 1   a statement failed; those after it did not run
exit 2   the command line is invalid
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import Unpack

import click

from spanemu.api.client import official_client
from spanemu.api.probe import Unreachable
from spanemu.cli.databases import NameOptions, find_database
from spanemu.cli.shell import editor
from spanemu.cli.shell.commands import Rejected, ShellEnded, run_lines, run_or_reject
from spanemu.cli.shell.database_session import DatabaseSession
from spanemu.cli.shell.failures import FAILURES, failure_text
from spanemu.cli.shell.interpreter import Shell
from spanemu.cli.shell.output import FORMATS, TABLE, Printer
from spanemu.cli.shell.script import Command
from spanemu.cli.target import (
    Target,
    TargetOptions,
    check_answers,
    find_target,
    target_options,
)

EXIT_FAILED = 1
NO_HISTORY = "off"


class Options(NameOptions, TargetOptions):
    """The values of the options, by click's parameter names."""

    statements: tuple[str, ...]
    files: tuple[Path, ...]
    form: str
    parameters: tuple[str, ...]
    timing: bool
    history: str | None


class _Sql(click.Command):
    """The command, which says how to run a statement that is typed as an argument."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line. Raises click.UsageError."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as problem:
            if "unexpected extra argument" not in problem.message:
                raise
            advised = f"{problem.message}. -e SQL runs a statement."
            raise click.UsageError(advised, problem.ctx) from problem


@click.command(cls=_Sql)
@click.argument("database", required=False)
@click.option(
    "-e",
    "-c",
    "--execute",
    "statements",
    multiple=True,
    metavar="SQL",
    help="Run this. Repeatable.",
)
@click.option(
    "-f",
    "--file",
    "files",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Run the statements of this file. Repeatable.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=TABLE,
    show_default=True,
    help="The form of results.",
)
@click.option(
    "-p",
    "--param",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="A query parameter; VALUE is an expression of SQL. Repeatable.",
)
@click.option("--timing", is_flag=True, help="Show how long each statement takes.")
@click.option("--project", metavar="ID", help="The project of the database.")
@click.option("--instance", metavar="ID", help="The instance of the database.")
@click.option(
    "--history",
    metavar="FILE|off",
    envvar="SPANEMU_SQL_HISTORY",
    help="The file of the history. [default: sql_history in the user's state folder]",
)
@target_options
def sql(**given: Unpack[Options]) -> None:
    r"""Run SQL on a database of a running server: statements, files, or a shell.

    DATABASE is an id, which is searched in all instances of the server, or a full name. It may be
    left out if the server has a single database.
    Without --execute and --file, statements come from standard input. On a terminal, \? shows the
    commands.
    """
    is_interactive = not given["statements"] and not given["files"] and is_terminal()
    if is_interactive and find_spec("prompt_toolkit") is None:
        raise click.UsageError(
            "the shell needs the package prompt_toolkit: pip install 'spanemu[sql]'; "
            "--execute, --file and standard input work without it."
        )
    target = find_target(given)
    printer = Printer(sys.stdout, sys.stderr, given["form"], is_interactive=is_interactive)
    try:
        check_answers(target)
        shell = Shell(_session(given, target), target, printer, timing=given["timing"])
        try:
            _set_parameters(shell, given["parameters"])
            if is_interactive:
                editor.edit(shell, _history_file(given["history"]))
            else:
                _run_all(shell, given)
        finally:
            shell.session.close()
            printer.close()
    except ShellEnded:
        return
    except Rejected as problem:
        _fail(str(problem))
    except (Unreachable, UnicodeDecodeError) as problem:
        _fail(f"spanemu: {problem}")
    except FAILURES as problem:
        _fail(failure_text(problem))


def _fail(text: str) -> None:
    click.echo(text, err=True)
    sys.exit(EXIT_FAILED)


def _run_all(shell: Shell, given: Options) -> None:
    """Run the statements of the command line, then the files, or standard input without either."""
    for text in given["statements"]:
        run_lines(shell, text.split("\n"))
    for path in given["files"]:
        run_or_reject(shell, Command("i", str(path)))
    if not given["statements"] and not given["files"]:
        if isinstance(sys.stdin, TextIOWrapper):  # A script is UTF-8 on all systems.
            sys.stdin.reconfigure(encoding="utf-8-sig")
        run_lines(shell, sys.stdin)


def _session(given: Options, target: Target) -> DatabaseSession:
    """Return a session with the database that the command line means."""
    name = find_database(given, target)
    client = official_client(target.uri, name.project, target.tls_ca)
    session = DatabaseSession(client, name)
    assert session.dialect  # Fails if there is no such database.
    return session


def _set_parameters(shell: Shell, parameters: tuple[str, ...]) -> None:
    for parameter in parameters:
        name, equals, expression = parameter.partition("=")
        if not (name and equals):
            raise click.UsageError(f"--param {parameter} has not the form NAME=VALUE.")
        shell.set_parameter(name.lstrip("@$"), expression)


def _history_file(given: str | None) -> Path | None:
    if given == NO_HISTORY:
        return None
    return state_folder() / "sql_history" if given is None else Path(given)


def state_folder() -> Path:
    """Return the folder for the state of programs of the user, below which spanemu has its own."""
    if folder := os.environ.get("XDG_STATE_HOME"):
        return Path(folder) / "spanemu"
    if sys.platform == "win32":
        return Path(click.get_app_dir("spanemu", roaming=False))
    return Path.home() / ".local" / "state" / "spanemu"


def is_terminal() -> bool:
    """Return whether a user types at standard input."""
    return sys.stdin.isatty()
