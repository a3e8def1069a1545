"""Recorded statements and commits as lines of a failure text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

SHOWN_MAX = 10
SQL_CHARS_MAX = 100


def query_table(queries: Sequence[Any]) -> str:
    """Statements grouped by text and line, the most frequent first."""
    grouped: dict[tuple[str, str], list[Any]] = {}
    for query in queries:
        grouped.setdefault((query.sql, query.site), []).append(query)
    ordered = sorted(grouped.items(), key=lambda each: -len(each[1]))
    lines = [
        f"  {len(found)}x  {short(sql)}  {site}{_bracketed(notes_of(found[0]))}"
        for (sql, site), found in ordered[:SHOWN_MAX]
    ]
    return _closed(lines, len(ordered), "other statements")


def commit_table(attempts: Sequence[Any]) -> str:
    """Commits, one a line."""
    lines = [
        f"  {commit.mutations} mutations  {commit.participants} splits  "
        f"{', '.join(commit.tables) or 'DML'}  {commit.site}"
        f"{f'  {commit.error}' if commit.error else ''}"
        for commit in attempts[:SHOWN_MAX]
    ]
    return _closed(lines, len(attempts))


def wait_table(waited: Sequence[Any]) -> str:
    """Requests that waited for locks, one a line, the longest wait first."""
    ordered = sorted(waited, key=lambda each: -each.lock_wait_seconds)
    lines = [
        f"  {each.lock_wait_seconds * 1e3:,.1f} ms  {short(getattr(each, 'sql', 'COMMIT'))}  "
        f"{each.site}{f'  {each.error}' if each.error else ''}"
        for each in ordered[:SHOWN_MAX]
    ]
    return _closed(lines, len(waited))


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
