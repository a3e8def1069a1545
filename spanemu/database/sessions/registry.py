"""Sessions: who talks to a database, and which transactions each of them has open.

    regular       gone after an hour without a request; one read-write transaction at a time
    multiplexed   good for 28 days; any number of transactions, shared by all such sessions

Expiry is found out when a name is looked up, so nothing runs in the background. Clients that end
without a word never look their sessions up again: those go when there are twice as many sessions as
were alive the last time.

A session's id begins with the mark of its database. What a client holds from a database that was
dropped, and whose name another one has by now, is told from a session that is merely gone.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Mapping, Sequence
from itertools import count

from spanemu.base.clock import Clock
from spanemu.base.errors import SpannerError
from spanemu.base.limits import SESSION_IDLE_MAX_NANOS
from spanemu.base.paging import PageRequest, page
from spanemu.base.resource_names import SessionName
from spanemu.database.core import DatabaseCore
from spanemu.database.errors import DatabaseNotFound
from spanemu.database.filters import compile_filter
from spanemu.database.sessions.access import Access
from spanemu.database.sessions.errors import MultiplexedSessionDeleted, SessionNotFound
from spanemu.database.sessions.role_session import RoleSession
from spanemu.database.sessions.session import Session, SessionSpec
from spanemu.database.transactions.listing import OpenTransaction, described
from spanemu.database.transactions.registry import Transactions

_LOOK_AT = 1_000  # sessions, before anybody looks for those that have expired
_EXPIRED = "Its session has expired."
_ID = re.compile(r"(?P<mark>[\w-]{8})\.[\w-]{22}\d+")


class Sessions:
    """The sessions of one database. Safe to use from several threads."""

    def __init__(self, core: DatabaseCore) -> None:
        self._core = core
        self._clock: Clock = core.environment.clock
        self._mutex = threading.Lock()  # Guards the four fields below.
        self._sessions: dict[str, Session] = {}
        self._look_at = _LOOK_AT
        self._lost: dict[str, Session] = {}  # which clients may still hold
        self._numbers = count(1)
        self._mark = core.environment.randomness.token()[:8]
        # Whoever has begun transactions that nobody aborted since, be it one session of thousands.
        self._busy: set[Transactions] = set()
        # Transactions of multiplexed sessions belong to the database, not to one of them.
        self._shared = Transactions(core, "", multiplexed=True, busy=self._busy)

    def create(
        self, labels: Mapping[str, str], multiplexed: bool = False, role: str = ""
    ) -> Session:
        """A new session. Raises RoleNotFound for one that is to carry an unknown role."""
        spec = SessionSpec(dict(labels), multiplexed, role)
        access = Access(self._core, role) if role else None
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
            if access is None:
                session = Session(name, spec, transactions, now)
            else:
                session = RoleSession(name, spec, transactions, now, access)
            self._sessions[name] = session
            expired = self._take_expired(now)
        for each in expired:
            each.close(_EXPIRED)
        return session

    def get(self, name: str) -> Session:
        """The session of that name, marked as used now.

        Raises SessionNotFound, InvalidName; DatabaseNotFound for one of a database that was
        dropped before this one was created.
        """
        session = self._sessions.get(name)
        if session is None:
            raise self._missing(name)
        now = self._clock.peek()
        if now > session.ends_at:
            self._drop(session, _EXPIRED)
            raise SessionNotFound(name)
        session.last_use_time = now
        if not session.multiplexed:
            session.ends_at = now + SESSION_IDLE_MAX_NANOS
        return session

    def delete(self, name: str) -> None:
        """End a session and its transactions; one that is not there is no error."""
        session = self._sessions.get(name)
        if session is None:
            return
        if session.multiplexed:
            raise MultiplexedSessionDeleted(name)
        self._drop(session)

    def lose(self, name: str) -> None:
        """Forget a session of either kind, as the server may; its transactions end with it."""
        session = self._sessions.get(name)
        if session is not None:
            self._drop(session)
            with self._mutex:
                self._lost[name] = session

    def find_lost(self, names: Collection[str] | None = None) -> None:
        """Restore lost sessions of those names, or all: clients keep a session while they live."""
        with self._mutex:
            found = {n: each for n, each in self._lost.items() if names is None or n in names}
            for name in found:
                del self._lost[name]
            for session in found.values():
                session.live_from(self._clock.peek())
            self._sessions |= found

    def list(self, filter_: str, page_size: int, page_token: str) -> tuple[Sequence[Session], str]:
        """Regular sessions by name, and the token of the next page ("" at the end)."""
        wanted = compile_filter(filter_, _is_session_field)
        paging = PageRequest(page_size, page_token)
        start, now = paging.start(), self._clock.peek()
        with self._mutex:
            found = sorted(
                (name, session)
                for name, session in self._sessions.items()
                if name >= start
                and not session.multiplexed
                and now <= session.ends_at
                and wanted(session.fields())
            )
        first = page(iter(found), paging.limit)
        return first.items, first.next_token

    def close(self) -> None:
        """End every session: the database goes."""
        with self._mutex:
            sessions = list(self._sessions.values())
            self._sessions.clear()
            self._lost.clear()
        for session in sessions:
            session.close("The database was dropped.")
        self._shared.close("The database was dropped.")

    def abort_all(self, why: str) -> None:
        """Abort every open read-write transaction; sessions live on."""
        for transactions in list(self._busy):
            transactions.abort_all(why)

    def open_transactions(self) -> Sequence[OpenTransaction]:
        """Read-write transactions that have not ended, the oldest first."""
        found = [
            described(self._core, transaction)
            for transactions in list(self._busy)
            for transaction in transactions.open()
        ]
        return sorted(found, key=lambda one: (one.age is None, one.age or 0, int(one.id)))

    def stay_young(self) -> None:
        """The clock was moved: for sessions, as for clients, no time has passed."""
        now = self._clock.peek()
        with self._mutex:
            for session in self._sessions.values():
                session.live_from(now)

    def _missing(self, name: str) -> SpannerError:
        made = _ID.fullmatch(SessionName.parse(name).session)
        if made and made["mark"] != self._mark:
            return DatabaseNotFound(self._core.name)
        return SessionNotFound(name)

    def _take_expired(self, now: int) -> Sequence[Session]:
        """Forget sessions that have expired, once in a while; the caller closes them."""
        if len(self._sessions) < self._look_at:
            return ()
        expired = [session for session in self._sessions.values() if now > session.ends_at]
        for session in expired:
            del self._sessions[session.name]
        self._look_at = max(_LOOK_AT, 2 * len(self._sessions))
        return expired

    def _drop(self, session: Session, why: str = "Its session was deleted.") -> None:
        with self._mutex:
            self._sessions.pop(session.name, None)
        session.close(why)


def _is_session_field(name: str) -> bool:
    return name == "name" or name.startswith("labels.")
