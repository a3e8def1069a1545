"""The files that `spanemu serve --init-dir` runs before the server is ready.

    init/01-schema.sql        for each --database
    init/music/01-schema.sql  for the database `music`, which is created if it does not exist

Files end in .sql or .ddl and run in the order of their names. A file may mix schema statements and
DML. Consecutive schema statements run as a batch, each DML statement in a transaction of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from google.api_core.exceptions import GoogleAPICallError

import spanemu
from spanemu.api.client import message_with_position
from spanemu.schema.dialect import DatabaseDialect, dialect_named
from spanemu.schema_source import SchemaStatement, load_schema
from spanemu.sql.dialects import dialect_of

SUFFIXES = frozenset({".sql", ".ddl"})


class InitFileRejected(Exception):
    """A file that cannot be run; the message names the file and the line."""


def run_init_files(
    emulator: spanemu.Emulator, directory: Path, databases: Sequence[str], dialect: str
) -> list[str]:
    """Run the files of a directory; return the names of the databases that were created.

    `databases` are the ids of the databases to which files outside of subdirectories apply. Raises
    InitFileRejected, SpannerError or OSError.
    """
    common = _files(directory)
    if common and not databases:
        raise InitFileRejected(f"{common[0]}: a file outside of a subdirectory needs a --database")
    for database in databases:
        _run(emulator.database(database), common, dialect_named(dialect))
    created = []
    for folder in sorted(filter(Path.is_dir, directory.iterdir()), key=natural_order):
        if folder.name not in databases:
            created.append(emulator.create_database(folder.name, dialect=dialect).name)
        _run(emulator.database(folder.name), _files(folder), dialect_named(dialect))
    return created


def natural_order(path: Path) -> tuple[Sequence[tuple[int, int, str]], str]:
    """Return a sort key by which 2-rows.sql comes before 10-rows.sql."""
    parts = filter(None, re.split(r"(\d+)", path.name))
    return [
        (0, int(part), "") if part.isdecimal() else (1, 0, part.lower()) for part in parts
    ], path.name


def _files(directory: Path) -> list[Path]:
    files = (path for path in directory.iterdir() if path.suffix in SUFFIXES and path.is_file())
    return sorted(files, key=natural_order)


def _run(database: spanemu.EmbeddedDatabase, files: Sequence[Path], own: DatabaseDialect) -> None:
    for path in files:
        for is_dml, statements in _groups(path, own):
            if not is_dml:
                database.apply_schema(statements)
                continue
            for statement in statements:
                try:
                    database.client().run_in_transaction(_execute, statement.text)
                except GoogleAPICallError as problem:
                    where = f"{statement.origin}:{statement.line}"
                    raise InitFileRejected(
                        f"{where}: {message_with_position(problem)}"
                    ) from problem


def _groups(path: Path, own: DatabaseDialect) -> Iterator[tuple[bool, list[SchemaStatement]]]:
    """Yield consecutive statements of a file that are all DML, or all schema statements."""
    begins_dml = dialect_of(own).begins_dml
    for is_dml, group in groupby(load_schema(path, own), lambda each: begins_dml(each.text)):
        yield is_dml, list(group)


def _execute(transaction: Any, sql: str) -> None:
    transaction.execute_update(sql)
