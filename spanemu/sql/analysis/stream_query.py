"""Queries of change streams: the call of a function that reads a stream, and nothing else.

    GoogleSQL     SELECT ChangeRecord FROM READ_<stream>(...)
    PostgreSQL    SELECT * FROM spanner.read_json_<stream>(...)

The database reads a stream by itself (`change_streams.reading`), so such a query has no resolved
statement: its analysis raises `StreamQuery` with the call, which everything that runs statements
reports, except a single-use read-only transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from spanemu.base.errors import Code, SpannerError
from spanemu.base.record import Record, record
from spanemu.schema.dialect import POSTGRESQL
from spanemu.schema.objects import ChangeStream
from spanemu.schema.schema import Schema
from spanemu.sql.errors import AnalysisError
from spanemu.sql.resolved import Expr, Literal, ParameterRef
from spanemu.sql.syntax_tree import Expression
from spanemu.values.types import INT64, STRING, TIMESTAMP, Type, array_of

COLUMN = "ChangeRecord"  # in GoogleSQL; in PostgreSQL, the name of the function

PARAMETERS: Mapping[str, Type] = {
    "start_timestamp": TIMESTAMP,
    "end_timestamp": TIMESTAMP,
    "partition_token": STRING,
    "heartbeat_milliseconds": INT64,
    "read_options": array_of(STRING),
}
_OPTIONAL = "read_options"

_ONLY_SINGLE_USE = (
    "Change stream queries must be strong reads executed via single use transactions using the "
    "ExecuteStreamingSql API."
)


@record
class StreamArgument(Record):
    """An argument: a constant in Python form, or the lower-cased name of a request's parameter."""

    type: Type
    value: Any = None
    parameter: str = ""


@record
class StreamCall(Record):
    """The call of a read function. `stream` is the folded name of the change stream.

    `arguments` are by parameter. `undeclared` are the request's parameters without declared types.
    `problem` is the fault of the arguments, if the analysis found any.
    """

    stream: str
    function: str
    arguments: Mapping[str, StreamArgument]
    undeclared: tuple[tuple[str, Type], ...] = ()
    problem: SpannerError | None = None


class StreamQuery(SpannerError, code=Code.INVALID_ARGUMENT):
    """A statement is a query of a change stream, which the current request cannot run."""

    prose = f"Change stream queries are not supported for this request. {_ONLY_SINGLE_USE}"
    call: StreamCall


class StreamQueryInTransaction(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Change stream queries are not supported for multi use transactions. " + _ONLY_SINGLE_USE
    )


class StreamQueryNotStreamed(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Change stream queries are not supported for the ExecuteSql API. " + _ONLY_SINGLE_USE


class StreamQueryCombined(SpannerError, code=Code.UNIMPLEMENTED):
    prose = (
        "Change stream TVF must not be combined with any other SQL statements. Change stream "
        "records should be read using `{form}`."
    )
    form: str


class StreamArgumentComputed(AnalysisError):
    prose = (
        "Invalid argument of change stream TVF {function}. Argument {index} is not a literal or "
        "parameter. Implicit type conversions are not supported."
    )
    function: str
    index: int


class StreamArgumentsWrong(AnalysisError):
    prose = (
        "No matching signature for table-valued function {function}: {reason}. It takes "
        "start_timestamp, end_timestamp, partition_token, heartbeat_milliseconds and, optionally, "
        "read_options."
    )
    function: str
    reason: str


# (name of the parameter or None, value) of each argument in a call
WrittenArguments = Sequence[tuple[str | None, Expression]]


@record
class WrittenCall(Record):
    """A call of the function that reads `stream`, in the statement `text`."""

    stream: ChangeStream
    arguments: WrittenArguments
    text: str


# resolves an argument as a value of a type, None if it cannot be converted
Resolve = Callable[[Expression, Type], Expr | None]


def stream_read_by(schema: Schema, path: Sequence[str]) -> ChangeStream | None:
    """Return the change stream that the function with that name reads."""
    dialect = schema.dialect
    *home, name = path
    if not schema.change_streams or home != (["spanner"] if dialect is POSTGRESQL else []):
        return None
    for head in dialect.read_functions:
        if schema.fold(name).startswith(schema.fold(head)):
            stream = schema.change_streams.get(schema.fold(name[len(head) :]))
            if stream is not None and (
                schema.fold(stream.read_function(dialect)) == schema.fold(name)
            ):
                return stream
    return None


def refuse_combined(schema: Schema, path: Sequence[str]) -> None:
    """Raise StreamQueryCombined for a function that reads a stream as a part of a query."""
    stream = stream_read_by(schema, path)
    if stream is not None:
        function = stream.read_function(schema.dialect)
        if schema.dialect is POSTGRESQL:
            raise StreamQueryCombined(f'SELECT * FROM "spanner"."{function}"(<args>)')
        raise StreamQueryCombined(f"SELECT {COLUMN} FROM {function}(<args>)")


def stream_call(
    schema: Schema,
    written: WrittenCall,
    resolve: Resolve,
    parameters: Callable[[], tuple[Mapping[str, Type], frozenset[str]]],
) -> StreamCall:
    """Return the call of a function that reads a stream; a fault in it is its `problem`.

    `parameters` returns the types of the parameters of the statement, and the names of those whose
    types are inferred.
    """
    function = written.stream.read_function(schema.dialect)
    folded = schema.fold(written.stream.name)
    try:
        arguments = _bound(function, written.arguments, resolve)
    except AnalysisError as problem:
        problem.locate(written.text)
        problem.position_in_message = not schema.dialect.reports_sql_states
        return StreamCall(folded, function, {}, (), problem)
    except SpannerError as problem:
        return StreamCall(folded, function, {}, (), problem)
    types, inferred = parameters()
    undeclared = tuple((name, type_) for name, type_ in types.items() if name in inferred)
    return StreamCall(folded, function, arguments, undeclared)


def _bound(
    function: str, written: WrittenArguments, resolve: Resolve
) -> Mapping[str, StreamArgument]:
    names = list(PARAMETERS)
    bound: dict[str, StreamArgument] = {}
    for index, (given, node) in enumerate(written):
        if given is None and index >= len(names):
            raise StreamArgumentsWrong(function, f"{len(written)} arguments", at=node.at)
        name = names[index] if given is None else given.lower()
        if name not in PARAMETERS:
            raise StreamArgumentsWrong(function, f"there is no parameter {given}", at=node.at)
        if name in bound:
            raise StreamArgumentsWrong(function, f"{name} is given twice", at=node.at)
        type_ = PARAMETERS[name]
        value = resolve(node, type_)
        if type(value) is Literal:
            bound[name] = StreamArgument(type_, value.value)
        elif type(value) is ParameterRef and value.type == type_:
            bound[name] = StreamArgument(type_, None, value.name)
        else:
            raise StreamArgumentComputed(function, index, at=node.at)
    for name in names:
        if name not in bound and name != _OPTIONAL:
            raise StreamArgumentsWrong(function, f"{name} is missing")
    return bound
