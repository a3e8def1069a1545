"""`spanemu layout`: prints rows in the order in which Spanner stores them.

    spanemu layout --schema fixtures/music.sql --rows fixtures/music.json --split Singers:3
    spanemu layout --schema ... --rows ... --policy modern --split-bytes 200 --servers 5

exit 0   printed
exit 2   the command line, a schema or the rows are invalid
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from google.api_core.exceptions import GoogleAPICallError

import spanemu
from spanemu.api.client import message_with_position
from spanemu.base.errors import SpannerError
from spanemu.cli.commands import dialect_option
from spanemu.storage.split_settings import SplitPolicy

_SETTINGS = {"policy": "policy", "split_bytes": "split_bytes_max", "servers": "servers"}
_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
_ROWS = '{TABLE: {"columns": [...], "rows": [[...], ...]}, ...}'


@click.command()
@click.option("--schema", "schemas", multiple=True, required=True, type=_FILE, help="A DDL file.")
@dialect_option
@click.option("--rows", "sources", multiple=True, type=_FILE, help=f"A JSON file of rows: {_ROWS}.")
@click.option(
    "--split",
    "splits",
    multiple=True,
    metavar="TABLE:KEY",
    help='Add a split boundary at a key, given as JSON: Users:"ann".',
)
@click.option(
    "--policy",
    type=click.Choice([str(policy) for policy in SplitPolicy]),
    default=str(SplitPolicy.ROOT_ONLY),
    help="Whether a boundary may fall inside an interleaved hierarchy.",
)
@click.option("--split-bytes", type=click.IntRange(1), help="Split ranges that are larger.")
@click.option("--servers", type=click.IntRange(1), help="Show splits on this number of servers.")
def layout(
    schemas: Sequence[Path],
    sources: Sequence[Path],
    splits: Sequence[str],
    dialect: str,
    **model: Any,
) -> None:
    """Print rows in interleaved order, with split boundaries."""
    changes = {_SETTINGS[name]: given for name, given in model.items() if given is not None}
    with spanemu.Emulator(embedded_channel=True) as emulator:
        try:
            database = emulator.create_database("layout", list(schemas), dialect=dialect)
            database.splits.configure(**changes)
            for source in sources:
                _load(database.client(), source)
            for split in splits:
                _split(database, split)
            click.echo(database.layout(servers="servers" in changes))
        except (SpannerError, spanemu.SchemaRejected, ValueError) as error:
            raise click.UsageError(str(error)) from error


def _load(database: Any, source: Path) -> None:
    """Insert all rows of a file in one commit, tables in the file's order.

    Raises click.UsageError for a file that is not of the expected form.
    """
    try:
        tables = json.loads(source.read_text(encoding="utf-8"))
        writes = [
            (name, list(table["columns"]), [list(row) for row in table["rows"]])
            for name, table in tables.items()
        ]
    except ValueError as error:
        raise click.UsageError(f"{source}: {error}") from error
    except (AttributeError, LookupError, TypeError) as error:
        raise click.UsageError(f"{source} is not of the form {_ROWS}") from error
    try:
        with database.batch() as batch:
            for write in writes:
                batch.insert(*write)
    except GoogleAPICallError as problem:
        raise click.UsageError(f"{source}: {message_with_position(problem)}") from problem


def _split(database: Any, text: str) -> None:
    table, _, key = text.partition(":")
    parts = json.loads(f"[{key}]")
    database.split_at(table, parts)
