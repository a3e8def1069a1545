"""What the clients of a database do while a block runs: statements, reads, commits, aborts.

    with emulator.record(database) as recorded:
        checkout(...)
    recorded.queries, recorded.commits, recorded.mutations, recorded.aborts

While nobody records, RPCs are watched by nobody. A recording knows which line of the client's
code made each request, if the client runs in this process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSequence
from dataclasses import asdict, dataclass, field
from types import TracebackType
from typing import Any, Protocol, Self

from spanemu.base.call import Call
from spanemu.base.clock import monotonic
from spanemu.base.errors import Code, SpannerError
from spanemu.base.plain import from_plain
from spanemu.base.site import calling_site

_CHANGES = ("insert", "update", "delete")


class Footprint(Protocol):
    """What a plan does, as `database.statements.footprint` has it."""

    @property
    def tables(self) -> frozenset[str]: ...
    @property
    def scanned_whole(self) -> frozenset[str]: ...
    @property
    def indexes(self) -> frozenset[str]: ...
    @property
    def sorts(self) -> bool: ...


class Rpc(Protocol):
    """A request as `frontend.rpc` shows it."""

    @property
    def method(self) -> str: ...
    @property
    def database(self) -> str: ...
    @property
    def statements(self) -> tuple[str, ...]: ...
    @property
    def tables(self) -> frozenset[str]: ...
    @property
    def read_columns(self) -> tuple[str, ...]: ...
    @property
    def footprints(self) -> tuple[Footprint, ...]: ...
    @property
    def request_tag(self) -> str: ...
    @property
    def transaction_tag(self) -> str: ...
    @property
    def transaction_id(self) -> bytes: ...
    @property
    def bound(self) -> str: ...


@dataclass(frozen=True, slots=True)
class QueryRecord:
    """One statement or read. `kind` is "query", "dml" or "read"; `site` "file.py:12" or "".

    `sql` of a read is a sentence like "READ Name FROM Singers". `full_scans` and `indexes` are
    names; `error` the status of one that failed, "" otherwise; `seconds` from request to answer,
    `lock_wait_seconds` of them for locks. `transaction` is the id of one that was begun, "" for a
    request that had one for itself. `bound` is how a read-only one chose its timestamp, as in
    "strong" or "exact_staleness"; "" in others, and where it began before the recording.
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

    @property
    def is_stale(self) -> bool:
        """Whether it read at a time that may have passed, and so waited for nobody."""
        return self.bound not in ("", "strong")


@dataclass(frozen=True, slots=True)
class CommitRecord:
    """One commit that was asked for; `mutations` counts as Spanner counts them, index entries too.

    `tables` are those of its mutations; DML wrote its own before. `participants` are the splits
    that took part: more than one make a two-phase commit. 0 for one that failed.
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


@dataclass(frozen=True, slots=True)
class TransactionRecord:
    """What was asked for in one transaction, in order. `commit` is the last attempt at it, if any.

    One without an id is a commit that had the transaction for itself.
    """

    id: str
    queries: tuple[QueryRecord, ...]
    commit: CommitRecord | None

    @property
    def error(self) -> str:
        """The status that it failed with, "" when it did not."""
        if self.commit is not None:
            return self.commit.error
        return self.queries[-1].error if self.queries else ""

    @property
    def lock_wait_seconds(self) -> float:
        """How long it waited for locks of others."""
        own = self.commit.lock_wait_seconds if self.commit is not None else 0.0
        return own + sum(query.lock_wait_seconds for query in self.queries)


@dataclass(slots=True)
class Recording:
    """What was recorded, in the order in which requests ended."""

    database: str
    queries: list[QueryRecord] = field(default_factory=list)
    attempts: list[CommitRecord] = field(default_factory=list)  # commits, failed ones too
    aborts: int = 0  # requests of any kind that were answered ABORTED
    rpcs: dict[str, int] = field(default_factory=dict)  # by name

    @property
    def commits(self) -> list[CommitRecord]:
        """The commits that succeeded."""
        return [commit for commit in self.attempts if not commit.error]

    @property
    def mutations(self) -> int:
        """Mutations of the commits that succeeded."""
        return sum(commit.mutations for commit in self.commits)

    @property
    def full_scans(self) -> list[QueryRecord]:
        """Statements and reads that go through a whole table or index."""
        return [query for query in self.queries if query.full_scans]

    @property
    def transactions(self) -> list[TransactionRecord]:
        """What belongs together: requests of one transaction, and every commit on its own."""
        return transactions_of(self.queries, self.attempts)

    def after(self, queries: int, attempts: int) -> Recording:
        """The same without the first so many queries and attempts."""
        return Recording(
            self.database,
            self.queries[queries:],
            self.attempts[attempts:],
            self.aborts,
            dict(self.rpcs),
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Recording:
        """What `to_json` gave. Raises ValueError."""
        return cls(
            data["database"],
            from_plain(list[QueryRecord], data["queries"]),
            from_plain(list[CommitRecord], data["commits"]),
            from_plain(int, data["aborts"]),
            from_plain(dict[str, int], data["rpcs"]),
        )

    def to_json(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return {
            "database": self.database,
            "queries": [asdict(query) for query in self.queries],
            "commits": [asdict(commit) for commit in self.attempts],
            "mutations": self.mutations,
            "aborts": self.aborts,
            "rpcs": dict(self.rpcs),
        }


def transactions_of(
    queries: Iterable[QueryRecord], attempts: Iterable[CommitRecord]
) -> list[TransactionRecord]:
    """The transactions of some requests, in the order in which they came to be known."""
    asked: dict[str, list[QueryRecord]] = {}
    for query in queries:
        if query.transaction:
            asked.setdefault(query.transaction, []).append(query)
    found, alone = (
        {id_: TransactionRecord(id_, tuple(each), None) for id_, each in asked.items()},
        [],
    )
    for commit in attempts:
        if not commit.transaction:
            alone.append(TransactionRecord("", (), commit))
            continue
        own = tuple(asked.get(commit.transaction, ()))
        found[commit.transaction] = TransactionRecord(commit.transaction, own, commit)
    return [*found.values(), *alone]


@dataclass(slots=True)
class _Open:
    """A request that has yet to end."""

    rpc: Rpc
    site: str
    began: float


Describe = Callable[[str, Any], Rpc]


class Recorder:
    """Fills a recording while its block runs. Watches RPCs (`frontend.endpoint.Watcher`).

    `describe(method, request)` shows a request; `watchers` are whom every RPC is told to.
    """

    def __init__(self, database: str, describe: Describe, watchers: MutableSequence[Any]) -> None:
        self.recording = Recording(database)
        self._describe = describe
        self._watchers = watchers
        self._mutex = threading.Lock()  # Guards the recording and the field below.
        self._open: dict[Call, _Open] = {}
        self._bounds: dict[str, str] = {}  # of the read-only transactions that were begun, by id

    def __enter__(self) -> Recording:
        self._watchers.append(self)
        return self.recording

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._watchers.remove(self)

    def start(self) -> Self:
        """Begin without a block; end with `stop`."""
        self.__enter__()
        return self

    def stop(self) -> Recording:
        """End what `start` began."""
        self.__exit__(None, None, None)
        return self.recording

    # ------------------------------------------------------------------ as a watcher

    def started(self, call: Any, request: Any) -> None:
        """A request has arrived."""
        rpc = self._describe(call.path.rpartition("/")[2], request)
        if rpc.database != self.recording.database:
            return
        if call.facts is None:
            call.facts = {}
        with self._mutex:
            self._open[call] = _Open(rpc, calling_site(), monotonic())

    def replied(self, call: Any, reply: bytes) -> None:
        """An answer leaves."""

    def ended(self, call: Any, error: Exception | None) -> None:
        """A request is over."""
        with self._mutex:
            found = self._open.pop(call, None)
        if found is None:
            return
        code = error.code if isinstance(error, SpannerError) else Code.INTERNAL
        status = "" if error is None else code.name
        with self._mutex:
            self._record(found, dict(call.facts or {}), status)

    def _record(self, found: _Open, facts: dict[str, Any], status: str) -> None:
        rpc, recording = found.rpc, self.recording
        recording.rpcs[rpc.method] = recording.rpcs.get(rpc.method, 0) + 1
        recording.aborts += status == Code.ABORTED.name
        seconds = monotonic() - found.began
        transaction = (facts.get("transaction") or rpc.transaction_id).decode("ascii", "replace")
        waited = facts.get("lock_wait_seconds", 0.0)
        bound = "" if rpc.method == "Commit" else self._bound_of(rpc, transaction)
        if rpc.method == "Commit":
            recording.attempts.append(
                CommitRecord(
                    mutations=facts.get("mutations", 0),
                    tables=tuple(sorted(rpc.tables)),
                    site=found.site,
                    tag=rpc.transaction_tag,
                    error=status,
                    seconds=seconds,
                    transaction=transaction,
                    lock_wait_seconds=waited,
                    participants=facts.get("participants", 0),
                )
            )
            return
        for (kind, sql), footprint in zip(_asked(rpc), rpc.footprints, strict=False):
            recording.queries.append(
                QueryRecord(
                    kind=kind,
                    sql=sql,
                    tables=tuple(sorted(footprint.tables)),
                    full_scans=tuple(sorted(footprint.scanned_whole)),
                    indexes=tuple(sorted(footprint.indexes)),
                    sorts=footprint.sorts,
                    site=found.site,
                    tag=rpc.request_tag,
                    error=status,
                    seconds=seconds,
                    transaction=transaction,
                    lock_wait_seconds=waited,
                    bound=bound,
                )
            )

    def _bound_of(self, rpc: Rpc, transaction: str) -> str:
        bound = rpc.bound
        if not transaction:
            return bound
        if bound:
            self._bounds[transaction] = bound
        return bound or self._bounds.get(transaction, "")


_READS = frozenset({"Read", "StreamingRead"})


def _asked(rpc: Rpc) -> Iterator[tuple[str, str]]:
    """(kind, text) of each statement of a request, or of its read."""
    if rpc.method in _READS:
        (footprint,) = rpc.footprints
        index = "".join(f"@{{FORCE_INDEX={name}}}" for name in footprint.indexes)
        yield (
            "read",
            f"READ {', '.join(rpc.read_columns)} FROM {next(iter(footprint.tables))}{index}",
        )
    for sql in rpc.statements:
        yield ("dml" if sql.lstrip().lower().startswith(_CHANGES) else "query"), sql
