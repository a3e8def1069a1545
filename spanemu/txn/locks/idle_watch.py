"""The watch over the clients of transactions that others wait for.

One timer of a lock table looks for all waiting transactions, however many they are.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable

from spanemu.base.clock import NANOS_PER_SECOND, call_at, monotonic
from spanemu.base.timers import Timer
from spanemu.txn.locks.holder import ACTIVE, IDLE, LockHolder

LOOK_SECONDS = 0.25  # between two looks, because a client may disconnect


class IdleWatch:
    """A timer that wounds transactions of idle or disconnected clients while others wait for them.

    `mutex` is that of the lock table. `blockers` are the transactions for which others wait.
    `wound` aborts a transaction, and is called with the mutex held.
    """

    def __init__(
        self,
        mutex: threading.Lock,
        blockers: Collection[LockHolder],
        wound: Callable[[LockHolder, str], object],
    ) -> None:
        self._mutex = mutex
        self._blockers = blockers
        self._wound = wound
        self._timer: Timer | None = None

    def begin(self, blockers: Iterable[LockHolder]) -> None:
        """Check the clients when one of these blockers may count as idle.

        Called with the mutex held.
        """
        now = monotonic()
        idle = (
            blocker.client.idle_at - now
            for blocker in blockers
            if blocker.waits_on is None and blocker.state is ACTIVE
        )
        seconds = max(0.0, min((LOOK_SECONDS, *idle))) + 0.001
        at, timer = int((now + seconds) * NANOS_PER_SECOND), self._timer
        if timer is None or at < timer.nanos:
            if timer is not None:
                timer.cancel()
            self._timer = call_at(at, self._look)

    def _look(self) -> None:
        with self._mutex:
            self._timer = None
            now = monotonic()
            for blocker in tuple(self._blockers):
                if blocker.waits_on is None:
                    blocker.client.expire_if_disconnected()
                    if blocker.client.idle_at < now:
                        self._wound(blocker, IDLE)
            if self._blockers:
                self.begin(self._blockers)
