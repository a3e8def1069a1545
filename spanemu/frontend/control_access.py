"""Who may control an emulator: programs of this machine, and of others only if that is configured.

Control operations read and change everything without a trace in the databases' own protocol, so an
emulator that listens for other machines serves them Spanner's API alone.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from urllib.parse import unquote

from spanemu.base.errors import Code, SpannerError


class ControlRefused(SpannerError, code=Code.PERMISSION_DENIED):
    prose = (
        "Control operations are refused to other machines, such as {peer}; "
        "start the emulator with --remote-control to accept them."
    )
    peer: str


CheckPeer = Callable[[str], None]  # raises for the IP address of a client that is refused


def control_access(is_remote_allowed: bool) -> CheckPeer:
    """Return the check of the clients that request control operations."""
    return _accept if is_remote_allowed else _check_loopback


def _accept(_peer: str) -> None: ...


def _check_loopback(peer: str) -> None:
    if peer and not _is_loopback(peer):  # "" is this process.
        raise ControlRefused(peer)


def host_of_peer(peer: str) -> str:
    """Return the IP address in a peer as gRPC writes it, such as "ipv6:%5B::1%5D:50000".

    Peers of other kinds, such as sockets of the file system, are this machine: "".
    """
    kind, _, address = unquote(peer).partition(":")
    if kind not in ("ipv4", "ipv6"):
        return ""
    return address.rpartition(":")[0].strip("[]")


def _is_loopback(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)  # of a socket that accepts both versions
    return (mapped or address).is_loopback
