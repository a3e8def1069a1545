"""The server of gRPC's own library: endpoints behind a port, a thread for each RPC in progress.

It uses the public parts of that library only, so it promises less than `http2` (ADR 19). Threads
are started only when all others are busy. An RPC that waits keeps its thread, and a stream does so
to its end, because it may have to wait for its client: both count, and beyond `WAITING_MAX` they
are refused. So the other threads of the pool are left for RPCs that do not wait.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn

import grpc

from spanemu.base.call import Call, Metadata, Signal
from spanemu.base.deferred import Once
from spanemu.frontend import reflection
from spanemu.frontend.boundary import STATUS_CODES, Failure, failure_from
from spanemu.frontend.control import host_of_peer
from spanemu.frontend.dispatch import Endpoint, Endpoints, ServedCall
from spanemu.frontend.errors import CannotListen, PortTaken
from spanemu.frontend.listening import (
    MESSAGE_BYTES_MAX,
    NO_REFLECTION,
    REFLECTION_PATHS,
    WAITING_MAX,
    WORKERS_MAX,
)
from spanemu.frontend.waits import Waits

PENDING_REQUESTS_MAX = 1_000_000

_OPTIONS = (
    ("grpc.so_reuseport", 0),  # With it, two servers could share a port unknowingly.
    ("grpc.max_receive_message_length", MESSAGE_BYTES_MAX),
    ("grpc.max_send_message_length", MESSAGE_BYTES_MAX),
    # Without these, gRPC cancels some of the requests that arrive while a thousand are waiting.
    ("grpc.server.max_pending_requests", PENDING_REQUESTS_MAX),
    ("grpc.server.max_pending_requests_hard_limit", PENDING_REQUESTS_MAX),
)


class Server:
    """A gRPC server for endpoints on a port."""

    def __init__(
        self,
        endpoints: Endpoints,
        workers_max: int = WORKERS_MAX,
        waiting_max: int = WAITING_MAX,
    ) -> None:
        self._workers = ThreadPoolExecutor(workers_max, thread_name_prefix="spanemu-rpc")
        self._server = grpc.server(self._workers, options=_OPTIONS)
        self._server.add_generic_rpc_handlers((_Handlers(endpoints, Waits(waiting_max)),))

    def start(self, host_port: str = "127.0.0.1:0", credentials: Any = None) -> int:
        """Listen, and return the port: a free port if asked for port 0.

        `credentials` are `grpc.ServerCredentials` for TLS, None for plain text. Raises PortTaken,
        and CannotListen for a host that is not an address of this machine.
        """
        try:
            if credentials is None:
                port = self._server.add_insecure_port(_address(host_port))
            else:
                port = self._server.add_secure_port(_address(host_port), credentials)
        except RuntimeError:
            port = 0
        if not port:
            self._workers.shutdown(wait=False)
            raise _listen_error(host_port) from None
        self._server.start()
        return int(port)

    def stop(self, grace_seconds: float = 0.0) -> None:
        """Stop listening immediately, and cancel running RPCs after `grace_seconds`."""
        self._server.stop(grace_seconds).wait()
        self._workers.shutdown(wait=False, cancel_futures=True)


def _address(host_port: str) -> str:
    """Return the address to listen at.

    The host "localhost" means IPv4 only, so that a taken port is noticed.
    """
    host, _, port = host_port.rpartition(":")
    return f"127.0.0.1:{port}" if host in ("", "localhost") else host_port


def _listen_error(host_port: str) -> CannotListen:
    """Return the reason why nothing can listen at an address, which gRPC does not report."""
    host, _, port = _address(host_port).rpartition(":")
    try:
        addresses = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)
    except OSError:
        return CannotListen(host_port, f"the host {host} is unknown")
    family, kind, protocol, _, address = addresses[0]
    try:
        with socket.socket(family, kind, protocol) as trial:
            trial.bind(address)
    except OSError as problem:
        if problem.errno == errno.EADDRNOTAVAIL:
            return CannotListen(host_port, f"{host} is not an address of this machine")
        if problem.errno != errno.EADDRINUSE:
            return CannotListen(host_port, problem.strerror or str(problem))
    return PortTaken(host_port)


class _Handlers(grpc.GenericRpcHandler):  # type: ignore[misc]
    """The lookup of the handler for a path; messages stay bytes on both sides of it."""

    def __init__(self, endpoints: Endpoints, waits: Waits) -> None:
        self._reflection = _Reflection(endpoints)
        self._by_path: dict[str, Any] = {}
        self._endpoints = {each.path: each for each in endpoints}
        self._waits = waits

    def service(self, handler_call_details: Any) -> Any:
        """Return the handler of the path, made for its first request; None for an unknown path."""
        path = handler_call_details.method
        handler = self._by_path.get(path)
        if handler is None and (handler := self._new_handler(path)) is not None:
            self._by_path[path] = handler
        return handler

    def _new_handler(self, path: str) -> Any:
        if path in REFLECTION_PATHS:
            return grpc.stream_stream_rpc_method_handler(self._reflection)
        endpoint = self._endpoints.get(path)
        return None if endpoint is None else _handler(endpoint, self._waits)


class _Reflection:
    """The behaviour of server reflection, which is imported for the first request."""

    def __init__(self, endpoints: Endpoints) -> None:
        self._reflect = Once(lambda: reflection.reflect(endpoints.all_services))

    def __call__(self, requests: Iterator[bytes], context: Any) -> Iterator[bytes]:
        try:
            behavior = self._reflect()
        except ModuleNotFoundError:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, NO_REFLECTION)
        yield from behavior(requests, context)


def _handler(endpoint: Endpoint, waits: Waits) -> Any:
    if endpoint.streams:
        return grpc.unary_stream_rpc_method_handler(_serve_stream(endpoint, waits))
    return grpc.unary_unary_rpc_method_handler(_serve_unary(endpoint, waits))


def _serve_unary(endpoint: Endpoint, waits: Waits) -> Callable[[bytes, Any], bytes]:
    def serve(data: bytes, context: Any) -> bytes:
        try:
            return endpoint.unary(data, _call(endpoint, context, waits))
        except Exception as error:
            failure = failure_from(error, endpoint.path)
        _abort(context, failure)

    return serve


def _serve_stream(endpoint: Endpoint, waits: Waits) -> Callable[[bytes, Any], Iterator[bytes]]:
    def serve(data: bytes, context: Any) -> Iterator[bytes]:
        try:
            with waits:
                yield from endpoint.stream(data, _call(endpoint, context))
            return
        except Exception as error:
            failure = failure_from(error, endpoint.path)
        _abort(context, failure)

    return serve


class _RemoteCall(ServedCall):
    """An RPC received through the port."""

    transport = "grpc"

    def __init__(self, path: str, context: Any, waits: Waits | None) -> None:
        super().__init__(path, context.time_remaining())
        self._context = context
        self._waits = waits  # None for a stream, which is counted to its end

    @property
    def metadata(self) -> Metadata:
        """The metadata that the client sent, as gRPC passes it on."""
        metadata: Metadata = self._context.invocation_metadata()
        return metadata

    @property
    def peer(self) -> str:
        """The IP address of the client; "" for a socket of the file system."""
        return host_of_peer(self._context.peer())

    def signal(self, work: Call | None = None) -> Signal:
        """Return a signal for which the request waits, counted among those that do."""
        if self._waits is None:
            return super().signal(work)
        return self._waits.signal(work or self)


def _call(endpoint: Endpoint, context: Any, waits: Waits | None = None) -> ServedCall:
    call = _RemoteCall(endpoint.path, context, waits)
    if not context.add_callback(call.cancel):
        call.cancel()
    return call


def _abort(context: Any, failure: Failure) -> NoReturn:
    context.set_trailing_metadata(failure.trailers)
    context.abort(STATUS_CODES[failure.code], failure.message)
    raise AssertionError("abort returned")
