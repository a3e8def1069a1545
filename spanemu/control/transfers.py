"""Dumps of a database and loads into it, as files of the emulator's machine or as SQL text.

`interchange` has the formats; `api.transfers` implements the operations for an emulator in this
process.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, TypedDict, Unpack

from spanemu.base.record import dataclass
from spanemu.control.operation import ControlInterface, Sent, operation

# mypy: disable-error-code="empty-body"

SQL_BYTES_MAX = 16 * 1024 * 1024  # of a dump without files


def absolute_path(path: str | os.PathLike[str]) -> str:
    """Return the absolute path of a file; the empty path names no file."""
    text = os.fspath(path)
    return os.path.abspath(text) if text else ""


FilePath = Annotated[str, Sent(absolute_path)]


@dataclass(frozen=True, slots=True)
class DatabaseDump:
    """A dump that was written: the number of rows, and the SQL text of a dump without files."""

    rows: int
    sql: str = ""


class Parts(TypedDict, total=False):
    """The parts of a database to dump or load: some tables, the schema, the rows."""

    tables: Sequence[str]
    schema: bool
    rows: bool


class TransferControl(ControlInterface):
    """The dumps of a database, and the loads into it."""

    PATH = "{database}"
    SCOPE = "database"

    @operation("Dump", "POST :dump")
    def dump(
        self, path: FilePath = "", *, format: str = "", **parts: Unpack[Parts]
    ) -> DatabaseDump:
        """Write the schema and the rows of one moment to files, or return them as SQL text.

        `path` is on the machine of the emulator: a file if `format` is "sql", the default, and a
        folder if it is "jsonl", "csv" or "avro". Without `path` the result has the SQL text, of
        16 MiB at most and without the types of proto bundles. `tables` selects tables. Raises
        ValueError for files that cannot be written.
        """

    @operation("Load", "POST :load", "rows")
    def load(
        self, path: FilePath = "", *, sql: str = "", format: str = "", **parts: Unpack[Parts]
    ) -> int:
        """Read a dump into the database, and return the number of inserted rows.

        The dump is at `path` on the machine of the emulator, in the format of its files unless
        `format` names another, or the text `sql`. Of a dump in a folder, `tables`, `schema` and
        `rows` select parts. Raises ValueError for a dump that is not valid, and for rows and
        statements that the database refuses; rows before them stay.
        """
