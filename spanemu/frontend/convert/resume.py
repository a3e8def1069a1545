"""The messages of a stream with resume tokens, and the requests that repeat a broken stream.

A token names the position after the last row of its message:

    rows that can be read again   the number of rows, the read timestamp, and the plan of a query
    live rows                     the position that their source gave
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from hashlib import blake2b
from itertools import islice
from struct import Struct
from struct import error as StructError
from typing import Any

from spanemu.base.live import LiveRows
from spanemu.base.record import dataclass
from spanemu.database.options import (
    Begin,
    ReadOnly,
    ReadTimestamp,
    Selector,
    SingleUse,
    StatementRequest,
)
from spanemu.database.statements.results import ResultStream
from spanemu.frontend.convert.chunks import Chunks, LiveChunks
from spanemu.frontend.convert.results import close_rows
from spanemu.frontend.errors import InvalidResumeToken

Rows = Iterator[Any]
RowBreaker = Callable[[Rows], Rows]

_FINGERPRINT_BYTES = 16
_TOKEN = Struct(f"<BQqQ{_FINGERPRINT_BYTES}s")
_VERSION = 2
_LIVE_TOKEN = Struct(f"<B{_FINGERPRINT_BYTES}s")  # followed by the position
_LIVE_VERSION = 3


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """A position in a stream: `rows` rows were sent, read at `timestamp` with a query's plan."""

    rows: int
    timestamp: int
    plan_serial: int = 0

    def selector(self, selector: Selector | None) -> Selector:
        """Return the transaction of the repeated request.

        A read-only transaction of the request's own reads again at the same timestamp.
        """
        options = ReadOnly(ReadTimestamp(self.timestamp))
        if selector is None:
            return SingleUse(options)
        if isinstance(selector, SingleUse | Begin) and isinstance(selector.options, ReadOnly):
            returns = selector.options.return_read_timestamp
            return replace(selector, options=replace(options, return_read_timestamp=returns))
        return selector

    def statement(self, statement: StatementRequest) -> StatementRequest:
        """Return the statement of the repeated request, which is the same."""
        return statement


@dataclass(frozen=True, slots=True)
class LivePoint:
    """A position in a stream of live rows, as their source gave it."""

    position: bytes

    def selector(self, selector: Selector | None) -> Selector | None:
        """Return the transaction of the repeated request, which is the same."""
        return selector

    def statement(self, statement: StatementRequest) -> StatementRequest:
        """Return the statement of the repeated request, which continues at the position."""
        return replace(statement, position=self.position)


def resume_point_from_token(request: Any) -> ResumePoint | LivePoint:
    """Return the position at which a request with a resume token continues.

    Raises InvalidResumeToken.
    """
    token = request.resume_token
    if token[0] == _LIVE_VERSION and len(token) >= _LIVE_TOKEN.size:
        _, fingerprint = _LIVE_TOKEN.unpack_from(token)
        if fingerprint != _fingerprint(request):
            raise InvalidResumeToken("it belongs to a different request")
        return LivePoint(token[_LIVE_TOKEN.size :])
    try:
        version, rows, timestamp, serial, fingerprint = _TOKEN.unpack(request.resume_token)
    except StructError:
        raise InvalidResumeToken("it is malformed") from None
    if version != _VERSION:
        raise InvalidResumeToken("it is malformed")
    if fingerprint != _fingerprint(request):
        raise InvalidResumeToken("it belongs to a different request")
    return ResumePoint(rows, timestamp, serial)


def resumable_chunks(
    request: Any,
    stream: ResultStream,
    resume_point: ResumePoint | LivePoint | None,
    break_rows: RowBreaker | None = None,
) -> Iterable[bytes | LiveRows]:
    """Return the PartialResultSets of `stream` after `resume_point`, with tokens where possible.

    `break_rows` receives the remaining rows, and may make them end with `StreamBroken`. Live rows
    stand among the messages wherever the sender must wait for them.
    """
    if stream.repeatable_at is None and isinstance(stream.rows, LiveRows):
        steps: Rows = stream.rows.steps()
        token_at = _Tokens(request, stream).live
        return iter(LiveChunks(stream, break_rows(steps) if break_rows else steps, token_at))
    rows_before = 0
    if resume_point is not None:
        rows_before = _rows_sent(stream, resume_point)
        _skip_rows(stream, rows_before)
    token_of = None if stream.repeatable_at is None else _Tokens(request, stream).at
    if break_rows is None:
        return Chunks(stream, token_of, rows_before).messages()
    stream.rows = break_rows(stream.rows)
    return iter(Chunks(stream, token_of, rows_before))


def _rows_sent(stream: ResultStream, resume_point: ResumePoint | LivePoint) -> int:
    """Return how many rows of a stream were sent before a point, if they can be read again."""
    if isinstance(resume_point, LivePoint) or (stream.repeatable_at, stream.plan_serial) != (
        resume_point.timestamp,
        resume_point.plan_serial,
    ):
        close_rows(stream)
        raise InvalidResumeToken("the rows of the first request cannot be read again")
    return resume_point.rows


def _skip_rows(stream: ResultStream, count: int) -> None:
    if sum(1 for _ in islice(stream.rows, count)) < count:
        close_rows(stream)
        raise InvalidResumeToken("the stream has fewer rows")


class _Tokens:
    """The resume tokens of one stream; the request is hashed when the first token is needed."""

    def __init__(self, request: Any, stream: ResultStream) -> None:
        self._request = request
        self._stream = stream
        self._fingerprint = b""

    def at(self, rows: int) -> bytes:
        """Return the token of the position after `rows` rows."""
        if not self._fingerprint:
            self._fingerprint = _fingerprint(self._request)
        stream = self._stream
        return _TOKEN.pack(
            _VERSION, rows, stream.repeatable_at, stream.plan_serial, self._fingerprint
        )

    def live(self, position: bytes) -> bytes:
        """Return the token of a position in live rows."""
        if not self._fingerprint:
            self._fingerprint = _fingerprint(self._request)
        return _LIVE_TOKEN.pack(_LIVE_VERSION, self._fingerprint) + position


def _fingerprint(request: Any) -> bytes:
    """Return a hash of everything in a request that determines its rows, except the transaction."""
    bare = type(request)()
    bare.CopyFrom(request)
    for name in ("resume_token", "transaction", "request_options"):
        bare.ClearField(name)
    text = bare.SerializeToString(deterministic=True)
    return blake2b(text, digest_size=_FINGERPRINT_BYTES).digest()
