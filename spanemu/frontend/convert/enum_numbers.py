"""Numbers in a message that its enumerations do not have.

A client may send any number for a field with an enumeration: protocol buffers keep unknown numbers,
which Spanner refuses. Requests of the admin APIs are searched as a whole, from their descriptors.
Requests for data, of which there are many, are checked where they are converted.

Not here: `google.protobuf.NullValue`. A value of that kind is NULL, whatever its number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from google.protobuf.message import Message

from spanemu.frontend.errors import InvalidEnumValue

_NULL = "google.protobuf.NullValue"


@cache
def has_enums(descriptor: Any) -> bool:
    """Return whether a message of the type can contain a field with an enumeration."""
    seen, waiting = {descriptor.full_name}, [descriptor]
    while waiting:
        for field in waiting.pop().fields:
            if field.enum_type is not None and field.enum_type.full_name != _NULL:
                return True
            inner = field.message_type
            if inner is not None and inner.full_name not in seen:
                seen.add(inner.full_name)
                waiting.append(inner)
    return False


def check_enums(message: Any) -> None:
    """Raise InvalidEnumValue for the first number that an enumeration does not have."""
    for field, number in _unknown_numbers(message):
        raise InvalidEnumValue(field, number)


def checked(handler: Callable[..., Any], request: Any) -> Callable[..., Any]:
    """Return a handler that refuses requests with unknown numbers; `request` is their class."""
    if not has_enums(request.DESCRIPTOR):
        return handler

    def check_and_handle(instances: Any, message: Any) -> Any:
        check_enums(message)
        return handler(instances, message)

    return check_and_handle


def _unknown_numbers(message: Any) -> Iterator[tuple[str, int]]:
    """Yield the full name of each field with an unknown number, and the number."""
    for field, value in message.ListFields():
        enum, inner = field.enum_type, field.message_type
        if enum is not None and enum.full_name != _NULL:
            for number in (value,) if isinstance(value, int) else value:
                if number not in enum.values_by_number:
                    yield field.full_name, number
        elif inner is not None and has_enums(inner):
            if inner.GetOptions().map_entry:
                value = value.values()
            for part in (value,) if isinstance(value, Message) else value:
                yield from _unknown_numbers(part)
