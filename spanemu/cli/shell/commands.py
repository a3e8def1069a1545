r"""The commands that begin with a backslash, and the loop that runs lines of input.

A command of this table takes the shell and the text behind its name. Names are those of psql where
psql has the command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import click

from spanemu.api.client import official_client
from spanemu.base.record import NamedTuple
from spanemu.base.suggestions import did_you_mean
from spanemu.cli.databases import find_database
from spanemu.cli.shell import catalog
from spanemu.cli.shell.database_session import DatabaseSession
from spanemu.cli.shell.failures import FAILURES, ShellFailure, failure_text
from spanemu.cli.shell.interpreter import Shell, parameter_text
from spanemu.cli.shell.output import FORMATS, TABLE, Column
from spanemu.cli.shell.script import Command, InputReader, Statement

NESTING_MAX = 16  # files that include files


class ShellEnded(Exception):
    r"""The end of the shell, by \q."""


class Rejected(Exception):
    """A statement or command that failed; the message says what and where."""


class ShellCommand(NamedTuple):
    """A command: what runs it, the form of its argument, and its help."""

    run: Callable[[Shell, str], None]
    argument: str
    help: str


def run_item(shell: Shell, item: Statement | Command) -> None:
    """Run a statement or a command. Raises ShellEnded, or one of `failures.FAILURES`."""
    if isinstance(item, Statement):
        shell.run(item)
        return
    command = COMMANDS.get(item.name)
    if command is None:
        raise ShellFailure(f"there is no command \\{item.name}.{did_you_mean(item.name, COMMANDS)}")
    command.run(shell, item.argument)


def run_lines(shell: Shell, lines: Iterable[str], origin: str = "") -> None:
    """Run all lines of a text up to the first failure. Raises Rejected or ShellEnded.

    `origin` names the file in messages.
    """
    reader = InputReader(shell.dialect)
    for line in lines:
        for item in reader.feed(line):
            run_or_reject(shell, item, origin)
            reader.dialect = shell.dialect
    for statement in reader.finish():
        run_or_reject(shell, statement, origin)


def run_or_reject(shell: Shell, item: Statement | Command, origin: str = "") -> None:
    """Run a statement or a command. Raises ShellEnded, or Rejected with the text of a failure."""
    try:
        run_item(shell, item)
    except FAILURES as problem:
        sql = item.text if isinstance(item, Statement) else ""
        where = f"{origin}:{item.line}: " if origin else ""
        raise Rejected(where + failure_text(problem, sql)) from problem
    except BrokenPipeError:
        raise
    except (OSError, UnicodeDecodeError) as problem:
        raise Rejected(f"ERROR: {problem}") from problem


# ---------------------------------------------------------------------------- databases, catalog


def _list_databases(shell: Shell, _argument: str) -> None:
    own = shell.session.name
    rows = [
        ["*" if each == own else "", each.database, each.instance, each.project]
        for each in shell.databases()
    ]
    columns = ("current", "database", "instance", "project")
    shell.printer.result([*map(Column, columns)], rows)


def _connect(shell: Shell, argument: str) -> None:
    if not argument:
        raise ShellFailure("\\c needs the name of a database")
    try:
        name = find_database(
            {"database": argument, "project": None, "instance": None}, shell.server
        )
    except click.UsageError as problem:
        raise ShellFailure(problem.message) from problem
    client = shell.session.client
    if client.project != name.project:
        client = official_client(shell.target.uri, name.project, shell.target.tls_ca)
    session = DatabaseSession(client, name)
    title = session.dialect.title  # which fails if there is no such database
    shell.change_database(session)
    shell.printer.note(f"Database {name.database} ({title})")


def _describe(shell: Shell, argument: str) -> None:
    if not argument:
        _show_list(shell, "d")
        return
    table = catalog.describe_table(shell.session, argument)
    shell.show(table.columns)
    for line in table.notes:
        shell.printer.note(line)


def _show_list(shell: Shell, command: str) -> None:
    shell.show(catalog.list_objects(shell.session, command))


def _lister(command: str) -> Callable[[Shell, str], None]:
    return lambda shell, _argument: _show_list(shell, command)


def _list_functions(shell: Shell, argument: str) -> None:
    wanted = argument.lower()
    names = [name for name in catalog.function_names(shell.session) if wanted in name.lower()]
    shell.printer.result([Column("function")], [[name] for name in names])


def _show_ddl(shell: Shell, argument: str) -> None:
    wanted = argument.lower()
    for statement in shell.session.ddl_statements():
        if wanted in statement.partition("(")[0].lower():
            shell.printer.text(f"{statement};")


# ---------------------------------------------------------------------------- the shell itself


def _set_format(shell: Shell, argument: str) -> None:
    if argument not in FORMATS:
        raise ShellFailure(f"the formats are {', '.join(FORMATS)}")
    shell.printer.form = argument


def _toggle_expanded(shell: Shell, argument: str) -> None:
    shell.printer.expanded = _switched(shell.printer.expanded, argument)
    shell.printer.form = TABLE
    shell.printer.note(f"Records instead of tables: {_on(shell.printer.expanded)}")


def _toggle_timing(shell: Shell, argument: str) -> None:
    shell.timing = _switched(shell.timing, argument)
    shell.printer.note(f"Timing: {_on(shell.timing)}")


def _switched(present: bool, argument: str) -> bool:
    if argument not in ("", "on", "off"):
        raise ShellFailure(f"{argument} is neither on nor off")
    return not present if argument == "" else argument == "on"


def _on(state: bool) -> str:
    return "on" if state else "off"


def _include(shell: Shell, argument: str) -> None:
    if not argument:
        raise ShellFailure("\\i needs the name of a file")
    # A relative path in an included file is relative to that file.
    before, depth = shell.folder, shell.depth
    if depth == NESTING_MAX:
        raise ShellFailure(f"{NESTING_MAX} files include each other")
    path = before / Path(argument).expanduser()
    shell.folder, shell.depth = path.parent, depth + 1
    try:
        with path.open(encoding="utf-8-sig") as file:
            run_lines(shell, file, str(path))
    finally:
        shell.folder, shell.depth = before, depth


def _redirect(shell: Shell, argument: str) -> None:
    shell.printer.redirect(Path(argument).expanduser() if argument else None)


# Files for psql often begin with `\set ON_ERROR_STOP on`: scripts stop at the first failure anyway.
_STOPS = "ON_ERROR_STOP"
_TRUE = ("on", "true", "yes", "1")


def _set(shell: Shell, argument: str) -> None:
    name, _, expression = argument.partition(" ")
    if name == _STOPS and expression.strip().lower() in ("", *_TRUE):
        return
    if expression:
        shell.set_parameter(name.lstrip("@$"), expression)
    elif name:
        raise ShellFailure("\\set needs a name and a value")
    else:
        rows = [[name, parameter_text(each)] for name, each in shell.parameters.items()]
        shell.printer.result([Column("parameter"), Column("value")], rows)


def _unset(shell: Shell, argument: str) -> None:
    name = argument.lstrip("@$")
    if shell.parameters.pop(f"p{name}" if name.isdecimal() else name, None) is None:
        raise ShellFailure(f"there is no parameter {argument}")


def _quit(_shell: Shell, _argument: str) -> None:
    raise ShellEnded


def _help(shell: Shell, _argument: str) -> None:
    forms = {f"\\{name} {each.argument}".strip(): each.help for name, each in COMMANDS.items()}
    width = max(map(len, forms))
    lines = [f"  {form:<{width}}  {text}" for form, text in forms.items()]
    shell.printer.text("\n".join([*lines, "", *_STATEMENTS]))


_STATEMENTS = (
    "Statements end with a semicolon. BEGIN [READ ONLY [SECONDS | TIMESTAMP]], COMMIT and ROLLBACK",
    "enclose a transaction; EXPLAIN draws a plan, EXPLAIN ANALYZE runs the statement as well.",
)

COMMANDS: Mapping[str, ShellCommand] = {
    "l": ShellCommand(_list_databases, "", "list the databases of the server"),
    "c": ShellCommand(_connect, "DATABASE", "continue with another database"),
    "d": ShellCommand(_describe, "[TABLE]", "list tables and views, or describe one"),
    "di": ShellCommand(_lister("di"), "", "list indexes"),
    "dv": ShellCommand(_lister("dv"), "", "list views with their definitions"),
    "dn": ShellCommand(_lister("dn"), "", "list named schemas"),
    "ds": ShellCommand(_lister("ds"), "", "list sequences"),
    "dc": ShellCommand(_lister("dc"), "", "list change streams"),
    "df": ShellCommand(_list_functions, "[TEXT]", "list the functions whose names contain a text"),
    "ddl": ShellCommand(_show_ddl, "[NAME]", "show the statements of the schema"),
    "set": ShellCommand(_set, "[NAME VALUE]", "set a query parameter to an expression's value"),
    "unset": ShellCommand(_unset, "NAME", "forget a query parameter"),
    "format": ShellCommand(_set_format, "FORMAT", f"show results as {', '.join(FORMATS)}"),
    "x": ShellCommand(_toggle_expanded, "[on|off]", "show a record for each row"),
    "timing": ShellCommand(_toggle_timing, "[on|off]", "show how long each statement takes"),
    "i": ShellCommand(_include, "FILE", "run the statements of a file"),
    "o": ShellCommand(_redirect, "[FILE]", "write results to a file, or here again"),
    "q": ShellCommand(_quit, "", "leave"),
    "?": ShellCommand(_help, "", "show this help"),
}
