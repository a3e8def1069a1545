"""The effect of a statement: the next schema, and the work on data that goes with it.

The work is a list of jobs. Each job reads the stored rows, raises an error if they do not permit
the change, and returns the writes that adapt them to the next schema. Nothing is written before all
jobs have finished; then all writes become visible at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field

from spanemu.base.call import current
from spanemu.base.collector import Pause
from spanemu.base.record import dataclass
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.functions.registry import Context
from spanemu.storage.change_log import RowChange
from spanemu.storage.layout import TreeId, tree_of
from spanemu.storage.observer import TreeWrite
from spanemu.storage.store import Store
from spanemu.storage.versions import row_cells
from spanemu.txn.change_capture import backfilled
from spanemu.txn.rules import CompiledSchema, CompiledTable, Row

CHECKED_EVERY = 512  # rows between two checks for cancellation


@dataclass(frozen=True, eq=False, slots=True)
class Data:
    """The stored rows during a change, the rules of the next schema, and the change's timestamp.

    `backfilled` holds the masks, by tree, of the cells that a job fills with default values: the
    only writes of a schema change that change streams record.
    """

    store: Store
    rules: CompiledSchema
    at: int
    context: Context
    backfilled: dict[TreeId, int] = field(default_factory=dict)

    def rules_of(self, table: str) -> CompiledTable:
        """Return the rules of a table of the next schema, by its exact name."""
        schema = self.rules.schema
        return self.rules.of(schema.tables[schema.fold(table)])

    def rows(self, table: Table) -> Iterator[tuple[bytes, Row]]:
        """Yield (encoded key, row) for each row, with NULL for the cells of added columns.

        Raises Cancelled when the request that started the change was cancelled.
        """
        width, call = table.width, current()
        for number, (key, row) in enumerate(self.store.scan_items(tree_of(table))):
            if number % CHECKED_EVERY == 0:
                call.check()
            yield key, row_cells(row, width)


Job = Callable[[Data], Sequence[TreeWrite]]


@dataclass(frozen=True, slots=True)
class Change:
    """A statement's effect. `schema` is the same object if the statement changes nothing.

    `database` is the id of the database that the statement names, "" if it names none.
    """

    schema: Schema
    jobs: Sequence[Job] = field(default=())
    database: str = ""

    def work(
        self, store: Store, rules: CompiledSchema, at: int, context: Context
    ) -> Sequence[RowChange]:
        """Run the jobs under the store's mutex, and return the watched rows that they filled.

        Raises before anything is written.
        """
        if not self.jobs:
            return ()
        data = Data(store, rules, at, context)
        with Pause():
            writes = [write for job in self.jobs for write in job(data)]
            changes = backfilled(store, data.backfilled, writes)
            if writes:
                store.apply(writes, at)
        return changes
