"""google.protobuf.Value -> raw Python: None, bool, float, str, list, dict.

This is the hottest conversion of incoming requests, and nearly every value is a non-empty
string (INT64, TIMESTAMP and most other types travel as strings): that case is told by one field
access, and only the others ask which kind they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.frontend.errors.values import ValueWithoutKind


def list_from_proto(message: Any) -> list[Any]:
    """The raw forms inside a ListValue. Raises ValueWithoutKind."""
    kinds = _KINDS
    return [one.string_value or kinds[one.WhichOneof("kind")](one) for one in message.values]


def struct_from_proto(message: Any) -> dict[str, Any]:
    """The raw forms inside a Struct, by field name. Raises ValueWithoutKind."""
    kinds, fields = _KINDS, message.fields
    found = {}
    for name in fields:  # `items` of a message's map is Python code
        one = fields[name]
        found[name] = one.string_value or kinds[one.WhichOneof("kind")](one)
    return found


def _null(_message: Any) -> None:
    return None


def _string(_message: Any) -> str:
    return ""


def _number(message: Any) -> Any:
    return message.number_value


def _bool(message: Any) -> Any:
    return message.bool_value


def _list(message: Any) -> list[Any]:
    return list_from_proto(message.list_value)


def _struct(message: Any) -> dict[str, Any]:
    return struct_from_proto(message.struct_value)


def _nothing(_message: Any) -> Any:
    raise ValueWithoutKind()


_KINDS: Mapping[str | None, Callable[[Any], Any]] = {
    "null_value": _null,
    "number_value": _number,
    "string_value": _string,
    "bool_value": _bool,
    "list_value": _list,
    "struct_value": _struct,
    None: _nothing,
}
