"""A method of a service, ready to be called: bytes in, bytes out, failures as exceptions.

    transport (server, embedded)  ->  Endpoint  ->  handler

An endpoint parses the request, makes the RPC the current `Call` of its thread while the handler
works, and tells watchers. It knows no transport: those turn what it raises into statuses with
`boundary.failure_from`.

A streaming reply is produced step by step, and between two steps the thread belongs to whoever
consumes it, who may be the client itself: the call is current during a step only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from typing import Any, Protocol

from google.protobuf.message import DecodeError

from spanemu.base.call import Call, serving
from spanemu.base.clock import monotonic
from spanemu.base.limits import (
    ADMIN_REQUEST_BYTES_MAX,
    DEFAULT_LIMITS,
    REQUEST_BYTES_MAX,
    REQUEST_SECONDS_MAX,
    Limits,
)
from spanemu.frontend.errors import RequestTooLarge, UnreadableRequest
from spanemu.frontend.interception import Interceptor, intercepted
from spanemu.frontend.method import Handler, Message, Method, Service

Metadata = Sequence[tuple[str, str | bytes]]


class ServedCall(Call):
    """An RPC in progress: its method's path, and what the client sent along.

    `patience` is how many seconds the client waits, None for any number. No request is served for
    longer than `REQUEST_SECONDS_MAX`.
    """

    deadline: float

    def __init__(self, path: str, patience: float | None) -> None:
        if patience is None or patience > REQUEST_SECONDS_MAX:
            patience = REQUEST_SECONDS_MAX
        self.deadline = monotonic() + patience
        self.path = path

    @property
    def metadata(self) -> Metadata:
        """(key, value) pairs, keys in lower case; "user-agent" among them."""
        return ()


class Watcher(Protocol):
    """Told of every RPC. Raising a SpannerError from `started` or `replied` makes it fail."""

    def started(self, call: ServedCall, request: Message) -> None:
        """The handler is about to be called."""
        ...

    def replied(self, call: ServedCall, reply: bytes) -> None:
        """A reply, one of several if the method streams, is about to leave."""
        ...

    def ended(self, call: ServedCall, error: Exception | None) -> None:
        """The RPC is over; `error` is None when it succeeded or was abandoned."""
        ...


class Endpoint:
    """One method bound to what it serves."""

    def __init__(
        self,
        path: str,
        method: Method,
        instances: Any,
        watchers: Sequence[Watcher],
        bytes_max: int = REQUEST_BYTES_MAX,
    ) -> None:
        self.path = path
        self.streams = method.streams
        self._parse: Callable[[bytes], Message] = method.request.FromString
        self._method = method
        limit = min(bytes_max, ADMIN_REQUEST_BYTES_MAX) if method.administrative else bytes_max
        self._bytes_max = inf if method.mutations else limit
        self._handler: Handler = method.handler
        self._instances = instances
        self._watchers = watchers

    def intercept(self, interceptor: Interceptor | None) -> None:
        """Have RPCs from now on meet `interceptor` first, or nobody."""
        method = self._method
        self._handler = method.handler if interceptor is None else intercepted(method, interceptor)

    def unary(self, data: bytes, call: ServedCall) -> bytes:
        """The one reply."""
        if self._watchers:
            replies = self._only(data, call, tuple(self._watchers))
            (only,) = self._watched(replies, call)
            return only
        reply = self._answer(data, call, ())
        return reply if reply.__class__ is bytes else reply.SerializeToString()

    def stream(self, data: bytes, call: ServedCall) -> Iterator[bytes]:
        """The replies, one by one; nothing happens before the first is asked for."""
        if self._watchers:
            return self._watched(self._replies(data, call, tuple(self._watchers)), call)
        return self._replies(data, call, ())

    def _answer(self, data: bytes, call: ServedCall, watchers: Iterable[Watcher]) -> Any:
        """What the handler gives for a request; an iterator of replies has yet to begin."""
        # Every RPC comes through here, and `with call:` would be two calls more.
        before, serving.call = serving.call, call
        try:
            if call.is_cancelled or monotonic() >= call.deadline:
                call.check()
            if len(data) > self._bytes_max:
                raise RequestTooLarge(self.path, len(data), int(self._bytes_max))
            try:
                request = self._parse(data)
            except DecodeError:
                raise UnreadableRequest(self.path) from None
            for watcher in watchers:
                watcher.started(call, request)
            return self._handler(self._instances, request)
        finally:
            serving.call = before

    def _only(self, data: bytes, call: ServedCall, watchers: Iterable[Watcher]) -> Iterator[bytes]:
        yield _serialized(self._answer(data, call, watchers))

    def _replies(
        self, data: bytes, call: ServedCall, watchers: Iterable[Watcher]
    ) -> Iterator[bytes]:
        replies = self._answer(data, call, watchers)
        if replies.__class__ is tuple:  # All is done.
            for reply in replies:
                yield reply if reply.__class__ is bytes else reply.SerializeToString()
            return
        replies = iter(replies)
        try:
            while True:
                # Not checked here for lateness: a reply that only remains to be ended is not late.
                with call:
                    reply = next(replies, None)
                if reply is None:
                    return
                yield _serialized(reply)
        finally:
            close = getattr(replies, "close", None)
            if close is not None:
                close()

    def _watched(self, replies: Iterator[bytes], call: ServedCall) -> Iterator[bytes]:
        failure: Exception | None = None
        try:
            for reply in replies:
                for watcher in tuple(self._watchers):
                    watcher.replied(call, reply)
                yield reply
        except Exception as error:
            failure = error
            raise
        finally:
            for watcher in tuple(self._watchers):
                watcher.ended(call, failure)


def _serialized(reply: Any) -> bytes:
    """Handlers on hot paths write their reply's bytes themselves."""
    return reply if reply.__class__ is bytes else reply.SerializeToString()


class Endpoints:
    """Every method of some services, by path (`/package.Service/Method`).

    `watchers` may be changed at any time: who comes is told of RPCs that start after, who goes of
    nothing any more.
    """

    def __init__(
        self,
        services: Iterable[Service],
        instances: Any,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.services = tuple(services)
        self.watchers: list[Watcher] = []
        self._by_path = {
            path: Endpoint(path, method, instances, self.watchers, limits.request_bytes)
            for service in self.services
            for path, method in service.paths()
        }
        # The endpoint at a path, None when there is no such method.
        self.find: Callable[[str], Endpoint | None] = self._by_path.get
        self._intercepted = tuple(self._by_path.values())

    def add_unintercepted_service(self, service: Service) -> None:
        """Serve another service, which is neither intercepted nor watched."""
        self._by_path |= {
            path: Endpoint(path, method, None, ()) for path, method in service.paths()
        }

    def intercept(self, interceptor: Interceptor | None) -> None:
        """Have RPCs from now on meet `interceptor` before their handlers, or nobody."""
        for endpoint in self._intercepted:
            endpoint.intercept(interceptor)

    @property
    def names(self) -> frozenset[str]:
        """The names of all methods that can be intercepted, without their services."""
        return frozenset(endpoint.path.rpartition("/")[2] for endpoint in self._intercepted)

    def __iter__(self) -> Iterator[Endpoint]:
        return iter(self._by_path.values())
