"""Shows what the build of a template is doing while it takes long.

    on a terminal    one line from the first second on, drawn again in place, erased at the end
    elsewhere        a line every few seconds, as for the log of a CI job

A build that takes less shows nothing. pytest captures what tests print, so the lines go to the
error output as it was before.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from time import perf_counter
from typing import Any, Protocol, TextIO

import pytest

LINE_SECONDS = 3.0
FIRST_SECONDS = 1.0  # on a terminal
REDRAW_SECONDS = 0.2
_ERASE = "\r\x1b[K"

ShowStep = Callable[[str], None]


class Display(Protocol):
    """A place for the present state. The state is shown after `first` seconds, then `every`."""

    first: float
    every: float

    def show(self, line: str) -> None:
        """Show a state."""
        ...

    def close(self) -> None:
        """End the display."""
        ...


class Lines:
    """A display that writes a line for each state."""

    def __init__(self, stream: TextIO) -> None:
        self.first = self.every = LINE_SECONDS
        self._stream = stream

    def show(self, line: str) -> None:
        """Write a line."""
        print(line, file=self._stream, flush=True)

    def close(self) -> None:
        """Leave the lines where they are."""


class LiveLine:
    """A display of one line on a terminal, below the line that pytest is writing."""

    def __init__(self, stream: TextIO) -> None:
        self.first, self.every = FIRST_SECONDS, REDRAW_SECONDS
        self._stream = stream
        self._is_open = False

    def show(self, line: str) -> None:
        """Draw the line in place of the last one, cut to the width of the terminal."""
        begin = _ERASE if self._is_open else "\n"
        self._is_open = True
        self._write(begin + line[: shutil.get_terminal_size().columns - 1])

    def close(self) -> None:
        """Erase the line."""
        if self._is_open:
            self._write(_ERASE)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


class Progress:
    """Shows on a display what a build is at, from a thread of its own, while it is open."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._what = ""
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def now_at(self, what: str) -> None:
        """Set what the build does from now on."""
        self._what = what

    def __enter__(self) -> Progress:
        self._began = perf_counter()
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._is_over.set()
        self._thread.join()
        self._display.close()

    def _tick(self) -> None:
        pause = self._display.first
        while not self._is_over.wait(pause):
            pause = self._display.every
            seconds = perf_counter() - self._began
            self._display.show(f"spanner: building the template, {seconds:.0f} s: {self._what}")


def show_nothing(what: str) -> None:
    """Show nothing."""


@contextmanager
def show_progress(config: pytest.Config) -> Iterator[ShowStep]:
    """Show progress while the block runs; of xdist's workers the first one shows it for all."""
    worker = getattr(config, "workerinput", {}).get("workerid", "gw0")
    if worker != "gw0":
        yield show_nothing
        return
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled() if capture else nullcontext():
        errors = os.fdopen(os.dup(2), "w", encoding="utf-8")
    with errors, Progress(display_for(errors)) as progress:
        yield progress.now_at


def display_for(stream: TextIO) -> Display:
    """Return the display that suits a stream."""
    is_dumb = os.environ.get("TERM", "") in ("", "dumb")
    return LiveLine(stream) if stream.isatty() and not is_dumb else Lines(stream)
