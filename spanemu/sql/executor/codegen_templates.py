"""The Python text of each kind of expression; `codegen` makes functions of the text.

Every template yields a parenthesized expression. A temporary is assigned before its use in the
order in which Python evaluates: from left to right, the condition of `x if c else y` first.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from spanemu.base.deferred import deferred
from spanemu.base.limits import BUILT_VALUE_BYTES_MAX
from spanemu.sql import resolved
from spanemu.sql.executor import codegen_arithmetic, codegen_graph, subquery
from spanemu.sql.executor.codegen_protocols import ExpressionWriter
from spanemu.sql.executor.run import Run
from spanemu.sql.functions import conversion
from spanemu.sql.functions.comparison import membership
from spanemu.sql.functions.conversion_rules import is_zoned
from spanemu.sql.functions.errors import EvaluationError
from spanemu.sql.functions.registry import Nulls, Operation
from spanemu.sql.functions.text.concatenation import bounded_concatenation, concat_two
from spanemu.sql.functions.value_size import (
    CHECKED_FROM,
    TEXT_BYTES,
    bounded_array,
    bounded_struct,
    is_varying,
    sizer,
    varying_texts,
)
from spanemu.sql.plan.nodes import Subquery
from spanemu.sql.resolved import Expr, FunctionCall, LambdaExpr, Literal
from spanemu.values import vector
from spanemu.values.types import FLOAT32, FLOAT64

# Function implementations that are Python operators, with the text of the operator.
INLINE: Mapping[Any, str] = {
    operator.eq: "{} == {}",
    operator.ne: "{} != {}",
    operator.lt: "{} < {}",
    operator.le: "{} <= {}",
    operator.gt: "{} > {}",
    operator.ge: "{} >= {}",
    operator.add: "{} + {}",
    operator.not_: "not {}",
}


def _literal(expr: Literal, writer: ExpressionWriter) -> str:
    if expr.value is None or expr.value is True or expr.value is False:
        return str(expr.value)
    if isinstance(expr.value, (str, bytes, tuple)):
        writer.compiler.constant_size += len(expr.value)
    return writer.bind(expr.value)


def _parameter(expr: resolved.ParameterRef, writer: ExpressionWriter) -> str:
    return f"run.parameters[{writer.compiler.parameter(expr.name)}]"


_PACKED = frozenset({FLOAT32, FLOAT64})  # elements of arrays that rows may store packed


def _column(expr: resolved.ColumnRef, writer: ExpressionWriter) -> str:
    position = writer.layout.get(expr.column.id)
    if position is None:
        text = f"run.slots[{writer.compiler.slot(expr.column.id)}]"
    else:
        text = writer.cell(position)
    if expr.type.element in _PACKED:
        return f"{writer.bind(vector.unpacked)}({text})"
    return text


def write_call(expr: FunctionCall, writer: ExpressionWriter) -> str:
    """Return the text of the value of a call."""
    special = _SPECIAL.get(expr.signature.operation)
    if special is not None:
        text = special(expr, writer)
        if text is not None:
            return text
    if _is_constant(expr):
        return _once(expr, writer)
    return _plain_call(expr, writer)


def _is_constant(expr: Expr) -> bool:
    """Return whether a call has the same value throughout a run, whatever the row.

    The planner has already computed such calls, unless their values are large or they fail.
    """
    if isinstance(expr, Literal):
        return True
    if not isinstance(expr, FunctionCall):
        return False
    signature = expr.signature
    varies = signature.volatile or signature.stable or signature.context or signature.lazy
    return not varies and all(map(_is_constant, expr.arguments))


def _once(expr: FunctionCall, writer: ExpressionWriter) -> str:
    """Write a constant that is computed when a run first needs it."""
    memo, name = writer.compiler.constant_memo(_constant_key(expr)), writer.temporary()
    made = f"{writer.bind(_remember)}(run, {memo}, {_plain_call(expr, writer)})"
    return f"({name}[0] if ({name} := run.memo[{memo}]) is not None else {made})"


def _constant_key(expr: Expr) -> tuple[Any, ...]:
    """Return a key that is equal for equal constants."""
    if isinstance(expr, Literal):
        return (expr.type, expr.value)
    assert isinstance(expr, FunctionCall)
    return (expr.signature.evaluate, expr.type, expr.safe, *map(_constant_key, expr.arguments))


def _remember(run: Run, memo: int, value: Any) -> Any:
    run.memo[memo] = (value,)
    return value


def _plain_call(expr: FunctionCall, writer: ExpressionWriter) -> str:
    signature = expr.signature
    arguments: list[str] = []
    tests: list[str] = []
    for argument in expr.arguments:
        text = _argument(argument, signature.lazy, writer)
        if signature.nulls is Nulls.STRICT and may_be_null(argument):
            name = writer.temporary()
            tests.append(f"({name} := {text}) is None")
            text = name
        arguments.append(text)
    applied = _applied(expr, arguments, writer)
    return f"(None if {' or '.join(tests)} else {applied})" if tests else f"({applied})"


def _applied(expr: FunctionCall, arguments: list[str], writer: ExpressionWriter) -> str:
    signature = expr.signature
    template = INLINE.get(signature.evaluate)
    if template is not None and not signature.context and not expr.safe:
        return template.format(*arguments)
    if signature.context:
        arguments = ["run.context", *arguments]
    evaluate = _safe(signature.evaluate) if expr.safe else signature.evaluate
    return f"{writer.bind(evaluate)}({', '.join(arguments)})"


def _argument(argument: Expr, is_lazy: bool, writer: ExpressionWriter) -> str:
    text = writer.value(argument)
    return f"lambda: {text}" if is_lazy and not isinstance(argument, LambdaExpr) else text


def may_be_null(argument: Expr) -> bool:
    """Return whether the text of an argument may evaluate to None."""
    if isinstance(argument, Literal):
        return argument.value is None
    return not isinstance(argument, (LambdaExpr, resolved.SequenceRef))


def _safe(evaluate: Callable[..., Any]) -> Callable[..., Any]:
    def attempt(*arguments: Any) -> Any:
        try:
            return evaluate(*arguments)
        except EvaluationError:
            return None

    return attempt


def _is_null(expr: FunctionCall, writer: ExpressionWriter) -> str | None:
    (operand,) = expr.arguments
    text = writer.value(operand)
    if isinstance(operand, (resolved.MakeArray, resolved.MakeStruct)):
        text = f"({writer.temporary()} := {text})"  # Python warns about `(1, 2) is None`.
    return f"({text} is None)"


def _is_true(expr: FunctionCall, writer: ExpressionWriter) -> str | None:
    return f"({writer.value(expr.arguments[0])} is True)"


def _is_false(expr: FunctionCall, writer: ExpressionWriter) -> str | None:
    return f"({writer.value(expr.arguments[0])} is False)"


def _coalesce(expr: FunctionCall, writer: ExpressionWriter) -> str | None:
    if expr.safe or len(expr.arguments) > 100:  # Python compiles the text recursively.
        return None
    *firsts, last = expr.arguments
    text = ""
    for argument in firsts:
        name = writer.temporary()
        text += f"{name} if ({name} := {writer.value(argument)}) is not None else "
    return f"({text}{writer.value(last)})"


def _member(expr: FunctionCall, writer: ExpressionWriter) -> str | None:
    """Write IN with a constant list as one lookup in a set."""
    value, *items = expr.arguments
    if not all(isinstance(item, Literal) for item in items):
        return None
    known = [item.value for item in items if isinstance(item, Literal)]
    return f"{writer.bind(membership(value.type, known))}({writer.value(value)})"


def _concatenation(expr: FunctionCall, writer: ExpressionWriter) -> str | None:
    """Join a chain of `||` at once, and check the size of the whole only."""
    if expr.safe or expr.signature.evaluate is not concat_two:
        return None
    parts: list[str] = []
    tests: list[str] = []
    for operand in _joined_operands(expr):
        text = writer.value(operand)
        if may_be_null(operand):
            name = writer.temporary()
            tests.append(f"({name} := {text}) is None")
            text = name
        parts.append(text)
    name, length = writer.temporary(), writer.bind(len)
    joined = f"{length}({name} := {' + '.join(parts)}) < {CHECKED_FROM}"
    bounded = f"{name} if {joined} else {writer.bind(bounded_concatenation)}({name})"
    return f"(None if {' or '.join(tests)} else {bounded})" if tests else f"({bounded})"


def _joined_operands(expr: FunctionCall) -> list[Expr]:
    """Return the operands of a chain of `||`; of a long chain, the operands of its end."""
    left, right = expr.arguments
    operands = [right]
    while (
        isinstance(left, FunctionCall)
        and left.signature.evaluate is concat_two
        and not left.safe
        and len(operands) < _OPERANDS_MAX
    ):
        left, right = left.arguments
        operands.append(right)
    return [left, *reversed(operands)]


_OPERANDS_MAX = 8  # of `||` that are joined before the size of the whole is checked

_SPECIAL: Mapping[Operation | None, Callable[[FunctionCall, Any], str | None]] = {
    Operation.IS_NULL: _is_null,
    Operation.IS_TRUE: _is_true,
    Operation.IS_FALSE: _is_false,
    Operation.COALESCE: _coalesce,
    Operation.IFNULL: _coalesce,
    Operation.IN_LIST: _member,
    Operation.CONCATENATE: _concatenation,
    Operation.ADD: deferred(lambda: codegen_arithmetic.write_arithmetic),
    Operation.SUBTRACT: deferred(lambda: codegen_arithmetic.write_arithmetic),
    Operation.MULTIPLY: deferred(lambda: codegen_arithmetic.write_arithmetic),
    Operation.DIVIDE: deferred(lambda: codegen_arithmetic.write_arithmetic),
}


def _cast(expr: resolved.Cast, writer: ExpressionWriter) -> str:
    source = expr.operand.type
    convert = conversion.cast_function(source, expr.type)
    name = writer.temporary()
    operand = writer.value(expr.operand)
    arguments = name
    if is_zoned(source, expr.type):
        arguments += ", run.context.time_zone"
    function = writer.bind(_safe(convert) if expr.safe else convert)
    return f"(None if ({name} := {operand}) is None else {function}({arguments}))"


def _case(expr: resolved.Case, writer: ExpressionWriter) -> str:
    whens = [
        f"{writer.value(result)} if {writer.test(condition)} else "
        for condition, result in expr.whens
    ]
    return f"({''.join(whens)}{writer.value(expr.otherwise)})"


def _junction(decisive: bool) -> Callable[[Any, ExpressionWriter], str]:
    def write(expr: resolved.And | resolved.Or, writer: ExpressionWriter) -> str:
        names = [writer.temporary() for _ in expr.operands]
        decided = " or ".join(
            [
                f"({name} := {writer.value(operand)}) is {decisive}"
                for name, operand in zip(names, expr.operands, strict=True)
            ]
        )
        unknown = " or ".join([f"{name} is None" for name in names])
        return f"({decisive} if {decided} else None if {unknown} else {not decisive})"

    return write


def _array(expr: resolved.MakeArray, writer: ExpressionWriter) -> str:
    size_max = sizer(expr.type.item())
    if not is_varying(expr.type.item()) and size_max(expr.items) <= BUILT_VALUE_BYTES_MAX:
        return _items(expr, writer)
    return f"{writer.bind(bounded_array(expr.type))}({_items(expr, writer)})"


def _struct(expr: resolved.MakeStruct, writer: ExpressionWriter) -> str:
    limited = bounded_struct(expr.type)
    written = _items(expr, writer)
    texts = varying_texts(expr.type)
    are_columns = texts is not None and all(
        isinstance(expr.items[position], resolved.ColumnRef) for position in texts
    )
    if limited is None or are_columns:  # A struct of column texts is no larger than the columns.
        return written
    check = writer.bind(limited)
    if texts is None:
        return f"{check}({written})"
    # Most texts are so short that the sum of their lengths decides.
    name, length = writer.temporary(), writer.bind(len)
    lengths = " + ".join([f"{length}({name}[{position}] or ())" for position in texts])
    small = _STRUCT_SMALL - TEXT_BYTES * len(expr.items)
    return f"({name} if ({name} := {written}) and {lengths} < {small} else {check}({name}))"


_STRUCT_SMALL = BUILT_VALUE_BYTES_MAX // 2


def _items(expr: resolved.MakeArray | resolved.MakeStruct, writer: ExpressionWriter) -> str:
    return f"({''.join([f'{writer.value(item)}, ' for item in expr.items])})"


def _field(expr: resolved.GetField, writer: ExpressionWriter) -> str:
    name = writer.temporary()
    operand = writer.value(expr.operand)
    return f"(None if ({name} := {operand}) is None else {name}[{expr.index}])"


def _lambda(expr: LambdaExpr, writer: ExpressionWriter) -> str:
    function = subquery.lambda_maker(expr, writer.layout, writer.compiler)
    return f"{writer.bind(function)}({writer.row}, run)"


def _let(expr: resolved.Let, writer: ExpressionWriter) -> str:
    function = subquery.let_function(expr, writer.layout, writer.compiler)
    return f"{writer.bind(function)}({writer.row}, run)"


def _sequence(expr: resolved.SequenceRef, writer: ExpressionWriter) -> str:
    return writer.bind(expr.name)


def _subquery(expr: Subquery, writer: ExpressionWriter) -> str:
    function = subquery.compile_subquery(expr, writer.layout, writer.compiler)
    return f"{writer.bind(function)}({writer.row}, run)"


WRITERS: Mapping[type[Expr], Callable[[Any, Any], str]] = {
    Literal: _literal,
    resolved.ParameterRef: _parameter,
    resolved.ColumnRef: _column,
    FunctionCall: write_call,
    resolved.Cast: _cast,
    resolved.Case: _case,
    resolved.And: _junction(False),
    resolved.Or: _junction(True),
    resolved.MakeArray: _array,
    resolved.MakeStruct: _struct,
    resolved.GetField: _field,
    resolved.MakeElement: deferred(lambda: codegen_graph.write_element),
    resolved.GetProperty: deferred(lambda: codegen_graph.write_property),
    resolved.GetKey: deferred(lambda: codegen_graph.write_key),
    resolved.MakePath: deferred(lambda: codegen_graph.write_path),
    LambdaExpr: _lambda,
    resolved.Let: _let,
    resolved.SequenceRef: _sequence,
    Subquery: _subquery,
}
