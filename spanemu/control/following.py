"""Makes the emulator's clock follow Python's time, which freezegun and time-machine change."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any


def python_time() -> datetime.datetime:
    """Return the current time of Python's `datetime`."""
    return datetime.datetime.now(
        datetime.UTC
    )  # by full name, because tools replace `datetime.datetime`


class Following:
    """A watcher of all RPCs that checks Python's time whenever a request arrives."""

    def __init__(self, catch_up: Callable[[], None]) -> None:
        self._catch_up = catch_up

    def started(self, call: Any, request: Any) -> None:
        """Move the clock to Python's time as a request arrives."""
        self._catch_up()

    def replied(self, call: Any, reply: bytes) -> None:
        """Ignore a reply."""

    def ended(self, call: Any, error: Exception | None) -> None:
        """Ignore the end of a request."""
