"""A thread that wakes readers some time after an event, so that the event itself costs little.

event       signal()            one flag is set; many events set it once
thread      waits a moment      the request that caused the event is answered first
            wakes the readers   and pauses, so that a burst of events wakes them a few times only
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from time import sleep

log = logging.getLogger("spanemu")

DELAY_SECONDS = 0.001  # from an event to the waking
PAUSE_SECONDS = 0.009  # from a waking to the next
_IDLE_SECONDS = 1.0  # after which the thread ends


class Waker:
    """The thread that calls `wake` after signals; it exists while there are any."""

    def __init__(self, wake: Callable[[], object]) -> None:
        self._wake = wake
        self._mutex = threading.RLock()  # Guards the thread; reentrant for the garbage collector.
        self._thread: threading.Thread | None = None
        self._signalled = threading.Event()

    def signal(self) -> None:
        """Let another thread call `wake` soon. Costs little, and even less when repeated."""
        if self._signalled.is_set() and self._is_running():
            return
        with self._mutex:
            self._signalled.set()
            if not self._is_running():
                self._thread = threading.Thread(
                    target=self._run, name="spanemu-waking", daemon=True
                )
                self._thread.start()

    def _is_running(self) -> bool:
        thread = self._thread
        return thread is not None and thread.is_alive()  # not in a forked process

    def _run(self) -> None:
        while self._signalled.wait(_IDLE_SECONDS) or not self._end():
            sleep(DELAY_SECONDS)
            self._signalled.clear()
            try:
                self._wake()
            except Exception:  # Later signals count all the same.
                log.exception("waking readers failed")
            sleep(PAUSE_SECONDS)

    def _end(self) -> bool:
        """Let the thread end, unless there is a signal."""
        with self._mutex:
            if self._signalled.is_set():
                return False
            self._thread = None
            return True
