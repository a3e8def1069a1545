"""Has the emulator's time go with Python's, which freezegun and time-machine change for a test."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any


def python_time() -> datetime.datetime:
    """What Python takes for the present time."""
    return datetime.datetime.now(datetime.UTC)  # by its whole name, which is what tools replace


class Following:
    """Looks at Python's time whenever a request arrives: a watcher of all RPCs."""

    def __init__(self, catch_up: Callable[[], None]) -> None:
        self._catch_up = catch_up

    def started(self, call: Any, request: Any) -> None:
        """A request has arrived."""
        self._catch_up()

    def replied(self, call: Any, reply: bytes) -> None:
        """An answer leaves."""

    def ended(self, call: Any, error: Exception | None) -> None:
        """A request is over."""
