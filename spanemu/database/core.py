"""The shared parts of a database: environment, store, locks, and schema through time."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import field, replace
from itertools import count
from typing import Protocol

from spanemu.base.clock import Clock
from spanemu.base.collector import heap
from spanemu.base.deferred import Once
from spanemu.base.limits import DEFAULT_LIMITS, RETENTION_DEFAULT_NANOS, Limits
from spanemu.base.live import LiveReaders
from spanemu.base.rand import Randomness
from spanemu.base.record import dataclass
from spanemu.base.request_mutex import RequestMutex
from spanemu.change_streams.following import StreamReaders
from spanemu.database import errors, held_lock
from spanemu.database.activity import ActivityLog, Progress
from spanemu.database.generation import Generation, History
from spanemu.database.instance_rules import InstanceOffer, check_edition
from spanemu.database.splits.split_manager import SplitManager
from spanemu.database.splits.split_points import SplitPoints
from spanemu.database.statistics.aggregator import StatisticsAggregator
from spanemu.hotspots import split_info
from spanemu.models import registry as model_registry
from spanemu.schema.editions import Feature
from spanemu.schema.schema import Schema
from spanemu.storage.layout import TreeId, tree_of
from spanemu.storage.reads import LATEST
from spanemu.storage.split_map import own_bytes
from spanemu.storage.store import Store
from spanemu.txn.buffer import Buffer
from spanemu.txn.locks.table import LockTable
from spanemu.txn.locks.waits import Request
from spanemu.txn.read_only import SnapshotReader
from spanemu.values.mutation import Mutation

ROWS_KEPT_MAX = 10_000  # of a dropped database, which may stay in memory for some time


@dataclass(frozen=True, eq=False)
class Environment:
    """The environment that an emulator passes to each of its databases."""

    clock: Clock
    randomness: Randomness = field(default_factory=Randomness)
    retention_nanos: int = RETENTION_DEFAULT_NANOS
    limits: Limits = DEFAULT_LIMITS
    has_database: Callable[[str], bool] = lambda name: False  # by full name
    # The offer of the instance of a database, by the full name of the database; None: no rules.
    offer_of: Callable[[str], InstanceOffer | None] = lambda name: None
    # What answers the calls of models and remote functions, made on first use.
    models: Callable[[], model_registry.ModelRegistry] = field(
        default_factory=lambda: Once(lambda: model_registry.ModelRegistry())
    )


@dataclass(frozen=True, slots=True)
class Sweep:
    """The progress of a row deletion policy.

    `watermark` is the time of the last sweep that deleted every expired row. `undeletable` counts
    the rows that a sweep could not delete, and `earliest` is the earliest of their timestamps.
    """

    watermark: int | None = None
    undeletable: int = 0
    earliest: int | None = None


class CommitObserver(Protocol):
    """An observer of commits, which requests the writer of a table or index until it is known."""

    @property
    def attributed_trees(self) -> Set[TreeId] | None:
        """The trees whose writers are known; None while the observer requests no writers."""

    def attribute_commit(
        self, request: object, mutations: Sequence[Mutation], written: Buffer
    ) -> None:
        """Attribute the last commit to its mutations, or to the request before the commit."""


class DatabaseCore:
    """The state of a database that its parts share, without its sessions.

    `schema_mutex` serializes schema changes; rows are guarded by the store and the lock table.
    """

    def __init__(
        self,
        name: str,
        environment: Environment,
        store: Store,
        history: History[Generation],
    ) -> None:
        self.name = name
        self.environment = environment
        self.store = store
        self.locks = LockTable(lambda: store.clock.peek(), self._lock_text)
        self.activity = ActivityLog(store.split_map)
        self.aggregator = StatisticsAggregator(
            self.activity, self.locks.log, lambda: self.generation.schema
        )
        self.statistics = SnapshotReader(store, LATEST)  # sizes of tables, for the planner
        self.history = history
        self.schema_mutex = RequestMutex(outlasts=True)
        self.transaction_ids = count(1)
        self.ages = count(1)  # of transactions, in the order of their first requests
        self.partitioned_dml: dict[bytes, Progress] = {}  # by id of the running transactions
        self.sweeps: dict[int, Sweep] = {}  # by id of the table with a row deletion policy
        self.next_id = 1  # the lowest id for new schema objects, also after a restore
        self.closed = False
        self.heap_age = heap.age  # at the creation of the database
        self.readers = LiveReaders()
        self.stream_readers = StreamReaders(store)
        self.commit_observer: CommitObserver | None = None
        self.splitting = SplitManager(store, lambda: self.generation.schema)
        # The rows of SPLIT_STATS_TOP by time and interval; observed hotspots add rows.
        self.split_stats: Callable[[int, str], list[split_info.SplitStat]] = (
            self.splitting.split_stats
        )
        self.split_points = SplitPoints(store, lambda: self.generation.schema, self.splitting)

    @property
    def database_id(self) -> str:
        """The last part of the name."""
        return self.name.rpartition("/")[2]

    def is_other_database(self, database_id: str) -> bool:
        """Return whether the instance has a database of that id which is not this one."""
        name = f"{self.name.rpartition('/')[0]}/{database_id}"
        return name != self.name and self.environment.has_database(name)

    def _lock_text(self, tree: TreeId, request: Request) -> str:
        """Return a requested lock as text; "" for a lock of a dropped table or index."""
        sources = held_lock.sources_of(self.generation.schema)
        return str(held_lock.described(sources, tree, request) or "")

    def require(self, feature: Feature | None) -> None:
        """Raise EditionTooLow unless the instance of the database has a feature."""
        if feature is not None:
            offer = self.environment.offer_of(self.name)
            if offer is not None:
                check_edition(offer, feature)

    def check_locations(self, locations: Sequence[str]) -> None:
        """Raise UnknownLocation for the first location that a directed read may not name."""
        offer = self.environment.offer_of(self.name)
        if offer is not None:
            for location in locations:
                if location not in offer.locations:
                    raise errors.UnknownLocation(location)

    @property
    def generation(self) -> Generation:
        """The current generation of the schema."""
        return self.history.current

    @property
    def changeable_schema(self) -> Schema:
        """The current schema, with a `next_id` beyond every id assigned before a restore.

        Observations of a dropped table, such as its load, are never attributed to another table.
        """
        schema = self.generation.schema
        return schema if schema.next_id >= self.next_id else replace(schema, next_id=self.next_id)

    def restore_schema(self, history: History[Generation]) -> None:
        """Restore an earlier schema history."""
        self.next_id = self.changeable_schema.next_id
        self.history = history.copy()

    def expect_garbage(self) -> None:
        """Allow garbage collections to find the rows of this dropped database."""
        with self.store.mutex:
            heap.count_garbage(own_bytes(self.store.split_map))
        if self.heap_age == heap.age:
            return  # A collection that Python starts visits them.
        trees = map(tree_of, self.generation.schema.tables_and_indexes())
        if sum(map(self.store.row_count, trees)) > ROWS_KEPT_MAX:
            heap.expect_garbage()

    def check_open(self) -> None:
        """Raise DatabaseNotFound if the database was dropped."""
        if self.closed:
            raise errors.DatabaseNotFound(self.name)
