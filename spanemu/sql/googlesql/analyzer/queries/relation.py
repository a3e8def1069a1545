"""Relations: the items of a FROM clause, with named columns and a scan.

While a query is resolved, callers request columns from a relation. Afterwards the caller requests
the scan, so that the scan of a table has only the requested columns. Each reference to a column is
a separate `ColumnRef` object.

Not here: name lookup over several relations (`scope`, `joins`); tables of the schema, whose
columns can be computed (`table_relation`).
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
    """The base class of relations. `alias` is "" for a relation without a name."""

    # True if the rows are values, so that a path that begins with the alias continues with fields.
    is_value = False

    @property
    def rows_are_values(self) -> bool:
        """True if a row is a single value without further columns, as in a value table."""
        return False

    def is_implicit(self, name: str) -> bool:
        """Return whether a column has its name from the schema or a type, not from the query."""
        return False

    def __init__(self, alias: str) -> None:
        self.alias = alias

    def aliases(self) -> Mapping[str, Relation]:
        """Return the named relations in this relation by lower-cased name."""
        return {self.alias.lower(): self} if self.alias else {}

    def column(self, name: str, at: int) -> Expr | None:
        """Return a reference to the column `name`, or None if there is none.

        Raise AmbiguousColumn if several columns have the name.
        """
        raise NotImplementedError

    def star(self) -> Star:
        """Return the columns that * expands to, with their names."""
        raise NotImplementedError

    def row_value(self) -> Expr:
        """Return the row as a single value, which the bare alias denotes."""
        items = tuple(self.star())
        type_ = Type(
            TypeCode.STRUCT, fields=tuple(StructField(name, item.type) for name, item in items)
        )
        return MakeStruct(type_, tuple(item for _, item in items))

    def column_names(self) -> Iterator[str]:
        """Return the names of the columns, for suggestions."""
        return (name for name, _ in self.star())

    def scan(self) -> Scan:
        """Return the scan. Call once, after all columns that the query uses are requested."""
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
    """The elements of an array before a scan or a join of them is built."""

    array: Expr
    element: ResolvedColumn
    offset: ResolvedColumn | None
    hints: Hints

    def scan(self) -> Scan:
        """Return a scan of the elements alone."""
        return ArrayScan(None, self.array, self.element, self.offset, hints=self.hints)


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
    """Return a relation over the rows of a resolved query."""
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
