"""The query engine: statements are parsed, analyzed, planned and compiled once, then run.

A statement is prepared once per schema generation, text and parameter types; a repeated statement
is neither parsed nor planned again. A prepared statement holds no values and no transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from itertools import count
from typing import Any

from spanemu.base.clock import monotonic
from spanemu.base.errors import SpannerError
from spanemu.base.record import Record, dataclass, record
from spanemu.database import errors
from spanemu.database.generation import Generation
from spanemu.database.options import QueryMode, StatementRequest
from spanemu.database.statements import index_advice, optimizer_options
from spanemu.database.statements.placed_tables import NO_USE, placed_use_of
from spanemu.database.statements.results import ResultStats, ResultStream
from spanemu.database.statements.table_functions import (
    PreparedCall,
    TableFunctionLookup,
    prepare_call,
)
from spanemu.database.system_tables.lookup import SystemTableLookup
from spanemu.schema.editions import (
    DISTANCE_FUNCTIONS,
    VECTOR_SEARCH,
    Feature,
    may_compute_distances,
)
from spanemu.schema.schema import Schema
from spanemu.sql import usage
from spanemu.sql.dialect import AnalyzerOptions
from spanemu.sql.dialects import dialect_of
from spanemu.sql.executor.build import Executable, compile_plan
from spanemu.sql.executor.run import RowReader, Run, SystemTables
from spanemu.sql.functions.registry import Context
from spanemu.sql.plan.nodes import Scan, SearchScan, Sort, TopN
from spanemu.sql.plan.statements import DmlPlan, Plan, QueryPlan, is_repeatable, reads_of
from spanemu.sql.plan.traverse import walk
from spanemu.sql.planner import search_rules
from spanemu.sql.planner.build import plan_statement
from spanemu.sql.planner.planning import Statistics
from spanemu.sql.resolved import (
    DeleteStatement,
    InsertStatement,
    QueryStatement,
    Statement,
    UpdateStatement,
)
from spanemu.values.types import BadValue, Type
from spanemu.values.value import decoder

_NORMAL = QueryMode.NORMAL  # of most statements
_SEARCH_ALLOWED = "allow_search_indexes_in_transaction"
_CATALOG = "INFORMATION_SCHEMA"  # as errors call every catalog
_UNCHECKED_CUT = "spanner_emulator.disable_query_partitionability_check"
_WITH_PLAN = frozenset({QueryMode.PLAN, QueryMode.PROFILE, QueryMode.WITH_PLAN_AND_STATS})
_WITH_STATS = frozenset(
    {QueryMode.PROFILE, QueryMode.WITH_STATS, QueryMode.WITH_PLAN_AND_STATS},
)


_serials = count(1)


class Prepared:
    """A statement that can run any number of times, on any thread.

    `serial` identifies the preparation: when the same text is prepared again, its plan, and with it
    the order of its rows, may change.
    """

    def __init__(
        self,
        statement: Statement,
        executable: Executable,
        schema: Schema,
        characters: int,
    ) -> None:
        self.serial = next(_serials)
        self.characters = characters  # of its text and its constants
        self.prepared_at = monotonic()
        self.prepared_in = 0.0  # seconds
        self.executable = executable
        self.call: PreparedCall | None = None  # of a table function
        self.feature: Feature | None = None  # that editions of the instance may lack
        self.placed = NO_USE
        self.is_insert = isinstance(statement, InsertStatement)
        self.is_dml = isinstance(statement, InsertStatement | UpdateStatement | DeleteStatement)
        self.columns: tuple[tuple[str, Type], ...] = executable.columns
        self.system_tables = executable.reads.system_tables
        self.undeclared = tuple(
            (name, type_)
            for name, type_ in statement.parameters.items()
            if name in statement.undeclared
        )
        self.for_update = isinstance(statement, QueryStatement) and statement.for_update
        self.needs_read_write = isinstance(statement, QueryStatement) and statement.needs_read_write
        self.is_ordered = isinstance(statement, QueryStatement) and statement.ordered
        self.schema = schema
        self.hints = statement.hints
        hints = dict(statement.hints)
        self.searches = bool(schema.search_indexes) and search_rules.reads_search_index(
            executable.plan
        )
        self.may_search = str(hints.get(_SEARCH_ALLOWED, "")).lower() == "true"
        self.locks_exclusively = str(hints.get("lock_scanned_ranges", "")).lower() == "exclusive"
        self.cuts_unchecked = str(hints.get(_UNCHECKED_CUT, "")).lower() == "true"
        nan_greatest = schema.orders.nan_greatest
        self._decoders: tuple[tuple[str, Type, Callable[[Any], Any]], ...] = tuple(
            (name, type_, decoder(type_, nan_greatest=nan_greatest))
            for name, type_ in executable.parameters
        )

    @cached_property
    def is_repeatable(self) -> bool:
        """True if the statement returns the same rows in the same order at the same timestamp."""
        return is_repeatable(self.executable.plan)

    def bind(self, raw: Mapping[str, Any]) -> list[Any]:
        """Return parameter values in Python form, by slot.

        Raises ParameterMissing and BadParameterValue.
        """
        if not self._decoders:
            return []
        values = []
        for name, type_, decode in self._decoders:
            try:
                value = raw[name]
            except KeyError:
                value = _by_any_case(raw, name)
            try:
                values.append(decode(value))
            except BadValue as bad:
                raise errors.BadParameterValue(name, bad.shown, str(type_), bad.because) from None
        return values

    def check_declared(self, raw: Mapping[str, Any]) -> None:
        """Raise BadParameterValue for a value that does not fit its declared type.

        For requests that run nothing: a missing value is accepted, and so is a value of an inferred
        type.
        """
        inferred = {name for name, _ in self.undeclared}
        for name, type_, decode in self._decoders:
            given = _given_name(raw, name)
            if given is None or name in inferred:
                continue
            try:
                decode(raw[given])
            except BadValue as bad:
                raise errors.BadParameterValue(name, bad.shown, str(type_), bad.because) from None


def prepare(
    generation: Generation,
    request: StatementRequest,
    statistics: Statistics,
    *,
    by_partition: bool = False,
    accelerates: bool = True,
) -> Prepared:
    """Return the prepared statement of a request, from the cache or compiled now.

    With `by_partition` the plan lets each partition of a hierarchy be processed by itself, if
    such a plan exists. With `accelerates` it may read search indexes that the statement does not
    ask for.
    """
    if request.optimizer_version or request.optimizer_statistics_package:
        optimizer_options.check_request(request, generation.schema)
    types = request.parameter_types
    key: Any = (request.sql, tuple(types.items())) if types else request.sql
    if by_partition:
        key = ("by partition", key)
    elif not accelerates:
        key = ("by asked indexes", key)
    prepared: Prepared | None = generation.known(key)
    if prepared is not None:
        return prepared
    make = partial(
        _prepare, generation, request, statistics,
        by_partition=by_partition, accelerates=accelerates,
    )  # fmt: skip
    compiled: Prepared = generation.compiled(key, make)
    return compiled


def prepare_locking(
    generation: Generation, request: StatementRequest, statistics: Statistics
) -> Prepared:
    """Prepare a statement in a read-write transaction; raise if it reads a system table."""
    prepared = prepare(generation, request, statistics)
    if prepared.searches and search_rules.is_accelerated(prepared.executable.plan):
        # A search index would lock a whole partition, which the statement does not ask for.
        prepared = prepare(generation, request, statistics, accelerates=False)
    if prepared.searches and not prepared.may_search:
        raise search_rules.refused_in_transaction(prepared.executable.plan)
    if prepared.call is not None:
        raise errors.FunctionNeedsSingleUse(prepared.call.function)
    for name in prepared.system_tables:
        # Clients know the error by its text: PGAdapter then repeats the query outside of the
        # transaction.
        home = name.partition(".")[0].upper()
        raise errors.SystemTableInReadWrite(_CATALOG if home == "PG_CATALOG" else home)
    return prepared


def prepare_dml(
    generation: Generation, request: StatementRequest, statistics: Statistics, number: int
) -> Prepared:
    """Prepare a DML statement of a batch; raise NotDml for any other statement.

    A statement that cannot be parsed is not DML either, unless it begins as DML does.
    """
    try:
        prepared = prepare_locking(generation, request, statistics)
    except SpannerError as failure:
        if dialect_of(generation.schema.dialect).begins_dml(request.sql):
            raise
        raise errors.NotDml(number, request.sql) from failure
    if not prepared.is_dml:
        raise errors.NotDml(number, request.sql)
    return prepared


def _prepare(
    generation: Generation,
    request: StatementRequest,
    statistics: Statistics,
    *,
    by_partition: bool,
    accelerates: bool,
) -> Prepared:
    began = monotonic()
    sql = request.sql
    lowered = {name.lower(): type_ for name, type_ in request.parameter_types.items()}
    schema = generation.schema
    functions = TableFunctionLookup(schema)
    options = AnalyzerOptions(SystemTableLookup(schema.dialect), generation.limits, functions)
    statement = dialect_of(schema.dialect).resolve(sql, schema, lowered, options)
    if statement.hints:
        optimizer_options.check_hints(statement.hints, schema)
    call = prepare_call(statement, schema, statistics) if functions.found else None
    plan = plan_statement(
        statement, schema, statistics, by_partition=by_partition, accelerates=accelerates
    )
    executable = compile_plan(plan, generation.limits.statement_memory_bytes)
    prepared = Prepared(
        statement,
        executable,
        schema,
        len(sql) + executable.constant_size,
    )
    prepared.call = call
    prepared.placed = placed_use_of(statement, schema)
    if may_compute_distances(sql) and DISTANCE_FUNCTIONS & usage.collect_functions(statement):
        prepared.feature = VECTOR_SEARCH
    prepared.prepared_in = prepared.prepared_at - began
    return prepared


def run_query(
    prepared: Prepared,
    request: StatementRequest,
    reader: RowReader,
    context: Context,
    system_tables: SystemTables | None = None,
) -> ResultStream:
    """Return the rows of a query, lazily; `system_tables` is needed only if the query reads
    some.
    """
    mode = request.mode
    if mode is _NORMAL:
        run = Run(reader, prepared.bind(request.parameters), context, system_tables)
        rows = prepared.executable.run(run)
        return ResultStream(
            prepared.columns,
            rows,
            undeclared_parameters=prepared.undeclared,
            source=prepared,
            run=run,
            dialect=prepared.schema.dialect,
        )
    if mode is QueryMode.PLAN:
        return explain_only(prepared, request)
    run = Run(reader, prepared.bind(request.parameters), context, system_tables)
    run.start_profile()
    stats = ResultStats()
    rows = _measured(prepared.executable.run(run), meter(prepared, request, run, stats))
    return ResultStream(
        prepared.columns,
        rows,
        stats=stats,
        undeclared_parameters=prepared.undeclared,
        source=prepared,
        run=run,
        dialect=prepared.schema.dialect,
    )


def explain_only(prepared: Prepared, request: StatementRequest) -> ResultStream:
    """Return the plan without executing it: no rows, and a row count of 0 for DML."""
    prepared.check_declared(request.parameters)
    stats = ResultStats(
        row_count=0 if prepared.is_dml else None,
        plan=index_advice.explained(prepared.executable.plan, prepared.schema),
    )
    return ResultStream(
        prepared.columns,
        iter(()),
        stats=stats,
        undeclared_parameters=prepared.undeclared,
        is_dml=prepared.is_dml,
    )


Meter = Callable[[int], object]  # to be called with the number of rows after the last one


def meter(prepared: Prepared, request: StatementRequest, run: Run, stats: ResultStats) -> Meter:
    """Return a function that sets the statistics of a query that begins now, at its end."""
    began = monotonic()

    def ended(rows: int) -> None:
        done = Measured(rows, monotonic() - began, run.context.waited())
        fill_stats(stats, prepared, request, run, done)

    return ended


def _measured(rows: Iterator[tuple[Any, ...]], ended: Meter) -> Iterator[tuple[Any, ...]]:
    count = 0
    for row in rows:
        count += 1
        yield row
    ended(count)


@record
class Measured(Record):
    """The measurements of an execution: rows returned, or written by DML without THEN RETURN,
    and time, of which it `waited` for functions of models.
    """

    rows: int
    seconds: float
    waited: float = 0.0


def fill_stats(
    stats: ResultStats, prepared: Prepared, request: StatementRequest, run: Run, done: Measured
) -> None:
    """Set the statistics of an executed statement, and its plan if the request asks for a plan."""
    optimizer = optimizer_options.options_in_effect(request, prepared.hints, prepared.schema)
    stats.query_stats = query_figures(request, done, run.rows_scanned, optimizer)
    if request.mode in _WITH_PLAN:
        plan = prepared.executable.plan
        stats.plan = index_advice.explained(plan, prepared.schema, run.profile)


def query_figures(
    request: StatementRequest, done: Measured, scanned: int, optimizer: Mapping[str, str]
) -> Mapping[str, str]:
    """Return the statistics of an executed statement that scanned that many rows.

    `optimizer` are the optimizer options in effect.
    """
    computing = max(done.seconds - done.waited, 0.0)
    return {
        "rows_returned": str(done.rows),
        "rows_scanned": str(scanned),
        "elapsed_time": f"{done.seconds * 1000:.2f} msecs",
        "cpu_time": f"{computing * 1000:.2f} msecs",
        "query_text": request.sql,
        **optimizer,
        "remote_server_calls": "0/0",
    }


def _by_any_case(raw: Mapping[str, Any], name: str) -> Any:
    """Return a parameter's value, whose name matches without regard to case."""
    given = _given_name(raw, name)
    if given is None:
        raise errors.ParameterMissing(name)
    return raw[given]


def _given_name(raw: Mapping[str, Any], name: str) -> str | None:
    """Return the name under which a request sends the value of a parameter, None if it has none."""
    if name in raw:
        return name
    return next((given for given in raw if given.lower() == name), None)


@dataclass(frozen=True, slots=True)
class Footprint:
    """The properties of a plan that tests assert on.

    `scanned_whole` are the tables that a scan reads in full, by table or index.
    """

    tables: frozenset[str] = frozenset()
    scanned_whole: frozenset[str] = frozenset()
    indexes: frozenset[str] = frozenset()
    sorts: bool = False
    writes: bool = False


def footprint_of(plan: Plan) -> Footprint:
    """Return the footprint of a plan.

    A scan that a LIMIT may end early counts as a full scan too, because the plan does not show
    where the scan ends.
    """
    assert isinstance(plan, QueryPlan | DmlPlan)
    reads = reads_of(plan)
    written = {plan.table.name} if isinstance(plan, DmlPlan) else set()
    nodes = list(walk(plan.root))
    return Footprint(
        tables=frozenset(reads.columns) | written,
        scanned_whole=frozenset(
            node.table.name for node in nodes if isinstance(node, Scan) and reads_whole(node)
        ),
        indexes=reads.indexes,
        sorts=any(isinstance(node, Sort | TopN) for node in nodes),
        writes=isinstance(plan, DmlPlan),
    )


def reads_whole(scan: Scan) -> bool:
    """Return whether a scan reads every row of a table or entry of an index."""
    if scan.seeks is not None or scan.vector_index is not None:
        return False
    return not (isinstance(scan, SearchScan) and scan.search is not None)
