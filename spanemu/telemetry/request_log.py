"""The request log: a finished request as an entry, an entry as a line, and the latest requests.

text    2026-11-23T13:31:04.123456Z OK ExecuteSql 1.2ms rows=3 database=p/i/d SELECT * FROM T
json    {"time": "2026-11-23T13:31:04.123456Z", "status": "OK", "method": "ExecuteSql", ...}

The latest requests are in a bounded memory. Recording costs each request a few dozen microseconds,
so it goes on only while somebody reads: it begins with the first reader, and ends when nobody has
read for `UNREAD_SECONDS_MAX`. A small request is kept as it is, and becomes an entry when it is
read.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count, islice
from typing import Any, TextIO

from spanemu.base.call import Signal, current
from spanemu.base.clock import NANOS_PER_MICRO, monotonic
from spanemu.control.request_log import WAIT_SECONDS_MAX, LoggedRequest, RequestLog, RequestPage
from spanemu.frontend.interception import InterceptedRequest
from spanemu.telemetry.observer import FinishedRequest, RequestObserver

REQUESTS_KEPT = 1_000
UNREAD_SECONDS_MAX = 300.0
_UNREAD_BYTES_MAX = 8_192  # of a request that is kept as it is


SQL_CHARACTERS_MAX = 1_000
_STATEMENTS_MAX = 5  # of a batch
_TAG_CHARACTERS_MAX = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TEXT_SQL_CHARACTERS_MAX = 300
_BARE = re.compile(r"[^\s\"=]+")
_DATABASE_WORDS = re.compile(r"projects/|instances/|databases/")


def entry_of(finished: FinishedRequest, number: int) -> LoggedRequest:
    """Return the entry of a request."""
    entry = LoggedRequest(
        number=number,
        at=_EPOCH + timedelta(microseconds=finished.at // NANOS_PER_MICRO),
        transport=finished.transport,
        method=finished.method,
        status=finished.code.name,
        seconds=finished.seconds,
        error=one_line(finished.message, SQL_CHARACTERS_MAX),
    )
    rpc = finished.rpc
    if rpc is None:
        return entry
    transaction: bytes = finished.facts.get("transaction") or rpc.transaction_id
    return replace(
        entry,
        lock_wait_seconds=finished.lock_wait_seconds,
        database=rpc.database,
        session=rpc.session,
        transaction=transaction.decode("ascii", "replace"),
        transaction_tag=one_line(rpc.transaction_tag, _TAG_CHARACTERS_MAX),
        request_tag=one_line(rpc.request_tag, _TAG_CHARACTERS_MAX),
        sql=one_line(sql_of(rpc), SQL_CHARACTERS_MAX),
        rows=finished.rows,
        mutations=finished.mutations,
        bytes=finished.bytes,
    )


def sql_of(rpc: InterceptedRequest) -> str:
    """Return the SQL of a request, or a sentence for its read or its mutations; "" for others."""
    if rpc.is_read:
        index = f"@{{FORCE_INDEX={rpc.read_index}}}" if rpc.read_index else ""
        return f"READ {', '.join(rpc.read_columns)} FROM {rpc.read_table}{index}"
    statements = rpc.statements
    if statements:
        text = "; ".join(statements[:_STATEMENTS_MAX])
        return (
            text if len(statements) <= _STATEMENTS_MAX else f"{text}; ... {len(statements)} in all"
        )
    written = Counter(rpc.written)
    return ", ".join(
        f"{kind.upper()} {table}" + (f" x{count}" if count > 1 else "")
        for (kind, table), count in written.items()
    )


def one_line(text: str, characters_max: int) -> str:
    """Return a text on a single line without control characters, shortened."""
    if len(text) <= characters_max and text.isprintable() and "  " not in text:
        return text.strip()
    start = text[: 4 * characters_max]  # Statements may have megabytes.
    line = " ".join(start.split())
    if not line.isprintable():
        line = "".join(char if char.isprintable() else _escaped(char) for char in line)
    if len(line) > characters_max or len(text) > len(start):
        line = line[: characters_max - 3] + "..."
    return line


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def text_line(entry: LoggedRequest) -> str:
    """Return the line in text form: the known facts, and the SQL at the end."""
    facts = {
        "rows": entry.rows,
        "mutations": entry.mutations,
        "lock_wait": f"{entry.lock_wait_seconds * 1000:.1f}ms" if entry.lock_wait_seconds else "",
        "database": _DATABASE_WORDS.sub("", entry.database),
        "transaction": entry.transaction,
        "transaction_tag": entry.transaction_tag,
        "request_tag": entry.request_tag,
        "error": entry.error,
    }
    shown = [f"{name}={_value(value)}" for name, value in facts.items() if value]
    sql = entry.sql
    if len(sql) > _TEXT_SQL_CHARACTERS_MAX:
        sql = sql[: _TEXT_SQL_CHARACTERS_MAX - 3] + "..."
    head = [_time(entry), entry.status, entry.method, f"{entry.seconds * 1000:.1f}ms"]
    return " ".join([*head, *shown, sql]).rstrip()


def json_line(entry: LoggedRequest) -> str:
    """Return the line for programs: a JSON object without empty fields."""
    facts = {
        "time": _time(entry),
        "status": entry.status,
        "method": entry.method,
        "transport": entry.transport,
        "ms": round(entry.seconds * 1000, 3),
        "lock_wait_ms": round(entry.lock_wait_seconds * 1000, 3),
        "database": entry.database,
        "session": entry.session,
        "transaction": entry.transaction,
        "transaction_tag": entry.transaction_tag,
        "request_tag": entry.request_tag,
        "rows": entry.rows,
        "mutations": entry.mutations,
        "bytes": entry.bytes,
        "sql": entry.sql,
        "error": entry.error,
    }
    always = ("time", "status", "method", "transport", "ms")
    return json.dumps({name: each for name, each in facts.items() if each or name in always})


FORMATS: Mapping[str, Callable[[LoggedRequest], str]] = {"text": text_line, "json": json_line}


class LineWriter:
    """A sink that writes a line for each request that took at least `slow_seconds`."""

    def __init__(self, stream: TextIO, format_: str, slow_seconds: float = 0.0) -> None:
        self._stream = stream
        self._line = FORMATS[format_]
        self._slow_seconds = slow_seconds
        self._numbers = count(1)
        self._mutex = threading.Lock()  # Keeps lines whole.

    def __call__(self, finished: FinishedRequest, _: object) -> None:
        """Write the line of a request."""
        if finished.seconds < self._slow_seconds:
            return
        line = self._line(entry_of(finished, next(self._numbers)))
        with self._mutex:
            self._stream.write(f"{line}\n")
            self._stream.flush()


def _value(value: Any) -> str:
    """Return a value, in quotes where a reader could not see its end."""
    text = str(value)
    return text if _BARE.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def _time(entry: LoggedRequest) -> str:
    return entry.at.isoformat(timespec="microseconds").replace("+00:00", "Z")


class RequestRing(RequestLog):
    """The last `kept` requests, recorded from the first call of `requests` or `start` on."""

    def __init__(self, observer: RequestObserver, kept: int = REQUESTS_KEPT) -> None:
        self._observer = observer
        self._arrived = threading.Lock()  # Guards the fields below.
        self._kept: deque[Callable[[], LoggedRequest]] = deque(maxlen=kept)
        self._last = 0
        self._waiting: set[Signal] = set()
        self._is_permanent = False
        self._read_at = 0.0

    def start(self) -> None:
        """Record requests from now on, even without readers."""
        self._is_permanent = True
        self._observer.add(self.record)

    def requests(
        self, *, after: int = 0, limit: int = 100, database: str = "", wait_seconds: float = 0.0
    ) -> RequestPage:
        if after < 0 or limit < 0 or not wait_seconds >= 0:
            raise ValueError("after, limit and wait_seconds must not be negative")
        self._read_at = monotonic()
        self._observer.add(self.record)
        until = monotonic() + min(wait_seconds, WAIT_SECONDS_MAX)
        while True:
            arrived = current().signal()
            with self._arrived:
                latest = self._latest(after, database, limit)
                if latest or not limit or monotonic() >= until:
                    last = latest[-1].number if latest else max(after, self._last)
                    return RequestPage(latest, last)
                self._waiting.add(arrived)
            self._wait(arrived, until - monotonic())

    def record(self, finished: FinishedRequest, _: object) -> None:
        """Record a request: the sink of the observer."""
        if not self._is_permanent and monotonic() - self._read_at > UNREAD_SECONDS_MAX:
            self._observer.remove(self.record)
            return
        with self._arrived:
            self._last += 1
            self._kept.append(_kept(finished, self._last))
            waiting, self._waiting = self._waiting, set()
        for arrived in waiting:
            arrived.set()

    def _latest(self, after: int, database: str, limit: int) -> list[LoggedRequest]:
        """Return the latest entries after a number, the oldest first."""
        count = min(len(self._kept), max(0, self._last - after))
        newest_first = (make() for make in islice(reversed(self._kept), count))
        of_database = (entry for entry in newest_first if database in ("", entry.database))
        return list(islice(of_database, limit))[::-1]

    def _wait(self, arrived: Signal, seconds: float) -> None:
        """Wait for an entry. Raises Cancelled and DeadlineExceeded."""
        try:
            arrived.wait(seconds)
        finally:
            with self._arrived:
                self._waiting.discard(arrived)
        current().check()


def _kept(finished: FinishedRequest, number: int) -> Callable[[], LoggedRequest]:
    """Return a function that returns the entry of a request, for as long as it is in the ring."""
    rpc = finished.rpc
    if rpc is None or rpc.size <= _UNREAD_BYTES_MAX:
        return partial(entry_of, finished, number)
    entry = entry_of(finished, number)
    return lambda: entry
