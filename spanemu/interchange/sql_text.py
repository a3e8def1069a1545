"""Dumps as SQL text, in the form of spanner-dump: the schema, then INSERT statements.

    CREATE TABLE Singers (...) PRIMARY KEY(SingerId);
    INSERT INTO `Singers` (`SingerId`, `LastName`) VALUES (1, "Smith"), (2, "Jones");

Tables come after those that their rows need; foreign keys and change streams follow the rows.
`statements` divides a text into statements again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TextIO

from spanemu.interchange.connection import Batch
from spanemu.interchange.literals import literal_writer
from spanemu.interchange.schema_parts import loaded_columns
from spanemu.interchange.source import DumpSource
from spanemu.schema.dialect import POSTGRESQL, DatabaseDialect
from spanemu.schema.table import Table

ROWS_PER_INSERT = 100
MUTATIONS_PER_INSERT = 20_000  # a quarter of what a commit can hold
INSERT_CHARS_MAX = 500_000  # half of what Spanner accepts as a statement


def write_sql(file: TextIO, source: DumpSource) -> None:
    """Write the statements that create the schema, unless it is left out, and the rows."""
    schema, parts = source.schema, source.parts
    for statement in [] if parts is None else parts.before:
        file.write(f"{statement};\n")
    for table in source.tables:
        count_max = rows_max(len(loaded_columns(table)), len(schema.indexes_of(table)))
        for statement in inserts(table, source.batches(table), schema.dialect, count_max):
            file.write(f"{statement};\n")
    for statement in [] if parts is None else parts.after:
        file.write(f"{statement};\n")


def rows_max(columns: int, indexes: int) -> int:
    """Return the number of rows of an INSERT, which a commit can hold with index entries."""
    mutations = columns * (1 + indexes)
    return max(1, min(ROWS_PER_INSERT, MUTATIONS_PER_INSERT // max(1, mutations)))


def inserts(
    table: Table,
    batches: Iterable[Batch],
    dialect: DatabaseDialect,
    count_max: int = ROWS_PER_INSERT,
) -> Iterator[str]:
    """Yield INSERT statements for rows of a table."""
    columns, quote = loaded_columns(table), quoter(dialect)
    writers = [literal_writer(column, dialect) for column in columns]
    names = ", ".join(quote(column.name) for column in columns)
    path = ".".join(quote(part) for part in table.name.split("."))
    head = f"INSERT INTO {path} ({names}) VALUES"
    values: list[str] = []
    size = 0
    for batch in batches:
        literals = [
            ["NULL" if cell is None else write(cell) for cell in cells]
            for write, cells in zip(writers, batch, strict=True)
        ]
        for row in zip(*literals, strict=True):
            text = ", ".join(row)
            if values and (size + len(text) > INSERT_CHARS_MAX or len(values) == count_max):
                yield f"{head} ({'), ('.join(values)})"
                values, size = [], 0
            values.append(text)
            size += len(text)
    if values:
        yield f"{head} ({'), ('.join(values)})"


def quoter(dialect: DatabaseDialect) -> Callable[[str], str]:
    """Return the function that quotes an identifier, whether or not it needs quotes."""
    if dialect is POSTGRESQL:
        return lambda name: '"' + name.replace('"', '""') + '"'
    return lambda name: f"`{name}`"
