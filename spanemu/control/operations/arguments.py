"""Reads the arguments of a function from plain data, by its type hints."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, get_args, get_type_hints

from spanemu.base.serialization import from_plain


def read_arguments(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `function` by name, without its first parameter.

    Raises ValueError for unknown names, for missing names, and for values of a wrong type.
    """
    hints, needed = _parameters(function)
    for name in given:
        if name not in hints:
            known = ", ".join(hints) or "none"
            raise ValueError(f"there is no argument {name!r}; there are: {known}")
    for name in needed:
        if name not in given:
            raise ValueError(f"the argument {name!r} is missing")
    return {name: from_plain(hints[name], value, name) for name, value in given.items()}


@cache
def _parameters(function: Callable[..., Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the types of all parameters but the first, and the names of required parameters."""
    hints = get_type_hints(function)
    types: dict[str, Any] = {}
    needed: list[str] = []
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            (options,) = get_args(hints[name])  # Unpack[Selection]
            types |= get_type_hints(options)
            continue
        types[name] = hints[name]
        if parameter.default is inspect.Parameter.empty:
            needed.append(name)
    return types, tuple(needed)
