"""A database: its schema and rows through time, its sessions, and its operations for tests.

apply_ddl              schema changes, applied one statement after another
sessions               the entry of all data requests
snapshot / restore     back to an earlier state, at the cost of the changes since
clone                  another database with the same content, shared until written
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from spanemu.base.clock import Clock
from spanemu.base.errors import SpannerError
from spanemu.base.record import dataclass
from spanemu.database import change_streams as streams
from spanemu.database import errors, gauges, physical, sql_failures
from spanemu.database.content import Content, Contents, DatabaseSnapshot, check_own
from spanemu.database.core import DatabaseCore, Environment
from spanemu.database.database_time import DatabaseTime, RowDeletion
from spanemu.database.encryption import GOOGLE_DEFAULT_KEYS
from spanemu.database.generation import Generation, History
from spanemu.database.options import StatementRequest
from spanemu.database.schema_changes import DdlOutcome, SchemaChanges
from spanemu.database.sessions.registry import Sessions
from spanemu.database.splits.split_manager import SplitManager
from spanemu.database.splits.split_points import SplitPoints
from spanemu.database.statements.query_engine import Footprint, footprint_of, prepare
from spanemu.database.transactions.read_write import interfere
from spanemu.ddl import schema_text
from spanemu.hotspots import split_info
from spanemu.schema.dialect import DatabaseDialect
from spanemu.schema.objects import NO_TYPES, ProtoTypes
from spanemu.schema.schema import Schema, empty_schema
from spanemu.storage.layout import Boundary, Origin, tree_of
from spanemu.storage.split_map import SplitLocation
from spanemu.storage.split_settings import SplitPolicy
from spanemu.storage.store import Store

if TYPE_CHECKING:
    from spanemu.database.splits.hotspot_monitor import HotspotMonitor


@dataclass(frozen=True, slots=True)
class RestoreSource:
    """The backup that a database was restored from, which may be deleted. Times in nanoseconds."""

    backup: str
    version_time: int
    create_time: int
    source_database: str


class Database:
    """A database by its full resource name. Times are in nanoseconds."""

    def __init__(self, core: DatabaseCore) -> None:
        self._core = core
        self._schema_changes = SchemaChanges(core)
        self.sessions = Sessions(core)
        self._row_deletion = RowDeletion(core)
        self._contents = Contents(core)
        self.time = DatabaseTime(core, self.sessions, self._row_deletion)
        self.drop_protection = False
        self.encryption_keys = GOOGLE_DEFAULT_KEYS
        self.restored_from: RestoreSource | None = None
        self._hotspot_monitor: HotspotMonitor | None = None

    @classmethod
    def create(cls, name: str, environment: Environment, dialect: DatabaseDialect) -> Database:
        """Return a new, empty database, whose dialect never changes."""
        store = Store(environment.clock, environment.retention_nanos)
        first = Generation(empty_schema(environment.limits, dialect), environment.limits)
        return cls(DatabaseCore(name, environment, store, History(first)))

    @classmethod
    def restored(cls, name: str, content: Content, source: RestoreSource) -> Database:
        """Return a new database with the content of a backup."""
        database = cls(content.database(name))
        database.restored_from = source
        return database

    @property
    def name(self) -> str:
        """The resource name: projects/P/instances/I/databases/D."""
        return self._core.name

    @property
    def core(self) -> DatabaseCore:
        """The shared parts, which an exploration observes."""
        return self._core

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
        return self._hotspot_monitor or self._create_hotspot_monitor()

    def _create_hotspot_monitor(self) -> HotspotMonitor:
        from spanemu.database.splits.hotspot_monitor import HotspotMonitor

        core = self._core
        with core.store.mutex:
            if self._hotspot_monitor is None:  # Another thread may have been faster.
                monitor = HotspotMonitor(core)
                core.commit_observer, core.split_stats = monitor, monitor.split_stats
                self._hotspot_monitor = monitor
            return self._hotspot_monitor

    @property
    def split_points(self) -> SplitPoints:
        """The split points that users added."""
        return self._core.split_points

    @property
    def change_streams(self) -> streams.ChangeStreams:
        """The partitions of the change streams, for tests."""
        return streams.ChangeStreams(self._core)

    @property
    def splitting(self) -> SplitManager:
        """The manager of the splits."""
        return self._core.splitting

    def follow_nodes(self, nodes: int) -> None:
        """Set the number of nodes of the instance."""
        self._core.splitting.follow_nodes(nodes)

    def gauges(self) -> gauges.DatabaseGauges:
        """Return the current state as a few numbers, for metrics."""
        return gauges.gauges_of(self._core, self.sessions)

    def last_commit(self) -> split_info.CommitSplits | None:
        """Return the splits of the last commit; None if none was made since the first call."""
        splitting = self._core.splitting
        splitting.keeps_commits = True
        if splitting.last_commit is None:
            return None
        texts = [(splitting.text_at(split), split.server) for split in splitting.last_commit]
        # The splits of dropped tables have no text.
        known = [(text, server) for text, server in texts if text is not None]
        return split_info.CommitSplits(
            tuple(text for text, _ in known), tuple(server for _, server in known)
        )

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
        return schema_text.ddl_statements(self.schema, self._core.database_id)

    def restart_history(self) -> None:
        """Forget earlier schemas: reads at earlier times find the current tables, empty."""
        self._core.history.restart_history()

    def apply_ddl(
        self,
        statements: Sequence[str],
        sent: ProtoTypes = NO_TYPES,
        outcome: DdlOutcome | None = None,
        *,
        whole: bool = True,
    ) -> DdlOutcome:
        """Run schema statements in order. See `SchemaChanges.apply`."""
        outcome = outcome or DdlOutcome()
        try:
            self._schema_changes.apply(statements, sent, outcome, whole=whole)
        except SpannerError as failure:
            sql_failures.report_ddl(failure, self.schema.dialect)
            raise
        if outcome.failure is not None:
            sql_failures.report_ddl(outcome.failure, self.schema.dialect)
        return outcome

    # ------------------------------------------------------------------ operations for tests

    def snapshot(self, name: str = "") -> DatabaseSnapshot:
        """Return a snapshot of the current state, for `restore`."""
        return DatabaseSnapshot.of(self._core, name)

    def holds(self, snapshot: DatabaseSnapshot) -> bool:
        """Return whether a snapshot can be restored."""
        return snapshot.is_of(self._core)

    def restore(self, snapshot: DatabaseSnapshot) -> None:
        """Restore the state of a snapshot; open transactions are aborted, sessions stay open.

        Streams that wait for rows fail. The collected statistics are deleted. The cost depends on
        the changes since the snapshot. Raises ValueError for a snapshot that an earlier restore
        made invalid, and for a snapshot of another database.
        """
        check_own(self._core, snapshot)
        why = "The database was restored."
        with self._core.store.mutex:  # No commit is in progress while it is held.
            self._core.readers.end(partial(errors.RestoredWhileRead, self.name))
            self._core.store.restore(snapshot.store)
            self._core.store.followers.clear()
            self._core.restore_schema(snapshot.history)
            self._contents.forget()
            self.sessions.abort_all(why)
            self._core.locks.wound_all(why)
            self._core.splitting.restored(snapshot.splitting)
        self.time.follow_if_passed()
        self._core.aggregator.forget()

    def forget_history(self) -> None:
        """Make the current schema and rows older than any time, unless snapshots exist."""
        with self._core.schema_mutex, self._core.store.mutex:
            if self._core.store.forget_history():
                self._core.history.restart_history()
                self._contents.forget()
        self.time.follow_if_passed()

    def abort_transactions(self) -> None:
        """Abort every open read-write transaction; sessions stay open."""
        self.sessions.abort_all("It was aborted on purpose, by abort_transactions.")

    def abort_transaction(self, id_: str) -> None:
        """Abort an open read-write transaction. Raises TransactionNotFound."""
        reason = "It was aborted on purpose, by abort_transaction."
        self.sessions.abort(id_.encode("ascii", "replace"), reason)

    def delete_expired_rows(self) -> int:
        """Apply the row deletion policies; return the number of deleted rows."""
        return self._row_deletion.sweep()

    def interfere(self, statements: Sequence[str]) -> None:
        """Run DML in a transaction that wounds every conflicting one, and commit it."""
        interfere(self._core, statements)

    def footprint(self, request: StatementRequest) -> Footprint:
        """Return the properties of a statement's plan that tests assert on.

        Raises the error of an invalid statement.
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
        clone = Database(core)
        clone.encryption_keys = self.encryption_keys
        return clone

    def content(self, at: int) -> Content:
        """Return the content at a readable timestamp, for a backup."""
        return self._contents.at(at)

    def boundary(self, table: str, key: Sequence[Any], index: str = "") -> Boundary:
        """Return the boundary before a row of a table or index; the row need not exist.

        `key` holds raw values, as requests do: the whole key of a table; the own key of an index,
        optionally followed by the rest of its table's key. Under the policy `root_only` the table
        must be a root.
        """
        schema, splitting = self.schema, self._core.splitting
        source = physical.table_or_index(schema, table, index)
        if splitting.settings.policy is SplitPolicy.ROOT_ONLY and source.parent is not None:
            raise errors.SplitInsideHierarchy(source.name, physical.root_name(schema, source))
        return splitting.boundaries_of(source, Origin.TEST)(physical.row_key(source, key))

    def split_at(self, table: str, key: Sequence[Any], index: str = "") -> None:
        """Add a split boundary before a row, which need not exist. See `boundary`."""
        self._core.store.cut([self.boundary(table, key, index)])

    def merge_at(self, table: str, key: Sequence[Any], index: str = "") -> bool:
        """Remove the split boundary before a row; return False if there is none."""
        return self._core.store.merge([self.boundary(table, key, index)])

    def split_of(self, table: str, key: Sequence[Any], index: str = "") -> SplitLocation:
        """Return the split of a row, which need not exist."""
        source = physical.table_or_index(self.schema, table, index)
        (split,) = self._core.store.split_map.splits_with_keys(
            [(tree_of(source), physical.row_key(source, key))]
        )
        return split

    def physical_layout(self, *, servers: bool = False) -> str:
        """Return rows, split boundaries and optionally servers as text, in interleaved order."""
        self._core.splitting.fit_sizes()
        return physical.physical_layout(self._core.store, self.schema, servers=servers)

    def map_sizes(self) -> dict[int, int]:
        """Return the numbers of rows of the store's dictionaries, by their identity."""
        return self._core.store.map_sizes()

    def close(self) -> None:
        """Drop the database: sessions end, waiting requests fail, and no commit follows.

        An acknowledged commit was applied before: both happen under the store's mutex.
        """
        with self._core.store.mutex:
            self._core.closed = True
            self._core.stream_readers.wake_all()
        name = self.name
        self._core.readers.close(lambda: errors.DatabaseNotFound(name))
        self.sessions.close()
        self._core.expect_garbage()
