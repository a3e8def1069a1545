"""Recorded statements and commits as lines of a failure text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

SHOWN_MAX = 10
SQL_CHARS_MAX = 100


def query_table(queries: Sequence[Any]) -> str:
    """Return statements grouped by text and calling lines, the most frequent first."""
    grouped: dict[tuple[str, str], list[Any]] = {}
    for query in queries:
        grouped.setdefault((query.sql, lines_of(query)), []).append(query)
    ordered = sorted(grouped.items(), key=lambda each: -len(each[1]))
    lines = [
        f"  {len(found)}x  {short(sql)}  {called}{_bracketed(notes_of(found[0]))}"
        for (sql, called), found in ordered[:SHOWN_MAX]
    ]
    return _closed(lines, len(ordered), "other statements")


def commit_table(attempts: Sequence[Any]) -> str:
    """Commits, one a line."""
    lines = [
        f"  {counted(commit.mutations, 'mutation')}  {counted(commit.participants, 'split')}  "
        f"{', '.join(commit.tables) or 'DML'}  {lines_of(commit)}"
        f"{f'  {commit.error}' if commit.error else ''}"
        for commit in attempts[:SHOWN_MAX]
    ]
    return _closed(lines, len(attempts))


def wait_table(waited: Sequence[Any]) -> str:
    """Requests that waited for locks, one a line, the longest wait first."""
    ordered = sorted(waited, key=lambda each: -each.lock_wait_seconds)
    lines = [
        f"  {each.lock_wait_seconds * 1e3:,.1f} ms  {short(getattr(each, 'sql', 'COMMIT'))}  "
        f"{lines_of(each)}{f'  {each.error}' if each.error else ''}"
        for each in ordered[:SHOWN_MAX]
    ]
    return _closed(lines, len(waited))


def counted(count: int, singular: str, plural: str = "") -> str:
    """Return a count with its noun, as in "1 query" or "1,200 queries"."""
    return f"{count:,} {singular if count == 1 else plural or f'{singular}s'}"


def lines_of(request: Any) -> str:
    """Return the line that made a request, and the line that called its function, if known."""
    return f"{request.site}, called from {request.caller}" if request.caller else str(request.site)


def short(sql: str) -> str:
    """A statement on one line."""
    text = " ".join(sql.split())
    return text if len(text) <= SQL_CHARS_MAX else f"{text[: SQL_CHARS_MAX - 3]}..."


def notes_of(query: Any) -> list[str]:
    """What is worth knowing of a statement: how it finds its rows, how it ended."""
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


def _closed(lines: Sequence[str], count: int, what: str = "more") -> str:
    """The lines as a text, with how many there are that are not shown."""
    left = [f"  ... and {count - SHOWN_MAX} {what}"] if count > SHOWN_MAX else []
    return "\n".join([*lines, *left])


def _bracketed(notes: Sequence[str]) -> str:
    return f"  [{'; '.join(notes)}]" if notes else ""
