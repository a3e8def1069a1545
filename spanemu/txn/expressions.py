"""DEFAULT, generated and CHECK expressions of a table, compiled over its stored rows.

This is the only use that transactions make of the SQL engine; it happens once per schema
generation (see `rules`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.analyzer.analyze import analyze_expression
from spanemu.sql.executor.build import compile_row_expression
from spanemu.sql.functions.registry import Context
from spanemu.values.types import Type

Row = tuple[Any, ...]


@dataclass(frozen=True, eq=False, slots=True)
class RowExpression:
    """`evaluate(row, context)`; `reads` are the positions of the columns it refers to."""

    evaluate: Callable[[Row, Context], Any]
    reads: frozenset[int]


def compile_expression(schema: Schema, table: Table, text: str, type_: Type) -> RowExpression:
    """SQL text over columns of `table`, as a function of a stored row."""
    analyzed = analyze_expression(text, table, schema, expected=type_, allow_columns=True)
    positions = {column.id: stored.position for column, stored in analyzed.columns}
    return RowExpression(
        compile_row_expression(analyzed.expression, positions), frozenset(positions.values())
    )
