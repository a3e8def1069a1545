"""Subqueries as values, lambdas, and WITH expressions.

A correlated subquery runs for each row, an uncorrelated subquery at most once per run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from spanemu.base.deadline_checks import STEP_ITEMS_MAX, in_steps
from spanemu.sql.executor.codegen_protocols import ExpressionCompiler
from spanemu.sql.executor.memory import ENTRY_BYTES
from spanemu.sql.executor.relation import Layout, Value
from spanemu.sql.executor.run import Run
from spanemu.sql.functions.comparison import membership
from spanemu.sql.functions.errors import ManyRowsInScalarSubquery
from spanemu.sql.functions.value_size import array_builder
from spanemu.sql.plan.nodes import Subquery
from spanemu.sql.plan.traverse import free
from spanemu.sql.resolved import LambdaExpr, Let, SubqueryKind

_ELEMENTS_FIRST = 64  # elements of an array that are read before their size is checked

# Reduces a subquery's rows to its value, given the position of its column.
Reduce = Callable[[Iterable[Any], int, Run], Any]


def compile_subquery(expr: Subquery, layout: Layout, compiler: ExpressionCompiler) -> Value:
    """Return the function of the outer row that a subquery is compiled to, once for each layout."""
    key = id(expr), id(layout)
    known = compiler.subqueries.get(key)
    if known is None:
        known = compiler.subqueries[key] = expr, layout, _compiled(expr, layout, compiler)
    return known[2]


def _compiled(expr: Subquery, layout: Layout, compiler: ExpressionCompiler) -> Value:
    if expr.kind is SubqueryKind.EXISTS:
        compiler.mark_partial_read(expr.node)
    holdings_before = compiler.holding_count
    relation = compiler.relation(expr.node)
    position = relation.layout[expr.outputs[0].id] if expr.outputs else 0
    reduce = _reducer(expr, compiler)
    outer = free(expr.node)
    bind = compiler.binding(outer, layout)
    rows = relation.rows

    def evaluate(row: Any, run: Run) -> Any:
        if bind is not None:
            bind(row, run)
        return reduce(rows(run), position, run)

    if not outer:
        computed = _once(evaluate, compiler.memo())
    elif compiler.holding_count > holdings_before:
        computed = _releasing(evaluate)
    else:
        computed = evaluate
    if expr.kind is not SubqueryKind.IN:
        return computed
    assert expr.operand is not None
    operand = compiler.value(expr.operand, layout)

    def is_member(row: Any, run: Run) -> Any:
        return computed(row, run)(operand(row, run))

    return is_member


def _releasing(evaluate: Value) -> Value:
    """Return an evaluation after which the rows that it held are no longer accounted for."""

    def released(row: Any, run: Run) -> Any:
        held = run.held
        result = evaluate(row, run)
        run.held = held
        return result

    return released


def _once(evaluate: Value, memo: int) -> Value:
    def remembered(row: Any, run: Run) -> Any:
        memoized = run.memo[memo]
        if memoized is None:
            memoized = run.memo[memo] = (evaluate(row, run),)
        return memoized[0]

    return remembered


def _scalar(rows: Iterable[Any], position: int, _: Run) -> Any:
    source = iter(rows)
    first = next(source, None)
    if first is None:
        return None
    if next(source, None) is not None:
        raise ManyRowsInScalarSubquery()
    return first[position]


def _array(expr: Subquery) -> Reduce:
    gathered = array_builder(expr.type)
    return lambda rows, position, run: gathered(
        [row[position] for row in batch]
        for batch in in_steps(rows, _ELEMENTS_FIRST, STEP_ITEMS_MAX)
    )


def _exists(rows: Iterable[Any], _: int, __: Run) -> bool:
    return next(iter(rows), None) is not None


def _members(expr: Subquery, compiler: ExpressionCompiler) -> Reduce:
    type_ = expr.outputs[0].type
    holding = compiler.holding("IN Subquery", ENTRY_BYTES)

    def member_test(rows: Iterable[Any], position: int, run: Run) -> Any:
        known = holding.gather((row[position] for row in rows), run)
        test = membership(type_, known)
        # x IN (no rows) is FALSE even for a NULL x.
        return test if known else (lambda _: False)

    return member_test


def _reducer(expr: Subquery, compiler: ExpressionCompiler) -> Reduce:
    if expr.kind is SubqueryKind.IN:
        return _members(expr, compiler)
    if expr.kind is SubqueryKind.ARRAY:
        return _array(expr)
    return _exists if expr.kind is SubqueryKind.EXISTS else _scalar


def lambda_maker(expr: LambdaExpr, layout: Layout, compiler: ExpressionCompiler) -> Value:
    """Compile a lambda to a function of a row that returns a callable of its parameters."""
    slots = [compiler.filled_slot(parameter.id) for parameter in expr.parameters]
    body = compiler.value(expr.body, layout)

    def make(row: Any, run: Run) -> Callable[..., Any]:
        def call(*values: Any) -> Any:
            for slot, value in zip(slots, values, strict=True):
                run.slots[slot] = value
            return body(row, run)

        return call

    return make


def let_function(expr: Let, layout: Layout, compiler: ExpressionCompiler) -> Value:
    """Compile WITH(...) to a function of a row that computes the bindings, then the result."""
    bindings = [
        (compiler.filled_slot(column.id), compiler.value(value, layout))
        for column, value in expr.bindings
    ]
    result = compiler.value(expr.result, layout)

    def let(row: Any, run: Run) -> Any:
        for slot, value in bindings:
            run.slots[slot] = value(row, run)
        return result(row, run)

    return let
