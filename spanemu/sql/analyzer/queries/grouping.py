"""What expressions mean once rows are grouped: keys and aggregates, and no other columns.

SELECT, HAVING and ORDER BY are first resolved against the ungrouped input. Then `Grouping`
puts the key's column in place of each expression that is a key, and refuses what is left of the
input's columns:

    SELECT UPPER(Name), COUNT(*) FROM t GROUP BY UPPER(Name)
           key 1        aggregate 1

A whole item may equal a key; inside an item only columns and fields do.
"""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.sql.analyzer.errors.grouping import (
    NeitherGroupedNorAggregated,
    NotVisibleAfterDistinct,
)
from spanemu.sql.analyzer.resolved import ColumnRef, Expr, GetField, ResolvedColumn
from spanemu.sql.analyzer.scope import Origin
from spanemu.sql.analyzer.tree import ByExpression, column_refs, rewritten

Keys = Sequence[tuple[ResolvedColumn, Expr]]


class Grouping:
    """The keys of one SELECT, and the mentions of its input's columns (`Scope.origins`)."""

    def __init__(self, keys: Keys, origins: Sequence[Origin], *, distinct: bool = False) -> None:
        self._origins = origins
        self._distinct = distinct
        self._by_column: dict[int, ResolvedColumn] = {}
        self._fields: ByExpression[ResolvedColumn] = ByExpression()
        self._whole: ByExpression[ResolvedColumn] = ByExpression()
        for column, expression in keys:
            if isinstance(expression, ColumnRef):
                self._by_column.setdefault(expression.column.id, column)
            elif _is_field_path(expression):
                self._fields.add(expression, column)
            else:
                self._whole.add(expression, column)
        self._mentions: dict[int, Origin] = {}
        self._counted = 0

    def regrouped(self, expression: Expr) -> Expr:
        """`expression` over the grouped rows."""
        column = self._whole.find(expression) if self._whole else None
        if column is not None:
            return ColumnRef(column.type, column)
        result: Expr = rewritten(expression, self._replaced)
        return result

    def _replaced(self, expression: Expr) -> Expr | None:
        if type(expression) is ColumnRef:
            column = self._by_column.get(expression.column.id)
            if column is not None:
                return ColumnRef(column.type, column)
            origin = self._origin_of(expression)
            if origin is not None:
                if self._distinct:
                    raise NotVisibleAfterDistinct(origin.shown, at=origin.at)
                raise NeitherGroupedNorAggregated(
                    f"{origin.clause} expression", origin.shown, at=origin.at
                )
        elif type(expression) is GetField and self._fields:
            column = self._fields.find(expression)
            if column is not None:
                return ColumnRef(column.type, column)
        return None

    def _origin_of(self, reference: ColumnRef) -> Origin | None:
        """The mention in the text, if it is one of a column of the input."""
        while self._counted < len(self._origins):
            origin = self._origins[self._counted]
            self._counted += 1
            for ref in column_refs(origin.expression):
                self._mentions.setdefault(id(ref), origin)
        return self._mentions.get(id(reference))


def _is_field_path(expression: Expr) -> bool:
    while isinstance(expression, GetField):
        expression = expression.operand
    return isinstance(expression, ColumnRef)
