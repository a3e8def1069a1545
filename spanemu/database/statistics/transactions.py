"""TXN_STATS_*: read-write transactions by what they did, or by their tag.

What a transaction did before its commit is in the statements and reads that ran in it, which are
found by its age. One that was aborted before its commit is an attempt too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spanemu.base.errors import Code
from spanemu.database.activity import ActivityLog, Attempt, Meter
from spanemu.database.statistics.distribution import as_json, distribution, distribution_json
from spanemu.database.statistics.intervals import Row, average, by_interval
from spanemu.database.statistics.touched import (
    Touched,
    fingerprint,
    named,
    touched_by,
    touched_by_mutations,
)
from spanemu.database.statistics.written import Weighed, Written
from spanemu.database.transactions.isolation import reads_of
from spanemu.schema.schema import Schema
from spanemu.txn.owner import YOUNGEST
from spanemu.txn.read_write import Reads

_OPERATIONS = ("TABLE_NAME", "INSERT_OR_UPDATE_COUNT", "INSERT_OR_UPDATE_BYTES")
_REFUSED = frozenset({Code.FAILED_PRECONDITION, Code.ALREADY_EXISTS, Code.NOT_FOUND})


@dataclass(frozen=True, slots=True)
class Transaction:
    """One attempt at a transaction. Seconds are None where there was no commit."""

    at: int
    tag: str
    touched: Touched
    reads: Reads
    code: Code | None
    committing: bool
    again: bool
    participants: int
    seconds: float
    commit_seconds: float
    written: Mapping[str, Written]

    @property
    def fingerprint(self) -> int:
        """Of its tag, or of what it did."""
        did = "\n".join(
            ",".join(names)
            for names in (
                named(self.touched.reads),
                named(self.touched.writes),
                sorted(self.touched.deletes),
            )
        )
        return fingerprint(self.tag or did)


def txn_stats_top(log: ActivityLog, schema: Schema, interval: str, now: int) -> Iterator[Row]:
    """Rows of TXN_STATS_TOP_`interval`: those first that took the most time in all."""
    for end, found in by_interval(transactions(log, schema), interval, now):
        groups: dict[int, list[Transaction]] = {}
        for one in found:
            groups.setdefault(one.fingerprint, []).append(one)
        for key, group in sorted(
            groups.items(), key=lambda item: -sum(one.seconds for one in item[1])
        ):
            touched = Touched()
            for one in group:
                touched.add(one.touched)
            yield {
                "INTERVAL_END": end,
                "FPRINT": key,
                "TRANSACTION_TAG": group[0].tag,
                "READ_COLUMNS": named(touched.reads),
                "WRITE_CONSTRUCTIVE_COLUMNS": named(touched.writes),
                "WRITE_DELETE_TABLES": sorted(touched.deletes),
                **_figures(group),
            }


def txn_stats_total(log: ActivityLog, schema: Schema, interval: str, now: int) -> Iterator[Row]:
    """Rows of TXN_STATS_TOTAL_`interval`."""
    for end, found in by_interval(transactions(log, schema), interval, now):
        yield {"INTERVAL_END": end, **_figures(found)}


def transactions(log: ActivityLog, schema: Schema) -> Iterator[Transaction]:
    """Every attempt that is remembered."""
    by_age: dict[tuple[int, int], list[Meter]] = {}
    for request in list(log.requests):
        if request.age is not None and request.age != YOUNGEST:
            by_age.setdefault(request.age, []).append(request)
    weighed = Weighed(schema, log.structure)
    for attempt in list(log.attempts):
        yield _committing(attempt, by_age.pop(attempt.age, []), schema, weighed)
    for age, requests in by_age.items():
        if any(one.code is Code.ABORTED for one in requests):
            yield _aborted(age, requests)


def _committing(
    attempt: Attempt, requests: Sequence[Meter], schema: Schema, weighed: Weighed
) -> Transaction:
    touched = touched_by(source for one in requests for source in one.sources)
    touched.add(touched_by_mutations(attempt.mutations, schema))
    tags = [attempt.tag, *(one.transaction_tag for one in requests)]
    return Transaction(
        at=attempt.at,
        tag=next(filter(None, tags), ""),
        touched=touched,
        reads=reads_of(attempt.options),
        code=attempt.code,
        committing=True,
        again=attempt.age[0] != attempt.age[1],
        participants=weighed.participants(attempt),
        seconds=attempt.seconds,
        commit_seconds=attempt.commit_seconds,
        written=weighed.by_table(attempt),
    )


def _aborted(age: tuple[int, int], requests: Sequence[Meter]) -> Transaction:
    first, last = requests[0], requests[-1]
    return Transaction(
        at=last.at,
        tag=last.transaction_tag,
        touched=touched_by(source for one in requests for source in one.sources),
        reads=Reads.PESSIMISTIC,
        code=Code.ABORTED,
        committing=False,
        again=age[0] != age[1],
        participants=0,
        seconds=last.began + last.seconds - first.began,
        commit_seconds=0.0,
        written={},
    )


def _figures(group: Sequence[Transaction]) -> dict[str, Any]:
    count = len(group)
    commits = [one for one in group if one.committing]
    operations = _operations(group)
    histogram = distribution([one.seconds for one in group])
    return {
        "ATTEMPT_COUNT": count,
        "COMMIT_ATTEMPT_COUNT": len(commits),
        "COMMIT_FAILED_PRECONDITION_COUNT": sum(one.code in _REFUSED for one in commits),
        "COMMIT_ABORT_COUNT": sum(one.code is Code.ABORTED for one in group),
        "COMMIT_RETRY_COUNT": sum(one.again for one in group),
        "AVG_PARTICIPANTS": average((one.participants for one in commits), len(commits)),
        "AVG_TOTAL_LATENCY_SECONDS": average((one.seconds for one in group), count),
        "AVG_COMMIT_LATENCY_SECONDS": average(
            (one.commit_seconds for one in commits), len(commits)
        ),
        "AVG_BYTES": average((_size(one) for one in commits), len(commits)),
        "OPERATIONS_BY_TABLE": operations,
        "OPERATIONS_BY_TABLE_JSON_STRING": as_json(operations, _OPERATIONS),
        "TOTAL_LATENCY_DISTRIBUTION": histogram,
        "TOTAL_LATENCY_DISTRIBUTION_JSON_STRING": distribution_json(histogram),
        "SERIALIZABLE_PESSIMISTIC_TXN_COUNT": _with(group, Reads.PESSIMISTIC),
        "SERIALIZABLE_OPTIMISTIC_TXN_COUNT": _with(group, Reads.OPTIMISTIC),
        "REPEATABLE_READ_OPTIMISTIC_TXN_COUNT": _with(group, Reads.REPEATABLE),
    }


def _with(group: Iterable[Transaction], reads: Reads) -> int:
    return sum(one.reads is reads for one in group)


def _size(one: Transaction) -> int:
    return sum(written.size for written in one.written.values())


def _operations(group: Iterable[Transaction]) -> list[tuple[str, int, int]]:
    """(table, rows, bytes) over all of the group, the most rows first."""
    rows: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for one in group:
        for table, written in one.written.items():
            rows[table] = rows.get(table, 0) + written.rows
            sizes[table] = sizes.get(table, 0) + written.size
    return sorted(
        ((table, count, sizes[table]) for table, count in rows.items()),
        key=lambda row: (-row[1], row[0]),
    )
