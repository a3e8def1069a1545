"""What one test asked of one database, in full: for the HTML report.

Statements are grouped by text and calling lines, with their plans; transactions have their waits
for locks; hotspots their evidence and fix. Everything is plain data, since xdist's workers send it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from google.api_core.exceptions import GoogleAPIError

from pytest_spanemu.asserts.hotspots import hotspot_score
from pytest_spanemu.asserts.plans import PlanCheck
from pytest_spanemu.asserts.request_text import calling_lines, query_notes

STATEMENTS_MAX = 50  # of one test
TRANSACTIONS_MAX = 50
Plain = dict[str, Any]


def details_of(recording: Any, database: Any) -> Plain:
    """The statements and transactions of a recording; plans are asked of `database`, if given."""
    transactions = recording.transactions
    return {
        "statements": _statements(recording.queries, _planner(database)),
        "transactions": _transactions(transactions),
        "more_transactions": max(0, len(transactions) - TRANSACTIONS_MAX),
    }


def findings_of(report: Any) -> list[Plain]:
    """What was found hot, and what to do about it."""
    return [
        {
            "rule": each.rule,
            "reason": str(each.reason),
            "place": each.place,
            "score": hotspot_score(each),
            "severity": str(each.severity),
            "message": each.message,
            "evidence": str(each.evidence),
            "fix": each.fix,
        }
        for each in report.findings
    ]


def _statements(queries: Sequence[Any], plan: Callable[[Any], str]) -> list[Plain]:
    grouped: dict[tuple[str, str], list[Any]] = {}
    for query in queries:
        grouped.setdefault((query.sql, calling_lines(query)), []).append(query)
    worst = sorted(
        grouped.values(), key=lambda found: (bool(found[0].full_scans), len(found)), reverse=True
    )
    return [
        {
            "sql": found[0].sql,
            "kind": found[0].kind,
            "site": calling_lines(found[0]),
            "count": len(found),
            "seconds": sum(each.seconds for each in found),
            "notes": query_notes(found[0]),
            "plan": plan(found[0]),
        }
        for found in worst[:STATEMENTS_MAX]
    ]


def _planner(database: Any) -> Callable[[Any], str]:
    """Gives the plan of a recorded statement as text, "" where there is none."""
    known: dict[str, str] = {}

    def plan(query: Any) -> str:
        if database is None or query.kind == "read" or query.error:
            return ""
        if query.sql not in known:
            try:
                known[query.sql] = str(PlanCheck.of(database, query.sql, {}))
            except GoogleAPIError:  # its parameters need types, or its table is gone
                known[query.sql] = ""
        return known[query.sql]

    return plan


def _transactions(transactions: Sequence[Any]) -> list[Plain]:
    worst = sorted(
        transactions, key=lambda each: (each.lock_wait_seconds, bool(each.error)), reverse=True
    )
    return [
        {
            "id": each.id,
            "tag": each.commit.tag if each.commit is not None else "",
            "error": each.error,
            "mutations": each.commit.mutations if each.commit is not None else 0,
            "lock_wait_seconds": each.lock_wait_seconds,
            "requests": [_request(one) for one in (*each.queries, *_commit(each))],
        }
        for each in worst[:TRANSACTIONS_MAX]
    ]


def _commit(transaction: Any) -> tuple[Any, ...]:
    return () if transaction.commit is None else (transaction.commit,)


def _request(found: Any) -> Plain:
    return {
        "sql": getattr(found, "sql", "COMMIT"),
        "site": calling_lines(found),
        "seconds": found.seconds,
        "lock_wait_seconds": found.lock_wait_seconds,
        "error": found.error,
    }
