"""Entries of the change log for tests: rows by column name, without a database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from spanemu.change_streams.records import DataChangeRecord, records_of
from spanemu.ddl import schema_of
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL, DatabaseDialect
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.storage.change_log import ChangeEntry, RowChange
from spanemu.storage.layout import TreeId, key_reader, tree_of
from spanemu.values.cell_mask import WHOLE_ROW, cells_of

TABLES = {
    GOOGLE_STANDARD_SQL: """
CREATE TABLE users (id INT64 NOT NULL, name STRING(MAX), age INT64, city STRING(MAX))
PRIMARY KEY (id);
CREATE TABLE places (id INT64 NOT NULL, name STRING(MAX)) PRIMARY KEY (id);
""",
    POSTGRESQL: """
CREATE TABLE users (id bigint NOT NULL PRIMARY KEY, name varchar, age bigint, city varchar);
CREATE TABLE places (id bigint NOT NULL PRIMARY KEY, name varchar);
""",
}
OPTIONS = {GOOGLE_STANDARD_SQL: "OPTIONS", POSTGRESQL: "WITH"}

Values = Mapping[str, Any]


def schema_with_stream(
    dialect: DatabaseDialect, stream: str = "FOR users", **options: Any
) -> Schema:
    """Return the tables above and a stream `s`."""
    listed = ", ".join(
        f"{name} = {value!r}".replace("True", "true") for name, value in options.items()
    )
    suffix = f" {OPTIONS[dialect]} ({listed})" if options else ""
    return schema_of(f"{TABLES[dialect]} CREATE CHANGE STREAM s {stream}{suffix};", dialect=dialect)


@dataclass
class ByKey:
    """Partitions that are cut at keys of the first key column."""

    schema: Schema
    cuts: tuple[int, ...] = ()

    def index_of(self, tree: TreeId, key: bytes) -> int:
        """Return the number of the partition of a key."""
        table = next(each for each in self.schema.tables.values() if tree_of(each) == tree)
        bounds = [_key(table, {table.key_columns[0].name: cut}) for cut in self.cuts]
        return sum(bound <= key for bound in bounds)


@dataclass
class Commit:
    """The net effect of a transaction, row by row."""

    schema: Schema
    entry: ChangeEntry = field(init=False)
    _serials = count(1)

    def __post_init__(self) -> None:
        serial = next(self._serials)
        self.entry = ChangeEntry(serial * 1_000, serial, (), self.schema)

    def insert(self, table: str, **after: Any) -> Commit:
        """Add an inserted row."""
        return self._add(table, None, after, WHOLE_ROW)

    def delete(self, table: str, **before: Any) -> Commit:
        """Add a deleted row."""
        return self._add(table, before, None, WHOLE_ROW)

    def replace(self, table: str, before: Values, after: Values) -> Commit:
        """Add a row that was deleted and inserted again."""
        return self._add(table, before, after, WHOLE_ROW)

    def update(self, table: str, before: Values, **changes: Any) -> Commit:
        """Add a row of which the named columns were written."""
        written = cells_of(self._table(table).by_name[name].position for name in changes)
        return self._add(table, before, {**before, **changes}, written)

    def marked(self, **marks: Any) -> Commit:
        """Set fields of the entry."""
        self.entry = self.entry._replace(**marks)
        return self

    def records(self, cuts: tuple[int, ...] = ()) -> list[DataChangeRecord]:
        """Return the records of the stream `s`."""
        return [record for _, record in self.placed_records(cuts)]

    def placed_records(self, cuts: tuple[int, ...] = ()) -> list[tuple[int, DataChangeRecord]]:
        """Return the records of the stream `s` with the numbers of their partitions."""
        return list(records_of(self.entry, "s", ByKey(self.schema, cuts)))

    def _table(self, name: str) -> Table:
        return self.schema.tables[name]

    def _add(self, table: str, before: Values | None, after: Values | None, written: int) -> Commit:
        source = self._table(table)
        old, new = (None if row is None else _row(source, row) for row in (before, after))
        change = RowChange(tree_of(source), _key(source, after or before or {}), old, new, written)
        return self.marked(changes=(*self.entry.changes, change))


def _row(table: Table, values: Values) -> tuple[Any, ...]:
    cells = [None] * table.width
    for name, value in values.items():
        cells[table.by_name[name].position] = value
    return tuple(cells)


def _key(table: Table, values: Values) -> bytes:
    return key_reader(replace(table))(_row(table, values))
