"""A request of gRPC as the endpoints see it, read from the header fields of its stream."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from spanemu.base.call import Call, Connection, Metadata, Signal
from spanemu.base.errors import Code
from spanemu.frontend.dispatch import ServedCall
from spanemu.http2.errors import RefusedRequest
from spanemu.http2.header_block import METADATA, Field
from spanemu.http2.loop import Loop, Parked

_UNITS = {b"H": 3600.0, b"M": 60.0, b"S": 1.0, b"m": 1e-3, b"u": 1e-6, b"n": 1e-9}
_DIGITS_MAX = 8
_TIMEOUTS_MAX = 64  # of which the seconds are remembered: clients send few different ones
_SHOWN_BYTES = 100  # of a value in an error


class Caller(Protocol):
    """The client that sent a request."""

    @property
    def peer(self) -> str:
        """The IP address of the client."""
        ...

    @property
    def lifetime(self) -> Connection:
        """The client's connection, without what belongs to it."""
        ...

    @property
    def loop(self) -> Loop:
        """The threads that serve the client."""
        ...


class RpcCall(ServedCall):
    """An RPC received through the port."""

    transport = "grpc"

    def __init__(
        self, path: str, timeout: float | None, fields: Sequence[Field], caller: Caller
    ) -> None:
        super().__init__(path, timeout)
        self._fields = fields
        self._caller = caller

    @property
    def metadata(self) -> Metadata:
        """The metadata that the client sent, values of names that end in -bin as bytes."""
        return tuple(_decoded(field) for field in self._fields if field.role == METADATA)

    @property
    def peer(self) -> str:
        """The IP address of the client."""
        return self._caller.peer

    @property
    def connection(self) -> Connection:  # type: ignore[override]
        """The connection that the RPC was received through."""
        return self._caller.lifetime

    def check(self) -> None:
        """Raise as every call does, after a pause if several requests compute for long."""
        if (loop := self._caller.loop).is_crowded:
            loop.pause()
        super().check()

    def signal(self, work: Call | None = None) -> Signal:
        """Return a signal that the request waits for without delaying others."""
        return Parked(work or self, self._caller.loop)


def _decoded(field: Field) -> tuple[str, str | bytes]:
    name = field.name.decode("ascii")
    if not name.endswith("-bin"):
        return name, field.value.decode("latin-1")
    try:
        return name, b64decode(field.value + b"=" * (-len(field.value) % 4), validate=True)
    except Base64Error:
        return name, field.value


@lru_cache(_TIMEOUTS_MAX)
def timeout_seconds(value: bytes) -> float:
    """Return the seconds of a grpc-timeout header, such as "100m". Raises RefusedRequest."""
    number, unit = value[:-1], _UNITS.get(value[-1:])
    if unit is None or not number.isdigit() or len(number) > _DIGITS_MAX:
        shown = value[:_SHOWN_BYTES].decode("latin-1")
        raise RefusedRequest(Code.INTERNAL, f"malformed grpc-timeout: {shown}")
    return int(number) * unit
