"""Traffic for hotspot checks: a function called many times, by one client or by several."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


def load(call: Callable[[int], Any], times: int, clients: int = 1) -> None:
    """Call `call(0)`, `call(1)`, ... `call(times - 1)`.

    With several clients each is a thread that takes every `clients`-th number, so that who calls
    what is always the same; which of them comes first is not. The first failure, by number, is
    raised when all have stopped.
    """
    if times < 0 or clients < 1:
        raise ValueError(f"load takes 0 times or more and a client at least: {times}, {clients}")
    if clients == 1:
        for number in range(times):
            call(number)
        return
    failures: dict[int, BaseException] = {}

    def work(first: int) -> None:
        for number in range(first, times, clients):
            if failures:
                return
            try:
                call(number)
            except BaseException as failure:  # Raised again by the caller's thread.
                failures[number] = failure

    threads = [threading.Thread(target=work, args=(first,)) for first in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[min(failures)]
