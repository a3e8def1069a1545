"""The Python text of conditions of which only matters whether they are TRUE.

`Writer.assumes_known` writes the text for rows in which no cell is NULL, as most are: it has no
tests for NULL where Python refuses to compare None, so a caller learns of a NULL by a TypeError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.sql import resolved
from spanemu.sql.executor.codegen_protocols import ExpressionWriter
from spanemu.sql.executor.codegen_templates import INLINE, may_be_null, write_call
from spanemu.sql.functions.comparison import between
from spanemu.sql.functions.operations import COMPARISONS, Operation
from spanemu.sql.resolved import Expr, FunctionCall, Literal
from spanemu.values.types import TypeCode

_ORDERINGS = COMPARISONS - {Operation.EQUAL, Operation.NOT_EQUAL}
# Types whose values are objects of Python's own types, which cannot be ordered beside None.
_PLAIN = frozenset(
    {TypeCode.INT64, TypeCode.FLOAT32, TypeCode.FLOAT64, TypeCode.NUMERIC}
    | {TypeCode.STRING, TypeCode.BYTES, TypeCode.DATE, TypeCode.TIMESTAMP}
)


def _all_true(expr: resolved.And, writer: ExpressionWriter) -> str:
    return f"({' and '.join([writer.test(operand) for operand in expr.operands])})"


def _any_true(expr: resolved.Or, writer: ExpressionWriter) -> str:
    return f"({' or '.join([writer.test(operand) for operand in expr.operands])})"


def _call_test(expr: FunctionCall, writer: ExpressionWriter) -> str:
    signature = expr.signature
    if signature.operation is Operation.NOT:
        return f"({writer.value(expr.arguments[0])} is False)"
    if signature.evaluate is between and not expr.safe:
        return _between(expr, writer)
    if expr.safe or signature.evaluate not in INLINE or signature.operation not in COMPARISONS:
        return write_call(expr, writer)
    if signature.operation is Operation.EQUAL and any(map(_is_value, expr.arguments)):
        # A non-NULL value never equals None, so the comparison needs no NULL test.
        left, right = [writer.value(argument) for argument in expr.arguments]
        return f"({left} == {right})"
    if signature.operation in _ORDERINGS and _assumes_known(expr, writer):
        sides = [writer.value(argument) for argument in expr.arguments]
        return f"({INLINE[signature.evaluate].format(*sides)})"
    tests: list[str] = []
    sides = []
    for argument in expr.arguments:
        text = writer.value(argument)
        if may_be_null(argument) and not (tests and signature.operation is Operation.EQUAL):
            name = writer.temporary()
            tests.append(f"({name} := {text}) is not None and ")
            text = name
        sides.append(text)
    return f"({''.join(tests)}{INLINE[signature.evaluate].format(*sides)})"


def _assumes_known(expr: FunctionCall, writer: ExpressionWriter) -> bool:
    return writer.assumes_known and expr.arguments[0].type.code in _PLAIN


def _between(expr: FunctionCall, writer: ExpressionWriter) -> str:
    value, low, high = expr.arguments
    # Python evaluates `low` first, which only matters for calls.
    is_plain = all(isinstance(argument, _CELLS) for argument in expr.arguments)
    if is_plain and _assumes_known(expr, writer):
        return f"({writer.value(low)} <= {writer.value(value)} <= {writer.value(high)})"
    if not (_is_value(low) and _is_value(high)):
        return write_call(expr, writer)
    name = writer.temporary()
    known = f"({name} := {writer.value(value)}) is not None"
    return f"({known} and {writer.value(low)} <= {name} <= {writer.value(high)})"


_CELLS = (resolved.ColumnRef, resolved.ParameterRef, Literal)


def _is_value(argument: Expr) -> bool:
    return isinstance(argument, Literal) and argument.value is not None


TEST_WRITERS: Mapping[type[Expr], Callable[[Any, Any], str]] = {
    FunctionCall: _call_test,
    resolved.And: _all_true,
    resolved.Or: _any_true,
}
