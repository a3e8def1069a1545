"""The calls of one statement: rows in requests, limits, fail-over, and the errors of failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from spanemu.base.call import Cancelled, DeadlineExceeded
from spanemu.base.clock import monotonic
from spanemu.base.errors import Code
from spanemu.base.limits import CELL_BYTES_MAX
from spanemu.base.record import NamedTuple, dataclass
from spanemu.models import predict_row
from spanemu.models.answers import Columns, check_size, dict_maker, output_reader, sizer
from spanemu.models.default_answer import default_outputs, default_prediction
from spanemu.models.errors import (
    AnswerTooLarge,
    BadAnswer,
    CallEnded,
    ModelCallFailed,
    NothingRegistered,
    OversizedAnswer,
    RequestRefused,
    TooManyRows,
    code_of,
    failed,
    reason_of,
    text_of,
)
from spanemu.models.recorded import RecordedCall
from spanemu.models.registry import ModelRegistry
from spanemu.models.request import Answerer, ModelCall, Request, Work
from spanemu.models.values import jsonb, shown, writer
from spanemu.sql.remote_calls import CallOptions, Row, Target, TargetKind
from spanemu.values.pg_jsonb import Jsonb
from spanemu.values.types import Type

# Failures after which the next endpoint would fail, too.
_FINAL = frozenset({Code.INVALID_ARGUMENT, Code.CANCELLED})

Read = Callable[[Sequence[Any]], list[Row]]


class Route(NamedTuple):
    """An endpoint, and what answers for it; None for the default answer."""

    endpoint: str
    answerer: Answerer | None


@dataclass(frozen=True)
class Destination:
    """The model or function that requests are sent to, with what all requests share.

    `inputs` and `outputs` are None for the instances and predictions of `ml_predict_row`.
    `typed_parameters` are the STRUCT of ML.PREDICT and its type, `parameters` the same in Python.
    """

    kind: TargetKind
    name: str
    endpoints: tuple[str, ...]
    inputs: Columns | None
    outputs: Columns | None
    parameters: Mapping[str, Any]
    batch_rows: int
    safe: bool
    typed_parameters: tuple[Any, Type] | None = None

    @property
    def function(self) -> str:
        """The name of the function of SQL."""
        is_model = self.kind in (TargetKind.MODEL, TargetKind.MODEL_ROW)
        return str(self.kind) if is_model else self.name

    @property
    def is_model(self) -> bool:
        """Return whether a model is called, which has a default answer."""
        return self.kind in (TargetKind.MODEL, TargetKind.MODEL_ROW)

    @property
    def missing(self) -> Row:
        """The outputs of a row that failed."""
        return (None,) if self.outputs is None else (None,) * len(self.outputs)

    def callee(self, endpoint: str) -> str:
        """Return how messages call the destination."""
        if self.kind is TargetKind.REMOTE_FUNCTION:
            return f"remote function {self.name}"
        if self.kind is TargetKind.AI_FUNCTION:
            return f"Agent Platform endpoint of {self.name}"
        return f"Agent Platform endpoint {endpoint}"

    def call(self, endpoint: str, dialect: str, database: str) -> ModelCall:
        """Return what a registered function learns about a request."""
        return ModelCall(
            self.function,
            self.name,
            endpoint,
            self.parameters,
            dialect,
            database,
            {column.name: column.type for column in self.inputs or ()},
            {column.name: column.type for column in self.outputs or ()},
        )

    def default(self, rows: Sequence[Row]) -> list[Row]:
        """Return the outputs of a model without a registered function."""
        if self.inputs is None or self.outputs is None:
            return [(jsonb(default_prediction(row[0])),) for row in rows]
        return default_outputs(rows, self.inputs, self.outputs)

    def reader(self, *, is_json: bool) -> Read:
        """Return the function from answers to the outputs they stand for. It raises BadAnswer."""
        if self.outputs is None:
            return _predictions
        return output_reader(self.outputs, is_json=is_json, is_bare=not self.is_model).rows


def _predictions(answers: Sequence[Any]) -> list[Row]:
    return list(map(_prediction, answers))


def _prediction(answer: Any) -> Row:
    if answer is None:
        raise BadAnswer("a prediction is missing")
    return (jsonb(answer),)


class _Inline:
    """The work of a thread of the engine, for answers that need no function."""

    is_abandoned = False

    def seconds_left(self) -> float | None:
        return None


_INLINE: Work = _Inline()


class StatementCalls:
    """The calls of one statement. A `sql.remote_calls.RemoteCalls`."""

    def __init__(self, registry: ModelRegistry, database: str, dialect: str, rows_max: int) -> None:
        self._registry = registry
        self._database = database
        self._dialect = dialect
        self._rows_max = rows_max
        self._rows = 0
        self.waited = 0.0

    def answer(self, target: Target, rows: Sequence[Row], options: CallOptions) -> Sequence[Row]:
        """Return the outputs of a target for each row."""
        return _STRATEGIES[target.kind](self, target, rows, options)

    # ------------------------------------------------------------------ kinds of targets

    def _predict(self, target: Target, rows: Sequence[Row], options: CallOptions) -> list[Row]:
        parameters: Any = {}
        typed = None
        if options.parameters is not None and options.parameters_type is not None:
            write = writer(options.parameters_type)
            assert write is not None
            parameters = write(options.parameters)
            typed = options.parameters, options.parameters_type
        return self._send(_destination(target, options, parameters, typed), rows)

    def _predict_rows(self, target: Target, rows: Sequence[Row], options: CallOptions) -> list[Row]:
        """Answer calls of `ml_predict_row`; neighbours of the same model share requests."""
        calls = [predict_row.read_call(endpoint, args) for endpoint, args in rows]
        results: list[Row] = []
        for group in _groups(calls):
            first = group[0]
            destination = Destination(
                target.kind,
                first.endpoints[0],
                first.endpoints,
                None,
                None,
                first.parameters,
                first.batch_rows or options.batch_rows,
                safe=False,
            )
            instances = [(instance,) for call in group for instance in call.instances]
            predictions = iter(self._send(destination, instances))
            for call in group:
                values = [next(predictions)[0].value for _ in call.instances]
                results.append((Jsonb({"predictions": values}),))
        return results

    def _ask(self, target: Target, rows: Sequence[Row], options: CallOptions) -> list[Row]:
        """Answer calls of an AI function; those without a prompt are NULL."""
        asked = [_question(row) for row in rows]
        is_if = target.name == "AI.IF"
        is_needed = [bool(row[0]) if is_if else row[0] is not None for row in asked]
        sent = [row for row, needed in zip(asked, is_needed, strict=True) if needed]
        destination = _destination(target, options, _descriptions(rows))
        answers = iter(self._send(destination, sent) if sent else ())
        return [next(answers) if needed else (None,) for needed in is_needed]

    def _invoke(self, target: Target, rows: Sequence[Row], options: CallOptions) -> list[Row]:
        return self._send(_destination(target, options, {}), rows)

    # ------------------------------------------------------------------ requests

    def _send(self, destination: Destination, rows: Sequence[Row]) -> list[Row]:
        """Return the outputs for rows, which are sent in requests."""
        self._rows += len(rows)
        if self._rows > self._rows_max:
            raise TooManyRows(destination.name, self._rows, self._rows_max)
        routes = self._routes_of(destination)
        size = destination.batch_rows
        batches = [rows[start : start + size] for start in range(0, len(rows), size)]
        work = partial(self._batches, destination, routes, batches)
        answerer = next((each.answerer for each in routes if each.answerer is not None), None)
        if answerer is None:
            return work(_INLINE)
        began = monotonic()
        try:
            return self._registry.pool.run(work, f"{answerer} of {destination.name}")
        except (DeadlineExceeded, Cancelled) as ended:
            text = text_of(ended.code, destination.callee(routes[0].endpoint))
            raise CallEnded(text, ended.code) from None
        finally:
            self.waited += monotonic() - began

    def _routes_of(self, destination: Destination) -> list[Route]:
        """Return the endpoints that have an answerer; one for the default answer otherwise."""
        endpoints = destination.endpoints or ("",)
        name = destination.name if destination.kind is not TargetKind.MODEL_ROW else ""
        registered = [(each, self._registry.find(name, each)) for each in endpoints]
        routes = [Route(each, one.answerer) for each, one in registered if one is not None]
        if routes:
            return routes
        if not destination.is_model:
            raise NothingRegistered(_KIND_WORDS[destination.kind], destination.name)
        return [Route(endpoints[0], None)]

    def _batches(
        self,
        destination: Destination,
        routes: Sequence[Route],
        batches: Sequence[Sequence[Row]],
        work: Work,
    ) -> list[Row]:
        senders = [
            Sender(
                self._registry,
                destination,
                route,
                destination.call(route.endpoint, self._dialect, self._database),
            )
            for route in routes
        ]
        outputs: list[Row] = []
        for batch in batches:
            if work.is_abandoned:
                break
            outputs += _answered_by(senders, batch, work, destination)
        return outputs


class Sender:
    """The requests to one endpoint."""

    def __init__(
        self,
        registry: ModelRegistry,
        destination: Destination,
        route: Route,
        call: ModelCall,
    ) -> None:
        self._registry = registry
        self._destination = destination
        self._route = route
        self._call = call
        self._to_dicts = dict_maker(destination.inputs)
        self._size_of_inputs = sizer(destination.inputs)
        self._size_of_outputs = sizer(destination.outputs)
        answerer = route.answerer
        self._read = destination.reader(is_json=answerer is not None and answerer.is_json)

    @cached_property
    def _callee(self) -> str:
        return self._destination.callee(self._route.endpoint)

    def outputs(self, rows: Sequence[Row], work: Work) -> list[Row]:
        """Return the outputs of each row, and record the request. Raises ModelCallFailed."""
        destination = self._destination
        request = Request(destination.kind, self._call, rows, destination.inputs, work)
        request.to_dicts = self._to_dicts
        request.typed_parameters = destination.typed_parameters
        try:
            outputs = self._answered(request)
            size = 0
            if destination.outputs is not None:
                size = check_size(outputs, self._size_of_outputs, self._callee)
        except OversizedAnswer:
            failure = AnswerTooLarge(self._callee, CELL_BYTES_MAX)
            self._record(request, (), 0, str(failure))
            raise failure from None
        except (ModelCallFailed, AnswerTooLarge) as failed_call:
            self._record(request, (), 0, str(failed_call))
            raise
        self._record(request, outputs, size)
        return outputs

    def _record(self, request: Request, outputs: Sequence[Row], size: int, error: str = "") -> None:
        if request.work.is_abandoned:
            return
        columns = self._destination.outputs
        size += self._size_of_inputs(request.rows)
        if columns is None:
            size += self._size_of_outputs(outputs)
            outputs = [(row[0].value,) for row in outputs]
        self._registry.recorder.add(RecordedCall(request, outputs, columns, error), size)

    def _answered(self, request: Request) -> list[Row]:
        """Return the outputs of each row. Raises ModelCallFailed and OversizedAnswer."""
        name = self._destination.name
        injected = self._registry.take_failure(name, self._route.endpoint, self._callee)
        if injected is not None:
            code, text = injected
            raise ModelCallFailed(text, code)
        answerer = self._route.answerer
        if answerer is None:
            return self._destination.default(request.rows)
        try:
            answers = answerer.answer(request)
        except BaseException as error:
            raise self._failure(error) from None
        if len(answers) != len(request.rows):
            counts = f"{len(request.rows)} rows got {len(answers)} answers."
            raise failed(Code.INVALID_ARGUMENT, self._callee, counts)
        if not any(issubclass(kind, BaseException) for kind in set(map(type, answers))):
            try:
                return self._outputs_of(answers, request.rows, request.kind)
            except ModelCallFailed:
                if not self._destination.safe:
                    raise
        return [
            self._row(answer, row, request)
            for answer, row in zip(answers, request.rows, strict=True)
        ]

    def _outputs_of(
        self, answers: Sequence[Any], rows: Sequence[Row], kind: TargetKind
    ) -> list[Row]:
        """Return the outputs of the answers to some rows.

        Raises ModelCallFailed also for what the answers raise while they are read: their classes
        are those of the test.
        """
        try:
            return self._checked(self._read(answers), rows, kind)
        except OversizedAnswer:
            raise
        except BaseException as error:
            raise self._failure(error) from None

    def _failure(self, error: BaseException) -> ModelCallFailed:
        """Return the error for an exception of a function."""
        if isinstance(error, ModelCallFailed):
            return error
        if isinstance(error, BadAnswer):
            return failed(Code.INVALID_ARGUMENT, self._callee, f"{error}.")
        if isinstance(error, RequestRefused):
            return failed(error.code, self._callee, f"{error}.")
        code = code_of(error) or Code.INTERNAL
        return failed(code, self._callee, reason_of(error))

    def _row(self, answer: Any, row: Row, request: Request) -> Row:
        """Return the outputs of one row, of which one answer may be a failure."""
        try:
            if isinstance(answer, BaseException):
                raise self._failure(answer)
            (outputs,) = self._outputs_of([answer], [row], request.kind)
        except ModelCallFailed:
            if not self._destination.safe:
                raise
            return self._destination.missing
        return outputs

    def _checked(self, outputs: list[Row], rows: Sequence[Row], kind: TargetKind) -> list[Row]:
        """Return outputs, which must be categories if the question names categories."""
        if self._destination.name == "AI.CLASSIFY" and kind is TargetKind.AI_FUNCTION:
            for (label,), (_, labels) in zip(outputs, rows, strict=True):
                if label not in labels:
                    raise BadAnswer(f"{shown(label)} is none of the categories {', '.join(labels)}")
        return outputs


def _answered_by(
    senders: Sequence[Sender], rows: Sequence[Row], work: Work, destination: Destination
) -> list[Row]:
    """Return the outputs of one request; it is sent to the next endpoint if one fails."""
    for number, sender in enumerate(senders, 1):
        try:
            return sender.outputs(rows, work)
        except ModelCallFailed as failure:
            if number < len(senders) and failure.code not in _FINAL:
                continue
            if destination.safe:
                break
            raise
    return [destination.missing] * len(rows)


_Strategy = Callable[[StatementCalls, Target, Sequence[Row], CallOptions], list[Row]]
_STRATEGIES: Mapping[TargetKind, _Strategy] = {
    TargetKind.MODEL: StatementCalls._predict,
    TargetKind.MODEL_ROW: StatementCalls._predict_rows,
    TargetKind.AI_FUNCTION: StatementCalls._ask,
    TargetKind.REMOTE_FUNCTION: StatementCalls._invoke,
}
_KIND_WORDS: Mapping[TargetKind, str] = {
    TargetKind.AI_FUNCTION: "AI function",
    TargetKind.REMOTE_FUNCTION: "Remote function",
}


def _destination(
    target: Target,
    options: CallOptions,
    parameters: Mapping[str, Any],
    typed_parameters: tuple[Any, Type] | None = None,
) -> Destination:
    return Destination(
        target.kind,
        target.name,
        target.endpoints,
        target.inputs,
        target.outputs,
        parameters,
        options.batch_rows,
        options.safe,
        typed_parameters,
    )


def _groups(calls: Sequence[predict_row.RowCall]) -> Iterator[list[predict_row.RowCall]]:
    """Yield runs of calls of the same model with the same parameters."""
    group: list[predict_row.RowCall] = []
    for call in calls:
        if group and call._replace(instances=()) != group[0]._replace(instances=()):
            yield group
            group = []
        group.append(call)
    if group:
        yield group


def _question(row: Row) -> Row:
    """Return a prompt as one text, or None, and the names of the categories."""
    prompt, *rest = row
    if isinstance(prompt, tuple):
        prompt = None if None in prompt else "".join(prompt)
    if not rest:
        return (prompt,)
    return prompt, tuple([each[0] if isinstance(each, tuple) else each for each in rest[0]])


def _descriptions(rows: Sequence[Row]) -> Mapping[str, Any]:
    """Return the descriptions of the categories, which are the same for all rows."""
    categories = rows[0][1] if rows and len(rows[0]) > 1 else ()
    described: dict[str, Any] = dict([each for each in categories if isinstance(each, tuple)])
    return {"descriptions": described} if described else {}
