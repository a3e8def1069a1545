"""Subqueries as values: run per row when correlated, and at most once per run when not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from spanemu.sql.analyzer.resolved import SubqueryKind
from spanemu.sql.executor.compiling import Compiling
from spanemu.sql.executor.errors import ManyRowsInScalarSubquery
from spanemu.sql.executor.relation import Layout, Value
from spanemu.sql.executor.run import Run
from spanemu.sql.functions.comparison import membership
from spanemu.sql.functions.value_size import gatherer
from spanemu.sql.plan.nodes import Subquery
from spanemu.sql.plan.traverse import free

# What a kind makes of a subquery's rows, given the place of its column.
Reduce = Callable[[Iterable[Any], int], Any]


def compile_subquery(expr: Subquery, layout: Layout, compiler: Compiling) -> Value:
    """A function of the outer row."""
    if expr.kind is SubqueryKind.EXISTS:
        compiler.take_partly(expr.node)
    relation = compiler.relation(expr.node)
    place = relation.layout[expr.outputs[0].id] if expr.outputs else 0
    reduce = _reducer(expr)
    outer = free(expr.node)
    bind = compiler.binding(outer, layout)
    rows = relation.rows

    def evaluate(row: Any, run: Run) -> Any:
        if bind is not None:
            bind(row, run)
        return reduce(rows(run), place)

    computed = evaluate if outer else _once(evaluate, compiler.memo())
    if expr.kind is not SubqueryKind.IN:
        return computed
    assert expr.operand is not None
    operand = compiler.value(expr.operand, layout)

    def is_member(row: Any, run: Run) -> Any:
        return computed(row, run)(operand(row, run))

    return is_member


def _once(evaluate: Value, memo: int) -> Value:
    def remembered(row: Any, run: Run) -> Any:
        kept = run.memo[memo]
        if kept is None:
            kept = run.memo[memo] = (evaluate(row, run),)
        return kept[0]

    return remembered


def _scalar(rows: Iterable[Any], place: int) -> Any:
    source = iter(rows)
    first = next(source, None)
    if first is None:
        return None
    if next(source, None) is not None:
        raise ManyRowsInScalarSubquery()
    return first[place]


def _array(expr: Subquery) -> Reduce:
    gathered = gatherer(expr.type)
    return lambda rows, place: gathered(row[place] for row in rows)


def _exists(rows: Iterable[Any], _: int) -> bool:
    return next(iter(rows), None) is not None


def _members(expr: Subquery) -> Reduce:
    type_ = expr.outputs[0].type

    def member_test(rows: Iterable[Any], place: int) -> Any:
        known = [row[place] for row in rows]
        test = membership(type_, known)
        # x IN (no rows) is FALSE even for a NULL x.
        return test if known else (lambda _: False)

    return member_test


def _reducer(expr: Subquery) -> Reduce:
    if expr.kind is SubqueryKind.IN:
        return _members(expr)
    if expr.kind is SubqueryKind.ARRAY:
        return _array(expr)
    return _exists if expr.kind is SubqueryKind.EXISTS else _scalar
