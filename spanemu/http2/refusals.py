"""What is sent for a request that fails: the trailers, and the reply to what is none of gRPC."""

from __future__ import annotations

from base64 import b64encode

from spanemu.base.errors import Code
from spanemu.frontend.boundary import Failure
from spanemu.http2.errors import ErrorCode
from spanemu.http2.header_block import literal
from spanemu.http2.messages import escaped
from spanemu.http2.sending import Stream

_NOT_GRPC_HEAD = literal(b":status", b"415") + literal(b"content-type", b"text/plain")
_NOT_GRPC = b"This port serves gRPC.\n"


class OtherRequest(Stream):
    """A request that is none of gRPC, which is read to its end and refused."""

    __slots__ = ("_declared_bytes", "_received_bytes")

    def __init__(self, beginning: Stream, declared_bytes: int | None) -> None:
        super().__init__(beginning.connection, beginning.id)
        self._declared_bytes = declared_bytes
        self._received_bytes = 0
        self.connection.streams[self.id] = self

    def data(self, data: bytes) -> None:
        """Count a part of the body."""
        self._received_bytes += len(data)

    def end(self) -> None:
        """Refuse the request."""
        if self._declared_bytes not in (None, self._received_bytes):
            self.connection.reset(self.id, ErrorCode.PROTOCOL_ERROR)
            return
        self.connection.send_headers(self, _NOT_GRPC_HEAD)
        status = failure_trailers(Failure(Code.UNKNOWN, "The request is none of gRPC."))
        self.connection.send(self, _NOT_GRPC, status)

    def cancelled(self) -> None:
        """Do nothing: there is no work to stop."""


def failure_trailers(failure: Failure) -> bytes:
    """Return the block of the trailers of a failure."""
    block = literal(b"grpc-status", b"%d" % failure.code)
    block += literal(b"grpc-message", escaped(failure.message))
    for name, value in failure.trailers:
        block += literal(name.encode(), b64encode(value).rstrip(b"="))
    return block
