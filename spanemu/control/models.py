"""The models, AI functions and remote functions of an emulator: what answers them, and their calls.

    emulator.models.register("Embedder", function)      a Python function, in this process
    emulator.models.set_answers("Embedder", answers=[...])      answers as data, from any process
    emulator.models.calls                               the latest calls

`models` has the functions, and runs them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Self
from uuid import UUID

from spanemu.base.process import OwnProcess
from spanemu.control.operation import ControlInterface, operation
from spanemu.models import answerers, http_answers, recorded, registry

# mypy: disable-error-code="empty-body"

__tracebackhide__ = True  # pytest then shows the caller's line


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """An answer to rows that have the values of `input`: the outputs by name, or the result."""

    input: Mapping[str, Any]
    output: Any


@dataclass(frozen=True, slots=True)
class RegisteredModel:
    """A registration: the name or pattern, and what answers."""

    name: str
    answers: str


@dataclass(frozen=True, slots=True)
class ModelCallRecord:
    """A request to a model or a function, as plain data.

    model        the name of the model or the function; the endpoint in PostgreSQL
    function     the function of SQL, such as "ML.PREDICT"
    rows         the rows by the names of the inputs; empty if they were too large to be kept
    answers      the outputs by name, in the order of the rows; empty for a failure
    error        the message of the failure, or ""
    """

    model: str
    endpoint: str
    function: str
    database: str
    row_count: int
    parameters: Mapping[str, Any]
    rows: Sequence[Mapping[str, Any]]
    answers: Sequence[Mapping[str, Any]]
    error: str = ""


class ModelControl(ControlInterface):
    """The operations on what answers the models and remote functions of an emulator.

    A name is that of a model or of a function, in any case, or an endpoint; `*` and `?` stand for
    any characters. The latest registration that matches decides.
    """

    PATH = "models"

    @operation("SetModel", "PUT /{name}")
    def set_answers(
        self,
        name: str,
        *,
        answers: Sequence[GivenAnswer] = (),
        default: Any = None,
        url: str = "",
    ) -> None:
        """Answer calls with data, or with a URL of this machine, in place of what was set before.

        A row gets the output of the first answer whose input it has, or else `default`. The URL
        gets the requests of Agent Platform's predictions, or those of a remote function. Raises
        ValueError for another URL, and if neither answers nor a URL are given.
        """

    @operation("RemoveModel", "DELETE /{name}", "removed")
    def remove(self, name: str) -> bool:
        """Remove what was registered for a name; return whether there was anything."""

    @operation("ListModels", "GET", "models")
    def registered(self) -> Sequence[RegisteredModel]:
        """Return the registrations, the latest first."""

    @operation("FailModel", "POST /{name}:fail")
    def fail(self, name: str, kind: str, *, times: int = 1, after: int = 0) -> None:
        """Fail the next `times` requests to a model, after the next `after` ones.

        Kinds are "quota", "deadline", "malformed", "unavailable", "denied", "not_found",
        "precondition", "internal" and "cancelled", each with the error that Spanner documents.
        Raises ValueError for another kind.
        """

    @operation("ModelCalls", "GET :calls", "calls")
    def call_records(self) -> Sequence[ModelCallRecord]:
        """Return the latest calls as plain data, the earliest first: 1,000 of them, and 1 MB."""

    @operation("CountPredictions", "GET :predictions", "rows")
    def predictions(self, database: str) -> int:
        """Return how many rows of statements in a database were sent, in all of its calls.

        `database` is its full name.
        """

    @operation("ClearModels", "POST :clear")
    def clear(self) -> None:
        """Remove all registrations and failures, and forget the calls."""

    def register(
        self, name: str, function: Callable[..., Any], *, each: bool = False
    ) -> RegistrationHandle:
        """Answer calls with a Python function, which needs an emulator in this process.

        `function(rows, call)` gets a list of dicts, and returns as many answers: a dict of outputs
        for a model, the result for another function. With `each` it gets one row at a time. It may
        be a coroutine function. Raises ValueError for an emulator in another process.
        """
        raise ValueError(
            "a Python function can only answer calls of an emulator in this process: use "
            "models.set_answers(name, answers=..., default=...) or the address of a server: url=..."
        )

    @contextmanager
    def scoped(self) -> Iterator[Self]:
        """Undo at the end of a block what was registered in it, and forget the calls before it.

        In another process, everything that is registered is removed.
        """
        self.clear()
        try:
            yield self
        finally:
            self.clear()

    @property
    def calls(self) -> Sequence[Any]:
        """The latest calls, the earliest first: as many as 1,000, and 1 MB."""
        return self.call_records()


class RegistrationHandle:
    """A registered function; a context manager that removes it at the end."""

    def __init__(self, home: registry.ModelRegistry, registration: registry.Registration) -> None:
        self._home = home
        self._registration = registration

    @property
    def name(self) -> str:
        """The name or the pattern that the function is registered for."""
        return self._registration.pattern

    def remove(self) -> None:
        """Remove the function. Removing it twice does nothing."""
        self._home.remove(self._registration)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc_info: object) -> None:
        self.remove()

    def __repr__(self) -> str:
        return f"<{self._registration.answerer} registered for {self.name!r}>"


class EmbeddedModels(ModelControl):
    """The answers to calls of models in an emulator in this process."""

    _registry = OwnProcess["registry.ModelRegistry"]()

    def __init__(self, made: registry.ModelRegistry) -> None:
        self._registry = made

    def register(
        self, name: str, function: Callable[..., Any], *, each: bool = False
    ) -> RegistrationHandle:
        if not callable(function):
            raise ValueError(f"{function!r} is not callable")
        answerer = answerers.FunctionAnswers(function, each=each)
        return RegistrationHandle(self._registry, self._registry.register(name, answerer))

    def set_answers(
        self,
        name: str,
        *,
        answers: Sequence[GivenAnswer] = (),
        default: Any = None,
        url: str = "",
    ) -> None:
        if url and (answers or default is not None):
            raise ValueError("url: a URL answers all rows, so that no other answers can be given")
        if not url and not answers and default is None:
            raise ValueError("answers: give answers, a default or a url")
        answerer: Any
        if url:
            answerer = http_answers.UrlAnswers(url)
        else:
            pairs = [(each.input, each.output) for each in map(_given, answers)]
            answerer = answerers.GivenAnswers(pairs, default)
        self._registry.remove_pattern(name)
        self._registry.register(name, answerer)

    def remove(self, name: str) -> bool:
        return self._registry.remove_pattern(name)

    def registered(self) -> Sequence[RegisteredModel]:
        return [
            RegisteredModel(each.pattern, str(each.answerer))
            for each in self._registry.registrations
        ]

    def fail(self, name: str, kind: str, *, times: int = 1, after: int = 0) -> None:
        self._registry.fail(name, kind, times, after)

    def call_records(self) -> Sequence[ModelCallRecord]:
        return list(map(_record_of, self.calls))

    @property
    def calls(self) -> Sequence[recorded.RecordedCall]:
        """The latest calls, the earliest first: as many as 1,000, and 1 MB."""
        return self._registry.recorder.calls()

    @contextmanager
    def scoped(self) -> Iterator[Self]:
        before = self._registry.state()
        self._registry.recorder.clear()
        try:
            yield self
        finally:
            self._registry.restore(before)
            self._registry.recorder.clear()

    def predictions(self, database: str) -> int:
        return self._registry.recorder.rows.get(database, 0)

    @property
    def abandoned(self) -> Sequence[str]:
        """The functions that were abandoned because they did not return, and still run."""
        return self._registry.pool.abandoned

    def clear(self) -> None:
        self._registry.clear()


def _given(answer: GivenAnswer | Mapping[str, Any]) -> GivenAnswer:
    """Return an answer, which Python code may also give as a dict."""
    return answer if isinstance(answer, GivenAnswer) else GivenAnswer(**answer)


def _sendable(value: Any) -> Any:
    """Return plain data that other processes can be sent."""
    if isinstance(value, Mapping):
        return {name: _sendable(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_sendable(each) for each in value]
    is_text = isinstance(value, Decimal | date | UUID) and not isinstance(value, datetime)
    return str(value) if is_text else value


def _record_of(call: recorded.RecordedCall) -> ModelCallRecord:
    return ModelCallRecord(
        call.model,
        call.endpoint,
        call.function,
        call.database,
        call.row_count,
        _sendable(call.parameters),
        _sendable(call.rows),
        _sendable(call.answers),
        call.error,
    )
