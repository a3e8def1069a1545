"""A `grpc.Channel` that calls endpoints directly on the caller's thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Protocol
from weakref import ref

import grpc

from spanemu.base.call import calling_site, serving_threads
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
    FinalStatus,
    Limits,
    Refused,
    check_key,
    deserialized,
    serialized,
    status_of_error,
)
from spanemu.frontend.embedded.turns import turns

FindEndpoints = Callable[[], Endpoints | None]
Options = Iterable[tuple[str, Any]]
# The serializer of a client's requests and the deserializer of its replies; None for bytes.
Codecs = tuple[Callable[[Any], bytes] | None, Callable[[bytes], Any] | None]


class Abandonable(Protocol):
    """A call in progress that can be ended from outside."""

    def abandon(self, ending: FinalStatus) -> object: ...


class ChannelState:
    """The state that the calls of one channel share: the endpoints, and the calls in progress."""

    def __init__(self, find: FindEndpoints, options: Options) -> None:
        self.limits = Limits.of(options)
        self._find = find
        self.closed = False
        self.refusal = STOPPED  # the status of calls when nothing is served
        # Each thread adds and removes only its own call; the value is the interruption's status.
        self._running: dict[ServedCall, FinalStatus | None] = {}
        self._live: dict[int, ref[Abandonable]] = {}  # by id: a WeakSet would run Python code

    def begin(self, path: str, timeout: float | None, metadata: Any) -> EmbeddedCall:
        """Return a new call. Raises ValueError on a closed channel."""
        if self.closed:
            raise ValueError("Cannot invoke RPC on closed channel!")
        call = EmbeddedCall(path, timeout)
        if metadata:
            call.sent = tuple(metadata.items() if isinstance(metadata, dict) else metadata)
        return call

    def endpoint(self, call: EmbeddedCall, credentials: Any) -> Endpoint:
        """Return the endpoint of a call. Raises Refused when none serves it."""
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
        """Return the only reply of an RPC, which closing the channel cancels."""
        data = serialized(request, codecs[0], self.limits)
        endpoint = self.endpoint(call, credentials)
        takes_turns = serving_threads.are_several
        if takes_turns:
            turns.begin()
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
            if takes_turns:
                turns.end()
        if monotonic() >= call.deadline:
            raise Refused(DEADLINE_EXCEEDED)
        return deserialized(reply, codecs[1], self.limits)

    def replies_to(
        self,
        request: Any,
        serializer: Callable[[Any], bytes] | None,
        call: EmbeddedCall,
        credentials: Any,
        waits: bool = True,
    ) -> Iterator[Any]:
        """Return an iterator over the replies of an RPC; its first step raises any error.

        Unless it `waits`, it yields live rows that the caller has to wait for among the replies.
        """
        try:
            data = serialized(request, serializer, self.limits)
            endpoint = self.endpoint(call, credentials)
        except Refused as refused:
            return _failing(refused)
        if endpoint.streams:
            return endpoint.stream(data, call, waits=waits)
        return self._one(data, call, credentials)

    def _one(self, data: bytes, call: EmbeddedCall, credentials: Any) -> Iterator[bytes]:
        yield self.unary(data, (None, None), call, credentials)

    def track(self, call: Abandonable) -> None:
        """Track `call`, so that closing the channel ends it."""
        self._live[id(call)] = ref(call, partial(self._live.pop, id(call)))

    @property
    def is_ready(self) -> bool:
        """Return whether RPCs would reach an endpoint."""
        return not self.closed and self._find() is not None

    def close(self) -> None:
        """End every call in progress, and refuse new calls."""
        self.closed = True
        self.interrupt(CHANNEL_CLOSED)

    def interrupt(self, ending: FinalStatus) -> None:
        """End every call in progress with `ending`."""
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
    received = list(replies)
    if len(received) != 1:
        raise Refused(NOT_ONE_REPLY)
    return received[0]


class _Method:
    """A method of a channel, with the client's serializer and deserializer."""

    def __init__(self, state: ChannelState, path: str, codecs: Codecs) -> None:
        self._state = state
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
        """Return the only reply, and the final status of the RPC."""
        call = self._state.begin(self._path, timeout, metadata)
        try:
            response = self._state.unary(request, self._codecs, call, credentials)
        except Exception as error:
            ending, cause = status_of_error(error, call), _client_cause(error)
        else:
            return response, Call(call, OK, response)
        # Raised outside the handler, which would keep the error and all its frames as its context.
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
        """Return a future of the only reply."""
        state, codecs = self._state, self._codecs
        call = state.begin(self._path, timeout, metadata)
        call.site = calling_site()
        pending = PendingCall(call, lambda: state.unary(request, codecs, call, credentials))
        state.track(pending)
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
        """Return a call that iterates over the replies."""
        state, codecs = self._state, self._codecs
        call = state.begin(self._path, timeout, metadata)
        replies = state.replies_to(request, codecs[0], call, credentials)
        deserialize = partial(deserialized, deserializer=codecs[1], limits=state.limits)
        stream = StreamCall(call, replies, deserialize)
        state.track(stream)
        return stream


def _client_cause(error: Exception) -> BaseException | None:
    """Return the cause to show to a client: only an exception of the client's own serializers."""
    return error.__cause__ if isinstance(error, Refused) else None


class _UnaryUnary(_Method, grpc.UnaryUnaryMultiCallable):  # type: ignore[misc]
    def __call__(self, request: Any, *options: Any, **named: Any) -> Any:
        return self.with_call(request, *options, **named)[0]


class _UnaryStream(_Method, grpc.UnaryStreamMultiCallable):  # type: ignore[misc]
    __call__ = _Method.stream


class _StreamUnary(_Method, grpc.StreamUnaryMultiCallable):  # type: ignore[misc]
    """A method called with a stream of requests.

    No service of spanemu streams requests, so the first request is sent alone.
    """

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
    """A method called with a stream of requests, with replies that stream."""

    def __call__(self, request_iterator: Iterator[Any], *options: Any, **named: Any) -> StreamCall:
        return self.stream(next(iter(request_iterator), None), *options, **named)


class EmbeddedChannel(grpc.Channel):  # type: ignore[misc]
    """A channel to the endpoints that `find` returns; None when the address is no longer served."""

    def __init__(self, find: FindEndpoints, options: Options = ()) -> None:
        self.state = ChannelState(find, options)
        self._watchers: list[Callable[[grpc.ChannelConnectivity], None]] = []

    def subscribe(
        self, callback: Callable[[grpc.ChannelConnectivity], None], try_to_connect: bool = False
    ) -> None:
        self._watchers.append(callback)
        ready, failing = grpc.ChannelConnectivity.READY, grpc.ChannelConnectivity.TRANSIENT_FAILURE
        callback(ready if self.state.is_ready else failing)

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
        return _UnaryUnary(self.state, method, (request_serializer, response_deserializer))

    def unary_stream(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> grpc.UnaryStreamMultiCallable:
        return _UnaryStream(self.state, method, (request_serializer, response_deserializer))

    def stream_unary(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> grpc.StreamUnaryMultiCallable:
        return _StreamUnary(self.state, method, (request_serializer, response_deserializer))

    def stream_stream(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> grpc.StreamStreamMultiCallable:
        return _StreamStream(self.state, method, (request_serializer, response_deserializer))

    def close(self) -> None:
        self._watchers.clear()
        self.state.close()

    def __enter__(self) -> EmbeddedChannel:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()
