"""Errors for types that do not match, and calls that match no signature."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.errors import AnalysisError


class NoMatchingSignature(AnalysisError):
    """No overload accepts the argument types; `supported` lists the existing signatures."""

    prose = "No matching signature for {function}"
    function: str  # "function SUBSTR", "operator +", "aggregate function SUM"
    types: str  # "" for a call without arguments
    supported: tuple[str, ...] = ()

    def sentence(self) -> str:
        given = f"for argument types: {self.types}" if self.types else "with no arguments"
        text = f"{super().sentence()} {given}"
        if not self.supported:
            return text
        plural = "s" if len(self.supported) > 1 else ""
        return f"{text}. Supported signature{plural}: {'; '.join(self.supported)}"


class WrongArgumentCount(AnalysisError):
    """A function with a single signature gets too many or too few arguments."""

    prose = "Number of arguments does not match for {function}. Supported signature: {supported}"
    function: str
    supported: str


class PositionalNotAllowed(AnalysisError):
    """A named-only argument is passed by position."""

    prose = (
        "Positional argument is invalid because this function restricts that this argument is "
        'referred to by name "{name}" only'
    )
    name: str


class NotDefinedFor(AnalysisError):
    """A comparison operator is used with a type that it is not defined for."""

    prose = "{operation} is not defined for arguments of type {type}"
    operation: str  # "Equality", "Less than"
    type: str


class NotBool(AnalysisError):
    """A condition is not a BOOL."""

    prose = "{clause} should return type BOOL, but returns {type}"
    clause: str
    type: str


class NoCommonType(AnalysisError):
    """Array elements have no common type."""

    prose = "Array elements of types {{{types}}} do not have a common supertype"
    types: str


class ElementDoesNotCoerce(AnalysisError):
    """An element does not convert to the array's declared element type."""

    prose = "Array element type {type} does not coerce to {wanted}"
    type: str
    wanted: str


class FieldDoesNotCoerce(AnalysisError):
    """A value does not convert to the struct field's declared type."""

    prose = "Struct field {number} has type {type} which does not coerce to {wanted}"
    number: int
    type: str
    wanted: str


class WrongFieldCount(AnalysisError):
    """A struct constructor has too many or too few values."""

    prose = "STRUCT type has {wanted} fields but constructor call has {given} fields"
    wanted: int
    given: int


class NestedArray(AnalysisError):
    """An array would contain arrays, which GoogleSQL does not allow."""

    prose = "{problem}"
    problem: str


class BadLiteral(AnalysisError):
    """The text of a literal is not a valid value of its type."""

    prose = "Invalid {type} literal{shown}"
    type: str
    shown: str = ""


class LiteralDoesNotCast(AnalysisError):
    """A literal does not convert to the type that its context requires."""

    prose = "Could not cast literal {literal} to type {type}"
    literal: str
    type: str


class InvalidCast(AnalysisError):
    """CAST does not support the pair of types."""

    prose = "Invalid cast from {source} to {target}"
    source: str
    target: str


class ExpectsInt64(AnalysisError):
    """An expression of another type is used where an INT64 is required, as in LIMIT."""

    prose = "{clause} expects INT64, got {type}"
    clause: str
    type: str


class ExpectsConstant(AnalysisError):
    """An expression is used where a literal or a parameter is required."""

    prose = "{clause} must be a literal or query parameter"
    clause: str


class BadCall(AnalysisError):
    """A call is invalid for any argument types; `problem` is the whole sentence."""

    prose = "{problem}"
    problem: str


class NotAnArray(AnalysisError):
    """The operand of UNNEST, or a path in FROM, is not an array."""

    prose = "{problem}"
    problem: str


class UndeclaredParameterConflict(AnalysisError):
    """Two references to an undeclared parameter have different inferred types."""

    prose = "Undeclared parameter '{name}' is used assuming different types ({first} vs {second})"
    name: str
    first: str
    second: str


class IncompatibleColumns(AnalysisError):
    """The types of a column of a set operation have no common type."""

    prose = "Column {number} in {operation} has incompatible types: {types}"
    number: int
    operation: str
    types: str


class ExpressionDoesNotFit(AnalysisError):
    """A stored expression does not convert to the type that its clause requires."""

    prose = "Expected an expression of type {wanted}, but found one of type {type}"
    type: str
    wanted: str


class StructColumn(SpannerError):
    """The query's result has a column of type STRUCT."""

    code = Code.UNIMPLEMENTED
    prose = (
        "Unsupported query shape: A struct value cannot be returned as a column value. "
        "Rewrite the query to flatten the struct fields in the result."
    )
    column: str


class NullArrayColumn(SpannerError):
    """A result column of structs or arrays of structs can be NULL or contain NULL."""

    code = Code.UNIMPLEMENTED
    prose = (
        "Unsupported query shape: This query can return a null-valued array of struct, which is "
        "not supported by Spanner. {type} is the type that might contain null values. Use "
        "IFNULL/COALESCE to convert potentially null values to non-null values."
    )
    type: str


class TokenListColumn(AnalysisError):
    """The query's result has a column of type TOKENLIST."""

    prose = "A query may not return a value of type TOKENLIST: column {column}"
    column: str


class NoSuchMessageField(AnalysisError):
    """A message has no field with the name."""

    prose = "Protocol buffer {type} does not have a field called {field}"
    type: str
    field: str


class RepeatedFieldHasNoPresence(AnalysisError):
    """has_x is used on a repeated field, which has no presence."""

    prose = "Protocol buffer {type} field {field} is repeated, so has_{field} is not allowed"
    type: str
    field: str


class ForeignFieldType(AnalysisError):
    """A message field has a type without an SQL equivalent."""

    prose = "Proto field {type}.{field} has unsupported type {field_type}"
    type: str
    field: str
    field_type: str


class NotAMessage(AnalysisError):
    """NEW, SELECT AS or REPLACE_FIELDS is used with a type that is not a message."""

    prose = "{what} requires a protocol buffer type, but {type} is none"
    what: str
    type: str


class UnknownConstructorField(AnalysisError):
    """A constructor sets a field that the message does not have."""

    prose = "{item} {number} has name {name} which is not a field in proto {type}"
    item: str
    number: int
    name: str
    type: str


class UnnamedConstructorField(AnalysisError):
    """An argument of NEW has no alias to name its field."""

    prose = (
        "Cannot construct proto because argument {number} does not have an alias to match to a "
        "field name"
    )
    number: int


class FieldGivenTwice(AnalysisError):
    """A constructor sets a field twice."""

    prose = (
        "Constructor has duplicate column name {field} so constructing proto field "
        "{type}.{field} is ambiguous"
    )
    type: str
    field: str


class RequiredFieldMissing(AnalysisError):
    """A constructor does not set a required field."""

    prose = "Cannot construct proto {type} because required field {field} is missing"
    type: str
    field: str


class ValueDoesNotFitField(AnalysisError):
    """A value does not convert to the type of its message field."""

    prose = (
        "Could not store value with type {value_type} into proto field {type}.{field} which has "
        "SQL type {field_type}"
    )
    value_type: str
    type: str
    field: str
    field_type: str
