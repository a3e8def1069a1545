"""Work that a test left open: told, then aborted, so that its locks go."""

from __future__ import annotations

from typing import Any

import spanemu


def leftovers(handle: Any, recording: Any) -> list[str]:
    """The transactions that are still open, one text each; they are aborted.

    Each text has the id, tags and last statement, and the line that sent it if it was recorded. A
    target that cannot list transactions has none.
    """
    try:
        found = handle.open_transactions()
        if found:
            handle.abort_transactions()
    except spanemu.Unsupported:
        return []
    return [_told(each, recording) for each in found]


def _told(transaction: Any, recording: Any) -> str:
    parts = [f"transaction {transaction.id}"]
    tags = [tag for tag in (transaction.transaction_tag, transaction.request_tag) if tag]
    if tags:
        parts.append(f"tagged {', '.join(tags)}")
    statement = " ".join(transaction.last_statement.split())
    if statement:
        site = _site(transaction.last_statement, recording)
        parts.append(f"last statement: {statement}{site}")
    return ", ".join(parts)


def _site(statement: str, recording: Any) -> str:
    for query in reversed(recording.queries if recording is not None else ()):
        if query.sql == statement and query.site:
            return f" at {query.site}"
    return ""
