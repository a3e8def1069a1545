"""Whether a plan can be run share by share, each share over its own key ranges.

Spanner's rule for a query: the first operator is a distributed union and no other is. Here: rows
of one table or index, filtered and projected, or no table at all.
"""

from __future__ import annotations

from spanemu.sql.plan.nodes import Filter, Node, Project, Scan, Unit, Values
from spanemu.sql.plan.statements import DmlPlan, Plan, QueryPlan
from spanemu.sql.plan.traverse import walk

_PASSING = (Filter, Project)
_SOURCES = (Scan, Unit, Values)


def why_not_partitionable(plan: Plan) -> str:
    """The reason, or "" for a plan that can be partitioned."""
    assert isinstance(plan, QueryPlan | DmlPlan)
    scans = 0
    for node in walk(plan.root):
        if not isinstance(node, Node):
            continue
        if not isinstance(node, (*_PASSING, *_SOURCES)):
            return f"it needs more than one share's rows for its {type(node).__name__}"
        scans += isinstance(node, Scan)
    return "it reads more than one table" if scans > 1 else ""
