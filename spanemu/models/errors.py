"""Errors of calls of models, AI functions and remote functions.

    ModelCallFailed         the code of the failure; SAFE. turns it into NULL
    CallEnded               DEADLINE_EXCEEDED, CANCELLED: the request ended before the answer
    AnswerTooLarge          RESOURCE_EXHAUSTED
    NothingRegistered       FAILED_PRECONDITION
    TooManyRows             RESOURCE_EXHAUSTED: `Limits.model_rows`
    TooManyAbandoned        RESOURCE_EXHAUSTED: functions that do not return
    BadRowArgument          INVALID_ARGUMENT: an argument of `spanner.ml_predict_row`

Internal are `BadAnswer`, of an answer that does not fit the outputs of a target, `OversizedAnswer`,
of one that is too large to be looked at, and `RequestRefused`, of a URL. They become a
`ModelCallFailed` or an `AnswerTooLarge`.
"""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.base.errors import Code, SpannerError
from spanemu.base.sql_states import SqlState
from spanemu.sql.functions.errors import EvaluationError

# Spanner's texts. `{callee}` is "Agent Platform endpoint E", or the name of a function.
_TEXTS: Mapping[Code, str] = {
    Code.CANCELLED: "Call to {callee} was cancelled due to query cancellation.",
    Code.DEADLINE_EXCEEDED: "{callee} exceeded the call deadline.",
    Code.FAILED_PRECONDITION: "{callee} returned failed precondition error.",
    Code.INTERNAL: "Unknown error when accessing {callee}.",
    Code.INVALID_ARGUMENT: (
        "Invalid request to {callee}. Make sure that {callee} and Spanner model schema match."
    ),
    Code.NOT_FOUND: "{callee} not found.",
    Code.PERMISSION_DENIED: "Access to {callee} was denied.",
    Code.RESOURCE_EXHAUSTED: "{callee} quota has been exceeded.",
    Code.UNAVAILABLE: "{callee} is unavailable.",
}
_REASON_CHARACTERS_MAX = 500


class ModelCallFailed(EvaluationError, sql_state=SqlState.EXTERNAL_ROUTINE_EXCEPTION):
    """A model or function that fails, with the code of the failure."""

    prose = "{text}"
    text: str
    code: Code  # type: ignore[misc]


class CallEnded(SpannerError):
    """A request that ends while a function runs. SAFE. does not turn it into NULL."""

    prose = "{text}"
    text: str
    code: Code  # type: ignore[misc]


def text_of(code: Code, callee: str, reason: str = "") -> str:
    """Return Spanner's text for a failure of a callee, and the reason behind it."""
    text = _TEXTS.get(code, _TEXTS[Code.INTERNAL]).format(callee=callee)
    text = text[0].upper() + text[1:]
    shown = reason if len(reason) <= _REASON_CHARACTERS_MAX else reason[:_REASON_CHARACTERS_MAX]
    return f"{text} {shown}" if shown else text


def failed(code: Code, callee: str, reason: str = "") -> ModelCallFailed:
    """Return the error of a call that fails with a code."""
    return ModelCallFailed(text_of(code, callee, reason), code)


class BadAnswer(Exception):
    """An answer that does not fit the outputs of a target; the text says why."""


class OversizedAnswer(Exception):
    """An answer with a cell that is larger than any cell may be."""


class RequestRefused(Exception):
    """A request that a server of the test does not answer as it should."""

    def __init__(self, code: Code, text: str) -> None:
        super().__init__(text)
        self.code = code


class AnswerTooLarge(
    SpannerError, code=Code.RESOURCE_EXHAUSTED, sql_state=SqlState.PROGRAM_LIMIT_EXCEEDED
):
    prose = "The answer of {callee} exceeds the limit of {limit} bytes"
    callee: str
    limit: int


class NothingRegistered(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "{kind} {name} has no implementation in the emulator. Register one: "
        'emulator.models.register("{name}", function), the same of the pytest fixture '
        "spanner_models, or PUT /spanemu/v1/models/{name}."
    )
    kind: str
    name: str


class TooManyRows(
    SpannerError, code=Code.RESOURCE_EXHAUSTED, sql_state=SqlState.PROGRAM_LIMIT_EXCEEDED
):
    prose = (
        "The statement sends {rows} rows to {name}, more than the limit of {limit}, which "
        "Limits.model_rows sets."
    )
    name: str
    rows: int
    limit: int


class TooManyAbandoned(SpannerError, code=Code.RESOURCE_EXHAUSTED):
    prose = (
        "{count} functions of models were abandoned because they did not return, and still run: "
        "{names}."
    )
    count: int
    names: str


class PoolClosed(SpannerError, code=Code.UNAVAILABLE):
    prose = "The emulator is closed."


class BadRowArgument(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "The `{argument}` argument to ML_PREDICT_ROW {problem}."
    argument: str
    problem: str


_CODES: Mapping[str, Code] = {code.name: code for code in Code}


def code_of(error: BaseException) -> Code | None:
    """Return the gRPC code that an exception carries, or None.

    It is an attribute or a method `code`, as the errors of gRPC have it, or the attribute
    `grpc_status_code` of Google's client libraries.
    """
    for name in ("grpc_status_code", "code"):
        try:
            status = getattr(error, name, None)
            code = _CODES.get(getattr(status() if callable(status) else status, "name", ""))
        except Exception:  # of a class of the test
            continue
        if code is not None and code is not Code.OK:
            return code
    return None


def reason_of(error: BaseException) -> str:
    """Return the class and the message of an exception that a function raised."""
    try:
        message = str(error)
    except Exception:  # of a class of the test
        message = ""
    name = type(error).__name__
    return f"{name}: {message}" if message else name
