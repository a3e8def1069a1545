"""Query parameters: a Struct of values and a map of declared types, by name."""

from __future__ import annotations

from typing import Any

from spanemu.frontend.convert.types import type_from_proto
from spanemu.frontend.convert.values import struct_from_proto
from spanemu.values.types import Type


def params_from_proto(message: Any) -> dict[str, Any]:
    """Raw values by name of anything that has `params`."""
    return struct_from_proto(message.params) if message.HasField("params") else {}


def param_types_from_proto(message: Any) -> dict[str, Type]:
    """Declared types by name of anything that has `param_types`."""
    types = message.param_types
    found = {}
    for name in types:  # `items` of a message's map is Python code
        found[name] = type_from_proto(types[name])
    return found
