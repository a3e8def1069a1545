"""Whether a query gives the same rows in the same order when it is run again on the same data.

It does unless it asks for something that is not data: the time, randomness, a sequence, a sample,
or a system table, whose rows are made when they are asked for.
"""

from __future__ import annotations

from spanemu.sql.analyzer.resolved import FunctionCall
from spanemu.sql.plan.nodes import Sample, SystemScan
from spanemu.sql.plan.statements import CallPlan, Plan, QueryPlan
from spanemu.sql.plan.traverse import walk


def is_repeatable(plan: Plan) -> bool:
    """Whether the rows of `plan` depend on stored rows and parameters alone."""
    if not isinstance(plan, QueryPlan) or isinstance(plan, CallPlan):
        return False
    for thing in walk(plan.root):
        if isinstance(thing, Sample | SystemScan):
            return False
        if isinstance(thing, FunctionCall) and (thing.signature.volatile or thing.signature.stable):
            return False
    return True
