"""What the change streams of a schema watch, compiled once for each generation.

A stream watches tables only, and of a table the key columns and some or all other columns.
Generated columns and TOKENLIST columns are not recorded unless they belong to the primary key.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from spanemu.base.clock import NANOS_PER_DAY, period_nanos
from spanemu.base.limits import DEFAULT_LIMITS
from spanemu.base.record import dataclass
from spanemu.schema.objects import ChangeStream, Watched
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Table
from spanemu.storage.layout import TreeId, tree_of
from spanemu.values.cell_mask import cells_of
from spanemu.values.types import TypeCode

RETENTION_NANOS_DEFAULT = 7 * NANOS_PER_DAY


class ModType(StrEnum):
    """The effect of a commit on a row."""

    INSERT = "INSERT"
    UPDATE = "UPDATE"
    DELETE = "DELETE"


class ValueCapture(StrEnum):
    """The option value_capture_type: which values of a changed row a record holds."""

    OLD_AND_NEW_VALUES = "OLD_AND_NEW_VALUES"
    NEW_VALUES = "NEW_VALUES"
    NEW_ROW = "NEW_ROW"
    NEW_ROW_AND_OLD_VALUES = "NEW_ROW_AND_OLD_VALUES"

    @property
    def has_old_values(self) -> bool:
        """Return whether UPDATE and DELETE records hold the values from before the commit."""
        return self in (self.OLD_AND_NEW_VALUES, self.NEW_ROW_AND_OLD_VALUES)

    @property
    def has_whole_row(self) -> bool:
        """Return whether an UPDATE record holds all watched columns, not only those written."""
        return self in (self.NEW_ROW, self.NEW_ROW_AND_OLD_VALUES)


@dataclass(frozen=True, slots=True)
class WatchedTable:
    """A table that a stream watches.

    `columns` are the watched columns outside the key, in the table's order, and `cells` is their
    mask (`values.cell_mask`).
    """

    table: Table
    columns: tuple[Column, ...]
    cells: int


@dataclass(frozen=True, slots=True)
class StreamRules:
    """A change stream of one generation: its tables by tree, and its options."""

    name: str
    tables: Mapping[TreeId, WatchedTable]
    value_capture: ValueCapture
    excluded: frozenset[ModType]  # exclude_insert, exclude_update, exclude_delete
    excludes_ttl_deletes: bool
    allows_txn_exclusion: bool
    retention_nanos: int
    is_mutable: bool  # partition_mode = 'MUTABLE_KEY_RANGE'
    heartbeat_millis_min: int = DEFAULT_LIMITS.heartbeat_millis_min


def stream_rules(schema: Schema) -> Mapping[str, StreamRules]:
    """Return the rules of all streams of a schema, by folded name; they are compiled once."""
    if not schema.change_streams:
        return {}
    rules: Mapping[str, StreamRules] | None = schema.compiled.get(StreamRules)
    if rules is None:
        streams = schema.change_streams.items()
        rules = {name: _compiled(schema, stream) for name, stream in streams}
        schema.compiled[StreamRules] = rules
    return rules


def watched_cells(schema: Schema) -> Mapping[TreeId, int]:
    """Return the trees that any stream watches, with the masks of their watched non-key cells.

    The mapping is built once for each schema. An update that writes none of the cells of its tree
    gives no record; every insert and delete gives one, unless a stream excludes it.
    """
    if not schema.change_streams:
        return {}
    cells: dict[TreeId, int] | None = schema.compiled.get(WatchedTable)
    if cells is None:
        cells = {}
        for stream in stream_rules(schema).values():
            for tree, watched in stream.tables.items():
                cells[tree] = cells.get(tree, 0) | watched.cells
        schema.compiled[WatchedTable] = cells
    return cells


def _compiled(schema: Schema, stream: ChangeStream) -> StreamRules:
    options = stream.options
    retention = period_nanos(options.get("retention_period"))
    return StreamRules(
        name=stream.name,
        tables=_watched_tables(schema, stream),
        value_capture=ValueCapture(options.get("value_capture_type", "OLD_AND_NEW_VALUES")),
        excluded=frozenset(mod for mod in ModType if options.get(f"exclude_{mod.lower()}")),
        excludes_ttl_deletes=bool(options.get("exclude_ttl_deletes")),
        allows_txn_exclusion=bool(options.get("allow_txn_exclusion")),
        retention_nanos=RETENTION_NANOS_DEFAULT if retention is None else retention,
        is_mutable=stream.is_mutable,
        heartbeat_millis_min=schema.limits.heartbeat_millis_min,
    )


def _watched_tables(schema: Schema, stream: ChangeStream) -> Mapping[TreeId, WatchedTable]:
    if stream.watches_all:
        return {tree_of(table): _watched_table(table, None) for table in schema.tables.values()}
    tables = ((schema.tables[schema.fold(watched.table)], watched) for watched in stream.tables)
    return {tree_of(table): _watched_table(table, watched) for table, watched in tables}


def _watched_table(table: Table, watched: Watched | None) -> WatchedTable:
    listed = None if watched is None else watched.columns
    keys = {column.id for column in table.key_columns}
    columns = tuple(
        column
        for column in table.columns
        if column.id not in keys
        and (listed is None or column.name in listed)
        and column.generated is None
        and column.type.code is not TypeCode.TOKENLIST
    )
    return WatchedTable(table, columns, cells_of(column.position for column in columns))
