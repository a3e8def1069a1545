"""How an RPC ended, in gRPC's terms, and the limits and checks that gRPC itself applies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import grpc

from spanemu.base.call import Cancelled
from spanemu.base.clock import monotonic
from spanemu.frontend.boundary import Failure, failure_from
from spanemu.frontend.dispatch import Metadata, ServedCall
from spanemu.frontend.server import MESSAGE_BYTES_MAX, STATUS_CODES

_RECEIVE_BYTES_MAX = 4 * 1024 * 1024  # gRPC's default for clients.
_UNLIMITED = -1

_METADATA_KEY = re.compile(r"[0-9a-z_.-]+")
_KNOWN_KEYS_MAX = 1_000
KNOWN_KEYS: set[str] = set()  # that were found to be right


class Metadatum(NamedTuple):
    """One entry of metadata."""

    key: str
    value: str | bytes


_USER_AGENT = Metadatum("user-agent", f"grpc-python/{grpc.__version__} spanemu-embedded")


@dataclass(frozen=True, slots=True)
class Ending:
    """A final status with its trailers."""

    code: grpc.StatusCode
    details: str = ""
    trailers: tuple[Metadatum, ...] = ()


OK = Ending(grpc.StatusCode.OK)
DEADLINE_EXCEEDED = Ending(grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded")
CANCELLED = Ending(grpc.StatusCode.CANCELLED, "Locally cancelled by application!")
CHANNEL_CLOSED = Ending(grpc.StatusCode.CANCELLED, "Channel closed!")
UNSERIALIZABLE = Ending(grpc.StatusCode.INTERNAL, "Exception serializing request!")
UNDESERIALIZABLE = Ending(grpc.StatusCode.INTERNAL, "Exception deserializing response!")
INVALID_METADATA = Ending(grpc.StatusCode.INTERNAL, "Invalid metadata")
NO_SUCH_METHOD = Ending(grpc.StatusCode.UNIMPLEMENTED, "Method not found!")
NOT_ONE_REPLY = Ending(
    grpc.StatusCode.INTERNAL, "A method that streams was called as one that does not."
)
CREDENTIALS_ON_INSECURE = Ending(
    grpc.StatusCode.UNAUTHENTICATED,
    "Established channel does not have a sufficient security level to transfer call credential.",
)
FORKED = Ending(
    grpc.StatusCode.FAILED_PRECONDITION,  # which no client tries again
    "This client was made before its process was forked, and the emulator runs in the other one. "
    "Make a client in this process: it finds the emulator by its address.",
)
STOPPED = Ending(
    # Nor after this: UNAVAILABLE, as from a server that went away, is tried again for an hour.
    grpc.StatusCode.FAILED_PRECONDITION,
    "The emulator in this process has stopped: it was closed before its client was done.",
)


def ending_of(error: Exception, call: ServedCall) -> Ending:
    """How an RPC ended that raised `error`."""
    if isinstance(error, Refused):
        return error.ending
    if isinstance(error, Cancelled):
        return CANCELLED
    if is_late(call):  # gRPC's own timer ends a call whatever the server is about to say.
        return DEADLINE_EXCEEDED
    return _ending_from(failure_from(error, call.path))


def _ending_from(failure: Failure) -> Ending:
    trailers = tuple(Metadatum(key, value) for key, value in failure.trailers)
    return Ending(STATUS_CODES[failure.code], failure.message, trailers)


def is_late(call: ServedCall) -> bool:
    """Whether the deadline has passed."""
    return monotonic() >= call.deadline


class Refused(Exception):
    """gRPC itself ends the RPC, not what it calls."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending.details)
        self.ending = ending


@dataclass(frozen=True, slots=True)
class Limits:
    """Message sizes in bytes that a channel was told to allow."""

    receive: int = _RECEIVE_BYTES_MAX
    send: int = _UNLIMITED

    @classmethod
    def of(cls, options: Iterable[tuple[str, Any]]) -> Limits:
        """As gRPC reads a channel's options."""
        known = dict(options)
        return cls(
            receive=int(known.get("grpc.max_receive_message_length", _RECEIVE_BYTES_MAX)),
            send=int(known.get("grpc.max_send_message_length", _UNLIMITED)),
        )

    def check_sent(self, data: bytes) -> None:
        """Raise Refused when a request is too large for either side."""
        if len(data) > self.send >= 0:
            raise Refused(_too_large("Sent", len(data), self.send))
        if len(data) > MESSAGE_BYTES_MAX:
            raise Refused(_too_large("Received", len(data), MESSAGE_BYTES_MAX))

    def check_received(self, data: bytes) -> None:
        """Raise Refused when a reply is too large."""
        if len(data) > self.receive >= 0:
            raise Refused(_too_large("Received", len(data), self.receive))


def _too_large(verb: str, size: int, limit: int) -> Ending:
    return Ending(
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        f"{verb} message larger than max ({size} vs. {limit})",
    )


def serialized(request: Any, serializer: Callable[[Any], bytes] | None, limits: Limits) -> bytes:
    """A request's bytes. Raises Refused, as gRPC reports what a serializer raises."""
    try:
        data = bytes(request) if serializer is None else serializer(request)
    except Exception as error:
        raise Refused(UNSERIALIZABLE) from error
    if limits.send >= 0 or len(data) > MESSAGE_BYTES_MAX:
        limits.check_sent(data)
    return data


def deserialized(data: bytes, deserializer: Callable[[bytes], Any] | None, limits: Limits) -> Any:
    """A reply's message. Raises Refused, as gRPC reports what a deserializer raises."""
    if len(data) > limits.receive:
        limits.check_received(data)
    if deserializer is None:
        return data
    try:
        return deserializer(data)
    except Exception as error:
        raise Refused(UNDESERIALIZABLE) from error


class EmbeddedCall(ServedCall):
    """A call with the (key, value) pairs of metadata that its caller gave."""

    sent: tuple[tuple[str, str | bytes], ...] = ()

    @property
    def metadata(self) -> Metadata:
        """What the caller gave, and what gRPC adds."""
        return (*(Metadatum(key, value) for key, value in self.sent), _USER_AGENT)


def check_key(key: object) -> None:
    """Raise Refused for a key of metadata that gRPC does not take."""
    if not isinstance(key, str) or _METADATA_KEY.fullmatch(key) is None:
        raise Refused(INVALID_METADATA)
    if len(KNOWN_KEYS) < _KNOWN_KEYS_MAX:
        KNOWN_KEYS.add(key)
