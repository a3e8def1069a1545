"""Open read-write transactions: their sessions, their last requests and their locks.

The list shows the transaction that blocks a test, for example one that was opened and never ended.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from spanemu.base.clock import monotonic
from spanemu.database.core import DatabaseCore
from spanemu.database.held_lock import HeldLock, Sources, conflicts, described, sources_of
from spanemu.database.options import ReadRequest, StatementRequest
from spanemu.database.transactions.read_write import ReadWriteTransaction
from spanemu.storage.layout import TreeId
from spanemu.txn.locks.holder import LockHolder
from spanemu.txn.locks.waits import Request, Requested


@dataclass(frozen=True, slots=True)
class OpenTransaction:
    """A read-write transaction that has not ended.

    `session` began the transaction. `age` is its rank in the order in which transactions may wound
    each other, the oldest first. `seconds` is the time since its first request. Both are None
    before the first request. `last_statement` is SQL text or a description of a read. `wants` is
    the lock that the transaction waits for, `waits_for` the ids of the transactions that have to
    end before; both are empty if the transaction does not wait. `commits` is true while Commit
    runs. The locks that others wait for come first.

    A commit that is a transaction of its own is listed while it waits: with the id "commit-N", by
    which no request can name it, and without a session.
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
    commits: bool = False

    def __str__(self) -> str:
        lines = [f"transaction {self.id}" + (f" of {self.session}" if self.session else "")]
        if self.seconds is not None:
            lines[0] += f", {self.seconds:.1f} s old, idle for {self.idle_seconds:.1f} s"
        lines += [tag for tag in (self.transaction_tag, self.request_tag) if tag]
        lines += [self.last_statement] if self.last_statement else []
        if self.wants is not None:
            where = " in Commit" if self.commits else ""
            lines += [f"waits{where} for {self.wants} of {', '.join(self.waits_for)}"]
        elif self.commits:
            lines += ["commits"]
        return "\n    ".join([*lines, *map(str, self.locks)])


def describe_transactions(
    core: DatabaseCore, transactions: Collection[ReadWriteTransaction]
) -> list[OpenTransaction]:
    """Return the descriptions of open transactions, the oldest first."""
    ids = {transaction.holder: transaction.id.decode("ascii") for transaction in transactions}
    sessions = {transaction.holder: transaction.session for transaction in transactions}
    for holder in core.locks.waiting_holders():
        if holder not in ids and holder.client.commits:
            ids[holder] = f"commit-{holder.age[1]}"
    requested = {
        holder: request
        for holder in ids
        if (request := core.locks.requested_by(holder)) is not None
    }
    sources = sources_of(core.generation.schema)
    listing = _Listing(core, ids, requested, sources)
    listed = [listing.describe(holder, sessions.get(holder, "")) for holder in ids]
    return sorted(listed, key=lambda item: (item.age is None, item.age or 0, len(item.id), item.id))


@dataclass(frozen=True, slots=True)
class _Listing:
    """All open transactions: their ids, the locks that they wait for, and what locks are on."""

    core: DatabaseCore
    ids: Mapping[LockHolder, str]
    requested: Mapping[LockHolder, Requested]
    sources: Sources

    def describe(self, holder: LockHolder, session: str) -> OpenTransaction:
        """Return the description of an open transaction."""
        now = monotonic()
        waited = self.requested.get(holder)
        wants = None if waited is None else described(self.sources, waited.tree, waited.request)
        blockers = () if waited is None else waited.blockers
        client = holder.client
        last = client.last_request
        request = last if isinstance(last, StatementRequest | ReadRequest) else None
        return OpenTransaction(
            id=self.ids[holder],
            session=session,
            age=holder.since,
            seconds=None if client.began_at is None else now - client.began_at,
            idle_seconds=0.0 if client.busy else max(0.0, now - client.heard_at),
            transaction_tag=client.tag,
            request_tag=request.request_tag if request else "",
            last_statement=request_text(request),
            waits=holder.waits_on is not None,
            locks=tuple(sorted(self._locks(holder), key=lambda lock: not lock.waiters)),
            wants=wants,
            waits_for=tuple(self.ids[each] for each in blockers if each in self.ids),
            commits=client.commits,
        )

    def _locks(self, holder: LockHolder) -> Iterator[HeldLock]:
        rows, ranges = self.core.locks.held_by(holder)
        held = [(tree, Request(key, None, lock)) for (tree, key), lock in rows.items()]
        held += [(tree, Request(low, high, lock)) for (tree, low, high), lock in ranges.items()]
        for tree, lock in held:
            waiters = tuple(self._waiters(holder, tree, lock))
            if (text := described(self.sources, tree, lock, waiters)) is not None:
                yield text

    def _waiters(self, holder: LockHolder, tree: TreeId, lock: Request) -> Iterator[str]:
        """Yield the ids of the transactions that wait until `holder` releases a lock."""
        for waiter, (wanted_tree, wanted, _) in self.requested.items():
            if waiter is not holder and wanted_tree == tree and conflicts(lock, wanted):
                yield self.ids[waiter]


def request_text(request: StatementRequest | ReadRequest | None) -> str:
    """Return the SQL of a statement, or a description of a read."""
    if isinstance(request, StatementRequest):
        return request.sql
    if isinstance(request, ReadRequest):
        through = f"{request.table}@{request.index}" if request.index else request.table
        return f"read {', '.join(request.columns)} of {through}"
    return ""
