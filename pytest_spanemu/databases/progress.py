"""Display of the progress of a template's build, when the build takes long.

    on a terminal    one line after the first second, redrawn in place, erased at the end
    elsewhere        one line every few seconds, for the log of a CI job

A shorter build shows nothing. pytest captures the output of tests; the lines go to the standard
error stream as it was before capture.
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
    """A display of the current step: first after `first` seconds, then every `every` seconds."""

    first: float
    every: float

    def show(self, line: str) -> None:
        """Show a line with the current step."""
        ...

    def close(self) -> None:
        """End the display."""
        ...


class Lines:
    """A display that appends a line for each update."""

    def __init__(self, stream: TextIO) -> None:
        self.first = self.every = LINE_SECONDS
        self._stream = stream

    def show(self, line: str) -> None:
        """Write a line."""
        print(line, file=self._stream, flush=True)

    def close(self) -> None:
        """Leave the lines in place."""


class LiveLine:
    """A display of one line on a terminal, below the line that pytest writes."""

    def __init__(self, stream: TextIO) -> None:
        self.first, self.every = FIRST_SECONDS, REDRAW_SECONDS
        self._stream = stream
        self._is_open = False

    def show(self, line: str) -> None:
        """Replace the previous line, cut to the width of the terminal."""
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
    """A thread that shows the current step of a build on a display, while the context is open."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._step = ""
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)

    def set_step(self, step: str) -> None:
        """Set the current step of the build."""
        self._step = step

    def __enter__(self) -> Progress:
        self._began = perf_counter()
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._is_over.set()
        self._thread.join()
        self._display.close()

    def _tick(self) -> None:
        interval = self._display.first
        while not self._is_over.wait(interval):
            interval = self._display.every
            seconds = perf_counter() - self._began
            self._display.show(f"spanner: building the template, {seconds:.0f} s: {self._step}")


def show_nothing(step: str) -> None:
    """Show nothing."""


@contextmanager
def show_progress(config: pytest.Config) -> Iterator[ShowStep]:
    """Show progress while the block runs. Only the first of xdist's workers shows it."""
    worker = getattr(config, "workerinput", {}).get("workerid", "gw0")
    if worker != "gw0":
        yield show_nothing
        return
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled() if capture else nullcontext():
        errors = os.fdopen(os.dup(2), "w", encoding="utf-8", newline=None)
    with errors, Progress(display_for(errors)) as progress:
        yield progress.set_step


def display_for(stream: TextIO) -> Display:
    """Return a display of one live line for a terminal, of a list of lines otherwise."""
    is_dumb = os.environ.get("TERM", "") in ("", "dumb")
    return LiveLine(stream) if stream.isatty() and not is_dumb else Lines(stream)
