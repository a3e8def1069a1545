"""The service spanemu.v1.Control: what a test does to an emulator, for clients elsewhere.

    rpc <Operation>(google.protobuf.Struct) returns (google.protobuf.Struct)

A request holds an operation's arguments by name, a reply what it gives, both as JSON would have
them. The operations are `control.operations`; failures travel as those of any RPC do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from spanemu.frontend import wire
from spanemu.frontend.convert.structs import struct_from_plain, struct_to_plain
from spanemu.frontend.method import Handler, Message, Method, Service

CONTROL_SERVICE = "spanemu.v1.Control"

Perform = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]  # (operation, its arguments)


def control_service(operations: Iterable[str], perform: Perform) -> Service:
    """The service that offers operations by name."""
    methods = (
        Method(name, wire.Struct, wire.Struct, _handler(name, perform)) for name in operations
    )
    return Service(CONTROL_SERVICE, tuple(methods))


def _handler(name: str, perform: Perform) -> Handler:
    def handle(_instances: object, request: Message) -> Message:
        return struct_from_plain(perform(name, struct_to_plain(request)))

    return handle
