"""The sessions of a database by name.

    regular       expires after an hour without a request; one read-write transaction at a time
    multiplexed   expires after 28 days; any number of transactions, shared by all such sessions

Expiry is checked when a session is looked up, so nothing runs in the background. The sessions of
clients that end without deleting them are never looked up again: the registry removes expired
sessions when the number of sessions has doubled since the last such sweep.

A session id begins with the mark of its database. The mark distinguishes a session of a dropped
database, whose name a newer database may have taken, from an expired session of this database.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import count

from sortedcontainers import SortedList

from spanemu.base.clock import Clock
from spanemu.base.deferred import lazy_pattern
from spanemu.base.errors import SpannerError
from spanemu.base.limits import SESSION_IDLE_MAX_NANOS
from spanemu.base.paging import PageRequest, page
from spanemu.base.resource_names import SessionName
from spanemu.database import errors, filters
from spanemu.database.core import DatabaseCore
from spanemu.database.sessions import access_policy
from spanemu.database.sessions.session import Session, SessionSpec
from spanemu.database.transactions import listing
from spanemu.database.transactions.read_write import ReadWriteTransaction
from spanemu.database.transactions.registry import Transactions

_SWEEP_THRESHOLD = 1_000  # the fewest sessions at which expired ones are removed
_EXPIRED = "Its session has expired."
_ID = lazy_pattern(r"(?P<mark>[\w-]{8})\.[\w-]{22}\d+")


class Sessions:
    """The sessions of one database. Safe to use from several threads."""

    def __init__(self, core: DatabaseCore) -> None:
        self._core = core
        self._clock: Clock = core.environment.clock
        self._mutex = threading.Lock()  # Guards the five fields below.
        self._sessions: dict[str, Session] = {}
        self._sorted_names: SortedList[str] | None = (
            None  # of all sessions, since the first listing
        )
        self._sweep_threshold = _SWEEP_THRESHOLD
        self._lost: dict[str, Session] = {}  # sessions that clients may still use
        self._numbers = count(1)
        self._mark = core.environment.randomness.token()[:8]
        # The registries with transactions that `abort_all` has not aborted yet, so that aborting
        # all need not visit thousands of idle sessions.
        self._busy: set[Transactions] = set()
        # The transactions of multiplexed sessions belong to the database, not to a session.
        self._shared = Transactions(core, "", multiplexed=True, busy=self._busy)

    def create(
        self, labels: Mapping[str, str], multiplexed: bool = False, role: str = ""
    ) -> Session:
        """Create a session.

        Raises RoleNotFound if the database does not have the role.
        """
        spec = SessionSpec(dict(labels), multiplexed, role)
        policy = access_policy.policy_of(self._core, role) if role else None
        with self._mutex:
            number = next(self._numbers)
            token = self._core.environment.randomness.token()
            name = f"{self._core.name}/sessions/{self._mark}.{token}{number}"
            transactions = (
                self._shared
                if multiplexed
                else Transactions(self._core, name, multiplexed=False, busy=self._busy)
            )
            now = self._clock.peek()
            if policy is None:
                session = Session(name, spec, transactions, now)
            else:
                session = access_policy.GuardedSession(name, spec, transactions, now, policy)
            self._add(session)
            expired = self._take_expired(now)
        for expired_session in expired:
            self._end(expired_session, _EXPIRED)
        return session

    def get(self, name: str) -> Session:
        """Return the session `name` and mark it as used now.

        Raises SessionNotFound, InvalidName, and DatabaseNotFound for a session of a dropped
        database whose name this database has taken.
        """
        session = self._sessions.get(name)
        if session is None:
            raise self._missing(name)
        now = self._clock.peek()
        if now > session.ends_at:
            self._drop(session, _EXPIRED)
            raise errors.SessionNotFound(name)
        session.last_use_time = now
        if not session.multiplexed:
            session.ends_at = now + SESSION_IDLE_MAX_NANOS
        return session

    def delete(self, name: str) -> None:
        """End a session and its transactions; an unknown session is no error.

        Raises MultiplexedSessionDeleted.
        """
        session = self._sessions.get(name)
        if session is None:
            return
        if session.multiplexed:
            raise errors.MultiplexedSessionDeleted(name)
        self._drop(session)

    def drop(self, name: str) -> None:
        """Remove a session of either kind, as the server may do; its transactions end."""
        session = self._sessions.get(name)
        if session is not None:
            self._drop(session)
            with self._mutex:
                self._lost[name] = session

    def restore_lost(self, names: Collection[str] | None = None) -> None:
        """Restore the lost sessions `names`, or all: clients keep using a session."""
        with self._mutex:
            lost = {n: session for n, session in self._lost.items() if names is None or n in names}
            for name in lost:
                del self._lost[name]
            for session in lost.values():
                session.restart_lifetime(self._clock.peek())
                self._add(session)

    def list(self, filter_: str, page_size: int, page_token: str) -> tuple[Sequence[Session], str]:
        """Return a page of regular sessions sorted by name, and the next page token ("" at the
        end).
        """
        is_match = filters.compile_filter(filter_, _is_session_field)
        paging = PageRequest(page_size, page_token)
        start, now = paging.start(), self._clock.peek()
        with self._mutex:
            if self._sorted_names is None:
                self._sorted_names = SortedList(self._sessions)
            matches = (
                (name, session)
                for name in self._sorted_names.irange(start)
                if not (session := self._sessions[name]).multiplexed
                and now <= session.ends_at
                and is_match(session.fields())
            )
            first = page(matches, paging.limit)
        return first.items, first.next_token

    def close(self) -> None:
        """End every session, because the database is being dropped."""
        with self._mutex:
            sessions = list(self._sessions.values())
            self._sessions.clear()
            self._sorted_names = None
            self._lost.clear()
        for session in sessions:
            session.close("The database was dropped.")
        self._shared.close("The database was dropped.")

    def abort_all(self, why: str) -> None:
        """Abort every open read-write transaction; sessions stay open."""
        for transactions in list(self._busy):
            transactions.abort_all(why)

    def forget_since(self, number: int) -> None:
        """Forget the aborted transactions begun after the transaction with a number."""
        with self._mutex:
            sessions = list(self._sessions.values())
        for transactions in (self._shared, *(session.transactions for session in sessions)):
            transactions.forget_since(number)

    def abort(self, transaction_id: bytes, why: str) -> None:
        """Abort an open read-write transaction. Raises TransactionNotFound."""
        transaction = self.open_transaction(transaction_id)
        if transaction is None:
            raise errors.TransactionNotFound(transaction_id.decode("ascii", "replace"))
        transaction.abort(why)

    def open_transaction(self, transaction_id: bytes) -> ReadWriteTransaction | None:
        """Return an open read-write transaction, None if there is none with an id."""
        return next((each for each in self._open() if each.id == transaction_id), None)

    def _open(self) -> Collection[ReadWriteTransaction]:
        return [
            transaction
            for session_transactions in list(self._busy)
            for transaction in session_transactions.open()
        ]

    def open_transactions(self) -> Sequence[listing.OpenTransaction]:
        """Return the read-write transactions that have not ended, the oldest first."""
        transactions = self._open()
        return listing.describe_transactions(self._core, transactions) if transactions else []

    def open_transaction_count(self) -> int:
        """Return the number of read-write transactions that have not ended."""
        return sum(len(transactions.open()) for transactions in list(self._busy))

    def counts(self) -> tuple[int, int]:
        """Return the numbers of regular and of multiplexed sessions that have not expired."""
        now = self._clock.peek()
        with self._mutex:
            kinds = [each.multiplexed for each in self._sessions.values() if now <= each.ends_at]
        return kinds.count(False), kinds.count(True)

    def restart_lifetimes(self) -> None:
        """Restart every session's lifetime, because a clock change does not age sessions."""
        now = self._clock.peek()
        with self._mutex:
            for session in self._sessions.values():
                session.restart_lifetime(now)

    def _add(self, session: Session) -> None:
        """Add a session; the caller holds the mutex."""
        self._sessions[session.name] = session
        if self._sorted_names is not None:
            self._sorted_names.add(session.name)

    def _remove(self, session: Session) -> None:
        """Remove a session, if it is there; the caller holds the mutex."""
        if self._sessions.pop(session.name, None) is not None and self._sorted_names is not None:
            self._sorted_names.remove(session.name)

    def _missing(self, name: str) -> SpannerError:
        match = _ID.fullmatch(SessionName.parse(name).session)
        if match and match["mark"] != self._mark:
            return errors.DatabaseNotFound(self._core.name)
        return errors.SessionNotFound(name)

    def _take_expired(self, now: int) -> Sequence[Session]:
        """Remove and return expired sessions once enough sessions exist; the caller closes them."""
        if len(self._sessions) < self._sweep_threshold:
            return ()
        expired = [session for session in self._sessions.values() if now > session.ends_at]
        for session in expired:
            self._remove(session)
        self._sweep_threshold = max(_SWEEP_THRESHOLD, 2 * len(self._sessions))
        return expired

    def _drop(self, session: Session, why: str = "Its session was deleted.") -> None:
        with self._mutex:
            self._remove(session)
        self._end(session, why)

    def _end(self, session: Session, why: str) -> None:
        session.close(why)
        self._core.readers.end(partial(errors.SessionNotFound, session.name), session.name)


def _is_session_field(name: str) -> bool:
    return name == "name" or name.startswith("labels.")
