"""What can be wrong with what a client sends.

ConnectionFailure     a violation of HTTP/2 that ends the connection
└── CompressionError  a header block that cannot be decoded
StreamFailure         a violation of HTTP/2 that resets a stream
RefusedRequest        a request that no endpoint receives, which is answered with a status of gRPC
"""

from __future__ import annotations

from enum import IntEnum

from spanemu.base.errors import Code
from spanemu.frontend.boundary import Failure


class ErrorCode(IntEnum):
    """The error codes of RFC 9113, 7."""

    NO_ERROR = 0x0
    PROTOCOL_ERROR = 0x1
    INTERNAL_ERROR = 0x2
    FLOW_CONTROL_ERROR = 0x3
    SETTINGS_TIMEOUT = 0x4
    STREAM_CLOSED = 0x5
    FRAME_SIZE_ERROR = 0x6
    REFUSED_STREAM = 0x7
    CANCEL = 0x8
    COMPRESSION_ERROR = 0x9
    CONNECT_ERROR = 0xA
    ENHANCE_YOUR_CALM = 0xB
    INADEQUATE_SECURITY = 0xC
    HTTP_1_1_REQUIRED = 0xD


class ConnectionFailure(Exception):
    """A violation that ends the connection. The client receives the reason."""

    code = ErrorCode.PROTOCOL_ERROR

    def __init__(self, reason: str, code: ErrorCode | None = None) -> None:
        super().__init__(reason)
        if code is not None:
            self.code = code


class CompressionError(ConnectionFailure):
    """A header block that cannot be decoded."""

    code = ErrorCode.COMPRESSION_ERROR


class StreamFailure(Exception):
    """A violation that ends a stream only."""

    def __init__(self, stream_id: int, code: ErrorCode) -> None:
        super().__init__(code.name)
        self.stream_id = stream_id
        self.code = code


class RefusedRequest(Exception):
    """A request that ends with a status before it reaches an endpoint."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.failure = Failure(code, message)
