"""Resume tokens: where a broken stream of rows can be taken up again.

A token says how many rows were sent, the timestamp they were read at, which request it was, and
by which plan a query was run. Resuming runs the request again at that timestamp and passes over
the rows already sent, so a token is given only where that yields the same rows in the same order
(`ResultStream.repeatable_at`): never in a read-write transaction, whose own writes and locks may
have changed since, nor for a query that asks for the time or for randomness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice
from struct import Struct
from struct import error as StructError
from typing import Any

from spanemu.database.options import Begin, ReadOnly, ReadTimestamp, Selector, SingleUse
from spanemu.database.statements.results import ResultStream
from spanemu.frontend.convert.chunks import Chunks
from spanemu.frontend.convert.results import close_rows
from spanemu.frontend.errors import InvalidResumeToken

Rows = Iterator[tuple[Any, ...]]
Breaking = Callable[[Rows], Rows]

_FINGERPRINT_BYTES = 16
_TOKEN = Struct(f"<BQqQ{_FINGERPRINT_BYTES}s")
_VERSION = 2


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a stream: `rows` of it were sent, as read at `timestamp` by a query's plan."""

    rows: int
    timestamp: int
    plan_serial: int = 0

    def selector(self, selector: Selector | None) -> Selector:
        """The transaction to run in again: reads of their own read at the same timestamp."""
        options = ReadOnly(ReadTimestamp(self.timestamp))
        if selector is None:
            return SingleUse(options)
        if isinstance(selector, SingleUse | Begin) and isinstance(selector.options, ReadOnly):
            returns = selector.options.return_read_timestamp
            return replace(selector, options=replace(options, return_read_timestamp=returns))
        return selector


def place_from_token(request: Any) -> Place:
    """Where a request with a resume token wants to go on. Raises InvalidResumeToken."""
    try:
        version, rows, timestamp, serial, fingerprint = _TOKEN.unpack(request.resume_token)
    except StructError:
        raise InvalidResumeToken("it is malformed") from None
    if version != _VERSION:
        raise InvalidResumeToken("it is malformed")
    if fingerprint != _fingerprint(request):
        raise InvalidResumeToken("it belongs to a different request")
    return Place(rows, timestamp, serial)


def resumable_chunks(
    request: Any,
    stream: ResultStream,
    place: Place | None,
    breaking: Breaking | None = None,
) -> Iterable[bytes]:
    """The PartialResultSets of `stream`, from `place` on, with tokens where they can be kept.

    `breaking` is given the rows to come, and may make them break off with `StreamBroken`.
    """
    if place is None:
        if breaking is not None:
            stream.rows = breaking(stream.rows)
        if stream.repeatable_at is None:
            return Chunks(stream).messages()
        return Chunks(stream, _Tokens(request, stream).at).messages()
    if (stream.repeatable_at, stream.plan_serial) != (place.timestamp, place.plan_serial):
        close_rows(stream)
        raise InvalidResumeToken("what was read cannot be repeated")
    _pass_over(stream, place.rows)
    if breaking is not None:
        stream.rows = breaking(stream.rows)
    return Chunks(stream, _Tokens(request, stream).at, place.rows).messages()


def _pass_over(stream: ResultStream, count: int) -> None:
    if sum(1 for _ in islice(stream.rows, count)) < count:
        close_rows(stream)
        raise InvalidResumeToken("the stream has fewer rows")


class _Tokens:
    """Makes the tokens of one stream; the request is hashed when the first one is asked for."""

    def __init__(self, request: Any, stream: ResultStream) -> None:
        self._request = request
        self._stream = stream
        self._fingerprint = b""

    def at(self, rows: int) -> bytes:
        """The token of the place after `rows` rows."""
        if not self._fingerprint:
            self._fingerprint = _fingerprint(self._request)
        stream = self._stream
        return _TOKEN.pack(
            _VERSION, rows, stream.repeatable_at, stream.plan_serial, self._fingerprint
        )


def _fingerprint(request: Any) -> bytes:
    """Tells requests apart by all that decides their rows but the transaction."""
    bare = type(request)()
    bare.CopyFrom(request)
    for name in ("resume_token", "transaction", "request_options"):
        bare.ClearField(name)
    text = bare.SerializeToString(deterministic=True)
    return blake2b(text, digest_size=_FINGERPRINT_BYTES).digest()
