"""Sockets that listen at an address, and the reasons why they cannot."""

from __future__ import annotations

import errno
import socket

from spanemu.frontend.errors import CannotListen, PortTaken

_BACKLOG = 128


def listen_at(host: str, port: int, address: str = "") -> socket.socket:
    """Return a socket that listens; `address` names it in errors.

    Raises PortTaken, and CannotListen for a host that is not an address of this machine.
    """
    address = address or (f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
    try:
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
