"""Reading JSONB: `->`, `->>`, `?`, `@>`, keys, elements and kinds.

A scalar counts as an array of one element for `->` with an index and for `?`, as in PostgreSQL. A
negative index is outside of every array, as in Spanner. `@>` says whether all parts of one document
are in another at the same place:

    {"a": [1, 2], "b": 3}  @>  {"a": [2]}      an object has all members
    [1, [2, 3]]            @>  [[3], 1, 1]     an array has all elements, in any order
    [1, "x"]               @>  "x"             at the top, an array contains a scalar
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from spanemu.base.deadline_checks import count_built_array, interruptible
from spanemu.sql.functions.postgresql.errors import BadFunctionArgument
from spanemu.values.pg_jsonb import Jsonb

_KINDS: Mapping[type, str] = {
    dict: "object",
    list: "array",
    str: "string",
    Decimal: "number",
    bool: "boolean",
    type(None): "null",
}


def jsonb_typeof(document: Jsonb) -> str:
    """Return `jsonb_typeof(jsonb)`."""
    return _KINDS[document.value.__class__]


def jsonb_object_field(document: Jsonb, name: str) -> Jsonb | None:
    """Return `jsonb -> text`: the member of an object, NULL if there is none."""
    value = document.value
    if value.__class__ is dict and name in value:
        return Jsonb(value[name])
    return None


def jsonb_array_element(document: Jsonb, index: int) -> Jsonb | None:
    """Return `jsonb -> bigint`: the element of an array, counted from zero, or NULL."""
    value = document.value
    if value.__class__ is dict:
        return None
    items = elements(value)
    return Jsonb(items[index]) if 0 <= index < len(items) else None


def jsonb_object_field_text(document: Jsonb, name: str) -> str | None:
    """Return `jsonb ->> text`: the member as text."""
    return text_of(jsonb_object_field(document, name))


def jsonb_array_element_text(document: Jsonb, index: int) -> str | None:
    """Return `jsonb ->> bigint`: the element as text."""
    return text_of(jsonb_array_element(document, index))


def text_of(part: Jsonb | None) -> str | None:
    """Return a string without quotes, another value as JSON, and NULL for null."""
    if part is None or part.value is None:
        return None
    text: str = part.value if part.value.__class__ is str else part.text
    return text


def elements(value: Any) -> list[Any]:
    """Return the elements of an array, or the list of a single scalar."""
    return value if value.__class__ is list else [value]


def jsonb_exists(document: Jsonb, name: str) -> bool:
    """Return `jsonb ? text`: whether an object has the key, or an array the string."""
    value = document.value
    return name in value if value.__class__ is dict else name in elements(value)


def jsonb_exists_any(document: Jsonb, names: Iterable[str | None]) -> bool:
    """Return `jsonb ?| text[]`; NULL elements are left out."""
    known = _strings(document.value)
    return any(name in known for name in names if name is not None)


def jsonb_exists_all(document: Jsonb, names: Iterable[str | None]) -> bool:
    """Return `jsonb ?& text[]`; NULL elements are left out."""
    known = _strings(document.value)
    return all(name in known for name in names if name is not None)


def _strings(value: Any) -> frozenset[str]:
    items = value if value.__class__ is dict else elements(value)
    return frozenset([item for item in interruptible(items) if item.__class__ is str])


def jsonb_array_elements(document: Jsonb) -> tuple[Jsonb, ...]:
    """Return `jsonb_array_elements(jsonb)`; raise BadFunctionArgument for another kind of value."""
    items = document.value
    if items.__class__ is not list:
        kind = "an object" if items.__class__ is dict else "a scalar"
        raise BadFunctionArgument(f"cannot extract elements from {kind}")
    count_built_array(items)
    return tuple([Jsonb(item) for item in interruptible(items)])


def jsonb_query_array(document: Jsonb) -> tuple[Jsonb, ...] | None:
    """Return `spanner.jsonb_query_array(jsonb)`: the elements of an array, NULL for the rest."""
    return jsonb_array_elements(document) if document.value.__class__ is list else None


def jsonb_object_keys(document: Jsonb) -> tuple[str, ...]:
    """Return `jsonb_object_keys(jsonb)`; raise BadFunctionArgument for another kind of value."""
    members = document.value
    if members.__class__ is not dict:
        kind = "an array" if members.__class__ is list else "a scalar"
        raise BadFunctionArgument(f"cannot call jsonb_object_keys on {kind}")
    return tuple(members)


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
