"""A plan as Spanner shows it: its operators' names, metadata and links."""

from __future__ import annotations

from spanemu.sql.plan.drawing import Drawing, Figures
from spanemu.sql.plan.operator_display import DISPLAYS
from spanemu.sql.plan.plan_tree import PlanTree
from spanemu.sql.plan.statements import DmlPlan, Plan, QueryPlan

__all__ = ["PlanTree", "explain"]


def explain(plan: Plan, profile: Figures | None = None) -> PlanTree:
    """The tree for a plan, with execution statistics if it was profiled."""
    drawing = Drawing(DISPLAYS, profile)
    if isinstance(plan, DmlPlan):
        drawing.dml(plan)
    else:
        assert isinstance(plan, QueryPlan)
        drawing.query(plan)
    return PlanTree(tuple(drawing.nodes))
