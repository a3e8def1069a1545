"""Relations whose rows are values, the fields of such values, and relations of resolved queries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from spanemu.messages import MessageType
from spanemu.schema.dialect import Fold
from spanemu.schema.schema import Schema
from spanemu.sql.analysis.derived_relation import ArrayElements, DerivedRelation
from spanemu.sql.analysis.relation import Relation, Star
from spanemu.sql.googlesql.analyzer.analysis import Analysis, QueryResult
from spanemu.sql.googlesql.analyzer.expressions import messages as proto_messages
from spanemu.sql.googlesql.analyzer.name_errors import AmbiguousField
from spanemu.sql.resolved import ColumnRef, Expr, GetField, ResolvedColumn, Scan
from spanemu.values.types import Type, TypeCode


class Members(Protocol):
    """The fields of the values of a STRUCT or a message type."""

    def field(self, value: Expr, name: str, at: int) -> Expr | None:
        """Return the field `name` of `value`, or None if the type has no such field.

        Raise AmbiguousField if several fields have the name.
        """
        ...

    def fields(self, value: Expr) -> Iterable[tuple[str, Expr]]:
        """Return every field of `value` with its name."""
        ...


def members_of(type_: Type, schema: Schema, at: int) -> Members | None:
    """Return the fields of a STRUCT or message type, or None for another type."""
    if type_.is_struct:
        return StructMembers(type_)
    if type_.code is TypeCode.PROTO:
        return MessageMembers(proto_messages.message_type(type_, schema, at), at)
    return None


class StructMembers:
    """The fields of a STRUCT."""

    def __init__(self, type_: Type) -> None:
        self._fields = type_.fields

    def field(self, value: Expr, name: str, at: int) -> Expr | None:
        key = name.lower()
        matches = [n for n, field in enumerate(self._fields) if field.name.lower() == key]
        if len(matches) > 1:
            raise AmbiguousField(name, at=at)
        return self._field(value, matches[0]) if matches else None

    def fields(self, value: Expr) -> Iterable[tuple[str, Expr]]:
        return [(field.name, self._field(value, n)) for n, field in enumerate(self._fields)]

    def _field(self, value: Expr, number: int) -> Expr:
        return GetField(self._fields[number].type, value, number)


class MessageMembers:
    """The fields of a message; `fields` leaves out fields whose types SQL does not have."""

    def __init__(self, type_: MessageType, at: int) -> None:
        self._type = type_
        self._at = at

    def field(self, value: Expr, name: str, at: int) -> Expr | None:
        field = self._type.field(name)
        return None if field is None else proto_messages.field_value(value, self._type, field, at)

    def fields(self, value: Expr) -> Iterable[tuple[str, Expr]]:
        return [
            (field.name, proto_messages.field_value(value, self._type, field, self._at))
            for field in self._type.fields
            if field.type is not None
        ]


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
