"""How many rows and bytes commits wrote, and each of their statements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spanemu.database.activity import ActivityLog, Attempt, Meter
from spanemu.database.statistics.weight import row_weigher
from spanemu.schema.schema import Schema
from spanemu.sql.plan.statements import DmlPlan
from spanemu.storage.layout import TreeId, hierarchy_of, key_reader, tree_of
from spanemu.storage.structure import Place, Structure


@dataclass(frozen=True, slots=True)
class Written:
    """Rows of one table that a transaction wrote: how many remain, how many bytes they have."""

    rows: int
    size: int


class Weighed:
    """What commits wrote, by the tables of one schema and the splits that there are now."""

    def __init__(self, schema: Schema, structure: Structure) -> None:
        self._structure = structure
        self._keys = {tree_of(thing): key_reader(thing) for thing in schema.sorted_things()}
        self._tables = {tree_of(table): table for table in schema.tables.values()}
        self._weighers = {tree: row_weigher(table) for tree, table in self._tables.items()}
        self._hierarchies: dict[TreeId, TreeId] = {
            tree_of(thing): hierarchy_of(schema, thing) for thing in schema.sorted_things()
        }

    def by_table(self, attempt: Attempt) -> dict[str, Written]:
        """Rows that were inserted or updated; of many, the size is estimated from some."""
        found = {}
        for tree, rows, count in attempt.rows:
            left = [row for row in rows if row is not None]
            table = self._tables.get(TreeId(tree))
            if table is None or not left:
                continue
            weigh = self._weighers[TreeId(tree)]
            scale = count / len(rows)
            size = sum(map(weigh, left))
            found[table.name] = Written(round(len(left) * scale), round(size * scale))
        return found

    def participants(self, attempt: Attempt) -> int:
        """About how many splits a commit wrote to; of many rows some are looked at.

        Of what was deleted no keys are kept: it counts as one split of its hierarchy at least.
        """
        found: set[Place] = set()
        trees: set[TreeId] = set()
        for tree, rows, _ in attempt.rows:
            trees.add(self._hierarchies.get(TreeId(tree), TreeId(tree)))
            key_of = self._keys.get(TreeId(tree))
            if key_of is not None:
                keys = [(TreeId(tree), key_of(row)) for row in rows if row is not None]
                found |= self._structure.places_having(keys)
        return max(1, len(found) + len(trees - {place.hierarchy for place in found}))


def bytes_written(log: ActivityLog, schema: Schema) -> Callable[[Meter], float]:
    """How many bytes a DML statement wrote, by the mean size of its transaction's rows."""
    weighed = Weighed(schema, log.structure)
    by_age = {attempt.age: attempt for attempt in list(log.attempts)}

    def size(request: Meter) -> float:
        attempt = None if request.age is None else by_age.get(request.age)
        if attempt is None or not request.written:
            return 0.0
        plans = [source.executable.plan for source in request.sources if source is not None]
        names = {plan.table.name for plan in plans if isinstance(plan, DmlPlan)}
        tables = weighed.by_table(attempt)
        written = [tables[name] for name in names if name in tables]
        rows = sum(one.rows for one in written)
        return request.written * sum(one.size for one in written) / rows if rows else 0.0

    return size
