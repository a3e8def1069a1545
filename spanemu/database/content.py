"""Saved states of a database: snapshots for a restore, and the content of backups.

A content is rows and schema as of a timestamp, shared until written. The rows are a clone of the
store (docs/adr/0001: version chains are immutable), so a content costs as much memory as the
database changes afterwards, and it outlives the old versions and the database. A restored database
begins with this content: earlier timestamps cannot be read in it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from itertools import islice
from weakref import ReferenceType, ref

from spanemu.base.clock import ClockState
from spanemu.base.record import dataclass
from spanemu.change_streams.following import follow_schema
from spanemu.database.core import DatabaseCore, Environment
from spanemu.database.generation import Generation, History
from spanemu.database.splits.split_manager import SplittingState
from spanemu.database.statistics import weight
from spanemu.schema.schema import Schema, empty_schema
from spanemu.storage.garbage_collection import StoreSnapshot
from spanemu.storage.layout import Boundary, Origin, path_of, tree_of
from spanemu.storage.store import Store

WEIGHED_ROWS_MAX = 1_000  # of each table and index, to estimate the size of all


@dataclass(frozen=True, eq=False)
class Content:
    """Rows and schema of a database as of a timestamp. `store` is never written."""

    environment: Environment
    store: Store
    generation: Generation

    @cached_property
    def size_bytes(self) -> int:
        """The size: exact for small tables, estimated for large ones."""
        total = 0
        for source in self.generation.schema.tables_and_indexes():
            rows = list(islice(self.store.scan(tree_of(source)), WEIGHED_ROWS_MAX))
            if rows:
                count = max(len(rows), self.store.row_count(tree_of(source)))
                total += sum(map(weight.row_weigher(source), rows)) * count // len(rows)
        return total

    def database(self, name: str) -> DatabaseCore:
        """Return the core of a new database with this content, without its row deletion policies.

        Spanner drops the policies too, so that restored rows are not deleted at once. Its change
        streams begin empty, because backups hold none of their records.
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
        empty = empty_schema(environment.limits, schema.dialect)
        history = History(Generation(empty, environment.limits))
        now = environment.clock.now()
        history.append(generation, now)
        follow_schema(store, schema, now, environment.randomness.token)
        return DatabaseCore(name, environment, store, history)


class Contents:
    """The contents of a database, built once each: backups of an unchanged database share a
    content.
    """

    def __init__(self, core: DatabaseCore) -> None:
        self._core = core
        self._newest: tuple[int, ReferenceType[Content]] | None = None  # as of the last commit

    def at(self, at: int) -> Content:
        """Return the content at a timestamp that can still be read."""
        store = self._core.store
        with store.mutex:
            generation = self._generation(at)
            if at < store.last_commit:
                return self._make(at, generation)
            if self._newest is not None and self._newest[0] == store.last_commit:
                shared = self._newest[1]()
                if shared is not None and self._is_still(shared, generation):
                    return shared
            content = self._make(at, generation)
            self._newest = store.last_commit, ref(content)
            return content

    def forget(self) -> None:
        """Discard the shared content, because rows have changed without a commit."""
        self._newest = None

    def _is_still(self, known: Content, generation: Generation) -> bool:
        drawn = _sequences(self._core.store, generation.schema)
        return known.generation is generation and known.store.sequences == drawn

    def _generation(self, at: int) -> Generation:
        history = self._core.history
        generation = history.at(at)
        while not all(index.ready for index in generation.schema.all_indexes()):
            # An index was being backfilled; a backup in Spanner contains no unfinished index.
            at = history.start(at) - 1
            generation = history.at(at)
        return generation

    def _make(self, at: int, generation: Generation) -> Content:
        # Leave out trees created later, whose ids are free again; include trees dropped since.
        schema = generation.schema
        paths = {tree_of(source): path_of(schema, source) for source in schema.tables_and_indexes()}
        store = self._core.store.as_of(at, paths)
        store.sequences = _sequences(store, schema)
        return Content(self._core.environment, store, generation)


def _sequences(store: Store, schema: Schema) -> dict[int, int]:
    """Return the counters of the sequences that the schema can have."""
    return {id_: drawn for id_, drawn in store.sequences.items() if id_ < schema.next_id}


def _split_points(store: Store) -> list[Boundary]:
    """Return the boundaries that users added, which a restored database does not have."""
    hierarchies = store.split_map.hierarchies.values()
    return [
        boundary
        for hierarchy in hierarchies
        for boundary in hierarchy.tiling.boundaries
        if boundary.origin is Origin.USER
    ]


def without_row_deletion(schema: Schema) -> Schema:
    """Return the schema without row deletion policies; `schema` itself if it has none."""
    for table in list(schema.tables.values()):
        if table.row_deletion_policy is not None:
            schema = schema.with_table(replace(table, row_deletion_policy=None))
    return schema


@dataclass(frozen=True, eq=False, slots=True)
class DatabaseSnapshot:
    """A state to restore. A snapshot does not keep a dropped database in memory."""

    database: str
    core: ReferenceType[DatabaseCore]
    store: StoreSnapshot
    history: History[Generation]
    splitting: SplittingState
    clock: ClockState
    taken_at: int
    name: str

    @classmethod
    def of(cls, core: DatabaseCore, name: str = "") -> DatabaseSnapshot:
        """Take a snapshot of the current state."""
        with core.store.mutex:
            store, history = core.store.snapshot(), core.history.copy()
            clock, now = core.environment.clock.state, core.environment.clock.peek()
            splitting = core.splitting.state
            return cls(core.name, ref(core), store, history, splitting, clock, now, name)

    def is_of(self, core: DatabaseCore) -> bool:
        """Return whether the snapshot can be restored in a database."""
        return self.core() is core and core.store.holds(self.store)

    def release(self) -> None:
        """Release the snapshot, so that changes need not be recorded for it."""
        core = self.core()
        if core is not None:
            core.store.forget(self.store)


def check_own(core: DatabaseCore, snapshot: object) -> None:
    """Raise ValueError unless `snapshot` is a snapshot of this database."""
    if not isinstance(snapshot, DatabaseSnapshot):
        raise ValueError(f"{snapshot!r} is not a snapshot of {core.name}")
    if snapshot.core() is core:
        return
    if snapshot.database == core.name:
        raise ValueError(f"the snapshot is of an earlier database {core.name}, which was dropped")
    raise ValueError(f"the snapshot is of {snapshot.database}, not of {core.name}")
