"""Properties of plans: never-NULL columns, plans of at most one row, implied conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from spanemu.sql.functions.registry import Operation
from spanemu.sql.plan import nodes
from spanemu.sql.plan.conditions import conjuncts, equality, rejects_null
from spanemu.sql.plan.joins import (
    ApplyJoin,
    HashJoin,
    Join,
    JoinKind,
    KeyedSpool,
    MergeJoin,
    Unnest,
)
from spanemu.sql.plan.nodes import Equal, Node, Scan
from spanemu.sql.plan.paths import PathScan
from spanemu.sql.plan.traverse import free, has_query, substitute
from spanemu.sql.resolved import ColumnRef, Expr, FunctionCall, Literal


def never_null(expr: Expr, node: Node) -> bool:
    """Return whether `expr` over the rows of `node` certainly has a value."""
    if isinstance(expr, Literal):
        return expr.value is not None
    return isinstance(expr, ColumnRef) and expr.column.id in not_null_columns(node)


def not_null_columns(node: Node) -> frozenset[int]:
    """Return the ids of the columns of `node` that are never NULL."""
    return _NOT_NULL_RULES[type(node)](node)


def _none(node: Node) -> frozenset[int]:
    return frozenset()


def _scan(node: nodes.Scan) -> frozenset[int]:
    return frozenset(column.id for column, stored in node.outputs if stored.not_null)


def _filter(node: nodes.Filter) -> frozenset[int]:
    below = not_null_columns(node.input)
    conditions = list(conjuncts(node.condition))
    return below | frozenset(
        column
        for column in node.ids - below
        if any(rejects_null(condition, frozenset((column,))) for condition in conditions)
    )


def _project(node: nodes.Project) -> frozenset[int]:
    below = not_null_columns(node.input)
    computed = frozenset(
        column.id for column, value in node.computed if never_null(value, node.input)
    )
    return computed | (below & {column.id for column in node.kept})


def _input(node: Any) -> frozenset[int]:
    return not_null_columns(node.input)


def _join(node: Join | HashJoin | ApplyJoin) -> frozenset[int]:
    if node.kind is JoinKind.INNER:
        return not_null_columns(node.left) | not_null_columns(node.right)
    return frozenset() if node.kind is JoinKind.FULL else not_null_columns(node.left)


def _aggregate(node: nodes.HashAggregate) -> frozenset[int]:
    return frozenset(column.id for column, value in node.keys if never_null(value, node.input))


_NOT_NULL_RULES: Mapping[type[Node], Callable[[Any], frozenset[int]]] = {
    **dict.fromkeys((nodes.Unit, nodes.Values, nodes.SystemScan, nodes.Sample), _none),
    **dict.fromkeys((nodes.UnionAll, nodes.SetOperation, nodes.With, nodes.WithRef), _none),
    **dict.fromkeys((nodes.Scan, nodes.SearchScan), _scan),
    nodes.Filter: _filter,
    nodes.Project: _project,
    nodes.Limit: _input,
    nodes.RemoteCall: _input,
    nodes.Sort: _input,
    nodes.TopN: _input,
    nodes.Rank: _input,
    nodes.HashAggregate: _aggregate,
    nodes.StreamAggregate: _aggregate,
    Unnest: _input,
    PathScan: _input,
    KeyedSpool: _input,
    Join: _join,
    HashJoin: _join,
    MergeJoin: _join,
    ApplyJoin: _join,
}


# Conditions worth deriving for an equal column: those that can bound a key.
_TELLING = frozenset(
    {
        Operation.EQUAL,
        Operation.LESS,
        Operation.LESS_OR_EQUAL,
        Operation.GREATER,
        Operation.GREATER_OR_EQUAL,
    }
    | {Operation.BETWEEN, Operation.IN_LIST, Operation.IN_ARRAY, Operation.STARTS_WITH}
)


def implied(conditions: Sequence[Expr]) -> Iterator[Expr]:
    """Yield conditions that follow from `conditions` because columns are equal.

    Only conditions on one column and on values that use no column are carried over. Floats are left
    out: 0.0 and -0.0 are equal and not the same. So are subqueries, each of which would run twice:
    nested ones would make the plan grow exponentially.
    """
    classes = _classes(conditions)
    if not classes:
        return
    said = {fact(condition) for condition in conditions}
    for condition in conditions:
        column = _subject(condition)
        if column is None or column not in classes:
            continue
        for other_id, other in classes[column].items():
            if other_id == column:
                continue
            derived = substitute(condition, {column: other})
            if fact(derived) not in said:
                said.add(fact(derived))
                yield derived


def _subject(condition: Expr) -> int | None:
    if not isinstance(condition, FunctionCall) or condition.signature.operation not in _TELLING:
        return None
    used = [one for one in condition.arguments if isinstance(one, ColumnRef)]
    if len(used) != 1 or free(condition) != {used[0].column.id} or has_query(condition):
        return None
    return used[0].column.id


def fact(condition: Expr) -> object:
    """Return a key that is equal for conditions that state the same in the same form."""
    if not isinstance(condition, FunctionCall):
        return id(condition)
    items: list[object] = [condition.signature.function]
    for argument in condition.arguments:
        if isinstance(argument, ColumnRef):
            items.append(("column", argument.column.id))
        elif isinstance(argument, Literal):
            items.append(("literal", argument.type, repr(argument.value)))
        else:
            items.append(getattr(argument, "name", id(argument)))
    return tuple(items)


def _classes(conditions: Sequence[Expr]) -> dict[int, dict[int, ColumnRef]]:
    """Return the columns that each column is equal to, including itself."""
    classes: dict[int, dict[int, ColumnRef]] = {}
    for condition in conditions:
        sides = equality(condition)
        if sides is None:
            continue
        left, right = sides
        if not (isinstance(left, ColumnRef) and isinstance(right, ColumnRef)):
            continue
        if left.type.is_float:
            continue
        merged = {
            **classes.get(left.column.id, {left.column.id: left}),
            **classes.get(right.column.id, {right.column.id: right}),
        }
        for column in merged:
            classes[column] = merged
    return classes


def is_single_row(node: Node) -> bool:
    """Return whether `node` certainly returns no more than one row."""
    return _SINGLE_ROW_RULES[type(node)](node)


def _never(node: Node) -> bool:
    return False


def _scan_is_single(node: Scan) -> bool:
    if node.seeks is None or len(node.seeks) != 1:
        return False
    points = node.seeks[0].points
    if not all(isinstance(point, Equal) for point in points):
        return False
    if node.index is None:
        return len(points) == len(node.table.key)
    # NULLs may repeat in a unique index.
    is_strict = not any(isinstance(point, Equal) and point.nulls for point in points)
    unique = node.index.unique and is_strict
    size = len(node.index.declared_key if unique else node.index.full_key)
    return len(points) >= size


def _values_are_single(node: nodes.Values) -> bool:
    return len(node.rows) <= 1


def _limit_is_single(node: nodes.Limit | nodes.TopN) -> bool:
    is_one = isinstance(node.limit, Literal) and node.limit.value == 1
    return is_one or is_single_row(node.input)


def _aggregate_is_single(node: nodes.HashAggregate) -> bool:
    return not node.keys or is_single_row(node.input)


def _input_is_single(node: Any) -> bool:
    return is_single_row(node.input)


def _join_is_single(node: Join | HashJoin | ApplyJoin) -> bool:
    if not node.kind.keeps_right:
        return is_single_row(node.left)
    return node.kind is not JoinKind.FULL and is_single_row(node.left) and is_single_row(node.right)


_SINGLE_ROW_RULES: Mapping[type[Node], Callable[[Any], bool]] = {
    **dict.fromkeys((nodes.SystemScan, nodes.UnionAll, nodes.SetOperation), _never),
    **dict.fromkeys(
        (nodes.With, nodes.WithRef, nodes.Sample, KeyedSpool, Unnest, PathScan), _never
    ),
    nodes.Unit: lambda node: True,
    nodes.Values: _values_are_single,
    **dict.fromkeys((Scan, nodes.SearchScan), _scan_is_single),
    nodes.Filter: _input_is_single,
    nodes.Project: _input_is_single,
    nodes.RemoteCall: _input_is_single,
    nodes.Sort: _input_is_single,
    nodes.Rank: _input_is_single,
    nodes.Limit: _limit_is_single,
    nodes.TopN: _limit_is_single,
    nodes.HashAggregate: _aggregate_is_single,
    nodes.StreamAggregate: _aggregate_is_single,
    Join: _join_is_single,
    HashJoin: _join_is_single,
    MergeJoin: _join_is_single,
    ApplyJoin: _join_is_single,
}
