"""`spanner_assert`: assertions about the requests that a test's code makes.

    with spanner_assert.queries(max=2), spanner_assert.no_full_scan():
        list_orders(database)
    spanner_assert.commits(0).so_far()

The first form checks the block, the second the test up to that line. The requests of `spanner_sql`,
`spanner_assert.rows` and `spanner_factory` do not count: they are the test's own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from pytest_spanemu.asserts.check import (
    BlockCheck,
    Check,
    FindProblem,
    RecordingSlice,
    caller_of,
    marks_of,
    recording_check,
)
from pytest_spanemu.asserts.findings import REASONS
from pytest_spanemu.asserts.hot import (
    MIN_WRITES,
    EvenRule,
    HotspotRule,
    Inconclusive,
    hotspot_check,
)
from pytest_spanemu.asserts.listing import commit_table, counted, query_table, wait_table
from pytest_spanemu.asserts.load import load
from pytest_spanemu.asserts.plans import PlanCheck
from pytest_spanemu.clean_errors import statement_errors
from pytest_spanemu.databases.catalog import hierarchies
from pytest_spanemu.databases.observation import Observation
from pytest_spanemu.databases.snapshots import differences, rows_by_key
from pytest_spanemu.settings import words
from pytest_spanemu.sql import SpannerSql
from spanemu.base.suggestions import did_you_mean

__tracebackhide__ = True
READER = "ReaderShared"
LOCK_MODES = (READER, "WriterShared", "Exclusive")  # Spanner's words
_LOCKS_COME_LATE = (
    "Locks for writing are taken as the transaction commits; until then, what its statements have "
    "read is ReaderShared."
)


CheckType = TypeVar("CheckType", bound=BlockCheck)


class SpannerAssert:
    """Judgements over what a test's database was asked to do."""

    def __init__(self, observation: Observation, *, watches_hotspots: bool = True) -> None:
        self._observation = observation
        self._handle = observation.handle
        self._recording = observation.recording
        self._start = marks_of(self._recording)
        if watches_hotspots:
            _ = observation.hotspots  # What is written from now on is looked at.
        self._checks: list[BlockCheck] = []

    def fail_for_unused_checks(self) -> None:
        """Raise AssertionError if the test has created checks that it has not used."""
        problems = [check.misuse for check in self._checks if check.misuse]
        self._checks.clear()
        if problems:
            raise AssertionError("\n".join(problems))

    def _check(self, name: str, judge: Callable[[RecordingSlice], str | None]) -> Check:
        return self._registered(recording_check(name, self._recording, self._start, judge))

    def _registered(self, check: CheckType) -> CheckType:
        self._checks.append(check)
        check.attach_to(caller_of(__name__))
        return check

    if not TYPE_CHECKING:  # A type checker is to find unknown names by itself.

        def __getattr__(self, name: str) -> NoReturn:
            known = [each for each in dir(type(self)) if not each.startswith("_")]
            raise AttributeError(
                f"spanner_assert has no {name!r}.{did_you_mean(name, known)}", name=name, obj=self
            )

    # ------------------------------------------------------------------ counts

    def queries(
        self, n: int | None = None, *, max: int | None = None, match: str | None = None
    ) -> Check:
        """Exactly `n`, or at most `max`, statements and reads; only those whose text matches."""
        pattern = re.compile(match or "", re.IGNORECASE | re.DOTALL)

        def judge(stretch: RecordingSlice) -> str | None:
            found = [query for query in stretch.queries if pattern.search(query.sql)]
            problem = _count_problem("query", "queries", len(found), n, max)
            return problem and f"{problem}\n{query_table(found)}"

        return self._check("queries", judge)

    def commits(self, n: int | None = None, *, max: int | None = None) -> Check:
        """Exactly `n`, or at most `max`, commits that succeeded."""

        def judge(stretch: RecordingSlice) -> str | None:
            problem = _count_problem("commit", "commits", len(stretch.commits), n, max)
            return problem and f"{problem}\n{commit_table(stretch.attempts)}"

        return self._check("commits", judge)

    def mutations(self, n: int | None = None, *, max: int | None = None) -> Check:
        """Exactly `n`, or at most `max`, mutations, counted as Spanner's limit counts them."""

        def judge(stretch: RecordingSlice) -> str | None:
            problem = _count_problem("mutation", "mutations", stretch.mutations, n, max)
            return problem and f"{problem}\n{commit_table(stretch.attempts)}"

        return self._check("mutations", judge)

    def aborts(self, n: int | None = None, *, max: int | None = None) -> Check:
        """Exactly `n`, or at most `max`, requests that were answered ABORTED."""

        def judge(stretch: RecordingSlice) -> str | None:
            return _count_problem("abort", "aborts", stretch.aborts, n, max)

        return self._check("aborts", judge)

    def participants(self, n: int | None = None, *, max: int | None = None) -> Check:
        """Every commit took exactly `n`, or at most `max`, splits: one needs no two phases."""

        def judge(stretch: RecordingSlice) -> str | None:
            for commit in stretch.commits:
                found = commit.participants
                problem = _count_problem("participant", "participants", found, n, max)
                if problem:
                    return f"{problem}\n{commit_table([commit])}"
            return None

        return self._check("participants", judge)

    def no_lock_waits(self, *, max: int = 0) -> Check:
        """No request, or at most `max`, waited for a lock that another transaction held."""

        def judge(stretch: RecordingSlice) -> str | None:
            waited = [each for each in _requests(stretch) if each.lock_wait_seconds]
            if len(waited) <= max:
                return None
            return (
                f"Expected {_at_most(max, 'wait for a lock', 'waits for locks')}, "
                f"saw {len(waited)}:\n{wait_table(waited)}\n"
                "Read less in the transaction, or what others write in a stale read before it."
            )

        return self._check("no_lock_waits", judge)

    def locks(self, table: str, mode: str = "Exclusive") -> None:
        """Now, an open transaction locks rows of a table: ReaderShared, WriterShared, Exclusive."""
        __tracebackhide__ = True
        wanted = {each.lower(): each for each in LOCK_MODES}.get(mode.lower())
        if wanted is None:
            raise ValueError(f"mode {mode!r} is not one of {', '.join(LOCK_MODES)}")
        open_ones = self._handle.open_transactions()
        held = [lock for each in open_ones for lock in each.locks]
        rows = f"{table.lower()}("
        if not any(each.mode == wanted and each.key.lower().startswith(rows) for each in held):
            listed = "\n".join(f"  {lock}" for lock in held) or "  none"
            later = "" if wanted == READER else f"\n{_LOCKS_COME_LATE}"
            raise AssertionError(
                f"Expected a lock {wanted} {table}(...), held are:\n{listed}{later}"
            )

    def lock_waits(self) -> int:
        """How many requests have waited for locks so far."""
        stretch = RecordingSlice.between(self._recording, self._start, marks_of(self._recording))
        return sum(1 for each in _requests(stretch) if each.lock_wait_seconds)

    def full_scans(self) -> int:
        """How many statements and reads have gone through a whole table or index so far."""
        queries = self._recording.queries[self._start[0] :]
        return sum(1 for query in queries if query.full_scans)

    # ------------------------------------------------------------------ shapes

    def no_full_scan(self, tables: Collection[str] | None = None, *, max: int = 0) -> Check:
        """No statement, or at most `max`, scans a whole table or index, of `tables` or of any."""
        wanted = None if tables is None else {name.lower() for name in tables}

        def judge(stretch: RecordingSlice) -> str | None:
            found = [
                query
                for query in stretch.queries
                if any(wanted is None or name.lower() in wanted for name in query.full_scans)
            ]
            if len(found) <= max:
                return None
            most = _at_most(max, "full scan", "full scans")
            return (
                f"Expected {most}, saw {len(found)}:\n{query_table(found)}\n"
                "Filter by a key or an indexed column, or add an index for the filter."
            )

        return self._check("no_full_scan", judge)

    def no_duplicate_queries(self, threshold: int = 2) -> Check:
        """No statement comes `threshold` times or more from one line of code (N+1)."""

        def judge(stretch: RecordingSlice) -> str | None:
            counts = Counter((query.sql, query.site) for query in stretch.queries)
            often = {key for key, count in counts.items() if count >= threshold}
            found = [query for query in stretch.queries if (query.sql, query.site) in often]
            if not found:
                return None
            return (
                f"Expected no statement {threshold} times from one line, saw {len(often)}:\n"
                f"{query_table(found)}\n"
                "Read the rows at once: a join, IN UNNEST(@keys), or one read with all keys."
            )

        return self._check("no_duplicate_queries", judge)

    def stale_reads_only(self) -> Check:
        """Every statement and read is a stale read: no locks, and any replica can answer."""

        def judge(stretch: RecordingSlice) -> str | None:
            found = [query for query in stretch.queries if not query.is_stale]
            if not found:
                return None
            return (
                f"Expected stale reads only, saw {len(found)} others:\n{query_table(found)}\n"
                "Read in database.snapshot(exact_staleness=timedelta(seconds=15)) what may be a "
                "little old."
            )

        return self._check("stale_reads_only", judge)

    def tagged(self, tag: str) -> Check:
        """Every statement and read carries a request tag that matches."""
        pattern = re.compile(tag)

        def judge(stretch: RecordingSlice) -> str | None:
            found = [query for query in stretch.queries if not pattern.search(query.tag)]
            if not found:
                return None
            problem = f"Expected request tags like {tag!r}, missing on {len(found)}"
            return f"{problem}:\n{query_table(found)}"

        return self._check("tagged", judge)

    def plan(self, sql: str, /, **params: Any) -> PlanCheck:
        """The plan of a query, to ask what it uses."""
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
        """Writes to `tables`, or to any, could be spread over servers.

        With fewer than `min_writes` commits it fails as inconclusive, unless `inconclusive` is
        "warn". `reasons` are Spanner's words; `severity` "warning" counts warnings too.
        """
        rule = HotspotRule(
            tables=words(tables),
            reasons=words(reasons) or REASONS,
            min_writes=min_writes,
            inconclusive=inconclusive,
            severity=severity,
        )
        return self._registered(hotspot_check("no_hotspots", self._observation.hotspots, rule))

    def even_distribution(self, table: str, max_share: float = 0.3) -> Check:
        """Writes to a table or index spread over its keys at any time, as those of new splits do.

        Of eight ranges that divide what was written, the fullest takes at most `max_share`.
        """
        rule = EvenRule(table, max_share)
        return self._registered(
            hotspot_check("even_distribution", self._observation.hotspots, rule)
        )

    def judge_hotspots(self, rule: HotspotRule | int) -> None:
        """Raise AssertionError for what a rule has against the test so far.

        A number is how many there may be, however little was written.
        """
        __tracebackhide__ = True
        if isinstance(rule, int):
            rule = HotspotRule(most=rule, min_writes=0)
        hotspot_check("no_hotspots", self._observation.hotspots, rule).so_far()

    def hotspots(self) -> list[Any]:
        """Rows with the columns of SPANNER_SYS.SPLIT_STATS_TOP_MINUTE, of the test so far."""
        return self._observation.hotspots.split_stats()  # type: ignore[no-any-return]

    def load(self, call: Callable[[int], Any], times: int = 500, clients: int = 1) -> None:
        """Call `call(0)` to `call(times - 1)`, from this thread or divided among `clients`."""
        load(call, times, clients)

    # ------------------------------------------------------------------ rows

    def rows(self, table: str, /, where: str = "TRUE", **params: Any) -> list[dict[str, Any]]:
        """The rows of a table that satisfy a condition, in key order."""
        sql = SpannerSql(self._handle.client(), self._observation.unrecorded)
        return sql.rows(f"SELECT * FROM {table} WHERE {where}", **params)

    def unchanged(self) -> BlockCheck:
        """A block after which every row of the database is as it was before."""

        def begin() -> FindProblem:
            before = self._contents()

            def judge() -> str | None:
                found = differences(before, self._contents())
                listed = "\n".join(f"  {diff}" for diff in found)
                return f"Expected no row to change, but:\n{listed}" if found else None

            return judge

        return self._registered(BlockCheck("unchanged", begin))

    def _contents(self) -> Any:
        with self._observation.unrecorded():
            return rows_by_key(self._handle.client())


# ---------------------------------------------------------------------------- texts


def _at_most(most: int, singular: str, plural: str) -> str:
    """Return a limit in words, as in "no full scan" or "at most 2 full scans"."""
    return f"at most {counted(most, singular, plural)}" if most else f"no {singular}"


def _requests(stretch: RecordingSlice) -> list[Any]:
    return [*stretch.queries, *stretch.attempts]


def _count_problem(one: str, many: str, found: int, n: int | None, most: int | None) -> str | None:
    if n is None and most is None:
        raise TypeError(f"say how many {many}: a number, or max=")
    if n is not None and found != n:
        return f"Expected {n} {one if n == 1 else many}, saw {found}"
    if most is not None and found > most:
        return f"Expected at most {most} {one if most == 1 else many}, saw {found}"
    return None
