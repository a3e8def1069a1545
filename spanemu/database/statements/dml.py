"""The execution of a DML statement in a transaction: planned rows are checked, buffered,
counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from spanemu.base.call import Cancelled, DeadlineExceeded
from spanemu.base.clock import monotonic
from spanemu.base.errors import SpannerError
from spanemu.base.record import Record, record
from spanemu.database.generation import Generation
from spanemu.database.options import QueryMode, StatementRequest
from spanemu.database.statements.query_engine import Measured, Prepared, fill_stats
from spanemu.database.statements.results import NO_TRANSACTION, ResultStats, ResultStream
from spanemu.schema.indexes import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.executor.run import RowReader, Run
from spanemu.txn import value_errors
from spanemu.txn.commit import buffer_rows
from spanemu.txn.errors import StatementOverMutationLimit, TransactionAborted
from spanemu.txn.read_write import TransactionWorkspace


def refuse_pending_columns(
    transaction: TransactionWorkspace,
    table: Table,
    index: Index | None,
    positions: Iterable[int],
) -> None:
    """Raise PendingTimestampRead if a read of the columns would see a pending timestamp."""
    pending = transaction.pending.get(table.name)
    if not pending:
        return
    if pending & set(table.key_positions):
        raise value_errors.PendingTimestampRead(f"Table {table.name}")
    if index is not None and pending & {column.position for column in index.columns}:
        raise value_errors.PendingTimestampRead(f"Index {index.name}")
    for position in pending.intersection(positions):
        column = next(c for c in table.columns if c.position == position)
        raise value_errors.PendingTimestampRead(f"Column {table.name}.{column.name}")


def refuse_pending_plan(
    transaction: TransactionWorkspace, prepared: Prepared, schema: Schema
) -> None:
    """Raise PendingTimestampRead if a statement would read a pending timestamp."""
    if not transaction.pending:
        return
    reads = prepared.executable.reads
    for name, columns in reads.columns.items():
        table = schema.tables[schema.fold(name)]
        positions = {table.by_name[schema.fold(column)].position for column in columns}
        refuse_pending_columns(transaction, table, None, positions)
    for name in reads.indexes:
        index = schema.index_of_any_kind(name)
        assert index is not None
        if not index.has_entries:
            continue  # A vector index is the table itself.
        refuse_pending_columns(transaction, schema.tables[schema.fold(index.table)], index, ())


_PASSING = (TransactionAborted, Cancelled, DeadlineExceeded, StatementOverMutationLimit)
_WITH_STATS = frozenset({QueryMode.PROFILE, QueryMode.WITH_STATS, QueryMode.WITH_PLAN_AND_STATS})


@record
class DmlDone(Record):
    """The result of a statement, or `violation`, a failure that invalidates its transaction."""

    result: ResultStream
    mutations: int = 0
    violation: SpannerError | None = None


def execute_dml(
    prepared: Prepared,
    request: StatementRequest,
    transaction: TransactionWorkspace,
    reader: RowReader,
    generation: Generation,
) -> DmlDone:
    """Run a DML statement to its end.

    A failure before the first write, and that of a statement with too many mutations, is raised and
    changes nothing.
    """
    run = Run(reader, prepared.bind(request.parameters), transaction.context)
    began = 0.0
    if request.mode in _WITH_STATS:
        run.start_profile()
        began = monotonic()
    rows = list(prepared.executable.run(run))
    result = ResultStream(
        prepared.columns, iter(()), NO_TRANSACTION, ResultStats(), prepared.undeclared,
        is_dml=True, source=prepared, run=run,
    )  # fmt: skip
    returns = bool(prepared.columns)
    mark = transaction.buffer.savepoint() if returns else 0
    try:
        written, mutations = buffer_rows(transaction, generation.rules, rows, returns=returns)
    except _PASSING:
        raise
    except SpannerError as violation:
        return DmlDone(result, violation=violation)
    result.stats.row_count = len(rows)
    if returns:
        try:
            refuse_pending_plan(transaction, prepared, generation.schema)
            result.rows = _returned(prepared, run, transaction, mark, written)
        except BaseException:
            transaction.buffer.rollback_to(mark)
            raise
    if request.mode in _WITH_STATS:
        measured = Measured(len(rows), monotonic() - began, run.context.waited())
        fill_stats(result.stats, prepared, request, run, measured)
    return DmlDone(result, mutations)


def _returned(
    prepared: Prepared, run: Run, transaction: TransactionWorkspace, mark: int, written: Any
) -> Iterator[tuple[Any, ...]]:
    """Return the rows of THEN RETURN; their subqueries see the data before the statement."""
    executable = prepared.executable
    if not executable.returning_scans:
        return iter(list(executable.returning(run, written)))
    with transaction.buffer.without(mark):
        return iter(list(executable.returning(run, written)))
