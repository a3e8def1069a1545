"""Relations whose rows are values, and the relation of a resolved query."""

from __future__ import annotations

from spanemu.schema.dialect import Fold
from spanemu.sql.analysis.derived_relation import ArrayElements, DerivedRelation
from spanemu.sql.analysis.relation import Relation, Star
from spanemu.sql.googlesql.analyzer.analysis import Analysis, QueryResult
from spanemu.sql.googlesql.analyzer.expressions.members import Members, members_of
from spanemu.sql.resolved import ColumnRef, Expr, ResolvedColumn, Scan


class ValueRelation(Relation):
    """A relation whose rows are values: UNNEST, or SELECT AS STRUCT.

    The fields of the values, if any, are its columns (`members`). `elements` is set for an array,
    which a join can combine with the rows of its left side in an `ArrayScan`.
    """

    is_value = True

    def __init__(
        self,
        alias: str,
        element: ResolvedColumn,
        built: Scan | ArrayElements,
        fold: Fold,
        members: Members | None = None,
    ) -> None:
        super().__init__(alias, fold)
        self.element = element
        self._members = members
        self.elements = built if isinstance(built, ArrayElements) else None
        self.offset = None if self.elements is None else self.elements.offset
        self._built = built.scan() if isinstance(built, ArrayElements) else built

    @property
    def rows_are_values(self) -> bool:
        return self.offset is None

    def is_implicit(self, name: str) -> bool:
        is_offset = self.offset is not None and self.fold(self.offset.name) == self.fold(name)
        return self._members is not None and not is_offset

    def column(self, name: str, at: int) -> Expr | None:
        key = self.fold(name)
        if self.offset is not None and self.fold(self.offset.name) == key:
            return ColumnRef(self.offset.type, self.offset)
        if self._members is None:
            return self.row_value() if key == self.fold(self.alias) and key else None
        return self._members.field(self.row_value(), name, at)

    def star(self) -> Star:
        row_value = self.row_value()
        items = (
            [(self.alias, row_value)]
            if self._members is None
            else [*self._members.fields(row_value)]
        )
        if self.offset is not None:
            items.append((self.offset.name, ColumnRef(self.offset.type, self.offset)))
        return items

    def row_value(self) -> Expr:
        return ColumnRef(self.element.type, self.element)

    def scan(self) -> Scan:
        return self._built


def query_relation(alias: str, result: QueryResult, analysis: Analysis) -> Relation:
    """Return a relation over the rows of a resolved query."""
    if not result.value_table:
        return DerivedRelation(alias, result.columns, result.scan, analysis.fold)
    row = result.columns[0][1]
    members = members_of(row.type, analysis.schema, 0)
    return ValueRelation(alias, row, result.scan, analysis.fold, members)
