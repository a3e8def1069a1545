"""The fields of a STRUCT or a message, for relations whose rows are such values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from spanemu.base.deferred import deferred
from spanemu.messages.message import MessageType
from spanemu.schema.schema import Schema
from spanemu.sql.googlesql.analyzer.name_errors import AmbiguousField
from spanemu.sql.resolved import Expr, GetField
from spanemu.values.types import Type, TypeCode

if TYPE_CHECKING:
    from spanemu.sql.googlesql.analyzer.expressions import messages as proto_messages
else:
    proto_messages = deferred("spanemu.sql.googlesql.analyzer.expressions.messages")


class Members(Protocol):
    """The fields of the values of a type."""

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
