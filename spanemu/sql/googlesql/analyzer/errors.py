"""The errors of analysis: statements that parse but are not valid.

    SpannerError
    └── AnalysisError (`sql.errors`)  INVALID_ARGUMENT, with a position in the text
        ├── misused clauses, grouping and set operations
        ├── types: no signature, no common type, no conversion; fields of messages
        ├── `name_errors`   unknown names, ambiguous names, names that are not visible
        └── `write_errors`  DML

`StructColumn`, `NullArrayColumn` and `Unsupported` are UNIMPLEMENTED instead: the query is valid
GoogleSQL, but Spanner does not support it.
"""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.errors import AnalysisError

# ---------------------------------------------------------------------------- clauses


class BadQuery(AnalysisError):
    prose = "{problem}"
    problem: str


class MismatchedColumnCount(AnalysisError):
    prose = (
        "Queries in {operation} have mismatched column count; "
        "query 1 has {first}, query {number} has {other}"
    )
    operation: str
    number: int
    first: str  # "1 column", "value table with 1 column"
    other: str


class TooManySubqueryColumns(AnalysisError):
    prose = "{problem}"
    problem: str


class UsingColumnMissing(AnalysisError):
    prose = "Column {name} in USING clause not found on {side} side of join"
    name: str
    side: str


class UsingColumnAmbiguous(AnalysisError):
    prose = "Column {name} in USING clause is ambiguous on {side} side of join"
    name: str
    side: str


class UsingColumnsDiffer(AnalysisError):
    prose = (
        "Column '{name}' in USING has incompatible types that cannot be directly compared using "
        "equality on either side of the join: {left} and {right}"
    )
    name: str
    left: str
    right: str


class BadCollation(AnalysisError, code=Code.OUT_OF_RANGE):
    prose = "COLLATE has invalid collation name '{name}'"
    name: str


class NeitherGroupedNorAggregated(AnalysisError):
    prose = "{clause} references {column} which is neither grouped nor aggregated"
    clause: str
    column: str


class NotVisibleAfterDistinct(AnalysisError):
    prose = (
        "ORDER BY clause expression references {column} which is not visible after SELECT DISTINCT"
    )
    column: str


class AggregateNotAllowed(AnalysisError):
    prose = "Aggregate function {function} not allowed in {clause}"
    function: str
    clause: str


class NestedAggregate(AnalysisError):
    prose = "Aggregations of aggregations are not allowed"


class BadGrouping(AnalysisError):
    prose = "{problem}"
    problem: str


class OrdinalOutOfRange(AnalysisError):
    prose = "{clause} is out of SELECT column number range: {number}"
    clause: str
    number: int


class OrdinalTooSmall(AnalysisError):
    prose = (
        "ORDER BY column number item is out of range. Column numbers must be greater than or "
        "equal to one. Found : {number}"
    )
    number: int


class NotGroupable(AnalysisError):
    prose = "{problem}"
    problem: str
    type: str


class NotOrderable(AnalysisError):
    prose = "{clause} does not support expressions of type {type}"
    clause: str
    type: str


# ---------------------------------------------------------------------------- types and calls


class NoMatchingSignature(AnalysisError):
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


class FunctionNotInSpanner(AnalysisError, code=Code.UNIMPLEMENTED):
    """GoogleSQL has the function, Spanner refuses it."""

    prose = "Unsupported built-in function: {name}"
    name: str


class WrongArgumentCount(AnalysisError):
    prose = "Number of arguments does not match for {function}. Supported signature: {supported}"
    function: str
    supported: str


class PositionalNotAllowed(AnalysisError):
    prose = (
        "Positional argument is invalid because this function restricts that this argument is "
        'referred to by name "{name}" only'
    )
    name: str


class NotDefinedFor(AnalysisError):
    prose = "{operation} is not defined for arguments of type {type}"
    operation: str  # "Equality", "Less than"
    type: str


class NotBool(AnalysisError):
    prose = "{clause} should return type BOOL, but returns {type}"
    clause: str
    type: str


class NoCommonType(AnalysisError):
    prose = "Array elements of types {{{types}}} do not have a common supertype"
    types: str


class ElementDoesNotCoerce(AnalysisError):
    prose = "Array element type {type} does not coerce to {wanted}"
    type: str
    wanted: str


class FieldDoesNotCoerce(AnalysisError):
    prose = "Struct field {number} has type {type} which does not coerce to {wanted}"
    number: int
    type: str
    wanted: str


class WrongFieldCount(AnalysisError):
    prose = "STRUCT type has {wanted} fields but constructor call has {given} fields"
    wanted: int
    given: int


class NestedArray(AnalysisError):
    prose = "{problem}"
    problem: str


class BadLiteral(AnalysisError):
    prose = "Invalid {type} literal{shown}"
    type: str
    shown: str = ""


class LiteralDoesNotCast(AnalysisError):
    prose = "Could not cast literal {literal} to type {type}"
    literal: str
    type: str


class InvalidCast(AnalysisError):
    prose = "Invalid cast from {source} to {target}"
    source: str
    target: str


class ExpectsInt64(AnalysisError):
    prose = "{clause} expects INT64, got {type}"
    clause: str
    type: str


class ExpectsConstant(AnalysisError):
    prose = "{clause} must be a literal or query parameter"
    clause: str


class BadCall(AnalysisError):
    prose = "{problem}"
    problem: str


class NotAnArray(AnalysisError):
    prose = "{problem}"
    problem: str


class UndeclaredParameterConflict(AnalysisError):
    prose = "Undeclared parameter '{name}' is used assuming different types ({first} vs {second})"
    name: str
    first: str
    second: str


class IncompatibleColumns(AnalysisError):
    prose = "Column {column} in {operation} has incompatible types: {types}"
    column: str  # its number, or in GQL its name
    operation: str
    types: str


class ExpressionDoesNotFit(AnalysisError):
    prose = "Expected an expression of type {wanted}, but found one of type {type}"
    type: str
    wanted: str


class StructColumn(SpannerError, code=Code.UNIMPLEMENTED):
    prose = (
        "Unsupported query shape: A struct value cannot be returned as a column value. "
        "Rewrite the query to flatten the struct fields in the result."
    )
    column: str


class EmptyArrayOfStructs(SpannerError, code=Code.UNIMPLEMENTED):
    prose = (
        "Unsupported query shape: Spanner does not support array constructor syntax for an empty "
        "array where array elements are Structs."
    )


class NullArrayColumn(SpannerError, code=Code.UNIMPLEMENTED):
    prose = (
        "Unsupported query shape: This query can return a null-valued array of struct, which is "
        "not supported by Spanner. {type} is the type that might contain null values. Use "
        "IFNULL/COALESCE to convert potentially null values to non-null values."
    )
    type: str


class GraphColumn(AnalysisError):
    prose = "Returning expressions of type {kind} is not allowed"
    kind: str  # GRAPH_ELEMENT, GRAPH_PATH


class NoSuchMessageField(AnalysisError):
    prose = "Protocol buffer {type} does not have a field called {field}"
    type: str
    field: str


class RepeatedFieldHasNoPresence(AnalysisError):
    prose = "Protocol buffer {type} field {field} is repeated, so has_{field} is not allowed"
    type: str
    field: str


class ForeignFieldType(AnalysisError):
    prose = "Proto field {type}.{field} has unsupported type {field_type}"
    type: str
    field: str
    field_type: str


class NotAMessage(AnalysisError):
    prose = "{what} requires a protocol buffer type, but {type} is none"
    what: str
    type: str


class UnknownConstructorField(AnalysisError):
    prose = "{item} {number} has name {name} which is not a field in proto {type}"
    item: str
    number: int
    name: str
    type: str


class UnnamedConstructorField(AnalysisError):
    prose = (
        "Cannot construct proto because argument {number} does not have an alias to match to a "
        "field name"
    )
    number: int


class FieldGivenTwice(AnalysisError):
    prose = (
        "Constructor has duplicate column name {field} so constructing proto field "
        "{type}.{field} is ambiguous"
    )
    type: str
    field: str


class RequiredFieldMissing(AnalysisError):
    prose = "Cannot construct proto {type} because required field {field} is missing"
    type: str
    field: str


class ValueDoesNotFitField(AnalysisError):
    prose = (
        "Could not store value with type {value_type} into proto field {type}.{field} which has "
        "SQL type {field_type}"
    )
    value_type: str
    type: str
    field: str
    field_type: str


# ---------------------------------------------------------------------------- models


class BadModelInput(AnalysisError):
    prose = "The schema of a table or query provided to {function} function {problem}"
    function: str
    problem: str
