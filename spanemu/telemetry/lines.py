"""The lines of the request log, for people and for programs.

text    2026-11-23T13:31:04.123456Z OK ExecuteSql 1.2ms rows=3 database=p/i/d SELECT * FROM T
json    {"time": "2026-11-23T13:31:04.123456Z", "status": "OK", "method": "ExecuteSql", ...}
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, TextIO

from spanemu.control.request_log import LoggedRequest
from spanemu.telemetry.entries import entry_of
from spanemu.telemetry.observer import FinishedRequest

_TEXT_SQL_CHARACTERS_MAX = 300
_BARE = re.compile(r"[^\s\"=]+")
_DATABASE_WORDS = re.compile(r"projects/|instances/|databases/")


def text_line(entry: LoggedRequest) -> str:
    """Return the line for people: the facts that there are, and the SQL at the end."""
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
