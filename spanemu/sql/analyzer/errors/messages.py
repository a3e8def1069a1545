"""Messages whose fields are named, read or set in ways that they do not have."""

from __future__ import annotations

from spanemu.sql.analyzer.errors.base import AnalysisError


class NoSuchMessageField(AnalysisError):
    """A message has no field of that name."""

    prose = "Protocol buffer {type} does not have a field called {field}"
    type: str
    field: str


class RepeatedFieldHasNoPresence(AnalysisError):
    """has_x, where x is an array."""

    prose = "Protocol buffer {type} field {field} is repeated, so has_{field} is not allowed"
    type: str
    field: str


class ForeignFieldType(AnalysisError):
    """A field of a type that SQL does not have."""

    prose = "Proto field {type}.{field} has unsupported type {field_type}"
    type: str
    field: str
    field_type: str


class NotAMessage(AnalysisError):
    """NEW, or SELECT AS, of a type that is no message."""

    prose = "{what} requires a protocol buffer type, but {type} is none"
    what: str
    type: str


class UnknownConstructorField(AnalysisError):
    """NEW gives a value to a field that the message does not have."""

    prose = "{item} {number} has name {name} which is not a field in proto {type}"
    item: str
    number: int
    name: str
    type: str


class UnnamedConstructorField(AnalysisError):
    """NEW gives a value without a name."""

    prose = (
        "Cannot construct proto because argument {number} does not have an alias to match to a "
        "field name"
    )
    number: int


class FieldGivenTwice(AnalysisError):
    """One field with two values."""

    prose = (
        "Constructor has duplicate column name {field} so constructing proto field "
        "{type}.{field} is ambiguous"
    )
    type: str
    field: str


class RequiredFieldMissing(AnalysisError):
    """NEW without a value for a required field."""

    prose = "Cannot construct proto {type} because required field {field} is missing"
    type: str
    field: str


class ValueDoesNotFitField(AnalysisError):
    """A value of another type than the field's."""

    prose = (
        "Could not store value with type {value_type} into proto field {type}.{field} which has "
        "SQL type {field_type}"
    )
    value_type: str
    type: str
    field: str
    field_type: str
