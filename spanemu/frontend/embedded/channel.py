"""A `grpc.Channel` that calls endpoints directly, on the thread of the caller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Protocol
from weakref import ref

import grpc

from spanemu.base.call_site import calling_site
from spanemu.base.clock import monotonic
from spanemu.frontend.dispatch import Endpoint, Endpoints, ServedCall
from spanemu.frontend.embedded.calls import Call, PendingCall, StreamCall
from spanemu.frontend.embedded.status import (
    CHANNEL_CLOSED,
    CREDENTIALS_ON_INSECURE,
    DEADLINE_EXCEEDED,
    KNOWN_KEYS,
    NO_SUCH_METHOD,
    NOT_ONE_REPLY,
    OK,
    STOPPED,
    EmbeddedCall,
    Ending,
    Limits,
    Refused,
    check_key,
    deserialized,
    ending_of,
    serialized,
)

FindEndpoints = Callable[[], Endpoints | None]
Options = Iterable[tuple[str, Any]]
# What a client makes bytes of its requests with, and messages of the replies; None for neither.
Codecs = tuple[Callable[[Any], bytes] | None, Callable[[bytes], Any] | None]


class Abandonable(Protocol):
    """A call in progress that can be ended from outside."""

    def abandon(self, ending: Ending) -> object: ...


class Link:
    """What the calls of one channel share: where they go, and what is in progress."""

    def __init__(self, find: FindEndpoints, options: Options) -> None:
        self.limits = Limits.of(options)
        self._find = find
        self.closed = False
        self.refusal = STOPPED  # what calls end with when nothing is served
        # Each thread adds and removes only its own call; the value says how it was interrupted.
        self._running: dict[ServedCall, Ending | None] = {}
        self._live: dict[int, ref[Abandonable]] = {}  # by id: a WeakSet would run Python code

    def begin(self, path: str, timeout: float | None, metadata: Any) -> EmbeddedCall:
        """A new call. Raises ValueError on a closed channel."""
        if self.closed:
            raise ValueError("Cannot invoke RPC on closed channel!")
        call = EmbeddedCall(path, timeout)
        if metadata:
            call.sent = tuple(metadata.items() if isinstance(metadata, dict) else metadata)
        return call

    def endpoint(self, call: EmbeddedCall, credentials: Any) -> Endpoint:
        """Who answers. Raises Refused when nobody does."""
        for key, _ in call.sent:
            if key not in KNOWN_KEYS:
                check_key(key)
        endpoints = self._find()
        if endpoints is None:
            raise Refused(self.refusal)
        if credentials is not None:
            raise Refused(CREDENTIALS_ON_INSECURE)
        endpoint = endpoints.find(call.path)
        if endpoint is None:
            raise Refused(NO_SUCH_METHOD)
        return endpoint

    def unary(self, request: Any, codecs: Codecs, call: EmbeddedCall, credentials: Any) -> Any:
        """The one reply of an RPC, cancelled when the channel is closed meanwhile."""
        data = serialized(request, codecs[0], self.limits)
        endpoint = self.endpoint(call, credentials)
        self._running[call] = None
        try:
            if endpoint.streams:
                reply = _only(endpoint.stream(data, call))
            else:
                reply = endpoint.unary(data, call)
            if interruption := self._running[call]:
                raise Refused(interruption)
        except Exception:
            if interruption := self._running[call]:
                raise Refused(interruption) from None
            raise
        finally:
            del self._running[call]
        if monotonic() >= call.deadline:
            raise Refused(DEADLINE_EXCEEDED)
        return deserialized(reply, codecs[1], self.limits)

    def replies_to(
        self,
        request: Any,
        serializer: Callable[[Any], bytes] | None,
        call: EmbeddedCall,
        credentials: Any,
    ) -> Iterator[bytes]:
        """The replies of an RPC; what fails, fails when the first is asked for."""
        try:
            data = serialized(request, serializer, self.limits)
            endpoint = self.endpoint(call, credentials)
        except Refused as refused:
            return _failing(refused)
        if endpoint.streams:
            return endpoint.stream(data, call)
        return self._one(data, call, credentials)

    def _one(self, data: bytes, call: EmbeddedCall, credentials: Any) -> Iterator[bytes]:
        yield self.unary(data, (None, None), call, credentials)

    def track(self, call: Abandonable) -> None:
        """Have `call` end when the channel does."""
        self._live[id(call)] = ref(call, partial(self._live.pop, id(call)))

    @property
    def is_ready(self) -> bool:
        """Whether RPCs would reach anything."""
        return not self.closed and self._find() is not None

    def close(self) -> None:
        """End every call in progress; refuse new ones."""
        self.closed = True
        self.interrupt(CHANNEL_CLOSED)

    def interrupt(self, ending: Ending) -> None:
        """End every call in progress."""
        for live in list(self._live.values()):
            call = live()
            if call is not None:
                call.abandon(ending)
        for running in list(self._running):
            if running in self._running:
                self._running[running] = ending
                running.cancel()


def _failing(refused: Refused) -> Iterator[bytes]:
    raise refused
    yield b""


def _only(replies: Iterator[bytes]) -> bytes:
    found = list(replies)
    if len(found) != 1:
        raise Refused(NOT_ONE_REPLY)
    return found[0]


class _Method:
    """One method of a channel, with the client's idea of its messages."""

    def __init__(self, link: Link, path: str, codecs: Codecs) -> None:
        self._link = link
        self._path = path
        self._codecs = codecs

    def with_call(
        self,
        request: Any,
        timeout: float | None = None,
        metadata: Any = None,
        credentials: Any = None,
        wait_for_ready: bool | None = None,
        compression: Any = None,
    ) -> tuple[Any, Call]:
        """The one reply, and how the RPC ended."""
        call = self._link.begin(self._path, timeout, metadata)
        try:
            response = self._link.unary(request, self._codecs, call, credentials)
        except Exception as error:
            ending, cause = ending_of(error, call), _shown_cause(error)
        else:
            return response, Call(call, OK, response)
        # Raised out here, for inside it would keep the error and all its frames as its context.
        raise Call(call, ending) from cause

    def future(
        self,
        request: Any,
        timeout: float | None = None,
        metadata: Any = None,
        credentials: Any = None,
        wait_for_ready: bool | None = None,
        compression: Any = None,
    ) -> PendingCall:
        """The one reply, when it will be there."""
        link, codecs = self._link, self._codecs
        call = link.begin(self._path, timeout, metadata)
        call.site = calling_site()
        pending = PendingCall(call, lambda: link.unary(request, codecs, call, credentials))
        link.track(pending)
        return pending

    def stream(
        self,
        request: Any,
        timeout: float | None = None,
        metadata: Any = None,
        credentials: Any = None,
        wait_for_ready: bool | None = None,
        compression: Any = None,
    ) -> StreamCall:
        """The replies, as they are asked for."""
        link, codecs = self._link, self._codecs
        call = link.begin(self._path, timeout, metadata)
        replies = link.replies_to(request, codecs[0], call, credentials)
        deserialize = partial(deserialized, deserializer=codecs[1], limits=link.limits)
        stream = StreamCall(call, replies, deserialize)
        link.track(stream)
        return stream


def _shown_cause(error: Exception) -> BaseException | None:
    """What of an error's history helps a client: only what its own serializers raised."""
    return error.__cause__ if isinstance(error, Refused) else None


class _UnaryUnary(_Method, grpc.UnaryUnaryMultiCallable):  # type: ignore[misc]
    def __call__(self, request: Any, *options: Any, **named: Any) -> Any:
        return self.with_call(request, *options, **named)[0]


class _UnaryStream(_Method, grpc.UnaryStreamMultiCallable):  # type: ignore[misc]
    __call__ = _Method.stream


class _StreamUnary(_Method, grpc.StreamUnaryMultiCallable):  # type: ignore[misc]
    """No service here streams requests: the first one is the request, as on a wire."""

    def __call__(self, request_iterator: Iterator[Any], *options: Any, **named: Any) -> Any:
        return self.with_call(request_iterator, *options, **named)[0]

    def with_call(  # type: ignore[override]
        self, request_iterator: Iterator[Any], *options: Any, **named: Any
    ) -> tuple[Any, Call]:
        return super().with_call(next(iter(request_iterator), None), *options, **named)

    def future(  # type: ignore[override]
        self, request_iterator: Iterator[Any], *options: Any, **named: Any
    ) -> PendingCall:
        return super().future(next(iter(request_iterator), None), *options, **named)


class _StreamStream(_Method, grpc.StreamStreamMultiCallable):  # type: ignore[misc]
    """As `_StreamUnary`, with replies that stream."""

    def __call__(self, request_iterator: Iterator[Any], *options: Any, **named: Any) -> StreamCall:
        return self.stream(next(iter(request_iterator), None), *options, **named)


class EmbeddedChannel(grpc.Channel):  # type: ignore[misc]
    """Calls what `find` returns, None when nothing is served at the address any more."""

    def __init__(self, find: FindEndpoints, options: Options = ()) -> None:
        self.link = Link(find, options)
        self._watchers: list[Callable[[grpc.ChannelConnectivity], None]] = []

    def subscribe(
        self, callback: Callable[[grpc.ChannelConnectivity], None], try_to_connect: bool = False
    ) -> None:
        self._watchers.append(callback)
        ready, failing = grpc.ChannelConnectivity.READY, grpc.ChannelConnectivity.TRANSIENT_FAILURE
        callback(ready if self.link.is_ready else failing)

    def unsubscribe(self, callback: Callable[[grpc.ChannelConnectivity], None]) -> None:
        if callback in self._watchers:
            self._watchers.remove(callback)

    def unary_unary(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> grpc.UnaryUnaryMultiCallable:
        return _UnaryUnary(self.link, method, (request_serializer, response_deserializer))

    def unary_stream(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> grpc.UnaryStreamMultiCallable:
        return _UnaryStream(self.link, method, (request_serializer, response_deserializer))

    def stream_unary(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> grpc.StreamUnaryMultiCallable:
        return _StreamUnary(self.link, method, (request_serializer, response_deserializer))

    def stream_stream(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> grpc.StreamStreamMultiCallable:
        return _StreamStream(self.link, method, (request_serializer, response_deserializer))

    def close(self) -> None:
        self._watchers.clear()
        self.link.close()

    def __enter__(self) -> EmbeddedChannel:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()
