"""What stands in a FROM clause: a thing with columns that can become a scan.

A relation is asked for columns while the query is resolved, and for its scan once that is done,
so that the scan of a table holds only the columns that were asked for. Each mention of a column
is a `ColumnRef` of its own.

Not here: what names mean when several relations stand side by side (`scope`, `join_relation`);
tables of the schema, whose columns may be computed (`table_relation`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from spanemu.sql.googlesql.analyzer.analysis import Analysis, QueryResult
from spanemu.sql.googlesql.analyzer.errors.names import AmbiguousColumn
from spanemu.sql.googlesql.analyzer.expressions.members import Members, members_of
from spanemu.sql.googlesql.analyzer.options import SystemTable
from spanemu.sql.resolved import (
    ArrayScan,
    ColumnRef,
    Expr,
    Hints,
    MakeStruct,
    ResolvedColumn,
    Scan,
    SystemTableScan,
)
from spanemu.values.types import StructField, Type, TypeCode

Star = Iterable[tuple[str, Expr]]


class Relation:
    """Something with columns. `alias` is "" where it has no name of its own."""

    # A value relation's rows are values: asked for a name it has not, it has no such *field*.
    is_value = False

    @property
    def rows_are_values(self) -> bool:
        """Whether a row is one value and nothing beside it, as in a value table."""
        return False

    def is_implicit(self, name: str) -> bool:
        """Whether a column has its name from the schema or a type, not from the query."""
        return False

    def __init__(self, alias: str) -> None:
        self.alias = alias

    def aliases(self) -> Mapping[str, Relation]:
        """The relations that have names, by lower-cased name."""
        return {self.alias.lower(): self} if self.alias else {}

    def column(self, name: str, at: int) -> Expr | None:
        """The column of that name; None if there is none, AmbiguousColumn if several."""
        raise NotImplementedError

    def star(self) -> Star:
        """What * stands for."""
        raise NotImplementedError

    def row_value(self) -> Expr:
        """The row as one value: what the alias alone means."""
        items = tuple(self.star())
        type_ = Type(
            TypeCode.STRUCT, fields=tuple(StructField(name, item.type) for name, item in items)
        )
        return MakeStruct(type_, tuple(item for _, item in items))

    def column_names(self) -> Iterator[str]:
        """The names of its columns, for suggestions."""
        return (name for name, _ in self.star())

    def scan(self) -> Scan:
        """The scan; ask once, when every column that is needed has been asked for."""
        raise NotImplementedError


class DerivedRelation(Relation):
    """The rows of a subquery, a view or a common table."""

    def __init__(
        self,
        alias: str,
        columns: Sequence[tuple[str, ResolvedColumn]],
        built: Scan,
        *,
        implicit: bool = False,
    ) -> None:
        super().__init__(alias)
        self._implicit = implicit
        self._columns = columns
        self._built = built
        self._by_name: dict[str, ResolvedColumn | None] = {}
        for name, column in columns:
            if name:
                key = name.lower()
                self._by_name[key] = None if key in self._by_name else column

    def is_implicit(self, name: str) -> bool:
        return self._implicit

    def column(self, name: str, at: int) -> Expr | None:
        key = name.lower()
        if key not in self._by_name:
            return None
        match = self._by_name[key]
        if match is None:
            raise AmbiguousColumn(name, at=at)
        return ColumnRef(match.type, match)

    def star(self) -> Star:
        return [(name, ColumnRef(column.type, column)) for name, column in self._columns]

    def scan(self) -> Scan:
        return self._built


@dataclass(frozen=True, slots=True)
class ArrayElements:
    """The elements of an array, where they are not a scan yet: what an `ArrayScan` is made of."""

    array: Expr
    element: ResolvedColumn
    offset: ResolvedColumn | None
    hints: Hints

    def scan(self) -> Scan:
        """The elements alone."""
        return ArrayScan(None, self.array, self.element, self.offset, hints=self.hints)


class ValueRelation(Relation):
    """Rows that are values: UNNEST, or SELECT AS STRUCT. Their `members` act as columns.

    `elements` is set for an array, which a join puts beside its left side's rows.
    """

    is_value = True

    def __init__(
        self,
        alias: str,
        element: ResolvedColumn,
        built: Scan | ArrayElements,
        offset: tuple[str, ResolvedColumn] | None = None,
        members: Members | None = None,
    ) -> None:
        super().__init__(alias)
        self.element = element
        self._members = members
        self.offset = offset
        self.elements = built if isinstance(built, ArrayElements) else None
        self._built = built.scan() if isinstance(built, ArrayElements) else built

    @property
    def rows_are_values(self) -> bool:
        return self.offset is None

    def is_implicit(self, name: str) -> bool:
        is_offset = self.offset is not None and self.offset[0].lower() == name.lower()
        return self._members is not None and not is_offset

    def column(self, name: str, at: int) -> Expr | None:
        key = name.lower()
        if self.offset is not None and self.offset[0].lower() == key:
            return ColumnRef(self.offset[1].type, self.offset[1])
        if self._members is None:
            return self.row_value() if key == self.alias.lower() and key else None
        return self._members.field(self.row_value(), name, at)

    def star(self) -> Star:
        row_value = self.row_value()
        items = (
            [(self.alias, row_value)]
            if self._members is None
            else [*self._members.fields(row_value)]
        )
        if self.offset is not None:
            items.append((self.offset[0], ColumnRef(self.offset[1].type, self.offset[1])))
        return items

    def row_value(self) -> Expr:
        return ColumnRef(self.element.type, self.element)

    def scan(self) -> Scan:
        return self._built


def query_relation(alias: str, result: QueryResult, analysis: Analysis) -> Relation:
    """The rows of a finished query."""
    if not result.value_table:
        return DerivedRelation(alias, result.columns, result.scan)
    row = result.columns[0][1]
    members = members_of(row.type, analysis.schema, 0)
    return ValueRelation(alias, row, result.scan, members=members)


class SystemRelation(Relation):
    """A system table."""

    def __init__(self, alias: str, table: SystemTable, analysis: Analysis) -> None:
        super().__init__(alias)
        self._table = table
        self._analysis = analysis
        self._used_columns: dict[int, ResolvedColumn] = {}

    def is_implicit(self, name: str) -> bool:
        return True

    def column(self, name: str, at: int) -> Expr | None:
        number = self._table.positions.get(name.lower())
        return None if number is None else self._numbered(number)

    def _numbered(self, number: int) -> Expr:
        column = self._used_columns.get(number)
        if column is None:
            name, type_ = self._table.columns[number]
            column = self._used_columns[number] = self._analysis.column(name, type_)
        return ColumnRef(column.type, column)

    def star(self) -> Star:
        return [
            (name, self._numbered(number)) for number, (name, _) in enumerate(self._table.columns)
        ]

    def column_names(self) -> Iterator[str]:
        return (name for name, _ in self._table.columns)

    def scan(self) -> Scan:
        columns = tuple((column, number) for number, column in self._used_columns.items())
        return SystemTableScan(self._table.name, columns)
