"""Changes of JSONB documents: `||`, `-`, jsonb_strip_nulls, and changes at a path.

    jsonb_set('{"a": [1, 2]}', '{a,0}', '9')   {"a": [9, 2]}

A path element is a key of an object or an index of an array; a negative index counts from the end.
Where the path leads to nothing, the document stays as it is, except that the last element may be
created.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.sql.functions.postgresql.errors import BadFunctionArgument
from spanemu.sql.functions.postgresql.json.access import elements
from spanemu.sql.functions.postgresql.json.convert import document_of, lengthened
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


Path = Sequence[str | None]

_INTEGER = re.compile(r"[ \t\n\r\v\f]*([+-]?\d{1,10})", re.ASCII)
_INT32_MAX = 2**31 - 1


class Change(Enum):
    """The change that is made at the end of a path."""

    REPLACE = auto()
    CREATE = auto()  # replace, or add if there is nothing
    INSERT_BEFORE = auto()
    INSERT_AFTER = auto()
    DELETE = auto()


_INSERTIONS = frozenset({Change.INSERT_BEFORE, Change.INSERT_AFTER})
_ADDITIONS = _INSERTIONS | {Change.CREATE}


def jsonb_set(document: Jsonb, path: Path, value: Jsonb, create: bool = True) -> Jsonb:
    """Return `jsonb_set(target, path, new_value [, create_if_missing])`."""
    _refuse_scalar(document, "set path")
    return _changed(document, path, value.value, Change.CREATE if create else Change.REPLACE)


def jsonb_insert(document: Jsonb, path: Path, value: Jsonb, after: bool = False) -> Jsonb:
    """Return `jsonb_insert(target, path, new_value [, insert_after])`."""
    _refuse_scalar(document, "set path")
    change = Change.INSERT_AFTER if after else Change.INSERT_BEFORE
    return _changed(document, path, value.value, change)


def jsonb_delete_path(document: Jsonb, path: Path) -> Jsonb:
    """Return `jsonb #- path`."""
    _refuse_scalar(document, "delete path")
    return _changed(document, path, None, Change.DELETE)


def jsonb_set_lax(
    document: Jsonb | None,
    path: Path | None,
    value: Jsonb | None,
    create: bool | None = True,
    null_value_treatment: str | None = "use_json_null",
) -> Jsonb | None:
    """Return `jsonb_set_lax(...)`, which says what a NULL as the new value means."""
    if document is None or path is None or create is None:
        return None
    if value is not None and null_value_treatment is not None:
        return jsonb_set(document, path, value, create)
    treatment = None if null_value_treatment is None else _TREATMENTS.get(null_value_treatment)
    if treatment is None:
        choices = '"delete_key", "return_target", "use_json_null", or "raise_exception"'
        raise BadFunctionArgument(f"null_value_treatment must be {choices}")
    return treatment(document, path, create)


def _raise_exception(_: Jsonb, __: Path, ___: bool) -> Jsonb:
    raise BadFunctionArgument("JSON value must not be null")


_TREATMENTS: dict[str | None, Callable[[Jsonb, Path, bool], Jsonb]] = {
    "delete_key": lambda document, path, _: jsonb_delete_path(document, path),
    "return_target": lambda document, _, __: document,
    "use_json_null": lambda document, path, create: jsonb_set(document, path, Jsonb(None), create),
    "raise_exception": _raise_exception,
}


def _refuse_scalar(document: Jsonb, action: str) -> None:
    if document.value.__class__ is not dict and document.value.__class__ is not list:
        raise BadFunctionArgument(f"cannot {action} in scalar")


def _changed(document: Jsonb, path: Path, value: Any, change: Change) -> Jsonb:
    if not path or (not document.value and change not in _ADDITIONS):
        return document
    return document_of(_Editor(path, value, change).edited(document.value, 0))


class _Editor:
    """A walk down a path, which returns new containers along it."""

    def __init__(self, path: Path, value: Any, change: Change) -> None:
        self._path = path
        self._value = value
        self._change = change

    def edited(self, container: Any, level: int) -> Any:
        """Return `container` with the change at the rest of the path, from `level` on."""
        if container.__class__ is dict:
            return self._object(container, self._key(level), level)
        if container.__class__ is list:
            return self._array(container, self._index(level, len(container)), level)
        self._key(level)  # must not be NULL, although it leads nowhere
        return container

    def _key(self, level: int) -> str:
        key = self._path[level]
        if key is None:
            raise BadFunctionArgument(f"path element at position {level + 1} is null")
        return key

    def _index(self, level: int, length: int) -> int:
        """Return the index of an element; -1 and `length` are before and after all elements."""
        key = self._key(level)
        match = _INTEGER.fullmatch(key)
        if match is None or abs(int(match[1])) > _INT32_MAX:
            raise BadFunctionArgument(
                f'path element at position {level + 1} is not an integer: "{key}"'
            )
        index = int(match[1])
        return max(index + length, -1) if index < 0 else min(index, length)

    def _is_last(self, level: int) -> bool:
        return level == len(self._path) - 1

    def _object(self, members: dict[str, Any], key: str, level: int) -> dict[str, Any]:
        exists, is_last, change = key in members, self._is_last(level), self._change
        if not exists and not (is_last and change in _ADDITIONS):
            return members
        if exists and is_last and change in _INSERTIONS:
            raise BadFunctionArgument("cannot replace existing key")
        if exists and is_last and change is Change.DELETE:
            return {name: value for name, value in members.items() if name != key}
        value = self._value if is_last else self.edited(members[key], level + 1)
        return ordered({**members, key: value})

    def _array(self, items: list[Any], index: int, level: int) -> list[Any]:
        is_last, change = self._is_last(level), self._change
        exists = 0 <= index < len(items)
        if not is_last:
            if not exists:
                return items
            return [*items[:index], self.edited(items[index], level + 1), *items[index + 1 :]]
        if not exists:
            if change not in _ADDITIONS:
                return items
            return lengthened([self._value, *items] if index < 0 else [*items, self._value])
        changed = [*items[:index], *self._instead_of(items[index]), *items[index + 1 :]]
        return lengthened(changed) if change in _INSERTIONS else changed

    def _instead_of(self, item: Any) -> list[Any]:
        match self._change:
            case Change.DELETE:
                return []
            case Change.INSERT_BEFORE:
                return [self._value, item]
            case Change.INSERT_AFTER:
                return [item, self._value]
            case _:
                return [self._value]
