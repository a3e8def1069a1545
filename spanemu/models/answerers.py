"""What answers requests: a Python function, or answers by input that another process has sent."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import islice
from typing import Any

from spanemu.models.errors import BadAnswer
from spanemu.models.request import Request

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
    if isinstance(result, str | bytes | Mapping) or not hasattr(result, "__iter__"):
        raise BadAnswer(f"the function returned {type(result).__name__}, not a list of answers")
    return result if isinstance(result, list | tuple) else list(islice(result, rows + 1))


class GivenAnswers:
    """The answers given as data: the first whose input a row has, or the default."""

    is_json = True

    def __init__(
        self, answers: Sequence[tuple[Mapping[str, Any], Any]], default: Any = None
    ) -> None:
        self._answers = answers
        self._default = default

    def answer(self, request: Request) -> Sequence[Any]:
        return list(map(self._of, request.dicts))

    def _of(self, row: Mapping[str, Any]) -> Any:
        known = {name.lower(): value for name, value in row.items()}
        for given, output in self._answers:
            if all(known.get(name.lower()) == value for name, value in given.items()):
                return output
        if self._default is None:
            return BadAnswer(f"no answer is given for {dict(row)!r}, and no default")
        return self._default

    def __str__(self) -> str:
        return f"{len(self._answers)} given answers"
