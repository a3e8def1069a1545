"""What a backup holds of a database: rows and schema as of one timestamp, shared until written.

The rows are a clone of the store (docs/adr/0001: version chains are immutable), so keeping them
costs what the database changes afterwards, and they outlive its old versions and the database
itself. What is restored begins with this content: earlier timestamps cannot be read in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from weakref import ReferenceType, ref

from spanemu.database.core import DatabaseCore
from spanemu.database.environment import Environment
from spanemu.database.generation import Generation
from spanemu.database.statistics.weight import row_weigher
from spanemu.schema.history import History
from spanemu.schema.schema import Schema, empty_schema
from spanemu.storage.boundary import Boundary, Origin, path_of
from spanemu.storage.layout import tree_of
from spanemu.storage.store import Store

WEIGHED_ROWS_MAX = 1_000  # of each table and index; the others are taken to be like them


@dataclass(frozen=True, eq=False)
class Content:
    """Rows and schema of a database as of a timestamp. Nobody writes into `store`."""

    environment: Environment
    store: Store
    generation: Generation

    @cached_property
    def size_bytes(self) -> int:
        """How much room it takes: exact for small tables, estimated for large ones."""
        total = 0
        for thing in self.generation.schema.tables_and_indexes():
            rows = list(islice(self.store.scan(tree_of(thing)), WEIGHED_ROWS_MAX))
            if rows:
                count = max(len(rows), self.store.row_count(tree_of(thing)))
                total += sum(map(row_weigher(thing), rows)) * count // len(rows)
        return total

    def database(self, name: str) -> DatabaseCore:
        """A database with this content, without its row deletion policies.

        Spanner drops them too, lest what was just restored is deleted at once.
        """
        schema, environment = without_row_deletion(self.generation.schema), self.environment
        generation = self.generation
        if schema is not generation.schema:
            generation = Generation(schema, environment.limits)
        store = self.store.clone()
        store.clock = environment.clock
        if store.last_commit >= store.clock.peek():
            store.forget_history()
        store.merge(_split_points(store))
        store.retention_nanos = schema.retention_nanos(environment.retention_nanos)
        history = History(Generation(empty_schema(environment.limits), environment.limits))
        history.append(generation, environment.clock.now())
        return DatabaseCore(name, environment, store, history)


class Contents:
    """The contents of one database, each made once: backups of what has not changed share it."""

    def __init__(self, core: DatabaseCore) -> None:
        self._core = core
        self._newest: tuple[int, ReferenceType[Content]] | None = None  # as of the last commit

    def at(self, at: int) -> Content:
        """What the database held at a timestamp that can still be read."""
        store = self._core.store
        with store.mutex:
            generation = self._generation(at)
            if at < store.last_commit:
                return self._make(at, generation)
            if self._newest is not None and self._newest[0] == store.last_commit:
                known = self._newest[1]()
                if known is not None and self._is_still(known, generation):
                    return known
            made = self._make(at, generation)
            self._newest = store.last_commit, ref(made)
            return made

    def forget(self) -> None:
        """Rows have changed without a commit."""
        self._newest = None

    def _is_still(self, known: Content, generation: Generation) -> bool:
        drawn = _sequences(self._core.store, generation.schema)
        return known.generation is generation and known.store.sequences == drawn

    def _generation(self, at: int) -> Generation:
        history = self._core.history
        generation = history.at(at)
        while not all(index.ready for index in generation.schema.indexes.values()):
            # An index was being filled; Spanner has no index in a backup that cannot be used.
            at = history.start(at) - 1
            generation = history.at(at)
        return generation

    def _make(self, at: int, generation: Generation) -> Content:
        # Trees that came later would have ids that are free again; those dropped since come back.
        schema = generation.schema
        paths = {tree_of(thing): path_of(schema, thing) for thing in schema.tables_and_indexes()}
        store = self._core.store.as_of(at, paths)
        store.sequences = _sequences(store, schema)
        return Content(self._core.environment, store, generation)


def _sequences(store: Store, schema: Schema) -> dict[int, int]:
    """How far the sequences have come that a schema can have."""
    return {each: drawn for each, drawn in store.sequences.items() if each < schema.next_id}


def _split_points(store: Store) -> list[Boundary]:
    """The boundaries that users asked for, which a restored database does not have."""
    hierarchies = store.split_map.hierarchies.values()
    return [
        boundary
        for hierarchy in hierarchies
        for boundary in hierarchy.tiling.boundaries
        if boundary.origin is Origin.USER
    ]


def without_row_deletion(schema: Schema) -> Schema:
    """The schema with no row deletion policy on any table; the same one if it has none."""
    for table in list(schema.tables.values()):
        if table.row_deletion_policy is not None:
            schema = schema.with_table(replace(table, row_deletion_policy=None))
    return schema
