"""One database: its schema and rows through time, its sessions, and what a test does to it.

apply_ddl              schema changes, one statement after another
sessions               where all data requests go
snapshot / restore     back to an earlier state, at a cost of what changed since
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
from spanemu.database.drop_protection import refuse_drops
from spanemu.database.encryption import GOOGLE_DEFAULT_KEYS
from spanemu.database.environment import Environment
from spanemu.database.errors import SchemaUpdateCancelled
from spanemu.database.generation import Generation
from spanemu.database.options import StatementRequest
from spanemu.database.own_time import OwnTime
from spanemu.database.physical import keyed, physical_layout, root_name, row_key
from spanemu.database.restore_point import DatabaseSnapshot, check_own
from spanemu.database.row_deletion import RowDeletion
from spanemu.database.sessions.registry import Sessions
from spanemu.database.splits.errors import SplitInsideHierarchy
from spanemu.database.splits.participants import shown
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

GENERATIONS_COMPILED_MAX = 16  # of one database: a restore takes it back by a few


@dataclass(slots=True)
class DdlOutcome:
    """The result so far of a batch of schema statements; `failure` is what stopped the batch.

    The batch runs under its own `call`, which outlives the request and has no deadline.
    """

    commit_timestamps: list[int] = field(default_factory=list)
    failure: SpannerError | None = None
    call: Call = field(default_factory=Call)

    def cancel(self) -> None:
        """Apply no more statements, nor the one whose rows are being worked on; from any thread."""
        self.call.cancel()

    @property
    def applied(self) -> int:
        """How many statements took effect."""
        return len(self.commit_timestamps)


@dataclass(frozen=True, slots=True)
class RestoreSource:
    """The backup that a database was restored from, which may be gone. Times in nanoseconds."""

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
        self.time = OwnTime(core, self.sessions, self._row_deletion)
        self.drop_protection = False
        self.encryption_keys = GOOGLE_DEFAULT_KEYS
        self.restored_from: RestoreSource | None = None

    @property
    def name(self) -> str:
        """projects/P/instances/I/databases/D"""
        return self._core.name

    @property
    def schema(self) -> Schema:
        """The schema of now."""
        return self._core.generation.schema

    @property
    def clock(self) -> Clock:
        """The clock that it goes by."""
        return self._core.store.clock

    @property
    def create_time(self) -> int:
        """When it was created; never later than now."""
        return self.time.create_time

    @property
    def heat(self) -> HotspotMonitor:
        """Where its writes concentrate, as long as somebody watches."""
        from spanemu.database.splits.hotspot_monitor import HotspotMonitor

        core = self._core
        with core.store.mutex:
            if core.heat is None:
                core.heat = HotspotMonitor(core)
            return core.heat

    @property
    def split_points(self) -> SplitPoints:
        """The boundaries that its users asked for."""
        return self._core.split_points

    @property
    def splitting(self) -> SplitManager:
        """Its splits, and what moves them."""
        return self._core.splitting

    def follow_nodes(self, nodes: int) -> None:
        """The instance has so many nodes now."""
        self._core.splitting.follow_nodes(nodes)

    def last_commit(self) -> CommitSplits | None:
        """The splits of the last commit; None when there was none since this was first asked."""
        splitting = self._core.splitting
        splitting.keeps_commits = True
        touched = splitting.last_commit
        return None if touched is None else shown(self._core, touched)

    @property
    def version_retention_nanos(self) -> int:
        """How long old versions are kept."""
        return self._core.store.retention_nanos

    @property
    def default_leader(self) -> str:
        """The region that leads, as set by ALTER DATABASE."""
        return str(self.schema.options.get("default_leader") or "")

    @property
    def partitions(self) -> tuple[str, ...]:
        """The ids of the instance partitions that its placements name, sorted."""
        placements = self.schema.placements.values()
        found = {str(each.options.get("instance_partition") or "") for each in placements}
        return tuple(sorted(found - {""}))

    def earliest_version_time(self) -> int:
        """The earliest timestamp that can be read."""
        horizon = self._core.store.clock.peek() - self.version_retention_nanos
        return max(self.create_time, horizon)

    # ------------------------------------------------------------------ schema

    def ddl(self) -> list[str]:
        """The schema as canonical statements."""
        return ddl_statements(self.schema, self._core.database_id)

    def restart_history(self) -> None:
        """Let the present schema be the one that it was made with.

        Reads from before there was a database find the schema's tables empty, as in Spanner.
        """
        self._core.history.restart_history()

    def apply_ddl(
        self,
        statements: Sequence[str],
        sent: ProtoTypes = NO_TYPES,
        outcome: DdlOutcome | None = None,
    ) -> DdlOutcome:
        """Run schema statements in order; `sent` are the protocol buffer types they may name.

        Raises when one of them is wrong by itself or against the schema: then none is applied.
        What data refuses ends the batch, with the statements before it applied. Batches run one
        after another; `outcome` shows how far this one is, and cancels it.
        """
        core = self._core
        outcome = outcome or DdlOutcome()
        with core.schema_mutex, outcome.call as call:
            core.check_open()
            try:
                steps = plan_batch(statements, core.changeable_schema, sent, core.database_id)
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
        """One statement: make room, work on data, publish, give room back."""
        store, before, environment = self._core.store, self.schema, self._core.environment
        with store.mutex:
            began = store.clock.now()
            if step.schema.generation == before.generation:
                return began
            added = step.schema.created_since(before)
            filling = self._filling(step.schema, added)
            at = began if filling is None else store.clock.now()
            for thing in added:
                path = path_of(step.schema, thing)
                store.create_tree(path[-1], path[0], path)
            try:
                generation = Generation(step.schema, environment.limits)
                context = StatementContext(self._core, generation.schema, writable=True)
                step.work(store, generation.rules, at, context)
            except BaseException:
                for thing in added:
                    store.drop_tree(tree_of(thing))
                raise
            for thing in before.dropped_in(step.schema):
                store.drop_tree(tree_of(thing), at)
            store.retention_nanos = step.schema.retention_nanos(environment.retention_nanos)
            if filling is not None:
                self._publish(Generation(filling, environment.limits), began)
            self._publish(generation, at)
            self._core.locks.wound_all("The database schema has changed.")
            return at

    def _publish(self, generation: Generation, at: int) -> None:
        """Have a schema be the one of now; what was compiled for one of long ago goes."""
        self._core.history.append(generation, at)
        generations = self._core.history.all()
        if len(generations) > GENERATIONS_COMPILED_MAX:
            generations[-GENERATIONS_COMPILED_MAX - 1].forget()

    def _filling(self, schema: Schema, added: Sequence[Table | Index]) -> Schema | None:
        """The schema while new indexes are filled; None when their tables have no rows.

        Filling takes one tick of the clock here, but who reads as of that tick must not get an
        answer from an index that Spanner would still be working on.
        """
        filling = schema
        for thing in added:
            if isinstance(thing, Index):
                table = schema.tables[thing.table.lower()]
                if self._core.store.row_count(tree_of(table)):
                    filling = filling.with_index(replace(thing, ready=False))
        return None if filling is schema else filling

    # ------------------------------------------------------------------ what tests do

    def snapshot(self) -> DatabaseSnapshot:
        """The present state, to come back to with `restore`."""
        return DatabaseSnapshot.of(self._core)

    def restore(self, snapshot: DatabaseSnapshot) -> None:
        """Come back to a state; open transactions are aborted, sessions live on.

        Statistics of what ran are forgotten. Costs what was done since. Raises ValueError for a
        snapshot that an earlier restore made invalid, and for one of another database.
        """
        check_own(self._core, snapshot)
        why = "The database was restored."
        with self._core.store.mutex:  # Under it no transaction is in the middle of its commit.
            self._core.store.restore(snapshot.store)
            self._core.restore_schema(snapshot.history)
            self._contents.forget()
            self.sessions.abort_all(why)
            self._core.locks.wound_all(why)
            self._core.splitting.restored(snapshot.splitting)
        self.time.rejoin()
        self._core.ledger.forget()

    def settle(self) -> None:
        """Let the schema and rows of now be older than any time; not while there are snapshots."""
        with self._core.schema_mutex, self._core.store.mutex:
            if self._core.store.forget_history():
                self._core.history.restart_history()
                self._contents.forget()
        self.time.rejoin()

    def abort_transactions(self) -> None:
        """Abort every open read-write transaction; sessions live on."""
        self.sessions.abort_all("It was aborted on purpose, by abort_transactions.")

    def delete_expired_rows(self) -> int:
        """Apply the row deletion policies; how many rows were deleted."""
        return self._row_deletion.sweep()

    def interfere(self, statements: Sequence[str]) -> None:
        """Run DML in a transaction that wounds whoever is in its way, and commit it."""
        interfere(self._core, statements)

    def footprint(self, request: StatementRequest) -> Footprint:
        """What a statement's plan does that people watch for. Raises if it is faulty."""
        prepared = prepare(self._core.generation, request, self._core.statistics)
        return footprint_of(prepared.executable.plan)

    def forget(self, snapshot: DatabaseSnapshot) -> None:
        """Give a snapshot up, so that changes need not be remembered for it.

        Raises ValueError for one of another database.
        """
        check_own(self._core, snapshot)
        snapshot.give_up()

    def clone(self, name: str) -> Database:
        """A database of another name with the same content, sharing it until either writes."""
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
        """What it held at a timestamp that can still be read, for a backup to keep."""
        return self._contents.at(at)

    @classmethod
    def restored(cls, name: str, content: Content, source: RestoreSource) -> Database:
        """A new database that begins with the content of a backup."""
        database = cls.__new__(cls)
        database._start(content.database(name))
        database.restored_from = source
        return database

    def boundary(self, table: str, key: Sequence[Any], index: str = "") -> Boundary:
        """The boundary before a row of a table or index, there or not.

        `key` holds raw values, as requests do: the whole key of a table; of an index its own key,
        perhaps with the rest of its table's. Under `root_only` the table must be a root.
        """
        schema, splitting = self.schema, self._core.splitting
        thing = keyed(schema, table, index)
        if splitting.settings.policy is SplitPolicy.ROOT_ONLY and thing.parent is not None:
            raise SplitInsideHierarchy(thing.name, root_name(schema, thing))
        return splitting.boundaries_of(thing, Origin.TEST)(row_key(thing, key))

    def split_at(self, table: str, key: Sequence[Any], index: str = "") -> None:
        """Put a split boundary before a row, there or not. See `boundary`."""
        self._core.store.cut([self.boundary(table, key, index)])

    def merge_at(self, table: str, key: Sequence[Any], index: str = "") -> bool:
        """Take the boundary before a row away; False when there is none."""
        return self._core.store.merge([self.boundary(table, key, index)])

    def split_of(self, table: str, key: Sequence[Any], index: str = "") -> SplitLocation:
        """The split that a row is in, there or not."""
        thing = keyed(self.schema, table, index)
        (place,) = self._core.store.split_map.splits_with_keys(
            [(tree_of(thing), row_key(thing, key))]
        )
        return place

    def physical_layout(self, *, servers: bool = False) -> str:
        """Rows in interleaved order with split boundaries, and perhaps servers, as text."""
        self._core.splitting.fit_sizes()
        return physical_layout(self._core.store, self.schema, servers=servers)

    def close(self) -> None:
        """Drop the database: sessions end, waiting requests fail, and nothing commits any more.

        A commit that is acknowledged was applied before: both happen under the store's mutex.
        """
        with self._core.store.mutex:
            self._core.closed = True
        self.sessions.close()
