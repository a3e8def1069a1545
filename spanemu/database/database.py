"""A database: its schema and rows through time, its sessions, and its operations for tests.

apply_ddl              schema changes, applied one statement after another
sessions               the entry of all data requests
snapshot / restore     back to an earlier state, at the cost of the changes since
clone                  another database with the same content, shared until written
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from spanemu.base.call import Call, Cancelled
from spanemu.base.clock import Clock
from spanemu.base.errors import SpannerError
from spanemu.database.content import Content, Contents
from spanemu.database.core import DatabaseCore
from spanemu.database.database_time import DatabaseTime
from spanemu.database.drop_protection import refuse_drops
from spanemu.database.encryption import GOOGLE_DEFAULT_KEYS
from spanemu.database.environment import Environment
from spanemu.database.errors import SchemaUpdateCancelled
from spanemu.database.generation import Generation
from spanemu.database.options import StatementRequest
from spanemu.database.physical import physical_layout, root_name, row_key, table_or_index
from spanemu.database.restore_point import DatabaseSnapshot, check_own
from spanemu.database.row_deletion import RowDeletion
from spanemu.database.sessions.registry import Sessions
from spanemu.database.splits.errors import SplitInsideHierarchy
from spanemu.database.splits.participants import commit_splits
from spanemu.database.splits.split_manager import SplitManager
from spanemu.database.splits.split_points import SplitPoints
from spanemu.database.statements.context import StatementContext
from spanemu.database.statements.footprint import Footprint, footprint_of
from spanemu.database.statements.query_engine import prepare
from spanemu.database.transactions.conflict import interfere
from spanemu.ddl.apply import Step, plan_batch
from spanemu.hotspots.simulation.settings import SplitPolicy
from spanemu.hotspots.split_info import CommitSplits
from spanemu.schema.ddl_text import ddl_statements
from spanemu.schema.history import History
from spanemu.schema.index import Index
from spanemu.schema.objects import NO_TYPES, ProtoTypes
from spanemu.schema.schema import Schema, empty_schema
from spanemu.schema.table import Table
from spanemu.storage.boundary import Boundary, Origin, path_of
from spanemu.storage.layout import tree_of
from spanemu.storage.split_map import SplitLocation
from spanemu.storage.store import Store

if TYPE_CHECKING:
    from spanemu.database.splits.hotspot_monitor import HotspotMonitor

GENERATIONS_COMPILED_MAX = 16  # of a database; a restore goes back by a few generations


@dataclass(slots=True)
class DdlOutcome:
    """The result of a batch of schema statements, complete or in progress.

    `failure` is the error of the first statement that existing data violates. The batch runs as a
    `call` of its own, which outlives the request and has no deadline.
    """

    commit_timestamps: list[int] = field(default_factory=list)
    failure: SpannerError | None = None
    call: Call = field(default_factory=Call)

    def cancel(self) -> None:
        """Cancel the current and the following statements; callable from any thread."""
        self.call.cancel()

    @property
    def applied(self) -> int:
        """The number of statements that took effect."""
        return len(self.commit_timestamps)


@dataclass(frozen=True, slots=True)
class RestoreSource:
    """The backup that a database was restored from, which may be deleted. Times in nanoseconds."""

    backup: str
    version_time: int
    create_time: int
    source_database: str


class Database:
    """A database by its full resource name. Times are in nanoseconds."""

    def __init__(self, name: str, environment: Environment) -> None:
        store = Store(environment.clock, environment.retention_nanos)
        first = Generation(empty_schema(environment.limits), environment.limits)
        self._start(DatabaseCore(name, environment, store, History(first)))

    def _start(self, core: DatabaseCore) -> None:
        self._core = core
        self.sessions = Sessions(core)
        self._row_deletion = RowDeletion(core)
        self._contents = Contents(core)
        self.time = DatabaseTime(core, self.sessions, self._row_deletion)
        self.drop_protection = False
        self.encryption_keys = GOOGLE_DEFAULT_KEYS
        self.restored_from: RestoreSource | None = None
        self._hotspot_monitor: HotspotMonitor | None = None

    @property
    def name(self) -> str:
        """The resource name: projects/P/instances/I/databases/D."""
        return self._core.name

    @property
    def schema(self) -> Schema:
        """The current schema."""
        return self._core.generation.schema

    @property
    def clock(self) -> Clock:
        """The database's own clock."""
        return self._core.store.clock

    @property
    def create_time(self) -> int:
        """The creation time; never later than the current time."""
        return self.time.create_time

    @property
    def hotspot_monitor(self) -> HotspotMonitor:
        """The monitor of the database's writes, created on first use."""
        from spanemu.database.splits.hotspot_monitor import HotspotMonitor

        core = self._core
        with core.store.mutex:
            if self._hotspot_monitor is None:
                monitor = self._hotspot_monitor = HotspotMonitor(core)
                core.commit_observer, core.split_stats = monitor, monitor.split_stats
            return self._hotspot_monitor

    @property
    def split_points(self) -> SplitPoints:
        """The split points that users added."""
        return self._core.split_points

    @property
    def splitting(self) -> SplitManager:
        """The manager of the splits."""
        return self._core.splitting

    def follow_nodes(self, nodes: int) -> None:
        """Set the number of nodes of the instance."""
        self._core.splitting.follow_nodes(nodes)

    def last_commit(self) -> CommitSplits | None:
        """Return the splits of the last commit; None if none was made since the first call."""
        splitting = self._core.splitting
        splitting.keeps_commits = True
        touched = splitting.last_commit
        return None if touched is None else commit_splits(self._core, touched)

    @property
    def version_retention_nanos(self) -> int:
        """The version retention period."""
        return self._core.store.retention_nanos

    @property
    def default_leader(self) -> str:
        """The leader region, as set by ALTER DATABASE."""
        return str(self.schema.options.get("default_leader") or "")

    @property
    def partitions(self) -> tuple[str, ...]:
        """The sorted ids of the instance partitions that the placements name."""
        placements = self.schema.placements.values()
        ids = {str(placement.options.get("instance_partition") or "") for placement in placements}
        return tuple(sorted(ids - {""}))

    def earliest_version_time(self) -> int:
        """Return the earliest timestamp that can be read."""
        horizon = self._core.store.clock.peek() - self.version_retention_nanos
        return max(self.create_time, horizon)

    # ------------------------------------------------------------------ schema

    def ddl(self) -> list[str]:
        """Return the schema as canonical statements."""
        return ddl_statements(self.schema, self._core.database_id)

    def restart_history(self) -> None:
        """Make the current schema the first: earlier reads see its tables empty."""
        self._core.history.restart_history()

    def apply_ddl(
        self,
        statements: Sequence[str],
        sent: ProtoTypes = NO_TYPES,
        outcome: DdlOutcome | None = None,
    ) -> DdlOutcome:
        """Run schema statements in order; `sent` are the protocol buffer types they may name.

        Raises if a statement is invalid by itself or against the schema; then no statement is
        applied. A statement that existing data violates ends the batch, and the statements before
        it stay applied. Batches run one after another; `outcome` shows the progress of this batch
        and can cancel it.
        """
        core = self._core
        outcome = outcome or DdlOutcome()
        with core.schema_mutex, outcome.call as call:
            core.check_open()
            try:
                steps = plan_batch(statements, core.changeable_schema, sent, core.is_other_database)
                refuse_drops(core, steps)
            except Cancelled:
                steps, outcome.failure = (), SchemaUpdateCancelled(0, len(statements))
            for step in steps:
                try:
                    call.check()
                    outcome.commit_timestamps.append(self._apply(step))
                except Cancelled:
                    outcome.failure = SchemaUpdateCancelled(outcome.applied, len(statements))
                    break
                except SpannerError as failure:
                    outcome.failure = failure
                    break
            return outcome

    def _apply(self, step: Step) -> int:
        """Apply a statement: create trees, change data, publish the schema, drop trees."""
        store, before, environment = self._core.store, self.schema, self._core.environment
        with store.mutex:
            began = store.clock.now()
            if step.schema.generation == before.generation:
                return began
            added = step.schema.created_since(before)
            filling = self._filling(step.schema, added)
            at = began if filling is None else store.clock.now()
            for source in added:
                path = path_of(step.schema, source)
                store.create_tree(path[-1], path[0], path)
            try:
                generation = Generation(step.schema, environment.limits)
                context = StatementContext(self._core, generation.schema, writable=True)
                step.work(store, generation.rules, at, context)
            except BaseException:
                for source in added:
                    store.drop_tree(tree_of(source))
                raise
            for source in before.dropped_in(step.schema):
                store.drop_tree(tree_of(source), at)
            store.retention_nanos = step.schema.retention_nanos(environment.retention_nanos)
            if filling is not None:
                self._publish(Generation(filling, environment.limits), began)
            self._publish(generation, at)
            self._core.locks.wound_all("The database schema has changed.")
            return at

    def _publish(self, generation: Generation, at: int) -> None:
        """Make the generation current, and clear the compiled plans of an old one."""
        self._core.history.append(generation, at)
        generations = self._core.history.all()
        if len(generations) > GENERATIONS_COMPILED_MAX:
            generations[-GENERATIONS_COMPILED_MAX - 1].forget()

    def _filling(self, schema: Schema, added: Sequence[Table | Index]) -> Schema | None:
        """Return the schema while new indexes are backfilled; None if their tables have no rows.

        The backfill takes a single tick of the clock here, but a read as of that tick must not use
        an index that Spanner would still be building.
        """
        filling = schema
        for source in added:
            if isinstance(source, Index):
                table = schema.tables[source.table.lower()]
                if self._core.store.row_count(tree_of(table)):
                    filling = filling.with_index(replace(source, ready=False))
        return None if filling is schema else filling

    # ------------------------------------------------------------------ operations for tests

    def snapshot(self) -> DatabaseSnapshot:
        """Return a snapshot of the current state, for `restore`."""
        return DatabaseSnapshot.of(self._core)

    def restore(self, snapshot: DatabaseSnapshot) -> None:
        """Restore the state of a snapshot; open transactions are aborted, sessions stay open.

        The collected statistics are deleted. The cost depends on the changes since the snapshot.
        Raises ValueError for a snapshot that an earlier restore made invalid, and for a snapshot of
        another database.
        """
        check_own(self._core, snapshot)
        why = "The database was restored."
        with self._core.store.mutex:  # No commit is in progress while it is held.
            self._core.store.restore(snapshot.store)
            self._core.restore_schema(snapshot.history)
            self._contents.forget()
            self.sessions.abort_all(why)
            self._core.locks.wound_all(why)
            self._core.splitting.restored(snapshot.splitting)
        self.time.rejoin()
        self._core.ledger.forget()

    def settle(self) -> None:
        """Make the current schema and rows older than any time, unless snapshots exist."""
        with self._core.schema_mutex, self._core.store.mutex:
            if self._core.store.forget_history():
                self._core.history.restart_history()
                self._contents.forget()
        self.time.rejoin()

    def abort_transactions(self) -> None:
        """Abort every open read-write transaction; sessions stay open."""
        self.sessions.abort_all("It was aborted on purpose, by abort_transactions.")

    def delete_expired_rows(self) -> int:
        """Apply the row deletion policies; return the number of deleted rows."""
        return self._row_deletion.sweep()

    def interfere(self, statements: Sequence[str]) -> None:
        """Run DML in a transaction that wounds every conflicting one, and commit it."""
        interfere(self._core, statements)

    def footprint(self, request: StatementRequest) -> Footprint:
        """Return the properties of a statement's plan that tests assert on; raise if it is
        invalid.
        """
        prepared = prepare(self._core.generation, request, self._core.statistics)
        return footprint_of(prepared.executable.plan)

    def forget(self, snapshot: DatabaseSnapshot) -> None:
        """Release a snapshot of this database, so that changes need not be recorded for it."""
        check_own(self._core, snapshot)
        snapshot.release()

    def clone(self, name: str) -> Database:
        """Return a database with the same content, shared until either is written."""
        with self._core.store.mutex:
            core = DatabaseCore(
                name, self._core.environment, self._core.store.clone(), self._core.history.copy()
            )
        core.splitting.configure_like(self._core.splitting)
        twin = Database.__new__(Database)
        twin._start(core)
        twin.encryption_keys = self.encryption_keys
        return twin

    def content(self, at: int) -> Content:
        """Return the content at a readable timestamp, for a backup."""
        return self._contents.at(at)

    @classmethod
    def restored(cls, name: str, content: Content, source: RestoreSource) -> Database:
        """Return a new database with the content of a backup."""
        database = cls.__new__(cls)
        database._start(content.database(name))
        database.restored_from = source
        return database

    def boundary(self, table: str, key: Sequence[Any], index: str = "") -> Boundary:
        """Return the boundary before a row of a table or index; the row need not exist.

        `key` holds raw values, as requests do: the whole key of a table; the own key of an index,
        optionally followed by the rest of its table's key. Under the policy `root_only` the table
        must be a root.
        """
        schema, splitting = self.schema, self._core.splitting
        source = table_or_index(schema, table, index)
        if splitting.settings.policy is SplitPolicy.ROOT_ONLY and source.parent is not None:
            raise SplitInsideHierarchy(source.name, root_name(schema, source))
        return splitting.boundaries_of(source, Origin.TEST)(row_key(source, key))

    def split_at(self, table: str, key: Sequence[Any], index: str = "") -> None:
        """Add a split boundary before a row, which need not exist. See `boundary`."""
        self._core.store.cut([self.boundary(table, key, index)])

    def merge_at(self, table: str, key: Sequence[Any], index: str = "") -> bool:
        """Remove the split boundary before a row; return False if there is none."""
        return self._core.store.merge([self.boundary(table, key, index)])

    def split_of(self, table: str, key: Sequence[Any], index: str = "") -> SplitLocation:
        """Return the split of a row, which need not exist."""
        source = table_or_index(self.schema, table, index)
        (split,) = self._core.store.split_map.splits_with_keys(
            [(tree_of(source), row_key(source, key))]
        )
        return split

    def physical_layout(self, *, servers: bool = False) -> str:
        """Return rows, split boundaries and optionally servers as text, in interleaved order."""
        self._core.splitting.fit_sizes()
        return physical_layout(self._core.store, self.schema, servers=servers)

    def close(self) -> None:
        """Drop the database: sessions end, waiting requests fail, and no commit follows.

        An acknowledged commit was applied before: both happen under the store's mutex.
        """
        with self._core.store.mutex:
            self._core.closed = True
        self.sessions.close()
