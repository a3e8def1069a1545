"""Each table over plan nodes covers every node."""

from __future__ import annotations

from spanemu.sql.executor.build import OPERATORS
from spanemu.sql.plan import joins, nodes, paths
from spanemu.sql.plan.operator_display import DISPLAYS
from spanemu.sql.plan.statements import DeletePlan, InsertPlan, QueryPlan, UpdatePlan
from tests.golden import plan_text

FAMILIES = {nodes.Node, nodes.Producing, nodes.Passing, joins.Pairing}
NODES = {
    kind
    for module in (nodes, joins, paths)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, nodes.Node) and kind not in FAMILIES
}


def test_every_node_has_an_operator():
    assert set(OPERATORS) == NODES


def test_every_node_has_a_display():
    assert set(DISPLAYS) == NODES


def test_every_node_has_a_text():
    assert set(plan_text._DETAILS) == NODES
    assert set(plan_text._STATEMENTS) == {QueryPlan, InsertPlan, UpdatePlan, DeletePlan}
