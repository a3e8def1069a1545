"""Reads the arguments of a function from plain data, by its type hints."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, get_args, get_type_hints

from spanemu.base.serialization import from_plain


def read_arguments(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What to call a function with, besides its first parameter, by name.

    Raises ValueError for names that it does not take, for those that it needs and that are not
    given, and for values of another type.
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
    """The type of each parameter but the first, and the names of those without a default."""
    hints = get_type_hints(function)
    found: dict[str, Any] = {}
    needed: list[str] = []
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            (options,) = get_args(hints[name])  # Unpack[Selection]
            found |= get_type_hints(options)
            continue
        found[name] = hints[name]
        if parameter.default is inspect.Parameter.empty:
            needed.append(name)
    return found, tuple(needed)
