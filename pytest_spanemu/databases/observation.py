"""What is watched while a test has a database: its requests, its hotspots.

    Observation
    ├── recording     from the first time somebody asks for it
    ├── hotspots      likewise
    └── aside()       a block of the plugin's own requests, which count for neither

Nothing is watched before it is asked for, so that a test pays only for what it, or the run's
report, wants to know.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Observation:
    """One database during one test. `end` stops watching; what was seen stays readable."""

    def __init__(self, emulator: Any, handle: Any) -> None:
        self.emulator = emulator
        self.handle = handle
        self.known_hotspots: tuple[str, ...] = ()  # what a marker expects, no news in a report
        self.moves_clock = False  # it is reset after the test
        self._recorder: Any = None
        self._hotspots: Any = None

    @property
    def recording(self) -> Any:
        """Statements, reads and commits since this was first asked for."""
        if self._recorder is None:
            self._recorder = self.emulator.record(self.handle).start()
        return self._recorder.recording

    @property
    def hotspots(self) -> Any:
        """Where writes concentrate since this was first asked for."""
        if self._hotspots is None:
            self._hotspots = self.emulator.hotspots(self.handle)
            self._hotspots.reset()  # Another test may have been watched before.
        return self._hotspots

    @property
    def recorded(self) -> Any:
        """The recording, None when nobody asked for one."""
        return None if self._recorder is None else self._recorder.recording

    @property
    def watched(self) -> Any:
        """The hotspots, None when nobody asked for them."""
        return self._hotspots

    @contextmanager
    def unrecorded(self) -> Iterator[None]:
        """A block of the plugin's own requests, such as a test's look at the rows.

        Requests that other threads make meanwhile are not counted either.
        """
        recording = self.recorded
        if recording is None and self._hotspots is None:
            yield
            return
        marks = None
        if recording is not None:
            marks = len(recording.queries), len(recording.attempts), recording.aborts
        try:
            if self._hotspots is None:
                yield
            else:
                with self._hotspots.bulk_load():
                    yield
        finally:
            if marks is not None:
                del recording.queries[marks[0] :], recording.attempts[marks[1] :]
                recording.aborts = marks[2]

    def end(self) -> None:
        """Watch no further."""
        if self._recorder is not None:
            self._recorder.stop()
        if self._hotspots is not None:
            self._hotspots.stop()
