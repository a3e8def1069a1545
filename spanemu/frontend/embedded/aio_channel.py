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

from spanemu.base.call import CallSite
from spanemu.base.call_site import calling_site
from spanemu.frontend.embedded.aio_calls import AioStreamCall, AioUnaryCall
from spanemu.frontend.embedded.aio_intercepted import (
    InterceptedStreamCall,
    InterceptedUnaryCall,
    StreamOfIterator,
    UnaryOfResponse,
)
from spanemu.frontend.embedded.channel import ChannelState, FindEndpoints, Options
from spanemu.frontend.embedded.status import deserialized

_KINDS = (
    grpc.aio.UnaryUnaryClientInterceptor,
    grpc.aio.UnaryStreamClientInterceptor,
    grpc.aio.StreamUnaryClientInterceptor,
    grpc.aio.StreamStreamClientInterceptor,
)


class _Method:
    """A method of a channel, with the client's serializer, deserializer and interceptors."""

    def __init__(
        self,
        link: ChannelState,
        path: str,
        codecs: tuple[Callable[[Any], bytes] | None, Callable[[bytes], Any] | None],
        interceptors: Sequence[Any],
    ) -> None:
        self._link = link
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

    def _unary(
        self,
        site: CallSite,
        path: str,
        request: Any,
        timeout: float | None,
        metadata: Any,
        creds: Any,
    ) -> AioUnaryCall:
        link = self._link
        served = link.begin(path, timeout, metadata)
        served.site = site
        call = AioUnaryCall(served, lambda: link.unary(request, self._codecs, served, creds))
        link.track(call)
        return call

    def _stream(
        self,
        site: CallSite,
        path: str,
        request: Any,
        timeout: float | None,
        metadata: Any,
        creds: Any,
    ) -> AioStreamCall:
        link = self._link
        served = link.begin(path, timeout, metadata)
        served.site = site
        replies = link.replies_to(request, self._codecs[0], served, creds)

        def deserialize(data: bytes) -> Any:
            return deserialized(data, self._codecs[1], link.limits)

        call = AioStreamCall(served, replies, deserialize)
        link.track(call)
        return call

    async def _run_unary(
        self, site: CallSite, interceptors: Sequence[Any], details: Any, request: Any
    ) -> Any:
        if not interceptors:
            asked = details.timeout, details.metadata, details.credentials
            return self._unary(site, _path(details), request, *asked)
        rest = partial(self._run_unary, site, interceptors[1:])
        answer = await interceptors[0].intercept_unary_unary(rest, details, request)
        return answer if isinstance(answer, grpc.aio.UnaryUnaryCall) else UnaryOfResponse(answer)

    async def _run_stream(
        self, site: CallSite, interceptors: Sequence[Any], details: Any, request: Any
    ) -> Any:
        if not interceptors:
            asked = details.timeout, details.metadata, details.credentials
            return self._stream(site, _path(details), request, *asked)
        rest = partial(self._run_stream, site, interceptors[1:])
        answer = await interceptors[0].intercept_unary_stream(rest, details, request)
        return answer if isinstance(answer, grpc.aio.UnaryStreamCall) else StreamOfIterator(answer)


def _path(details: Any) -> str:
    method = details.method
    return method.decode() if isinstance(method, bytes) else str(method)


class _UnaryUnary(_Method, grpc.aio.UnaryUnaryMultiCallable):  # type: ignore[misc]
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
            return self._unary(site, self._path, request, timeout, metadata, credentials)
        details = self._details(timeout, metadata, credentials, wait_for_ready)
        return InterceptedUnaryCall(self._run_unary(site, self._interceptors, details, request))


class _UnaryStream(_Method, grpc.aio.UnaryStreamMultiCallable):  # type: ignore[misc]
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
            return self._stream(site, self._path, request, timeout, metadata, credentials)
        details = self._details(timeout, metadata, credentials, wait_for_ready)
        return InterceptedStreamCall(self._run_stream(site, self._interceptors, details, request))


class AioEmbeddedChannel(grpc.aio.Channel):  # type: ignore[misc]
    """A channel to the endpoints that `find` returns. It refuses methods that stream requests."""

    def __init__(
        self, find: FindEndpoints, options: Options = (), interceptors: Iterable[Any] = ()
    ) -> None:
        self.link = ChannelState(find, options)
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
        return _UnaryUnary(self.link, method, codecs, self._unary_unary_interceptors)

    def unary_stream(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> grpc.aio.UnaryStreamMultiCallable:
        codecs = (request_serializer, response_deserializer)
        return _UnaryStream(self.link, method, codecs, self._unary_stream_interceptors)

    def stream_unary(self, method: str, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{method}: no service of spanemu streams requests")

    def stream_stream(self, method: str, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{method}: no service of spanemu streams requests")

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:
        if self.link.closed:
            return grpc.ChannelConnectivity.SHUTDOWN
        ready, failing = grpc.ChannelConnectivity.READY, grpc.ChannelConnectivity.TRANSIENT_FAILURE
        return ready if self.link.is_ready else failing

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        """Return at once: no connection exists whose state could change."""

    async def channel_ready(self) -> None:
        """Return at once, because there is no connection to wait for."""

    async def close(self, grace: float | None = None) -> None:
        self.link.close()

    async def __aenter__(self) -> AioEmbeddedChannel:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()
