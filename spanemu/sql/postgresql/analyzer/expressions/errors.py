"""Errors for types that do not match, and for calls that match no function of Spanner.

Codes and messages follow the rules of `analyzer.errors`.
"""

from __future__ import annotations

from spanemu.base.errors import Code
from spanemu.base.sql_states import SqlState
from spanemu.sql.errors import AnalysisError


class UndefinedFunction(AnalysisError, code=Code.NOT_FOUND, sql_state=SqlState.UNDEFINED_FUNCTION):
    prose = (
        "[ERROR] function {call} does not exist\n"
        "Hint: No function matches the given name and argument types. You might need to add "
        "explicit type casts."
    )
    call: str


class NoSuchFunction(UndefinedFunction, code=Code.NOT_FOUND):
    """A call that fits no function, whatever Spanner refuses elsewhere in the statement.

    No function with the name takes the number of arguments, or the arguments are constants.
    """


class AmbiguousFunction(AnalysisError, sql_state=SqlState.AMBIGUOUS_FUNCTION):
    prose = (
        "[ERROR] function {call} is not unique\n"
        "Hint: Could not choose a best candidate function. You might need to add explicit type "
        "casts."
    )
    call: str


class UnsupportedFunction(AnalysisError, code=Code.UNIMPLEMENTED):
    """PostgreSQL has the function, Spanner does not."""

    prose = "Postgres function {call} is not supported"
    call: str


class UndefinedOperator(AnalysisError, code=Code.NOT_FOUND, sql_state=SqlState.UNDEFINED_FUNCTION):
    prose = (
        "[ERROR] operator does not exist: {expression}\n"
        "Hint: No operator matches the given name and argument types. You might need to add "
        "explicit type casts."
    )
    expression: str


class AmbiguousOperator(AnalysisError, sql_state=SqlState.AMBIGUOUS_FUNCTION):
    prose = (
        "[ERROR] operator is not unique: {expression}\n"
        "Hint: Could not choose a best candidate operator. You might need to add explicit type "
        "casts."
    )
    expression: str


class UnknownPolymorphicType(AnalysisError, sql_state=SqlState.DATATYPE_MISMATCH):
    prose = "[ERROR] could not determine polymorphic type because input has type unknown"


class CannotCast(AnalysisError, sql_state=SqlState.CANNOT_COERCE):
    prose = "[ERROR] cannot cast type {source} to {target}"
    source: str
    target: str


class UnsupportedCast(AnalysisError, code=Code.UNIMPLEMENTED):
    """PostgreSQL converts any type to and from text, Spanner does not."""

    prose = "Cast from {source} to {target} is unsupported."
    source: str
    target: str


class ArrayCast(AnalysisError, code=Code.UNIMPLEMENTED):
    prose = "Array casting / coercion is not supported"


class TypesDoNotMatch(AnalysisError, sql_state=SqlState.DATATYPE_MISMATCH):
    """`what` is the construct: CASE, COALESCE, ARRAY, VALUES, UNION."""

    prose = "[ERROR] {what} types {first} and {second} cannot be matched"
    what: str
    first: str
    second: str


class CannotConvert(AnalysisError, sql_state=SqlState.CANNOT_COERCE):
    prose = "[ERROR] {what} could not convert type {source} to {target}"
    what: str
    source: str
    target: str


class WrongArgumentType(AnalysisError, sql_state=SqlState.DATATYPE_MISMATCH):
    """`what` is the construct with an operand of a fixed type: WHERE, NOT, LIMIT."""

    prose = "[ERROR] argument of {what} must be type {wanted}, not type {type}"
    what: str
    wanted: str
    type: str


class TypeNotSupported(AnalysisError, code=Code.UNIMPLEMENTED):
    prose = "The Postgres Type is not supported: {name}"
    name: str


class UndefinedType(AnalysisError, code=Code.NOT_FOUND, sql_state=SqlState.UNDEFINED_OBJECT):
    prose = '[ERROR] type "{name}" does not exist'
    name: str


class ModifierNotSupported(AnalysisError, code=Code.UNIMPLEMENTED):
    prose = (
        "Casts with a typmod are generally not supported. The only supported casts with a typmod "
        "are varchar(<length>) and numeric(<precision>,<scale>)."
    )


class BadModifier(AnalysisError, sql_state=SqlState.INVALID_PARAMETER_VALUE):
    prose = "[ERROR] {problem}"
    problem: str


class EmptyArrayType(AnalysisError, sql_state=SqlState.INDETERMINATE_DATATYPE):
    prose = (
        "[ERROR] cannot determine type of empty array\n"
        "Hint: Explicitly cast to the desired type, for example ARRAY[]::bigint[]."
    )


class MultidimensionalArray(AnalysisError, sql_state=SqlState.FEATURE_NOT_SUPPORTED):
    prose = "Multi-dimensional arrays are not supported"


class NotSubscriptable(AnalysisError, sql_state=SqlState.DATATYPE_MISMATCH):
    prose = "[ERROR] cannot subscript type {type} because it does not support subscripting"
    type: str


class RequiresArray(AnalysisError, sql_state=SqlState.WRONG_OBJECT_TYPE):
    prose = "[ERROR] op ANY/ALL (array) requires array on right side"


class RequiresBooleanOperator(AnalysisError, sql_state=SqlState.WRONG_OBJECT_TYPE):
    prose = "[ERROR] op ANY/ALL (array) requires operator to yield boolean"


class UnequalRows(AnalysisError, sql_state=SqlState.SYNTAX_ERROR):
    prose = "[ERROR] unequal number of entries in row expressions"


class SubqueryColumns(AnalysisError, sql_state=SqlState.SYNTAX_ERROR):
    prose = "[ERROR] subquery {problem}"
    problem: str  # "must return only one column", "has too many columns"


class BadExpression(AnalysisError, sql_state=SqlState.SYNTAX_ERROR):
    """An expression that PostgreSQL refuses, in the words of PostgreSQL."""

    prose = "[ERROR] {problem}"
    problem: str


class NotAnAggregate(BadExpression, sql_state=SqlState.WRONG_OBJECT_TYPE):
    """A function is called as an aggregate function, or an aggregate function as none."""


class NotInArgumentList(BadExpression, sql_state=SqlState.INVALID_COLUMN_REFERENCE):
    """An aggregate function with DISTINCT sorts by something other than its argument."""


class MisplacedAggregate(BadExpression, sql_state=SqlState.GROUPING_ERROR):
    """An aggregate function is used where rows are not grouped."""


class ExpressionRefused(AnalysisError, sql_state=SqlState.FEATURE_NOT_SUPPORTED):
    """An expression of PostgreSQL that Spanner refuses."""

    prose = "{problem}"
    problem: str


class ExpressionUnsupported(AnalysisError, code=Code.UNIMPLEMENTED):
    """An expression of PostgreSQL that Spanner does not implement."""

    prose = "{problem}"
    problem: str


class ExpressionType(AnalysisError, sql_state=SqlState.FEATURE_NOT_SUPPORTED):
    """An expression of the tree of PostgreSQL that Spanner refuses: RowExpr, CollateExpr."""

    prose = "Unsupported PostgreSQL expression type: {name}"
    name: str


class NotDistinguishable(AnalysisError, code=Code.UNIMPLEMENTED):
    prose = "Aggregate functions with DISTINCT are not supported for type {type}"
    type: str


class SequenceNotFound(AnalysisError, code=Code.NOT_FOUND, sql_state=SqlState.UNDEFINED_TABLE):
    prose = "Sequence not found: {name}"
    name: str
