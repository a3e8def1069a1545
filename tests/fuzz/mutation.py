"""Changes protobuf messages by reflection: any field, any type, no knowledge of what it means."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from random import Random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from tests.fuzz.corpus import LITERALS, STRINGS
from tests.fuzz.statements import random_ddl, random_sql

# The protobuf runtime refuses to parse messages nested deeper than a hundred.
_DEPTHS = (5, 40, 90, 96)
_INTEGERS = (0, 1, -1, 2, 100, 2**31 - 1, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63))
_FLOATS = (0.0, -0.0, 0.5, 1e308, -1e308, 5e-324, float("nan"), float("inf"), float("-inf"))
_REPEATS = (2, 20, 1_000)


def mutate(random: Random, message: Any) -> None:
    """Change one to five things about a message."""
    for _ in range(random.choice((1, 1, 1, 2, 3, 5))):
        parent, field = random.choice(_places(message))
        _change(random, parent, field)


def fill(random: Random, message: Any, depth: int = 0) -> None:
    """Set fields of a message at random, and those of messages inside."""
    for field in message.DESCRIPTOR.fields:
        if random.random() < (0.5 if depth < 3 else 0.1):
            _change(random, message, field, depth + 1)


def scramble(random: Random, data: bytes) -> bytes:
    """Return the bytes of a message with some of them changed, lost, doubled or inserted."""
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 6))):
        position = random.randrange(len(changed) + 1)
        end = position + random.choice((1, 1, 4, 16))
        match random.randrange(5):
            case 0 if position < len(changed):
                changed[position] ^= 1 << random.randrange(8)
            case 1:
                changed[position:position] = random.randbytes(random.choice((1, 2, 9)))
            case 2:
                del changed[position:end]
            case 3:
                changed[position:position] = changed[position:end] * random.choice((1, 3, 100))
            case _:
                del changed[position:]
    return bytes(changed)


def _places(message: Any, depth: int = 0) -> list[tuple[Any, Any]]:
    """Return every field of a message and of those inside, set ones several times over."""
    result = []
    for field in message.DESCRIPTOR.fields:
        present = _is_present(message, field)
        result += [(message, field)] * (4 if present else 1)
        if present and field.message_type is not None and not _is_map(field) and depth < 12:
            value = getattr(message, field.name)
            inner = value[:20] if field.is_repeated else [value]
            for item in inner:
                result += _places(item, depth + 1)
    return result


def _is_present(message: Any, field: Any) -> bool:
    if field.is_repeated:
        return len(getattr(message, field.name)) > 0
    return bool(message.HasField(field.name)) if field.has_presence else True


def _is_map(field: Any) -> bool:
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def _change(random: Random, message: Any, field: Any, depth: int = 0) -> None:
    if _is_map(field):
        _change_map(random, message, field, depth)
    elif field.is_repeated:
        _change_repeated(random, message, field, depth)
    elif random.random() < 0.2:
        message.ClearField(field.name)
    elif field.message_type is not None:
        _change_message(random, getattr(message, field.name), depth)
    else:
        setattr(message, field.name, _scalar(random, field, getattr(message, field.name)))


def _change_message(random: Random, value: Any, depth: int) -> None:
    value.SetInParent()
    if depth < 4 and random.random() < 0.7:
        fill(random, value, depth)
    elif random.random() < 0.3:
        _deepen(random, value, random.choice(_DEPTHS))


def _change_repeated(random: Random, message: Any, field: Any, depth: int) -> None:
    values = getattr(message, field.name)
    action = random.randrange(5)
    if action == 0:
        message.ClearField(field.name)
    elif action == 1 and values:
        del values[random.randrange(len(values))]
    elif action == 2 and values:
        values.extend([values[random.randrange(len(values))]] * random.choice(_REPEATS))
    elif field.message_type is not None:
        _change_message(random, values.add(), depth)
    else:
        values.append(_scalar(random, field, values[0] if values else None))


def _change_map(random: Random, message: Any, field: Any, depth: int) -> None:
    entries = getattr(message, field.name)
    if entries and random.random() < 0.3:
        del entries[random.choice(sorted(entries))]
        return
    parts = field.message_type.fields_by_name
    present = sorted(entries)
    key = (
        random.choice(present)
        if present and random.random() < 0.6
        else _scalar(random, parts["key"], None)
    )
    if parts["value"].message_type is not None:
        _change_message(random, entries[key], depth)
    else:
        entries[key] = _scalar(random, parts["value"], None)


def _deepen(random: Random, message: Any, levels: int) -> None:
    """Enclose a message in one of its type, if the type can hold that."""
    for _ in range(levels):
        inner = [
            field
            for field in message.DESCRIPTOR.fields
            if field.message_type is not None and not _is_map(field) and _recurs(field.message_type)
        ]
        if not inner:
            return
        field = random.choice(inner)
        value = getattr(message, field.name)
        message = value.add() if field.is_repeated else value
        message.SetInParent()
        for code in message.DESCRIPTOR.fields:
            # A type that says ARRAY or STRUCT, so that what is inside counts.
            if code.name == "code" and code.enum_type is not None:
                message.code = random.choice((8, 9))


@cache
def _recurs(descriptor: Any) -> bool:
    """Return whether messages of a type can hold others of the same type."""
    seen, waiting = set(), [descriptor]
    while waiting:
        for field in waiting.pop().fields:
            inner = field.message_type
            if inner is descriptor:
                return True
            if inner is not None and inner.full_name not in seen:
                seen.add(inner.full_name)
                waiting.append(inner)
    return False


# ---------------------------------------------------------------------------- scalars


def _scalar(random: Random, field: Any, present: Any) -> Any:
    if field.type == FieldDescriptor.TYPE_BYTES:
        return _bytes(random, field, present)
    return _SCALARS[field.cpp_type](random, field, present)


def _signed(bits: int) -> Callable[[Random, Any, Any], int]:
    high: int = 2 ** (bits - 1) - 1
    low = -high - 1

    def value(random: Random, _field: Any, present: Any) -> int:
        near = int(present or 0) + random.choice((-1, 1))
        return max(low, min(high, random.choice((*_INTEGERS, near))))

    return value


def _unsigned(bits: int) -> Callable[[Random, Any, Any], int]:
    return lambda random, _field, _present: abs(random.choice(_INTEGERS)) % 2**bits


def _enum(random: Random, field: Any, _present: Any) -> int:
    known: list[int] = [value.number for value in field.enum_type.values]
    strange = (99, -1, 2**31 - 1, -(2**31))
    return random.choice((*known, *strange))


def _text(random: Random, field: Any, present: Any) -> str:
    present = present or ""
    if "sql" in field.name or "statement" in field.name:
        return random_ddl(random) if "statement" in field.name else random_sql(random)
    position = random.randrange(len(present) + 1)
    return random.choice(
        (
            random.choice(STRINGS),
            random.choice(STRINGS),
            random.choice(LITERALS),
            present[:position],
            present[:position] + random.choice(STRINGS) + present[position:],
            present.swapcase(),
            "".join(chr(random.choice((32, 47, 65, 255, 0x4E2D, 0x1F600))) for _ in range(5)),
        )
    )


def _bytes(random: Random, _field: Any, present: Any) -> bytes:
    present = present or b""
    return random.choice(
        (
            b"",
            random.randbytes(random.choice((1, 8, 16, 33))),
            b"\0" * 10_000,
            scramble(random, present),
            present + b"\xff",
            present[: len(present) // 2],
        )
    )


_SCALARS: Mapping[int, Callable[[Random, Any, Any], Any]] = {
    FieldDescriptor.CPPTYPE_INT32: _signed(32),
    FieldDescriptor.CPPTYPE_INT64: _signed(64),
    FieldDescriptor.CPPTYPE_UINT32: _unsigned(32),
    FieldDescriptor.CPPTYPE_UINT64: _unsigned(64),
    FieldDescriptor.CPPTYPE_DOUBLE: lambda random, _field, _present: random.choice(_FLOATS),
    FieldDescriptor.CPPTYPE_FLOAT: lambda random, _field, _present: random.choice(_FLOATS),
    FieldDescriptor.CPPTYPE_BOOL: lambda random, _field, _present: random.random() < 0.5,
    FieldDescriptor.CPPTYPE_ENUM: _enum,
    FieldDescriptor.CPPTYPE_STRING: _text,
}
