"""Queries of change streams as results: their columns, and the rows that appear over time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from spanemu.base.clock import monotonic
from spanemu.change_streams.arguments import ReadArguments
from spanemu.change_streams.formats import format_of
from spanemu.change_streams.reading import StreamRows, StreamSource
from spanemu.database import errors
from spanemu.database.core import DatabaseCore
from spanemu.database.options import QueryMode, StatementRequest
from spanemu.database.statements.optimizer_options import options_in_effect
from spanemu.database.statements.query_engine import Measured, query_figures
from spanemu.database.statements.results import ResultStats, ResultStream
from spanemu.sql.analysis.stream_query import StreamCall
from spanemu.values.types import BadValue
from spanemu.values.value import decoder


def stream_result(
    core: DatabaseCore, call: StreamCall, request: StatementRequest, session: str
) -> ResultStream:
    """Return the result of a query of a change stream."""
    schema = core.generation.schema
    format_ = format_of(schema, schema.change_streams[call.stream])
    result = ResultStream(
        format_.columns, iter(()), stats=ResultStats(), undeclared_parameters=call.undeclared
    )
    if request.mode is QueryMode.PLAN:
        if call.problem is not None:
            raise call.problem
        return result
    rows: Any = StreamRows(
        StreamSource(core.store, core.stream_readers, core.readers, session),
        call.stream,
        partial(_arguments, call, request.parameters),
        format_,
        request.position,
    )
    if request.mode is not QueryMode.NORMAL:  # The statistics have no plan, as there is none.
        began = monotonic()

        def ended(count: int) -> None:
            done = Measured(count, monotonic() - began)
            optimizer = options_in_effect(request, (), schema)
            result.stats.query_stats = query_figures(request, done, count, optimizer)

        rows.ended = ended
    result.rows = rows
    return result


def _arguments(call: StreamCall, raw: Mapping[str, Any]) -> ReadArguments:
    """Return the values of the arguments. Raises the fault of the call, or of a parameter."""
    if call.problem is not None:
        raise call.problem
    values = {}
    for name, argument in call.arguments.items():
        values[name] = argument.value
        if argument.parameter:
            given = next((key for key in raw if key.lower() == argument.parameter), None)
            if given is None:
                raise errors.ParameterMissing(argument.parameter)
            try:
                values[name] = decoder(argument.type)(raw[given])
            except BadValue as bad:
                type_ = str(argument.type)
                raise errors.BadParameterValue(given, bad.shown, type_, bad.because) from None
    return ReadArguments(**values)
