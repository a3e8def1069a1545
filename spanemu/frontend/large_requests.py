"""Large requests, parsed part by part, so that other threads run in between.

The runtime of protocol buffers parses a message in one go, during which no other thread has the
interpreter, and makes fifty bytes of two where a message is empty. So a large message is cut
between its fields, a large message inside of it likewise (`merge`), and the mutations of a commit
are parsed when they are converted, a few rows at a time (`Mutations`):

    mutations { insert { table columns row row row row } }
      ->  insert { table columns row row }   insert { table columns row row }

Writes of some rows each, one after the other, are what the write of all rows is. The number of
values is limited where the size of a request is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError

from spanemu.base.call import current
from spanemu.base.limits import REQUEST_BYTES_MAX
from spanemu.base.record import NamedTuple
from spanemu.frontend import wire
from spanemu.frontend.errors import RequestHeadTooLarge, TooManyFields, UnreadableRequest

# Messages are dynamic classes of the protobuf runtime, which type checkers cannot see into.
Message = Any

PART_BYTES = 128 * 1024  # that are parsed at a time
HEAD_BYTES_MAX = 1024 * 1024  # of a request besides its mutations
FIELDS_MAX = 2_000_000  # of all levels, in what cannot be cut
CELLS_MAX = 4_000_000  # of the mutations of a commit
_LEVELS_MAX = 100  # as the runtime has it

_KIND_BITS = 3  # of a tag; the others are the number of the field
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5  # wire types; proto3 has no others
_VARINT_BYTES_MAX = 10
_SMALL_BYTES = 129  # that a small field takes at most
_KEY, _VALUE = 1, 2  # fields of an entry of a map


class Part(NamedTuple):
    """A field in the bytes of a message: where it begins, its content, and where it ends."""

    number: int
    begin: int
    content: int
    end: int
    is_message: bool  # or bytes, or text


def fields(data: bytes | bytearray, begin: int, end: int) -> Iterator[Part]:
    """Yield the fields of the message between two positions.

    Raises DecodeError, Cancelled and DeadlineExceeded.
    """
    position, checked = begin, begin + PART_BYTES
    while position < end:
        if position > checked:
            current().check()
            checked = position + PART_BYTES
        part = _field(data, position, end)
        position = part.end
        yield part


def _field(data: bytes | bytearray, begin: int, end: int) -> Part:
    """Return the field at a position in a message that ends at another. Raises DecodeError."""
    try:
        tag, position = varint_at(data, begin)
        kind = tag & (1 << _KIND_BITS) - 1
        content = position
        if kind == _LENGTH:
            length, content = varint_at(data, position)
            position = content + length
        elif kind == _VARINT:
            _, position = varint_at(data, position)
        elif kind == _FIXED64:
            position += 8
        elif kind == _FIXED32:
            position += 4
        else:
            raise DecodeError("a group")
        if tag < 1 << _KIND_BITS:
            raise DecodeError("a field without a number")
    except IndexError:
        raise DecodeError("a number is cut off") from None
    if position > end:
        raise DecodeError("a field is cut off")
    return Part(tag >> _KIND_BITS, begin, content, position, kind == _LENGTH)


def _behind_small(data: bytes | bytearray, begin: int, end: int, number: int = 0) -> int:
    """Return the position behind the small messages, texts and bytes at a position.

    They are fields with a number, or with any. The last one may end behind `end`. Raises
    Cancelled and DeadlineExceeded.
    """
    position, end = begin, min(end, len(data) - 1)
    checked = begin + PART_BYTES
    tag, mask = (number << _KIND_BITS | _LENGTH, 0xFF) if number else (_LENGTH, 0x87)
    while position < end:
        size = data[position + 1]
        if data[position] & mask != tag or size > _SMALL_BYTES - 2:
            break
        position += 2 + size
        if position > checked:
            current().check()
            checked = position + PART_BYTES
    return position


def varint_at(data: bytes | bytearray, position: int) -> tuple[int, int]:
    """Return the number at a position, and the position behind it.

    Raises DecodeError for one that is too long, and IndexError for one that is cut off.
    """
    number = data[position]
    position += 1
    if number < 0x80:
        return number, position
    number &= 0x7F
    for shift in range(7, 7 * _VARINT_BYTES_MAX, 7):
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
    raise DecodeError("a number is too long")


def parsed(path: str, kind: type[Any], data: bytes | bytearray) -> Message:
    """Return the message of a large request of a method.

    Raises DecodeError, RequestHeadTooLarge and TooManyFields.
    """
    lazy = _LAZY.get(kind.DESCRIPTOR.full_name)
    message = kind()
    if lazy is not None:
        return LargeRequest(path, message, data, lazy)
    if len(data) > REQUEST_BYTES_MAX:
        _count(message.DESCRIPTOR, data, 0, len(data))
    merge(message, data, 0, len(data))
    return message


def merge(message: Message, data: bytes | bytearray, begin: int, end: int, level: int = 1) -> None:
    """Add the fields between two positions to a message, part by part. Raises DecodeError."""
    if end - begin <= PART_BYTES:
        message.MergeFromString(data[begin:end])
        return
    if level > _LEVELS_MAX:
        raise DecodeError("too many levels")
    inner_fields = _messages_of(message.DESCRIPTOR)
    position = start = begin  # of what is not parsed yet
    while position < end:
        position = _behind_small(data, position, min(end, start + PART_BYTES))
        if position < end and position - start < PART_BYTES:
            part = _field(data, position, end)
            position = part.end
            inner = inner_fields.get(part.number)
            if part.end - part.content > PART_BYTES and part.is_message and inner is not None:
                message.MergeFromString(data[start : part.begin])
                start = part.end
                if inner.message_type.GetOptions().map_entry:
                    _merge_entry(getattr(message, inner.name), data, part, level)
                else:
                    merge(_inner(message, inner), data, part.content, part.end, level + 1)
                continue
        if position > end:
            raise DecodeError("a field is cut off")
        if position - start >= PART_BYTES:
            message.MergeFromString(data[start:position])
            start = position
    message.MergeFromString(data[start:end])


@cache
def _messages_of(descriptor: Descriptor) -> dict[int, FieldDescriptor]:
    """Return the fields that are messages, or maps of messages, by number."""
    return {
        field.number: field
        for field in descriptor.fields
        if field.message_type is not None
        and not (field.message_type.GetOptions().map_entry and _value_type(field) is None)
    }


def _value_type(field: FieldDescriptor) -> Descriptor | None:
    """Return the type of the messages in a map, None if they are none."""
    found: Descriptor | None = field.message_type.fields_by_number[_VALUE].message_type
    return found


def _inner(message: Message, field: FieldDescriptor) -> Message:
    """Return the message of a field: the one that there is, or a new one of a list."""
    inner = getattr(message, field.name)
    if not hasattr(inner, "SetInParent"):
        return inner.add()
    inner.SetInParent()
    return inner


def _merge_entry(entries: Any, data: bytes | bytearray, entry: Part, level: int) -> None:
    """Add an entry to a map, whose keys are texts. Raises DecodeError."""
    key, value = "", None
    for part in fields(data, entry.content, entry.end):
        if part.number == _KEY and part.is_message:
            try:
                key = data[part.content : part.end].decode()
            except UnicodeDecodeError:
                raise DecodeError("a key is not valid UTF-8") from None
        elif part.number == _VALUE and part.is_message:
            value = part
    entries[key].Clear()
    if value is not None:
        merge(entries[key], data, value.content, value.end, level + 2)


def _count(descriptor: Descriptor | None, data: bytes | bytearray, begin: int, end: int) -> None:
    """Raise TooManyFields if the message between two positions has too many fields."""
    count, waiting = 0, [(descriptor, begin, end)]
    while waiting:
        descriptor, begin, end = waiting.pop()
        inner = _types_of(descriptor)
        for part in fields(data, begin, end):
            count += 1
            if count > FIELDS_MAX:
                raise TooManyFields(FIELDS_MAX)
            if part.is_message and part.number in inner:
                waiting.append((inner[part.number], part.content, part.end))


@cache
def _types_of(descriptor: Descriptor) -> dict[int, Descriptor]:
    """Return the types of the fields that are messages, by number."""
    return {
        field.number: field.message_type
        for field in descriptor.fields
        if field.message_type is not None
    }


# ---------------------------------------------------------------------------- mutations

_Range = tuple[int, int]  # positions in the bytes of a request


class Lazy(NamedTuple):
    """A field of a request that is parsed when it is read, and the class of what reads it."""

    name: str
    number: int
    reader: type[Any]


class LargeRequest:
    """A request like its message, except that one field is parsed only when it is read."""

    def __init__(self, path: str, message: Message, data: bytes | bytearray, lazy: Lazy) -> None:
        """Parse all other fields. Raises DecodeError and RequestHeadTooLarge."""
        head, ranges = _cut(path, data, (0, len(data)), lazy.number)
        merge(message, head, 0, len(head))
        self._message = message
        self._size = len(data)
        setattr(self, lazy.name, lazy.reader(path, data, ranges))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._message, name)

    def ByteSize(self) -> int:  # as messages have it
        """Return the size of the request."""
        return self._size


class _Elements:
    """The messages of a list, which are parsed each time that they are iterated over."""

    def __init__(self, path: str, data: bytes | bytearray, ranges: list[_Range]) -> None:
        self._path = path
        self._data = data
        self._ranges = ranges

    def __bool__(self) -> bool:
        return bool(self._ranges)

    def __iter__(self) -> Iterator[Message]:
        """Yield the elements. Raises UnreadableRequest."""
        try:
            for begin, end in self._ranges:
                for part in fields(self._data, begin, end):
                    yield from self._parsed(part)
        except DecodeError:
            raise UnreadableRequest(self._path) from None

    def _parsed(self, part: Part) -> Iterator[Message]:
        """Yield the messages of an element. Raises DecodeError."""
        raise NotImplementedError


class Mutations(_Elements):
    """The mutations of a commit; of those with many rows or keys, some rows at a time."""

    def __iter__(self) -> Iterator[Message]:
        """Yield the mutations. Raises UnreadableRequest and TooManyFields."""
        left = CELLS_MAX
        for mutation in super().__iter__():
            left -= _cells_of(mutation)
            if left < 0:
                raise TooManyFields(CELLS_MAX)
            yield mutation

    def _parsed(self, part: Part) -> Iterator[Message]:
        data = self._data
        if part.end - part.content <= PART_BYTES:
            yield wire.Mutation.FromString(data[part.content : part.end])
            return
        operations = [
            (_OPERATIONS[each.number], each)
            for each in fields(data, part.content, part.end)
            if each.number in _OPERATIONS
        ]
        if len(operations) != 1:  # A message that no client makes: the last one counts.
            yield _whole(wire.Mutation(), data, part)
            return
        ((name, bulk), operation) = operations[0]
        if not bulk:
            yield _whole(wire.Mutation(), data, part)
            return
        head, ranges = _cut(self._path, data, (operation.content, operation.end), bulk)
        if bulk == _KEY_SET:
            sets = [each for span in ranges for each in fields(data, *span)]
            ranges = [(each.content, each.end) for each in sets]
        for begin, end in _pieces(data, ranges):
            mutation = wire.Mutation()
            changed = getattr(mutation, name)
            changed.MergeFromString(head)
            _merge_counted(changed.key_set if bulk == _KEY_SET else changed, data, begin, end)
            yield mutation


class MutationGroups(_Elements):
    """The groups of a batch write."""

    def _parsed(self, part: Part) -> Iterator[Any]:
        group, data = wire.BatchWriteRequest.MutationGroup(), self._data[part.content : part.end]
        if len(data) <= PART_BYTES:
            group.MergeFromString(data)
            yield group
        else:
            yield LargeRequest(self._path, group, data, _OF_GROUP)


def _cut(
    path: str, data: bytes | bytearray, span: _Range, number: int
) -> tuple[bytes, list[_Range]]:
    """Return the fields of a message but those with a number, and where those are.

    Raises DecodeError and RequestHeadTooLarge.
    """
    head: list[bytes | bytearray] = []
    ranges: list[_Range] = []
    position, end = span
    size, start = 0, -1  # of the fields in a row that have the number, if there are any
    while position < end:
        behind = _behind_small(data, position, end, number)
        part = _field(data, position, end) if behind == position else None
        if part is None or (part.number == number and part.is_message):
            start = position if start < 0 else start
        else:
            if start >= 0:
                ranges.append((start, position))
                start = -1
            size += part.end - position
            if size > HEAD_BYTES_MAX:
                raise RequestHeadTooLarge(path, HEAD_BYTES_MAX)
            head.append(data[position : part.end])
        position = behind if part is None else part.end
    if position > end:
        raise DecodeError("a field is cut off")
    if start >= 0:
        ranges.append((start, end))
    return b"".join(head), ranges


def _pieces(data: bytes | bytearray, ranges: list[_Range]) -> Iterator[_Range]:
    """Yield where some of the fields are, which together are small, or one is large."""
    for start, stop in ranges:
        position = start
        while position < stop:
            limit = start + PART_BYTES
            behind = _behind_small(data, position, min(stop, limit - _SMALL_BYTES))
            if behind == position:
                behind = _field(data, position, stop).end
            if behind > limit and position > start:
                yield start, position
                start = position
            position = behind
        if position > stop:
            raise DecodeError("a field is cut off")
        yield start, stop


def _cells_of(mutation: Message) -> int:
    """Return the number of values that are written, or of keys that are deleted."""
    operation = mutation.WhichOneof("operation")
    changed = mutation if operation is None else getattr(mutation, operation)
    if operation == "delete":
        return len(changed.key_set.keys) + 1
    rows = getattr(changed, "values", ())
    return len(rows) + sum(len(row.values) for row in rows) + 1


def _whole(message: Message, data: bytes | bytearray, part: Part) -> Message:
    _merge_counted(message, data, part.content, part.end)
    return message


def _merge_counted(message: Message, data: bytes | bytearray, begin: int, end: int) -> None:
    """Add fields to a message. Raises DecodeError and TooManyFields."""
    message.SetInParent()
    if end - begin > PART_BYTES:
        _count(message.DESCRIPTOR, data, begin, end)
    merge(message, data, begin, end)


def _number(kind: type[Any], field: str) -> int:
    number: int = kind.DESCRIPTOR.fields_by_name[field].number
    return number


def _bulk_of(field: FieldDescriptor) -> int:
    """Return the number of the field with the rows or keys of a mutation, 0 for no such field."""
    names = field.message_type.fields_by_name
    return next((names[each].number for each in ("values", "key_set") if each in names), 0)


_ROWS = _number(wire.Mutation.Write, "values")
_KEY_SET = _number(wire.Mutation.Delete, "key_set")
_OPERATIONS = {
    field.number: (field.name, _bulk_of(field)) for field in wire.Mutation.DESCRIPTOR.fields
}
_OF_GROUP = Lazy("mutations", _number(wire.BatchWriteRequest.MutationGroup, "mutations"), Mutations)
_LAZY = {
    kind.DESCRIPTOR.full_name: Lazy(name, _number(kind, name), reader)
    for kind, name, reader in (
        (wire.CommitRequest, "mutations", Mutations),
        (wire.BatchWriteRequest, "mutation_groups", MutationGroups),
    )
}
