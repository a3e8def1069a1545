"""`jsonb @> jsonb`: whether all parts of one document are in another at the same place.

{"a": [1, 2], "b": 3}  @>  {"a": [2]}      an object has all members
[1, [2, 3]]            @>  [[3], 1, 1]     an array has all elements, in any order
[1, "x"]               @>  "x"             at the top, an array contains a scalar
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.values.pg_jsonb import Jsonb


def jsonb_contains(document: Jsonb, wanted: Jsonb) -> bool:
    """Return `document @> wanted`."""
    whole, part = document.value, wanted.value
    if whole.__class__ is list and part.__class__ is not dict and part.__class__ is not list:
        return _has_elements(whole, [part])
    return _contains(whole, part)


def jsonb_contained(wanted: Jsonb, document: Jsonb) -> bool:
    """Return `wanted <@ document`."""
    return jsonb_contains(document, wanted)


def _contains(whole: Any, part: Any) -> bool:
    if whole.__class__ is not part.__class__:
        return False
    if whole.__class__ is dict:
        return len(part) <= len(whole) and all(
            key in whole and _contains(whole[key], value)
            for key, value in interruptible(part.items())
        )
    if whole.__class__ is list:
        return _has_elements(whole, part)
    return bool(whole == part)


def _has_elements(whole: list[Any], part: list[Any]) -> bool:
    """Return whether each element of `part` is in `whole`; containers need to be contained only."""
    scalars = {_scalar_key(item) for item in interruptible(whole) if not _is_container(item)}
    containers = [item for item in interruptible(whole) if _is_container(item)]
    return all(
        any(_contains(container, item) for container in interruptible(containers))
        if _is_container(item)
        else _scalar_key(item) in scalars
        for item in interruptible(part)
    )


def _is_container(value: Any) -> bool:
    return value.__class__ is dict or value.__class__ is list


def _scalar_key(value: Any) -> tuple[type, Any]:
    """Return a key of a scalar; TRUE and the number 1 are equal in Python, but not in JSON."""
    assert value is None or isinstance(value, (bool, Decimal, str))
    return value.__class__, value
