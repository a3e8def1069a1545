"""`spanemu load`: reads files into a database.

exit 0   everything is loaded
exit 1   the server refused something, or a file is invalid; what was loaded before stays
exit 2   the command line is invalid
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Unpack

import click

from spanemu.api.data_connection import DataConnection, data_connection
from spanemu.base.collector import Pause
from spanemu.cli.target import target_options
from spanemu.cli.transfer_options import (
    TransferOptions,
    check_avro,
    csv_of,
    database_name,
    failures_as_messages,
    progress_bar,
    transfer_options,
    transfer_target,
)
from spanemu.interchange.files import AVRO, check_whole, form_of, read_files
from spanemu.interchange.folder import InvalidDump
from spanemu.interchange.parts import Choice, UnknownTable
from spanemu.interchange.transfer import LoadRejected, load_sql
from spanemu.schema.dialect import DIALECT_OPTIONS, GOOGLE_STANDARD_SQL, DatabaseDialect

STANDARD_INPUT, STANDARD_INPUT_NAME = Path("-"), "<stdin>"


class Options(TransferOptions):
    """The values of the options, by click's parameter names."""

    source: Path
    create: bool
    dialect: str | None


@click.command()
@click.argument("database")
@click.argument("source", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--create", is_flag=True, help="Create the database first, and its instance if there is none."
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

    DATABASE is an id, or a full name. SOURCE is a file of SQL statements (- for standard input), a
    folder, or a manifest. Rows are inserted; a row whose key exists is an error.
    """
    source = given["source"]
    if source != STANDARD_INPUT and not source.exists():
        raise click.UsageError(f"{source} does not exist.")
    form = given["format"] or form_of(source)
    choice = Choice(given["tables"], not given["no_schema"], not given["no_rows"])
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
        if source == STANDARD_INPUT:
            check_whole(choice, STANDARD_INPUT_NAME)
            _create(connection, given, None)
            load_sql(connection, sys.stdin, connection.dialect(), STANDARD_INPUT_NAME, progress)
        else:
            dump = read_files(source, form, csv_of(given))
            _create(connection, given, dump.dialect)
            dump.load(connection, choice, progress)


def _create(connection: DataConnection, given: Options, default: DatabaseDialect | None) -> None:
    if given["create"]:
        named = given["dialect"]
        dialect = default if named is None else DIALECT_OPTIONS[named]
        connection.create(dialect or GOOGLE_STANDARD_SQL)
