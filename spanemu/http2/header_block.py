"""Header blocks (RFC 7541): a decoder for requests, and the encoding of the few reply headers.

Nearly all fields of a request were sent before on the same connection, so that their block is a
list of indexes. Whatever depends on a field alone is therefore computed when the field is added to
the table, and kept with it (`Field.role`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from operator import itemgetter

from spanemu.base.record import NamedTuple
from spanemu.http2 import huffman
from spanemu.http2.errors import CompressionError, ConnectionFailure, ErrorCode

TABLE_BYTES_MAX = 4096
LITERALS_MAX = 2_048  # of a block: more than a list of the permitted size can have
_SIZE_UPDATES_MAX = 2  # of a block (RFC 7541, 4.2)
NO_TABLE = b"\x20"  # at the beginning of a block: an update of the table's size to 0
_ENTRY_OVERHEAD = 32  # RFC 7541, 4.1
_INTEGER_BYTES_MAX = 5
# Short literal fields are remembered as they are coded: those that a client keeps out of the table,
# because it sends the same ones with each request, and those that it adds, because they come again
# when they have been evicted. Not those whose name is in the table: their values are others.
_REMEMBERED_BYTES_MAX = 256
_REMEMBERED_MAX = 256

_NAME = re.compile(rb":?[!#$%&'*+\-.^_`|~0-9a-z]+\Z")
_NEVER_IN_VALUES, _NEVER_AROUND_VALUES = b"\x00\r\n", b" \t"  # RFC 9113, 8.2.1

# What a request's field means to this server.
METADATA, POST, SCHEME, PATH, AUTHORITY, METHOD = range(6)  # with those that begin with a colon
CONTENT_TYPE, CONTENT_LENGTH, TIMEOUT, ENCODING, IGNORED, INVALID = range(6, 12)
_ROLES: Mapping[bytes, int] = {
    b":method": METHOD,
    b":scheme": SCHEME,
    b":path": PATH,
    b":authority": AUTHORITY,
    b"content-type": CONTENT_TYPE,
    b"content-length": CONTENT_LENGTH,
    b"grpc-timeout": TIMEOUT,
    b"grpc-encoding": ENCODING,
    b"grpc-accept-encoding": IGNORED,
    b"connection": INVALID,
    b"keep-alive": INVALID,
    b"proxy-connection": INVALID,
    b"transfer-encoding": INVALID,
    b"upgrade": INVALID,
}


# The static table (RFC 7541, appendix A): the name of each field, and the value if it has one.
_STATIC_FIELDS = b"""
:authority :method=GET :method=POST :path=/ :path=/index.html :scheme=http :scheme=https
:status=200 :status=204 :status=206 :status=304 :status=400 :status=404 :status=500
accept-charset accept-encoding=gzip,deflate accept-language accept-ranges accept
access-control-allow-origin age allow authorization cache-control content-disposition
content-encoding content-language content-length content-location content-range content-type
cookie date etag expect expires from host if-match if-modified-since if-none-match if-range
if-unmodified-since last-modified link location max-forwards proxy-authenticate
proxy-authorization range referer refresh retry-after server set-cookie
strict-transport-security transfer-encoding user-agent vary via www-authenticate
""".split()


class Field(NamedTuple):
    """A header field, its size as the limits of tables and lists count it, and its role."""

    name: bytes
    value: bytes
    size: int
    role: int


# `Field` itself as a function of a tuple: what the class defines for names takes as long again.
_new_field: Callable[[tuple[bytes, bytes, int, int]], Field] = partial(tuple.__new__, Field)


@lru_cache(_REMEMBERED_MAX)
def _role_of(name: bytes) -> int:
    """Return the role of the fields with a name, if their values are valid."""
    if not _NAME.match(name):
        return INVALID
    return _ROLES.get(name, INVALID if name[:1] == b":" else METADATA)


def _field(name: bytes, value: bytes) -> Field:
    role = _role_of(name) if len(name) <= _REMEMBERED_BYTES_MAX else _role_of.__wrapped__(name)
    if value.translate(None, _NEVER_IN_VALUES).strip(_NEVER_AROUND_VALUES) != value:
        role = INVALID
    elif role or name == b"te":
        role = _role_with_value(name, value, role)
    return _new_field((name, value, len(name) + len(value) + _ENTRY_OVERHEAD, role))


def _with_value(field: Field, value: bytes) -> Field:
    """Return a field with the name of another one."""
    name = field.name
    if field.role or name == b"te":
        return _field(name, value)
    is_valid = value.translate(None, _NEVER_IN_VALUES).strip(_NEVER_AROUND_VALUES) == value
    role = METADATA if is_valid else INVALID
    return _new_field((name, value, len(name) + len(value) + _ENTRY_OVERHEAD, role))


def _role_with_value(name: bytes, value: bytes, role: int) -> int:
    """Return the role of a field where it depends on the value."""
    if role == METHOD and value == b"POST":
        return POST
    if role == CONTENT_TYPE and not value.startswith(b"application/grpc"):
        return IGNORED
    if (role == PATH and not value) or (name == b"te" and value != b"trailers"):
        return INVALID
    return role


def _static_fields() -> Iterator[Field]:
    for name, _, value in (each.partition(b"=") for each in _STATIC_FIELDS):
        yield _field(name, value.replace(b",", b", "))


_STATIC = (Field(b"", b"", 0, INVALID), *_static_fields())  # No field has the index 0.
_DYNAMIC = len(_STATIC)  # the index of the newest field of the dynamic table
_INDEX_OF = bytes(byte & 0x7F for byte in range(256))
_short_indexes = re.compile(rb"[\x81-\xfe]+").match
_size_of = itemgetter(2)


class HeaderDecoder:
    """The decoder of a connection's header blocks, in the order in which they arrive."""

    def __init__(self) -> None:
        # The fields by their indexes: those of the static table, then the others, the newest first.
        self._table = list(_STATIC)
        self._size = 0  # of the dynamic table
        self._size_max = TABLE_BYTES_MAX
        self.list_bytes = 0  # of the fields of the last block

    def decode(self, block: bytes, size_max: int) -> list[Field] | None:
        """Return the fields of a block; None if they are larger than `size_max` in all.

        Raises CompressionError, and ConnectionFailure for a block that takes too much work.
        """
        fields: list[Field] = []
        position = literals = updates = 0
        end = len(block)
        table = self._table
        field_at = table.__getitem__
        try:
            while position < end:
                byte = block[position]
                if byte >= 0x80:
                    run = _short_indexes(block, position)
                    if run is not None:  # as nearly always
                        position = run.end()
                        fields += map(field_at, run[0].translate(_INDEX_OF))
                        continue
                    if byte == 0x80:
                        raise CompressionError("no field has the index 0")
                    index, position = _integer(block, position + 1, 0x7F)
                    fields.append(field_at(index))
                    continue
                position += 1
                if byte >= 0x40 or byte < 0x20:
                    literals += 1
                    if literals > LITERALS_MAX:
                        raise ConnectionFailure("too many fields", ErrorCode.ENHANCE_YOUR_CALM)
                    field, position = self._literal(block, position, byte)
                    if byte >= 0x40:
                        table.insert(_DYNAMIC, field)
                        self._evict(self._size + field.size)
                    fields.append(field)
                elif fields or updates == _SIZE_UPDATES_MAX:
                    raise CompressionError("a table size is updated too late or too often")
                else:
                    updates += 1
                    self._size_max, position = _integer_of(block, position, byte & 0x1F, 0x1F)
                    if self._size_max > TABLE_BYTES_MAX:
                        raise CompressionError("a table size is larger than permitted")
                    self._evict(self._size)
        except IndexError:
            raise CompressionError("an index or a length leads to nothing") from None
        self.list_bytes = size = sum(map(_size_of, fields))
        return fields if size <= size_max else None

    def _literal(self, block: bytes, position: int, byte: int) -> tuple[Field, int]:
        mask = 0x3F if byte >= 0x40 else 0x0F
        index = byte & mask
        if index == mask:
            index, position = _integer(block, position, mask)
        if index >= _DYNAMIC and byte >= 0x10:  # another value of a name that was sent before
            value, is_coded, position = _string(block, position)
            return _with_value(
                self._table[index], huffman.decode(value) if is_coded else value
            ), position
        if index:
            name, is_coded = self._table[index].name, False
        else:
            name, is_coded, position = _string(block, position)
        value, is_value_coded, position = _string(block, position)
        if len(name) + len(value) > _REMEMBERED_BYTES_MAX:
            return _decoded_field(name, is_coded, value, is_value_coded), position
        return _remembered_field(name, is_coded, value, is_value_coded), position

    def _evict(self, size: int) -> None:
        """Remove the oldest fields of `size` bytes in all, until the others fit into the table."""
        table, size_max = self._table, self._size_max
        while size > size_max:
            size -= table.pop().size
        self._size = size


def _integer_of(block: bytes, position: int, prefix: int, mask: int) -> tuple[int, int]:
    return _integer(block, position, mask) if prefix == mask else (prefix, position)


def _integer(block: bytes, position: int, number: int) -> tuple[int, int]:
    """Return an integer whose prefix is full (`number`), and the position behind it."""
    for shift in range(0, 7 * _INTEGER_BYTES_MAX, 7):
        byte = block[position]
        position += 1
        number += (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
    raise CompressionError("an integer is too large")


def _string(block: bytes, position: int) -> tuple[bytes, bool, int]:
    """Return a string, whether it is a Huffman code, and the position behind it."""
    first = block[position]
    position += 1
    length = first & 0x7F
    if length == 0x7F:
        length, position = _integer(block, position, length)
    end = position + length
    data = block[position:end]
    if len(data) != length:
        raise CompressionError("a string is longer than its block")
    return data, first >= 0x80, end


def _decoded_field(name: bytes, is_name_coded: bool, value: bytes, is_value_coded: bool) -> Field:
    return _field(
        huffman.decode(name) if is_name_coded else name,
        huffman.decode(value) if is_value_coded else value,
    )


_remembered_field = lru_cache(_REMEMBERED_MAX)(_decoded_field)


def literal(name: bytes, value: bytes) -> bytes:
    """Return the encoding of a field that no table keeps."""
    return b"\x00" + _encoded_integer(len(name)) + name + _encoded_integer(len(value)) + value


def named(name: bytes, value: bytes) -> bytes:
    """Return the encoding of a field that no table keeps, whose name is in the static table."""
    index = next(index for index, field in enumerate(_STATIC) if field.name == name)
    prefix = bytes((index,)) if index < 0x0F else bytes((0x0F, index - 0x0F))
    return prefix + _encoded_integer(len(value)) + value


def indexed(name: bytes, value: bytes) -> bytes:
    """Return the encoding of a field of the static table."""
    return bytes((0x80 | _STATIC.index(_field(name, value)),))


def _encoded_integer(number: int) -> bytes:
    """Return an integer with a prefix of seven bits."""
    if number < 0x7F:
        return bytes((number,))
    encoded = bytearray((0x7F,))
    number -= 0x7F
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)
