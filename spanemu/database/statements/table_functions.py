"""The table functions of queues: their declaration, and the queries that call them.

    RECEIVE_<queue>       live rows: each message when it is delivered, under a lease
    RENEWLEASE_<queue>    one row for each lease token that is known

A query of such a function is compiled like any other. It runs once for each group of rows that the
function returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from spanemu.base.clock import (
    NANOS_PER_DAY,
    NANOS_PER_HOUR,
    NANOS_PER_MILLI,
    NANOS_PER_MINUTE,
    NANOS_PER_SECOND,
)
from spanemu.base.deferred import lazy_pattern
from spanemu.base.record import NamedTuple
from spanemu.database.core import DatabaseCore
from spanemu.queues import follower, receiving
from spanemu.schema.dialect import POSTGRESQL
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.analysis import table_function as function_calls
from spanemu.sql.dialect import SystemTable, TableFunction
from spanemu.sql.executor.build import Executable, compile_plan
from spanemu.sql.executor.run import Run
from spanemu.sql.planner.build import plan_statement
from spanemu.sql.planner.planning import Statistics
from spanemu.sql.resolved import FilterScan, ProjectScan, QueryStatement, Scan, Statement
from spanemu.values.types import BOOL, INT64, STRING, TIMESTAMP, Type, array_of

_SPANNER = "spanner."  # the schema of Spanner's own functions in PostgreSQL

_Parameters = tuple[tuple[str, tuple[Type, ...]], ...]
_RECEIVE: _Parameters = (
    ("max_batch_size", (INT64,)),
    ("priority", (STRING, INT64)),
    ("max_duration", (STRING,)),
)
_RENEW: _Parameters = (("lease_tokens", (array_of(STRING),)),)


def table_function(schema: Schema, name: str) -> tuple[TableFunction, Table] | None:
    """Return the table function of that name with its queue, or None."""
    if schema.dialect is POSTGRESQL:
        if not name.startswith(_SPANNER):
            return None
        name = name.removeprefix(_SPANNER)
    names, fold = schema.dialect.queues, schema.fold
    for prefix, parameters in ((names.receive, _RECEIVE), (names.renew, _RENEW)):
        if fold(name).startswith(fold(prefix)):
            queue = schema.tables.get(fold(name[len(prefix) :]))
            if queue is not None and queue.is_queue:
                receives = prefix == names.receive
                columns = _received(queue, schema) if receives else _renewed(schema)
                hidden = {column.name for column in queue.columns if column.hidden}
                table = SystemTable(f"{prefix}{queue.name}", tuple(columns), frozenset(hidden))
                return TableFunction(table, parameters), queue
    return None


def _received(queue: Table, schema: Schema) -> Iterator[tuple[str, Type]]:
    names = schema.dialect.queues
    yield from ((column.name, column.type) for column in queue.columns)
    yield names.expiration, TIMESTAMP
    yield names.token, STRING
    yield names.last_of_batch, BOOL


def _renewed(schema: Schema) -> Sequence[tuple[str, Type]]:
    names = schema.dialect.queues
    return (names.old_token, STRING), (names.new_token, STRING), (names.expiration, TIMESTAMP)


class TableFunctionLookup:
    """The table functions of a schema for the analyzer; `found` says whether it found any."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self.found = False

    def __call__(self, name: str) -> TableFunction | None:
        known = table_function(self._schema, name)
        if known is None:
            return None
        self.found = True
        return known[0]


class PreparedCall(NamedTuple):
    """The call of a table function in a prepared statement.

    `arguments` is a query whose single row holds the arguments.
    """

    function: str
    queue: Table
    receives: bool
    filters: bool  # whether the statement has a condition on the rows
    arguments: Executable


def prepare_call(statement: Statement, schema: Schema, statistics: Statistics) -> PreparedCall:
    """Return the call in a statement. Raises TableFunctionMisused."""
    scan = function_calls.called_function(statement)
    prefix = _SPANNER if schema.dialect is POSTGRESQL else ""
    known = table_function(schema, f"{prefix}{scan.name}")
    assert known is not None, "the analyzer found the function"
    function, queue = known
    assert isinstance(statement, QueryStatement)
    arguments = plan_statement(function_calls.arguments_query(statement, scan), schema, statistics)
    return PreparedCall(
        scan.name,
        queue,
        function.parameters is _RECEIVE,
        _has_filter(statement.scan),
        compile_plan(arguments),
    )


def _has_filter(scan: Scan) -> bool:
    while isinstance(scan, ProjectScan):
        scan = scan.input
    return isinstance(scan, FilterScan)


_DURATION = lazy_pattern(r"(?:\d{1,9}(?:ms|s|m|h|d))+")
_PART = lazy_pattern(r"(\d+)(ms|s|m|h|d)")
_UNITS = {
    "ms": NANOS_PER_MILLI,
    "s": NANOS_PER_SECOND,
    "m": NANOS_PER_MINUTE,
    "h": NANOS_PER_HOUR,
    "d": NANOS_PER_DAY,
}


def _options(
    function: str, batch_size: int | None, _priority: object, duration: str | None
) -> receiving.ReceiveOptions:
    """Return the options of a call; the priority has no effect here.

    Raises BadReceiveArgument.
    """
    if batch_size is not None and batch_size < 1:
        raise follower.BadReceiveArgument(function, "max_batch_size", str(batch_size), "at least 1")
    if duration is None:
        return receiving.ReceiveOptions(batch_size or 1)
    parts = _PART.findall(duration) if _DURATION.fullmatch(duration) else ()
    nanos = sum(int(number) * _UNITS[unit] for number, unit in parts)
    if not nanos:
        raise follower.BadReceiveArgument(
            function, "max_duration", repr(duration), "a duration such as '20m'"
        )
    return receiving.ReceiveOptions(batch_size or 1, nanos)


class _GivenRows:
    """The rows that a table function returned, as rows of a system table."""

    def __init__(self, rows: Sequence[tuple[Any, ...]]) -> None:
        self._rows = rows

    def rows(self, name: str, required: Mapping[int, Any]) -> Iterable[tuple[Any, ...]]:
        """Return the rows of the function."""
        return self._rows

    def call(self, procedure: str, arguments: tuple[Any, ...]) -> None:
        """Do nothing: a query calls no procedure."""


class _Source:
    """A database as receivers need it."""

    def __init__(self, core: DatabaseCore) -> None:
        self._core = core
        self.store = core.store
        self.readers = core.readers
        self.new_token = core.environment.randomness.token

    @property
    def schema(self) -> Schema:
        """The current schema."""
        return self._core.generation.schema


Ended = Callable[[int], object]


class FunctionCalls:
    """The run of a query that calls a table function."""

    def __init__(self, core: DatabaseCore, executable: Executable, run: Run, session: str) -> None:
        self._core = core
        self._executable = executable
        self._run = run
        self._session = session

    def renew(self, call: PreparedCall, ended: Ended | None) -> Iterator[tuple[Any, ...]]:
        """Return the result of a query that renews leases; call `ended` with its row count."""
        (tokens,) = self._arguments(call)
        source = _Source(self._core)
        queue = follower.follower_of(source.store, call.queue, source.new_token)
        renewals = queue.renew(tokens or (), self._core.store.clock.peek())
        rows = self._results([tuple(renewal) for renewal in renewals])
        if ended is not None:
            ended(len(rows))
        return iter(rows)

    def receive(self, call: PreparedCall, position: bytes, ended: Ended | None) -> Any:
        """Return the live rows of a query that receives messages, continued after a position.

        They call `ended` with their number after the last.
        """
        options = _options(call.function, *self._arguments(call))
        options = receiving.continued(options, position, self._core.store.clock.peek())
        query = receiving.MessageQuery(self._results, filters=call.filters)
        source = _Source(self._core)
        rows = receiving.ReceivedMessages(source, call.queue, options, query, self._session)
        rows.ended = ended
        return rows

    def _arguments(self, call: PreparedCall) -> tuple[Any, ...]:
        run = Run(self._run.reader, self._run.parameters, self._run.context)
        (row,) = call.arguments.run(run)
        return tuple(row)

    def _results(self, rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Return the rows of the query over rows of the function."""
        context = self._run.context
        run = Run(self._run.reader, self._run.parameters, context, _GivenRows(rows))
        run.profile = self._run.profile
        return list(self._executable.run(run))
