"""The translation of resolved scans to plan nodes, one for one, without choosing algorithms.

RIGHT joins become LEFT joins with swapped sides, subqueries in expressions become `nodes.Subquery`,
and the output columns of a query become columns of its own even where they refer to an outer
column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from spanemu.base.deferred import deferred
from spanemu.sql import resolved
from spanemu.sql.plan import nodes
from spanemu.sql.plan.conditions import conjunction_or_true, conjuncts, is_true
from spanemu.sql.plan.joins import Join, JoinKind, Unnest
from spanemu.sql.plan.nodes import Columns, Node
from spanemu.sql.plan.traverse import free, has_query, map_parts, replace_fields
from spanemu.sql.planner import approximate, path_scan, remote_calls
from spanemu.sql.planner.planning import Planning
from spanemu.sql.resolved import ApproximateDistance, ColumnRef, Expr, ResolvedColumn, SetOpKind
from spanemu.values.types import TypeCode


class Translator:
    """A translator of one statement."""

    def __init__(self, planning: Planning) -> None:
        self.planning = planning
        self.has_common_tables = False
        self.has_subqueries = False
        self.common_tables: dict[str, Node] = {}  # the tables of WITH clauses so far
        self.has_remote_calls = False  # in what was translated so far

    def node(self, scan: resolved.Scan) -> Node:
        """Return the plan node for a scan."""
        return TRANSLATIONS[type(scan)](self, scan)

    def expr(self, expr: Expr) -> Expr:
        """Return the expression with its subqueries translated."""
        special = _SPECIAL.get(type(expr))
        if special is not None:
            return special(self, expr)
        if isinstance(expr, resolved.FunctionCall) and expr.signature.target is not None:
            self.has_remote_calls = True
        return map_parts(expr, self._no_node, self.expr)

    def optional(self, expr: Expr | None) -> Expr | None:
        """Return the translation of an expression that may be absent."""
        return None if expr is None else self.expr(expr)

    def pairs(self, computed: Iterable[tuple[Any, Expr]]) -> tuple[tuple[Any, Expr], ...]:
        """Return the pairs with their second items translated."""
        return tuple([(target, self.expr(value)) for target, value in computed])

    def query(self, scan: resolved.Scan, outputs: Columns) -> tuple[Node, Columns]:
        """Return a node that produces each output once, and its columns for the outputs."""
        node = self.node(scan)
        computed: list[tuple[ResolvedColumn, Expr]] = []
        handed_out: list[ResolvedColumn] = []
        produced, taken = node.ids, set[int]()
        for column in outputs:
            if column.id not in produced or column.id in taken:
                own = self.planning.new_column(column.name, column.type)
                computed.append((own, ColumnRef(column.type, column)))
                column = own
            taken.add(column.id)
            handed_out.append(column)
        if computed:
            node = nodes.Project(node, tuple(computed), node.columns)
        return node, tuple(handed_out)

    def sort_keys(self, keys: Iterable[resolved.SortKey]) -> tuple[resolved.SortKey, ...]:
        """Return sort keys with their subqueries translated."""
        return tuple([map_parts(key, self._no_node, self.expr) for key in keys])

    def aggregate(self, call: resolved.AggregateCall) -> resolved.AggregateCall:
        """Return an aggregate with the subqueries in its arguments translated.

        Where NULL has the effect of FALSE, a conjunct that is NULL decides, like one that is FALSE,
        and the subqueries in the other conjuncts are not evaluated.
        """
        call = map_parts(call, self._no_node, self.expr)
        if call.signature.null_is_false and has_query(call.arguments[0]):
            terms = list(conjuncts(call.arguments[0]))
            if len(terms) > 1:
                call = replace_fields(
                    call, {"arguments": (conjunction_or_true(map(is_true, terms)),)}
                )
        return call

    @staticmethod
    def _no_node(node: Node) -> Node:
        raise AssertionError(f"{type(node).__name__} inside a resolved expression")


def _subquery(translator: Translator, expr: resolved.SubqueryExpr) -> Expr:
    translator.has_subqueries = True
    node, outputs = translator.query(expr.scan, expr.output)
    operand = None if expr.operand is None else translator.expr(expr.operand)
    return nodes.Subquery(expr.type, expr.kind, node, outputs, operand)


def _refused(translator: Translator, call: ApproximateDistance) -> Expr:
    raise approximate.refused(call, translator.planning.schema)


# Expressions that the plan does not have. `_limit` replaces the approximate distances that it can.
_SPECIAL: Mapping[type[Expr], Callable[[Translator, Any], Expr]] = {
    resolved.SubqueryExpr: _subquery,
    ApproximateDistance: _refused,
}


def _single_row(_: Translator, scan: resolved.SingleRow) -> Node:
    return nodes.Unit()


def _table(translator: Translator, scan: resolved.TableScan) -> Node:
    locks = translator.planning.hint("lock_scanned_ranges") == "EXCLUSIVE"
    if scan.tokens or any(column.type.code is TypeCode.TOKENLIST for column, _ in scan.columns):
        translator.planning.reads_tokens = True
    return nodes.Scan(
        scan.table,
        scan.columns,
        for_update=scan.for_update or locks,
        hints=scan.hints,
        vector_index=scan.vector_index,
        tokens=scan.tokens,
    )


def _system_table(_: Translator, scan: resolved.SystemTableScan) -> Node:
    return nodes.SystemScan(scan.name, scan.columns)


def _values(translator: Translator, scan: resolved.ValuesScan) -> Node:
    rows = tuple([tuple([translator.expr(cell) for cell in row]) for row in scan.rows])
    return nodes.Values(scan.columns, rows)


_JOIN_KINDS = {
    resolved.JoinType.INNER: JoinKind.INNER,
    resolved.JoinType.LEFT: JoinKind.LEFT,
    resolved.JoinType.RIGHT: JoinKind.LEFT,
    resolved.JoinType.FULL: JoinKind.FULL,
}


def _join(translator: Translator, scan: resolved.JoinScan) -> Node:
    left, right = translator.node(scan.left), translator.node(scan.right)
    if scan.lateral:
        assert scan.join_type in (resolved.JoinType.INNER, resolved.JoinType.LEFT)
    else:
        assert not free(right) & left.ids
    if scan.join_type is resolved.JoinType.RIGHT:
        left, right = right, left
    kind, condition = _JOIN_KINDS[scan.join_type], translator.optional(scan.condition)
    join = Join(kind, left, right, condition, scan.hints, of_pattern=scan.of_pattern)
    if condition is not None and translator.has_remote_calls:
        return remote_calls.joined(join, condition, translator.planning)
    return join


def _array(translator: Translator, scan: resolved.ArrayScan) -> Node:
    below = nodes.Unit() if scan.input is None else translator.node(scan.input)
    condition = translator.optional(scan.condition)
    array = translator.expr(scan.array)
    return Unnest(below, array, scan.element, scan.offset, scan.outer, condition)


def _filter(translator: Translator, scan: resolved.FilterScan) -> Node:
    below, condition = translator.node(scan.input), translator.expr(scan.condition)
    if translator.has_remote_calls:
        return remote_calls.filtered(below, condition, translator.planning)
    return nodes.Filter(below, condition)


def _project(translator: Translator, scan: resolved.ProjectScan) -> Node:
    below, computed = translator.node(scan.input), translator.pairs(scan.computed)
    columns = below.columns
    if translator.has_remote_calls:
        lifting = remote_calls.Lifting(below, translator.planning)
        computed = tuple([(column, lifting.expr(value)) for column, value in computed])
        below = lifting.node
    return nodes.Project(below, computed, columns)


def _aggregate(translator: Translator, scan: resolved.AggregateScan) -> Node:
    calls = tuple([(column, translator.aggregate(call)) for column, call in scan.aggregates])
    keys, below = translator.pairs(scan.keys), translator.node(scan.input)
    if translator.has_remote_calls:
        lifting = remote_calls.Lifting(below, translator.planning)
        keys = tuple([(column, lifting.expr(value)) for column, value in keys])
        calls = tuple([(column, lifting.in_parts(call)) for column, call in calls])
        below = lifting.node
    return nodes.HashAggregate(below, keys, calls, scan.hints)


def _order(translator: Translator, scan: resolved.OrderScan) -> Node:
    below, keys = translator.node(scan.input), translator.sort_keys(scan.keys)
    if translator.has_remote_calls:
        lifting = remote_calls.Lifting(below, translator.planning)
        keys = tuple(map(lifting.in_parts, keys))
        below = lifting.node
    return nodes.Sort(below, keys)


def _rank(translator: Translator, scan: resolved.RankScan) -> Node:
    partition = tuple([translator.expr(key) for key in scan.partition_by])
    keys, limit = translator.sort_keys(scan.order_by), translator.expr(scan.limit)
    return nodes.Rank(translator.node(scan.input), partition, keys, limit, scan.output)


def _limit(translator: Translator, scan: resolved.LimitScan) -> Node:
    computed = scan.input
    if isinstance(computed, resolved.ProjectScan) and _sorts_by_approximation(computed.input):
        # SELECT AS STRUCT makes the structs above the ORDER BY.
        first = replace(scan, input=computed.input)
        return translator.node(replace(computed, input=first))
    if _sorts_by_approximation(scan.input):
        scan = approximate.exact(scan, translator)
    limit, offset = translator.expr(scan.limit), translator.optional(scan.offset)
    limited = nodes.Limit(translator.node(scan.input), limit, offset)
    return remote_calls.limited_first(limited) if translator.has_remote_calls else limited


def _sorts_by_approximation(scan: resolved.Scan) -> bool:
    """Return whether the first key of an ORDER BY is an approximate distance, or a column of it."""
    if not isinstance(scan, resolved.OrderScan):
        return False
    value = scan.keys[0].value
    if not isinstance(value, ColumnRef):
        return isinstance(value, ApproximateDistance)
    below = scan.input
    return isinstance(below, resolved.ProjectScan) and any(
        isinstance(computed, ApproximateDistance) and column.id == value.column.id
        for column, computed in below.computed
    )


def _set_operation(translator: Translator, scan: resolved.SetOpScan) -> Node:
    queries = [translator.query(below, columns) for below, columns in scan.inputs]
    inputs = tuple([node for node, _ in queries])
    sources = tuple([columns for _, columns in queries])
    if scan.kind is SetOpKind.UNION_ALL:
        return nodes.UnionAll(inputs, sources, scan.columns)
    return nodes.SetOperation(scan.kind, inputs, sources, scan.columns)


def _with(translator: Translator, scan: resolved.WithScan) -> Node:
    translator.has_common_tables = True
    tables = []
    for name, below, columns in scan.tables:
        node, outputs = translator.query(below, columns)
        tables.append(nodes.CommonTable(name, node, outputs))
        translator.common_tables[name] = node
    return nodes.With(tuple(tables), translator.node(scan.body))


def _with_ref(_: Translator, scan: resolved.WithRef) -> Node:
    return nodes.WithRef(scan.name, scan.columns)


def _remote_call(translator: Translator, scan: resolved.RemoteCallScan) -> Node:
    translator.has_remote_calls = True
    arguments = tuple([translator.expr(argument) for argument in scan.arguments])
    return nodes.RemoteCall(
        translator.node(scan.input),
        scan.target,
        arguments,
        scan.outputs,
        translator.planning.batch_rows(scan.batch_rows, scan.target),
        translator.optional(scan.parameters),
        scan.safe,
    )


def _sample(translator: Translator, scan: resolved.SampleScan) -> Node:
    below, size = translator.node(scan.input), translator.expr(scan.size)
    return nodes.Sample(below, scan.method, size, scan.weight)


TRANSLATIONS: Mapping[type[resolved.Scan], Callable[[Translator, Any], Node]] = {
    resolved.SingleRow: _single_row,
    resolved.TableScan: _table,
    resolved.SystemTableScan: _system_table,
    resolved.TableFunctionScan: _system_table,
    resolved.ValuesScan: _values,
    resolved.JoinScan: _join,
    resolved.ArrayScan: _array,
    resolved.FilterScan: _filter,
    resolved.ProjectScan: _project,
    resolved.AggregateScan: _aggregate,
    resolved.OrderScan: _order,
    resolved.LimitScan: _limit,
    resolved.RankScan: _rank,
    resolved.SetOpScan: _set_operation,
    resolved.WithScan: _with,
    resolved.WithRef: _with_ref,
    resolved.SampleScan: _sample,
    resolved.PathScan: deferred(lambda: path_scan.translate_paths),
    resolved.RemoteCallScan: _remote_call,
}
