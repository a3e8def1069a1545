"""What answers requests: a Python function, or answers by input that another process has sent."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import islice
from typing import Any

from spanemu.models.errors import BadAnswer
from spanemu.models.request import Request
from spanemu.values.types import BadValue, Type, TypeCode
from spanemu.values.value import decoder

Function = Callable[..., Any]


class FunctionAnswers:
    """The answers of a function of (rows, call), or of (row, call) with `each`.

    The function may be a coroutine function. One row of `each` may fail without the others.
    """

    is_json = False

    def __init__(self, function: Function, *, each: bool) -> None:
        self._function = function
        self._each = each

    def answer(self, request: Request) -> Sequence[Any]:
        if not self._each:
            result = _settled(self._function(request.dicts, request.call))
            return _listed(result, len(request.rows))
        return [self._one(row, request) for row in request.dicts]

    def _one(self, row: Mapping[str, Any], request: Request) -> Any:
        if request.work.is_abandoned:
            return None
        try:
            return _settled(self._function(row, request.call))
        except Exception as error:
            return error

    def __str__(self) -> str:
        function = inspect.unwrap(self._function)
        name = getattr(function, "__qualname__", type(function).__name__)
        code = getattr(function, "__code__", None)
        return name if code is None else f"{name} ({code.co_filename}:{code.co_firstlineno})"


def _settled(result: Any) -> Any:
    """Return the result of a function; that of a coroutine function once it has run."""
    if not inspect.isawaitable(result):
        return result

    import asyncio

    async def awaited(value: Awaitable[Any]) -> Any:
        return await value

    return asyncio.run(awaited(result))


def _listed(result: Any, rows: int) -> Sequence[Any]:
    """Return the answers to some rows as a list, with one more than there are rows at most."""
    is_list = hasattr(result, "__iter__") and not isinstance(result, str | bytes | Mapping)
    if not is_list or getattr(result, "ndim", 1) == 0:  # numpy's arrays of one number
        raise BadAnswer(f"the function returned {type(result).__name__}, not a list of answers")
    return result if type(result) in (list, tuple) else list(islice(result, rows + 1))


class GivenAnswers:
    """The answers given as data: the first whose input a row has, or the default.

    An input may be in Spanner's JSON form: INT64 as text, BYTES as Base64, times as RFC 3339.
    """

    is_json = True

    def __init__(
        self, answers: Sequence[tuple[Mapping[str, Any], Any]], default: Any = None
    ) -> None:
        self._answers = answers
        self._default = default

    def answer(self, request: Request) -> Sequence[Any]:
        columns = [(column.name.lower(), column.type) for column in request.inputs or ()]
        answers: list[Any] = []
        for shown, row in zip(request.dicts, request.rows, strict=True):
            cells = {name: (type_, cell) for (name, type_), cell in zip(columns, row, strict=False)}
            answers.append(self._of(shown, cells))
        return answers

    def _of(self, row: Mapping[str, Any], cells: Mapping[str, tuple[Type, Any]]) -> Any:
        known = {name.lower(): value for name, value in row.items()}
        for given, output in self._answers:
            if all(
                known.get(name.lower()) == value or _is_text_of(value, cells.get(name.lower()))
                for name, value in given.items()
            ):
                return output
        if self._default is None:
            return BadAnswer(f"no answer is given for {dict(row)!r}, and no default")
        return self._default

    def __str__(self) -> str:
        return f"{len(self._answers)} given answers"


def _is_text_of(given: Any, cell: tuple[Type, Any] | None) -> bool:
    """Return whether a text is the JSON form of a value that is no text."""
    if not isinstance(given, str) or cell is None:
        return False
    type_, value = cell
    if value is None or type_.code is TypeCode.STRING:
        return False
    try:
        return bool(decoder(type_)(given) == value)
    except BadValue:
        return False
