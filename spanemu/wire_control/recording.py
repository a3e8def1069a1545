"""A recording made in another process, brought here bit by bit as somebody looks at it.

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
    """Offers what `Recording` does. What is taken out of it or put into it stays here."""

    def __init__(self, calls: Calls, database: str) -> None:
        self._calls = calls
        self._mutex = threading.Lock()  # Guards the fields below while something is brought here.
        self._here = Recording(database)
        self._id: str | None = None  # of the recording there, while it goes on
        self._queries = self._attempts = self._aborts = 0  # that have been brought here

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
        """How many of each name."""
        return self._present().rpcs

    @property
    def full_scans(self) -> list[QueryRecord]:
        """Statements and reads that go through a whole table or index."""
        return self._present().full_scans

    @property
    def transactions(self) -> list[TransactionRecord]:
        """Requests of one transaction together."""
        return self._present().transactions

    def to_json(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return self._present().to_json()

    def begin(self) -> None:
        """Record from now on."""
        self._id = str(self._calls("StartRecording", database=self.database)["recording"])

    def end(self) -> None:
        """Record no further. Doing so twice does nothing."""
        with self._mutex:
            if self._id is not None:
                self._bring("StopRecording")
                self._id = None

    def _present(self) -> Recording:
        with self._mutex:
            if self._id is not None:
                self._bring("PollRecording")
        return self._here

    def _bring(self, operation: str) -> None:
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
    """Fills a recording while its block runs. Offers what `Recorder` does."""

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
        """End what `start` began."""
        self.recording.end()
        return self.recording
