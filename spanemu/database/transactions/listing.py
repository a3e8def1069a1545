"""Open read-write transactions: their sessions, their last requests and their locks.

The list shows the transaction that blocks a test, for example one that was opened and never ended.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from spanemu.base.clock import monotonic
from spanemu.database.core import DatabaseCore
from spanemu.database.options import ReadRequest, StatementRequest
from spanemu.database.physical import locked_columns, locked_key_text
from spanemu.database.transactions.read_write import ReadWriteTransaction
from spanemu.schema.table import TableOrIndex
from spanemu.storage.layout import TreeId, tree_of
from spanemu.txn.locks.holder import LockHolder
from spanemu.txn.locks.modes import Lock, mode_name

_Sources = Mapping[TreeId, TableOrIndex]


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
    before the first request. `last_statement` is SQL text or a description of a read. `wants` is
    the lock that the transaction waits for, `waits_for` the ids of the transactions that have to
    end before; both are empty if the transaction does not wait.
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
    wants: HeldLock | None = None
    waits_for: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"transaction {self.id} of {self.session}"]
        if self.seconds is not None:
            lines[0] += f", {self.seconds:.1f} s old, idle for {self.idle_seconds:.1f} s"
        lines += [tag for tag in (self.transaction_tag, self.request_tag) if tag]
        lines += [self.last_statement] if self.last_statement else []
        if self.wants is not None:
            lines += [f"waits for {self.wants} of {', '.join(self.waits_for)}"]
        return "\n    ".join([*lines, *map(str, self.locks)])


def describe_transactions(
    core: DatabaseCore, transactions: Collection[ReadWriteTransaction]
) -> list[OpenTransaction]:
    """Return the descriptions of open transactions, the oldest first."""
    ids = {transaction.holder: transaction.id.decode("ascii") for transaction in transactions}
    described = [_describe(core, transaction, ids) for transaction in transactions]
    return sorted(described, key=lambda item: (item.age is None, item.age or 0, int(item.id)))


def _describe(
    core: DatabaseCore, transaction: ReadWriteTransaction, ids: Mapping[LockHolder, str]
) -> OpenTransaction:
    """Return the description of an open transaction; `ids` are those of all lock holders."""
    holder, now = transaction.holder, monotonic()
    sources = {tree_of(source): source for source in core.generation.schema.tables_and_indexes()}
    requested = core.locks.requested_by(holder)
    wants: HeldLock | None = None
    blockers: tuple[LockHolder, ...] = ()
    if requested is not None:
        tree, (low, high, lock), blockers = requested
        wants = _lock(sources, tree, low, high is not None, lock)
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
        locks=tuple(_locks(core, holder, sources)),
        wants=wants,
        waits_for=tuple(ids[blocker] for blocker in blockers if blocker in ids),
    )


def request_text(request: StatementRequest | ReadRequest | None) -> str:
    """Return the SQL of a statement, or a description of a read."""
    if isinstance(request, StatementRequest):
        return request.sql
    if isinstance(request, ReadRequest):
        through = f"{request.table}@{request.index}" if request.index else request.table
        return f"read {', '.join(request.columns)} of {through}"
    return ""


def _locks(core: DatabaseCore, holder: LockHolder, sources: _Sources) -> Iterator[HeldLock]:
    rows, ranges = core.locks.held_by(holder)
    held: list[tuple[TreeId, bytes, bool, Lock]] = [
        *((tree, key, False, lock) for (tree, key), lock in rows.items()),
        *((tree, low, True, lock) for (tree, low, _), lock in ranges.items()),
    ]
    for tree, key, is_range, lock in held:
        described = _lock(sources, tree, key, is_range, lock)
        if described is not None:
            yield described


def _lock(
    sources: _Sources, tree: TreeId, key: bytes, is_range: bool, lock: Lock
) -> HeldLock | None:
    """Return a lock as text; None for a dropped table or index, which has no text."""
    source = sources.get(tree)
    if source is None:
        return None
    text = locked_key_text(source, key, is_range=is_range)
    return HeldLock(text, mode_name(lock), tuple(locked_columns(source, lock)))
