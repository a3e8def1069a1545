"""The header blocks of replies, and all frames of a reply that is one short message."""

from __future__ import annotations

from base64 import b64encode
from struct import Struct
from urllib.parse import quote_from_bytes

from spanemu.frontend.boundary import Failure
from spanemu.http2 import frames
from spanemu.http2.frames import DATA
from spanemu.http2.header_block import indexed, literal, named
from spanemu.http2.messages import ENCODINGS, PREFIX

HEAD = indexed(b":status", b"200") + named(b"content-type", b"application/grpc")
OK = literal(b"grpc-status", b"0")
NOT_GRPC_HEAD = literal(b":status", b"415") + named(b"content-type", b"text/plain")
NOT_GRPC = b"This port serves gRPC.\n"
_ACCEPTED = literal(b"grpc-accept-encoding", ENCODINGS)
# All printable ASCII characters but the percent sign.
_SAFE = "".join(map(chr, range(0x20, 0x7F))).replace("%", "")

# Of the frames of a whole reply, only the numbers differ: those of the stream, and two sizes.
_HEAD_START = frames.head(len(HEAD), frames.HEADERS, frames.END_HEADERS, 0)[:5]
_OK_START = frames.head(len(OK), frames.HEADERS, frames.END_HEADERS | frames.END_STREAM, 0)[:5]
_pack_beginning = Struct(f">5sL{len(HEAD)}sxHBxLxL").pack
_pack_end = Struct(f">5sL{len(OK)}s").pack


def whole(stream_id: int, message: bytes) -> bytes:
    """Return all frames of a reply: the head, one message of less than 64 KiB, and the status."""
    size = len(message)
    in_data = PREFIX.size + size
    return (
        _pack_beginning(_HEAD_START, stream_id, HEAD, in_data, DATA, stream_id, size)
        + message
        + _pack_end(_OK_START, stream_id, OK)
    )


def part(message: bytes) -> bytes:
    """Return a message as it stands in DATA, not compressed."""
    return PREFIX.pack(0, len(message)) + message


def trailers(failure: Failure) -> bytes:
    """Return the header block of a failure."""
    block = literal(b"grpc-status", b"%d" % failure.code)
    block += literal(b"grpc-message", _escaped(failure.message))
    for name, value in failure.trailers:
        block += literal(name.encode(), b64encode(value).rstrip(b"="))
    return block


def end(failure: Failure | None, head: bytes) -> bytes:
    """Return the last header block of a reply, with `head` if nothing of it was sent yet."""
    if failure is None:
        return head + OK
    block = trailers(failure)
    return head + _ACCEPTED + block if head else block


def _escaped(text: str) -> bytes:
    """Return the value of the header grpc-message."""
    return quote_from_bytes(text.encode(errors="replace"), safe=_SAFE).encode()
