"""The frames of replies, read by another implementation of header compression."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hpack import Decoder

from spanemu.base.errors import Code
from spanemu.frontend.boundary import Failure
from spanemu.http2 import frames, reply_frames
from spanemu.http2.sending import SHORT_BYTES

OK = [("grpc-status", "0")]
HEAD = [(":status", "200"), ("content-type", "application/grpc")]
FAILURE = Failure(Code.NOT_FOUND, "50 % gone", (("detail-bin", b"\x00\xff"),))
TRAILERS = [("grpc-status", "5"), ("grpc-message", "50 %25 gone"), ("detail-bin", "AP8")]


def fields(block: bytes) -> list[tuple[str, str]]:
    return [(str(name), str(value)) for name, value in Decoder().decode(block)]


def split(data: bytes) -> Iterator[tuple[int, int, int, bytes]]:
    while data:
        high, low, kind, flags, stream_id = frames.HEAD.unpack_from(data)
        end = 9 + (high << 8 | low)
        yield kind, flags, stream_id, data[9:end]
        data = data[end:]


@pytest.mark.parametrize("size", [0, 1, 250, 251, SHORT_BYTES, 0xFFFF - 5])
def test_a_whole_reply_is_a_head_a_message_and_a_status(size: int) -> None:
    message = bytes(range(256)) * (size // 256) + bytes(size % 256)
    first, data, last = split(reply_frames.whole(0x7FFFFFFF, message))
    assert first[:3] == (frames.HEADERS, frames.END_HEADERS, 0x7FFFFFFF)
    assert fields(first[3]) == HEAD
    assert data == (frames.DATA, 0, 0x7FFFFFFF, reply_frames.part(message))
    assert last[:3] == (frames.HEADERS, frames.END_HEADERS | frames.END_STREAM, 0x7FFFFFFF)
    assert fields(last[3]) == OK


def test_a_part_has_a_prefix_with_its_size() -> None:
    assert reply_frames.part(b"abc") == b"\0\0\0\0\x03abc"


def test_a_reply_that_only_fails_says_which_encodings_are_accepted() -> None:
    accepted = ("grpc-accept-encoding", "identity, deflate, gzip")
    block = reply_frames.end(FAILURE, reply_frames.HEAD)
    assert fields(block) == [*HEAD, accepted, *TRAILERS]


@pytest.mark.parametrize(
    ("failure", "head", "expected"),
    [
        (None, b"", OK),
        (None, reply_frames.HEAD, HEAD + OK),
        (FAILURE, b"", TRAILERS),
    ],
)
def test_other_ends_of_replies(
    failure: Failure | None, head: bytes, expected: list[tuple[str, str]]
) -> None:
    assert fields(reply_frames.end(failure, head)) == expected


def test_what_is_no_request_of_grpc_is_answered_as_http() -> None:
    assert fields(reply_frames.NOT_GRPC_HEAD) == [
        (":status", "415"),
        ("content-type", "text/plain"),
    ]
