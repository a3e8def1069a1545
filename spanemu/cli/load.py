"""`spanemu load`: reads files into a database.

exit 0   everything is loaded
exit 1   the server refused something, or a file is invalid; what was loaded before stays
exit 2   the command line is invalid
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, Unpack

import click

from spanemu.api.data_connection import DataConnection, data_connection
from spanemu.base.collector import Pause
from spanemu.base.deferred import deferred
from spanemu.cli.target import target_options
from spanemu.cli.transfer_options import (
    AVRO,
    CSV,
    JSONL,
    SQL,
    TransferOptions,
    check_avro,
    database_name,
    failures_as_messages,
    progress_bar,
    row_format,
    transfer_options,
    transfer_target,
)
from spanemu.interchange.connection import Progress
from spanemu.interchange.folder import InvalidDump, read_folder
from spanemu.interchange.source import Choice, UnknownTable
from spanemu.interchange.transfer import LoadRejected, load_folder, load_sql
from spanemu.schema.dialect import DIALECT_OPTIONS, GOOGLE_STANDARD_SQL

if TYPE_CHECKING:
    from spanemu.interchange.avro import export
else:
    export = deferred("spanemu.interchange.avro.export")

STANDARD_INPUT = Path("-")
EXPORT = "spanner-export.json"


class Options(TransferOptions):
    """The values of the options, by click's parameter names."""

    source: Path
    create: bool
    dialect: str | None


@click.command()
@click.argument("database")
@click.argument("source", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--create", is_flag=True, help="Create the database first.")
@click.option(
    "--dialect",
    type=click.Choice(list(DIALECT_OPTIONS)),
    help="The dialect of the new database. [default: that of the dump]",
)
@transfer_options
@target_options
def load(**given: Unpack[Options]) -> None:
    """Read a dump into a database: SQL, JSON lines, CSV, or an export of Spanner in Avro.

    DATABASE is an id, or a full name. SOURCE is a file of SQL statements (- for standard input), a
    folder, or a manifest. Rows are inserted; a row whose key exists is an error.
    """
    source = given["source"]
    if source != STANDARD_INPUT and not source.exists():
        raise click.UsageError(f"{source} does not exist.")
    form = given["format"] or _format_of(source)
    if form == AVRO:
        check_avro()
    with (
        Pause(),  # Collections would take half of the time.
        failures_as_messages(InvalidDump, LoadRejected, UnknownTable),
        transfer_target(given, writes=True) as target,
        data_connection(target.uri, database_name(given, target), target.tls_ca) as connection,
        progress_bar(given["quiet"]) as progress,
    ):
        if given["proto_descriptors"] is not None:
            connection.descriptors = given["proto_descriptors"].read_bytes()
        if form == SQL:
            _load_sql(connection, given, progress)
        elif form == AVRO:
            exported = export.read_export(source)
            _create(connection, given, exported.dialect.option)
            export.load_export(connection, exported, _choice(given), progress)
        else:
            rows = row_format(given, form)
            dump = read_folder(source, rows.suffix)
            _create(connection, given, dump.dialect.option if dump.dialect else None)
            load_folder(connection, dump, rows, _choice(given), progress)


def _format_of(source: Path) -> str:
    """Return the format of a file or a folder, by the files that it has."""
    folder = source if source.is_dir() else source.parent
    if source.name == EXPORT or (source.is_dir() and (source / EXPORT).exists()):
        return AVRO
    if source.is_dir() or source.suffix == ".json":
        return JSONL if any(folder.glob("*.jsonl")) else CSV
    return SQL


def _choice(given: Options) -> Choice:
    return Choice(given["tables"], not given["no_schema"], not given["no_rows"])


def _create(connection: DataConnection, given: Options, default: str | None) -> None:
    if given["create"]:
        dialect = given["dialect"] or default or GOOGLE_STANDARD_SQL.option
        connection.create(DIALECT_OPTIONS[dialect])


def _load_sql(connection: DataConnection, given: Options, progress: Progress) -> None:
    _create(connection, given, None)
    dialect, source = connection.dialect(), given["source"]
    if source == STANDARD_INPUT:
        load_sql(connection, sys.stdin, dialect, "<stdin>", progress)
        return
    file: TextIO
    with source.open(encoding="utf-8-sig") as file:
        load_sql(connection, file, dialect, str(source), progress)
