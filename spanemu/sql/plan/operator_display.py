"""The display of each plan node: the operator's name at Spanner, its metadata, its links."""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.sql.plan import joins, nodes
from spanemu.sql.plan.conditions import conjunction, equal
from spanemu.sql.plan.drawing import Display, Drawing, Figures, PlanTree
from spanemu.sql.plan.joins import JoinKind
from spanemu.sql.plan.nodes import Node, Scan
from spanemu.sql.plan.paths import PathScan, Segment
from spanemu.sql.plan.statements import DmlPlan, Plan, QueryPlan
from spanemu.sql.remote_calls import TargetKind
from spanemu.sql.resolved import MakeStruct, PathPrefix, SetOpKind


def _unit(node: Node, drawing: Drawing) -> int:
    return drawing.relational("Unit Relation", node).index


def _values(node: nodes.Values, drawing: Drawing) -> int:
    if not node.rows:
        return drawing.relational("Empty Relation", node).index
    drawn = drawing.relational("Array Unnest" if len(node.rows) > 1 else "Unit Relation", node)
    for column, value in zip(node.outputs, node.rows[0], strict=True):
        drawing.variable(drawn, column, value)
    return drawn.index


def _scan(node: Scan, drawing: Drawing) -> int:
    if node.seeks is None and node.residual is None:
        return _bare_scan(node, drawing)
    drawn = drawing.relational("Filter Scan", node, seekable_key_size=str(_key_size(node)))
    drawing.link(drawn, _bare_scan(node, drawing))
    drawing.condition(drawn, node.residual, "Residual Condition")
    return drawn.index


def _key_size(node: Scan) -> int:
    return max((seek.key_size for seek in node.seeks or ()), default=0)


def _search_scan(node: nodes.SearchScan, drawing: Drawing) -> int:
    if node.residual is None:
        return _bare_search(node, drawing)
    drawn = drawing.relational("Filter Scan", node, seekable_key_size=str(_key_size(node)))
    drawing.link(drawn, _bare_search(node, drawing))
    drawing.condition(drawn, node.residual, "Residual Condition")
    return drawn.index


def _bare_search(node: nodes.SearchScan, drawing: Drawing) -> int:
    assert node.index is not None
    metadata = {
        "scan_type": "SearchIndexScan",
        "scan_target": node.index.name,
        "scan_method": "Row",
    }
    if node.search is None and node.seeks is None:
        metadata["Full scan"] = "true"
    if node.descending:
        metadata["scan_direction"] = "backward"
    drawn = drawing.relational("Search Index Scan", node, **metadata)
    for column, stored in node.outputs:
        drawing.stored(drawn, column, stored.name)
    drawing.condition(drawn, node.seek_condition, "Seek Condition")
    drawing.condition(drawn, node.search, "Search Predicate")
    for column, value in node.scores:
        drawing.variable(drawn, column, value)
    return drawn.index


def _bare_scan(node: Scan, drawing: Drawing) -> int:
    index = node.index or node.vector_index
    metadata = {
        "scan_type": "TableScan" if index is None else "IndexScan",
        "scan_target": node.table.name if index is None else index.name,
        "scan_method": "Row",
    }
    if node.vector_index is not None:
        metadata |= {"scan_type": "VectorIndexScan", "scan_method": "Batch"}
    elif node.seeks is None:
        metadata["Full scan"] = "true"
    if node.descending:
        metadata["scan_direction"] = "backward"
    drawn = drawing.relational("Scan", node, **metadata)
    for column, stored in node.outputs:
        drawing.stored(drawn, column, stored.name)
    drawing.condition(drawn, node.seek_condition, "Seek Condition")
    return drawn.index


def _system_scan(node: nodes.SystemScan, drawing: Drawing) -> int:
    drawn = drawing.relational(
        "Scan",
        node,
        **{"scan_type": "TableScan", "scan_target": node.name, "Full scan": "true"},
    )
    for column, _ in node.outputs:
        drawing.stored(drawn, column, column.name)
    return drawn.index


def _filter(node: nodes.Filter, drawing: Drawing) -> int:
    drawn = drawing.relational("Filter", node)
    drawing.input(drawn, node.input)
    drawing.condition(drawn, node.condition)
    return drawn.index


def _project(node: nodes.Project, drawing: Drawing) -> int:
    if not node.computed:
        return drawing.draw(node.input)
    has_struct = any(isinstance(value, MakeStruct) for _, value in node.computed)
    drawn = drawing.relational("Compute Struct" if has_struct else "Compute", node)
    drawing.input(drawn, node.input)
    for column, value in node.computed:
        drawing.variable(drawn, column, value)
    return drawn.index


def _limit(node: nodes.Limit, drawing: Drawing) -> int:
    drawn = drawing.relational("Limit", node, call_type="Global")
    drawing.input(drawn, node.input)
    drawing.condition(drawn, node.limit, "Limit")
    drawing.condition(drawn, node.offset, "Offset")
    return drawn.index


def _sort(node: nodes.Sort | nodes.TopN, drawing: Drawing) -> int:
    if isinstance(node, nodes.TopN):
        drawn = drawing.relational("Sort Limit", node, call_type="Global")
    else:
        drawn = drawing.relational("Sort", node)
    drawing.input(drawn, node.input)
    for key in node.keys:
        direction = "DESC" if key.order.descending else "ASC"
        text = f"{drawing.describe(key.value)} ({direction})"
        drawing.link(drawn, drawing.text("Reference", text), "Key")
    if isinstance(node, nodes.TopN):
        drawing.condition(drawn, node.limit, "Limit")
        drawing.condition(drawn, node.offset, "Offset")
    return drawn.index


def _rank(node: nodes.Rank, drawing: Drawing) -> int:
    drawn = drawing.relational("Sort Limit", node, call_type="Local")
    drawing.input(drawn, node.input)
    for key in (*node.partition_by, *[each.value for each in node.keys]):
        drawing.link(drawn, drawing.text("Reference", drawing.describe(key)), "Key")
    drawing.condition(drawn, node.limit, "Limit")
    return drawn.index


def _aggregate(node: nodes.HashAggregate, drawing: Drawing) -> int:
    is_stream = isinstance(node, nodes.StreamAggregate)
    metadata = {"call_type": "Global", "iterator_type": "Stream" if is_stream else "Hash"}
    if not node.keys:
        metadata["scalar_aggregate"] = "true"
    drawn = drawing.relational("Aggregate", node, **metadata)
    drawing.input(drawn, node.input)
    for column, value in node.keys:
        drawing.link(drawn, drawing.scalar(value), "Key", drawing.name_of(column))
    for column, call in node.aggregates:
        arguments = ", ".join([drawing.describe(argument) for argument in call.arguments])
        distinct = "DISTINCT " if call.distinct else ""
        name = call.signature.function.removeprefix("$").upper()
        text = drawing.text("Function", f"{name}({distinct}{arguments})")
        drawing.link(drawn, text, "Agg", drawing.name_of(column))
    return drawn.index


# By Spanner's names for a join of a left and a right side, which keeps the left side's rows.
_JOIN_TYPES: Mapping[JoinKind, str] = {
    JoinKind.INNER: "INNER",
    JoinKind.LEFT: "LEFT_OUTER",
    JoinKind.FULL: "FULL_OUTER",
    JoinKind.SEMI: "LEFT_SEMI",
    JoinKind.ANTI: "LEFT_ANTI_SEMI",
    JoinKind.NULL_AWARE_ANTI: "LEFT_ANTI_SEMI",
}
# The left side of a hash join is the probe side.
_HASH_JOIN_TYPES: Mapping[JoinKind, str] = {
    JoinKind.INNER: "INNER",
    JoinKind.LEFT: "PROBE_OUTER",
    JoinKind.FULL: "BUILD_PROBE_OUTER",
    JoinKind.SEMI: "PROBE_SEMI",
    JoinKind.ANTI: "PROBE_ANTI_SEMI",
    JoinKind.NULL_AWARE_ANTI: "PROBE_ANTI_SEMI",
}
_BROADCASTS: Mapping[JoinKind, str] = {
    JoinKind.INNER: "Push Broadcast Hash Join",
    JoinKind.LEFT: "Push Broadcast Hash Join Outer Apply",
    JoinKind.SEMI: "Push Broadcast Hash Join Semi Apply",
    JoinKind.ANTI: "Push Broadcast Hash Join Anti Semi Apply",
    JoinKind.NULL_AWARE_ANTI: "Push Broadcast Hash Join Anti Semi Apply",
}


def _join(node: joins.Join, drawing: Drawing) -> int:
    drawn = drawing.relational("Loop Join", node, join_type=_JOIN_TYPES[node.kind])
    drawing.input(drawn, node.left, "Input")
    drawing.input(drawn, node.right, "Map")
    drawing.condition(drawn, node.condition)
    return drawn.index


def _hash_join(node: joins.HashJoin, drawing: Drawing) -> int:
    name = _BROADCASTS.get(node.kind) if node.is_broadcast else None
    if name is None:
        return _local_hash_join(node, drawing)
    drawn = drawing.relational(name, node)
    batch = drawing.relational("Create Batch", node.right)
    drawing.link(drawn, batch.index, "Input")
    drawing.input(batch, node.right)
    drawing.link(drawn, _local_hash_join(node, drawing, is_batch=True), "Map")
    return drawn.index


def _local_hash_join(node: joins.HashJoin, drawing: Drawing, *, is_batch: bool = False) -> int:
    drawn = drawing.relational("Hash Join", node, join_type=_HASH_JOIN_TYPES[node.kind])
    if is_batch:
        scan = drawing.relational("Scan", node.right, scan_type="BatchScan", scan_target="Batch")
        drawing.link(drawn, scan.index, "Build")
    else:
        drawing.input(drawn, node.right, "Build")
    drawing.input(drawn, node.left, "Probe")
    pairs = zip(node.left_keys, node.right_keys, strict=True)
    drawing.condition(drawn, conjunction([equal(a, b) for a, b in pairs]))
    drawing.condition(drawn, node.residual, "Residual Condition")
    return drawn.index


def _merge_join(node: joins.MergeJoin, drawing: Drawing) -> int:
    drawn = drawing.relational("Merge Join", node, join_type=_JOIN_TYPES[node.kind])
    drawing.input(drawn, node.left, "Left")
    drawing.input(drawn, node.right, "Right")
    pairs = zip(node.left_keys, node.right_keys, strict=True)
    drawing.condition(drawn, conjunction([equal(a, b) for a, b in pairs]))
    drawing.condition(drawn, node.residual, "Residual Condition")
    return drawn.index


_APPLIES: Mapping[JoinKind, str] = {
    JoinKind.INNER: "Cross Apply",
    JoinKind.LEFT: "Outer Apply",
    JoinKind.SEMI: "Semi Apply",
    JoinKind.ANTI: "Anti-Semi Apply",
}


def _apply_join(node: joins.ApplyJoin, drawing: Drawing) -> int:
    name = _APPLIES[node.kind]
    if not _is_local(node):
        name = f"Distributed {name.replace('-', ' ')}"
    drawn = drawing.relational(name, node)
    drawing.input(drawn, node.left, "Input")
    drawing.input(drawn, node.right, "Map")
    return drawn.index


def _is_local(node: joins.ApplyJoin) -> bool:
    """Return whether both sides are stored together: a table and its interleaving parent."""
    left, right = _table_under(node.left), _table_under(node.right)
    if left is None or right is None or left.index is not None or right.index is not None:
        return left is None or right is None
    return left.table.parent == right.table.name or right.table.parent == left.table.name


def _table_under(node: Node) -> Scan | None:
    while not isinstance(node, Scan):
        below = getattr(node, "input", None)
        if below is None:
            return None
        node = below
    return node


def _keyed_spool(node: joins.KeyedSpool, drawing: Drawing) -> int:
    drawn = drawing.relational("SpoolScan", node)
    build = drawing.relational("SpoolBuild", node)
    drawing.link(drawn, build.index)
    drawing.input(build, node.input)
    pairs = zip(node.keys, node.probes, strict=True)
    drawing.condition(drawn, conjunction([equal(a, b) for a, b in pairs]))
    return drawn.index


def _unnest(node: joins.Unnest, drawing: Drawing) -> int:
    if isinstance(node.input, nodes.Unit) and not node.outer and node.condition is None:
        return _array(node, drawing)
    name = "Outer Apply" if node.outer else "Cross Apply"
    drawn = drawing.relational(name, node)
    drawing.input(drawn, node.input, "Input")
    drawing.link(drawn, _array(node, drawing), "Map")
    drawing.condition(drawn, node.condition)
    return drawn.index


def _array(node: joins.Unnest, drawing: Drawing) -> int:
    drawn = drawing.relational("Array Unnest", node)
    drawing.variable(drawn, node.element, node.array)
    return drawn.index


def _union_all(node: nodes.UnionAll, drawing: Drawing) -> int:
    drawn = drawing.relational("Union All", node)
    for below in node.inputs:
        inner = drawing.relational("Union Input", below)
        drawing.link(drawn, inner.index)
        drawing.input(inner, below)
    return drawn.index


def _set_operation(node: nodes.SetOperation, drawing: Drawing) -> int:
    is_except = node.kind in (SetOpKind.EXCEPT_ALL, SetOpKind.EXCEPT_DISTINCT)
    kind = JoinKind.ANTI if is_except else JoinKind.SEMI
    drawn = drawing.relational("Hash Join", node, join_type=_HASH_JOIN_TYPES[kind])
    for number, below in enumerate(node.inputs):
        drawing.input(drawn, below, "Build" if number else "Probe")
    return drawn.index


def _with(node: nodes.With, drawing: Drawing) -> int:
    drawn = drawing.relational("Cross Apply", node)
    for table in node.tables:
        build = drawing.relational("SpoolBuild", table.node, spool_name=table.name)
        drawing.link(drawn, build.index, "Input")
        drawing.input(build, table.node)
    drawing.input(drawn, node.body, "Map")
    return drawn.index


def _with_ref(node: nodes.WithRef, drawing: Drawing) -> int:
    drawn = drawing.relational("SpoolScan", node, spool_name=node.name)
    for column in node.outputs:
        drawing.stored(drawn, column, column.name)
    return drawn.index


def _sample(node: nodes.Sample, drawing: Drawing) -> int:
    drawn = drawing.relational("Sample", node, sampling_method=node.method)
    drawing.input(drawn, node.input)
    drawing.condition(drawn, node.size, "Size")
    return drawn.index


def _paths(node: PathScan, drawing: Drawing) -> int:
    """Draw a traversal as Spanner draws quantified patterns, with the edges at a node below."""
    prefix = "" if node.prefix is PathPrefix.ALL else f"{node.prefix.value.upper()} "
    quantifiers = " ".join(map(_quantifier, node.segments))
    drawn = drawing.relational("Recursive Union", node, path=f"{prefix}{quantifiers}")
    drawing.input(drawn, node.input, "Input")
    for segment in node.segments:
        for hop in segment.hops:
            for step in hop.steps:
                drawing.input(drawn, step.forward.node, "Recursive Input")
                if step.backward is not None:
                    drawing.input(drawn, step.backward.node, "Recursive Input")
        for check in () if segment.place is None else segment.place.checks:
            if check.lookup is not None:
                drawing.input(drawn, check.lookup.node, "Map")
        for scope in segment.scopes:
            drawing.condition(drawn, scope.condition)
    for scope in node.scopes:
        drawing.condition(drawn, scope.condition)
    return drawn.index


def _quantifier(segment: Segment) -> str:
    return f"{{{segment.lower},{'' if segment.upper is None else segment.upper}}}"


def _remote_call(node: nodes.RemoteCall, drawing: Drawing) -> int:
    target = node.target
    metadata = {"function": str(target.kind), "max_rows_per_rpc": str(node.batch_rows)}
    if target.kind is TargetKind.MODEL:
        metadata["model"] = target.name
    else:
        metadata["function"] = target.name
    if target.endpoints:
        metadata["endpoint"] = target.endpoints[0]
    drawn = drawing.relational("Remote Call", node, **metadata)
    drawing.input(drawn, node.input)
    for column, value in zip(target.inputs, node.arguments, strict=True):
        drawing.link(drawn, drawing.scalar(value), "Input", column.name)
        drawing.queries_of(drawn, value)
    drawing.condition(drawn, node.parameters, "Parameters")
    drawing.condition(drawn, node.guard)
    drawing.reference(drawn, node.outputs)
    return drawn.index


DISPLAYS: Mapping[type[Node], Display] = {
    nodes.Unit: _unit,
    nodes.Values: _values,
    nodes.Scan: _scan,
    nodes.SearchScan: _search_scan,
    nodes.SystemScan: _system_scan,
    nodes.Filter: _filter,
    nodes.Project: _project,
    nodes.Limit: _limit,
    nodes.Sort: _sort,
    nodes.TopN: _sort,
    nodes.Rank: _rank,
    nodes.HashAggregate: _aggregate,
    nodes.StreamAggregate: _aggregate,
    nodes.UnionAll: _union_all,
    nodes.SetOperation: _set_operation,
    nodes.With: _with,
    nodes.WithRef: _with_ref,
    nodes.Sample: _sample,
    nodes.RemoteCall: _remote_call,
    joins.Join: _join,
    joins.HashJoin: _hash_join,
    joins.MergeJoin: _merge_join,
    joins.ApplyJoin: _apply_join,
    joins.KeyedSpool: _keyed_spool,
    joins.Unnest: _unnest,
    PathScan: _paths,
}


__all__ = ["PlanTree", "explain"]


def explain(plan: Plan, profile: Figures | None = None) -> PlanTree:
    """Return the tree for a plan, with execution statistics if the plan was profiled."""
    drawing = Drawing(DISPLAYS, profile)
    if isinstance(plan, DmlPlan):
        drawing.dml(plan)
    else:
        assert isinstance(plan, QueryPlan)
        drawing.query(plan)
    return PlanTree(tuple(drawing.nodes))
