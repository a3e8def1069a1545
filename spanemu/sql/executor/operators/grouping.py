"""Values as keys of hash tables, where equal means equal in GROUP BY, or equal by `=`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from spanemu.sql.analyzer.resolved import Expr, FunctionCall
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.relation import Each, Layout, Value
from spanemu.sql.functions.registry import Nulls, Signature
from spanemu.values.order import group_key
from spanemu.values.types import Type


def grouping_value(exprs: Sequence[Expr], layout: Layout, compiler: Compiler) -> Value:
    """A function of a row: equal results for rows of one group. One key stands for itself."""
    keys = [_grouped(expr) for expr in exprs]
    return compiler.value(keys[0], layout) if len(keys) == 1 else compiler.cells(keys, layout)


def grouping_values(exprs: Sequence[Expr], layout: Layout, compiler: Compiler) -> Each:
    """The same of many rows at once."""
    keys = [_grouped(expr) for expr in exprs]
    if len(keys) == 1:
        return compiler.each_value(keys[0], layout)
    return compiler.each_cells(keys, layout)


def _grouped(expr: Expr) -> Expr:
    convert = group_key(expr.type)
    return expr if convert is None else _converted(expr, convert)


def _converted(expr: Expr, convert: Callable[[Any], Any]) -> Expr:
    signature = Signature("$key", (expr.type,), expr.type, convert, Nulls.STRICT)
    return FunctionCall(expr.type, signature, (expr,))


def equality_value(exprs: Sequence[Expr], layout: Layout, compiler: Compiler) -> Value:
    """A function of a row: equal results where all of `exprs` are equal; None if none can be."""
    keys = [_converted(expr, _not_nan) if expr.type.is_float else expr for expr in exprs]
    if len(keys) == 1:
        return compiler.value(keys[0], layout)
    cells = compiler.cells(keys, layout)

    def all_or_none(row: Any, run: Any) -> Any:
        found = cells(row, run)
        return None if None in found else found

    return all_or_none


def equality_values(exprs: Sequence[Expr], layout: Layout, compiler: Compiler) -> Each:
    """The same of many rows at once."""
    keys = [_converted(expr, _not_nan) if expr.type.is_float else expr for expr in exprs]
    if len(keys) == 1:
        return compiler.each_value(keys[0], layout)
    cells = compiler.each_cells(keys, layout)

    def all_or_none(rows: Any, run: Any) -> list[Any]:
        return [None if None in found else found for found in cells(rows, run)]

    return all_or_none


def _not_nan(value: Any) -> Any:
    """NaN equals nothing, and so does NULL."""
    return value if value == value else None


def row_key(types: Sequence[Type]) -> Callable[[Sequence[Any]], Any]:
    """A function of a row of these types: equal results for rows that are not distinct."""
    converters = [group_key(type_) for type_ in types]
    if all(convert is None for convert in converters):
        return tuple

    def key(row: Sequence[Any]) -> Any:
        return tuple(
            [
                cell if cell is None or convert is None else convert(cell)
                for cell, convert in zip(row, converters, strict=True)
            ]
        )

    return key
