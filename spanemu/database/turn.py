"""Requests on one transaction take turns."""

from __future__ import annotations

import threading
from collections.abc import Callable

from spanemu.txn.locks import LockTable
from spanemu.txn.owner import Owner


class Turn:
    """One request's turn: `check` may refuse it, and the lock table learns when it is over.

    A class, since a generator's context manager costs twice as much and every request has a turn.
    """

    __slots__ = ("_asked", "_check", "_locks", "_mutex", "_owner")

    def __init__(
        self,
        mutex: threading.RLock,
        locks: LockTable,
        owner: Owner,
        check: Callable[[], None],
        asked: object,
    ) -> None:
        self._mutex = mutex
        self._locks = locks
        self._owner = owner
        self._check = check
        self._asked = asked

    def __enter__(self) -> None:
        self._mutex.acquire()
        try:
            self._check()
        except BaseException:
            self._mutex.release()
            raise
        owner = self._owner
        owner.last_request = self._asked or owner.last_request
        owner.busy += 1
        owner.failed = True

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        try:
            self._owner.failed = kind is not None
            self._locks.served(self._owner)
        finally:
            self._mutex.release()
