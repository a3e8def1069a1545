"""Dumps of a database of an emulator in this process, and loads into it.

Imported for the first dump or load.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Unpack

from spanemu.admin.instances import Instances
from spanemu.api.data_connection import DataConnection
from spanemu.base.resource_names import DatabaseName
from spanemu.control.databases import SQL_BYTES_MAX, DatabaseDump, FilePath, Parts, TransferControl
from spanemu.frontend.embedded.channel import EmbeddedChannel
from spanemu.frontend.services import endpoints_for
from spanemu.interchange.errors import LoadRejected
from spanemu.interchange.files import SQL, checked_form, read_files, read_sql, write_files
from spanemu.interchange.parts import Choice, UnknownTable, dump_source
from spanemu.interchange.sql_text import write_sql


class LocalTransfers(TransferControl):
    """The dumps of a database of an emulator in this process, and the loads into it."""

    def __init__(self, instances: Instances, path: DatabaseName) -> None:
        self._instances = instances
        self._path = path

    def dump(
        self, path: FilePath = "", *, format: str = "", **parts: Unpack[Parts]
    ) -> DatabaseDump:
        counter, text = RowCounter(), _LimitedText()
        form = checked_form(format or SQL)
        if not path and form != SQL:
            raise ValueError(f"a dump in {form} needs a path")
        with (
            _refusals(),
            self._connection() as connection,
            dump_source(connection, Choice(**parts), counter) as dumped,
        ):
            if path:
                write_files(Path(path), form, dumped)
            else:
                write_sql(text, dumped)
        return DatabaseDump(counter.rows, text.getvalue())

    def load(
        self,
        path: FilePath = "",
        *,
        sql: str = "",
        format: str = "",
        edited: bool = False,
        **parts: Unpack[Parts],
    ) -> int:
        if bool(path) == bool(sql):
            raise ValueError("a load needs a path or SQL, and not both")
        counter = RowCounter()
        choice = Choice(**parts)
        with _refusals(), self._connection() as connection:
            if sql:
                dump = read_sql(io.BytesIO(sql.encode()), "sql", edited=edited)
            else:
                form = checked_form(format) if format else ""
                dump = read_files(Path(path), form, edited=edited)
            dump.load(connection, choice, counter)
        return counter.rows

    @contextmanager
    def _connection(self) -> Iterator[DataConnection]:
        """Yield a connection to the database, whose requests no recording sees."""
        endpoints = endpoints_for(self._instances)
        with EmbeddedChannel(lambda: endpoints) as channel:
            connection = DataConnection(channel, str(self._path))
            try:
                yield connection
            finally:
                connection.close()


class RowCounter:
    """A listener that counts rows."""

    rows = 0

    def begin_table(self, table: str) -> None:
        """Do nothing."""

    def add_rows(self, count: int) -> None:
        """Count rows."""
        self.rows += count


class _LimitedText(io.StringIO):
    """A text of limited size."""

    def write(self, text: str) -> int:
        """Append a text. Raises ValueError for too much text."""
        if self.tell() + len(text) > SQL_BYTES_MAX:
            raise ValueError("the dump has more than 16 MiB of SQL; a path takes more")
        return super().write(text)


@contextmanager
def _refusals() -> Iterator[None]:
    """Raise ValueError for what is wrong with files, as control operations do."""
    kinds = (
        UnknownTable,
        LoadRejected,
        OSError,
    )
    try:
        yield
    except kinds as problem:
        raise ValueError(str(problem)) from problem
