"""The service spanemu.v1.Control: the control operations of an emulator, for remote clients.

    rpc <Operation>(google.protobuf.Struct) returns (google.protobuf.Struct)

and the same operations with the messages of `typed_control`, as spanemu.control.v1.Control.

A request holds the arguments of an operation by name, and a reply its results, both as JSON-like
values. `control.operation` declares operations; failures are reported as for any RPC.
`control_access` says who may call the service.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from spanemu.base.call import serving
from spanemu.base.deferred import deferred
from spanemu.frontend import wire
from spanemu.frontend.control_access import CheckPeer
from spanemu.frontend.convert.types import struct_from_proto, whole_numbers
from spanemu.frontend.method import Handler, Message, Method, Service

if TYPE_CHECKING:
    from spanemu.frontend import typed_control
else:
    typed_control = deferred("spanemu.frontend.typed_control")


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
    return Service(TYPED_SERVICE, tuple(methods), typed_control.described)


def _typed_handler(name: str, perform: Perform, check_peer: CheckPeer) -> Handler:
    def handle(_instances: object, data: bytes) -> bytes:
        check_peer(getattr(serving.call, "peer", ""))
        return typed_control.answer(name, data, perform)

    return handle
