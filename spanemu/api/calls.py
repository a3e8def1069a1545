"""The connection to the control service of an emulator in another process.

Its errors:

ValueError        an argument that the embedded API refuses with ValueError, too
NotControllable   the server is not spanemu, or is an older version
RemoteFailure     every other failure, with the code and message of the server
"""

from __future__ import annotations

import os
import threading
from typing import Any

import grpc
from google.rpc import error_details_pb2, status_pb2

from spanemu.api.probe import reason_of
from spanemu.api.tls import open_channel
from spanemu.base.errors import Code, SpannerError, Unsupported
from spanemu.base.serialization import to_plain
from spanemu.control.operation import VALUE_ERROR
from spanemu.frontend.boundary import STATUS_TRAILER
from spanemu.frontend.control import CONTROL_SERVICE, struct_from_plain, struct_to_plain
from spanemu.frontend.wire import Struct

_OPTIONS = (("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1))


class NotControllable(Unsupported):
    prose = (
        "Operation {feature} is specific to spanemu, and the server at {uri} does not implement it."
    )
    uri: str


class RemoteFailure(SpannerError):
    prose = "{message}"
    code: Code  # type: ignore[misc]  # an instance field here: one class for all codes
    message: str


class Calls:
    """The control service at `uri`. Safe to use from several threads.

    `tls_ca` is the file of certificates to trust, None for a server without TLS.
    """

    def __init__(self, uri: str, tls_ca: str | None = None) -> None:
        self.uri = uri
        self._tls_ca = tls_ca
        self._mutex = threading.Lock()  # Guards the field below.
        self._channels: dict[int, Any] = {}  # By process: a forked child needs its own.

    def __call__(self, operation: str, **arguments: Any) -> dict[str, Any]:
        """Perform an operation and return its reply; arguments that are None are omitted."""
        given = {name: to_plain(each) for name, each in arguments.items() if each is not None}
        call = self._opened().unary_unary(
            f"/{CONTROL_SERVICE}/{operation}", Struct.SerializeToString, Struct.FromString
        )
        try:
            return struct_to_plain(call(struct_from_plain(given)))
        except grpc.RpcError as failure:
            raise self._exception(operation, failure) from None

    def close(self) -> None:
        """Close the connection; a later call connects again."""
        with self._mutex:
            channel = self._channels.pop(os.getpid(), None)
        if channel is not None:
            channel.close()

    def _opened(self) -> Any:
        with self._mutex:
            channel = self._channels.get(os.getpid())
            if channel is None:
                channel = open_channel(self.uri, self._tls_ca, _OPTIONS)
                self._channels[os.getpid()] = channel
            return channel

    def _exception(self, operation: str, failure: Any) -> Exception:
        """Return the exception to raise for a failed RPC."""
        code, message = Code(failure.code().value[0]), failure.details() or ""
        if code is Code.UNIMPLEMENTED:
            return NotControllable(operation, self.uri)
        if _is_value_error(failure):
            return ValueError(message)
        if code is Code.UNAVAILABLE:
            message = f"{self.uri}: {reason_of(failure, self.uri)}"
        return RemoteFailure(code, message)


def _is_value_error(failure: Any) -> bool:
    for name, value in failure.trailing_metadata() or ():
        if name == STATUS_TRAILER:
            for detail in status_pb2.Status.FromString(value).details:
                info = error_details_pb2.ErrorInfo()
                if detail.Unpack(info) and info.domain == VALUE_ERROR.domain:
                    return bool(info.reason == VALUE_ERROR.reason)
    return False
