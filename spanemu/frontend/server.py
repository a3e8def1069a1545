"""The server of gRPC's own library: endpoints behind a port, a thread for each RPC in progress.

An RPC that waits for a lock keeps its thread, so the pool must be larger than the number of waiters
that any test creates. Threads are started only when all others are busy. A stream that waits for
rows that do not exist yet has no thread (`continuation`).
"""

from __future__ import annotations

import errno
import json
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import unquote

import grpc

from spanemu.base.call import Metadata
from spanemu.base.deferred import Once, deferred
from spanemu.base.live import LiveRows
from spanemu.frontend.boundary import STATUS_CODES, Failure, failure_from
from spanemu.frontend.control import host_of_peer
from spanemu.frontend.dispatch import Endpoint, Endpoints, ServedCall
from spanemu.frontend.errors import CannotListen, PortTaken
from spanemu.frontend.listening import (
    MESSAGE_BYTES_MAX,
    NO_REFLECTION,
    REFLECTION_PATHS,
    WORKERS_MAX,
)

if TYPE_CHECKING:
    from spanemu.frontend import continuation, reflection
else:
    continuation = deferred("spanemu.frontend.continuation")
    reflection = deferred("spanemu.frontend.reflection")

try:
    from grpc._cython import cygrpc
except ImportError:
    cygrpc = None

_KNOWN_KINDS = ("ipv4:", "ipv6:")  # kinds of addresses that contexts and sockets write alike


class RemoteConnection:
    """The connection of a client, identified by the address in the request's context.

    The connection must not refer to a request: gRPC keeps a broken connection on its list as long
    as one of its requests is referenced.
    """

    __slots__ = ("_peer",)

    def __init__(self, peer: str) -> None:
        self._peer = peer

    def is_open(self) -> bool:
        """Return whether the client is still connected."""
        if not self._peer.startswith(_KNOWN_KINDS):
            return True
        sockets = _sockets()
        return sockets is None or unquote(self._peer) in sockets


def _sockets() -> frozenset[str] | None:
    try:
        servers = [each["ref"]["serverId"] for each in _list("server", cygrpc.channelz_get_servers)]
        return frozenset(
            unquote(socket["name"].rpartition(" ")[2])
            for server in servers
            for socket in _list(
                "socketRef",
                lambda start, server=server: cygrpc.channelz_get_server_sockets(
                    int(server), start, 0
                ),
            )
        )
    except (AttributeError, KeyError, ValueError):
        return None


def _list(kind: str, page_from: Any) -> list[dict[str, Any]]:
    """Return all pages of a channelz list."""
    items: list[dict[str, Any]] = []
    start = 0
    while True:
        page = json.loads(page_from(start))
        page_items = page.get(kind, [])
        items += page_items
        if page.get("end") or not page_items:
            return items
        ref = page_items[-1].get("ref", page_items[-1])
        start = 1 + int(ref.get("socketId") or ref["serverId"])


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

    def __init__(self, endpoints: Endpoints, workers_max: int = WORKERS_MAX) -> None:
        self._workers = ThreadPoolExecutor(workers_max, thread_name_prefix="spanemu-rpc")
        self._server = grpc.server(self._workers, options=_OPTIONS)
        self._continuations = continuation.Continuations()
        self._server.add_generic_rpc_handlers((_Handlers(endpoints, self._continuations),))

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
        self._continuations.stop()
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

    def __init__(self, endpoints: Endpoints, continuations: continuation.Continuations) -> None:
        self._reflection = _Reflection(endpoints)
        self._by_path: dict[str, Any] = {}
        self._endpoints = {each.path: each for each in endpoints}
        self._continuations = continuations

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
        return None if endpoint is None else _handler(endpoint, self._continuations)


class _Reflection:
    """The behavior of server reflection, which is imported for the first request."""

    def __init__(self, endpoints: Endpoints) -> None:
        self._reflect = Once(lambda: reflection.reflect(endpoints.all_services))

    def __call__(self, requests: Iterator[bytes], context: Any) -> Iterator[bytes]:
        try:
            behavior = self._reflect()
        except ModuleNotFoundError:
            context.abort(grpc.StatusCode.UNIMPLEMENTED, NO_REFLECTION)
        yield from behavior(requests, context)


def _handler(endpoint: Endpoint, continuations: continuation.Continuations) -> Any:
    if endpoint.streams:
        return grpc.unary_stream_rpc_method_handler(_StreamBehavior(endpoint, continuations))
    return grpc.unary_unary_rpc_method_handler(_serve_unary(endpoint))


def _serve_unary(endpoint: Endpoint) -> Callable[[bytes, Any], bytes]:
    def serve(data: bytes, context: Any) -> bytes:
        try:
            return endpoint.unary(data, _call(endpoint, context))
        except Exception as error:
            failure = failure_from(error, endpoint.path)
        _abort(context, failure)

    return serve


class _StreamBehavior:
    """The behavior of a streaming method, in the form of gRPC that need not keep its thread.

    gRPC passes the function that sends a message, or the final status for None.
    """

    experimental_non_blocking = True

    def __init__(self, endpoint: Endpoint, continuations: continuation.Continuations) -> None:
        self._endpoint = endpoint
        self._continuations = continuations

    def __call__(self, data: bytes, context: Any, send: Callable[[bytes | None], object]) -> None:
        endpoint = self._endpoint
        replies = endpoint.steps(data, _call(endpoint, context))
        try:
            for reply in replies:
                if reply.__class__ is not bytes:
                    assert isinstance(reply, LiveRows)
                    path, continuations = endpoint.path, self._continuations
                    continuation.WaitingStream(replies, path, context, continuations).wait(reply)
                    return
                send(reply)
                if not context.is_active():
                    return
        except Exception as error:
            failure = failure_from(error, endpoint.path)
        else:
            send(None)
            return
        _abort(context, failure)


class _RemoteCall(ServedCall):
    """An RPC received through the port."""

    transport = "grpc"

    def __init__(self, path: str, context: Any) -> None:
        super().__init__(path, context.time_remaining())
        self._context = context

    @property
    def metadata(self) -> Metadata:
        """The metadata that the client sent, as gRPC passes it on."""
        metadata: Metadata = self._context.invocation_metadata()
        return metadata

    @property
    def peer(self) -> str:
        """The IP address of the client; "" for a socket of the file system."""
        return host_of_peer(self._context.peer())

    # Computed only at the end of a request in a transaction; other calls pay nothing for it.
    @property
    def connection(self) -> RemoteConnection:  # type: ignore[override]
        """The connection that the RPC was received through."""
        return RemoteConnection(self._context.peer())


def _call(endpoint: Endpoint, context: Any) -> ServedCall:
    call = _RemoteCall(endpoint.path, context)
    if not context.add_callback(call.cancel):
        call.cancel()
    return call


def _abort(context: Any, failure: Failure) -> NoReturn:
    context.set_trailing_metadata(failure.trailers)
    context.abort(STATUS_CODES[failure.code], failure.message)
    raise AssertionError("abort returned")
