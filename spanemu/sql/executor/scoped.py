"""Expressions that bring names of their own: lambdas and WITH(...). Their names live in slots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spanemu.sql.analyzer.resolved import LambdaExpr, Let
from spanemu.sql.executor.compiling import Compiling
from spanemu.sql.executor.relation import Layout, Value
from spanemu.sql.executor.run import Run


def lambda_maker(expr: LambdaExpr, layout: Layout, compiler: Compiling) -> Value:
    """A function of a row that gives a Python callable over the lambda's parameters."""
    slots = [compiler.filled_slot(parameter.id) for parameter in expr.parameters]
    body = compiler.value(expr.body, layout)

    def make(row: Any, run: Run) -> Callable[..., Any]:
        def call(*values: Any) -> Any:
            for slot, value in zip(slots, values, strict=True):
                run.slots[slot] = value
            return body(row, run)

        return call

    return make


def let_function(expr: Let, layout: Layout, compiler: Compiling) -> Value:
    """A function of a row that computes the bindings in order, then the result."""
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
