"""A read-only transaction: a read timestamp, a schema generation, no locks."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import finalize

from spanemu.base.call import current
from spanemu.base.limits import READ_AHEAD_MAX_NANOS
from spanemu.database import errors
from spanemu.database.core import DatabaseCore
from spanemu.database.generation import Generation
from spanemu.database.options import (
    CommitOptions,
    ExactStaleness,
    MaxStaleness,
    MinReadTimestamp,
    QueryMode,
    ReadOnly,
    ReadRequest,
    ReadTimestamp,
    StatementRequest,
    Strong,
    TimestampBound,
)
from spanemu.database.statements import partitions as partitioning
from spanemu.database.statements import stream_queries
from spanemu.database.statements.context import StatementContext
from spanemu.database.statements.query_engine import (
    Prepared,
    explain_only,
    meter,
    prepare,
    run_query,
)
from spanemu.database.statements.reads import read_plan
from spanemu.database.statements.results import (
    BatchOutcome,
    CommitOutcome,
    Partition,
    ResultStats,
    ResultStream,
    TransactionInfo,
)
from spanemu.database.statements.table_functions import FunctionCalls, PreparedCall
from spanemu.database.system_tables import catalog
from spanemu.sql.analysis import stream_query
from spanemu.sql.analysis.errors import TableFunctionNotFound
from spanemu.sql.executor.run import ByteRange, RowReader, Run
from spanemu.storage.layout import hierarchy_of
from spanemu.storage.store import Store
from spanemu.txn import reader
from spanemu.txn.errors import ReadTooFarAhead, ReadTooOld, TableNotFound, TableNotFoundAtTimestamp
from spanemu.txn.read_only import SnapshotReader
from spanemu.values.mutation import Mutation
from spanemu.values.timestamp import format_utc

# The read timestamp of a query of a change stream, in nanoseconds: a marker, for it reads at none.
_STREAM_READ_TIMESTAMP = 2**63 - 2


def read_timestamp(store: Store, bound: TimestampBound) -> int:
    """Return the read timestamp of a bound in nanoseconds, rounded down to microseconds.

    A bound that leaves a choice gets the current time.
    """
    if isinstance(bound, Strong):
        return store.read_timestamp()
    if isinstance(bound, ExactStaleness):
        return _micros(store.clock.peek() - bound.nanos)
    if isinstance(bound, ReadTimestamp):
        return _micros(bound.at)
    now = store.read_timestamp()
    if isinstance(bound, MinReadTimestamp):
        return max(now, _micros(bound.at))
    assert not isinstance(bound, MaxStaleness) or bound.nanos >= 0
    return now


def await_timestamp(store: Store, at: int) -> None:
    """Wait until `at` is not in the future, so that no later commit can precede it.

    Raises ReadTooFarAhead at once if the wait would outlast any request.
    """
    if at > store.clock.peek() + READ_AHEAD_MAX_NANOS:
        raise ReadTooFarAhead(format_utc(at))
    call = current()
    while store.read_timestamp() < at:
        call.check()
        store.clock.wait_until(at, call.signal())


def check_retained(store: Store, at: int) -> None:
    """Raise ReadTooOld if versions as old as `at` are not kept any more."""
    earliest = store.clock.peek() - store.retention_nanos
    if at < earliest:
        raise ReadTooOld(format_utc(at), format_utc(earliest))


def _micros(at: int) -> int:
    return at - at % 1_000


class SnapshotTransaction:
    """A read-only transaction. Its read timestamp is fixed when the transaction begins."""

    is_partitioned = False
    holder = None  # It holds no locks.

    def __init__(
        self, core: DatabaseCore, id_: bytes, options: ReadOnly, session: str = ""
    ) -> None:
        self.id = id_
        self._session = session  # "" for all multiplexed sessions
        bound = options.bound
        is_strong = bound.__class__ is Strong
        self.at = core.store.read_timestamp() if is_strong else read_timestamp(core.store, bound)
        self._core = core
        self._options = options
        self._reader = SnapshotReader(core.store, self.at)
        self._known_generation: Generation | None = None
        # A single-use strong read ends before its timestamp can expire.
        self._pinned = False
        self._single_use_strong = not id_ and is_strong

    @property
    def _generation(self) -> Generation:
        known = self._known_generation  # A cached_property takes a lock on Python 3.11.
        if known is None:
            known = self._known_generation = self._core.history.at(self.at)
        return known

    # ------------------------------------------------------------------ description

    def info(self, *, begun: bool) -> TransactionInfo:
        """Return the id if this request began the transaction, and the timestamp if asked for."""
        at = self.at if self._options.return_read_timestamp else None
        return TransactionInfo(self.id if begun else b"", at)

    def describe(self, result: ResultStream | None, *, begun: bool) -> ResultStream:
        """Attach `info` to a result."""
        assert result is not None
        at = self.at if self._options.return_read_timestamp else None
        if begun or at is not None:
            result.transaction = TransactionInfo(self.id if begun else b"", at)
        return result

    # ------------------------------------------------------------------ reading

    def execute(self, request: StatementRequest) -> ResultStream:
        """Run a query."""
        try:
            prepared = self._prepare(request)
        except stream_query.StreamQuery as query:
            if not self._single_use_strong:
                raise stream_query.StreamQueryInTransaction() from None
            self.at = _STREAM_READ_TIMESTAMP
            return stream_queries.stream_result(self._core, query.call, request, self._session)
        except TableFunctionNotFound as missing:
            try:  # The stream may be newer than the timestamp.
                prepare(self._core.generation, request, self._reader)
            except stream_query.StreamQuery:
                raise stream_query.StreamQueryInTransaction() from None
            raise missing
        return self._execute(request, prepared, self._reader)

    def _execute(
        self, request: StatementRequest, prepared: Prepared, reader: RowReader
    ) -> ResultStream:
        if prepared.call is not None:
            return self._call(request, prepared, prepared.call)
        if self._core.store.observer is not None:
            self._notify_observer(request)
        context = StatementContext(self._core, prepared.schema, writable=False)
        system_tables: catalog.SystemRows | None = None
        if prepared.system_tables:
            system_tables = catalog.SystemRows(self._core, self.at, request.role)
        result = run_query(prepared, request, reader, context, system_tables)
        if prepared.is_repeatable:
            result.repeatable_at, result.plan_serial = self.at, prepared.serial
        return result

    def _call(
        self, request: StatementRequest, prepared: Prepared, call: PreparedCall
    ) -> ResultStream:
        """Run a query of a table function, in the present."""
        if request.mode is QueryMode.PLAN:
            return explain_only(prepared, request)
        context = StatementContext(self._core, self._generation.schema, writable=False)
        run = Run(self._reader, prepared.bind(request.parameters), context)
        result = ResultStream(
            prepared.columns,
            iter(()),
            stats=ResultStats(),
            undeclared_parameters=prepared.undeclared,
            source=prepared,
            run=run,
        )
        ended = None
        if request.mode is not QueryMode.NORMAL:
            run.start_profile()
            ended = meter(prepared, request, run, result.stats)
        calls = FunctionCalls(self._core, prepared.executable, run, self._session)
        result.rows = (
            calls.receive(call, request.position, ended)
            if call.receives
            else calls.renew(call, ended)
        )
        return result

    def read(self, request: ReadRequest) -> ResultStream:
        """Read rows by key."""
        self._ready(request)
        if request.lock_exclusive:
            raise errors.LocksInReadOnly("Lock hint")
        try:
            plan = read_plan(self._generation, request)
        except TableNotFound as missing:
            if self._core.generation.schema.table(request.table) is None:
                raise
            raise TableNotFoundAtTimestamp(missing.table, format_utc(self.at)) from None
        if self._core.store.observer is not None:
            self._notify_observer(request)
        context = StatementContext(self._core, self._generation.schema, writable=False)
        rows = plan.rows(request, self._reader, context)
        # In key order at a fixed timestamp, so that a broken stream can be resumed.
        return ResultStream(plan.columns, rows, repeatable_at=self.at, source=plan)

    def _notify_observer(self, request: StatementRequest | ReadRequest) -> None:
        """Attach the request to the reader, for an observer of its scans.

        Without an observer the request is not kept, because the transaction outlives its requests.
        """
        self._reader.request = request

    def _ready(self, request: StatementRequest | ReadRequest) -> None:
        if self._core.closed:
            self._core.check_open()
        if request.directed_read:
            self._core.check_locations(request.directed_read)
        if self._single_use_strong or self._pinned:
            return
        check_retained(self._core.store, self.at)
        # Wait at the current time too: a later commit may still get the same timestamp.
        if self.at >= self._core.store.clock.peek():
            await_timestamp(self._core.store, self.at)

    def _prepare(self, request: StatementRequest, *, by_partition: bool = False) -> Prepared:
        self._ready(request)
        prepared = prepare(self._generation, request, self._reader, by_partition=by_partition)
        if prepared.feature is not None:
            self._core.require(prepared.feature)
        if prepared.is_dml:
            raise errors.DmlNotAllowed() if self.id else errors.DmlSingleUse()
        if prepared.for_update:
            raise errors.LocksInReadOnly("FOR UPDATE")
        if prepared.locks_exclusively:
            raise errors.LocksInReadOnly("LOCK_SCANNED_RANGES=exclusive")
        if prepared.needs_read_write:
            raise errors.SequenceInReadOnly("of the query")
        call = prepared.call
        if call is not None and (by_partition or not self._single_use_strong):
            raise errors.FunctionNeedsSingleUse(call.function)
        return prepared

    # ------------------------------------------------------------------ partitions

    def partition_read(self, request: ReadRequest, limit: int) -> tuple[Partition, ...]:
        """Return the partitions of a read, one for each split that the read touches."""
        self._ready(request)
        self._pin()
        plan = read_plan(self._generation, request)
        source = plan.index or plan.table
        self._core.splitting.fit_sizes(hierarchy_of(self._generation.schema, source))
        ranges = partitioning.partition_ranges(
            self._core.store,
            source,
            plan.ranges(request.key_set),
            limit,
        )
        fingerprint = partitioning.read_fingerprint(request)
        return tuple(
            Partition(
                partitioning.seal(
                    partitioning.PartitionToken(self._session, self.id, fingerprint, partition)
                )
            )
            for partition in ranges
        )

    def read_partition(self, request: ReadRequest, token: bytes) -> ResultStream:
        """Read a single partition of a read."""
        self._ready(request)
        opened = self._opened(token, partitioning.read_fingerprint(request))
        plan = read_plan(self._generation, request)
        context = StatementContext(self._core, self._generation.schema, writable=False)
        rows = plan.scan(self._reader, opened.ranges, context)
        return ResultStream(plan.columns, rows, source=plan)

    def partition_query(self, request: StatementRequest, limit: int) -> tuple[Partition, ...]:
        """Return the partitions of a query, one for each split of the hierarchy that it scans."""
        prepared = self._prepare(request, by_partition=True)
        name = partitioning.partitioned_by(prepared, self._generation.schema)
        prepared.check_declared(request.parameters)
        self._pin()
        partitions: list[tuple[ByteRange, ...]] = [()]
        if name:
            root = partitioning.hierarchy_named(self._generation.schema, name)
            self._core.splitting.fit_sizes(root)
            ranges = partitioning.query_partitions(self._core.store, root, limit)
            partitions = [(byte_range,) for byte_range in ranges]
        fingerprint = partitioning.query_fingerprint(request)
        return tuple(
            Partition(
                partitioning.seal(
                    partitioning.PartitionToken(self._session, self.id, fingerprint, partition)
                )
            )
            for partition in partitions
        )

    def execute_partition(self, request: StatementRequest, token: bytes) -> ResultStream:
        """Run a query on a single partition."""
        partition = self._opened(token, partitioning.query_fingerprint(request)).ranges
        if not partition:
            return self.execute(request)
        schema = self._generation.schema
        prepared = self._prepare(request, by_partition=True)
        trees = partitioning.trees_of(schema, partitioning.partitioned_by(prepared, schema))
        return self._execute(
            request, prepared, reader.PartitionReader(self._reader, trees, partition)
        )

    def _pin(self) -> None:
        """Keep the row versions of the read timestamp, for clients that read partitions later.

        They are kept as long as the transaction is known, and with it its partition tokens.
        """
        if not self._pinned:
            self._pinned = True
            pins = self._core.store.pins
            with self._core.store.mutex:
                pins.hold(self.at)
            finalize(self, pins.release, self.at).atexit = False

    def _opened(self, token: bytes, fingerprint: str) -> partitioning.PartitionToken:
        return partitioning.open_token(
            token, partitioning.PartitionToken(self._session, self.id, fingerprint, ())
        )

    # ------------------------------------------------------------------ refused requests

    def execute_batch(
        self, requests: Sequence[StatementRequest], seqno: int, last_statements: bool
    ) -> BatchOutcome:
        """Raise BatchDmlNotAllowed."""
        raise errors.BatchDmlNotAllowed()

    def commit(self, mutations: Sequence[Mutation], options: CommitOptions) -> CommitOutcome:
        """Raise NotReadWrite."""
        raise errors.NotReadWrite("read-only")

    def rollback(self) -> None:
        """Do nothing, because nothing was written."""

    def abort(self, why: str) -> None:
        """Do nothing, because the transaction holds no locks."""
