"""The REST server: a site behind a port, with one thread for each connection.

A request may wait for a lock or for rows for as long as it likes, so its connection keeps a thread.
Only a share of the connections may wait at a time; further requests that would have to are refused.
A connection beyond a limit, or for which the process has no descriptor left, takes the place of the
one that has waited longest for its client: for a request, the rest of one, or room for a response.

Pages of other sites can send requests to this machine, too. The guard refuses a request if its Host
is not a name of this machine (a page could let its own name point here), if it comes from a page of
another origin, or if it has a body that such a page could send without asking first. Programs other
than browsers send neither Origin nor Sec-Fetch headers.
"""

from __future__ import annotations

import ipaddress
import json
import selectors
import socket
import ssl
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version

from spanemu.base.errors import Code, SpannerError
from spanemu.base.process import descriptors
from spanemu.frontend.dispatch import Endpoints
from spanemu.frontend.errors import CannotListen, PortTaken
from spanemu.frontend.listening import listen_at
from spanemu.frontend.waits import Waits
from spanemu.rest.api import NO_RPC, PREFIX, Api, RefusedCall
from spanemu.rest.bodies import Bodies
from spanemu.rest.connection import Connection, closing_bytes
from spanemu.rest.errors import Forbidden, MethodNotFound
from spanemu.rest.exchange import Request, Response, Site, failed
from spanemu.rest.hangups import Hangups

HEALTH_PATH = "/healthz"
CONNECTIONS_MAX = 1_024
WAITING_MAX = 768  # requests that wait: the other connections are left for those that do not
HANDSHAKE_SECONDS = 10.0
_DESCRIPTORS_SHARE = 0.25  # of those of the process
_PAUSE_SECONDS = 0.1  # before the next connection when the process has no descriptor left
_STOP_SECONDS = 5.0  # for the thread that accepts connections to end

_BODY_METHODS = ("POST", "PUT", "PATCH", "DELETE")
_OWN_SITE = ("same-origin", "none")


class TooManyConnections(SpannerError, code=Code.UNAVAILABLE):
    prose = "More than {limit} connections are open."
    limit: int


class RestServer:
    """A server of the REST interface; `site` answers requests, and may be extended.

    `links` names, in the reply to `/`, where what is served begins.
    `allowed_hosts` are names by which clients may call it, besides its addresses. `in_network` says
    that other machines may call it. `tls` has its certificate, None for plain HTTP.
    """

    def __init__(
        self,
        endpoints: Endpoints,
        allowed_hosts: Iterable[str] = (),
        in_network: bool = False,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._endpoints = endpoints
        self._tls = tls
        self.links = {"api": PREFIX, "health": HEALTH_PATH, "metrics": "/metrics"}
        self.site = Site(self.index)
        self.site.add(PREFIX, Api(endpoints))
        self.site.add(HEALTH_PATH, health)
        scheme = "http" if tls is None else "https"
        self._guard = Guard(allowed_hosts, any_single_name=in_network, scheme=scheme)
        self.bodies = Bodies()
        self._listeners: list[socket.socket] = []
        self._open: set[socket.socket] = set()  # Each thread adds and removes only its own.
        # Those that wait for their clients, likewise; who has waited longest is the first.
        self._waiting: dict[socket.socket, None] = {}
        self._descriptors = descriptors(_DESCRIPTORS_SHARE)
        self.waits = Waits(WAITING_MAX)
        self._refusal = closing_bytes(failed(TooManyConnections(CONNECTIONS_MAX), "HTTP"))

    def start(self, host: str, port: int) -> int:
        """Listen, and return the port: a free port if asked for port 0.

        Raises PortTaken, and CannotListen for a host that is not an address of this machine.
        """
        self._listeners = _listen(host, port)
        self.hangups = Hangups()
        self._waker, self._wakened = socket.socketpair()
        self._accepting = threading.Thread(target=self._accept, name="spanemu-rest", daemon=True)
        self._accepting.start()
        return int(self._listeners[0].getsockname()[1])

    def stop(self) -> None:
        """Stop listening, cancel the requests in progress and close all connections.

        The port is free when this returns.
        """
        with suppress(OSError):
            self._waker.send(b".")
        self._accepting.join(_STOP_SECONDS)
        self.hangups.stop()
        for connection in self._open.copy():
            with suppress(OSError):
                socket.socket.shutdown(connection, socket.SHUT_RDWR)  # whatever TLS is about to do

    def respond(self, request: Request) -> Response:
        """Return the response to a request."""
        try:
            self._guard.check(request)
        except Forbidden as error:
            self._endpoints.refused(RefusedCall(NO_RPC, None), error)
            return failed(error, request.path)
        try:
            return self.site(request)
        except Exception as error:
            return failed(error, request.path)

    def index(self, request: Request) -> Response:
        """Return a description of the server and its paths; redirect a browser to the console."""
        if request.path != "/":
            return not_found(request)
        console = self.links.get("console")
        if console is not None and "text/html" in request.headers.get("accept", ""):
            return Response(302, "text/plain", b"", (("Location", console),))
        content = {"name": "spanemu", "version": version("spanemu"), "links": self.links}
        return Response.of_text(json.dumps(content))

    def _accept(self) -> None:
        """Serve the connections to all listening sockets until the server is stopped."""
        with selectors.DefaultSelector() as selector:
            for source in (*self._listeners, self._wakened):
                source.setblocking(False)
                selector.register(source, selectors.EVENT_READ)
            stopped = False
            while not stopped:
                ready = {key.fileobj for key, _ in selector.select()}
                stopped = self._wakened in ready
                for listener in self._listeners if not stopped else ():
                    if listener in ready:
                        self._take(listener)
        for source in (*self._listeners, self._waker, self._wakened):
            source.close()

    def _take(self, listener: socket.socket) -> None:
        """Serve the next connection on a thread of its own."""
        try:
            connection, peer = listener.accept()
        except BlockingIOError:
            return
        except OSError:  # There is no descriptor left.
            self._close_longest_waiting()
            threading.Event().wait(_PAUSE_SECONDS)
            return
        connection.setblocking(True)
        connections_max = min(CONNECTIONS_MAX, self._descriptors)
        if len(self._open) >= connections_max:
            self._close_longest_waiting()
        if len(self._open) >= connections_max:
            with suppress(OSError), connection:
                if self._tls is None:
                    connection.sendall(self._refusal)
            return
        self._open.add(connection)
        serving = threading.Thread(
            target=self._serve, args=(connection, peer), name="spanemu-rest-rpc", daemon=True
        )
        try:
            serving.start()
        except (RuntimeError, MemoryError):  # The system has no more threads.
            self._open.discard(connection)
            connection.close()
            self._close_longest_waiting()

    @contextmanager
    def waiting(self, connection: socket.socket) -> Iterator[None]:
        """Allow a connection to be closed while it waits for its client."""
        self._waiting[connection] = None
        try:
            yield
        finally:
            self._waiting.pop(connection, None)

    def _close_longest_waiting(self) -> None:
        """Close the connection that has waited longest for its client, if one waits."""
        for connection in list(self._waiting)[:1]:
            self._waiting.pop(connection, None)
            self._open.discard(connection)
            with suppress(OSError):
                socket.socket.shutdown(connection, socket.SHUT_RDWR)

    def _serve(self, connection: socket.socket, peer: object) -> None:
        with suppress(OSError):  # of a handshake
            try:
                if self._tls is not None:
                    connection = self._secured(connection, self._tls)
                Connection(connection, peer, self)
            finally:
                self._open.discard(connection)
                connection.close()

    def _secured(self, connection: socket.socket, tls: ssl.SSLContext) -> socket.socket:
        """Return a connection after the handshake of TLS. Raises OSError."""
        connection.settimeout(HANDSHAKE_SECONDS)
        secured = tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        self._open.add(secured)
        self._open.discard(connection)
        try:
            with self.waiting(secured):
                secured.do_handshake()
        except OSError:
            self._open.discard(secured)
            secured.close()
            raise
        return secured


def _listen(host: str, port: int) -> list[socket.socket]:
    """Return listening sockets at a port; for "localhost", at both its addresses."""
    if host not in ("", "localhost"):
        return [listen_at(host, port)]
    first = listen_at("127.0.0.1", port)
    try:
        return [first, listen_at("::1", first.getsockname()[1])]
    except PortTaken:
        if port:
            first.close()
            raise
    except CannotListen:  # There is no IPv6 here.
        pass
    return [first]


def health(request: Request) -> Response:
    """Return that the emulator serves requests; the server answers nothing before."""
    return Response.of_text('{"status":"SERVING"}')


def not_found(request: Request) -> Response:
    """Return the response for a path that nothing answers."""
    return failed(MethodNotFound(request.method, request.path), "HTTP")


class Guard:
    """The rules for requests to a server.

    `allowed_hosts` are further names of the machine. With `any_single_name`, names without a dot
    are accepted: in a network of containers they are the names of its services. `scheme` is that
    of the server's own URLs.
    """

    def __init__(
        self,
        allowed_hosts: Iterable[str] = (),
        any_single_name: bool = False,
        scheme: str = "http",
    ) -> None:
        self._scheme = scheme
        self._allowed = frozenset(host.lower() for host in allowed_hosts)
        self._any_single_name = any_single_name

    def check(self, request: Request) -> None:
        """Raise Forbidden for a request that the rules refuse."""
        headers = request.headers
        host = headers.get("host")
        if host is not None and not self._is_own(host):
            raise Forbidden(f"Host {host!r} is no name of this emulator; see --allowed-host.")
        origin = headers.get("origin")
        if origin is not None:
            if origin.lower() != f"{self._scheme}://{host}".lower():
                raise Forbidden(f"Requests from pages of {origin!r} are refused.")
            self._check_body(request)
        site = headers.get("sec-fetch-site", "none").lower()
        if site not in _OWN_SITE and not _is_navigation(request):
            raise Forbidden("Requests from pages of other sites are refused.")

    def _is_own(self, host: str) -> bool:
        name = _without_port(host.lower())
        if name in ("localhost", *self._allowed) or name.endswith(".localhost"):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            is_plain = name.replace("-", "").replace("_", "").isalnum()
            return self._any_single_name and is_plain
        return True

    def _check_body(self, request: Request) -> None:
        """Refuse a body of a type that browsers let any page send."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if request.method in _BODY_METHODS and request.body and kind != "application/json":
            raise Forbidden("A page must send its requests as application/json.")


def _without_port(host: str) -> str:
    """Return the name in a Host header; an IPv6 address without its brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0] if host.count(":") == 1 else host


def _is_navigation(request: Request) -> bool:
    """Return whether a person followed a link, whose page the other site cannot read."""
    headers = request.headers
    return (
        request.method in ("GET", "HEAD")
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
    )
