"""Expressions as text, in the manner of Spanner's own plans: ($SingerId = @p), UPPER($Name)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any

from spanemu.sql import resolved
from spanemu.sql.functions.registry import Operation
from spanemu.sql.plan.nodes import Subquery
from spanemu.sql.resolved import Expr, FunctionCall, ResolvedColumn, SubqueryKind
from spanemu.values.types import Type, TypeCode

_TEXT_MAX = 60  # characters of a literal, so that a plan stays readable

NameOf = Callable[[ResolvedColumn], str]


def expression_text(expr: Expr, name_of: NameOf = attrgetter("name")) -> str:
    """Return `expr` as text on one line; `name_of` names its columns."""
    return _Writer(name_of).text(expr)


def value_text(value: Any, type_: Type) -> str:
    """Return a constant as SQL would write it, cut when it is long."""
    if value is None:
        return "NULL"
    if value is True or value is False:
        return str(value).lower()
    text = repr(value) if type_.code is TypeCode.STRING else str(value)
    return text if len(text) <= _TEXT_MAX else text[:_TEXT_MAX] + "..."


class _Writer:
    def __init__(self, name_of: NameOf) -> None:
        self.name_of = name_of

    def text(self, expr: Expr) -> str:
        return _WRITERS[type(expr)](expr, self)

    def joined(self, items: Iterable[Expr], separator: str = ", ") -> str:
        return separator.join([self.text(item) for item in items])

    def column(self, column: ResolvedColumn) -> str:
        # Columns that the analyzer generates already have names such as $sum.
        return f"${self.name_of(column).lstrip('$')}"


_INFIX: Mapping[Operation | None, str] = {
    Operation.EQUAL: "=",
    Operation.NOT_EQUAL: "!=",
    Operation.LESS: "<",
    Operation.LESS_OR_EQUAL: "<=",
    Operation.GREATER: ">",
    Operation.GREATER_OR_EQUAL: ">=",
    Operation.ADD: "+",
    Operation.SUBTRACT: "-",
    Operation.MULTIPLY: "*",
    Operation.DIVIDE: "/",
    Operation.CONCATENATE: "||",
    Operation.LIKE: "LIKE",
    Operation.IS_DISTINCT: "IS DISTINCT FROM",
    Operation.IN_ARRAY: "IN UNNEST",
}
_SUFFIX: Mapping[Operation | None, str] = {
    Operation.IS_NULL: "IS NULL",
    Operation.IS_TRUE: "IS TRUE",
    Operation.IS_FALSE: "IS FALSE",
}


def _call(expr: FunctionCall, writer: _Writer) -> str:
    operation, arguments = expr.signature.operation, expr.arguments
    if operation in _INFIX and len(arguments) == 2:
        left, right = [writer.text(argument) for argument in arguments]
        return f"({left} {_INFIX[operation]} {right})"
    if operation in _SUFFIX:
        return f"({writer.text(arguments[0])} {_SUFFIX[operation]})"
    if operation is Operation.IN_LIST:
        return f"({writer.text(arguments[0])} IN ({writer.joined(arguments[1:])}))"
    safe = "SAFE." if expr.safe else ""
    name = expr.signature.function
    return f"{safe}{name.removeprefix('$').upper()}({writer.joined(arguments)})"


def _cast(expr: resolved.Cast, writer: _Writer) -> str:
    name = "SAFE_CAST" if expr.safe else "CAST"
    return f"{name}({writer.text(expr.operand)} AS {expr.type})"


def _case(expr: resolved.Case, writer: _Writer) -> str:
    whens = [
        f"WHEN {writer.text(condition)} THEN {writer.text(result)} "
        for condition, result in expr.whens
    ]
    return f"CASE {''.join(whens)}ELSE {writer.text(expr.otherwise)} END"


def _let(expr: resolved.Let, writer: _Writer) -> str:
    bindings = [
        f"{writer.column(column)} := {writer.text(value)}" for column, value in expr.bindings
    ]
    return f"WITH({', '.join([*bindings, writer.text(expr.result)])})"


def _lambda(expr: resolved.LambdaExpr, writer: _Writer) -> str:
    parameters = ", ".join([writer.column(column) for column in expr.parameters])
    return f"({parameters}) -> {writer.text(expr.body)}"


def _field(expr: resolved.GetField, writer: _Writer) -> str:
    name = expr.operand.type.fields[expr.index].name or f"f{expr.index}"
    return f"{writer.text(expr.operand)}.{name}"


_SUBQUERIES: Mapping[SubqueryKind, str] = {
    SubqueryKind.SCALAR: "scalar subquery",
    SubqueryKind.ARRAY: "array subquery",
    SubqueryKind.EXISTS: "exists subquery",
    SubqueryKind.IN: "in subquery",
}


def _subquery(expr: Subquery, writer: _Writer) -> str:
    name = _SUBQUERIES[expr.kind]
    return name if expr.operand is None else f"{writer.text(expr.operand)} {name}"


_ENDS = {"": "ELEMENT", "source": "SOURCE", "destination": "DESTINATION"}


def _element(expr: resolved.MakeElement, writer: _Writer) -> str:
    return f"ELEMENT({expr.table.name}, {writer.joined(expr.key)})"


_WRITERS: Mapping[type[Expr], Callable[[Any, _Writer], str]] = {
    resolved.Literal: lambda expr, _: value_text(expr.value, expr.type),
    resolved.ParameterRef: lambda expr, _: f"@{expr.name}",
    resolved.ColumnRef: lambda expr, writer: writer.column(expr.column),
    FunctionCall: _call,
    resolved.Cast: _cast,
    resolved.Case: _case,
    resolved.And: lambda expr, writer: f"({writer.joined(expr.operands, ' AND ')})",
    resolved.Or: lambda expr, writer: f"({writer.joined(expr.operands, ' OR ')})",
    resolved.MakeArray: lambda expr, writer: f"[{writer.joined(expr.items)}]",
    resolved.MakeStruct: lambda expr, writer: f"STRUCT({writer.joined(expr.items)})",
    resolved.GetField: _field,
    resolved.MakeElement: _element,
    resolved.GetProperty: lambda expr, writer: f"{writer.text(expr.operand)}.{expr.name}",
    resolved.GetKey: lambda expr, writer: (
        f"{_ENDS[expr.end]}_KEY({writer.text(expr.operand)}, {expr.index})"
    ),
    resolved.MakePath: lambda expr, writer: f"PATH({writer.joined(expr.items)})",
    resolved.LambdaExpr: _lambda,
    resolved.Let: _let,
    resolved.SequenceRef: lambda expr, _: f"SEQUENCE {expr.name}",
    Subquery: _subquery,
}
