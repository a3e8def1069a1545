"""The base class of relations: the items of a FROM clause, with named columns and a scan.

While a query is resolved, callers request columns from a relation. Afterwards the caller requests
the scan, so that the scan of a table has only the requested columns. Each reference to a column is
a separate `ColumnRef` object.

Not here: name lookup over several relations (`scope`, `joins`); the kinds of relations
(`derived_relation`, `table_relation`, `pipe_relation`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from spanemu.schema.dialect import Fold
from spanemu.sql.resolved import Expr, MakeStruct, Scan
from spanemu.values.types import StructField, Type, TypeCode

Star = Iterable[tuple[str, Expr]]


class Relation:
    """The base class of relations. `alias` is "" for a relation without a name.

    `qualified_name` is the name of a table or a view, with its schema if that is not the default
    one; "" if the query gives it an alias, and for other relations.
    """

    # True if the rows are values, so that a path that begins with the alias continues with fields.
    is_value = False

    @property
    def rows_are_values(self) -> bool:
        """True if a row is a single value without further columns, as in a value table."""
        return False

    def is_implicit(self, name: str) -> bool:
        """Return whether a column has its name from the schema or a type, not from the query."""
        return False

    def __init__(self, alias: str, fold: Fold) -> None:
        self.alias = alias
        self.fold = fold
        self.qualified_name = ""

    def aliases(self) -> Mapping[str, Relation]:
        """Return the named relations in this relation by folded name."""
        return {self.fold(self.alias): self} if self.alias else {}

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
