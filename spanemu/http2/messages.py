"""Messages in the body of a request (gRPC over HTTP/2): a prefix of five bytes, then the message.

A message may be compressed, if a header of the request names the encoding.
"""

from __future__ import annotations

import struct
import zlib
from urllib.parse import quote_from_bytes

from spanemu.base.errors import Code
from spanemu.frontend.listening import MESSAGE_BYTES_MAX
from spanemu.http2.errors import RefusedRequest

PREFIX = struct.Struct(">BL")
_ENCODINGS = {b"gzip": 31, b"deflate": 15}  # with the `wbits` of zlib
_SHOWN_BYTES = 100  # of a value in an error
ENCODINGS = b"identity, deflate, gzip"
# All printable ASCII characters but the percent sign.
_SAFE = "".join(map(chr, range(0x20, 0x7F))).replace("%", "")


def declared_size(body: bytes | bytearray) -> int:
    """Return the size of the first message with its prefix, as far as the body shows it.

    Raises RefusedRequest for a message that is too large.
    """
    if len(body) < PREFIX.size:
        return PREFIX.size
    size: int = PREFIX.unpack_from(body)[1]
    if size > MESSAGE_BYTES_MAX:
        raise _too_large(size)
    return PREFIX.size + size


def only_message(body: bytes | bytearray, encoding: bytes) -> bytes:
    """Return the message of a complete body, which has to be the only one.

    Raises RefusedRequest.
    """
    if len(body) < PREFIX.size:
        raise RefusedRequest(Code.UNIMPLEMENTED, "The request has no message.")
    flag, size = PREFIX.unpack_from(body)
    if len(body) != PREFIX.size + size:
        whole = "more than one message" if len(body) > PREFIX.size + size else "part of a message"
        raise RefusedRequest(Code.UNIMPLEMENTED, f"The request has {whole}.")
    message = (
        body[PREFIX.size :] if body.__class__ is bytes else bytes(memoryview(body)[PREFIX.size :])
    )
    return message if flag == 0 else decompressed(message, flag, encoding)


def decompressed(message: bytes, flag: int, encoding: bytes) -> bytes:
    """Return a message without its compression. Raises RefusedRequest."""
    if flag != 1 or encoding in (b"", b"identity"):
        raise RefusedRequest(Code.INTERNAL, "A message is compressed, but no encoding is named.")
    inflater = zlib.decompressobj(_ENCODINGS[encoding])
    try:
        plain = inflater.decompress(message, MESSAGE_BYTES_MAX + 1)
    except zlib.error:
        raise RefusedRequest(Code.INTERNAL, "A message cannot be decompressed.") from None
    if len(plain) > MESSAGE_BYTES_MAX:
        raise _too_large(len(plain))
    if not inflater.eof:
        raise RefusedRequest(Code.INTERNAL, "A compressed message is cut off.")
    return plain


def check_encoding(encoding: bytes) -> None:
    """Raise RefusedRequest for an encoding of messages that is not supported."""
    if encoding != b"identity" and encoding not in _ENCODINGS:
        name = encoding[:_SHOWN_BYTES].decode("latin-1")
        raise RefusedRequest(Code.UNIMPLEMENTED, f"The encoding {name} is not supported.")


def _too_large(size: int) -> RefusedRequest:
    text = f"The message has {size} bytes or more; the limit is {MESSAGE_BYTES_MAX}."
    return RefusedRequest(Code.RESOURCE_EXHAUSTED, text)


def escaped(text: str) -> bytes:
    """Return the value of the header grpc-message."""
    return quote_from_bytes(text.encode(errors="replace"), safe=_SAFE).encode()
