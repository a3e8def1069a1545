"""The hooks of an exploration: in front of the observers of requests, and inside the engine."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.explorer.actors import acting
from spanemu.explorer.errors import UncontrolledRequest, UnknownThread
from spanemu.explorer.requests import UNSCHEDULED
from spanemu.explorer.run import Run
from spanemu.explorer.steps import LAST, SEQUENCES, Access
from spanemu.frontend.dispatch import ServedCall, Watcher
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import CellMasks, TreeWrite
from spanemu.txn.locks.holder import LockHolder
from spanemu.txn.locks.modes import Lock
from spanemu.txn.locks.waits import Wait
from spanemu.values.key import ByteRange


class Quarantine:
    """A watcher that refuses the requests of actors that an exploration could not end."""

    def __init__(self, threads: frozenset[int | None]) -> None:
        self._threads = threads

    def started(self, call: ServedCall, request: Any) -> None:
        """Refuse the request of an actor of an exploration that is over."""
        if threading.get_ident() in self._threads:
            raise UncontrolledRequest("The exploration is over.")

    def replied(self, call: ServedCall, reply: bytes) -> None:
        """Accept each reply."""

    def ended(self, call: ServedCall, error: Exception | None) -> None:
        """Accept each end."""


class Front:
    """The only watcher while an exploration runs: it passes requests of other databases on.

    It is the explorer of the lock table and the store as well, and passes what they report to the
    present run. The thread that made it may send requests between two runs.
    """

    def __init__(self, database: str, others: Sequence[Watcher]) -> None:
        self.run: Run | None = None
        self._database = database
        self._prefix = f"{database}/"
        self._others = others
        self._owner = threading.get_ident()

    # ------------------------------------------------------------------ the watcher

    def started(self, call: ServedCall, request: Any) -> None:
        """Stop an actor before its request; refuse requests that belong to no actor."""
        if not self._is_explored(request):
            self._note_stranger()
            for other in self._others:
                other.started(call, request)
            return
        call.is_explored = True
        method = call.path.rpartition("/")[2]
        run, actor = self.run, acting()
        if method in UNSCHEDULED:
            return
        if actor is not None and run is not None and actor.run is run:
            try:
                run.request(actor, call, method, request)
            except SpannerError:
                raise
            except Exception as bug:  # Clients would hide it.
                run.fatal = run.fatal or bug
                raise
        elif run is not None or threading.get_ident() != self._owner:
            thread = threading.current_thread().name
            if run is not None:
                run.fatal = run.fatal or UnknownThread(method, thread)
            raise UncontrolledRequest(str(UnknownThread(method, thread)))

    def replied(self, call: ServedCall, reply: bytes) -> None:
        """Drop a response if the run says so."""
        if not call.is_explored:
            for other in self._others:
                other.replied(call, reply)
            return
        actor, run = call.actor or acting(), self.run
        if actor is not None and run is not None:
            actor.is_served = False
            run.replied(actor, call.path.rpartition("/")[2])

    def ended(self, call: ServedCall, error: Exception | None) -> None:
        """Record the end of a request."""
        if not call.is_explored:
            for other in self._others:
                other.ended(call, error)
            return
        actor, run = call.actor or acting(), self.run
        if actor is not None and run is not None:
            run.ended(actor, error)

    def _note_stranger(self) -> None:
        """Note that a request of an actor is for another database, which no run restores."""
        actor = acting()
        if actor is not None and self.run is not None and actor.run is self.run:
            actor.uses_others = True

    def _is_explored(self, request: Any) -> bool:
        for name in ("session", "database", "name"):
            value = getattr(request, name, "")
            if isinstance(value, str) and value:
                return value.startswith(self._prefix) or value == self._database
        return False

    # ------------------------------------------------------------------ hooks of the engine

    def began(self, holder: LockHolder, *, is_atomic: bool) -> None:
        """Pass on the first statement of a transaction."""
        if self.run is not None:
            self.run.footprints.began(holder, is_atomic=is_atomic)

    def requested(
        self, holder: LockHolder, tree: TreeId, low: bytes, high: bytes | None, lock: Lock
    ) -> None:
        """Pass on a lock request."""
        if self.run is not None:
            self.run.footprints.requested(holder, tree, low, high, lock)

    def wait(self, holder: LockHolder, waits: Wait) -> bool:
        """Leave the order of a wait to the run."""
        return self.run is not None and self.run.footprints.wait(holder, waits)

    def next_transaction(self, what: str) -> None:
        """Leave the order of the transactions of one request to the run."""
        if self.run is not None:
            self.run.part(what)

    def ended_transaction(self, holder: LockHolder) -> None:
        """Record the end of a transaction in the footprints of the run."""
        if self.run is not None:
            self.run.footprints.ended(holder)

    def read(
        self, tree: TreeId, ranges: Sequence[ByteRange] | None, cells: int, at: int | None
    ) -> None:
        """Pass on a read without locks."""
        if self.run is not None:
            self.run.footprints.read(tree, ranges, cells, at)

    def validated(
        self, tree: TreeId, low: bytes, high: bytes, cells: int, *, is_write: bool = False
    ) -> None:
        """Pass on what a commit validates."""
        if self.run is not None:
            access = Access(tree, low, high, cells, 0)
            self.run.footprints.validated(access, is_write=is_write)

    def wrote(self, writes: Sequence[TreeWrite], cells: CellMasks, at: int) -> None:
        """Pass on a commit."""
        if self.run is not None:
            self.run.footprints.wrote(writes, cells, at)

    def generated(self, kind: str, value: Any) -> None:
        """Pass on a generated value."""
        if self.run is not None:
            self.run.footprints.generated(kind, value)

    def sequence_read(self) -> None:
        """Pass on a read of the state of a sequence."""
        if self.run is not None:
            self.run.touch(Access(SEQUENCES, b"", LAST, 0, 1))
