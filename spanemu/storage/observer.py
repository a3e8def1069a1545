"""Who is told of what happens in the store; the store itself keeps no statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from spanemu.storage.layout import TreeId

TreeWrite = tuple[TreeId, bytes, tuple[Any, ...] | None]  # None removes the row


class StoreObserver(Protocol):
    """Told once of each commit, after it is visible."""

    def committed(self, writes: Sequence[TreeWrite], at: int) -> None:
        """`writes` became visible at `at` (nanoseconds)."""
        ...
