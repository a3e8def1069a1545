"""Records the requests of one database's clients, for an emulator in this process.

RPCs are watched only while a recording is active.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, MutableSequence
from typing import Any, Protocol, Self, TypedDict

from spanemu.base.call import Call, CallSite, calling_site
from spanemu.base.clock import monotonic
from spanemu.base.errors import Code, SpannerError
from spanemu.base.process import OwnProcess
from spanemu.base.record import dataclass
from spanemu.control.recording import (
    CommitRecord,
    QueryRecord,
    Recorder,
    Recording,
    RecordingPart,
    RecordingSource,
)

_CHANGES = ("insert", "update", "delete")


class Footprint(Protocol):
    """The tables and indexes that a plan uses (`database.statements.query_engine`)."""

    @property
    def tables(self) -> frozenset[str]: ...
    @property
    def scanned_whole(self) -> frozenset[str]: ...
    @property
    def indexes(self) -> frozenset[str]: ...
    @property
    def sorts(self) -> bool: ...
    @property
    def writes(self) -> bool: ...


class RecordedRpc(Protocol):
    """The properties of a request that are recorded (`frontend.interception`)."""

    @property
    def method(self) -> str: ...
    @property
    def database(self) -> str: ...
    @property
    def statements(self) -> tuple[str, ...]: ...
    @property
    def declared_tables(self) -> frozenset[str]: ...
    @property
    def is_read(self) -> bool: ...
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


@dataclass(slots=True)
class _Open:
    """A request in progress."""

    rpc: RecordedRpc
    site: CallSite
    began: float


class _Ended(TypedDict):
    """The fields that the records of all ended requests share."""

    site: str
    caller: str
    error: str
    seconds: float
    transaction: str
    lock_wait_seconds: float
    waited_for: tuple[str, ...]


Describe = Callable[[str, Any], RecordedRpc]


class EmbeddedRecorder(Recorder, RecordingSource):
    """An RPC watcher (`frontend.dispatch.Watcher`) that records while its block runs.

    `describe(method, request)` describes a request; `watchers` are notified of every RPC.
    """

    _watchers = OwnProcess[MutableSequence[Any]]()

    def __init__(self, database: str, describe: Describe, watchers: MutableSequence[Any]) -> None:
        self.recording = Recording(database)
        self._describe = describe
        self._watchers = watchers
        self._mutex = threading.Lock()  # Guards the recording and the field below.
        self._open: dict[Call, _Open] = {}
        self._bounds: dict[str, str] = {}  # Of the read-only transactions that were begun, by id.

    def begin(self) -> Self:
        self._watchers.append(self)
        return self

    start = begin

    def stop(self) -> Recording:
        self._watchers.remove(self)
        return self.recording

    def poll(self, queries: int = 0, attempts: int = 0) -> RecordingPart:
        return self.recording.part(queries, attempts)

    def finish(self, queries: int = 0, attempts: int = 0) -> RecordingPart:
        return self.stop().part(queries, attempts)

    # ------------------------------------------------------------------ as a watcher

    def started(self, call: Any, request: Any) -> None:
        """Remember a request of the database as it arrives."""
        rpc = self._describe(call.path.rpartition("/")[2], request)
        if rpc.database != self.recording.database:
            return
        if call.facts is None:
            call.facts = {}
        with self._mutex:
            self._open[call] = _Open(rpc, calling_site(), monotonic())

    def replied(self, call: Any, reply: bytes) -> None:
        """Record the commit of a BatchWrite reply; other replies are ignored."""
        with self._mutex:
            pending = self._open.get(call)
            if pending is not None and pending.rpc.method == "BatchWrite":
                status = call.facts.get("failure", "")
                self.recording.aborts += status == Code.ABORTED.name
                ended = _ended(pending, call.facts, status)
                self.recording.attempts.append(_commit(pending.rpc, call.facts, ended))
                pending.began = monotonic()

    def ended(self, call: Any, error: Exception | None) -> None:
        """Record a request at its end."""
        with self._mutex:
            pending = self._open.pop(call, None)
        if pending is None:
            return
        code = error.code if isinstance(error, SpannerError) else Code.INTERNAL
        status = "" if error is None else code.name
        with self._mutex:
            self._record(pending, dict(call.facts or {}), status)

    def _record(self, pending: _Open, facts: dict[str, Any], status: str) -> None:
        rpc, recording = pending.rpc, self.recording
        recording.rpcs[rpc.method] = recording.rpcs.get(rpc.method, 0) + 1
        recording.aborts += status == Code.ABORTED.name
        ended = _ended(pending, facts, status)
        if rpc.method == "Commit":
            recording.attempts.append(_commit(rpc, facts, ended))
        else:
            bound = self._bound_of(rpc, ended["transaction"])
            recording.queries.extend(_queries(rpc, bound, ended))

    def _bound_of(self, rpc: RecordedRpc, transaction: str) -> str:
        bound = rpc.bound
        if not transaction:
            return bound
        if bound:
            self._bounds[transaction] = bound
        return bound or self._bounds.get(transaction, "")


def _ended(pending: _Open, facts: dict[str, Any], status: str) -> _Ended:
    transaction: bytes = facts.get("transaction") or pending.rpc.transaction_id
    return _Ended(
        site=pending.site.line,
        caller=pending.site.caller,
        error=status,
        seconds=monotonic() - pending.began,
        transaction=transaction.decode("ascii", "replace"),
        lock_wait_seconds=facts.get("lock_wait_seconds", 0.0),
        waited_for=tuple(filter(None, facts.get("awaited_locks", ()))),
    )


def _commit(rpc: RecordedRpc, facts: dict[str, Any], ended: _Ended) -> CommitRecord:
    return CommitRecord(
        mutations=facts.get("mutations", 0),
        tables=tuple(sorted(rpc.declared_tables)),
        tag=rpc.transaction_tag,
        participants=facts.get("participants", 0),
        **ended,
    )


def _queries(rpc: RecordedRpc, bound: str, ended: _Ended) -> Iterator[QueryRecord]:
    """Yield a record of each statement of a request, or of its read."""
    for kind, sql, footprint in _operations(rpc):
        yield QueryRecord(
            kind=kind,
            sql=sql,
            tables=tuple(sorted(footprint.tables)),
            full_scans=tuple(sorted(footprint.scanned_whole)),
            indexes=tuple(sorted(footprint.indexes)),
            sorts=footprint.sorts,
            tag=rpc.request_tag,
            bound=bound,
            **ended,
        )


def _operations(rpc: RecordedRpc) -> Iterator[tuple[str, str, Footprint]]:
    """Yield (kind, text, footprint) of each statement of a request, or of its read.

    A request without a statement and without a table, such as Commit, has none.
    """
    if rpc.is_read:
        (read,) = rpc.footprints
        index = "".join(f"@{{FORCE_INDEX={name}}}" for name in read.indexes)
        (table,) = read.tables
        yield "read", f"READ {', '.join(rpc.read_columns)} FROM {table}{index}", read
        return
    for sql, footprint in zip(rpc.statements, rpc.footprints, strict=True):
        # A refused statement has an empty footprint, so its text decides.
        writes = footprint.writes or sql.lstrip().lower().startswith(_CHANGES)
        yield ("dml" if writes else "query"), sql, footprint
