"""Says what takes so long, when building a template does: who waits wants to know that it goes on.

Nothing is said of a build that is done within seconds. pytest captures what tests print, so the
lines go to the error output as it was before.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from time import perf_counter
from typing import Any

import pytest

EVERY_SECONDS = 3.0
Tell = Callable[[str], None]


class Progress:
    """Writes a line `every` so many seconds while it is open; `now_at` says what is being done."""

    def __init__(self, write: Tell, every: float | None = None) -> None:
        self._write = write
        self._every = every or EVERY_SECONDS
        self._what = ""
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def now_at(self, what: str) -> None:
        """From here on this is what takes its time."""
        self._what = what

    def __enter__(self) -> Progress:
        self._began = perf_counter()
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _tick(self) -> None:
        while not self._is_over.wait(self._every):
            seconds = perf_counter() - self._began
            self._write(f"spanner: building the template, {seconds:.0f} s: {self._what}")


@contextmanager
def shown(config: pytest.Config) -> Iterator[Tell]:
    """Progress on the terminal; of xdist's workers the first one speaks for all."""
    worker = getattr(config, "workerinput", {}).get("workerid", "gw0")
    if worker != "gw0":
        yield lambda what: None
        return
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled() if capture else nullcontext():
        errors = os.fdopen(os.dup(2), "w", encoding="utf-8")

    def write(line: str) -> None:
        print(line, file=errors, flush=True)

    with errors, Progress(write) as progress:
        yield progress.now_at
