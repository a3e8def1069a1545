"""`spanemu dump`: writes a database to files.

exit 0   the database is written
exit 1   the server or the file system refused something
exit 2   the command line is invalid
"""

from __future__ import annotations

import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Unpack

import click

from spanemu.api.data_connection import data_connection
from spanemu.base.collector import Pause
from spanemu.cli.databases import find_database
from spanemu.cli.target import target_options
from spanemu.cli.transfer_options import (
    TransferOptions,
    check_avro,
    csv_of,
    failures_as_messages,
    progress_bar,
    transfer_options,
    transfer_target,
)
from spanemu.interchange.files import AVRO, SQL, write_files
from spanemu.interchange.parts import Choice, DumpSource, UnknownTable, dump_source
from spanemu.interchange.row_files import InvalidRow
from spanemu.interchange.sql_text import write_sql

STANDARD_OUTPUT = Path("-")


class Options(TransferOptions):
    """The values of the options, by click's parameter names."""

    output: Path | None


@click.command()
@click.argument("database")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The file for SQL, or the folder for the other formats. [default: standard output]",
)
@transfer_options
@target_options
def dump(**given: Unpack[Options]) -> None:
    """Write the schema and the rows of a database to SQL, JSON lines, CSV or Avro.

    DATABASE is an id, which is searched in all instances of the server, or a full name. The rows
    are those of one moment.
    """
    form, output = given["format"] or SQL, given["output"]
    if form != SQL and output in (None, STANDARD_OUTPUT):
        raise click.UsageError(f"--format {form} needs --output, a folder.")
    if output is not None and output.exists() and output.is_dir() is (form == SQL):
        given_kind, kind = ("folder", "file") if form == SQL else ("file", "folder")
        raise click.UsageError(f"{output} is a {given_kind}; --format {form} writes a {kind}.")
    if form == AVRO:
        check_avro()
    choice = Choice(given["tables"], not given["no_schema"], not given["no_rows"])
    with (
        Pause(),  # Collections would take half of the time.
        failures_as_messages(InvalidRow, UnknownTable),
        transfer_target(given, writes=False) as target,
        data_connection(target.uri, str(find_database(given, target)), target.tls_ca) as connection,
        progress_bar(given["quiet"]) as progress,
        dump_source(connection, choice, progress) as source,
    ):
        _write_descriptors(source, given["proto_descriptors"], form)
        if output is None or output == STANDARD_OUTPUT:
            if isinstance(sys.stdout, TextIOWrapper):  # A dump is the same on all systems.
                sys.stdout.reconfigure(encoding="utf-8", newline="\n")
            write_sql(sys.stdout, source)
        else:
            write_files(output, form, source, csv_of(given))


def _write_descriptors(source: DumpSource, path: Path | None, form: str) -> None:
    """Write the types of protocol buffers to a file of their own; SQL cannot hold them."""
    descriptors = b"" if source.parts is None else source.parts.descriptors
    if path is not None:
        path.write_bytes(descriptors)
    elif descriptors and form == SQL:
        text = "the types of the proto bundle are not in SQL; --proto-descriptors writes them"
        click.echo(f"spanemu: {text}", err=True)
