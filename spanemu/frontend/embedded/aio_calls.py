"""The objects that calls of an embedded `grpc.aio` channel return.

Handlers are synchronous and may wait for locks. They run on the threads of a pool that is larger
than the number of calls that may wait (unlike the loop's own pool), and never on the event loop. A
stream that waits for rows that do not exist yet has no thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import lru_cache
from typing import Any

import grpc
import grpc.aio

from spanemu.base.call import serving
from spanemu.base.live import LiveRows
from spanemu.frontend.embedded.status import (
    CANCELLED,
    DEADLINE_EXCEEDED,
    OK,
    EmbeddedCall,
    FinalStatus,
    Refused,
    is_late,
    status_of_error,
)
from spanemu.frontend.listening import WAITING_MAX, WORKERS_MAX
from spanemu.frontend.waits import Waits

# The calls that wait for locks or time; the other threads are left for those that do not.
_waits = Waits(WAITING_MAX)


@lru_cache(maxsize=1)
def workers() -> ThreadPoolExecutor:
    """Return the pool of threads for the handlers of asynchronous calls."""
    return ThreadPoolExecutor(WORKERS_MAX, thread_name_prefix="spanemu-aio")


class AioCall:
    """An RPC that ends once, with the status in its future `_ended`."""

    def __init__(self, served: EmbeddedCall) -> None:
        self._served = served
        served.waits = _waits
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[FinalStatus] = self._loop.create_future()

    def cancelled(self) -> bool:
        return self._ended.done() and self._ended.result().code is grpc.StatusCode.CANCELLED

    def done(self) -> bool:
        return self._ended.done()

    def time_remaining(self) -> float | None:
        return self._served.seconds_left()

    def cancel(self) -> bool:
        if self._ended.done():
            return False
        self._finish(CANCELLED)
        self._served.cancel()
        return True

    def abandon(self, ending: FinalStatus) -> None:
        """End the RPC with the status `ending`, unless it has ended; callable from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._finish, ending)
        self._served.cancel()

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        if self._ended.done():
            callback(self)
        else:
            self._ended.add_done_callback(lambda _: callback(self))

    async def initial_metadata(self) -> grpc.aio.Metadata:
        return grpc.aio.Metadata()

    async def trailing_metadata(self) -> grpc.aio.Metadata:
        return grpc.aio.Metadata(*(await self._end()).trailers)

    async def code(self) -> grpc.StatusCode:
        return (await self._end()).code

    async def details(self) -> str:
        return (await self._end()).details

    async def debug_error_string(self) -> str:
        return (await self._end()).details

    async def _end(self) -> FinalStatus:
        # Shielded: cancelling the wait for the status does not cancel the call.
        return await asyncio.shield(self._ended)

    def _finish(self, ending: FinalStatus) -> None:
        if not self._ended.done():
            self._ended.set_result(ending)

    def _raise_unless_ok(self) -> None:
        ending = self._ended.result()
        if ending is CANCELLED:
            raise asyncio.CancelledError()
        if ending.code is not grpc.StatusCode.OK:
            raise grpc.aio.AioRpcError(
                ending.code,
                grpc.aio.Metadata(),
                grpc.aio.Metadata(*ending.trailers),
                details=ending.details,
                debug_error_string=ending.details,
            )


class AioUnaryCall(AioCall, grpc.aio.UnaryUnaryCall):  # type: ignore[misc]
    """A unary RPC that runs `work`."""

    def __init__(self, served: EmbeddedCall, work: Callable[[], Any]) -> None:
        super().__init__(served)
        self._response: Any = None
        self._task = self._loop.create_task(self._run(work))

    def __await__(self) -> Generator[Any, None, Any]:
        try:
            yield from asyncio.shield(self._ended).__await__()
        except asyncio.CancelledError:
            self.cancel()
            raise
        self._raise_unless_ok()
        return self._response

    async def _served_by(self, work: Callable[[], Any]) -> Any:
        if serving.actor is not None:  # An exploration orders requests, one at a time.
            return work()
        return await self._loop.run_in_executor(workers(), work)

    async def wait_for_connection(self) -> None:
        await self._end()
        self._raise_unless_ok()

    async def _run(self, work: Callable[[], Any]) -> None:
        try:
            self._response = await self._served_by(work)
        except Exception as error:
            self._finish(status_of_error(error, self._served))
        else:
            self._finish(OK)


class AioStreamCall(AioCall, grpc.aio.UnaryStreamCall):  # type: ignore[misc]
    """A streaming RPC; each reply is produced when it is requested."""

    def __init__(
        self,
        served: EmbeddedCall,
        replies: Iterator[bytes | LiveRows],
        deserialize: Callable[[bytes], Any],
    ) -> None:
        super().__init__(served)
        self._replies = replies
        self._deserialize = deserialize
        self._first: list[Any] = []
        self._stepping = asyncio.Lock()
        self._reader: AsyncIterator[Any] | None = None

    async def read(self) -> Any:
        async with self._stepping:
            if self._first:
                return self._first.pop()
            if not self._ended.done():
                reply = await self._step()
                if reply is not None:
                    return reply
        self._raise_unless_ok()
        return grpc.aio.EOF

    def __aiter__(self) -> AsyncIterator[Any]:
        if self._reader is None:
            self._reader = self._read_all()
        return self._reader

    async def wait_for_connection(self) -> None:
        """Wait until the first reply exists or the RPC has failed."""
        async with self._stepping:
            if not self._first and not self._ended.done():
                reply = await self._step()
                if reply is not None:
                    self._first.append(reply)
                    return
        if self._ended.done():
            self._raise_unless_ok()

    async def _read_all(self) -> AsyncIterator[Any]:
        while (reply := await self.read()) is not grpc.aio.EOF:
            yield reply

    async def _step(self) -> Any:
        """Return the next reply; None when there is none, after which the call has ended."""
        while isinstance(reply := await self._next_step(), LiveRows):
            await self._wait_for(reply)
        return reply

    async def _wait_for(self, rows: LiveRows) -> None:
        """Return when it is worth taking rows again."""
        loop, woken = self._loop, asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # The loop is closed.
                loop.call_soon_threadsafe(woken.set)

        rows.listen(wake)
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(woken.wait(), self._served.seconds_left())
        except asyncio.CancelledError:
            self.cancel()
            self._close()
            raise

    async def _next_step(self) -> Any:
        """Return what the replies yield next; None at their end."""
        step = self._begin_step()
        try:
            reply = await asyncio.shield(step)
        except asyncio.CancelledError:
            self.cancel()
            step.add_done_callback(self._close)
            raise
        except Exception as error:
            self._finish(status_of_error(error, self._served))
            return None
        if reply is None:
            self._finish(OK)
        elif self._ended.done():
            self._close()
            return None
        return reply

    def _begin_step(self) -> asyncio.Future[Any]:
        if serving.actor is None:
            return self._loop.run_in_executor(workers(), self._next_reply)
        step: asyncio.Future[Any] = self._loop.create_future()
        try:  # An exploration orders requests, one at a time.
            step.set_result(self._next_reply())
        except Exception as error:
            step.set_exception(error)
        return step

    def _next_reply(self) -> Any:
        data = next(self._replies, None)
        if data is None or isinstance(data, LiveRows):
            return data
        if is_late(self._served):
            raise Refused(DEADLINE_EXCEEDED)
        return self._deserialize(data)

    def _close(self, step: asyncio.Future[Any] | None = None) -> None:
        if step is not None and not step.cancelled():
            step.exception()  # Retrieved, so that asyncio does not warn about it.
        close = getattr(self._replies, "close", None)
        if close is not None:
            close()

    def cancel(self) -> bool:
        if not super().cancel():
            return False
        if not self._stepping.locked():
            self._close()
        return True
