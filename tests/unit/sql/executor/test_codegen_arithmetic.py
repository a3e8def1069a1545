from __future__ import annotations

import itertools
from math import inf, nan
from typing import Any

import pytest

from spanemu.sql.executor.build import OPERATORS
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.run import Run
from spanemu.sql.functions.errors import EvaluationError
from spanemu.sql.functions.numbers import arithmetic
from spanemu.sql.functions.registry import Operation, Signature
from spanemu.sql.resolved import Expr, FunctionCall, Literal
from spanemu.values.types import FLOAT64, INT64, Type
from spanemu.values.value import INT64_MAX, INT64_MIN
from tests.unit.sql.world import MemoryReader, column, ref

FLOATS = (None, 0.0, -0.0, 1.5, -1e308, 1e308, 1e-320, inf, -inf, nan)
INTS = (None, 0, -1, 2, INT64_MAX, INT64_MIN, 1 << 40)
FUNCTIONS: dict[tuple[Operation, Type], Any] = {
    (Operation.ADD, INT64): arithmetic.add_int64,
    (Operation.SUBTRACT, INT64): arithmetic.subtract_int64,
    (Operation.MULTIPLY, INT64): arithmetic.multiply_int64,
    (Operation.ADD, FLOAT64): arithmetic.add_float64,
    (Operation.SUBTRACT, FLOAT64): arithmetic.subtract_float64,
    (Operation.MULTIPLY, FLOAT64): arithmetic.multiply_float64,
    (Operation.DIVIDE, FLOAT64): arithmetic.divide_float64,
}


def call(operation: Operation, *operands: Expr) -> Expr:
    kind = operands[0].type
    signature = Signature(
        operation.value, (kind, kind), kind, FUNCTIONS[operation, kind], operation=operation
    )
    return FunctionCall(kind, signature, operands)


def outcome(work: Any) -> str:
    try:
        return repr(work())
    except EvaluationError as failure:
        return f"{type(failure).__name__}: {failure}"


def expected(expr: Expr, cells: dict[int, Any]) -> Any:
    """Compute the value by function calls; operands after a NULL operand are not evaluated."""
    if not isinstance(expr, FunctionCall):
        return cells[expr.column.id] if hasattr(expr, "column") else expr.value  # type: ignore[attr-defined]
    operands = []
    for argument in expr.arguments:
        operands.append(expected(argument, cells))
        if operands[-1] is None:
            return None
    return expr.signature.evaluate(*operands)


def assert_as_by_calls(expr: Expr, columns: Any, values: Any) -> None:
    layout = {each.id: position for position, each in enumerate(columns)}
    run = Run(MemoryReader({}))
    value = Compiler(OPERATORS, ()).value(expr, layout)
    of_batch = Compiler(OPERATORS, ()).batch_values(expr, layout)
    for row in itertools.product(values, repeat=len(columns)):
        cells = dict(zip(layout, row, strict=True))
        required = outcome(lambda: expected(expr, cells))  # noqa: B023
        assert outcome(lambda: value(row, run)) == required, row  # noqa: B023
        assert outcome(lambda: of_batch([row], run)[0]) == required, row  # noqa: B023


@pytest.mark.parametrize(("operation", "kind"), FUNCTIONS)
def test_an_inlined_operation_agrees_with_its_function(operation, kind):
    a, b = column("a", kind), column("b", kind)
    expr = call(operation, ref(a), ref(b))
    assert_as_by_calls(expr, (a, b), INTS if kind == INT64 else FLOATS)


def test_a_tree_of_float_operations_agrees_with_its_calls():
    a, b, c = (column(name, FLOAT64) for name in "abc")
    net = call(Operation.MULTIPLY, ref(a), call(Operation.SUBTRACT, Literal(FLOAT64, 1.0), ref(b)))
    assert_as_by_calls(net, (a, b), FLOATS)
    assert_as_by_calls(
        call(Operation.MULTIPLY, net, call(Operation.ADD, Literal(FLOAT64, 1.0), ref(c))),
        (a, b, c),
        FLOATS,
    )
    assert_as_by_calls(
        call(Operation.SUBTRACT, call(Operation.MULTIPLY, ref(a), ref(a)), net), (a, b), FLOATS
    )


def test_an_infinite_sum_does_not_hide_in_a_quotient():
    a, b = column("a", FLOAT64), column("b", FLOAT64)
    sums = call(Operation.ADD, ref(a), ref(b))
    assert_as_by_calls(
        call(Operation.MULTIPLY, call(Operation.DIVIDE, ref(a), sums), ref(b)), (a, b), FLOATS
    )


def test_a_tree_of_integers_is_checked_at_each_operation():
    a, b = column("a"), column("b")
    back = call(Operation.SUBTRACT, call(Operation.ADD, ref(a), ref(b)), ref(b))
    assert_as_by_calls(back, (a, b), INTS)


def test_a_high_tree_does_not_reach_the_limits_of_pythons_parser():
    a = column("a", FLOAT64)
    total: Expr = ref(a)
    for _ in range(150):
        total = call(Operation.ADD, total, ref(a))
    compiled = Compiler(OPERATORS, ()).value(total, {a.id: 0})
    assert compiled((0.5,), Run(MemoryReader({}))) == 75.5
