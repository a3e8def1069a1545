"""`jsonb || jsonb`, `jsonb - key`, `jsonb - index` and jsonb_strip_nulls."""

from __future__ import annotations

from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.sql.functions.postgresql.errors import BadFunctionArgument
from spanemu.sql.functions.postgresql.json.access import elements
from spanemu.sql.functions.postgresql.json.documents import document_of, lengthened
from spanemu.values.pg_jsonb import Jsonb, ordered


def jsonb_concat(left: Jsonb, right: Jsonb) -> Jsonb:
    """Return `left || right`: two objects merged, everything else as one array."""
    if left.value.__class__ is dict and right.value.__class__ is dict:
        return Jsonb(ordered({**left.value, **right.value}))
    return document_of(lengthened([*elements(left.value), *elements(right.value)]))


def jsonb_delete_key(document: Jsonb, key: str) -> Jsonb:
    """Return `jsonb - text`: an object without the key, or an array without the string."""
    value = document.value
    if value.__class__ is dict:
        return Jsonb({name: item for name, item in value.items() if name != key})
    if value.__class__ is list:
        return Jsonb([item for item in interruptible(value) if item != key])
    raise BadFunctionArgument("cannot delete from scalar")


def jsonb_delete_index(document: Jsonb, index: int) -> Jsonb:
    """Return `jsonb - bigint`: an array without the element; -1 is the last element."""
    value = document.value
    if value.__class__ is dict:
        raise BadFunctionArgument("cannot delete from object using integer index")
    if value.__class__ is not list:
        raise BadFunctionArgument("cannot delete from scalar")
    position = index + len(value) if index < 0 else index
    if not 0 <= position < len(value):
        return document
    return Jsonb([*value[:position], *value[position + 1 :]])


def jsonb_strip_nulls(document: Jsonb) -> Jsonb:
    """Return the document without the members of objects that are null."""
    return Jsonb(_without_nulls(document.value))


def _without_nulls(value: Any) -> Any:
    if value.__class__ is dict:
        return {
            key: _without_nulls(item)
            for key, item in interruptible(value.items())
            if item is not None
        }
    if value.__class__ is list:
        return [_without_nulls(item) for item in interruptible(value)]
    return value
