"""What a statement does: the next schema, and the work on data that must go with it.

The work of a change is a list of jobs. Each looks at the rows as they are, raises what they refuse,
and gives the writes that bring them in line with the next schema. Nothing is written before every
job is through; then all of it becomes visible at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from spanemu.base.call import current
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.functions.registry import Context
from spanemu.storage.layout import tree_of
from spanemu.storage.observer import TreeWrite
from spanemu.storage.store import Store
from spanemu.storage.versions import row_cells
from spanemu.txn.rules import CompiledSchema, CompiledTable, Row

CHECKED_EVERY = 512  # rows; between them nobody asks whether the change is still wanted


@dataclass(frozen=True, eq=False, slots=True)
class Data:
    """The rows that a change finds. `rules` are those of the next schema, `at` is its timestamp."""

    store: Store
    rules: CompiledSchema
    at: int
    context: Context

    def rules_of(self, table: str) -> CompiledTable:
        """Rules of a table of the next schema, by its exact name."""
        schema = self.rules.schema
        return self.rules.of(schema.tables[schema.fold(table)])

    def rows(self, table: Table) -> Iterator[tuple[bytes, Row]]:
        """Each row by its encoded key, at the table's present width; added cells are NULL.

        Raises Cancelled when the change is not wanted any more.
        """
        width, call = table.width, current()
        for place, (key, row) in enumerate(self.store.scan_items(tree_of(table))):
            if place % CHECKED_EVERY == 0:
                call.check()
            yield key, row_cells(row, width)


Job = Callable[[Data], Sequence[TreeWrite]]


@dataclass(frozen=True, slots=True)
class Change:
    """A statement's effect. `schema` is the one given when it changes nothing.

    `database` is the id of the database that the statement names, "" when it names none.
    """

    schema: Schema
    jobs: Sequence[Job] = field(default=())
    database: str = ""

    def work(self, store: Store, rules: CompiledSchema, at: int, context: Context) -> None:
        """Run the jobs, under the store's mutex; raises before anything is written."""
        if not self.jobs:
            return
        data = Data(store, rules, at, context)
        writes = [write for job in self.jobs for write in job(data)]
        if writes:
            store.apply(writes, at)
