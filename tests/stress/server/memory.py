"""The resident memory of a process, sampled while it works."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from statistics import median
from types import TracebackType
from typing import Self

from spanemu.base.clock import monotonic

MEBIBYTE = 1024 * 1024
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_SAMPLE_SECONDS = 0.5


def resident_mebibytes(pid: int) -> float:
    """Return what the process keeps in memory now. Linux only."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * _PAGE_BYTES / MEBIBYTE


class MemorySamples:
    """Samples of one process between `with` and its end."""

    def __init__(self, pid: int) -> None:
        self.samples: list[tuple[float, float]] = []
        self._pid = pid
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def between(self, start: float, end: float) -> float:
        """Return the median of a part of the time, given as shares of the whole."""
        first, last = self.samples[0][0], self.samples[-1][0]
        low, high = first + (last - first) * start, first + (last - first) * end
        return median(size for at, size in self.samples if low <= at <= high)

    def drawn(self, columns: int = 30) -> str:
        """Return sizes over time."""
        step = max(1, len(self.samples) // columns)
        return " ".join(f"{size:.0f}" for _, size in self.samples[::step])

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            self.samples.append((monotonic(), resident_mebibytes(self._pid)))
            if self._stop.wait(_SAMPLE_SECONDS):
                return
