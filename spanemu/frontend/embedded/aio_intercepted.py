"""Calls of an embedded `grpc.aio` channel with interceptors.

The user's call wraps a task that runs the interceptors, the innermost of which makes the real call.
An interceptor may also answer by itself, with a response or an iterator.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Coroutine, Generator
from typing import Any

import grpc
import grpc.aio


class _Intercepted:
    """A call that delegates to the call which the interceptors return."""

    def __init__(self, chain: Coroutine[Any, Any, Any]) -> None:
        self._task: asyncio.Task[Any] = asyncio.get_running_loop().create_task(chain)

    def cancel(self) -> bool:
        if not self._task.done():
            return self._task.cancel()
        call = self._inner()
        return call is not None and bool(call.cancel())

    def cancelled(self) -> bool:
        call = self._inner()
        return self._task.cancelled() or (call is not None and bool(call.cancelled()))

    def done(self) -> bool:
        if not self._task.done():
            return False
        call = self._inner()
        return call is None or bool(call.done())

    def time_remaining(self) -> float | None:
        call = self._inner()
        remaining: float | None = None if call is None else call.time_remaining()
        return remaining

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        def when_intercepted(_task: object) -> None:
            call = self._inner()
            if call is None:
                callback(self)
            else:
                call.add_done_callback(lambda _: callback(self))

        if self._task.done():
            when_intercepted(self._task)
        else:
            self._task.add_done_callback(when_intercepted)

    async def initial_metadata(self) -> Any:
        return await self._ask("initial_metadata")

    async def trailing_metadata(self) -> Any:
        return await self._ask("trailing_metadata")

    async def code(self) -> Any:
        try:
            return await self._ask("code")
        except asyncio.CancelledError:
            if self._task.cancelled():
                return grpc.StatusCode.CANCELLED
            raise

    async def details(self) -> Any:
        return await self._ask("details")

    async def debug_error_string(self) -> Any:
        return await self._ask("debug_error_string")

    async def wait_for_connection(self) -> None:
        await (await self._task).wait_for_connection()

    async def _ask(self, question: str) -> Any:
        try:
            call = await asyncio.shield(self._task)
        except grpc.aio.AioRpcError as error:  # An interceptor raised the failure of a call.
            return getattr(error, question)()
        return await getattr(call, question)()

    def _inner(self) -> Any:
        """Return the call that the interceptors made; None while or if there is none."""
        if not self._task.done() or self._task.cancelled() or self._task.exception() is not None:
            return None
        return self._task.result()


class InterceptedUnaryCall(_Intercepted, grpc.aio.UnaryUnaryCall):  # type: ignore[misc]
    """A unary RPC behind interceptors."""

    def __await__(self) -> Generator[Any, None, Any]:
        call = yield from self._task.__await__()
        response = yield from call.__await__()
        return response


class InterceptedStreamCall(_Intercepted, grpc.aio.UnaryStreamCall):  # type: ignore[misc]
    """A streaming RPC behind interceptors."""

    def __init__(self, chain: Coroutine[Any, Any, Any]) -> None:
        super().__init__(chain)
        self._reader: AsyncIterator[Any] | None = None

    def __aiter__(self) -> AsyncIterator[Any]:
        if self._reader is None:
            self._reader = self._read_all()
        return self._reader

    async def read(self) -> Any:
        return await anext(aiter(self), grpc.aio.EOF)

    async def _read_all(self) -> AsyncIterator[Any]:
        async for reply in await self._task:
            yield reply


class _Answered:
    """A call that an interceptor answered itself."""

    def cancel(self) -> bool:
        return False

    def cancelled(self) -> bool:
        return False

    def done(self) -> bool:
        return True

    def time_remaining(self) -> float | None:
        return None

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        callback(self)

    async def initial_metadata(self) -> grpc.aio.Metadata:
        return grpc.aio.Metadata()

    async def trailing_metadata(self) -> grpc.aio.Metadata:
        return grpc.aio.Metadata()

    async def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.OK

    async def details(self) -> str:
        return ""

    async def debug_error_string(self) -> str:
        return ""

    async def wait_for_connection(self) -> None:
        """Return at once, because there is no connection to wait for."""


class UnaryOfResponse(_Answered, grpc.aio.UnaryUnaryCall):  # type: ignore[misc]
    """A response without an RPC."""

    def __init__(self, response: Any) -> None:
        self._response = response

    def __await__(self) -> Generator[Any, None, Any]:
        yield from ()
        return self._response


class StreamOfIterator(_Answered, grpc.aio.UnaryStreamCall):  # type: ignore[misc]
    """Replies without an RPC, or an interceptor's own iterator over the replies of an RPC."""

    def __init__(self, replies: AsyncIterable[Any]) -> None:
        self._replies = aiter(replies)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self._replies

    async def read(self) -> Any:
        return await anext(self._replies, grpc.aio.EOF)
