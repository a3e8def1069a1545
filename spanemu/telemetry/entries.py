"""A finished request as an entry of the request log, with its SQL on a single, bounded line."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from spanemu.base.clock import NANOS_PER_MICRO
from spanemu.control.request_log import LoggedRequest
from spanemu.frontend.interception import InterceptedRequest
from spanemu.telemetry.observer import FinishedRequest

SQL_CHARACTERS_MAX = 1_000
_STATEMENTS_MAX = 5  # of a batch
_TAG_CHARACTERS_MAX = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


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
