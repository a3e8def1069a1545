"""The methods of services, as data and ready to be called.

A `Method` is a row of a method table:

    Method("GetSession", GetSessionRequest, Session, get_session)
    Method("StreamingRead", ReadRequest, PartialResultSet, streaming_read, streams=True)

A handler takes the emulator's catalog (`admin.instances.Instances`) and the request. It returns the
response; the handler of a streaming method returns an iterator of responses, or a tuple when all
responses exist. Handlers raise `SpannerError`s.

An `Endpoint` is a method ready to be called: bytes in, bytes out, failures as exceptions.

    transport (server, embedded)  ->  Endpoint  ->  handler

An endpoint parses the request, makes the RPC the current `Call` of its thread while the handler
works, and notifies watchers. It knows no transport: the transports turn the exceptions that it
raises into statuses with `boundary.failure_from`.

A streaming reply is produced step by step. Between two steps the thread belongs to the consumer,
which may be the client itself, so the call is current during a step only. A result whose rows
appear over time (`base.live`) has steps without a reply: the transport waits in its own way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import inf
from typing import Any, Protocol

from google.protobuf.message import DecodeError

from spanemu.base.call import Call, serving
from spanemu.base.clock import monotonic
from spanemu.base.collector import Pause
from spanemu.base.errors import Unsupported
from spanemu.base.limits import (
    ADMIN_REQUEST_BYTES_MAX,
    DEFAULT_LIMITS,
    REQUEST_BYTES_MAX,
    REQUEST_SECONDS_MAX,
    Limits,
)
from spanemu.base.live import LiveRows
from spanemu.base.record import dataclass
from spanemu.base.request_mutex import RequestMutex
from spanemu.frontend import large_requests
from spanemu.frontend.errors import RequestTooLarge, UnreadableRequest

# Messages are dynamic classes of the protobuf runtime, which type checkers cannot see into.
Message = Any
Handler = Callable[..., Any]  # (catalog, request), and an interceptor's function for rows
SmallHandler = Callable[[Any, bytes | bytearray], bytes | None]  # (catalog, serialized request)

LARGE_REQUEST_BYTES = 2 * 1024 * 1024  # Larger requests are parsed part by part.
SMALL_REQUEST_BYTES = 32 * 1024  # Python collects no garbage while larger requests are served.

# Held by the request that is parsed part by part: each thread that computes slows the others down.
_parsing = RequestMutex()


@dataclass(frozen=True, slots=True)
class Method:
    """An RPC: its name in the service, its message classes, and its handler.

    `request` and `response` are raw protobuf classes (`X.pb()` of a proto-plus class).
    `implemented` is False where the handler only refuses. Requests of a method that takes
    `mutations` have no size limit here, because the commit itself checks its limits. Requests of
    `administrative` methods are small. A `small` handler answers the most frequent requests from
    their bytes, and returns None for the others.
    """

    name: str
    request: type[Any]
    response: type[Any]
    handler: Handler
    streams: bool = False
    implemented: bool = True
    mutations: bool = False
    administrative: bool = False
    small: SmallHandler | None = None


@dataclass(frozen=True, slots=True)
class Service:
    """A gRPC service: its full protobuf name and all its RPCs.

    `file` returns the FileDescriptorProto of a service whose message classes describe no RPC.
    """

    name: str
    methods: tuple[Method, ...]
    file: Callable[[], Message] | None = None

    def paths(self) -> Iterator[tuple[str, Method]]:
        """Yield each method with its path."""
        for method in self.methods:
            yield f"/{self.name}/{method.name}", method


def unimplemented(features: Mapping[str, str], empty: type[Any]) -> list[Method]:
    """Return the methods of RPCs that spanemu does not implement, given the features by RPC name.

    Each method answers UNIMPLEMENTED and names the feature. Any message parses as the unknown
    fields of an empty message, so `empty` (`google.protobuf.Empty`) serves for every request.
    """
    return [
        Method(name, empty, empty, _refuse(feature), implemented=False)
        for name, feature in features.items()
    ]


def _refuse(feature: str) -> Handler:
    def refuse(_instances: object, _request: Message) -> Message:
        raise Unsupported(feature)

    return refuse


class ServedCall(Call):
    """An RPC in progress: the path of its method, and the metadata that the client sent.

    `timeout` is the number of seconds that the client waits, None for any number. No request is
    served for longer than `REQUEST_SECONDS_MAX`.
    """

    deadline: float
    transport = ""  # by which the client sent the request

    def __init__(self, path: str, timeout: float | None) -> None:
        if timeout is None or timeout > REQUEST_SECONDS_MAX:
            timeout = REQUEST_SECONDS_MAX
        self.deadline = monotonic() + timeout
        self.path = path


Intercepted = Callable[[Method], Handler]  # Returns a handler in front of that of a method.


class Watcher(Protocol):
    """An observer of every RPC. A SpannerError from `started` or `replied` makes the RPC fail."""

    def started(self, call: ServedCall, request: Message) -> None:
        """Handle the start of an RPC, before its handler is called."""
        ...

    def replied(self, call: ServedCall, reply: bytes) -> None:
        """Handle a reply, or each reply of a streaming method, before it is sent."""
        ...

    def ended(self, call: ServedCall, error: Exception | None) -> None:
        """Handle the end of an RPC; `error` is None when the RPC succeeded or was abandoned."""
        ...


class Endpoint:
    """A method bound to the catalog that it serves."""

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
        self._parse: Callable[[bytes | bytearray], Message] = method.request.FromString
        self._method = method
        limit = min(bytes_max, ADMIN_REQUEST_BYTES_MAX) if method.administrative else bytes_max
        self.bytes_max = inf if method.mutations else limit  # of a request
        self._small_bytes = min(self.bytes_max, SMALL_REQUEST_BYTES)
        self._handler: Handler = method.handler
        self._small = method.small
        self._instances = instances
        self._watchers = watchers

    def intercept(self, intercepted: Intercepted | None) -> None:
        """Serve future RPCs with another handler; None ends the interception."""
        method = self._method
        self._handler = method.handler if intercepted is None else intercepted(method)
        self._small = method.small if intercepted is None else None

    def unary(self, data: bytes | bytearray, call: ServedCall) -> bytes:
        """Return the only reply."""
        if self._watchers:
            return self._watched_unary(data, call)
        reply = self._answer(data, call, ())
        return reply if reply.__class__ is bytes else reply.SerializeToString()

    def stream(
        self, data: bytes | bytearray, call: ServedCall, *, waits: bool = True
    ) -> Iterator[Any]:
        """Return the replies as an iterator; no work is done before the first is requested.

        A step waits for a reply as long as it takes. Unless it `waits`, the iterator yields rows
        that do not exist yet (`LiveRows`) instead, and the caller waits before the next step.
        """
        if self._watchers:
            return self._watched(self._replies(data, call, tuple(self._watchers), waits), call)
        return self._replies(data, call, (), waits)

    def steps(
        self, data: bytes | bytearray, call: ServedCall
    ) -> tuple[bytes, ...] | Iterator[bytes | LiveRows]:
        """Serve the request, and return its replies: a tuple if all of them exist already.

        Otherwise return an iterator that does not wait, as `stream` does.
        """
        if self._watchers:
            return self.stream(data, call, waits=False)
        replies = self._answer(data, call, ())
        if replies.__class__ is tuple:
            return tuple(map(_serialized, replies))
        return self._further(replies, call, waits=False)

    def _answer(
        self, data: bytes | bytearray, call: ServedCall, watchers: Iterable[Watcher]
    ) -> Any:
        """Return what the handler returns for a request; an iterator of replies has not started."""
        # Every RPC passes through this method, and `with call:` would add two calls.
        before, serving.call = serving.call, call
        pause = None
        try:
            if call.is_cancelled or monotonic() >= call.deadline:
                call.check()
            if self._small is not None and not watchers and len(data) <= self._small_bytes:
                reply = self._small(self._instances, data)
                if reply is not None:
                    return reply
            try:
                if len(data) <= self._small_bytes:
                    request = self._parse(data)
                else:
                    if len(data) > self.bytes_max:
                        raise RequestTooLarge(self.path, len(data), int(self.bytes_max))
                    pause = Pause()
                    pause.begin()
                    request = self._parse_large(data)
            except DecodeError:
                raise UnreadableRequest(self.path) from None
            for watcher in watchers:
                watcher.started(call, request)
            return self._handler(self._instances, request)
        finally:
            serving.call = before
            if pause is not None:
                pause.end()

    def _parse_large(self, data: bytes | bytearray) -> Message:
        """Parse a request that is not small, part by part if it is large."""
        if len(data) <= LARGE_REQUEST_BYTES:
            return self._parse(data)
        with _parsing:
            return large_requests.parsed(self.path, self._method.request, data)

    def _watched_unary(self, data: bytes | bytearray, call: ServedCall) -> bytes:
        with self._end_reported(call):
            reply = _serialized(self._answer(data, call, tuple(self._watchers)))
            for watcher in tuple(self._watchers):
                watcher.replied(call, reply)
            return reply

    def _replies(
        self, data: bytes | bytearray, call: ServedCall, watchers: Iterable[Watcher], waits: bool
    ) -> Iterator[Any]:
        replies = self._answer(data, call, watchers)
        if replies.__class__ is tuple:  # All replies exist already.
            yield from map(_serialized, replies)
        else:
            yield from self._further(replies, call, waits)

    def _further(self, replies: Iterable[Any], call: ServedCall, waits: bool) -> Iterator[Any]:
        """Yield replies that are made one by one."""
        replies = iter(replies)
        try:
            while True:
                # The deadline is not checked here: a reply that only has to end is not late.
                with call:
                    reply = next(replies, None)
                if reply is None:
                    return
                if reply.__class__ is bytes:
                    yield reply
                elif not isinstance(reply, LiveRows):
                    yield reply.SerializeToString()
                elif waits:
                    reply.wait()
                else:
                    yield reply
        finally:
            close = getattr(replies, "close", None)
            if close is not None:
                close()

    def _watched(self, replies: Iterator[Any], call: ServedCall) -> Iterator[Any]:
        with self._end_reported(call):
            for reply in replies:
                if reply.__class__ is bytes:
                    for watcher in tuple(self._watchers):
                        watcher.replied(call, reply)
                yield reply

    @contextmanager
    def _end_reported(self, call: ServedCall) -> Iterator[None]:
        """Report the end of a call to its watchers, with the exception if it failed."""
        failure: Exception | None = None
        try:
            yield
        except Exception as error:
            failure = error
            raise
        finally:
            for watcher in tuple(self._watchers):
                watcher.ended(call, failure)


def _serialized(reply: Any) -> bytes:
    """Return the bytes of a reply. Handlers on hot paths serialize their replies themselves."""
    return reply if reply.__class__ is bytes else reply.SerializeToString()


class Endpoints:
    """Every method of some services, by path (`/package.Service/Method`).

    `watchers` may change at any time: a new watcher sees the RPCs that start afterwards, and a
    removed watcher sees nothing more.
    """

    def __init__(
        self,
        services: Iterable[Service],
        instances: Any,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.services = self.all_services = tuple(services)
        self.watchers: list[Watcher] = []
        self._by_path = {
            path: Endpoint(path, method, instances, self.watchers, limits.request_bytes)
            for service in self.services
            for path, method in service.paths()
        }
        # Returns the endpoint at a path, or None when there is no such method.
        self.find: Callable[[str], Endpoint | None] = self._by_path.get
        self._intercepted = tuple(self._by_path.values())

    def add_unintercepted_service(self, service: Service) -> None:
        """Serve another service, which is neither intercepted nor watched."""
        self.all_services += (service,)
        self._by_path |= {
            path: Endpoint(path, method, None, ()) for path, method in service.paths()
        }

    def refused(self, call: ServedCall, error: Exception) -> None:
        """Report a request to the watchers that was refused before it reached an endpoint."""
        for watcher in tuple(self.watchers):
            watcher.ended(call, error)

    def intercept(self, intercepted: Intercepted | None) -> None:
        """Serve future RPCs with other handlers; None ends the interception (`interception`)."""
        for endpoint in self._intercepted:
            endpoint.intercept(intercepted)

    @property
    def names(self) -> frozenset[str]:
        """The names of all methods that can be intercepted, without their services."""
        return frozenset(endpoint.path.rpartition("/")[2] for endpoint in self._intercepted)

    def __iter__(self) -> Iterator[Endpoint]:
        return iter(self._by_path.values())
