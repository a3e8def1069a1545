"""Which read-write transactions are open: whose they are, what they did last, what they lock.

For whoever finds a test stuck behind a transaction that somebody opened and forgot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spanemu.base.clock import monotonic
from spanemu.database.core import DatabaseCore
from spanemu.database.options import ReadRequest, StatementRequest
from spanemu.database.physical import locked_columns, place_text
from spanemu.database.transactions.read_write import ReadWriteTransaction
from spanemu.storage.layout import TreeId, tree_of
from spanemu.txn.locks.modes import Lock, mode_name


@dataclass(frozen=True, slots=True)
class HeldLock:
    """A lock, in the words of the "Lock statistics" page.

    `key` is of a row, `Albums(2,1)`, or of a range by its start, `Albums(2,1+)`; `columns` those
    that are locked, `_exists` for whether there is a row, none for all.
    """

    key: str
    mode: str
    columns: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.mode} {self.key}" + (f" {', '.join(self.columns)}" if self.columns else "")


@dataclass(frozen=True, slots=True)
class OpenTransaction:
    """A read-write transaction that has not ended.

    `session` is the one that began it. `age` is its place in the order in which
    transactions may wound each other, the smallest first; None before its first request, as are
    `seconds`, since then. `last_statement` is SQL, or what was read.
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


def described(core: DatabaseCore, transaction: ReadWriteTransaction) -> OpenTransaction:
    """What is known of an open transaction."""
    holder, now = transaction.holder, monotonic()
    last = holder.last_request
    request = last if isinstance(last, StatementRequest | ReadRequest) else None
    return OpenTransaction(
        id=transaction.id.decode("ascii"),
        session=transaction.session,
        age=holder.since,
        seconds=None if holder.began_at is None else now - holder.began_at,
        idle_seconds=0.0 if holder.busy else max(0.0, now - holder.heard_at),
        transaction_tag=request.transaction_tag if request else "",
        request_tag=request.request_tag if request else "",
        last_statement=text_of(request),
        waits=holder.waits_on is not None,
        locks=tuple(_locks(core, transaction)),
    )


def text_of(request: StatementRequest | ReadRequest | None) -> str:
    """A request in words; a statement's SQL."""
    if isinstance(request, StatementRequest):
        return request.sql
    if isinstance(request, ReadRequest):
        through = f"{request.table}@{request.index}" if request.index else request.table
        return f"read {', '.join(request.columns)} of {through}"
    return ""


def _locks(core: DatabaseCore, transaction: ReadWriteTransaction) -> Iterator[HeldLock]:
    things = {tree_of(thing): thing for thing in core.generation.schema.tables_and_indexes()}
    rows, ranges = core.locks.held_by(transaction.holder)
    held: list[tuple[TreeId, bytes, bool, Lock]] = [
        *((tree, key, False, lock) for (tree, key), lock in rows.items()),
        *((tree, low, True, lock) for (tree, low, _), lock in ranges.items()),
    ]
    for tree, key, is_range, lock in held:
        if tree in things:  # and has not been dropped meanwhile
            thing = things[tree]
            place = place_text(thing, key, is_range=is_range)
            yield HeldLock(place, mode_name(lock), tuple(locked_columns(thing, lock)))
