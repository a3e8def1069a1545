"""Recorded requests as lines of failure texts and reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

SHOWN_MAX = 10
SQL_CHARS_MAX = 100


def query_table(queries: Sequence[Any]) -> str:
    """Return statements grouped by text and calling lines, the most frequent first."""
    grouped: dict[tuple[str, str], list[Any]] = {}
    for query in queries:
        grouped.setdefault((query.sql, calling_lines(query)), []).append(query)
    ordered = sorted(grouped.items(), key=lambda group: -len(group[1]))
    lines = [
        f"  {len(group)}x  {one_line(sql)}  {called}{_bracketed(query_notes(group[0]))}"
        for (sql, called), group in ordered[:SHOWN_MAX]
    ]
    return _joined(lines, len(ordered), "other statements")


def commit_table(attempts: Sequence[Any]) -> str:
    """Return commits, one line for each."""
    lines = [
        f"  {counted(commit.mutations, 'mutation')}  {counted(commit.participants, 'split')}  "
        f"{', '.join(commit.tables) or 'DML'}  {calling_lines(commit)}"
        f"{f'  {commit.error}' if commit.error else ''}"
        for commit in attempts[:SHOWN_MAX]
    ]
    return _joined(lines, len(attempts))


def wait_table(requests: Sequence[Any]) -> str:
    """Return requests that waited for locks, one line for each, the longest wait first."""
    ordered = sorted(requests, key=lambda request: -request.lock_wait_seconds)
    return _joined([_wait_line(each) for each in ordered[:SHOWN_MAX]], len(requests))


def _wait_line(request: Any) -> str:
    wait = f"{request.lock_wait_seconds * 1e3:,.1f} ms"
    locks = ", ".join(request.waited_for)
    sql = one_line(getattr(request, "sql", "COMMIT"))
    parts = [wait, sql, calling_lines(request), request.error, locks and f"waited for {locks}"]
    return f"  {'  '.join(filter(None, parts))}"


def counted(count: int, singular: str, plural: str = "") -> str:
    """Return a count with its noun, as in "1 query" or "1,200 queries"."""
    return f"{count:,} {singular if count == 1 else plural or f'{singular}s'}"


def calling_lines(request: Any) -> str:
    """Return the line that made a request, and the line that called its function, if known."""
    return f"{request.site}, called from {request.caller}" if request.caller else str(request.site)


def one_line(sql: str) -> str:
    """Return a statement on one line, cut at `SQL_CHARS_MAX` characters."""
    text = " ".join(sql.split())
    return text if len(text) <= SQL_CHARS_MAX else f"{text[: SQL_CHARS_MAX - 3]}..."


def query_notes(query: Any) -> list[str]:
    """Return notes on a statement: its full scan or its index, whether it sorts, its error."""
    notes = []
    if query.full_scans:
        notes.append(f"FULL SCAN {', '.join(query.full_scans)}")
    elif query.indexes:
        notes.append(f"index {', '.join(query.indexes)}")
    if query.sorts:
        notes.append("sort")
    if query.error:
        notes.append(query.error)
    return notes


def _joined(lines: Sequence[str], count: int, noun: str = "more") -> str:
    """Return `lines` as a text, with a last line if `count` exceeds the number of lines shown."""
    rest = [f"  ... and {count - SHOWN_MAX} {noun}"] if count > SHOWN_MAX else []
    return "\n".join([*lines, *rest])


def _bracketed(notes: Sequence[str]) -> str:
    return f"  [{'; '.join(notes)}]" if notes else ""
