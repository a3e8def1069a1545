"""The details of a test in the HTML report: its statements, transactions and findings.

Statements are grouped by text and calling lines, with their plans. Transactions have their waits
for locks, findings their evidence and fix. All is plain data, since xdist's workers send it.
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
    """Return the statements and transactions of a recording, with plans if `database` is given."""
    transactions = recording.transactions
    return {
        "statements": _statements(recording.queries, _planner(database)),
        "transactions": _transactions(transactions),
        "more_transactions": max(0, len(transactions) - TRANSACTIONS_MAX),
    }


def findings_of(report: Any) -> list[Plain]:
    """Return the findings of the detector with their evidence and fix."""
    return [
        {
            "rule": finding.rule,
            "reason": str(finding.reason),
            "place": finding.location,
            "score": hotspot_score(finding),
            "severity": str(finding.severity),
            "message": finding.message,
            "evidence": str(finding.evidence),
            "fix": finding.fix,
        }
        for finding in report.findings
    ]


def _statements(queries: Sequence[Any], plan: Callable[[Any], str]) -> list[Plain]:
    grouped: dict[tuple[str, str], list[Any]] = {}
    for query in queries:
        grouped.setdefault((query.sql, calling_lines(query)), []).append(query)
    worst = sorted(
        grouped.values(), key=lambda group: (bool(group[0].full_scans), len(group)), reverse=True
    )
    return [
        {
            "sql": group[0].sql,
            "kind": group[0].kind,
            "site": calling_lines(group[0]),
            "count": len(group),
            "seconds": sum(query.seconds for query in group),
            "notes": query_notes(group[0]),
            "plan": plan(group[0]),
        }
        for group in worst[:STATEMENTS_MAX]
    ]


def _planner(database: Any) -> Callable[[Any], str]:
    """Return a function from a recorded statement to the text of its plan, "" for no plan."""
    plans: dict[str, str] = {}

    def plan(query: Any) -> str:
        if database is None or query.kind == "read" or query.error:
            return ""
        if query.sql not in plans:
            try:
                plans[query.sql] = str(PlanCheck.of(database, query.sql, {}))
            except GoogleAPIError:  # Its parameters need types, or its table no longer exists.
                plans[query.sql] = ""
        return plans[query.sql]

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
            "requests": [_request(request) for request in (*each.queries, *_commit(each))],
        }
        for each in worst[:TRANSACTIONS_MAX]
    ]


def _commit(transaction: Any) -> tuple[Any, ...]:
    return () if transaction.commit is None else (transaction.commit,)


def _request(request: Any) -> Plain:
    return {
        "sql": getattr(request, "sql", "COMMIT"),
        "site": calling_lines(request),
        "seconds": request.seconds,
        "lock_wait_seconds": request.lock_wait_seconds,
        "error": request.error,
    }
