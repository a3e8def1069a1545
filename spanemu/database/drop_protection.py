"""Schema object drop protection: objects in use are not dropped (page of that name).

A database option sets a period. A table, an index or a column cannot be dropped if it was written
within the period, or if it was read often enough in one hour of the period. An object created
within the period is not protected, so that a test can drop its own objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from spanemu.base.clock import NANOS_PER_HOUR, period_nanos
from spanemu.base.deferred import deferred
from spanemu.database.core import DatabaseCore
from spanemu.ddl.apply import Step
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table

if TYPE_CHECKING:
    from spanemu.database import errors
    from spanemu.database.statistics import operations, period, sums
else:
    errors = deferred("spanemu.database.errors")
    operations = deferred("spanemu.database.statistics.operations")
    period = deferred("spanemu.database.statistics.period")
    sums = deferred("spanemu.database.statistics.sums")

PERIOD_OPTION = "schema_drop_protection_inactivity_period"
READS_OPTION = "schema_drop_protection_usage_lowerbound"
READS_PER_HOUR = 10  # the default of READS_OPTION: fewer reads are no use


def drop_period(schema: Schema) -> int:
    """Return the period (nanoseconds) in which uses of an object protect it, 0 for none."""
    return period_nanos(schema.options.get(PERIOD_OPTION)) or 0


def refuse_drops(core: DatabaseCore, steps: Iterable[Step]) -> None:
    """Raise SchemaObjectInUse for the first step that drops an object in use."""
    schema = core.generation.schema
    period = drop_period(schema)
    if not period:
        return
    use = _Use(core, schema, period)
    for step in steps:
        for kind, names in _dropped(schema, step.schema, use.long_ago):
            if use.is_in_use(names):
                raise errors.SchemaObjectInUse(kind, ".".join(names), schema.options[PERIOD_OPTION])
        schema = step.schema


def _dropped(
    before: Schema, after: Schema, long_ago: Schema
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield (kind, name parts) of each dropped object that existed at the start of the period."""
    old = {source.id for source in long_ago.tables_and_indexes()}
    for source in before.dropped_in(after):
        if source.id in old:
            yield "table" if isinstance(source, Table) else "index", (source.name,)
    if before.tables is after.tables:
        return
    for name, table in before.tables.items():
        following = after.tables.get(name)
        if following is None or following is table:
            continue
        kept = {column.id for column in following.columns}
        known = long_ago.tables.get(name)
        old_columns = {column.id for column in known.columns} if known else set()
        for column in table.columns:
            if column.id not in kept and column.id in old_columns:
                yield "column", (table.name, column.name)


class _Use:
    """The objects used within the period up to now, by whole hours."""

    def __init__(self, core: DatabaseCore, schema: Schema, period: int) -> None:
        self._aggregator = core.aggregator
        self._now = core.store.clock.peek()
        self._since = self._now - period
        self._reads = schema.options.get(READS_OPTION, READS_PER_HOUR)
        self.long_ago = core.history.at(self._since).schema

    def is_in_use(self, names: Sequence[str]) -> bool:
        """Return whether a table or an index, or a column of a table, is in use."""
        return names in (self._sources if len(names) == 1 else self._columns)

    @cached_property
    def _sources(self) -> set[Sequence[str]]:
        return {
            (row["TABLE_NAME"],)
            for row in self._hours(operations.table_operations)
            if self._counts(row["WRITE_COUNT"] + row["DELETE_COUNT"], row["READ_QUERY_COUNT"])
        }

    @cached_property
    def _columns(self) -> set[Sequence[str]]:
        return {
            (row["TABLE_NAME"], row["COLUMN_NAME"])
            for row in self._hours(operations.column_operations)
            if self._counts(row["WRITE_COUNT"], row["READ_COUNT"] + row["QUERY_COUNT"])
        }

    def _counts(self, writes: int, reads: int) -> bool:
        return writes > 0 or 0 < reads >= self._reads

    def _hours(self, table: sums.StatisticsTable) -> Iterator[period.Row]:
        """Yield the rows of a statistics table, including the hour that has not ended."""
        for row in self._aggregator.query(table, "HOUR", self._now + NANOS_PER_HOUR):
            if row["INTERVAL_END"] > self._since:
                yield row
