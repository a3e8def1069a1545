"""A plan as an indented tree: what is really done, node by node.

    Project $FirstName
    └─ Scan Singers seek=[SingerId = @p] columns=SingerId, FirstName

Not here: the tree that Spanner's clients expect (`sql.plan.operator_display`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from spanemu.sql.plan import joins, nodes, paths, statements
from spanemu.sql.plan.drawing import tree_lines
from spanemu.sql.plan.expression_text import expression_text
from spanemu.sql.plan.nodes import Among, CommonTable, Equal, Node, Prefixed, Seek, Subquery, Within
from spanemu.sql.plan.statements import Plan
from spanemu.sql.plan.traverse import parts
from spanemu.sql.resolved import AggregateCall, Expr, SortKey


def plan_text(plan: Plan) -> str:
    """Return the whole plan."""
    assert isinstance(plan, (statements.QueryPlan, statements.DmlPlan))
    return "\n".join([_STATEMENTS[type(plan)](plan), *node_lines(plan.root)])


def node_lines(node: Node) -> Iterator[str]:
    """Return lines of the tree under `node`; subqueries hang under the node that evaluates them."""
    return tree_lines(node, _label, _children)


def _label(thing: Any) -> str:
    if isinstance(thing, Subquery):
        return f"[{expression_text(thing)}]"
    if isinstance(thing, CommonTable):
        return f"[table {thing.name}]"
    return f"{type(thing).__name__} {_DETAILS[type(thing)](thing)}".rstrip()


def _children(item: Any) -> Iterable[Any]:
    if isinstance(item, (Subquery, CommonTable)):
        yield item.node
        return
    if isinstance(item, nodes.With):
        yield from item.tables
        yield item.body
        return
    for part in parts(item):
        if isinstance(part, Node):
            yield part
        else:
            yield from _subqueries(part)


def _subqueries(expr: Expr) -> Iterator[Subquery]:
    if isinstance(expr, Subquery):
        yield expr
        return
    for part in parts(expr):
        if isinstance(part, Expr):
            yield from _subqueries(part)


def _names(columns: Iterable[Any]) -> str:
    return ", ".join([_name(column) for column in columns])


def _name(column: Any) -> str:
    """Return a column's name without the mark of those that the analyzer made up."""
    return str(column.name).lstrip("$") or "?"


def _computed(pairs: Iterable[tuple[Any, Expr]]) -> str:
    return ", ".join([f"{_name(column)}={expression_text(value)}" for column, value in pairs])


def _optional(name: str, value: Expr | None) -> str:
    return "" if value is None else f" {name}={expression_text(value)}"


def seek_text(seek: Seek, key: Iterable[Any]) -> str:
    """Return one seek, part by part."""
    constraints = [*seek.points, *([] if seek.last is None else [seek.last])]
    texts = [
        _CONSTRAINTS[type(constraint)](constraint, part.column.name)
        for constraint, part in zip(constraints, key, strict=False)
    ]
    return f"[{', '.join(texts)}]"


def _equal(constraint: Equal, name: str) -> str:
    sign = "is" if constraint.nulls else "="
    return f"{name} {sign} {expression_text(constraint.value)}"


def _among(constraint: Among, name: str) -> str:
    if constraint.array is not None:
        return f"{name} in {expression_text(constraint.array)}"
    return f"{name} in ({', '.join([expression_text(value) for value in constraint.values])})"


def _within(constraint: Within, name: str) -> str:
    low = "(-inf" if constraint.low is None else expression_text(constraint.low)
    high = "+inf)" if constraint.high is None else expression_text(constraint.high)
    if constraint.low is not None:
        low = ("[" if constraint.low_closed else "(") + low
    if constraint.high is not None:
        high += "]" if constraint.high_closed else ")"
    return f"{name} {low}, {high}"


def _prefixed(constraint: Prefixed, name: str) -> str:
    verb = "like" if constraint.is_pattern else "starts with"
    return f"{name} {verb} {expression_text(constraint.prefix)}"


_CONSTRAINTS: Mapping[type, Callable[[Any, str], str]] = {
    Equal: _equal,
    Among: _among,
    Within: _within,
    Prefixed: _prefixed,
}


def _scan(node: nodes.Scan) -> str:
    key = node.table.key if node.index is None else node.index.full_key
    text = node.table.name if node.index is None else f"{node.table.name} by {node.index.name}"
    if node.vector_index is not None:
        text += f" near by {node.vector_index.name}"
    if node.descending:
        text += " backwards"
    if node.seeks is not None:
        text += f" seek={' or '.join([seek_text(seek, key) for seek in node.seeks])}"
    text += _optional("filter", node.residual)
    if node.for_update:
        text += " for update"
    return f"{text} columns=({_names(stored for _, stored in node.outputs)})"


def _sort_keys(keys: Iterable[SortKey]) -> str:
    return ", ".join(
        [expression_text(key.value) + (" desc" if key.order.descending else "") for key in keys]
    )


def _aggregate(node: nodes.HashAggregate) -> str:
    calls = ", ".join(
        [f"{_name(column)}={_aggregate_call(call)}" for column, call in node.aggregates]
    )
    return f"keys=({_computed(node.keys)}) {calls}"


def _aggregate_call(call: AggregateCall) -> str:
    arguments = ", ".join([expression_text(argument) for argument in call.arguments])
    distinct = "DISTINCT " if call.distinct else ""
    return f"{call.signature.function.removeprefix('$').upper()}({distinct}{arguments})"


def _limits(node: nodes.Limit | nodes.TopN) -> str:
    return expression_text(node.limit) + _optional("offset", node.offset)


def _hash_join(node: joins.HashJoin) -> str:
    pairs = zip(node.left_keys, node.right_keys, strict=True)
    keys = " and ".join([f"{expression_text(a)} = {expression_text(b)}" for a, b in pairs])
    return f"{node.kind}: {keys}{_optional('residual', node.residual)}"


def _spool(node: joins.KeyedSpool) -> str:
    pairs = zip(node.keys, node.probes, strict=True)
    return " and ".join([f"{expression_text(a)} = {expression_text(b)}" for a, b in pairs])


def _unnest(node: joins.Unnest) -> str:
    outer = "outer " if node.outer else ""
    offset = "" if node.offset is None else " with offset"
    condition = _optional("on", node.condition)
    return f"{outer}{_name(node.element)} in {expression_text(node.array)}{offset}{condition}"


def _paths(node: paths.PathScan) -> str:
    bounds = [f"{{{each.lower},{each.upper}}}" for each in node.segments]
    return f"{node.prefix} {' '.join(bounds)} from {expression_text(node.start)}" + _optional(
        "to", node.end
    )


def _remote_call(node: nodes.RemoteCall) -> str:
    inputs = ", ".join([expression_text(argument) for argument in node.arguments])
    safe = " safe" if node.safe else ""
    text = f"{node.target.name}({inputs}) by {node.batch_rows}{safe}"
    text += _optional("parameters", node.parameters) + _optional("guard", node.guard)
    return f"{text} outputs=({_names(node.outputs)})"


_DETAILS: Mapping[type[Node], Callable[[Any], str]] = {
    nodes.Unit: lambda node: "",
    nodes.Values: lambda node: f"{len(node.rows)} rows of ({_names(node.outputs)})",
    nodes.Scan: _scan,
    nodes.SearchScan: lambda node: _scan(node) + _optional("search", node.search),
    nodes.SystemScan: lambda node: f"{node.name} columns=({_names(c for c, _ in node.outputs)})",
    nodes.Filter: lambda node: expression_text(node.condition),
    nodes.Project: lambda node: ", ".join(
        [*[_name(column) for column in node.kept], *[_computed((pair,)) for pair in node.computed]]
    ),
    nodes.Limit: _limits,
    nodes.Sort: lambda node: _sort_keys(node.keys),
    nodes.TopN: lambda node: f"{_limits(node)} by {_sort_keys(node.keys)}",
    nodes.Rank: lambda node: f"{expression_text(node.limit)} by {_sort_keys(node.keys)}",
    nodes.HashAggregate: _aggregate,
    nodes.StreamAggregate: _aggregate,
    nodes.UnionAll: lambda node: f"({_names(node.outputs)})",
    nodes.SetOperation: lambda node: f"{node.kind} ({_names(node.outputs)})",
    nodes.With: lambda node: "",
    nodes.WithRef: lambda node: f"{node.name} ({_names(node.outputs)})",
    nodes.RemoteCall: _remote_call,
    nodes.Sample: lambda node: f"{node.method} {expression_text(node.size)}",
    joins.Join: lambda node: f"{node.kind}{_optional('on', node.condition)}",
    joins.HashJoin: _hash_join,
    joins.MergeJoin: _hash_join,
    joins.ApplyJoin: lambda node: f"{node.kind}{' back-join' if node.back_join else ''}",
    joins.KeyedSpool: _spool,
    joins.Unnest: _unnest,
    paths.PathScan: _paths,
}


def _insert(plan: statements.InsertPlan) -> str:
    conflict = "" if plan.conflict is None else " on conflict"
    return f"Insert {plan.kind} {plan.table.name}({_names(plan.targets)}){conflict}"


def _update(plan: statements.UpdatePlan) -> str:
    return f"Update {plan.table.name} set ({_names(column for column, _ in plan.assignments)})"


_STATEMENTS: Mapping[type[Plan], Callable[[Any], str]] = {
    statements.QueryPlan: lambda plan: f"Query ({_names(plan.outputs)})",
    statements.InsertPlan: _insert,
    statements.UpdatePlan: _update,
    statements.DeletePlan: lambda plan: f"Delete {plan.table.name}",
}
