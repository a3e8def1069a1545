"""Recording of requests and hotspots while a test has a database.

    Observation
    ├── recording       the requests since the first access
    ├── hotspots        where writes concentrate, since the first access
    ├── change_streams  the records of change streams, since the first access
    └── unrecorded()    a block of the plugin's own requests, which count for neither

Recording starts with the first access, so that a test pays only for what the test itself or the
run's report uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


class Observation:
    """The observation of one database during one test.

    `end` stops the recording; the recorded requests and hotspots stay readable.
    """

    def __init__(self, emulator: Any, handle: Any) -> None:
        self.emulator = emulator
        self.handle = handle
        self.known_hotspots: tuple[str, ...] = ()  # findings that a marker expects
        self.moves_clock = False  # if true, the clock is reset after the test
        self.explorations: list[dict[str, Any]] = []  # their notes, for the report
        self._recorder: Any = None
        self._hotspots: Any = None
        self._change_streams: Any = None

    @property
    def recording(self) -> Any:
        """Statements, reads and commits since the first access."""
        if self._recorder is None:
            self._recorder = self.emulator.record(self.handle).start()
        return self._recorder.recording

    @property
    def hotspots(self) -> Any:
        """Hotspots of the writes since the first access."""
        if self._hotspots is None:
            self._hotspots = self.emulator.hotspots(self.handle)
            self._hotspots.reset()  # discards what an earlier test wrote
        return self._hotspots

    @property
    def change_streams(self) -> Any:
        """The change streams with the records since the first access."""
        if self._change_streams is None:
            self._change_streams = self.handle.change_streams.from_now()
        return self._change_streams

    @property
    def recording_if_started(self) -> Any:
        """The recording, None if it has not been started."""
        return None if self._recorder is None else self._recorder.recording

    @property
    def hotspots_if_started(self) -> Any:
        """The hotspots, None if watching has not been started."""
        return self._hotspots

    def predictions(self) -> int:
        """Return how many rows the database has ever sent to models and remote functions."""
        if not getattr(self.emulator.handle, "has_models", True):
            return 0
        return int(self.emulator.models.predictions(self.handle.name))

    def abandoned_functions(self) -> Sequence[str]:
        """Return the functions of models that were abandoned, and still run in this process."""
        if not getattr(self.emulator.handle, "has_models", False):
            return ()
        abandoned: Sequence[str] = self.emulator.models.abandoned
        return abandoned

    @contextmanager
    def unrecorded(self) -> Iterator[None]:
        """Exclude the requests of a block, such as queries of `spanner_sql`, from the figures.

        Requests that other threads send during the block are excluded as well.
        """
        recording = self.recording_if_started
        if recording is None and self._hotspots is None:
            yield
            return
        counts_before = None
        if recording is not None:
            counts_before = len(recording.queries), len(recording.attempts), recording.aborts
        try:
            if self._hotspots is None:
                yield
            else:
                with self._hotspots.bulk_load():
                    yield
        finally:
            if counts_before is not None:
                del recording.queries[counts_before[0] :], recording.attempts[counts_before[1] :]
                recording.aborts = counts_before[2]

    def end(self) -> None:
        """Stop recording requests and watching hotspots."""
        if self._recorder is not None:
            self._recorder.stop()
        if self._hotspots is not None:
            self._hotspots.stop()
