"""`spanemu load`: reads files into a database.

exit 0   everything is loaded
exit 1   a file is damaged, and nothing is loaded; or the server refused something, or a file is
         invalid, and what was loaded before stays
exit 2   the command line is invalid
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Unpack, cast

import click

from spanemu.api.data_connection import DataConnection, data_connection
from spanemu.base.collector import Pause
from spanemu.cli.databases import find_database, new_database
from spanemu.cli.target import Target, target_options
from spanemu.cli.transfer_options import (
    TransferOptions,
    check_avro,
    csv_of,
    failures_as_messages,
    progress_bar,
    transfer_options,
    transfer_target,
)
from spanemu.interchange.errors import LoadRejected
from spanemu.interchange.files import AVRO, SQL, DumpFiles, form_of, read_files, read_sql
from spanemu.interchange.parts import Choice, UnknownTable
from spanemu.schema.dialect import DIALECT_OPTIONS, GOOGLE_STANDARD_SQL

STANDARD_INPUT, STANDARD_INPUT_NAME = Path("-"), "<stdin>"
INPUT_MEMORY_BYTES = 16 << 20  # of standard input; more is read to a temporary file


class Options(TransferOptions):
    """The values of the options, by click's parameter names."""

    source: Path
    create: bool
    dialect: str | None


@click.command()
@click.argument("database")
@click.argument("source", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--create",
    is_flag=True,
    help="Create the database first, in the server's own instance unless --instance or a full name "
    "names another, and the instance if there is none.",
)
@click.option(
    "--dialect",
    type=click.Choice(list(DIALECT_OPTIONS)),
    help="The dialect of the new database. [default: that of the dump]",
)
@transfer_options
@target_options
def load(**given: Unpack[Options]) -> None:
    """Read a dump into a database: SQL, JSON lines, CSV, or an export of Spanner in Avro.

    DATABASE is an id, which is searched in all instances of the server, or a full name. SOURCE is a
    file of SQL statements (- for standard input), a folder, a manifest, or a file of JSON lines or
    CSV that is named after its table. Rows are inserted; a row whose key exists is an error.
    """
    source = given["source"]
    if source != STANDARD_INPUT and not source.exists():
        raise click.UsageError(f"{source} does not exist.")
    form = given["format"] or (SQL if source == STANDARD_INPUT else form_of(source))
    choice = Choice(given["tables"], not given["no_schema"], not given["no_rows"])
    if form == AVRO:
        check_avro()
    with (
        Pause(),  # Collections would take half of the time.
        failures_as_messages(UnknownTable),
        _dump(given, form) as dump,
        transfer_target(given, writes=True) as target,
        _connection(given, target) as connection,
        progress_bar(given["quiet"]) as progress,
    ):
        if given["proto_descriptors"] is not None:
            connection.descriptors = given["proto_descriptors"].read_bytes()
        if given["create"]:
            _create(connection, given, dump)
        try:
            loaded = dump.load(connection, choice, progress)
        except LoadRejected as problem:
            raise LoadRejected(f"{problem} (database {connection.name})") from problem
    click.echo(f"Loaded {dump.origin} into {connection.name}: {loaded}")


def _connection(given: Options, target: Target) -> AbstractContextManager[DataConnection]:
    """Connect to a new database with --create, otherwise to the one that the server has."""
    if given["create"]:
        name = new_database(given, target)
    else:
        name = find_database(given, target, advice=" --create creates it.")
    return data_connection(target.uri, str(name), target.tls_ca)


@contextmanager
def _dump(given: Options, form: str) -> Iterator[DumpFiles]:
    """Yield the dump to load. Raises InvalidDump, LoadRejected or OSError."""
    source, edited = given["source"], given["edited"]
    if source != STANDARD_INPUT and not source.is_fifo():
        yield read_files(source, form, csv_of(given), edited=edited)
        return
    if form != SQL:
        raise click.UsageError(f"--format {form} needs a folder; this input is SQL.")
    # All of it is read before its first statement runs: it may be cut.
    with SpooledTemporaryFile(INPUT_MEMORY_BYTES) as spooled:
        file = cast("BinaryIO", spooled)
        if source == STANDARD_INPUT:
            shutil.copyfileobj(sys.stdin.buffer, file)
            source = Path(STANDARD_INPUT_NAME)
        else:
            with source.open("rb") as pipe:
                shutil.copyfileobj(pipe, file)
        file.seek(0)
        yield read_sql(file, str(source), edited=edited)


def _create(connection: DataConnection, given: Options, dump: DumpFiles) -> None:
    """Create the database, in the dialect of the dump unless another is given."""
    named = given["dialect"]
    dialect = dump.dialect if named is None else DIALECT_OPTIONS[named]
    dump.check_dialect(dialect or GOOGLE_STANDARD_SQL)
    connection.create(dialect or GOOGLE_STANDARD_SQL)
