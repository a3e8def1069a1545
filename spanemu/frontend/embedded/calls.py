"""The objects that calls of an embedded channel return and raise: `grpc.Call`s and `grpc.Future`s.

    Call                an RPC that ended
    ├── PendingCall     an RPC in progress on a thread of its own (`future()`)
    └── StreamCall      an RPC whose replies are iterated over

As in gRPC's own implementation, a call is itself the `grpc.RpcError` that its failure raises.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Self

import grpc

from spanemu.base.call import serving_threads
from spanemu.base.clock import monotonic
from spanemu.frontend.dispatch import ServedCall
from spanemu.frontend.embedded.status import (
    CANCELLED,
    DEADLINE_EXCEEDED,
    OK,
    FinalStatus,
    Metadatum,
    Refused,
    status_of_error,
)
from spanemu.frontend.embedded.turns import turns


class Call(grpc.RpcError, grpc.Call, grpc.Future):  # type: ignore[misc]
    """An RPC with its final status `ending`, None while in progress, and its response if OK."""

    def __init__(
        self, served: ServedCall, ending: FinalStatus | None = None, response: Any = None
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

    def _end(self, timeout: float | None = None) -> FinalStatus:
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


# Guards the final statuses of calls and their callbacks. One lock serves all calls, because it is
# held only briefly. Reentrant: garbage collection may end an abandoned call while it is held.
_ending_mutex = threading.RLock()


class LiveCall(Call):
    """An RPC in progress, which ends once: by its work or by cancellation, whichever is first."""

    _callbacks: tuple[Callable[[], None], ...] = ()

    def cancel(self) -> bool:
        return self.abandon(CANCELLED)

    def abandon(self, ending: FinalStatus) -> bool:
        """End the RPC with the status `ending` unless it has ended; wake up waiting threads."""
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

    def _finish(self, ending: FinalStatus, response: Any = None) -> bool:
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
    """A unary RPC that runs `work` on its own thread."""

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
            self._finish(status_of_error(error, self._served))
        else:
            self._finish(OK, response)

    def _end(self, timeout: float | None = None) -> FinalStatus:
        # The work ends by itself after the deadline, when it next checks the deadline.
        if not self._done.wait(timeout):
            raise grpc.FutureTimeoutError()
        assert self._ending is not None
        return self._ending


class StreamCall(LiveCall):
    """A streaming RPC, produced on the thread that iterates, one reply at a time.

    The RPC starts when its first reply or its status is requested. Requesting the status of a
    stream that was not read to its end reads the remaining replies and keeps them.
    """

    _kept: deque[bytes] | None = None  # replies read because the status was requested

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
        """Return the next reply; None when there is none, after which the call has ended."""
        takes_turns = serving_threads.are_several
        if takes_turns:
            turns.begin()
        data = None
        try:
            data = next(self._replies, None)
        except Exception as error:
            self._finish(status_of_error(error, self._served))
            return None
        finally:
            if takes_turns:
                if data is None:
                    turns.end()
                else:
                    turns.leave()
        if data is None:
            self._finish(OK)
        elif self._ending is not None:  # Cancelled meanwhile by another thread.
            self._close()
            return None
        elif monotonic() >= self._served.deadline:
            self.abandon(DEADLINE_EXCEEDED)
            self._close()
            return None
        return data

    def abandon(self, ending: FinalStatus) -> bool:
        if not super().abandon(ending):
            return False
        # A thread in the middle of a step closes the replies itself after the step.
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

    def _end(self, timeout: float | None = None) -> FinalStatus:
        with self._stepping:
            while self._ending is None:
                data = self._step()
                if data is not None:
                    if self._kept is None:
                        self._kept = deque()
                    self._kept.append(data)
        return self._ending

    def result(self, timeout: float | None = None) -> Any:
        """Return the first reply, for callers that treat a stream as a future."""
        if self._end(timeout).code is not grpc.StatusCode.OK:
            raise self
        return self._deserialize(self._kept.popleft()) if self._kept else None

    def __del__(self) -> None:
        # Interpreter shutdown may have removed attributes before the constructor finished.
        if getattr(self, "_ending", OK) is None:
            self.abandon(CANCELLED)
