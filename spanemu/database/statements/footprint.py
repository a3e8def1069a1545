"""The properties of a plan that tests assert on: full scans, indexes, sorts, DML."""

from __future__ import annotations

from dataclasses import dataclass

from spanemu.sql.plan.nodes import Scan, Sort, TopN
from spanemu.sql.plan.reads import reads_of
from spanemu.sql.plan.statements import DmlPlan, Plan, QueryPlan
from spanemu.sql.plan.traverse import walk


@dataclass(frozen=True, slots=True)
class Footprint:
    """The tables of a plan; `scanned_whole` are those scanned in full, by table or index."""

    tables: frozenset[str] = frozenset()
    scanned_whole: frozenset[str] = frozenset()
    indexes: frozenset[str] = frozenset()
    sorts: bool = False
    writes: bool = False


def footprint_of(plan: Plan) -> Footprint:
    """Return the footprint of a plan.

    A scan that a LIMIT may end early counts as a full scan too, because the plan does not show
    where the scan ends.
    """
    assert isinstance(plan, QueryPlan | DmlPlan)
    reads = reads_of(plan)
    written = {plan.table.name} if isinstance(plan, DmlPlan) else set()
    nodes = list(walk(plan.root))
    return Footprint(
        tables=frozenset(reads.columns) | written,
        scanned_whole=frozenset(
            node.table.name for node in nodes if isinstance(node, Scan) and node.seeks is None
        ),
        indexes=reads.indexes,
        sorts=any(isinstance(node, Sort | TopN) for node in nodes),
        writes=isinstance(plan, DmlPlan),
    )
