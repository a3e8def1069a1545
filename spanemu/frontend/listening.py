"""Sockets that listen at an address, and what the gRPC servers have in common.

`frontend.server` and `http2.server` serve gRPC; the embedded channel has the same limits.
"""

from __future__ import annotations

import errno
import socket

from spanemu.frontend.errors import CannotListen, PortTaken

REFLECTION_PATHS = tuple(
    f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo"
    for version in ("v1", "v1alpha")
)
NO_REFLECTION = "Server reflection needs a package: pip install 'spanemu[reflection]'."
# The threads of a pool that serves requests, and how many of them requests that wait may hold.
WORKERS_MAX = 1_024
WAITING_MAX = 768
# A little more than the limit of a commit, so that Spanner's own error answers a larger commit.
MESSAGE_BYTES_MAX = 104 * 1024 * 1024
_BACKLOG = 1024  # connections of a crowd that comes at once
_ALL_ADDRESSES = ("0.0.0.0", "::")


def listen_at(host: str, port: int, address: str = "", *, is_dual: bool = False) -> socket.socket:
    """Return a socket that listens; `address` names it in errors.

    With `is_dual`, a socket for all addresses of the machine is for those of IPv4 and IPv6.

    Raises PortTaken, and CannotListen for a host that is not an address of this machine.
    """
    address = address or (f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
    try:
        if is_dual and host in _ALL_ADDRESSES and (both := _listen_at_all(port)) is not None:
            return both
        family, *_, target = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(target[:2], family=family, backlog=_BACKLOG)
    except socket.gaierror:
        raise CannotListen(address, f"the host {host} is unknown") from None
    except OSError as problem:
        if problem.errno == errno.EADDRINUSE:
            raise PortTaken(address) from None
        if problem.errno == errno.EADDRNOTAVAIL:
            reason = f"{host} is not an address of this machine"
            raise CannotListen(address, reason) from None
        raise CannotListen(address, problem.strerror or str(problem)) from None


def _listen_at_all(port: int) -> socket.socket | None:
    """Return a socket that listens at all addresses; None without IPv6.

    Raises OSError if the port is taken.
    """
    if not socket.has_dualstack_ipv6():
        return None
    try:
        return socket.create_server(
            ("::", port), family=socket.AF_INET6, backlog=_BACKLOG, dualstack_ipv6=True
        )
    except OSError as problem:
        if problem.errno == errno.EADDRINUSE:
            raise
        return None
