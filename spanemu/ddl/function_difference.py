"""The functions that change from one schema to another, and their callers.

Nothing in a table that calls a function lets it change, and no function that calls it may become
invalid: one that changes too, or is not needed any more, is dropped before.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from spanemu.ddl.expressions import functions_of
from spanemu.ddl.kinds.functions import FUNCTION
from spanemu.ddl.object_difference import text_of
from spanemu.schema.objects import UserFunction
from spanemu.schema.schema import Schema


def replaced_functions(before: Schema, after: Schema, gone: Collection[str]) -> frozenset[str]:
    """Return the folded names of the functions that are replaced before the tables change.

    Functions whose folded names are in `gone` are dropped and created instead.
    """
    names = {after.fold(function.name) for function in FUNCTION.printed(after)}
    return frozenset([name for name in names - set(gone) if _is_changed(name, before, after)])


def outgrown_functions(before: Schema, after: Schema) -> set[str]:
    """Return the folded names of the functions to drop before other functions are replaced.

    They are not the same in `after`, and call functions whose parameters or whose types change, or
    they call each other.
    """
    outgrown: set[str] = set()
    reshaped = {
        name
        for name, function in before.functions.items()
        if name in after.functions and _signature(function) != _signature(after.functions[name])
    }
    if not reshaped:
        return outgrown
    called = {
        name: functions_of(function.body, before)
        for name, function in before.functions.items()
        if function.body is not None
    }
    for name, names in called.items():
        is_same = name in after.functions and not _is_changed(name, before, after)
        if not is_same and not reshaped.isdisjoint(names):
            outgrown.add(name)
    for _ in called:
        outgrown |= {name for name, names in called.items() if not outgrown.isdisjoint(names)}
    return outgrown


def _signature(function: UserFunction) -> Any:
    return function.returns, function.parameters


def _is_changed(name: str, before: Schema, after: Schema) -> bool:
    """Return whether both schemas have a function with different text."""
    old, new = before.functions.get(name), after.functions.get(name)
    if old is None or new is None:
        return False
    return text_of(FUNCTION, old, before) != text_of(FUNCTION, new, after)
