"""Running statements: ACTIVE_PARTITIONED_DMLS and the tables of active queries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanemu.base.clock import monotonic
from spanemu.database.activity import ActivityLog, Progress, RequestRecord
from spanemu.database.statistics.column_accesses import fingerprint
from spanemu.database.statistics.period import Row
from spanemu.database.statistics.queries import TEXT_CHARACTERS_MAX

_AGES = (1, 10, 100)


def oldest_active_queries(log: ActivityLog) -> Iterator[Row]:
    """Yield the rows of OLDEST_ACTIVE_QUERIES, the oldest first."""
    for record, text, tag in _running(log):
        transaction = record.transaction
        yield {
            "START_TIME": record.at,
            "TEXT_FINGERPRINT": fingerprint(tag or text),
            "TEXT": text[:TEXT_CHARACTERS_MAX],
            "TEXT_TRUNCATED": len(text) > TEXT_CHARACTERS_MAX,
            "SESSION_ID": _last(record.session),
            "QUERY_ID": str(record.number),
            "PRIORITY": "PRIORITY_UNSPECIFIED",
            "TRANSACTION_TYPE": _type(transaction),
        }


def active_queries_summary(log: ActivityLog) -> Iterator[Row]:
    """Yield the row of ACTIVE_QUERIES_SUMMARY."""
    now = monotonic()
    running = [record for record, _, _ in _running(log)]
    ages = [now - record.began for record in running]
    yield {
        "ACTIVE_COUNT": len(running),
        "OLDEST_START_TIME": min((record.at for record in running), default=None),
        **{f"COUNT_OLDER_THAN_{age}S": sum(seconds > age for seconds in ages) for age in _AGES},
    }


def active_partitioned_dmls(log: ActivityLog, progress: dict[bytes, Progress]) -> Iterator[Row]:
    """Yield the rows of ACTIVE_PARTITIONED_DMLS."""
    for record, text, _ in _running(log):
        done = progress.get(getattr(record.transaction, "id", b""))
        if done is None:
            continue
        nontrivial = done.total - done.trivial
        share = (done.complete - done.trivial) / nontrivial if nontrivial else 0.0
        yield {
            "TEXT": text,
            "TEXT_FINGERPRINT": fingerprint(text),
            "SESSION_ID": _last(record.session),
            "NUM_PARTITIONS_TOTAL": done.total,
            "NUM_PARTITIONS_COMPLETE": done.complete,
            "NUM_TRIVIAL_PARTITIONS_COMPLETE": done.trivial,
            "PROGRESS": f"{share:.2%}",
            "ROWS_PROCESSED": done.rows,
            "START_TIMESTAMP": record.at,
            "LAST_UPDATE_TIMESTAMP": done.updated,
        }


def _running(log: ActivityLog) -> Iterator[tuple[RequestRecord, str, str]]:
    """Yield (record, text, tag) of each running query, the oldest first."""
    for record in sorted(log.running.copy().values(), key=lambda record: record.number):
        request = record.request
        requests: Any = request if request.__class__ is tuple else (request,)
        texts = [text for one in requests if (text := getattr(one, "sql", None)) is not None]
        if texts:
            yield record, ";".join(texts), requests[0].request_tag


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def _type(transaction: Any) -> str:
    if transaction is None or not transaction.id:
        return "NONE"
    return "READ_WRITE" if hasattr(transaction, "holder") else "READ_ONLY"
