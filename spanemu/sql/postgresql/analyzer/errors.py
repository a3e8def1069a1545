"""PostgreSQL's errors about the meaning of a statement: its names, clauses, and written values.

Those about expressions are in `expressions.errors`. The code follows PostgreSQL's error class: an
unknown table, function, operator or type is NOT_FOUND, a feature that Spanner lacks UNIMPLEMENTED,
a number or date out of range OUT_OF_RANGE, and all else INVALID_ARGUMENT. Messages that begin with
"[ERROR]" are PostgreSQL's, the others Spanner's.

PostgreSQL analyzes a statement before Spanner looks at its expressions. An expression that Spanner
refuses (REFUSALS) does not end the analysis: it counts as NULL, and an error of PostgreSQL anywhere
else in the statement comes first. Only an unknown or ambiguous name is certainly such an error
(FOUND_FIRST). After a refusal, any other error may be a consequence of the NULL and of its type, so
the refusal is reported.
"""

from __future__ import annotations

from spanemu.base.errors import Code, Unsupported
from spanemu.base.sql_states import SqlState
from spanemu.sql.errors import AnalysisError
from spanemu.sql.postgresql.analyzer.expressions.errors import (
    ArrayCast,
    ExpressionRefused,
    ExpressionType,
    ExpressionUnsupported,
    ModifierNotSupported,
    NoSuchFunction,
    NotDistinguishable,
    TypeNotSupported,
    UndefinedType,
    UnsupportedCast,
    UnsupportedFunction,
)


class RelationNotFound(AnalysisError, code=Code.NOT_FOUND, sql_state=SqlState.UNDEFINED_TABLE):
    prose = 'relation "{name}" does not exist'
    name: str


class UndefinedColumn(AnalysisError, sql_state=SqlState.UNDEFINED_COLUMN):
    """`name` is quoted if it is not qualified: "x", t.x."""

    prose = "[ERROR] column {name} does not exist"
    name: str


class UndefinedUsingColumn(AnalysisError, sql_state=SqlState.UNDEFINED_COLUMN):
    prose = '[ERROR] column "{name}" specified in USING clause does not exist in {side} table'
    name: str
    side: str


class AmbiguousColumn(AnalysisError, sql_state=SqlState.AMBIGUOUS_COLUMN):
    prose = '[ERROR] column reference "{name}" is ambiguous'
    name: str


class AmbiguousUsingColumn(AnalysisError, sql_state=SqlState.AMBIGUOUS_COLUMN):
    prose = '[ERROR] common column name "{name}" appears more than once in {side} table'
    name: str
    side: str


class RepeatedUsingColumn(AnalysisError, sql_state=SqlState.DUPLICATE_COLUMN):
    prose = '[ERROR] column name "{name}" appears more than once in USING clause'
    name: str


class AmbiguousTable(AnalysisError, sql_state=SqlState.AMBIGUOUS_ALIAS):
    prose = '[ERROR] table reference "{name}" is ambiguous'
    name: str


class AmbiguousOutputName(AnalysisError, sql_state=SqlState.AMBIGUOUS_COLUMN):
    prose = '[ERROR] {clause} "{name}" is ambiguous'
    clause: str
    name: str


class MissingFromEntry(AnalysisError, code=Code.NOT_FOUND, sql_state=SqlState.UNDEFINED_TABLE):
    prose = '[ERROR] missing FROM-clause entry for table "{name}"'
    name: str


class TableNotVisible(AnalysisError, code=Code.NOT_FOUND, sql_state=SqlState.UNDEFINED_TABLE):
    """The table is in FROM, but this part of the query cannot refer to it."""

    prose = (
        '[ERROR] invalid reference to FROM-clause entry for table "{name}"\n'
        'Hint: There is an entry for table "{name}", but it cannot be referenced from this part '
        "of the query."
    )
    name: str


class DuplicateTable(AnalysisError, sql_state=SqlState.DUPLICATE_ALIAS):
    prose = '[ERROR] table name "{name}" specified more than once'
    name: str


class DuplicateCommonTable(AnalysisError, sql_state=SqlState.DUPLICATE_ALIAS):
    prose = '[ERROR] WITH query name "{name}" specified more than once'
    name: str


class TooManyColumnAliases(AnalysisError, sql_state=SqlState.INVALID_COLUMN_REFERENCE):
    prose = (
        '[ERROR] table "{table}" has {available} columns available but {given} columns specified'
    )
    table: str
    available: int
    given: int


class UndefinedParameter(AnalysisError, sql_state=SqlState.UNDEFINED_PARAMETER):
    prose = "[ERROR] there is no parameter ${number}"
    number: int


class ParameterTypesDiffer(AnalysisError, sql_state=SqlState.AMBIGUOUS_PARAMETER):
    prose = "[ERROR] inconsistent types deduced for parameter ${number}: {first} versus {second}"
    number: str
    first: str
    second: str


class ForeignParameterType(AnalysisError, code=Code.UNIMPLEMENTED):
    prose = "Unsupported ZetaSQL Type: {type}"
    type: str


class ProcedureNotFound(AnalysisError, code=Code.NOT_FOUND, sql_state=SqlState.UNDEFINED_FUNCTION):
    prose = "[ERROR] procedure {name} with {count} arguments does not exist"
    name: str
    count: int


class BadQuery(AnalysisError, sql_state=SqlState.SYNTAX_ERROR):
    """A clause is misused in a way that PostgreSQL calls an error."""

    prose = "[ERROR] {problem}"
    problem: str


class RefusedQuery(AnalysisError, sql_state=SqlState.FEATURE_NOT_SUPPORTED):
    """Spanner refuses the query as invalid, although it is valid in PostgreSQL."""

    prose = "{problem}"
    problem: str


class UnsupportedQuery(AnalysisError, code=Code.UNIMPLEMENTED):
    """Spanner does not implement a feature of PostgreSQL."""

    prose = "{feature} not supported"
    feature: str  # "WITH expressions in subqueries are"


class NotGrouped(AnalysisError, sql_state=SqlState.GROUPING_ERROR):
    prose = (
        '[ERROR] column "{column}" must appear in the GROUP BY clause or be used in an aggregate '
        "function"
    )
    column: str


class OrdinalOutOfRange(AnalysisError, sql_state=SqlState.INVALID_COLUMN_REFERENCE):
    prose = "[ERROR] {clause} position {number} is not in select list"
    clause: str
    number: int


class NotAnOrdinal(AnalysisError, sql_state=SqlState.SYNTAX_ERROR):
    prose = "[ERROR] non-integer constant in {clause}"
    clause: str


class UnsupportedKeyType(AnalysisError, code=Code.UNIMPLEMENTED):
    prose = "Queries containing a {clause} clause on column with Type {type} are not supported"
    clause: str
    type: str


class UnsupportedDistinctType(AnalysisError, code=Code.UNIMPLEMENTED):
    prose = "Column {column} of type {type} cannot be used in SELECT DISTINCT"
    column: str
    type: str


class NotInSelectList(AnalysisError, sql_state=SqlState.INVALID_COLUMN_REFERENCE):
    prose = "[ERROR] for SELECT DISTINCT, ORDER BY expressions must appear in select list"


class SetOperationWidths(AnalysisError, sql_state=SqlState.SYNTAX_ERROR):
    prose = "[ERROR] each {operation} query must have the same number of columns"
    operation: str


class SetOperationTypes(AnalysisError, code=Code.UNIMPLEMENTED):
    prose = "Set operations with mismatched input types are not supported"


class OrderOfSetOperation(AnalysisError, code=Code.UNIMPLEMENTED):
    prose = (
        "[ERROR] invalid UNION/INTERSECT/EXCEPT ORDER BY clause\n"
        "Detail: Only result column names can be used, not expressions or functions.\n"
        "Hint: Add the expression/function to every SELECT, or move the UNION into a FROM clause."
    )


class SubqueryWithoutAlias(AnalysisError, sql_state=SqlState.SYNTAX_ERROR):
    prose = (
        "[ERROR] subquery in FROM must have an alias\n"
        "Hint: For example, FROM (SELECT ...) [AS] foo."
    )


class NotLateral(AnalysisError, sql_state=SqlState.INVALID_COLUMN_REFERENCE):
    prose = (
        '[ERROR] invalid reference to FROM-clause entry for table "{name}"\n'
        "Detail: The combining JOIN type must be INNER or LEFT for a LATERAL reference."
    )
    name: str


class NoOutputColumns(AnalysisError, sql_state=SqlState.SYNTAX_ERROR):
    prose = "Statement must produce at least one output column"


class WrongExpressionType(AnalysisError, sql_state=SqlState.DATATYPE_MISMATCH):
    """A default, a generated column or a check has a type that does not convert to its column's."""

    prose = "Expected type {wanted}; found {type}"
    type: str
    wanted: str


class ColumnOfRelation(AnalysisError, sql_state=SqlState.UNDEFINED_COLUMN):
    prose = '[ERROR] column "{column}" of relation "{table}" does not exist'
    column: str
    table: str


class ColumnTwice(AnalysisError, sql_state=SqlState.DUPLICATE_COLUMN):
    prose = '[ERROR] column "{column}" specified more than once'
    column: str


class AssignedTwice(AnalysisError, sql_state=SqlState.SYNTAX_ERROR):
    prose = '[ERROR] multiple assignments to same column "{column}"'
    column: str


class MoreValues(AnalysisError, sql_state=SqlState.SYNTAX_ERROR):
    prose = "[ERROR] INSERT has more expressions than target columns"


class MoreColumns(AnalysisError, sql_state=SqlState.SYNTAX_ERROR):
    prose = "[ERROR] INSERT has more target columns than expressions"


class UnequalLists(AnalysisError, sql_state=SqlState.SYNTAX_ERROR):
    prose = "[ERROR] VALUES lists must all be the same length"


class ValueDoesNotFit(AnalysisError, sql_state=SqlState.DATATYPE_MISMATCH):
    prose = (
        '[ERROR] column "{column}" is of type {wanted} but expression is of type {type}\n'
        "Hint: You will need to rewrite or cast the expression."
    )
    column: str
    wanted: str
    type: str


class NotADefault(AnalysisError, sql_state=SqlState.GENERATED_ALWAYS):
    prose = '[ERROR] cannot insert a non-DEFAULT value into column "{column}"'
    column: str


class OnlyDefault(AnalysisError, sql_state=SqlState.GENERATED_ALWAYS):
    prose = '[ERROR] column "{column}" can only be updated to DEFAULT'
    column: str


class KeyNotAssignable(AnalysisError, sql_state=SqlState.FEATURE_NOT_SUPPORTED):
    prose = "Cannot modify a primary key column with UPDATE: {column}"
    column: str


class ReadOnlyRelation(AnalysisError, sql_state=SqlState.WRONG_OBJECT_TYPE):
    prose = 'Table "{name}" is read-only: it cannot be written by DML.'
    name: str


class ArrayElementAssigned(AnalysisError, sql_state=SqlState.FEATURE_NOT_SUPPORTED):
    prose = "Assignment to array elements is not supported"


class ConflictWithoutTarget(AnalysisError, sql_state=SqlState.INVALID_COLUMN_REFERENCE):
    prose = "ON CONFLICT target must list all key columns"


class ConflictRefused(AnalysisError, code=Code.UNIMPLEMENTED):
    """ON CONFLICT is written in a way that Spanner does not implement."""

    prose = "{problem}"
    problem: str


REFUSALS = (
    Unsupported,
    RefusedQuery,
    SetOperationTypes,
    UnsupportedDistinctType,
    UnsupportedKeyType,
    UnsupportedQuery,
    ArrayCast,
    ExpressionRefused,
    ExpressionType,
    ExpressionUnsupported,
    ModifierNotSupported,
    NotDistinguishable,
    TypeNotSupported,
    UnsupportedCast,
    UnsupportedFunction,
)

FOUND_FIRST = (
    AmbiguousColumn,
    AmbiguousTable,
    DuplicateTable,
    MissingFromEntry,
    RelationNotFound,
    TableNotVisible,
    UndefinedColumn,
    UndefinedParameter,
    UndefinedUsingColumn,
    NoSuchFunction,
    UndefinedType,
)
