"""Subscripts: elements of arrays by position, members of JSON by name or position."""

from __future__ import annotations

from typing import Any

from spanemu.sql.functions.errors import ArrayIndexOutOfBounds
from spanemu.values.json import Json


def at_offset(array: tuple[Any, ...], index: int) -> Any:
    """array[OFFSET(i)], from 0."""
    if 0 <= index < len(array):
        return array[index]
    raise ArrayIndexOutOfBounds(index)


def at_ordinal(array: tuple[Any, ...], index: int) -> Any:
    """array[ORDINAL(i)], from 1."""
    if 0 < index <= len(array):
        return array[index - 1]
    raise ArrayIndexOutOfBounds(index)


def at_safe_offset(array: tuple[Any, ...], index: int) -> Any:
    """array[SAFE_OFFSET(i)]: NULL where there is no element."""
    return array[index] if 0 <= index < len(array) else None


def at_safe_ordinal(array: tuple[Any, ...], index: int) -> Any:
    """array[SAFE_ORDINAL(i)]: NULL where there is no element."""
    return array[index - 1] if 0 < index <= len(array) else None


def json_member(document: Json, name: str) -> Json | None:
    """json.name and json['name']: NULL if it is no object, or has no such member."""
    value = document.value
    if isinstance(value, dict) and name in value:
        return Json(value[name])
    return None


def json_element(document: Json, index: int) -> Json | None:
    """json[i], from 0: NULL if it is no array, or has no such element."""
    value = document.value
    if isinstance(value, list) and 0 <= index < len(value):
        return Json(value[index])
    return None
