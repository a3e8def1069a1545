"""Open read-write transactions: their sessions, their last requests and their locks.

The list shows the transaction that blocks a test, for example one that was opened and never ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spanemu.base.clock import monotonic
from spanemu.database.core import DatabaseCore
from spanemu.database.options import ReadRequest, StatementRequest
from spanemu.database.physical import locked_columns, locked_key_text
from spanemu.database.transactions.read_write import ReadWriteTransaction
from spanemu.storage.layout import TreeId, tree_of
from spanemu.txn.locks.modes import Lock, mode_name


@dataclass(frozen=True, slots=True)
class HeldLock:
    """A lock, in the notation of the "Lock statistics" page.

    `key` names a row, `Albums(2,1)`, or a range by its start, `Albums(2,1+)`. `columns` are the
    locked columns: `_exists` stands for the existence of the row, and no columns mean all.
    """

    key: str
    mode: str
    columns: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.mode} {self.key}" + (f" {', '.join(self.columns)}" if self.columns else "")


@dataclass(frozen=True, slots=True)
class OpenTransaction:
    """A read-write transaction that has not ended.

    `session` began the transaction. `age` is its rank in the order in which transactions may wound
    each other, the oldest first. `seconds` is the time since its first request. Both are None
    before the first request. `last_statement` is SQL text or a description of a read.
    """

    id: str
    session: str
    age: int | None
    seconds: float | None
    idle_seconds: float
    transaction_tag: str
    request_tag: str
    last_statement: str
    waits: bool
    locks: tuple[HeldLock, ...]

    def __str__(self) -> str:
        lines = [f"transaction {self.id} of {self.session}"]
        if self.seconds is not None:
            lines[0] += f", {self.seconds:.1f} s old, idle for {self.idle_seconds:.1f} s"
        lines += [tag for tag in (self.transaction_tag, self.request_tag) if tag]
        lines += [self.last_statement] if self.last_statement else []
        return "\n    ".join([*lines, *map(str, self.locks)])


def describe_transaction(core: DatabaseCore, transaction: ReadWriteTransaction) -> OpenTransaction:
    """Return the description of an open transaction."""
    holder, now = transaction.holder, monotonic()
    client = holder.client
    last = client.last_request
    request = last if isinstance(last, StatementRequest | ReadRequest) else None
    return OpenTransaction(
        id=transaction.id.decode("ascii"),
        session=transaction.session,
        age=holder.since,
        seconds=None if client.began_at is None else now - client.began_at,
        idle_seconds=0.0 if client.busy else max(0.0, now - client.heard_at),
        transaction_tag=request.transaction_tag if request else "",
        request_tag=request.request_tag if request else "",
        last_statement=request_text(request),
        waits=holder.waits_on is not None,
        locks=tuple(_locks(core, transaction)),
    )


def request_text(request: StatementRequest | ReadRequest | None) -> str:
    """Return the SQL of a statement, or a description of a read."""
    if isinstance(request, StatementRequest):
        return request.sql
    if isinstance(request, ReadRequest):
        through = f"{request.table}@{request.index}" if request.index else request.table
        return f"read {', '.join(request.columns)} of {through}"
    return ""


def _locks(core: DatabaseCore, transaction: ReadWriteTransaction) -> Iterator[HeldLock]:
    sources = {tree_of(source): source for source in core.generation.schema.tables_and_indexes()}
    rows, ranges = core.locks.held_by(transaction.holder)
    held: list[tuple[TreeId, bytes, bool, Lock]] = [
        *((tree, key, False, lock) for (tree, key), lock in rows.items()),
        *((tree, low, True, lock) for (tree, low, _), lock in ranges.items()),
    ]
    for tree, key, is_range, lock in held:
        if tree in sources:  # A dropped table or index has no text.
            source = sources[tree]
            text = locked_key_text(source, key, is_range=is_range)
            yield HeldLock(text, mode_name(lock), tuple(locked_columns(source, lock)))
