"""A recording made in another process, fetched incrementally as its properties are read.

`site` and `caller` are "" everywhere: the server does not know which line of the client's code made
a request.
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Self

from spanemu.control.recording import (
    CommitRecord,
    QueryRecord,
    Recording,
    TransactionRecord,
)
from spanemu.wire_control.calls import Calls


class RemoteRecording:
    """A remote recording with the interface of `Recording`. Changes to it stay in this process."""

    def __init__(self, calls: Calls, database: str) -> None:
        self._calls = calls
        self._mutex = threading.Lock()  # Guards the fields below during a fetch.
        self._here = Recording(database)
        self._id: str | None = None  # of the remote recording, while active
        self._queries = self._attempts = self._aborts = 0  # numbers fetched

    @property
    def database(self) -> str:
        """The full name of the database."""
        return self._here.database

    @property
    def queries(self) -> list[QueryRecord]:
        """Statements and reads."""
        return self._present().queries

    @property
    def attempts(self) -> list[CommitRecord]:
        """Commits, failed ones too."""
        return self._present().attempts

    @property
    def commits(self) -> list[CommitRecord]:
        """The commits that succeeded."""
        return self._present().commits

    @property
    def mutations(self) -> int:
        """Mutations of the commits that succeeded."""
        return self._present().mutations

    @property
    def aborts(self) -> int:
        """Requests of any kind that were answered ABORTED."""
        return self._present().aborts

    @aborts.setter
    def aborts(self, count: int) -> None:
        self._present().aborts = count

    @property
    def rpcs(self) -> dict[str, int]:
        """The number of RPCs by name."""
        return self._present().rpcs

    @property
    def full_scans(self) -> list[QueryRecord]:
        """Statements and reads that go through a whole table or index."""
        return self._present().full_scans

    @property
    def transactions(self) -> list[TransactionRecord]:
        """The requests grouped by transaction."""
        return self._present().transactions

    def to_json(self) -> dict[str, Any]:
        """Return the whole recording as plain data."""
        return self._present().to_json()

    def begin(self) -> None:
        """Start the recording."""
        self._id = str(self._calls("StartRecording", database=self.database)["recording"])

    def end(self) -> None:
        """Stop the recording. Stopping twice does nothing."""
        with self._mutex:
            if self._id is not None:
                self._fetch("StopRecording")
                self._id = None

    def _present(self) -> Recording:
        with self._mutex:
            if self._id is not None:
                self._fetch("PollRecording")
        return self._here

    def _fetch(self, operation: str) -> None:
        known = {"queries": self._queries, "attempts": self._attempts}
        rest = Recording.from_json(self._calls(operation, recording=self._id, **known))
        self._queries += len(rest.queries)
        self._attempts += len(rest.attempts)
        here = self._here
        here.queries += rest.queries
        here.attempts += rest.attempts
        here.aborts += rest.aborts - self._aborts
        here.rpcs, self._aborts = rest.rpcs, rest.aborts


class RemoteRecorder:
    """A context manager that records a remote database, with the interface of `Recorder`."""

    def __init__(self, calls: Calls, database: str) -> None:
        self.recording = RemoteRecording(calls, database)

    def __enter__(self) -> RemoteRecording:
        self.recording.begin()
        return self.recording

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.recording.end()

    def start(self) -> Self:
        """Begin without a block; end with `stop`."""
        self.recording.begin()
        return self

    def stop(self) -> RemoteRecording:
        """Stop the recording that `start` began, and return it."""
        self.recording.end()
        return self.recording
