"""The service spanemu.v1.Control: the control operations of an emulator, for remote clients.

    rpc <Operation>(google.protobuf.Struct) returns (google.protobuf.Struct)

A request holds the arguments of an operation by name, and a reply its results, both as JSON-like
values. `control.operation` declares operations; failures are reported as for any RPC.
`control_access` says who may call the service.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from spanemu.base.call import serving
from spanemu.frontend import wire
from spanemu.frontend.control_access import CheckPeer
from spanemu.frontend.convert.types import struct_from_proto
from spanemu.frontend.method import Handler, Message, Method, Service


def struct_from_plain(data: Mapping[str, Any]) -> Any:
    """Return a Struct of None, bools, numbers, strings, lists and objects."""
    message = wire.Struct()
    message.update(data)
    return message


def struct_to_plain(message: Any) -> dict[str, Any]:
    """Return the content of a Struct, whole numbers as ints. Raises ValueWithoutKind."""
    content: dict[str, Any] = _integral(struct_from_proto(message))
    return content


def _integral(value: Any) -> Any:
    """Return the value with ints in place of floats without a fraction."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, list):
        return [_integral(item) for item in value]
    if isinstance(value, dict):
        return {name: _integral(item) for name, item in value.items()}
    return value


CONTROL_SERVICE = "spanemu.v1.Control"

Perform = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]  # (operation, its arguments)


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
