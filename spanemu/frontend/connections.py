"""Which clients are connected to this process's gRPC servers.

gRPC tells nobody of a connection that ends between two requests. But it keeps a list of sockets
for its own inspection service, which shows it. Where that cannot be read, every client counts as
connected.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote

try:
    from grpc._cython import cygrpc
except ImportError:
    cygrpc = None

_KNOWN_KINDS = ("ipv4:", "ipv6:")  # of addresses that are written alike in both places


class RemoteConnection:
    """The connection of a client at an address, as a request's context gives it.

    Nothing here may refer to a request: gRPC keeps a broken connection on its list for as long as
    one of its requests is remembered.
    """

    __slots__ = ("_peer",)

    def __init__(self, peer: str) -> None:
        self._peer = peer

    def is_open(self) -> bool:
        """Whether it is still there."""
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
    """All pages of a list of one kind of thing."""
    found: list[dict[str, Any]] = []
    start = 0
    while True:
        page = json.loads(page_from(start))
        things = page.get(kind, [])
        found += things
        if page.get("end") or not things:
            return found
        ref = things[-1].get("ref", things[-1])
        start = 1 + int(ref.get("socketId") or ref["serverId"])
