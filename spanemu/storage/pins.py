"""Timestamps that somebody may still read at, however old they get."""

from __future__ import annotations

from collections import Counter, deque


class Pins:
    """How often each is `held`. Guarded by the store's mutex, but for `release`."""

    def __init__(self) -> None:
        self.held: Counter[int] = Counter()
        self._released: deque[int] = deque()

    def hold(self, at: int) -> None:
        """Keep what can be read at a timestamp, until `release`."""
        self.held[at] += 1

    def release(self, at: int) -> None:
        """Give up one `hold`. Takes no lock, so that a finalizer may call it anywhere."""
        self._released.append(at)

    def earliest(self, horizon: int) -> int:
        """The horizon, or what is pinned before it."""
        while self._released:
            at = self._released.popleft()
            self.held[at] -= 1
            if not self.held[at]:
                del self.held[at]
        return min(horizon, min(self.held)) if self.held else horizon
