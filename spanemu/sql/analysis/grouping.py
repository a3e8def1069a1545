"""Rewrites the expressions of a SELECT over its grouped rows, and refuses the other columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from spanemu.sql.analysis.tree import ExpressionMap, column_refs, rewrite
from spanemu.sql.errors import AnalysisError
from spanemu.sql.resolved import ColumnRef, Expr, ResolvedColumn

Keys = Sequence[tuple[ResolvedColumn, Expr]]


class Reference(Protocol):
    """A reference to a column of a SELECT's input."""

    @property
    def expression(self) -> Expr: ...


R = TypeVar("R", bound=Reference)


class Grouping(Generic[R]):
    """The keys of one SELECT, and the references to its input columns.

    A key that is a column replaces each reference to it; another key replaces an expression that
    equals it. Each dialect says which parts of an expression are compared (`part_key`), and which
    error refuses a column that is no key (`refusal`).
    """

    def __init__(self, keys: Keys, origins: Sequence[R]) -> None:
        self._origins = origins
        self._by_column: dict[int, ResolvedColumn] = {}
        self.whole: ExpressionMap[ResolvedColumn] = ExpressionMap()
        for column, expression in keys:
            if isinstance(expression, ColumnRef):
                self._by_column.setdefault(expression.column.id, column)
            else:
                self.add_key(expression, column)
        self._mentions: dict[int, R] = {}
        self._counted = 0

    def add_key(self, expression: Expr, column: ResolvedColumn) -> None:
        """Add a key that is not a column."""
        self.whole.add(expression, column)

    def part_key(self, expression: Expr) -> ResolvedColumn | None:
        """Return the column of the key that equals a part of an expression, or None."""
        return None

    def refusal(self, origin: R) -> AnalysisError:
        """Return the error about a reference to an input column that is no key."""
        raise NotImplementedError

    def regroup(self, expression: Expr) -> Expr:
        """Return `expression` with the keys replaced by the columns that hold them.

        Raise the dialect's refusal for another column of the input.
        """
        column = self.whole.find(expression) if self.whole else None
        if column is not None:
            return ColumnRef(column.type, column)
        result: Expr = rewrite(expression, self._replace)
        return result

    def _replace(self, expression: Expr) -> Expr | None:
        if type(expression) is not ColumnRef:
            column = self.part_key(expression)
        else:
            column = self._by_column.get(expression.column.id)
            origin = None if column is not None else self._origin_of(expression)
            if origin is not None:
                raise self.refusal(origin)
        return None if column is None else ColumnRef(column.type, column)

    def _origin_of(self, reference: ColumnRef) -> R | None:
        """Return the origin of a reference to an input column, or None for another reference."""
        while self._counted < len(self._origins):
            origin = self._origins[self._counted]
            self._counted += 1
            for ref in column_refs(origin.expression):
                self._mentions.setdefault(id(ref), origin)
        return self._mentions.get(id(reference))
