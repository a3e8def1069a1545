"""The commit of mutations: resolve, lock, expand, verify and apply.

Only the last phase changes the store, and that phase cannot fail. A failure in an earlier phase
leaves only locks behind, which the caller releases.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from spanemu.base.call import Cancelled, DeadlineExceeded
from spanemu.base.deadline_checks import interruptible
from spanemu.base.errors import SpannerError
from spanemu.base.record import NamedTuple
from spanemu.schema.schema import Schema
from spanemu.sql.executor.run import ByteRange
from spanemu.sql.functions.registry import Context
from spanemu.storage.change_log import ChangeOrigin
from spanemu.storage.layout import TreeId, encoder_of, parts_of, tree_of
from spanemu.storage.observer import TreeWrite, inform
from spanemu.txn import bulk_insert, key_sets
from spanemu.txn.change_capture import net_changes
from spanemu.txn.constraint_checks import verify
from spanemu.txn.errors import (
    MessageNotFound,
    ParentInsertedLater,
    ParentRowMissing,
    QueueNotFound,
    RowAlreadyExists,
    RowInsertedTwice,
    RowNotFound,
    StatementOverMutationLimit,
    TableNotFound,
    TransactionAborted,
    ViewNotWritable,
    WriteWithoutRows,
    WrongKeyParts,
    row_already_exists,
)
from spanemu.txn.locks.modes import WRITE_ROW
from spanemu.txn.read_write import TransactionWorkspace
from spanemu.txn.rules import CompiledSchema, CompiledTable
from spanemu.txn.write import WriteBatch
from spanemu.txn.write_plan import DELETION, MANY_ROWS, WritePlan, plan_at, plan_of
from spanemu.values.key_text import key_text
from spanemu.values.mutation import (
    COMMIT_TIMESTAMP,
    Ack,
    Delete,
    Mutation,
    RawKeySet,
    RowDelete,
    RowWrite,
    Send,
    Write,
    WriteKind,
)


class RowsToWrite(NamedTuple):
    """Rows as Python values, each in the order of the plan's columns."""

    plan: WritePlan
    rows: Sequence[Sequence[Any]]


class RangesToDelete(NamedTuple):
    """Key ranges of a table to delete.

    `mutations` is what the ranges count for, however many rows they hold. `message` is the key of a
    message that must exist, as error messages show it, or None.
    """

    rules: CompiledTable
    ranges: tuple[ByteRange, ...]
    mutations: int
    message: str | None = None


def resolve(
    compiled_schema: CompiledSchema, context: Context, mutation: Mutation
) -> RowsToWrite | RangesToDelete:
    """Return the rows to write or the ranges to delete for a mutation.

    Raise when it names an object that does not exist or cannot be written, or has invalid values.
    The time of `context` bounds commit timestamps in keys.
    """
    rules = compiled_schema.named(mutation.table)
    if rules is None:
        raise _no_such_object(compiled_schema, mutation)
    if isinstance(mutation, Write):
        plan = plan_of(rules, mutation.kind, mutation.columns)
        if not mutation.rows:
            raise WriteWithoutRows(rules.table.name)
        return RowsToWrite(plan, plan.decode_all(mutation.rows))
    if isinstance(mutation, Delete):
        key_set = mutation.key_set
        count = 1 if key_set.all else len(key_set.keys) + len(key_set.ranges)
        return RangesToDelete(rules, key_sets.DeleteReader(rules, context).ranges(key_set), count)
    if not rules.table.is_queue:
        raise QueueNotFound(mutation.table)
    if isinstance(mutation, Send):
        return _message(rules, mutation)
    return _acknowledged(rules, context, mutation)


def _no_such_object(compiled_schema: CompiledSchema, mutation: Mutation) -> SpannerError:
    """Return the error of a mutation that names neither a table nor a queue."""
    if isinstance(mutation, Send | Ack):
        return QueueNotFound(mutation.table)
    is_view = compiled_schema.schema.view(mutation.table) is not None
    return (ViewNotWritable if is_view else TableNotFound)(mutation.table)


def _message(rules: CompiledTable, send: Send) -> RowsToWrite:
    """Return the row of a message to send."""
    queue = rules.table
    if len(send.key) != len(queue.key):
        raise WrongKeyParts(queue.name, len(queue.key), len(send.key))
    payload = rules.compiled.schema.dialect.queues.payload
    cells = {column.name: raw for column, raw in zip(queue.key_columns, send.key, strict=True)}
    cells[payload] = send.payload
    if send.deliver_time is not None:
        cells[queue.deliver_time.name] = send.deliver_time
    plan = plan_of(rules, WriteKind.INSERT, tuple(cells))
    return RowsToWrite(plan, [plan.decode(list(cells.values()))])


def _acknowledged(rules: CompiledTable, context: Context, ack: Ack) -> RangesToDelete:
    """Return the range of a message to delete."""
    ranges = key_sets.DeleteReader(rules, context).ranges(RawKeySet(keys=[ack.key]))
    key = None if ack.ignore_not_found else key_text(map(str, ack.key))
    return RangesToDelete(rules, ranges, DELETION, key)


def buffer_mutations(
    transaction: TransactionWorkspace,
    compiled_schema: CompiledSchema,
    mutations: Sequence[Mutation],
) -> int:
    """Apply a commit's mutations, in order, to the transaction's buffer, and verify them.

    Return how many mutations they count for. Raise the error of the first invalid mutation.
    """
    batch = WriteBatch(transaction)
    try:
        to_step = partial(resolve, compiled_schema, transaction.context)
        if len(mutations) >= MANY_ROWS:
            mutations = bulk_insert.joined_writes(mutations)
        steps = list(map(to_step, mutations))
        for position, step in enumerate(steps):
            try:
                if isinstance(step, RowsToWrite):
                    _write_rows(batch, step)
                else:
                    _delete(transaction, batch, step)
            except ParentRowMissing as missing:
                if _inserts_parent(missing, steps[position + 1 :]):
                    raise ParentInsertedLater(
                        missing.parent, missing.parent_key, missing.child, missing.key
                    ) from None
                raise
            except (RowAlreadyExists, RowNotFound):
                _record_deletes(batch, steps[position + 1 :])
                raise
            except RowInsertedTwice as twice:  # For mutations, the row simply exists.
                _record_deletes(batch, steps[position + 1 :])
                dialect = compiled_schema.schema.dialect
                raise row_already_exists(twice.table, twice.key, dialect) from None
        verify(batch.deferred, transaction)
    except SpannerError:
        transaction.validate()  # An error that only a stale snapshot causes becomes ABORTED.
        raise
    return batch.count


def _write_rows(batch: WriteBatch, step: RowsToWrite) -> None:
    """Write the rows of a mutation, in order."""
    if len(step.rows) >= MANY_ROWS:
        bulk_insert.write_rows(batch, step.plan, step.rows)
        return
    for cells in step.rows:
        batch.write(step.plan, cells)


def buffer_rows(
    transaction: TransactionWorkspace,
    compiled_schema: CompiledSchema,
    rows: Sequence[RowWrite | RowDelete],
    *,
    returns: bool = False,
) -> tuple[list[tuple[str, Any]], int]:
    """Run the rows of one DML statement into the buffer and verify them.

    Return the (action, stored row) pairs if `returns` is set, and the mutation count. A failure
    undoes the whole statement. One with too many mutations fails for that reason, also if keys
    collide: clients go on with partitioned DML then.
    """
    batch = WriteBatch(transaction, transaction.pending, returns=returns)
    savepoint = transaction.buffer.savepoint()
    try:
        done = _buffer_each(transaction, compiled_schema, batch, rows)
        verify(batch.deferred, transaction)
    except BaseException:
        transaction.buffer.rollback_to(savepoint)
        raise
    for table, positions in batch.pending.items():
        transaction.pending.setdefault(table, set()).update(positions)
    if not returns:
        return [], batch.count
    return [
        (action, deleted if action == "DELETE" else transaction.buffer.get(tree, key))
        for action, tree, key, deleted in interruptible(done)
    ], batch.count


def apply(
    transaction: TransactionWorkspace, schema: Schema, origin: ChangeOrigin | None = None
) -> int:
    """Make all buffered writes visible; return the commit timestamp, in nanoseconds.

    `origin` is None if the database has no change streams.
    """
    store = transaction.store
    with store.mutex:
        if transaction.snapshot_at is not None:
            transaction.validate()
        if transaction.buffer.parts:
            transaction.rebase()
        at = store.clock.now()
        if transaction.awaiting_timestamp:
            writes = _stamped(transaction, schema, at)
        else:
            writes = transaction.buffer.entries()
        cells = transaction.buffer.cells_written()
        if transaction.buffer.rewritten:
            writes = transaction.settled(writes, cells)
        if store.explorer is not None:
            store.explorer.wrote(writes, cells, at)
        if origin is None:
            store.apply(writes, at, cells)
        else:
            changes = net_changes(store, transaction.buffer, writes)
            store.apply(writes, at, cells)
            if changes:
                store.record(at, changes, schema, origin)
        if store.followers:
            inform(store.followers, writes)
        return at


def _delete(transaction: TransactionWorkspace, batch: WriteBatch, step: RangesToDelete) -> None:
    rules = step.rules
    batch.count += step.mutations
    for low, high in step.ranges:
        if step.message is not None and transaction.get(rules.tree, low, WRITE_ROW) is None:
            raise MessageNotFound(rules.table.name, step.message)
        batch.deferred.range_deleted(rules, low, high)
        for key, row in list(transaction.items(rules.tree, [(low, high)], WRITE_ROW)):
            # A cascade from an earlier row may have deleted this row.
            if transaction.get(rules.tree, key, WRITE_ROW) is not None:
                batch.delete(rules, key, row)


def _buffer_each(
    transaction: TransactionWorkspace,
    compiled_schema: CompiledSchema,
    batch: WriteBatch,
    rows: Sequence[RowWrite | RowDelete],
) -> list[tuple[str, TreeId, bytes, Any]]:
    """Buffer the rows of a statement; after a collision of keys, only count them."""
    tables, fold = compiled_schema.schema.tables, compiled_schema.schema.fold
    limit = transaction.statement_mutations_max
    done: list[tuple[str, TreeId, bytes, Any]] = []
    collision: SpannerError | None = None
    for row in interruptible(rows):
        rules = compiled_schema.of(tables[fold(row.table)])
        try:
            done.append(_buffer_row(transaction, rules, batch, row))
        except (RowAlreadyExists, RowInsertedTwice) as failure:
            if limit is None:
                raise
            collision = collision or failure
        except (TransactionAborted, Cancelled, DeadlineExceeded):
            raise
        except SpannerError:
            if collision is None:
                raise
            break
        if limit is not None and batch.count > limit:
            raise StatementOverMutationLimit(batch.count, limit)
    if collision is not None:
        raise collision
    return done


def _buffer_row(
    transaction: TransactionWorkspace,
    rules: CompiledTable,
    batch: WriteBatch,
    row: RowWrite | RowDelete,
) -> tuple[str, TreeId, bytes, Any]:
    if isinstance(row, RowWrite):
        key = batch.write(plan_at(rules, row.kind, row.positions), row.cells)
        inserted = (rules.tree, key) in batch.deferred.inserted
        return ("INSERT" if inserted else "UPDATE"), rules.tree, key, None
    key = rules.encode(row.key)
    stored = transaction.get(rules.tree, key, WRITE_ROW)
    if stored is not None:
        batch.count += DELETION
        batch.delete(rules, key, stored)
        transaction.deleted.add((rules.tree, key))
    return "DELETE", rules.tree, key, stored


def _inserts_parent(
    missing: ParentRowMissing, later: Sequence[RowsToWrite | RangesToDelete]
) -> bool:
    """Return whether a later mutation would have inserted the missing parent row."""
    for step in later:
        if not isinstance(step, RowsToWrite) or step.plan.is_update:
            continue
        parent = step.plan.rules
        if parent.table.name != missing.parent:
            continue
        for cells in step.rows:
            row = step.plan.new_row(cells)
            if parent.key_text(parent.key_of(row)) == missing.parent_key:
                return True
    return False


def _record_deletes(batch: WriteBatch, later: Sequence[RowsToWrite | RangesToDelete]) -> None:
    """Report ranges deleted by later mutations.

    If a row was written before, the conflict with its deletion is the error to raise.
    """
    for step in later:
        if isinstance(step, RangesToDelete):
            for low, high in step.ranges:
                batch.deferred.range_deleted(step.rules, low, high)


def _stamped(transaction: TransactionWorkspace, schema: Schema, at: int) -> list[TreeWrite]:
    pending, stamped = transaction.awaiting_timestamp, _Stamp(schema, at)
    return [
        (tree, key, row)
        if row is None or (tree, key) not in pending
        else stamped.entry(tree, key, row)
        for tree, key, row in transaction.buffer.entries()
    ]


class _Stamp:
    """The replacement of pending commit timestamps, in cells and in keys."""

    def __init__(self, schema: Schema, at: int) -> None:
        self._at = at
        self._sources = {tree_of(source): source for source in schema.tables_and_indexes()}

    def entry(self, tree: TreeId, key: bytes, row: tuple[Any, ...]) -> TreeWrite:
        """Return a pending row or index entry as it is stored."""
        cells = tuple(self._at if cell is COMMIT_TIMESTAMP else cell for cell in row)
        source = self._sources[tree]
        parts = parts_of(source)
        columns = getattr(source, "key_positions", range(len(parts)))
        values = [row[position] for position in columns]
        if COMMIT_TIMESTAMP in values:
            key = encoder_of(parts)([cells[position] for position in columns])
        return tree, key, cells
