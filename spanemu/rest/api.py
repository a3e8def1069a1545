"""Spanner's API below `/v1/`: each request becomes the request of an endpoint, as over gRPC.

    POST /v1/projects/p/instances/i/databases/d/sessions/s:executeSql   {"sql": "SELECT 1"}
      -> ExecuteSqlRequest(session="projects/.../s", sql="SELECT 1") -> ResultSet -> {"rows": ...}

The path, the body and the query each fill fields of the request. A streaming method answers with
one JSON array, to which each message is added as soon as it is there. An error before the first
message has its own HTTP status; a later error is the last element of the array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from spanemu.base.call import Call, Metadata, Signal
from spanemu.frontend.dispatch import Endpoint, Endpoints, Message, Method, ServedCall
from spanemu.rest import bodies
from spanemu.rest.errors import InvalidPayload, MethodNotFound, unknown
from spanemu.rest.exchange import JSON, Request, Response, failed, failure_text
from spanemu.rest.json_messages import CANNOT_FIND, fill, text_of
from spanemu.rest.json_texts import parsed
from spanemu.rest.query_string import (
    Pairs,
    fill_from_query,
    pairs_of,
    wants_enum_numbers,
)
from spanemu.rest.routes import NOTHING, REFUSED_ROUTES, ROUTES, WHOLE, Match, Router

PREFIX = "/v1/"
NO_RPC = "/HTTP"  # where the path of an RPC stands otherwise
_SMALL_BODY_BYTES = 64 * 1024
_TIMEOUT_HEADER = "x-server-timeout"  # in seconds; Google's clients send it
_QUERY_BYTES_MAX = 1024 * 1024
_OVERRIDE_HEADER = "x-http-method-override"  # with a query in the body, for long queries


class RefusedCall(ServedCall):
    """A request through HTTP that did not become an RPC, or not a valid one."""

    transport = "rest"


class RestCall(ServedCall):
    """An RPC received through HTTP."""

    transport = "rest"

    def __init__(self, path: str, request: Request) -> None:
        super().__init__(path, _timeout(request))
        self._request = request

    @property
    def peer(self) -> str:
        """The IP address of the client."""
        return self._request.peer

    def signal(self, work: Call | None = None) -> Signal:
        """Return a signal for which the request waits, counted among those that do."""
        waits = self._request.waits
        return super().signal(work) if waits is None else waits.signal(work or self)

    @property
    def metadata(self) -> Metadata:
        """The headers that the client sent."""
        return tuple(self._request.headers.items())


def _timeout(request: Request) -> float | None:
    text = request.headers.get(_TIMEOUT_HEADER)
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not seconds >= 0:
        raise InvalidPayload(_TIMEOUT_HEADER, f"{text!r} is not a number of seconds.")
    return seconds


class Api:
    """The responder below `/v1/`, over the endpoints of the emulator."""

    def __init__(self, endpoints: Endpoints) -> None:
        self._endpoints = endpoints
        self._router = Router()
        served = {route.rpc for route in (*ROUTES, *REFUSED_ROUTES)}
        self._methods: dict[str, tuple[Method, Endpoint]] = {
            path: (method, endpoint)
            for service in endpoints.services
            for path, method in service.paths()
            if path in served and (endpoint := endpoints.find(path)) is not None
        }

    def __call__(self, request: Request) -> Response:
        name, call = NO_RPC, None
        try:
            http_method, query, body = _overridden(request)
            match = self._router.find(http_method, request.path[len(PREFIX) :])
            if match is None:
                raise MethodNotFound(http_method, request.path)
            name = match.route.rpc
            method, endpoint = self._methods[name]
            pairs = pairs_of(query)
            enum_numbers = wants_enum_numbers(pairs)
            with _converting(body):
                data = _request_bytes(method, match, body, pairs) if method.implemented else b""
            call = RestCall(name, request)
            request.on_hangup(call.cancel)
            read, write = method.response.FromString, text_of

            def text(reply: bytes) -> str:
                with _converting(reply):
                    return write(read(reply), enum_numbers)

            if endpoint.streams:
                return _streamed(endpoint, data, call, text)
            return Response.of_text(text(endpoint.unary(data, call)))
        except Exception as error:
            if call is None:
                self._endpoints.refused(RefusedCall(name, None), error)
            return failed(error, name)


def _converting(content: bytes) -> AbstractContextManager[object]:
    """Return a context in which who has much to convert works alone: others get the interpreter."""
    return bodies.work if len(content) > _SMALL_BODY_BYTES else nullcontext()


def _overridden(request: Request) -> tuple[str, str, bytes]:
    """Return the HTTP method, query and body, of which a header may change the meaning."""
    if request.method == "POST" and request.headers.get(_OVERRIDE_HEADER, "").upper() == "GET":
        if len(request.body) > _QUERY_BYTES_MAX:
            raise InvalidPayload("", f"The query has more than {_QUERY_BYTES_MAX} bytes.")
        return "GET", request.body.decode("ascii", errors="replace"), b""
    http_method = "GET" if request.method == "HEAD" else request.method
    return http_method, request.query, request.body


def _request_bytes(method: Method, match: Match, body: bytes, pairs: Pairs) -> bytes:
    """Return the request of an RPC, filled from the body, the query and the path."""
    message = method.request()
    content = parsed(body)
    if match.route.body == NOTHING:
        if content:
            name = next(iter(content)) if isinstance(content, dict) else ""
            raise unknown(name, CANNOT_FIND).refusal()
    elif match.route.body == WHOLE:
        fill(message, content)
    else:
        fill(message, {match.route.body: content})
    del content  # The message may be large as well.
    fill_from_query(message, pairs)
    _set(message, match.route.field, match.name)
    data: bytes = message.SerializeToString()
    return data


def _set(message: Message, field: str, name: str) -> None:
    *parents, last = field.split(".")
    for parent in parents:
        message = getattr(message, parent)
    try:
        setattr(message, last, name)
    except UnicodeEncodeError:
        raise InvalidPayload(field, "The path is not valid UTF-8.") from None


def _streamed(
    endpoint: Endpoint, data: bytes, call: ServedCall, text: Callable[[bytes], str]
) -> Response:
    """Return the response of a streaming method, whose first message exists already."""
    replies = endpoint.stream(data, call)
    first = next(replies, None)
    if first is None:
        return Response(200, JSON, b"[]")
    return Response(200, JSON, _elements(text(first), replies, call, text))


def _elements(
    first: str, replies: Iterator[bytes], call: ServedCall, text: Callable[[bytes], str]
) -> Iterator[bytes]:
    """Yield the parts of a JSON array, after which Google's client for Python accepts nothing.

    Cancels the call if the client does not read all of it.
    """
    complete = False
    try:
        yield b"[" + first.encode()
        try:
            for reply in replies:
                yield b",\r\n" + text(reply).encode()
            ending = "]"
        except Exception as error:
            ending = f",\r\n{failure_text(error, call.path)[1]}]"
        complete = True
        yield ending.encode()
    finally:
        if not complete:
            call.cancel()
            _close(replies)


def _close(replies: Any) -> None:
    close = getattr(replies, "close", None)
    if close is not None:
        close()
