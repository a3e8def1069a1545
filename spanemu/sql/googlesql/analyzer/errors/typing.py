"""Values of types that do not fit together, and calls that fit no signature."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.errors import AnalysisError


class NoMatchingSignature(AnalysisError):
    """No overload takes arguments of these types; `supported` lists those that exist."""

    prose = "No matching signature for {function}"
    function: str  # "function SUBSTR", "operator +", "aggregate function SUM"
    types: str  # "" where nothing was given
    supported: tuple[str, ...] = ()

    def sentence(self) -> str:
        given = f"for argument types: {self.types}" if self.types else "with no arguments"
        text = f"{super().sentence()} {given}"
        if not self.supported:
            return text
        plural = "s" if len(self.supported) > 1 else ""
        return f"{text}. Supported signature{plural}: {'; '.join(self.supported)}"


class WrongArgumentCount(AnalysisError):
    """A function of one signature is given too many arguments, or too few."""

    prose = "Number of arguments does not match for {function}. Supported signature: {supported}"
    function: str
    supported: str


class PositionalNotAllowed(AnalysisError):
    """An argument that may be given by name only stands without its name."""

    prose = (
        "Positional argument is invalid because this function restricts that this argument is "
        'referred to by name "{name}" only'
    )
    name: str


class NotDefinedFor(AnalysisError):
    """A comparison of values that do not compare."""

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
    """An element is not of the array's declared type."""

    prose = "Array element type {type} does not coerce to {wanted}"
    type: str
    wanted: str


class FieldDoesNotCoerce(AnalysisError):
    """A value is not of the struct field's declared type."""

    prose = "Struct field {number} has type {type} which does not coerce to {wanted}"
    number: int
    type: str
    wanted: str


class WrongFieldCount(AnalysisError):
    """A struct constructor with too many or too few values."""

    prose = "STRUCT type has {wanted} fields but constructor call has {given} fields"
    wanted: int
    given: int


class NestedArray(AnalysisError):
    """Arrays of arrays do not exist."""

    prose = "{problem}"
    problem: str


class BadLiteral(AnalysisError):
    """A literal is no value of its type."""

    prose = "Invalid {type} literal{shown}"
    type: str
    shown: str = ""


class LiteralDoesNotCast(AnalysisError):
    """A literal has no value in the type that its place asks for."""

    prose = "Could not cast literal {literal} to type {type}"
    literal: str
    type: str


class InvalidCast(AnalysisError):
    """No conversion between these types."""

    prose = "Invalid cast from {source} to {target}"
    source: str
    target: str


class ExpectsInt64(AnalysisError):
    """LIMIT, OFFSET and the like take an INT64."""

    prose = "{clause} expects INT64, got {type}"
    clause: str
    type: str


class ExpectsConstant(AnalysisError):
    """A place that takes a literal or a parameter and nothing else."""

    prose = "{clause} must be a literal or query parameter"
    clause: str


class BadCall(AnalysisError):
    """A call that is wrong whatever its types; `problem` is the whole sentence."""

    prose = "{problem}"
    problem: str


class NotAnArray(AnalysisError):
    """UNNEST, or a path in FROM, of something that is not an array."""

    prose = "{problem}"
    problem: str


class UndeclaredParameterConflict(AnalysisError):
    """Two places give an undeclared parameter different types."""

    prose = "Undeclared parameter '{name}' is used assuming different types ({first} vs {second})"
    name: str
    first: str
    second: str


class IncompatibleColumns(AnalysisError):
    """A column of a set operation has no common type."""

    prose = "Column {number} in {operation} has incompatible types: {types}"
    number: int
    operation: str
    types: str


class ExpressionDoesNotFit(AnalysisError):
    """An expression of the schema is not of the type that its clause needs."""

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
    """A column of the query's result can be NULL, or hold NULL, where that has no place."""

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
