"""The final status of an RPC in gRPC's terms, and the limits and checks that gRPC applies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any

import grpc

from spanemu.base.call import Call, Cancelled, Signal
from spanemu.base.clock import monotonic
from spanemu.base.deferred import lazy_pattern
from spanemu.base.record import NamedTuple, dataclass
from spanemu.frontend.boundary import STATUS_CODES, Failure, failure_from
from spanemu.frontend.dispatch import Metadata, ServedCall
from spanemu.frontend.embedded.turns import turns
from spanemu.frontend.listening import MESSAGE_BYTES_MAX
from spanemu.frontend.waits import Waits

_RECEIVE_BYTES_MAX = 4 * 1024 * 1024  # gRPC's default for clients.
_UNLIMITED = -1

_METADATA_KEY = lazy_pattern(r"[0-9a-z_.-]+")
_KNOWN_KEYS_MAX = 1_000
KNOWN_KEYS: set[str] = set()  # valid keys, checked before


class Metadatum(NamedTuple):
    """An entry of metadata."""

    key: str
    value: str | bytes


_USER_AGENT = Metadatum("user-agent", f"grpc-python/{grpc.__version__} spanemu-embedded")


@dataclass(frozen=True, slots=True)
class FinalStatus:
    """A final status with its trailers."""

    code: grpc.StatusCode
    details: str = ""
    trailers: tuple[Metadatum, ...] = ()


OK = FinalStatus(grpc.StatusCode.OK)
DEADLINE_EXCEEDED = FinalStatus(grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded")
CANCELLED = FinalStatus(grpc.StatusCode.CANCELLED, "Locally cancelled by application!")
CHANNEL_CLOSED = FinalStatus(grpc.StatusCode.CANCELLED, "Channel closed!")
UNSERIALIZABLE = FinalStatus(grpc.StatusCode.INTERNAL, "Exception serializing request!")
UNDESERIALIZABLE = FinalStatus(grpc.StatusCode.INTERNAL, "Exception deserializing response!")
INVALID_METADATA = FinalStatus(grpc.StatusCode.INTERNAL, "Invalid metadata")
NO_SUCH_METHOD = FinalStatus(grpc.StatusCode.UNIMPLEMENTED, "Method not found!")
NOT_ONE_REPLY = FinalStatus(
    grpc.StatusCode.INTERNAL, "A streaming method was called as a unary method."
)
CREDENTIALS_ON_INSECURE = FinalStatus(
    grpc.StatusCode.UNAUTHENTICATED,
    "Established channel does not have a sufficient security level to transfer call credential.",
)
FORKED = FinalStatus(
    grpc.StatusCode.FAILED_PRECONDITION,  # clients do not retry it
    "This client was created before its process was forked, and the emulator runs in the parent. "
    "Create a client in this process: it finds the emulator by its address.",
)
STOPPED = FinalStatus(
    # Clients would retry UNAVAILABLE, the status of a server that went away, for an hour.
    grpc.StatusCode.FAILED_PRECONDITION,
    "The emulator in this process has stopped: it was closed before its client was done.",
)


def status_of_error(error: Exception, call: ServedCall) -> FinalStatus:
    """Return the final status of an RPC that raised `error`."""
    if isinstance(error, Refused):
        return error.ending
    if isinstance(error, Cancelled):
        return CANCELLED
    if is_late(call):  # gRPC's own timer ends a call regardless of the server's answer.
        return DEADLINE_EXCEEDED
    return _ending_from(failure_from(error, call.path))


def _ending_from(failure: Failure) -> FinalStatus:
    trailers = tuple(Metadatum(key, value) for key, value in failure.trailers)
    return FinalStatus(STATUS_CODES[failure.code], failure.message, trailers)


def is_late(call: ServedCall) -> bool:
    """Return whether the deadline has passed."""
    return monotonic() >= call.deadline


class Refused(Exception):
    """A refusal of the RPC by gRPC itself, before or after the endpoint."""

    def __init__(self, ending: FinalStatus) -> None:
        super().__init__(ending.details)
        self.ending = ending


@dataclass(frozen=True, slots=True)
class Limits:
    """The message sizes in bytes that a channel allows."""

    receive: int = _RECEIVE_BYTES_MAX
    send: int = _UNLIMITED

    @classmethod
    def of(cls, options: Iterable[tuple[str, Any]]) -> Limits:
        """Return the limits that a channel's options set."""
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


def _too_large(verb: str, size: int, limit: int) -> FinalStatus:
    return FinalStatus(
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        f"{verb} message larger than max ({size} vs. {limit})",
    )


def serialized(request: Any, serializer: Callable[[Any], bytes] | None, limits: Limits) -> bytes:
    """Return a request's bytes. Raises Refused for an exception of the serializer, like gRPC."""
    try:
        data = bytes(request) if serializer is None else serializer(request)
    except Exception as error:
        raise Refused(UNSERIALIZABLE) from error
    if limits.send >= 0 or len(data) > MESSAGE_BYTES_MAX:
        limits.check_sent(data)
    return data


def deserialized(data: bytes, deserializer: Callable[[bytes], Any] | None, limits: Limits) -> Any:
    """Return a reply's message. Raises Refused for an exception of the deserializer, like gRPC."""
    if len(data) > limits.receive:
        limits.check_received(data)
    if deserializer is None:
        return data
    try:
        return deserializer(data)
    except Exception as error:
        raise Refused(UNDESERIALIZABLE) from error


class EmbeddedCall(ServedCall):
    """A call with the (key, value) pairs of metadata that its caller passed."""

    transport = "embedded"
    sent: tuple[tuple[str, str | bytes], ...] = ()
    waits: Waits | None = None  # counts the waits of a call that is served by a pool of threads

    @property
    def metadata(self) -> Metadata:
        """The metadata of the caller and the metadata that gRPC adds."""
        return (*(Metadatum(key, value) for key, value in self.sent), _USER_AGENT)

    def signal(self, work: Call | None = None) -> Signal:
        """Return a signal for which the request waits, while other threads have their turns."""
        return _EmbeddedSignal(work or self, self.waits)


class _EmbeddedSignal(Signal):
    """A signal for which a thread of this process waits."""

    __slots__ = ("_waits",)

    def __init__(self, call: Call, waits: Waits | None) -> None:
        super().__init__(call)
        self._waits = waits

    def _sleep(self, seconds: float | None) -> bool:
        turns.pause()
        with self._waits or nullcontext():
            return super()._sleep(seconds)


def check_key(key: object) -> None:
    """Raise Refused for a key of metadata that gRPC does not accept."""
    if not isinstance(key, str) or _METADATA_KEY.fullmatch(key) is None:
        raise Refused(INVALID_METADATA)
    if len(KNOWN_KEYS) < _KNOWN_KEYS_MAX:
        KNOWN_KEYS.add(key)
