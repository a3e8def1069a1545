"""Where the writes of one database concentrate: the detector's place between store and schema.

Watching begins with `watch` and ends with `stop`; what was seen stays until the next `watch`. While
nobody watches, the store has no observer and a commit costs nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from weakref import WeakKeyDictionary

from spanemu.base.clock import monotonic
from spanemu.database.activity import RequestRecord
from spanemu.database.core import DatabaseCore
from spanemu.database.options import ReadRequest, StatementRequest
from spanemu.database.splits.query_uses import QueryUses
from spanemu.database.transactions.listing import text_of
from spanemu.hotspots.assumptions import Assumptions
from spanemu.hotspots.detector import Detector, Observations
from spanemu.hotspots.finding import Finding
from spanemu.hotspots.heatmap.heatmap import Heatmap, build_heatmap
from spanemu.hotspots.heatmap.overlay import Overlay
from spanemu.hotspots.positions import Positions, place_of
from spanemu.hotspots.report import Report, build_report, empty_report
from spanemu.hotspots.simulation.model import CutRules, SplitModel
from spanemu.hotspots.simulation.simulation import Simulation, simulate
from spanemu.hotspots.split_info import SplitRange, SplitStat, joined, split_stats
from spanemu.schema.column import Column
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.googlesql.ast import Expression
from spanemu.sql.googlesql.syntax.inspection import allowed_by, modulus
from spanemu.sql.googlesql.syntax.statement import parse_expression
from spanemu.storage.layout import TreeId, tree_of
from spanemu.txn.buffer import Buffer
from spanemu.values.mutation import Mutation, Write


def values_allowed(table: Table, column: Column) -> int | None:
    """By a CHECK of the table, or by the MOD that the column is computed with; None if neither."""
    for text in (column.generated, column.default):
        if text is not None and (found := modulus(_parsed(text))) is not None:
            return found[0]
    counts = (allowed_by(_parsed(check.expression), column.name) for check in table.checks)
    return next((count for count in counts if count), None)


@lru_cache(maxsize=256)
def _parsed(text: str) -> Expression:
    return parse_expression(text)


MUTATIONS_LOOKED_AT = 8


@dataclass(frozen=True, slots=True)
class _Commit:
    """What a commit was made of: its mutations, and the last request of the transaction before."""

    last: object
    mutations: Sequence[Mutation]


class HotspotMonitor:
    """The detector of one database, if any."""

    def __init__(self, core: DatabaseCore) -> None:
        self._core = core
        self._store = core.store
        self._locks = core.locks
        self._splitting = core.splitting
        self.detector: Detector | None = None
        # Trees of which nobody needs to tell who writes them; None: of none, as nobody watches.
        self.attributed_trees: set[TreeId] | None = None
        self.assumptions = Assumptions()
        self._uses: WeakKeyDictionary[Detector, QueryUses] = WeakKeyDictionary()

    @property
    def is_watched(self) -> bool:
        """Whether commits are being looked at."""
        return self.detector is not None and self._locks.observer is self.detector

    def watch(self) -> Detector:
        """Forget what was seen, and look at every commit from now on."""
        activity = self._core.activity
        if activity.follower is not None and activity.requests:
            self._core.ledger.catch_up()  # The follower that goes is to see what ran until now.
        with self._store.mutex:
            before, self.detector = self.detector, Detector(self._store, describe=self._described)
            self._store.observe(self.detector, before)
            self._locks.observer = self.detector
            self.attributed_trees = self.detector.attributed_trees
            uses = self._uses[self.detector] = QueryUses(self.detector)
            activity.follower = partial(self._follow, uses)
            if before is not None:
                before.ended = min(before.ended, self.detector.began)
            return self.detector

    def stop(self) -> None:
        """Look no further."""
        with self._store.mutex:
            detector = self.detector
            if detector is not None and self.is_watched:
                self._store.observe(None, detector)
                self._locks.observer = self.attributed_trees = None
                detector.ended = monotonic()

    def _follow(self, uses: QueryUses, requests: Iterable[RequestRecord]) -> None:
        """What ran until now, when it is added up; for the last time if nobody watches by now."""
        if not self.is_watched:
            self._core.activity.follower = None
        uses.take(requests)

    def attribute_commit(
        self, asked: object, mutations: Sequence[Mutation], written: Buffer
    ) -> None:
        """The last commit was made by mutations, or by the statements before it.

        To be told while somebody watches, unless all trees that it wrote are `attributed_trees`.
        """
        if self.detector is not None:
            trees = [tree for tree, pending in written.trees.items() if pending.rows]
            self.detector.attribute_commit(_Commit(asked, mutations) if mutations else asked, trees)

    def _described(self, asked: object, tree: TreeId) -> tuple[str, str]:
        """What a request did to a table or index, in words, and its tag."""
        if isinstance(asked, StatementRequest | ReadRequest):
            return _in_words(asked)
        if not isinstance(asked, _Commit):
            return "", ""
        last, found = asked.last, asked.mutations
        tables = {each.table.lower() for each in found}
        if len(tables) > 1 or isinstance(last, StatementRequest):
            table = self._table_of(tree)
            if table in tables:
                found = [each for each in found if each.table.lower() == table]
            elif isinstance(last, StatementRequest):
                return _in_words(last)  # Mutations of other tables, behind statements.
        found = found[:MUTATIONS_LOOKED_AT]
        tag = last.transaction_tag if isinstance(last, StatementRequest | ReadRequest) else ""
        return ", ".join(dict.fromkeys(map(_mutation, found))), tag

    def _table_of(self, tree: TreeId) -> str:
        """The table, in lower case, that a tree has the rows or index entries of."""
        for thing in self._schema.tables_and_indexes():
            if tree_of(thing) == tree:
                return (thing.table if isinstance(thing, Index) else thing.name).lower()
        return ""

    def report(self, detector: Detector, assumptions: Assumptions) -> Report:
        """Return what a detector saw, in the names of the present schema."""
        seen = self._seen(detector)
        found = build_report(self._schema, seen, assumptions, allowed=values_allowed)
        if seen.is_idle and not found.findings:  # Queries alone can be a finding.
            return empty_report(has_rows=self._has_rows())
        return found

    def _has_rows(self) -> bool:
        tables = self._schema.tables.values()
        return any(self._store.row_count(tree_of(table)) for table in tables)

    @property
    def _schema(self) -> Schema:
        return self._core.generation.schema

    def _seen(self, detector: Detector) -> Observations:
        """What a detector saw, the statements that ran meanwhile, and what is gone by now."""
        seen = detector.seen()
        self._core.ledger.catch_up()
        known = {tree_of(thing) for thing in self._schema.tables_and_indexes()}
        gone = {tree for tree, _ in seen.streams} - known
        return replace(
            seen,
            queries=self._uses[detector].found(),
            former={tree: name for tree in gone if (name := self._former_name(tree))},
            policy=self._splitting.settings.policy,
        )

    def _former_name(self, tree: TreeId) -> str | None:
        """What a table or index was called that the schema does not have any more."""
        for generation in reversed(self._core.history.all()):
            for thing in generation.schema.tables_and_indexes():
                if tree_of(thing) == tree:
                    return thing.name
        return None

    def simulate(self, detector: Detector, nodes: int, qps: float | None) -> Simulation:
        """A replay of what a detector saw, beginning with the boundaries that are there."""
        places = Positions(self._schema, self._splitting.settings.policy)
        pinned = [place_of(each) for each in self._store.all_boundaries()]
        return simulate(
            places.trace(detector.trace().commits),
            nodes,
            qps,
            lambda servers: SplitModel(servers, pinned, CutRules(places.levels)),
        )

    def heatmap(self, detector: Detector, nodes: int) -> Heatmap:
        """A picture of what a detector saw, as figures, with the splits of so many nodes."""
        schema, trace = self._schema, detector.trace()
        places = Positions(schema, self._splitting.settings.policy)
        starts = {tree: self._store.split_map.starts(tree) for tree in places.boundary_finders}
        pinned = [place_of(each) for each in self._store.all_boundaries()]
        return build_heatmap(schema, trace, Overlay(places, starts, pinned, trace, nodes))

    def split_stats(self, at: int, interval: str = "MINUTE") -> list[SplitStat]:
        """Rows of SPANNER_SYS.SPLIT_STATS_TOP_`interval` as of `at` (nanoseconds)."""
        seen = self._splitting.split_stats(at, interval)
        if self.detector is None:
            return seen
        schema, detector = self._schema, self.detector
        things = {thing.name: tree_of(thing) for thing in schema.tables_and_indexes()}
        splits = self._splitting.foreseen(detector.seen().trace)

        def split_of(finding: Finding) -> SplitRange | None:
            return splits.at(things[finding.object], finding.key) if finding.key else None

        findings = self.report(detector, self.assumptions).findings
        return joined([*seen, *split_stats(findings, at, interval, split_of)])


def _in_words(request: StatementRequest | ReadRequest) -> tuple[str, str]:
    return text_of(request), request.request_tag or request.transaction_tag


def _mutation(mutation: Mutation) -> str:
    if isinstance(mutation, Write):
        return f"{mutation.kind} of {mutation.table} ({', '.join(mutation.columns)})"
    return f"delete of {mutation.table}"
