"""`spanner_assert`: assertions about the requests that a test's code makes.

    with spanner_assert.queries(max=2), spanner_assert.no_full_scan():
        list_orders(database)
    spanner_assert.commits(0).so_far()

The first form checks the block, the second the test up to that line. The requests of `spanner_sql`,
`spanner_assert.rows` and `spanner_factory` do not count: they are the test's own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from pytest_spanemu.asserts import conditions
from pytest_spanemu.asserts.changes import ChangesRule, ExpectedChange, changes_check
from pytest_spanemu.asserts.check import (
    BlockCheck,
    Check,
    FindProblem,
    RecordingSlice,
    caller_of,
    marks_of,
    recording_check,
)
from pytest_spanemu.asserts.conditions import Condition
from pytest_spanemu.asserts.hotspots import (
    MIN_WRITES,
    REASONS,
    EvenDistributionRule,
    HotspotRule,
    Inconclusive,
    hotspot_check,
    load,
)
from pytest_spanemu.asserts.plans import PlanCheck
from pytest_spanemu.clean_errors import statement_errors
from pytest_spanemu.databases.catalog import hierarchies
from pytest_spanemu.databases.observation import Observation
from pytest_spanemu.databases.snapshots import differences, rows_by_key
from pytest_spanemu.settings import as_tuple
from pytest_spanemu.sql import SpannerSql
from spanemu.base.suggestions import did_you_mean

__tracebackhide__ = True
READER = "ReaderShared"
LOCK_MODES = (READER, "WriterShared", "Exclusive")  # as Spanner names them
_LOCKS_COME_LATE = (
    "A transaction takes its write locks when it commits; until then it holds ReaderShared locks "
    "on the rows that its statements have read."
)
CheckType = TypeVar("CheckType", bound=BlockCheck)


class SpannerAssert:
    """Assertions about the requests that a test makes to its database."""

    def __init__(self, observation: Observation, *, watches_hotspots: bool = True) -> None:
        self._observation = observation
        self._handle = observation.handle
        self._recording = observation.recording
        self._start = marks_of(self._recording)
        self._streams = observation.change_streams
        self._predictions_before = observation.predictions()
        if watches_hotspots:
            _ = observation.hotspots  # The property starts watching the writes.
        self._checks: list[BlockCheck] = []

    def fail_for_unused_checks(self) -> None:
        """Raise AssertionError if the test has created checks that it has not used."""
        problems = [check.misuse for check in self._checks if check.misuse]
        self._checks.clear()
        if problems:
            raise AssertionError("\n".join(problems))

    def _check(self, name: str, find_problem: Condition) -> Check:
        return self._registered(recording_check(name, self._recording, self._start, find_problem))

    def _registered(self, check: CheckType) -> CheckType:
        self._checks.append(check)
        check.attach_to(caller_of(__name__))
        return check

    if not TYPE_CHECKING:  # Type checkers report unknown names themselves.

        def __getattr__(self, name: str) -> NoReturn:
            known = [public for public in dir(type(self)) if not public.startswith("_")]
            raise AttributeError(
                f"spanner_assert has no {name!r}.{did_you_mean(name, known)}", name=name, obj=self
            )

    # ------------------------------------------------------------------ counts

    def queries(
        self, n: int | None = None, *, max: int | None = None, match: str | None = None
    ) -> Check:
        """Check that exactly `n`, or at most `max`, statements and reads ran.

        The regular expression `match` limits the count to statements whose text it matches.
        """
        return self._check("queries", conditions.queries(n, max, match or ""))

    def commits(self, n: int | None = None, *, max: int | None = None) -> Check:
        """Check that exactly `n`, or at most `max`, commits succeeded."""
        return self._check("commits", conditions.commits(n, max))

    def mutations(self, n: int | None = None, *, max: int | None = None) -> Check:
        """Check that commits had exactly `n`, or at most `max`, mutations in total.

        Mutations are counted as for Spanner's limit of mutations in a commit.
        """
        return self._check("mutations", conditions.mutations(n, max))

    def aborts(self, n: int | None = None, *, max: int | None = None) -> Check:
        """Check that exactly `n`, or at most `max`, requests failed with ABORTED."""
        return self._check("aborts", conditions.aborts(n, max))

    def participants(self, n: int | None = None, *, max: int | None = None) -> Check:
        """Check that every commit wrote to exactly `n`, or at most `max`, splits.

        A commit that writes to one split needs no two-phase commit.
        """
        return self._check("participants", conditions.participants(n, max))

    def no_lock_waits(self, *, max: int = 0) -> Check:
        """Check that no request, or at most `max`, waited for another transaction's lock."""
        return self._check("no_lock_waits", conditions.no_lock_waits(max))

    def locks(self, table: str, mode: str = "Exclusive") -> None:
        """Check that an open transaction now holds locks of a mode on rows of a table.

        The modes are ReaderShared, WriterShared and Exclusive.
        """
        expected_mode = {name.lower(): name for name in LOCK_MODES}.get(mode.lower())
        if expected_mode is None:
            raise ValueError(f"mode {mode!r} is not one of {', '.join(LOCK_MODES)}")
        transactions = self._handle.open_transactions()
        held = [lock for transaction in transactions for lock in transaction.locks]
        rows = f"{table.lower()}("
        if not any(
            lock.mode == expected_mode and lock.key.lower().startswith(rows) for lock in held
        ):
            listed = "\n".join(f"  {lock}" for lock in held) or "  none"
            hint = "" if expected_mode == READER else f"\n{_LOCKS_COME_LATE}"
            raise AssertionError(
                f"Expected a lock {expected_mode} {table}(...), the locks held are:\n{listed}{hint}"
            )

    def lock_waits(self) -> int:
        """Return how many requests have waited for locks since the test began."""
        end = marks_of(self._recording)
        return len(RecordingSlice.between(self._recording, self._start, end).lock_waits)

    def full_scans(self) -> int:
        """Return how many statements and reads have scanned a whole table or index in the test."""
        queries = self._recording.queries[self._start[0] :]
        return sum(1 for query in queries if query.full_scans)

    def predictions(self, n: int | None = None, *, max: int | None = None) -> Check:
        """Check that exactly `n`, or at most `max`, rows were sent to models and remote functions.

        Every row counts for which a model, an AI function or a remote function is called, also in
        transactions that run again.
        """
        before = self._predictions_before
        return self._registered(conditions.predictions(self._observation, before, n, max))

    # ------------------------------------------------------------------ query shapes

    def no_full_scan(self, tables: Collection[str] | None = None, *, max: int = 0) -> Check:
        """Check that no statement or read, or at most `max`, scans a whole table or index.

        `tables` names the tables and indexes that count; by default all do.
        """
        return self._check("no_full_scan", conditions.no_full_scan(tables, max))

    def no_duplicate_queries(self, threshold: int = 2) -> Check:
        """Check that no line of code runs a statement `threshold` times or more (N+1)."""
        return self._check("no_duplicate_queries", conditions.no_duplicate_queries(threshold))

    def stale_reads_only(self) -> Check:
        """Check that every statement and read is a stale read.

        A stale read takes no locks, and any replica can serve it.
        """
        return self._check("stale_reads_only", conditions.stale_reads_only)

    def tagged(self, tag: str) -> Check:
        """Check that every statement and read has a request tag that `tag` matches.

        `tag` is a regular expression.
        """
        return self._check("tagged", conditions.tagged(tag))

    def plan(self, sql: str, /, **params: Any) -> PlanCheck:
        """Return the plan of a query, which has its own assertions."""
        with self._observation.unrecorded(), statement_errors(sql):
            return PlanCheck.of(self._handle.client(), sql, params, self._hierarchies)

    def _hierarchies(self) -> Mapping[str, str]:
        with self._observation.unrecorded():
            return hierarchies(self._handle.client())

    # ------------------------------------------------------------------ hotspots

    def no_hotspots(
        self,
        tables: str | Collection[str] | None = None,
        reasons: str | Collection[str] = REASONS,
        min_writes: int = MIN_WRITES,
        inconclusive: Inconclusive = "error",
        severity: str = "error",
    ) -> Check:
        """Check that writes to `tables`, by default to all tables, have no hotspot.

        The check is inconclusive with fewer than `min_writes` commits: it fails, or warns if
        `inconclusive` is "warn". `reasons` are Spanner's names of hotspots. With `severity`
        "warning", warnings count too.
        """
        rule = HotspotRule(
            tables=as_tuple(tables),
            reasons=as_tuple(reasons) or REASONS,
            min_writes=min_writes,
            inconclusive=inconclusive,
            severity=severity,
        )
        return self._registered(hotspot_check("no_hotspots", self._observation.hotspots, rule))

    def even_distribution(self, table: str, max_share: float = 0.3) -> Check:
        """Check that writes to a table or index spread evenly over its keys at any time.

        Eight key ranges divide the rows written; the busiest may take at most `max_share` of them.
        """
        rule = EvenDistributionRule(table, max_share)
        return self._registered(
            hotspot_check("even_distribution", self._observation.hotspots, rule)
        )

    def check_hotspot_rule(self, rule: HotspotRule) -> None:
        """Raise AssertionError unless the writes of the test so far satisfy a rule."""
        hotspot_check("no_hotspots", self._observation.hotspots, rule).so_far()

    def hotspots(self) -> list[Any]:
        """Return the hotspots of the test so far, with the columns of SPLIT_STATS_TOP_MINUTE."""
        return self._observation.hotspots.split_stats()  # type: ignore[no-any-return]

    def load(self, call: Callable[[int], Any], times: int = 500, clients: int = 1) -> None:
        """Call `call(0)` to `call(times - 1)`, from this thread or from `clients` threads."""
        load(call, times, clients)

    # ------------------------------------------------------------------ rows

    def changes(
        self,
        stream: str,
        expected: Collection[ExpectedChange],
        *,
        tables: Collection[str] | None = None,
        within: float = 0.0,
    ) -> Check:
        """Check that a change stream records exactly the expected changes of rows.

        A change is ("INSERT", table, {column: value}), or UPDATE or DELETE, with the columns that
        matter. The changes of a row come in the order of `expected`; those of different rows may
        come in any order. `tables` limits the check to changes of these tables. The check waits up
        to `within` seconds for changes that other threads make.
        """
        rule = ChangesRule.of(self._streams[stream], expected, tables, within)
        return self._registered(changes_check(rule, self._streams))

    def rows(self, table: str, /, where: str = "TRUE", **params: Any) -> list[dict[str, Any]]:
        """Return the rows of a table that satisfy a condition, in key order."""
        sql = SpannerSql(self._handle.client(), self._observation.unrecorded)
        return sql.rows(f"SELECT * FROM {table} WHERE {where}", **params)

    def unchanged(self) -> BlockCheck:
        """Check that every row of the database is the same before and after a block."""

        def begin() -> FindProblem:
            before = self._rows_by_key()

            def find_problem() -> str | None:
                diffs = differences(before, self._rows_by_key())
                listed = "\n".join(f"  {diff}" for diff in diffs)
                return f"Expected no row to change, but:\n{listed}" if diffs else None

            return find_problem

        return self._registered(BlockCheck("unchanged", begin))

    def _rows_by_key(self) -> Any:
        with self._observation.unrecorded():
            return rows_by_key(self._handle.client())
