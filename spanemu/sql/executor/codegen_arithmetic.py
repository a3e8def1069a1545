"""The Python text of sums, differences, products and quotients of INT64 and FLOAT64.

A call of the function of `functions.numbers.arithmetic` would take longer than the operation
itself, so the text has the operator and the range check of that function. The function is called
for results out of range only, to raise its error, or to return the infinity or NaN of such
operands:

    a + b          t3 if MIN <= (t3 := t1 + t2) <= MAX else add(t1, t2)
    a * (1 - b)    t3 if -inf < (t3 := t1 * (k1 - t2)) < inf else multiply(t1, subtract(k1, t2))

One check is enough for a tree of +, - and * over FLOAT64 cells: where one result in it is infinite
or NaN, so is the result of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.sql.executor.codegen_protocols import ExpressionWriter
from spanemu.sql.functions.numbers import arithmetic
from spanemu.sql.resolved import ColumnRef, Expr, FunctionCall, Literal, ParameterRef
from spanemu.values.value import INT64_MAX, INT64_MIN

_INT64: Mapping[Any, str] = {
    arithmetic.add_int64: "+",
    arithmetic.subtract_int64: "-",
    arithmetic.multiply_int64: "*",
}
_FLOAT64: Mapping[Any, str] = {
    arithmetic.add_float64: "+",
    arithmetic.subtract_float64: "-",
    arithmetic.multiply_float64: "*",
}

_HEIGHT_MAX = 6  # of a tree: Python's parser limits how deep parentheses nest
_INFINITY = "1e999"

Write = Callable[[Expr], str]


def write_arithmetic(expr: FunctionCall, writer: ExpressionWriter) -> str | None:
    """Return the text of an operation; None if it has to be a call."""
    evaluate = expr.signature.evaluate
    if expr.safe or all(isinstance(argument, Literal) for argument in expr.arguments):
        return None
    if any(isinstance(argument, FunctionCall) for argument in expr.arguments) and _is_tree(expr):
        return _tree(expr, writer)
    if evaluate in _INT64:
        in_range = f"{INT64_MIN} <= ({{result}} := {{a}} {_INT64[evaluate]} {{b}}) <= {INT64_MAX}"
    elif evaluate in _FLOAT64:
        operation = f"{{a}} {_FLOAT64[evaluate]} {{b}}"
        in_range = f"-{_INFINITY} < ({{result}} := {operation}) < {_INFINITY}"
    elif evaluate is arithmetic.divide_float64:
        in_range = f"{{b}} and -{_INFINITY} < ({{result}} := {{a}} / {{b}}) < {_INFINITY}"
    else:
        return None
    missing: list[str] = []
    operands: list[str] = []
    for argument in expr.arguments:
        text = writer.value(argument)
        if not _is_known(argument):
            name = writer.temporary()
            missing.append(f"({name} := {text}) is None")
            text = name
        operands.append(text)
    a, b = operands
    result = writer.temporary()
    checked = in_range.format(result=result, a=a, b=b)
    return (
        f"(None if {' or '.join(missing)} else {result} if {checked}"
        f" else {writer.bind(evaluate)}({a}, {b}))"
    )


def _is_known(argument: Expr) -> bool:
    """Return whether an operand is a constant that is not NULL."""
    return isinstance(argument, Literal) and argument.value is not None


def _is_tree(expr: Expr, height: int = _HEIGHT_MAX) -> bool:
    """Return whether FLOAT64 operations nest down to cells and constants, at most `height` deep.

    The text of a tree has the operands twice, so an operand must not be an expression itself.
    """
    if isinstance(expr, ColumnRef | Literal | ParameterRef):
        return True
    return (
        isinstance(expr, FunctionCall)
        and height > 0
        and expr.signature.evaluate in _FLOAT64
        and not expr.safe
        and all(_is_tree(argument, height - 1) for argument in expr.arguments)
    )


def _tree(expr: FunctionCall, writer: ExpressionWriter) -> str:
    known: list[str] = []
    names: dict[int, str] = {}

    def operand(leaf: Expr) -> str:
        if _is_known(leaf):
            return writer.value(leaf)
        name = names.get(leaf.column.id) if isinstance(leaf, ColumnRef) else None
        if name is None:
            name = writer.temporary()
            known.append(f"({name} := {writer.value(leaf)}) is not None")
            if isinstance(leaf, ColumnRef):
                names[leaf.column.id] = name
        return name

    operations = _operations(expr, operand)
    result = writer.temporary()
    in_range = f"-{_INFINITY} < ({result} := {operations}) < {_INFINITY}"
    return f"({result} if {' and '.join([*known, in_range])} else {_calls(expr, writer)})"


def _operations(expr: Expr, operand: Write) -> str:
    """Return the text of a tree with Python's operators."""
    if not isinstance(expr, FunctionCall):
        return operand(expr)
    left, right = [_operations(argument, operand) for argument in expr.arguments]
    return f"({left} {_FLOAT64[expr.signature.evaluate]} {right})"


def _calls(expr: Expr, writer: ExpressionWriter) -> str:
    """Return the text of a tree with NULL tests and calls."""
    if not isinstance(expr, FunctionCall):
        return writer.value(expr)
    missing: list[str] = []
    operands: list[str] = []
    for argument in expr.arguments:
        text = _calls(argument, writer)
        if not _is_known(argument):
            name = writer.temporary()
            missing.append(f"({name} := {text}) is None")
            text = name
        operands.append(text)
    called = f"{writer.bind(expr.signature.evaluate)}({', '.join(operands)})"
    return f"(None if {' or '.join(missing)} else {called})" if missing else f"({called})"
