"""The rules for statements on tables with a placement key ("Geo-partitioning overview").

An INSERT or DELETE is the only statement of its read-write transaction, and there the WHERE clause
of a statement names key columns only, or columns of an index that is interleaved. Partitioned DML
and read-only transactions have no such rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.record import NamedTuple
from spanemu.database import errors
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Table
from spanemu.sql import usage
from spanemu.sql.resolved import DeleteStatement, InsertStatement, Statement


class PlacedUse(NamedTuple):
    """The use of tables with a placement key by a statement.

    `changed` is the table of which an INSERT or DELETE adds or removes rows. `column` is the first
    column in a WHERE clause that only other transactions may name. Both are "" for none.
    """

    changed: str = ""
    column: str = ""


NO_USE = PlacedUse()


def placed_use_of(statement: Statement, schema: Schema) -> PlacedUse:
    """Return how a statement uses tables with a placement key."""
    if not schema.placed_tables:
        return NO_USE
    changed = ""
    if isinstance(statement, InsertStatement | DeleteStatement):
        name = statement.table.name
        changed = name if schema.fold(name) in schema.placed_tables else ""
    return PlacedUse(changed, next(_refused_columns(statement, schema), ""))


def _refused_columns(statement: Statement, schema: Schema) -> Iterator[str]:
    for table, columns in usage.collect_filters(statement):
        if schema.fold(table.name) not in schema.placed_tables:
            continue
        keys = {column.id for column in table.key_columns}
        others = [column for column in columns if column.id not in keys]
        if others and not _is_indexed(table, columns, schema):
            yield f"{table.name}.{others[0].name}"


def _is_indexed(table: Table, columns: list[Column], schema: Schema) -> bool:
    """Return whether an index beside the rows of a placement has all the columns in its key."""
    names = {column.name for column in columns}
    return any(
        index.parent is not None and names <= {part.column.name for part in index.full_key}
        for index in schema.indexes_of(table)
    )


def check_use(use: PlacedUse, statements_run: int, changed: str) -> None:
    """Raise unless a read-write transaction may run a statement.

    The transaction has run a number of statements, the last of which was an INSERT or DELETE of the
    table `changed`, if any.
    """
    if use.column:
        raise errors.PlacedColumnFiltered(use.column)
    if changed or (use.changed and statements_run):
        raise errors.PlacedStatementNotAlone(changed or use.changed)
