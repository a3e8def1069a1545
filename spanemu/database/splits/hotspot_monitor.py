"""The hotspot detector's connection to the store, the schema and the statements of a database.

Observation begins with `watch` and ends with `stop`; the observations stay until the next `watch`.
Without observation the store has no observer, and a commit costs nothing more.

Running a statement records nothing here. The activity log passes its records when they are
aggregated, and each plan is inspected once for how it uses tables (`hotspots.tree_load`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from spanemu.base.clock import monotonic
from spanemu.base.deferred import deferred
from spanemu.database.activity import RequestRecord
from spanemu.database.core import DatabaseCore
from spanemu.database.options import ReadRequest, StatementRequest
from spanemu.database.statements.query_engine import Prepared
from spanemu.hotspots.assumptions import Assumptions
from spanemu.hotspots.detector import Detector, Observations
from spanemu.hotspots.tree_load import Access, Order, QueryUse
from spanemu.schema.dialect import DatabaseDialect
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Table
from spanemu.sql.dialects import dialect_of
from spanemu.sql.inspection import allowed_value_count, modulus
from spanemu.sql.plan.joins import ApplyJoin
from spanemu.sql.plan.nodes import Equal, Node, Project, Scan, Sort, TopN
from spanemu.sql.plan.statements import DmlPlan, Plan, QueryPlan
from spanemu.sql.plan.traverse import walk
from spanemu.sql.resolved import ColumnRef
from spanemu.sql.syntax_tree import Expression
from spanemu.storage.layout import TreeId, tree_of
from spanemu.txn.buffer import Buffer
from spanemu.values.mutation import Mutation, Write

if TYPE_CHECKING:
    from spanemu.database.transactions import listing
    from spanemu.hotspots import positions as positioning
    from spanemu.hotspots import report as reports
    from spanemu.hotspots import simulation, split_info, split_model
    from spanemu.hotspots.finding import Finding
    from spanemu.hotspots.heatmap import heatmap as heatmaps
else:
    listing = deferred("spanemu.database.transactions.listing")
    heatmaps = deferred("spanemu.hotspots.heatmap.heatmap")
    positioning = deferred("spanemu.hotspots.positions")
    reports = deferred("spanemu.hotspots.report")
    simulation = deferred("spanemu.hotspots.simulation")
    split_info = deferred("spanemu.hotspots.split_info")
    split_model = deferred("spanemu.hotspots.split_model")


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
STATEMENTS_MAX = 2_000  # different statements; later ones are not counted


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


class QueryUses:
    """The statements that began during a detector's observation, counted by plan."""

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self._counts: Counter[tuple[int, str, str]] = Counter()  # by plan, text and tag
        # By the serial number of the plan. Plans are large, and are not kept.
        self._accesses: dict[int, tuple[Access, ...]] = {}

    def take(self, requests: Iterable[RequestRecord]) -> None:
        """Count finished requests."""
        counts, began, ended = self._counts, self._detector.began, self._detector.ended
        for request in requests:
            if request.code is None and began <= request.began <= ended:
                for source, text in zip(request.sources, request.texts, strict=False):
                    if not isinstance(source, Prepared):
                        continue
                    key = source.serial, text or "", request.tag
                    if key in counts:
                        counts[key] += 1
                    elif len(counts) < STATEMENTS_MAX:
                        self._accesses[source.serial] = accesses_of(source)
                        counts[key] = 1

    def query_uses(self) -> tuple[QueryUse, ...]:
        """Return the counted statements."""
        counted = list(self._counts.items())  # an atomic copy: other threads keep counting
        return tuple(
            QueryUse(text, tag, count, self._accesses[serial])
            for (serial, text, tag), count in counted
        )


# A test suite repeats its statements, and each test has a detector of its own.
_known_accesses: WeakKeyDictionary[Prepared, tuple[Access, ...]] = WeakKeyDictionary()


def accesses_of(prepared: Prepared) -> tuple[Access, ...]:
    """Return the table accesses of a statement's plan."""
    known = _known_accesses.get(prepared)
    if known is None:
        known = _known_accesses[prepared] = tuple(accesses(prepared.executable.plan))
    return known


def accesses(plan: Plan) -> Iterator[Access]:
    """Yield every table access of a plan, in no order."""
    if not isinstance(plan, QueryPlan | DmlPlan):
        return
    nodes = [node for node in walk(plan.root) if isinstance(node, Node)]
    lookups = {
        id(join.left): join.right
        for join in nodes
        if isinstance(join, ApplyJoin) and join.back_join
    }
    behind = set(map(id, lookups.values()))
    orders = list(_orders(nodes))
    for scan in nodes:
        if isinstance(scan, Scan) and id(scan) not in behind:
            lookup = lookups.get(id(scan))
            yield _access(scan, lookup if isinstance(lookup, Scan) else None, orders)


def _access(scan: Scan, lookup: Scan | None, orders: Iterable[dict[int, bool]]) -> Access:
    stored = dict(_stored(scan))
    stored.update({} if lookup is None else _stored(lookup))
    fetched = () if lookup is None else tuple(column.name for _, column in lookup.outputs)
    order: Order = ()
    for keys in orders:
        if keys.keys() <= stored.keys():
            order = tuple((stored[id_].name, descending) for id_, descending in keys.items())
    return Access(
        table=scan.table.name,
        index=None if scan.index is None else scan.index.name,
        equal=tuple(_bound(scan)),
        fetched=fetched,
        is_reversed=scan.descending,
        sorted_by=order,
    )


def _stored(scan: Scan) -> Iterator[tuple[int, Column]]:
    return ((column.id, stored) for column, stored in scan.outputs)


def _bound(scan: Scan) -> Iterator[str]:
    """Yield the leading key columns that every seek of a scan binds to a single value."""
    if not scan.seeks:
        return
    parts = scan.table.key if scan.index is None else scan.index.full_key
    least = min(len(seek.points) for seek in scan.seeks)
    for position, part in enumerate(parts[:least]):
        if not all(isinstance(seek.points[position], Equal) for seek in scan.seeks):
            return
        yield part.column.name


def _orders(nodes: Iterable[Node]) -> Iterator[dict[int, bool]]:
    """Yield the keys of every sort by plain columns, as ids of scan columns."""
    nodes = list(nodes)
    same = {
        computed.id: value.column.id
        for node in nodes
        if isinstance(node, Project)
        for computed, value in node.computed
        if isinstance(value, ColumnRef)
    }
    for node in nodes:
        if isinstance(node, Sort | TopN):
            values = [key.value for key in node.keys]
            if all(isinstance(value, ColumnRef) for value in values):
                yield {
                    same.get(value.column.id, value.column.id): key.order.descending
                    for key, value in zip(node.keys, values, strict=True)
                    if isinstance(value, ColumnRef)
                }
