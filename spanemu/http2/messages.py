"""Messages in the body of a request (gRPC over HTTP/2): a prefix of five bytes, then the message.

A message may be compressed, if a header of the request names the encoding. It is decompressed in
parts, because a small message may become a large one.
"""

from __future__ import annotations

import struct
import zlib

from spanemu.base.errors import Code
from spanemu.frontend.listening import MESSAGE_BYTES_MAX
from spanemu.http2.errors import RefusedRequest

PREFIX = struct.Struct(">BL")
_PREFIX_BYTES = PREFIX.size
_ENCODINGS = {b"gzip": 31, b"deflate": 15}  # with the `wbits` of zlib
_SHOWN_BYTES = 100  # of a value in an error
_PART_BYTES = 512 * 1024  # that are decompressed at a time
_INPUT_BYTES = 16 * 1024
ENCODINGS = b"identity, deflate, gzip"


def declared_size(body: bytes | bytearray, limit: int | None = None) -> int:
    """Return the size of the first message with its prefix, as far as the body shows it.

    Raises RefusedRequest for a message that is larger than `limit`, or than any may be.
    """
    if len(body) < _PREFIX_BYTES:
        return _PREFIX_BYTES
    size: int = PREFIX.unpack_from(body)[1]
    limit = MESSAGE_BYTES_MAX if limit is None else limit
    if size > limit:
        raise too_large(size, limit)
    return _PREFIX_BYTES + size


def is_compressed(body: bytes | bytearray) -> bool:
    """Return whether the first message of a body says that it is compressed."""
    return body[:1] not in (b"\0", b"")


def only_message(body: bytes | bytearray, *, is_coded: bool = False) -> bytes | bytearray:
    """Return the only message of a complete body, as it was sent: with `is_coded`, compressed.

    A body that is a `bytearray` becomes the message itself: a copy of 100 MB would stop all other
    threads for 40 ms. Raises RefusedRequest.
    """
    if len(body) < _PREFIX_BYTES:
        raise RefusedRequest(Code.UNIMPLEMENTED, "The request has no message.")
    flag, size = PREFIX.unpack_from(body)
    if flag and not is_coded:
        raise _unnamed_encoding()
    if len(body) != _PREFIX_BYTES + size:
        whole = "more than one message" if len(body) > declared_size(body) else "part of a message"
        raise RefusedRequest(Code.UNIMPLEMENTED, f"The request has {whole}.")
    if isinstance(body, bytes):
        return body[_PREFIX_BYTES:]
    del body[:_PREFIX_BYTES]  # moves the beginning, not the content
    return body


class Inflation:
    """A compressed message that is decompressed part by part.

    `message` is the result; of a message that is larger than `limit`, it is the beginning, which is
    larger as well.
    """

    def __init__(self, body: bytes | bytearray, encoding: bytes, limit: float) -> None:
        """Begin with a complete body. Raises RefusedRequest."""
        if body[0] != 1 or encoding in (b"", b"identity"):
            raise _unnamed_encoding()
        self._compressed = only_message(body, is_coded=True)
        self._position = 0
        self._inflater = zlib.decompressobj(_ENCODINGS[encoding])
        self._plain = bytearray()
        self._limit = limit
        self.message: bytes | bytearray | None = None

    @property
    def size(self) -> int:
        """The bytes that have been decompressed."""
        return len(self._plain if self.message is None else self.message)

    def step(self) -> None:
        """Decompress a part; after the last one there is the message. Raises RefusedRequest."""
        end_size, end = len(self._plain) + _PART_BYTES, self._position + _PART_BYTES
        while not self._is_complete():
            if len(self._plain) >= end_size or self._position >= end:
                return
            self._inflate()
        self.message, self._plain = self._plain, bytearray()

    def _is_complete(self) -> bool:
        if len(self._plain) > MESSAGE_BYTES_MAX:
            raise too_large(len(self._plain), MESSAGE_BYTES_MAX)
        return self._inflater.eof or len(self._plain) > self._limit

    def _inflate(self) -> None:
        """Decompress a little more. Raises RefusedRequest."""
        source: bytes | bytearray = self._inflater.unconsumed_tail
        if not source:
            source = self._compressed[self._position : self._position + _INPUT_BYTES]
            self._position += len(source)
        try:
            plain = self._inflater.decompress(source, _PART_BYTES)
        except zlib.error:
            raise RefusedRequest(Code.INTERNAL, "A message cannot be decompressed.") from None
        if not (source or plain):
            raise RefusedRequest(Code.INTERNAL, "A compressed message is cut off.")
        self._plain += plain


def _unnamed_encoding() -> RefusedRequest:
    text = "A message is compressed, but no encoding is named."
    return RefusedRequest(Code.INTERNAL, text)


def check_encoding(encoding: bytes) -> None:
    """Raise RefusedRequest for an encoding of messages that is not supported."""
    if encoding != b"identity" and encoding not in _ENCODINGS:
        name = encoding[:_SHOWN_BYTES].decode("latin-1")
        raise RefusedRequest(Code.UNIMPLEMENTED, f"The encoding {name} is not supported.")


def too_large(size: int, limit: int) -> RefusedRequest:
    """Return the refusal of a message that is larger than a limit."""
    text = f"The message has {size} bytes or more; the limit is {limit}."
    return RefusedRequest(Code.RESOURCE_EXHAUSTED, text)
