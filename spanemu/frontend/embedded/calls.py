"""What calls of an embedded channel return and raise: `grpc.Call`s that are `grpc.Future`s too.

    Call                an RPC that ended
    ├── PendingCall     one that a thread is working on (`future()`)
    └── StreamCall      one whose replies are iterated over

As in gRPC's own implementation, a call is itself the `grpc.RpcError` that its failure raises.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Self

import grpc

from spanemu.base.clock import monotonic
from spanemu.frontend.dispatch import ServedCall
from spanemu.frontend.embedded.status import (
    CANCELLED,
    DEADLINE_EXCEEDED,
    OK,
    Ending,
    Metadatum,
    Refused,
    ending_of,
)


class Call(grpc.RpcError, grpc.Call, grpc.Future):  # type: ignore[misc]
    """An RPC that ended as `ending` says, None if it has yet to, with a response if that is OK."""

    def __init__(
        self, served: ServedCall, ending: Ending | None = None, response: Any = None
    ) -> None:
        self._served = served
        self._ending = ending
        self._response = response

    # ------------------------------------------------------------------ grpc.Call

    def initial_metadata(self) -> tuple[Metadatum, ...]:
        return ()

    def trailing_metadata(self) -> tuple[Metadatum, ...]:
        return self._end().trailers

    def code(self) -> grpc.StatusCode:
        return self._end().code

    def details(self) -> str:
        return self._end().details

    def debug_error_string(self) -> str:
        ending = self._end()
        if ending is OK:
            return ""
        number = ending.code.value[0]
        return f'embedded {{grpc_status:{number}, grpc_message:"{ending.details}"}}'

    def is_active(self) -> bool:
        return self._ending is None

    def time_remaining(self) -> float | None:
        return self._served.seconds_left()

    def cancel(self) -> bool:
        return False

    def add_callback(self, callback: Callable[[], None]) -> bool:
        return False

    # ------------------------------------------------------------------ grpc.Future

    def cancelled(self) -> bool:
        return self._ending is not None and self._ending.code is grpc.StatusCode.CANCELLED

    def running(self) -> bool:
        return self._ending is None

    def done(self) -> bool:
        return self._ending is not None

    def result(self, timeout: float | None = None) -> Any:
        ending = self._end(timeout)
        if ending.code is grpc.StatusCode.OK:
            return self._response
        raise self

    def exception(self, timeout: float | None = None) -> Exception | None:
        return None if self._end(timeout).code is grpc.StatusCode.OK else self

    def traceback(self, timeout: float | None = None) -> TracebackType | None:
        return None if self.exception(timeout) is None else self.__traceback__

    def add_done_callback(self, fn: Callable[[Any], None]) -> None:
        fn(self)

    def _end(self, timeout: float | None = None) -> Ending:
        assert self._ending is not None
        return self._ending

    def __str__(self) -> str:
        ending = self._ending
        if ending is None:
            return f"<{type(self).__name__} of an RPC in progress>"
        return (
            f"<{type(self).__name__} of RPC that terminated with:\n"
            f'\tstatus = {ending.code}\n\tdetails = "{ending.details}"\n>'
        )

    __repr__ = __str__


# Guards the endings of calls and their callbacks. One for all of them: it is held for a moment.
# Reentrant, since the garbage collector may end a forgotten call just then.
_ending_mutex = threading.RLock()


class LiveCall(Call):
    """An RPC that has yet to end: once, by its work or by being cancelled, whichever is first."""

    _callbacks: tuple[Callable[[], None], ...] = ()

    def cancel(self) -> bool:
        return self.abandon(CANCELLED)

    def abandon(self, ending: Ending) -> bool:
        """End the RPC as `ending` says, unless it has ended; waits below wake up."""
        if not self._finish(ending):
            return False
        self._served.cancel()
        return True

    def add_callback(self, callback: Callable[[], None]) -> bool:
        with _ending_mutex:
            if self._ending is None:
                self._callbacks += (callback,)
                return True
        return False

    def add_done_callback(self, fn: Callable[[Any], None]) -> None:
        if not self.add_callback(lambda: fn(self)):
            fn(self)

    def _finish(self, ending: Ending, response: Any = None) -> bool:
        with _ending_mutex:
            if self._ending is not None:
                return False
            self._response = response
            self._ending = ending
            callbacks, self._callbacks = self._callbacks, ()
        for callback in callbacks:
            callback()
        return True


class PendingCall(LiveCall):
    """A unary RPC that `work` carries out on a thread of its own."""

    def __init__(self, served: ServedCall, work: Callable[[], Any]) -> None:
        super().__init__(served)
        self._done = threading.Event()
        self.add_callback(self._done.set)
        self._work = work
        threading.Thread(target=self._run, name="spanemu-future", daemon=True).start()

    def result(self, timeout: float | None = None) -> Any:
        self._end(timeout)
        if self.cancelled():
            raise grpc.FutureCancelledError()
        return super().result(timeout)

    def exception(self, timeout: float | None = None) -> Exception | None:
        self._end(timeout)
        if self.cancelled():
            raise grpc.FutureCancelledError()
        return super().exception(timeout)

    def _run(self) -> None:
        try:
            response = self._work()
        except Exception as error:
            self._finish(ending_of(error, self._served))
        else:
            self._finish(OK, response)

    def _end(self, timeout: float | None = None) -> Ending:
        # The work ends by itself at the deadline, at the latest when it next looks.
        if not self._done.wait(timeout):
            raise grpc.FutureTimeoutError()
        assert self._ending is not None
        return self._ending


class StreamCall(LiveCall):
    """A streaming RPC, produced on the thread that iterates, one reply at a time.

    It starts when its first reply or its status is asked for. Asking for the status of a stream
    that was not read to its end reads the rest and keeps it.
    """

    _kept: deque[bytes] | None = None  # read already, because the status was asked for

    def __init__(
        self,
        served: ServedCall,
        replies: Iterator[bytes],
        deserialize: Callable[[bytes], Any],
    ) -> None:
        super().__init__(served)
        self._replies = replies
        self._deserialize = deserialize
        self._stepping = threading.RLock()  # Held while the generator below runs.

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        with self._stepping:
            if self._kept and not self.cancelled():
                data: bytes | None = self._kept.popleft()
            else:
                data = self._step() if self._ending is None else None
        if data is None:
            if self._ending is OK:
                raise StopIteration
            raise self
        try:
            return self._deserialize(data)
        except Refused as refused:
            self.abandon(refused.ending)
            raise self from refused.__cause__

    next = __next__

    def _step(self) -> bytes | None:
        """The next reply; None when there is none, and then the call has ended."""
        try:
            data = next(self._replies, None)
        except Exception as error:
            self._finish(ending_of(error, self._served))
            return None
        if data is None:
            self._finish(OK)
        elif self._ending is not None:  # Cancelled in the meantime, by another thread.
            self._close()
            return None
        elif monotonic() >= self._served.deadline:
            self.abandon(DEADLINE_EXCEEDED)
            self._close()
            return None
        return data

    def abandon(self, ending: Ending) -> bool:
        if not super().abandon(ending):
            return False
        # A thread that is in the middle of a step closes the replies itself when it is back.
        if self._stepping.acquire(blocking=False):
            try:
                self._close()
            finally:
                self._stepping.release()
        return True

    def _close(self) -> None:
        close = getattr(self._replies, "close", None)
        if close is not None:
            close()

    def _end(self, timeout: float | None = None) -> Ending:
        with self._stepping:
            while self._ending is None:
                data = self._step()
                if data is not None:
                    if self._kept is None:
                        self._kept = deque()
                    self._kept.append(data)
        return self._ending

    def result(self, timeout: float | None = None) -> Any:
        """The first reply, for callers that treat a stream as a future."""
        if self._end(timeout).code is not grpc.StatusCode.OK:
            raise self
        return self._deserialize(self._kept.popleft()) if self._kept else None

    def __del__(self) -> None:
        # Interpreter shutdown may have taken parts away before the constructor finished.
        if getattr(self, "_ending", OK) is None:
            self.abandon(CANCELLED)
