"""Joins for subqueries, so that they do not run once per row: semi and anti joins for EXISTS and IN
in a filter, and outer joins for correlated subqueries that are values.

    (SELECT SUM(b.y) FROM b WHERE b.x = a.x)     a LEFT JOIN (SELECT x, SUM(y) ... GROUP BY x)
    (SELECT b.y FROM b WHERE b.key = a.x)        a LEFT JOIN b, where b has one row for a key
    c OR EXISTS (SELECT 1 FROM b WHERE b.x = a.x)    a LEFT JOIN (SELECT DISTINCT x), x IS NOT NULL

The side that an outer join adds may be computed for values that no outer row has, so it must not be
able to fail where the subquery would not have been evaluated: its values are columns, and counts,
sums and similar aggregates of columns. The choice between a hash join and a seek for each outer row
is made as for any other join.

A subquery that only some rows need, because it follows a term of OR or AND or is in a branch of
CASE, is joined for those rows only: for all others the key of the join is NULL.

    c OR EXISTS (SELECT 1 FROM b WHERE b.x = a.x)    b.x = CASE WHEN NOT c IS TRUE THEN a.x END
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from spanemu.base.record import dataclass
from spanemu.schema.schema import Schema
from spanemu.sql.plan import nodes
from spanemu.sql.plan.conditions import (
    conjunction,
    conjunction_or_true,
    conjuncts,
    equal,
    equality,
    is_compound,
    is_null,
    is_plain,
    negated,
    negation,
)
from spanemu.sql.plan.joins import Join, JoinKind
from spanemu.sql.plan.nodes import Columns, Computed, Filter, Node, Project, Subquery
from spanemu.sql.plan.traverse import free, has_query, is_volatile, substitute, walk
from spanemu.sql.planner import decorrelate, properties
from spanemu.sql.planner.planning import Planning
from spanemu.sql.planner.rules.structs import fieldwise
from spanemu.sql.resolved import (
    AggregateCall,
    Case,
    ColumnRef,
    Expr,
    Literal,
    Or,
    ParameterRef,
    ResolvedColumn,
    SubqueryKind,
)
from spanemu.values.types import BOOL

_TESTS = (SubqueryKind.EXISTS, SubqueryKind.IN)


# ---------------------------------------------------------------------------- EXISTS and IN


def unnest_subqueries(node: Node, planning: Planning) -> Node:
    """Turn a filter on [NOT] EXISTS or [NOT] IN (subquery) into a semi or anti join.

    The subquery's conditions on the outer row become the join's condition where they can be
    detached. Otherwise the right side stays correlated, and the join can only be an apply join. IN
    stays where it is if no join could hash its members.
    """
    if not isinstance(node, Filter):
        return node
    left: list[Expr] = []
    below = node.input
    for condition in conjuncts(node.condition):
        inside = negated(condition)
        test = condition if inside is None else inside
        is_negated = inside is not None
        if (
            not isinstance(test, Subquery)
            or test.kind not in _TESTS
            or _is_lookup(test, below, is_negated)
        ):
            left.append(condition)
            continue
        if test.operand is not None and is_volatile(test.operand):
            below, test = _computed_first(below, test, planning)
        below = _join(below, test, is_negated)
    if below is node.input:
        return node
    remaining = conjunction(left)
    return below if remaining is None else Filter(below, remaining)


def _computed_first(left: Node, test: Subquery, planning: Planning) -> tuple[Node, Subquery]:
    """Return the rows with the operand of IN as a column, and the test of that column.

    A volatile value is computed once for each row, not for each pair that is compared.
    """
    assert test.operand is not None
    column = planning.new_column("operand", test.operand.type)
    computed = Project(left, ((column, test.operand),), left.columns)
    return computed, replace(test, operand=_ref(column))


def _is_lookup(test: Subquery, left: Node, is_negated: bool) -> bool:
    """Return whether IN is computed by looking values up, since a join would compare all pairs.

    Members that all rows share are hashed once, structs and arrays too (`comparison.membership`).
    """
    if test.operand is None or free(test.node) & left.ids:
        return False
    same = _comparison(test)
    if is_negated and not _is_never_null(test, left):
        return not _is_hashable(same, left)
    pairs = map(equality, conjuncts(same))
    return all(pair is None or is_compound(pair[0].type) for pair in pairs)


def _join(left: Node, test: Subquery, is_negated: bool) -> Node:
    right, pulled = decorrelate.detach(
        test.node, test.outputs, left.ids, test.kind is SubqueryKind.EXISTS
    )
    kind = JoinKind.ANTI if is_negated else JoinKind.SEMI
    if test.kind is SubqueryKind.EXISTS:
        return Join(kind, left, right, conjunction(pulled))
    same = _comparison(test)
    if not is_negated or _is_never_null(replace(test, node=right), left):
        return Join(kind, left, right, conjunction([*pulled, same]))
    # NOT IN: TRUE only when no comparison is TRUE or NULL.
    if not pulled and not free(right) & left.ids and _is_hashable(same, left):
        return Join(JoinKind.NULL_AWARE_ANTI, left, right, same)
    unsure = Or(BOOL, (same, is_null(same)))
    return replace(Join(kind, left, right, None), condition=conjunction([*pulled, unsure]))


def _comparison(test: Subquery) -> Expr:
    """Return the comparison of the operand of IN with a row of the subquery."""
    assert test.operand is not None
    (output,) = test.outputs
    member = ColumnRef(output.type, output)
    return fieldwise(test.operand, member) or equal(test.operand, member)


def _is_never_null(test: Subquery, left: Node) -> bool:
    """Return whether neither the operand of IN nor a row of the subquery can be NULL."""
    assert test.operand is not None
    (output,) = test.outputs
    member = ColumnRef(output.type, output)
    return properties.never_null(test.operand, left) and properties.never_null(member, test.node)


def _is_hashable(same: Expr, left: Node) -> bool:
    """Return whether all parts of a comparison are equalities of a left value and a field."""
    pairs = [equality(part) for part in conjuncts(same)]
    return all(
        pair is not None and not is_compound(pair[0].type) and free(pair[0]) & left.ids
        for pair in pairs
    )


# ---------------------------------------------------------------------------- values


@dataclass(frozen=True, eq=False)
class Replacement:
    """The `value` of a subquery, given rows joined with `right` where `condition` is TRUE."""

    right: Node
    condition: Expr
    value: Expr


def join_subqueries(node: Node, planning: Planning) -> Node:
    """Replace correlated subqueries in a Project or Filter by outer joins below it."""
    if not isinstance(node, (Project, Filter)):
        return node
    if not any(has_query(expr) for expr in _expressions(node)):
        return node
    below = node.input

    def on_expr(expr: Expr, needed: decorrelate.Conditions = ()) -> Expr:
        nonlocal below
        if not has_query(expr):
            return expr
        if isinstance(expr, Subquery):
            replacement = _replacement(expr, below.ids, planning)
            if replacement is not None:
                condition = _where(needed, replacement, node.input.ids)
                below = Join(JoinKind.LEFT, below, replacement.right, condition)
                return replacement.value
        return decorrelate.with_guards(expr, needed, on_expr)

    if isinstance(node, Filter):
        condition = on_expr(node.condition)
        return node if below is node.input else Filter(below, condition)
    computed = tuple([(column, on_expr(value)) for column, value in node.computed])
    return node if below is node.input else Project(below, computed, node.kept)


def _where(needed: decorrelate.Conditions, replacement: Replacement, outer: frozenset[int]) -> Expr:
    """Return the condition of the join, FALSE for rows for which `needed` are not TRUE."""
    guards = [guard for guard in needed if is_plain(guard) and free(guard) <= outer]
    correlations = list(conjuncts(replacement.condition))
    sides = equality(correlations[0])
    if not guards or sides is None:
        return replacement.condition
    inner, key = sides if free(sides[0]) & replacement.right.ids else sides[::-1]
    is_needed = conjunction_or_true(guards)
    guarded = Case(key.type, ((is_needed, key),), Literal(key.type, None))
    return conjunction_or_true([equal(inner, guarded), *correlations[1:]])


def _expressions(node: Project | Filter) -> Iterator[Expr]:
    if isinstance(node, Filter):
        yield node.condition
    else:
        yield from (value for _, value in node.computed)


def _replacement(
    subquery: Subquery, outer: frozenset[int], planning: Planning
) -> Replacement | None:
    tied = free(subquery.node)
    if not tied or not tied <= outer or is_volatile(subquery.node):
        return None
    if subquery.kind is SubqueryKind.EXISTS:
        return _exists(subquery, outer, planning)
    if subquery.kind is SubqueryKind.SCALAR:
        return _aggregate(subquery, outer, planning) or _single_row(subquery, outer, planning)
    return None


def _exists(subquery: Subquery, outer: frozenset[int], planning: Planning) -> Replacement | None:
    rows, correlations = decorrelate.detach(subquery.node, (), outer, is_exists=True)
    keys = _keys(rows, correlations, planning)
    if keys is None:
        return None
    grouped = nodes.HashAggregate(rows, keys, ())
    missing = is_null(_ref(keys[0][0]))
    return Replacement(grouped, _condition(keys, correlations), negation(missing))


def _aggregate(subquery: Subquery, outer: frozenset[int], planning: Planning) -> Replacement | None:
    """Replace a subquery that reduces all of its rows to one."""
    value, node = _output(subquery)
    if not isinstance(node, nodes.HashAggregate) or node.keys or free(value) & outer:
        return None
    if not all(_is_safe(call) for _, call in node.aggregates) or has_query(value):
        return None
    if any(free(argument) & outer for _, call in node.aggregates for argument in call.arguments):
        return None
    used = {item for _, call in node.aggregates for one in call.arguments for item in free(one)}
    columns = tuple([column for column in node.input.columns if column.id in used])
    rows, correlations = _detach(node.input, columns, outer)
    keys = _keys(rows, correlations, planning)
    if keys is None:
        return None
    grouped = nodes.HashAggregate(rows, keys, node.aggregates)
    empty: dict[int, Expr] = {
        column.id: Literal(call.type, call.signature.new().result())
        for column, call in node.aggregates
    }
    return Replacement(
        grouped,
        _condition(keys, correlations),
        _or_empty(value, substitute(value, empty), keys[0][0]),
    )


def _single_row(
    subquery: Subquery, outer: frozenset[int], planning: Planning
) -> Replacement | None:
    """Replace a subquery that selects a row by its whole key."""
    value, node = _output(subquery)
    if not isinstance(value, ColumnRef) or value.column.id not in node.ids:
        return None
    rows, correlations = _detach(node, (value.column,), outer)
    pairs = _pairs(rows, correlations)
    if pairs is None or not _is_key(rows, [inner for inner, _ in pairs], planning.schema):
        return None
    condition = conjunction(correlations)
    assert condition is not None
    return Replacement(rows, condition, value)


def _detach(node: Node, outputs: Columns, outer: frozenset[int]) -> tuple[Node, list[Expr]]:
    """Detach where the number of equal rows matters: a DISTINCT must stay."""
    if any(isinstance(one, nodes.HashAggregate) and free(one) & outer for one in walk(node)):
        return node, []
    return decorrelate.detach(node, outputs, outer, is_exists=False)


def _output(subquery: Subquery) -> tuple[Expr, Node]:
    """Return the value of a subquery, and the node whose columns the value refers to."""
    (column,) = subquery.outputs
    value: Expr = _ref(column)
    node = subquery.node
    while isinstance(node, Project):
        value = substitute(value, {made.id: computed for made, computed in node.computed})
        node = node.input
    return value, node


def _is_safe(call: AggregateCall) -> bool:
    return (
        call.signature.decorrelates
        and not (call.order_by or call.having or call.limit or call.safe)
        and all(isinstance(argument, (ColumnRef, Literal)) for argument in call.arguments)
    )


def _pairs(rows: Node, correlations: Sequence[Expr]) -> list[tuple[Expr, Expr]] | None:
    """Return (inner column, outer) sides if all `correlations` are equalities with `rows`."""
    pairs: list[tuple[Expr, Expr]] = []
    for correlation in correlations:
        sides = equality(correlation)
        if sides is None or is_compound(sides[0].type):
            return None
        for inner, outer in (sides, sides[::-1]):
            if (
                isinstance(inner, ColumnRef)
                and inner.column.id in rows.ids
                and not free(outer) & rows.ids
                and not has_query(outer)
            ):
                pairs.append((inner, outer))
                break
        else:
            return None
    return pairs or None


def _keys(rows: Node, correlations: Sequence[Expr], planning: Planning) -> Computed | None:
    """Return columns to group `rows` by, one for each of `correlations`."""
    pairs = _pairs(rows, correlations)
    if pairs is None:
        return None
    return tuple([(planning.new_column("key", inner.type), inner) for inner, _ in pairs])


def _condition(keys: Computed, correlations: Sequence[Expr]) -> Expr:
    """Return the condition of `correlations` in terms of the groups."""
    inner = {value.column.id: _ref(key) for key, value in keys if isinstance(value, ColumnRef)}
    condition = conjunction([substitute(correlation, inner) for correlation in correlations])
    assert condition is not None
    return condition


def _or_empty(value: Expr, empty: Expr, marker: ResolvedColumn) -> Expr:
    """Return `value`, or its value for no rows where `marker` is NULL."""
    if isinstance(value, ColumnRef) and isinstance(empty, Literal) and empty.value is None:
        return value
    return Case(value.type, ((is_null(_ref(marker)), empty),), value)


def _is_key(rows: Node, columns: Sequence[Expr], schema: Schema) -> bool:
    """Return whether `rows` has at most one row for each combination of values of `columns`."""
    node = rows
    ids = {column.column.id for column in columns if isinstance(column, ColumnRef)}
    while isinstance(node, (Filter, Project)):
        if isinstance(node, Filter):
            ids.update(_fixed(node.condition))
        node = node.input
    if not isinstance(node, nodes.Scan):
        return False
    names = {stored.name for column, stored in node.outputs if column.id in ids}
    keys = [node.table.key]
    keys += [index.key for index in schema.indexes_of(node.table) if index.unique]
    return any(all(part.column.name in names for part in key) for key in keys)


def _fixed(condition: Expr) -> Iterator[int]:
    """Yield the columns that can have only one value."""
    for sides in map(equality, conjuncts(condition)):
        for column, other in (sides, sides[::-1]) if sides else ():
            if isinstance(column, ColumnRef) and isinstance(other, (Literal, ParameterRef)):
                yield column.column.id


def _ref(column: ResolvedColumn) -> ColumnRef:
    return ColumnRef(column.type, column)
