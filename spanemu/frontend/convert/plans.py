"""A plan tree -> google.spanner.v1.QueryPlan.

The tree is duck-typed, since plans belong to `sql`, which this package does not see: it has
`nodes`, each with `index`, `kind` ("RELATIONAL" or "SCALAR"), `display_name`, `child_links`
(`child_index`, `type`, `variable`), `short_representation` (text, "" for none), `metadata` and
`execution_stats` (mappings of JSON-like values).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spanemu.frontend.wire import QueryPlan, Struct

_KINDS = {"RELATIONAL": 1, "SCALAR": 2}


def plan_to_proto(plan: Any) -> Any:
    """A QueryPlan message: nodes in pre-order, the root at index 0."""
    message = QueryPlan()
    for node in plan.nodes:
        _fill_node(message.plan_nodes.add(), node)
    return message


def _fill_node(message: Any, node: Any) -> None:
    message.index = node.index
    message.kind = _KINDS[str(node.kind).upper()]
    message.display_name = node.display_name
    for link in node.child_links:
        message.child_links.add(
            child_index=link.child_index, type_=link.type, variable=link.variable
        )
    if node.short_representation:
        message.short_representation.description = node.short_representation
    if node.metadata:
        message.metadata.CopyFrom(struct_to_proto(node.metadata))
    if node.execution_stats:
        message.execution_stats.CopyFrom(struct_to_proto(node.execution_stats))


def struct_to_proto(mapping: Mapping[str, Any]) -> Any:
    """A Struct message of JSON-like values."""
    message = Struct()
    message.update(mapping)
    return message
