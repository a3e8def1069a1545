"""The service spanemu.v1.Control: the control operations of an emulator, for remote clients.

    rpc <Operation>(google.protobuf.Struct) returns (google.protobuf.Struct)

and the same operations with the messages of `typed_control`, as spanemu.control.v1.Control.

A request holds the arguments of an operation by name, and a reply its results, both as JSON-like
values. `control.operation` declares operations; failures are reported as for any RPC.

Control operations read and change everything without a trace in the databases' own protocol, so an
emulator that listens for other machines serves them Spanner's API alone, unless it is configured
otherwise (`control_access`).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import unquote

from spanemu.base.call import serving
from spanemu.base.deferred import deferred
from spanemu.base.errors import Code, SpannerError
from spanemu.frontend import typed_control, wire
from spanemu.frontend.convert.types import struct_from_proto, whole_numbers
from spanemu.frontend.dispatch import Handler, Message, Method, Service


def struct_from_plain(data: Mapping[str, Any]) -> Any:
    """Return a Struct of None, bools, numbers, strings, lists and objects."""
    message = wire.Struct()
    message.update(data)
    return message


def struct_to_plain(message: Any) -> dict[str, Any]:
    """Return the content of a Struct, whole numbers as ints. Raises ValueWithoutKind."""
    content: dict[str, Any] = whole_numbers(struct_from_proto(message))
    return content


CONTROL_SERVICE = "spanemu.v1.Control"
TYPED_SERVICE = "spanemu.control.v1.Control"

Perform = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]  # (operation, its arguments)
CheckPeer = Callable[[str], None]  # raises for the IP address of a client that is refused


def control_service(operations: Iterable[str], perform: Perform, check_peer: CheckPeer) -> Service:
    """Return the service that offers the operations by name."""
    methods = (
        Method(name, wire.Struct, wire.Struct, _handler(name, perform, check_peer))
        for name in operations
    )
    return Service(CONTROL_SERVICE, tuple(methods))


def _handler(name: str, perform: Perform, check_peer: CheckPeer) -> Handler:
    def handle(_instances: object, request: Message) -> Message:
        check_peer(getattr(serving.call, "peer", ""))
        return struct_from_plain(perform(name, struct_to_plain(request)))

    return handle


class _Bytes:
    """A stand-in for a message class that leaves the bytes to the handler."""

    @staticmethod
    def FromString(data: bytes) -> bytes:  # as message classes have it
        return data


def typed_control_service(
    operations: Iterable[str], perform: Perform, check_peer: CheckPeer
) -> Service:
    """Return the service that offers the operations by name, with typed messages."""
    methods = (
        Method(name, _Bytes, _Bytes, _typed_handler(name, perform, check_peer))
        for name in operations
    )
    return Service(TYPED_SERVICE, tuple(methods), deferred(lambda: typed_control.described))


def _typed_handler(name: str, perform: Perform, check_peer: CheckPeer) -> Handler:
    def handle(_instances: object, data: bytes) -> bytes:
        check_peer(getattr(serving.call, "peer", ""))
        return typed_control.answer(name, data, perform)

    return handle


class ControlRefused(SpannerError, code=Code.PERMISSION_DENIED):
    prose = (
        "Control operations are refused to other machines, such as {peer}; "
        "start the emulator with --remote-control to accept them."
    )
    peer: str


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
