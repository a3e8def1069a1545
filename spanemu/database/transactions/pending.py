"""What a transaction may not read: columns it set to the commit timestamp that is yet to come.

A pending key column makes the whole table and all its indexes unreadable; a pending non-key
column makes itself unreadable, and the indexes that hold it.
"""

from __future__ import annotations

from collections.abc import Iterable

from spanemu.database.statements.query_engine import Prepared
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.txn.errors.values import PendingTimestampRead
from spanemu.txn.read_write import ReadWrite


def refuse_pending_columns(
    transaction: ReadWrite, table: Table, index: Index | None, positions: Iterable[int]
) -> None:
    """Raise when a read of those columns would meet a pending timestamp."""
    pending = transaction.pending.get(table.name)
    if not pending:
        return
    if pending & set(table.key_positions):
        raise PendingTimestampRead(f"Table {table.name}")
    if index is not None and pending & {column.position for column in index.columns}:
        raise PendingTimestampRead(f"Index {index.name}")
    for position in pending.intersection(positions):
        column = next(c for c in table.columns if c.position == position)
        raise PendingTimestampRead(f"Column {table.name}.{column.name}")


def refuse_pending_plan(transaction: ReadWrite, prepared: Prepared, schema: Schema) -> None:
    """Raise when a statement would read what is pending."""
    if not transaction.pending:
        return
    reads = prepared.executable.reads
    for name, columns in reads.columns.items():
        table = schema.tables[name.lower()]
        positions = {table.by_name[column.lower()].position for column in columns}
        refuse_pending_columns(transaction, table, None, positions)
    for name in reads.indexes:
        index = schema.indexes[name.lower()]
        refuse_pending_columns(transaction, schema.tables[index.table.lower()], index, ())
