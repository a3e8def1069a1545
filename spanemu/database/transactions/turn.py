"""Requests on one transaction take turns."""

from __future__ import annotations

import threading
from typing import Protocol

from spanemu.txn.locks.owner import Owner
from spanemu.txn.locks.table import LockTable
from spanemu.txn.state import State


class Shared(Protocol):
    """What requests take turns on. `mutex` is held for a turn."""

    mutex: threading.RLock
    locks: LockTable
    owner: Owner

    def check_open(self, what: str, ends: bool) -> None:
        """Refuse what may not be done any more, on one that is not active."""
        ...

    def let_go_if_aborted(self) -> None:
        """Keep no more than that it was aborted."""
        ...


class Turn:
    """One request's turn to do `what`, which the transaction may refuse; the lock table learns
    when it is over. `asked` is the request, if it tells what the transaction is about; `ends` that
    it ends the transaction.

    A class, since a generator's context manager costs twice as much and every request has a turn.
    """

    __slots__ = ("_asked", "_ends", "_shared", "_what")

    def __init__(
        self, shared: Shared, what: str, asked: object = None, *, ends: bool = False
    ) -> None:
        self._shared = shared
        self._what = what
        self._asked = asked
        self._ends = ends

    def __enter__(self) -> None:
        shared = self._shared
        shared.mutex.acquire()
        owner = shared.owner
        if owner.state is not State.ACTIVE:
            try:
                shared.check_open(self._what, self._ends)
            except BaseException:
                shared.let_go_if_aborted()
                shared.mutex.release()
                raise
        if self._asked is not None:
            owner.last_request = self._asked
        owner.busy += 1
        owner.failed = True

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        shared = self._shared
        try:
            shared.owner.failed = kind is not None
            shared.locks.served(shared.owner)
            if kind is not None:
                shared.let_go_if_aborted()
        finally:
            shared.mutex.release()
