"""A `grpc.aio.Channel` that calls endpoints of this process.

The line of client code that makes a call is determined at once, because handlers run on threads
without that code on their stacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import grpc
import grpc.aio

from spanemu.base.call import CallSite, calling_site
from spanemu.frontend.embedded.aio_calls import AioStreamCall, AioUnaryCall
from spanemu.frontend.embedded.aio_intercepted import (
    InterceptedStreamCall,
    InterceptedUnaryCall,
    StreamOfIterator,
    UnaryOfResponse,
)
from spanemu.frontend.embedded.channel import ChannelState, Codecs, FindEndpoints, Options
from spanemu.frontend.embedded.status import deserialized

_KINDS = (
    grpc.aio.UnaryUnaryClientInterceptor,
    grpc.aio.UnaryStreamClientInterceptor,
    grpc.aio.StreamUnaryClientInterceptor,
    grpc.aio.StreamStreamClientInterceptor,
)


class _Method:
    """A method of a channel, with the client's serializer, deserializer and interceptors.

    `_start` makes the real call, `_intercept` runs one interceptor, and `_intercepted` is the class
    of a call behind interceptors.
    """

    _start: Any
    _intercept: Any
    _intercepted: type[Any]

    def __init__(
        self,
        state: ChannelState,
        path: str,
        codecs: Codecs,
        interceptors: Sequence[Any],
    ) -> None:
        self._state = state
        self._path = path
        self._codecs = codecs
        self._interceptors = interceptors

    def _details(
        self, timeout: float | None, metadata: Any, credentials: Any, wait_for_ready: bool | None
    ) -> grpc.aio.ClientCallDetails:
        if not isinstance(metadata, grpc.aio.Metadata):
            metadata = grpc.aio.Metadata(*(metadata or ()))
        # Interceptors of real channels see the path as bytes.
        return grpc.aio.ClientCallDetails(
            self._path.encode(), timeout, metadata, credentials, wait_for_ready
        )

    def __call__(
        self,
        request: Any,
        *,
        timeout: float | None = None,
        metadata: Any = None,
        credentials: Any = None,
        wait_for_ready: bool | None = None,
        compression: Any = None,
    ) -> Any:
        site = calling_site()
        if not self._interceptors:
            return self._start(site, self._path, request, timeout, metadata, credentials)
        details = self._details(timeout, metadata, credentials, wait_for_ready)
        return self._intercepted(self._run(site, self._interceptors, details, request))

    async def _run(
        self, site: CallSite, interceptors: Sequence[Any], details: Any, request: Any
    ) -> Any:
        if not interceptors:
            path = details.method.decode() if isinstance(details.method, bytes) else details.method
            options = details.timeout, details.metadata, details.credentials
            return self._start(site, path, request, *options)
        rest = partial(self._run, site, interceptors[1:])
        return await self._intercept(interceptors[0], rest, details, request)


class _UnaryUnary(_Method, grpc.aio.UnaryUnaryMultiCallable):  # type: ignore[misc]
    _intercepted = InterceptedUnaryCall

    def _start(
        self,
        site: CallSite,
        path: str,
        request: Any,
        timeout: float | None,
        metadata: Any,
        credentials: Any,
    ) -> AioUnaryCall:
        state, codecs = self._state, self._codecs
        served = state.begin(path, timeout, metadata)
        served.site = site
        call = AioUnaryCall(served, lambda: state.unary(request, codecs, served, credentials))
        state.track(call)
        return call

    async def _intercept(self, interceptor: Any, rest: Any, details: Any, request: Any) -> Any:
        answer = await interceptor.intercept_unary_unary(rest, details, request)
        return answer if isinstance(answer, grpc.aio.UnaryUnaryCall) else UnaryOfResponse(answer)


class _UnaryStream(_Method, grpc.aio.UnaryStreamMultiCallable):  # type: ignore[misc]
    _intercepted = InterceptedStreamCall

    def _start(
        self,
        site: CallSite,
        path: str,
        request: Any,
        timeout: float | None,
        metadata: Any,
        credentials: Any,
    ) -> AioStreamCall:
        state, (serializer, deserializer) = self._state, self._codecs
        served = state.begin(path, timeout, metadata)
        served.site = site
        replies = state.replies_to(request, serializer, served, credentials, waits=False)
        deserialize = partial(deserialized, deserializer=deserializer, limits=state.limits)
        call = AioStreamCall(served, replies, deserialize)
        state.track(call)
        return call

    async def _intercept(self, interceptor: Any, rest: Any, details: Any, request: Any) -> Any:
        answer = await interceptor.intercept_unary_stream(rest, details, request)
        return answer if isinstance(answer, grpc.aio.UnaryStreamCall) else StreamOfIterator(answer)


class AioEmbeddedChannel(grpc.aio.Channel):  # type: ignore[misc]
    """A channel to the endpoints that `find` returns. It refuses methods that stream requests."""

    def __init__(
        self, find: FindEndpoints, options: Options = (), interceptors: Iterable[Any] = ()
    ) -> None:
        self.state = ChannelState(find, options)
        # Named as in grpc.aio, because generated clients append their own interceptors.
        self._unary_unary_interceptors: list[Any] = []
        self._unary_stream_interceptors: list[Any] = []
        self._stream_unary_interceptors: list[Any] = []
        self._stream_stream_interceptors: list[Any] = []
        for interceptor in interceptors:
            self._interceptors_like(interceptor).append(interceptor)

    def _interceptors_like(self, interceptor: Any) -> list[Any]:
        """Return the list for an interceptor: the first list that matches its kinds."""
        lists = (
            self._unary_unary_interceptors,
            self._unary_stream_interceptors,
            self._stream_unary_interceptors,
            self._stream_stream_interceptors,
        )
        for kind, matching in zip(_KINDS, lists, strict=True):
            if isinstance(interceptor, kind):
                return matching
        names = ", ".join(kind.__name__ for kind in _KINDS)
        raise ValueError(f"Interceptor {interceptor} must be one of {names}")

    def unary_unary(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> grpc.aio.UnaryUnaryMultiCallable:
        codecs = (request_serializer, response_deserializer)
        return _UnaryUnary(self.state, method, codecs, self._unary_unary_interceptors)

    def unary_stream(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> grpc.aio.UnaryStreamMultiCallable:
        codecs = (request_serializer, response_deserializer)
        return _UnaryStream(self.state, method, codecs, self._unary_stream_interceptors)

    def stream_unary(self, method: str, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{method}: no service of spanemu streams requests")

    def stream_stream(self, method: str, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{method}: no service of spanemu streams requests")

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:
        if self.state.closed:
            return grpc.ChannelConnectivity.SHUTDOWN
        ready, failing = grpc.ChannelConnectivity.READY, grpc.ChannelConnectivity.TRANSIENT_FAILURE
        return ready if self.state.is_ready else failing

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        """Return at once: no connection exists whose state could change."""

    async def channel_ready(self) -> None:
        """Return at once, because there is no connection to wait for."""

    async def close(self, grace: float | None = None) -> None:
        self.state.close()

    async def __aenter__(self) -> AioEmbeddedChannel:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()
