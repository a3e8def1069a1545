"""The statements that ran while a detector observed, and how their plans use tables.

Each plan is inspected once (`hotspots.tree_load` has what a use of a table is).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from weakref import WeakKeyDictionary

from spanemu.database.activity import RequestRecord
from spanemu.database.statements.query_engine import Prepared
from spanemu.hotspots.detector import Detector
from spanemu.hotspots.tree_load import Access, Order, QueryUse
from spanemu.schema.table import Column
from spanemu.sql.plan.joins import ApplyJoin
from spanemu.sql.plan.nodes import Equal, Node, Project, Scan, Sort, TopN
from spanemu.sql.plan.statements import DmlPlan, Plan, QueryPlan
from spanemu.sql.plan.traverse import walk
from spanemu.sql.resolved import ColumnRef

STATEMENTS_MAX = 2_000  # different statements; later ones are not counted


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
