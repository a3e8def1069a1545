"""The requests that the clients of a database made while a block ran.

    with emulator.record(database) as recorded:
        checkout(...)
    assert recorded.mutations <= 20
    slow = [query.sql for query in recorded.queries if query.full_scans]

For an emulator in this process, a record names the line of the client's code that made the request.
`recorder` records; for an emulator in another process, `remote` fetches the records from there.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import asdict
from types import TracebackType
from typing import Annotated, Any, Self

from spanemu.base.record import dataclass
from spanemu.control.operation import ControlInterface, Held, operation

# mypy: disable-error-code="empty-body"


@dataclass(frozen=True, slots=True)
class QueryRecord:
    """One statement or read.

    kind               "query", "dml" or "read"
    sql                the statement; for a read, a sentence such as "READ Name FROM Singers"
    tables, indexes    the tables and secondary indexes that the plan uses
    full_scans         the tables and indexes that the plan scans from end to end
    sorts              whether the plan sorts rows
    site, caller       the line of client code that made the request, such as "shop.py:12", and the
                       line that called its function; "" if the client runs in another process
    tag                the request tag
    error              the status of a failed request, such as "ABORTED"; "" for success
    seconds            the time from request to answer; `lock_wait_seconds` of it for locks
    transaction        the id of the transaction; "" for a single-use transaction
    bound              the timestamp bound of a read-only transaction, such as "strong" or
                       "exact_staleness"; "" for other transactions, and for transactions that
                       began before the recording
    waited_for         the locks that the request waited for, such as "Exclusive Singers(1) Name"
    """

    kind: str
    sql: str
    tables: tuple[str, ...]
    full_scans: tuple[str, ...]
    indexes: tuple[str, ...]
    sorts: bool
    site: str
    tag: str
    error: str
    seconds: float
    transaction: str = ""
    lock_wait_seconds: float = 0.0
    bound: str = ""
    caller: str = ""
    waited_for: tuple[str, ...] = ()

    @property
    def is_stale(self) -> bool:
        """Return whether the read timestamp may be past, so that the read waited for no lock."""
        return self.bound not in ("", "strong")


@dataclass(frozen=True, slots=True)
class CommitRecord:
    """One attempt to commit, successful or failed.

    mutations       the number of mutations as Spanner counts them, index entries included
    tables          the tables of the commit's mutations; the tables of earlier DML are in the
                    query records
    tag             the transaction tag
    participants    the number of splits that took part: a commit with more than one participant is
                    a two-phase commit; 0 for a failed commit

    The other fields are those of `QueryRecord`.
    """

    mutations: int
    tables: tuple[str, ...]
    site: str
    tag: str
    error: str
    seconds: float
    transaction: str = ""
    lock_wait_seconds: float = 0.0
    participants: int = 0
    caller: str = ""
    waited_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TransactionRecord:
    """The requests of one transaction, in order; `commit` is the last commit attempt, if any.

    A record without an id is a commit with a single-use transaction.
    """

    id: str
    queries: tuple[QueryRecord, ...]
    commit: CommitRecord | None

    @property
    def error(self) -> str:
        """The status that the transaction failed with; "" for success."""
        if self.commit is not None:
            return self.commit.error
        return self.queries[-1].error if self.queries else ""

    @property
    def lock_wait_seconds(self) -> float:
        """The seconds that the transaction waited for locks of other transactions."""
        own = self.commit.lock_wait_seconds if self.commit is not None else 0.0
        return own + sum(query.lock_wait_seconds for query in self.queries)


@dataclass(frozen=True, slots=True)
class RecordingPart:
    """A recording, or its later part, as plain data. `commits` holds failed attempts too."""

    database: str
    queries: list[QueryRecord]
    commits: list[CommitRecord]
    mutations: int
    aborts: int
    rpcs: dict[str, int]


class Recording:
    """The recorded requests of a database's clients, in the order in which they ended."""

    def __init__(self, database: str) -> None:
        self.database = database
        self._queries: list[QueryRecord] = []
        self._attempts: list[CommitRecord] = []
        self._aborts = 0
        self._rpcs: dict[str, int] = {}

    def _update(self) -> None:
        """Fetch the latest records, if the emulator runs in another process."""

    @property
    def queries(self) -> list[QueryRecord]:
        """Statements and reads."""
        self._update()
        return self._queries

    @property
    def attempts(self) -> list[CommitRecord]:
        """Attempts to commit, failed ones included."""
        self._update()
        return self._attempts

    @property
    def commits(self) -> list[CommitRecord]:
        """The commits that succeeded."""
        return [commit for commit in self.attempts if not commit.error]

    @property
    def mutations(self) -> int:
        """The number of mutations of the commits that succeeded."""
        return sum(commit.mutations for commit in self.commits)

    @property
    def aborts(self) -> int:
        """The number of requests of any kind that were answered ABORTED."""
        self._update()
        return self._aborts

    @aborts.setter
    def aborts(self, count: int) -> None:
        self._update()
        self._aborts = count

    @property
    def rpcs(self) -> dict[str, int]:
        """The number of RPCs by name."""
        self._update()
        return self._rpcs

    @property
    def full_scans(self) -> list[QueryRecord]:
        """Statements and reads that scan a table or an index from end to end."""
        return [query for query in self.queries if query.full_scans]

    @property
    def transactions(self) -> list[TransactionRecord]:
        """The requests grouped by transaction; a commit without an id is its own group."""
        return transactions_of(self.queries, self.attempts)

    def part(self, queries: int = 0, attempts: int = 0) -> RecordingPart:
        """Return the recording without the first `queries` queries and `attempts` attempts."""
        return RecordingPart(
            self.database,
            self.queries[queries:],
            self._attempts[attempts:],
            sum(commit.mutations for commit in self._attempts[attempts:] if not commit.error),
            self._aborts,
            dict(self._rpcs),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the whole recording as plain data."""
        return asdict(self.part())


class RecordingSource(ControlInterface):
    """An active recording, which another process fetches in parts."""

    PATH = "recordings/{recording}"
    SCOPE = "recording"

    @operation("PollRecording", "GET")
    def poll(self, queries: int = 0, attempts: int = 0) -> RecordingPart:
        """Return the records so far, without the first `queries` and `attempts` records."""

    @operation("StopRecording", "POST :stop", releases="recording")
    def finish(self, queries: int = 0, attempts: int = 0) -> RecordingPart:
        """Stop the recording and return it, without the first `queries` and `attempts` records."""


class Recorder(ControlInterface):
    """A context manager that records the requests of a database's clients."""

    PATH = "{database}"
    SCOPE = "database"
    recording: Recording

    @operation("StartRecording", "POST /recordings", "recording")
    def begin(self) -> Annotated[RecordingSource, Held("recording", "stop")]:
        """Start recording the requests of the database's clients."""

    @abstractmethod
    def start(self) -> Self:
        """Start recording without a block; call `stop` at the end."""

    @abstractmethod
    def stop(self) -> Recording:
        """Stop recording, and return the recording."""

    def __enter__(self) -> Recording:
        self.start()
        return self.recording

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()


def transactions_of(
    queries: Iterable[QueryRecord], attempts: Iterable[CommitRecord]
) -> list[TransactionRecord]:
    """Group requests by transaction: with queries first, commits without an id last."""
    asked: dict[str, list[QueryRecord]] = {}
    for query in queries:
        if query.transaction:
            asked.setdefault(query.transaction, []).append(query)
    grouped, alone = (
        {id_: TransactionRecord(id_, tuple(each), None) for id_, each in asked.items()},
        [],
    )
    for commit in attempts:
        if not commit.transaction:
            alone.append(TransactionRecord("", (), commit))
            continue
        own = tuple(asked.get(commit.transaction, ()))
        grouped[commit.transaction] = TransactionRecord(commit.transaction, own, commit)
    return [*grouped.values(), *alone]
