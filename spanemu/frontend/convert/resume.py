"""Resume tokens: where a broken stream of rows can be taken up again.

A token says how many rows were sent, the timestamp they were read at, and which request it was.
Resuming runs the request again at that timestamp and passes over the rows already sent, so a
token is given only where that yields the same rows in the same order
(`ResultStream.repeatable_at`): never in a read-write transaction, whose own writes and locks may
have changed since.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice
from struct import Struct
from struct import error as StructError
from typing import Any

from spanemu.database.options import Begin, ReadOnly, ReadTimestamp, Selector, SingleUse
from spanemu.database.results import ResultStream
from spanemu.frontend.convert.chunks import Chunks
from spanemu.frontend.convert.results import close_rows
from spanemu.frontend.errors import InvalidResumeToken

_FINGERPRINT_BYTES = 16
_TOKEN = Struct(f"<BQq{_FINGERPRINT_BYTES}s")
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a stream: `rows` of it were sent, as read at `timestamp`."""

    rows: int
    timestamp: int

    def selector(self, selector: Selector | None) -> Selector:
        """The transaction to run in again: reads of their own read at the same timestamp."""
        options = ReadOnly(ReadTimestamp(self.timestamp))
        if selector is None:
            return SingleUse(options)
        if isinstance(selector, SingleUse | Begin) and isinstance(selector.options, ReadOnly):
            returns = selector.options.return_read_timestamp
            return replace(selector, options=replace(options, return_read_timestamp=returns))
        return selector


def place_from_token(request: Any) -> Place | None:
    """Where `request` wants to go on, None from the start. Raises InvalidResumeToken."""
    if not request.resume_token:
        return None
    try:
        version, rows, timestamp, fingerprint = _TOKEN.unpack(request.resume_token)
    except StructError:
        raise InvalidResumeToken("it is malformed") from None
    if version != _VERSION:
        raise InvalidResumeToken("it is malformed")
    if fingerprint != _fingerprint(request):
        raise InvalidResumeToken("it belongs to a different request")
    return Place(rows, timestamp)


def resumable_chunks(request: Any, stream: ResultStream, place: Place | None) -> Iterator[bytes]:
    """The PartialResultSets of `stream`, from `place` on, with tokens where they can be kept."""
    if place is None:
        if stream.repeatable_at is None:
            return iter(Chunks(stream))
        return iter(Chunks(stream, _Tokens(request, stream.repeatable_at).at))
    if stream.repeatable_at != place.timestamp:
        close_rows(stream)
        raise InvalidResumeToken("its transaction cannot repeat what was read")
    _pass_over(stream, place.rows)
    return iter(Chunks(stream, _Tokens(request, place.timestamp).at, place.rows))


def _pass_over(stream: ResultStream, count: int) -> None:
    if sum(1 for _ in islice(stream.rows, count)) < count:
        close_rows(stream)
        raise InvalidResumeToken("the stream has fewer rows")


class _Tokens:
    """Makes the tokens of one stream; the request is hashed when the first one is asked for."""

    def __init__(self, request: Any, timestamp: int) -> None:
        self._request = request
        self._timestamp = timestamp
        self._fingerprint = b""

    def at(self, rows: int) -> bytes:
        """The token of the place after `rows` rows."""
        if not self._fingerprint:
            self._fingerprint = _fingerprint(self._request)
        return _TOKEN.pack(_VERSION, rows, self._timestamp, self._fingerprint)


def _fingerprint(request: Any) -> bytes:
    """Tells requests apart by all that decides their rows but the transaction."""
    bare = type(request)()
    bare.CopyFrom(request)
    for name in ("resume_token", "transaction", "request_options"):
        bare.ClearField(name)
    text = bare.SerializeToString(deterministic=True)
    return blake2b(text, digest_size=_FINGERPRINT_BYTES).digest()
