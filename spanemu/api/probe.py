"""Probes of a running server: whether its ports answer, and whether the server is spanemu.

A probe sends ListInstanceConfigs, which every Spanner server implements and which needs no
resource. It uses neither the official client nor messages, because a health check runs often.
"""

from __future__ import annotations

import http.client
import re
from typing import Any
from urllib.parse import urlsplit

import grpc

from spanemu.api.tls import client_context, open_channel

PROJECT = "health-check"
_METHOD = "/google.spanner.admin.instance.v1.InstanceAdmin/ListInstanceConfigs"
_CONTROL_METHOD = "/spanemu.v1.Control/GetClock"
_PARENT = f"projects/{PROJECT}".encode()
_REFUSED = re.compile("connection refused|actively refused", re.IGNORECASE)  # Windows: "actively"
_HTTP = re.compile(r"http1\.x server|Failed parsing HTTP/2")
_REQUEST = b"\x0a" + bytes([len(_PARENT)]) + _PARENT  # the field `parent`, the first of the message


class Unreachable(Exception):
    """A server that does not answer as a Spanner server does; the message says why."""


def probe_grpc(uri: str, seconds: float, tls_ca: str | None = None) -> None:
    """Return if the gRPC port at `uri` answers within `seconds`. Raises Unreachable.

    `tls_ca` is the file of certificates to trust, None for a server without TLS.
    """
    _call(uri, _METHOD, _REQUEST, seconds, tls_ca)


def is_spanemu(uri: str, seconds: float, tls_ca: str | None = None) -> bool:
    """Return whether the server at `uri` has the control service. Raises Unreachable."""
    try:
        _call(uri, _CONTROL_METHOD, b"", seconds, tls_ca)
    except Unreachable as problem:
        if "UNIMPLEMENTED" in str(problem):
            return False
        raise
    return True


def probe_rest(uri: str, seconds: float, tls_ca: str | None = None) -> None:
    """Return if the REST port at `uri`, HOST:PORT or a URL, answers. Raises Unreachable."""
    default = "http" if tls_ca is None else "https"
    address = urlsplit(uri if "://" in uri else f"{default}://{uri}")
    host, port = address.hostname or "", address.port
    connection: http.client.HTTPConnection
    try:
        if address.scheme == "https":
            context = client_context(tls_ca)
            connection = http.client.HTTPSConnection(host, port, timeout=seconds, context=context)
        else:
            connection = http.client.HTTPConnection(host, port, timeout=seconds)
        try:
            connection.request("GET", f"/v1/projects/{PROJECT}/instanceConfigs")
            status = connection.getresponse().status
        finally:
            connection.close()
    except (OSError, ValueError, http.client.HTTPException) as problem:
        raise Unreachable(f"REST at {uri}: {problem or type(problem).__name__}") from problem
    if status != http.client.OK:
        raise Unreachable(f"REST at {uri}: HTTP status {status}")


def _call(uri: str, method: str, request: bytes, seconds: float, tls_ca: str | None) -> None:
    try:
        with open_channel(uri, tls_ca) as channel:
            channel.unary_unary(method)(request, timeout=seconds)
    except grpc.RpcError as failure:
        raise Unreachable(f"gRPC at {uri}: {reason_of(failure, uri)}") from failure
    except OSError as problem:
        raise Unreachable(f"gRPC at {uri}: {problem}") from problem


def reason_of(failure: Any, uri: str) -> str:
    """Return why an RPC failed, and how to start a server where none listens."""
    details = failure.details() or ""
    if failure.code() is grpc.StatusCode.UNAVAILABLE and _REFUSED.search(details):
        return f"connection refused. Start a server: spanemu serve --host-port {uri}"
    if _HTTP.search(details):
        return "an HTTP server answers, as a REST port does. Give the gRPC port, 9010 by default"
    return f"{failure.code().name}: {details}"
