"""google.protobuf.Struct <-> plain data. Numbers without a fraction come back as ints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spanemu.frontend import wire
from spanemu.frontend.convert.types import struct_from_proto


def struct_from_plain(data: Mapping[str, Any]) -> Any:
    """A Struct of None, bools, numbers, texts, lists and objects."""
    message = wire.Struct()
    message.update(data)
    return message


def struct_to_plain(message: Any) -> dict[str, Any]:
    """What a Struct holds. Raises ValueWithoutKind."""
    found: dict[str, Any] = _whole(struct_from_proto(message))
    return found


def _whole(value: Any) -> Any:
    """The same with ints for what was sent as such."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, list):
        return [_whole(each) for each in value]
    if isinstance(value, dict):
        return {name: _whole(each) for name, each in value.items()}
    return value
