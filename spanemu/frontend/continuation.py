"""Streaming RPCs of the server that wait for rows, without a thread for each.

    worker of the RPC  --steps-->  LiveRows: there is nothing to send at present
                                      |  the worker returns
    event (commit, timer, cancel)  ->  queue  ->  one of a few threads takes the next step
    gRPC has sent a message        ->  queue  ->  the same

A message is handed to gRPC without waiting until the client has room for it, so that a client that
does not read holds nobody up. The function that gRPC passes to a handler waits; the parts of
`grpc._server` that it consists of do not.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Any

from grpc import _server
from grpc._cython import cygrpc

from spanemu.base.live import LiveRows
from spanemu.frontend.boundary import STATUS_CODES, Failure, failure_from, log

THREADS = 4  # more than one, because an injected fault may hold one up

Step = Callable[[], object]


class Continuations:
    """The steps of streams that can go on, and the threads that take them."""

    def __init__(self, threads: int = THREADS) -> None:
        self._due: SimpleQueue[Step | None] = SimpleQueue()
        self._count = threads
        self._mutex = threading.Lock()  # Guards the fields below.
        self._threads: list[threading.Thread] = []
        self._is_stopped = False

    def put(self, step: Step) -> None:
        """Let a thread take a step soon. Callable from any thread, at little cost."""
        self._due.put(step)

    def start(self) -> None:
        """Start the threads, unless they run or were stopped."""
        with self._mutex:
            while not self._is_stopped and len(self._threads) < self._count:
                thread = threading.Thread(target=self._run, name="spanemu-live", daemon=True)
                self._threads.append(thread)
                thread.start()

    def stop(self) -> None:
        """End the threads after the steps that are due."""
        with self._mutex:
            self._is_stopped = True
            stopped, self._threads = self._threads, []
        for _ in stopped:
            self._due.put(None)
        for thread in stopped:
            thread.join(timeout=1.0)

    def _run(self) -> None:
        while (step := self._due.get()) is not None:
            try:
                step()
            except Exception:  # A bug must not end the thread, on which all streams depend.
                log.exception("a step of a stream failed")


class WaitingStream:
    """A streaming RPC between two steps. At most one thread takes a step at a time."""

    def __init__(
        self,
        replies: Iterator[bytes | LiveRows],
        path: str,
        context: Any,
        continuations: Continuations,
    ) -> None:
        self._replies = replies
        self._path = path
        self._context = context
        self._continuations = continuations

    def wait(self, rows: LiveRows) -> None:
        """Continue when it is worth taking rows again."""
        self._continuations.start()
        rows.listen(self._continue)

    def _continue(self) -> None:
        self._continuations.put(self._step)

    def _step(self) -> None:
        """Send what there is next, up to one message, or the final status."""
        failure: Failure | None = None
        try:
            reply = next(self._replies, None)
        except Exception as error:
            reply, failure = None, failure_from(error, self._path)
        if isinstance(reply, LiveRows):
            reply.listen(self._continue)
        elif reply is None:
            send_status(self._context, failure)
        elif not send_message(self._context, reply, self._continue):
            close = getattr(self._replies, "close", None)
            if close is not None:
                close()


def send_message(context: Any, message: bytes, sent: Callable[[], object]) -> bool:
    """Send a message, and call `sent` when gRPC takes the next; return False if the RPC has ended.

    `sent` is called, too, if the RPC ends first.
    """
    state, call = context._state, context._rpc_event.call
    with state.condition:
        if not _server._is_rpc_state_active(state):
            return False
        operations = [cygrpc.SendMessageOperation(message, 0)]
        if state.initial_metadata_allowed:
            operations.insert(0, _server._get_initial_metadata_operation(state, None))
            state.initial_metadata_allowed = False
        finish = _server._send_message(state, _server._SEND_MESSAGE_TOKEN)

        def sent_or_ended(event: Any) -> Any:
            ended = finish(event)
            sent()
            return ended

        call.start_server_batch(operations, sent_or_ended)
        state.due.add(_server._SEND_MESSAGE_TOKEN)
    return True


def send_status(context: Any, failure: Failure | None) -> None:
    """Send the final status of an RPC, OK without a failure."""
    if failure is not None:
        context.set_trailing_metadata(failure.trailers)
        context.set_code(STATUS_CODES[failure.code])
        context.set_details(failure.message)
    _server._status(context._rpc_event, context._state, None)
