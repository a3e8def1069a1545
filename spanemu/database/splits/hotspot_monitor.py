"""The hotspot detector's connection to the store, the schema and the statements of a database.

Observation begins with `watch` and ends with `stop`; the observations stay until the next `watch`.
Without observation the store has no observer, and a commit costs nothing more.

Running a statement records nothing here: the activity log passes its records when they are
aggregated, and `query_uses` counts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from spanemu.base.clock import monotonic
from spanemu.database.activity import RequestRecord
from spanemu.database.core import DatabaseCore
from spanemu.database.options import ReadRequest, StatementRequest
from spanemu.database.splits.query_uses import QueryUses
from spanemu.database.transactions import listing
from spanemu.hotspots import positions as positioning
from spanemu.hotspots import report as reports
from spanemu.hotspots import simulation, split_info, split_model
from spanemu.hotspots.assumptions import Assumptions
from spanemu.hotspots.detector import Detector, Observations
from spanemu.hotspots.heatmap import heatmap as heatmaps
from spanemu.schema.dialect import DatabaseDialect
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Table
from spanemu.sql.dialects import dialect_of
from spanemu.sql.inspection import allowed_value_count, modulus
from spanemu.sql.syntax_tree import Expression
from spanemu.storage.layout import TreeId, tree_of
from spanemu.txn.buffer import Buffer
from spanemu.values.mutation import Mutation, Write

if TYPE_CHECKING:
    from spanemu.hotspots.finding import Finding


def values_allowed(dialect: DatabaseDialect, table: Table, column: Column) -> int | None:
    """Return the number of values that a column's CHECK or MOD expression allows; None if
    unlimited.
    """
    for text in (column.generated, column.default):
        if text is not None and (divisor := modulus(_parsed(dialect, text))) is not None:
            return divisor[0]
    counts = (
        allowed_value_count(_parsed(dialect, check.expression), column.name)
        for check in table.checks
    )
    return next((count for count in counts if count), None)


@lru_cache(maxsize=256)
def _parsed(dialect: DatabaseDialect, text: str) -> Expression:
    return dialect_of(dialect).parse_expression(text)


MUTATIONS_DESCRIBED_MAX = 8


@dataclass(frozen=True, slots=True)
class _Commit:
    """The mutations of a commit, and the last request of its transaction before."""

    last: object
    mutations: Sequence[Mutation]


class HotspotMonitor:
    """The hotspot detector of a database, if any."""

    def __init__(self, core: DatabaseCore) -> None:
        self._core = core
        self._store = core.store
        self._locks = core.locks
        self._splitting = core.splitting
        self.detector: Detector | None = None
        # Trees whose writers need not be recorded any more; None while nothing is observed.
        self.attributed_trees: set[TreeId] | None = None
        self.assumptions = Assumptions()
        self._uses: WeakKeyDictionary[Detector, QueryUses] = WeakKeyDictionary()

    @property
    def is_watched(self) -> bool:
        """True while commits are observed."""
        return self.detector is not None and self._locks.observer is self.detector

    def watch(self) -> Detector:
        """Start a new detector, which observes every commit from now on."""
        activity = self._core.activity
        if activity.follower is not None and activity.requests:
            self._core.aggregator.flush()  # Pass the requests until now to the previous follower.
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
        """Stop observing."""
        with self._store.mutex:
            detector = self.detector
            if detector is not None and self.is_watched:
                self._store.observe(None, detector)
                self._locks.observer = self.attributed_trees = None
                detector.ended = monotonic()

    def _follow(self, uses: QueryUses, requests: Iterable[RequestRecord]) -> None:
        """Receive aggregated requests, for the last time if observation has stopped."""
        if not self.is_watched:
            self._core.activity.follower = None
        uses.take(requests)

    def attribute_commit(
        self, request: object, mutations: Sequence[Mutation], written: Buffer
    ) -> None:
        """Attribute the last commit to its mutations, or to the statements before it.

        Called during observation, unless all trees that the commit wrote are in `attributed_trees`.
        """
        if self.detector is not None:
            trees = [tree for tree, pending in written.trees.items() if pending.rows]
            self.detector.attribute_commit(
                _Commit(request, mutations) if mutations else request, trees
            )

    def _described(self, request: object, tree: TreeId) -> tuple[str, str]:
        """Return a description of what a request did to a table or index, and its tag."""
        if isinstance(request, StatementRequest | ReadRequest):
            return _description(request)
        if not isinstance(request, _Commit):
            return "", ""
        last, mutations = request.last, request.mutations
        tables = {self._schema.fold(mutation.table) for mutation in mutations}
        if len(tables) > 1 or isinstance(last, StatementRequest):
            table = self._table_of(tree)
            if table in tables:
                mutations = [each for each in mutations if self._schema.fold(each.table) == table]
            elif isinstance(last, StatementRequest):
                return _description(
                    last
                )  # The mutations are of other tables: a statement wrote this one.

        tag = last.transaction_tag if isinstance(last, StatementRequest | ReadRequest) else ""
        return ", ".join(dict.fromkeys(map(_mutation, mutations[:MUTATIONS_DESCRIBED_MAX]))), tag

    def _table_of(self, tree: TreeId) -> str:
        """Return the folded name of the table whose rows or index entries a tree holds."""
        for source in self._schema.tables_and_indexes():
            if tree_of(source) == tree:
                name = source.name if isinstance(source, Table) else source.table
                return self._schema.fold(name)
        return ""

    def report(self, detector: Detector, assumptions: Assumptions) -> reports.Report:
        """Return the report of a detector's observations, in the names of the current schema."""
        seen = self._observations(detector)
        schema = self._schema
        allowed = partial(values_allowed, schema.dialect)
        report = reports.build_report(schema, seen, assumptions, allowed=allowed)
        if seen.is_idle and not report.findings:  # Queries alone can be a finding.
            return reports.empty_report(has_rows=self._has_rows())
        return report

    def _has_rows(self) -> bool:
        tables = self._schema.tables.values()
        return any(self._store.row_count(tree_of(table)) for table in tables)

    @property
    def _schema(self) -> Schema:
        return self._core.generation.schema

    def _observations(self, detector: Detector) -> Observations:
        """Return a detector's observations, and what it does not know itself.

        That is the queries since it began, and the names of trees that were dropped since then.
        """
        seen = detector.observations()
        self._core.aggregator.flush()
        known = {tree_of(source) for source in self._schema.tables_and_indexes()}
        dropped = {tree for tree, _ in seen.streams} - known
        return replace(
            seen,
            queries=self._uses[detector].query_uses(),
            former={tree: name for tree in dropped if (name := self._former_name(tree))},
            policy=self._splitting.settings.policy,
        )

    def _former_name(self, tree: TreeId) -> str | None:
        """Return the last name of a table or index that was dropped."""
        for generation in reversed(self._core.history.all()):
            for source in generation.schema.tables_and_indexes():
                if tree_of(source) == tree:
                    return source.name
        return None

    def simulate(self, detector: Detector, nodes: int, qps: float | None) -> simulation.Simulation:
        """Replay a detector's observations, starting from the current boundaries."""
        positions = positioning.Positions(self._schema, self._splitting.settings.policy)
        pinned = [positioning.position_of(boundary) for boundary in self._store.all_boundaries()]
        return simulation.simulate(
            positions.trace(detector.trace().commits),
            nodes,
            qps,
            lambda servers: split_model.SplitModel(
                servers, pinned, split_model.CutRules(positions.levels)
            ),
        )

    def heatmap(self, detector: Detector, nodes: int) -> heatmaps.Heatmap:
        """Return the heatmap of a detector's observations, with the splits of `nodes` nodes."""
        schema, trace = self._schema, detector.trace()
        positions = positioning.Positions(schema, self._splitting.settings.policy)
        starts = {tree: self._store.split_map.starts(tree) for tree in positions.boundary_finders}
        pinned = [positioning.position_of(boundary) for boundary in self._store.all_boundaries()]
        return heatmaps.build_heatmap(
            schema, trace, heatmaps.Overlay(positions, starts, pinned, trace, nodes)
        )

    def split_stats(self, at: int, interval: str = "MINUTE") -> list[split_info.SplitStat]:
        """Return the rows of SPANNER_SYS.SPLIT_STATS_TOP_`interval` as of `at` (nanoseconds)."""
        seen = self._splitting.split_stats(at, interval)
        if self.detector is None:
            return seen
        schema, detector = self._schema, self.detector
        trees = {source.name: tree_of(source) for source in schema.tables_and_indexes()}
        splits = self._splitting.forecast(detector.observations().trace)

        def split_of(finding: Finding) -> split_info.SplitRange | None:
            return splits.at(trees[finding.object], finding.key) if finding.key else None

        findings = self.report(detector, self.assumptions).findings
        return split_info.joined([*seen, *split_info.split_stats(findings, at, interval, split_of)])


def _description(request: StatementRequest | ReadRequest) -> tuple[str, str]:
    return listing.request_text(request), request.request_tag or request.transaction_tag


def _mutation(mutation: Mutation) -> str:
    if isinstance(mutation, Write):
        return f"{mutation.kind} of {mutation.table} ({', '.join(mutation.columns)})"
    return f"delete of {mutation.table}"
