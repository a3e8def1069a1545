"""Conditions on the requests that a test's code has made: what `spanner_assert` checks of them.

A condition receives the recorded requests that count, and returns a failure text, or None if it
holds. The text says what was expected and what was seen, lists the requests, and ends with advice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection

from pytest_spanemu.asserts.check import Check, FindProblem, RecordingSlice
from pytest_spanemu.asserts.request_text import commit_table, counted, query_table, wait_table
from pytest_spanemu.databases.observation import Observation

Condition = Callable[[RecordingSlice], str | None]

# ---------------------------------------------------------------------------- counts


def queries(n: int | None, limit: int | None, match: str) -> Condition:
    """Expect `n`, or at most `limit`, statements and reads whose text `match` matches."""
    pattern = re.compile(match, re.IGNORECASE | re.DOTALL)

    def find_problem(recorded: RecordingSlice) -> str | None:
        matching = [query for query in recorded.queries if pattern.search(query.sql)]
        problem = _count_problem("query", "queries", len(matching), n, limit)
        return problem and f"{problem}\n{query_table(matching)}"

    return find_problem


def commits(n: int | None, limit: int | None) -> Condition:
    """Expect `n`, or at most `limit`, commits."""

    def find_problem(recorded: RecordingSlice) -> str | None:
        problem = _count_problem("commit", "commits", len(recorded.commits), n, limit)
        return problem and f"{problem}\n{commit_table(recorded.attempts)}"

    return find_problem


def mutations(n: int | None, limit: int | None) -> Condition:
    """Expect `n`, or at most `limit`, mutations in all commits."""

    def find_problem(recorded: RecordingSlice) -> str | None:
        problem = _count_problem("mutation", "mutations", recorded.mutations, n, limit)
        return problem and f"{problem}\n{commit_table(recorded.attempts)}"

    return find_problem


def aborts(n: int | None, limit: int | None) -> Condition:
    """Expect `n`, or at most `limit`, requests that failed with ABORTED."""
    return lambda recorded: _count_problem("abort", "aborts", recorded.aborts, n, limit)


def participants(n: int | None, limit: int | None) -> Condition:
    """Expect each commit to write to `n`, or at most `limit`, splits."""

    def find_problem(recorded: RecordingSlice) -> str | None:
        for commit in recorded.commits:
            problem = _count_problem("participant", "participants", commit.participants, n, limit)
            if problem:
                return f"{problem}\n{commit_table([commit])}"
        return None

    return find_problem


def no_lock_waits(limit: int) -> Condition:
    """Expect at most `limit` requests that waited for a lock."""

    def find_problem(recorded: RecordingSlice) -> str | None:
        waits = recorded.lock_waits
        if len(waits) <= limit:
            return None
        return (
            f"Expected {_at_most(limit, 'wait for a lock', 'waits for locks')}, "
            f"saw {len(waits)}:\n{wait_table(waits)}\n"
            "Read less in the transaction, or read rows that others write in a stale read "
            "before it."
        )

    return find_problem


def predictions(observation: Observation, before: int, n: int | None, limit: int | None) -> Check:
    """Return the check that exactly `n`, or at most `limit`, rows were sent.

    `before` is the number of rows that were sent before the test.
    """

    def find_problem(start: int) -> str | None:
        sent = observation.predictions() - start
        return _count_problem("prediction", "predictions", sent, n, limit)

    def begin() -> FindProblem:
        start = observation.predictions()
        return lambda: find_problem(start)

    return Check("predictions", lambda: find_problem(before), begin)


# ---------------------------------------------------------------------------- query shapes


def no_full_scan(tables: Collection[str] | None, limit: int) -> Condition:
    """Expect at most `limit` statements and reads that scan a whole table or index."""
    counting = None if tables is None else {name.lower() for name in tables}

    def find_problem(recorded: RecordingSlice) -> str | None:
        scans = [
            query
            for query in recorded.queries
            if any(counting is None or name.lower() in counting for name in query.full_scans)
        ]
        if len(scans) <= limit:
            return None
        return (
            f"Expected {_at_most(limit, 'full scan', 'full scans')}, saw {len(scans)}:\n"
            f"{query_table(scans)}\n"
            "Filter by a key or an indexed column, or add an index for the filter."
        )

    return find_problem


def no_duplicate_queries(threshold: int) -> Condition:
    """Expect no statement `threshold` times or more from one line of code."""

    def find_problem(recorded: RecordingSlice) -> str | None:
        counts = Counter((query.sql, query.site) for query in recorded.queries)
        repeated = {key for key, count in counts.items() if count >= threshold}
        if not repeated:
            return None
        listed = [query for query in recorded.queries if (query.sql, query.site) in repeated]
        return (
            f"Expected no statement {threshold} times from one line, saw {len(repeated)}:\n"
            f"{query_table(listed)}\n"
            "Read the rows at once: a join, IN UNNEST(@keys), or one read with all keys."
        )

    return find_problem


def stale_reads_only(recorded: RecordingSlice) -> str | None:
    """Expect stale reads only."""
    strong = [query for query in recorded.queries if not query.is_stale]
    if not strong:
        return None
    return (
        f"Expected stale reads only, saw {len(strong)} others:\n{query_table(strong)}\n"
        "Read data that may be slightly old in "
        "database.snapshot(exact_staleness=timedelta(seconds=15))."
    )


def tagged(tag: str) -> Condition:
    """Expect a request tag that the regular expression `tag` matches on every request."""
    pattern = re.compile(tag)

    def find_problem(recorded: RecordingSlice) -> str | None:
        untagged = [query for query in recorded.queries if not pattern.search(query.tag)]
        if not untagged:
            return None
        problem = f"Expected request tags like {tag!r}, missing on {len(untagged)}"
        return f"{problem}:\n{query_table(untagged)}"

    return find_problem


# ---------------------------------------------------------------------------- texts


def _at_most(limit: int, singular: str, plural: str) -> str:
    """Return a limit in words, as in "no full scan" or "at most 2 full scans"."""
    return f"at most {counted(limit, singular, plural)}" if limit else f"no {singular}"


def _count_problem(
    singular: str, plural: str, count: int, n: int | None, limit: int | None
) -> str | None:
    """Return the first line of the failure text of a count. Raises TypeError without a limit."""
    if (n is None) is (limit is None):
        raise TypeError(f"{plural}() needs a number, n= or max=, and not both")
    if n is not None and count != n:
        return f"Expected {n} {singular if n == 1 else plural}, saw {count}"
    if limit is not None and count > limit:
        return f"Expected at most {limit} {singular if limit == 1 else plural}, saw {count}"
    return None
