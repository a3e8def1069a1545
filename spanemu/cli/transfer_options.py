"""What `spanemu dump` and `spanemu load` share: the database, the formats, and the progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

import spanemu
from spanemu.api.probe import Unreachable
from spanemu.api.saving.directory import UnusableState
from spanemu.base.errors import SpannerError
from spanemu.base.resource_names import DatabaseName, InstanceName
from spanemu.cli.databases import NameOptions
from spanemu.cli.target import Target, TargetOptions, check_answers, find_target
from spanemu.config import EmulatorConfig
from spanemu.interchange.connection import Silence
from spanemu.interchange.errors import InvalidDump, LoadRejected
from spanemu.interchange.files import FORMS
from spanemu.interchange.row_files import CSV_NULL, Csv

EXIT_FAILED = 1


class TransferOptions(NameOptions, TargetOptions):
    """The values of the options of both commands."""

    format: str | None
    tables: tuple[str, ...]
    no_schema: bool
    no_rows: bool
    csv_header: bool
    csv_null: str
    csv_delimiter: str
    quiet: bool
    data_dir: Path | None
    edited: bool
    proto_descriptors: Path | None


_OPTIONS = (
    click.option(
        "--data-dir",
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        help="The data directory of a server that does not run, instead of a server.",
    ),
    click.option(
        "--edited",
        is_flag=True,
        help="Load files that were changed on purpose, instead of refusing them as damaged.",
    ),
    click.option("--project", metavar="ID", help="The project of the database."),
    click.option("--instance", metavar="ID", help="The instance of the database."),
    click.option(
        "--format",
        type=click.Choice(FORMS),
        help="The format. [default: that of the files, or sql]",
    ),
    click.option(
        "--table", "tables", multiple=True, metavar="NAME", help="Only this table. Repeatable."
    ),
    click.option("--no-schema", is_flag=True, help="Only rows."),
    click.option("--no-rows", is_flag=True, help="Only the schema."),
    click.option("--csv-header", is_flag=True, help="CSV: a first line names the columns."),
    click.option(
        "--csv-null", default=CSV_NULL, show_default=True, metavar="TEXT", help="CSV: NULL."
    ),
    click.option("--csv-delimiter", default=",", show_default=True, help="CSV: the separator."),
    click.option(
        "--proto-descriptors",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="SQL: a FileDescriptorSet with the types of the proto bundle.",
    ),
    click.option("-q", "--quiet", is_flag=True, help="Show no progress."),
)


def transfer_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of both commands."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@contextmanager
def transfer_target(given: TransferOptions, *, writes: bool) -> Iterator[Target]:
    """Yield the server that a command line names, or an emulator with the data of --data-dir.

    With `writes`, the state of that emulator is saved at the end, unless something fails. Raises
    UnusableState, and Unreachable for a server that does not answer.
    """
    directory = given["data_dir"]
    if directory is None:
        target = find_target(given)
        check_answers(target)
        yield target
        return
    config = EmulatorConfig(import_from=directory, edited=given["edited"])
    if writes:
        config = EmulatorConfig(data_dir=directory, edited=given["edited"])
    with spanemu.Emulator(config) as emulator:
        try:
            yield Target(emulator.uri, None, f"--data-dir {directory}", _only_instance(emulator))
        except BaseException as problem:
            emulator.close(save=False)
            if writes and isinstance(problem, LoadRejected):
                raise LoadRejected(f"{problem}; {directory} stays as it was") from problem
            raise


def _only_instance(emulator: spanemu.Emulator) -> InstanceName | None:
    """Return the instance of all databases of a state, None if they are in several instances."""
    names = map(DatabaseName.parse, emulator.info().databases)
    instances = {name.parent for name in names}
    return instances.pop() if len(instances) == 1 else None


def csv_of(given: TransferOptions) -> Csv:
    """Return the form of CSV files."""
    return Csv(given["csv_header"], given["csv_null"], given["csv_delimiter"])


class ProgressBar:
    """The progress on standard error: the tables so far with their rows."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None

    def begin_table(self, table: str) -> None:
        """Show a table."""
        self._end()
        self._task = self._progress.add_task(table, total=None)

    def add_rows(self, count: int) -> None:
        """Count rows of the current table."""
        if self._task is None:
            self._task = self._progress.add_task("statements", total=None)
        self._progress.advance(self._task, count)

    def _end(self) -> None:
        if self._task is not None:
            (task,) = (each for each in self._progress.tasks if each.id == self._task)
            self._progress.update(self._task, total=task.completed)


def is_terminal() -> bool:
    """Return whether a user sees standard error."""
    return sys.stderr.isatty()


@contextmanager
def progress_bar(quiet: bool) -> Iterator[ProgressBar | Silence]:
    """Yield a listener that shows the progress, if standard error is a terminal."""
    if quiet or not is_terminal():
        yield Silence()
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn("rows: {task.completed:,}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        yield ProgressBar(progress)


def check_avro() -> None:
    """Raise click.UsageError if the package for Avro is not installed."""
    if find_spec("fastavro") is None:
        raise click.UsageError("Avro needs the package fastavro: pip install 'spanemu[avro]'.")


@contextmanager
def failures_as_messages(*kinds: type[Exception]) -> Iterator[None]:
    """Print the message of an error of the server or of the files, and exit with 1."""
    refusals: tuple[type[Exception], ...] = (
        SpannerError,
        OSError,
        Unreachable,
        UnusableState,
        InvalidDump,
        LoadRejected,
        *kinds,
    )
    try:
        yield
    except refusals as problem:
        click.echo(f"spanemu: {problem}", err=True)
        sys.exit(EXIT_FAILED)
