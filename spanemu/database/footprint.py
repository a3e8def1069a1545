"""What a plan does that people watch for: which tables it scans whole, which indexes it uses,
whether it sorts.
"""

from __future__ import annotations

from dataclasses import dataclass

from spanemu.sql.plan.nodes import Scan, Sort, TopN
from spanemu.sql.plan.statements import DmlPlan, Plan, QueryPlan
from spanemu.sql.plan.traverse import walk


@dataclass(frozen=True, slots=True)
class Footprint:
    """`tables` are read or written; of them `scanned_whole` from end to end, by table or index."""

    tables: frozenset[str] = frozenset()
    scanned_whole: frozenset[str] = frozenset()
    indexes: frozenset[str] = frozenset()
    sorts: bool = False


def footprint_of(plan: Plan) -> Footprint:
    """The footprint of a plan. A scan that visits no more rows than are asked for counts as whole
    too, for nobody can tell how far it goes.
    """
    tables: set[str] = set()
    whole: set[str] = set()
    indexes: set[str] = set()
    sorts = False
    written = getattr(plan, "table", None)
    if written is not None:
        tables.add(written.name)
    assert isinstance(plan, QueryPlan | DmlPlan)
    for node in walk(plan.root):
        if isinstance(node, Scan):
            tables.add(node.table.name)
            if node.index is not None:
                indexes.add(node.index.name)
            if node.seeks is None:
                whole.add(node.table.name)
        sorts = sorts or isinstance(node, Sort | TopN)
    return Footprint(frozenset(tables), frozenset(whole), frozenset(indexes), sorts)
