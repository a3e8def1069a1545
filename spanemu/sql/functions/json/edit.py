"""Changes and queries of documents: JSON_SET, JSON_REMOVE, JSON_STRIP_NULLS, JSON_KEYS and others.

A `Json` is immutable. A function that changes a document copies the containers on the way from the
root to the change and shares the rest. An operation that does not fit the value at its path is left
out, and the following operations still apply. A malformed path is an error, even if the document is
NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.sql.functions.errors import BadArgument, BadJsonPath
from spanemu.sql.functions.json.encode import Encoder, build_document, encoder
from spanemu.sql.functions.json.path import writing_path
from spanemu.values.json import JSON_NESTING_MAX, Json, ordered
from spanemu.values.types import Type, TypeCode

ARRAY_SIZE_MAX = 1_000_000

Token = str | int
Change = Callable[[Any], Any]


class _NotApplicable(Exception):
    """A signal that an operation does not fit the document and is left out."""


def json_set(types: Sequence[Type], _: Type) -> Callable[..., Json | None]:
    """Return the implementation of `JSON_SET(json, path, value, ... [, create_if_missing])`."""
    encoders = _value_encoders(types)

    def evaluate(document: Json | None, *rest: Any) -> Json | None:
        create = rest[-1] if len(rest) % 2 else True
        paths = _writing_paths(rest[: len(encoders) * 2 : 2])
        if document is None or create is None:
            return document
        value = document.value
        for encode, path, item in zip(encoders, paths, rest[1::2], strict=False):
            if path is not None:
                value = _apply(value, path, _replacement(encode(item)), create=create)
        return build_document(value)

    return evaluate


def json_array_append(types: Sequence[Type], _: Type) -> Callable[..., Json | None]:
    """Return the implementation of `JSON_ARRAY_APPEND(json, path, value, ...)`.

    The named argument `append_each_element` comes last.
    """
    return _with_items(types, lambda value, path, items: _apply(value, path, _appending(items)))


def json_array_insert(types: Sequence[Type], _: Type) -> Callable[..., Json | None]:
    """Return the implementation of `JSON_ARRAY_INSERT(json, path, value, ...)`.

    The named argument `insert_each_element` comes last.
    """
    return _with_items(types, _inserted)


def _inserted(value: Any, path: tuple[Token, ...], items: list[Any]) -> Any:
    *above, last = path or ("",)
    if not isinstance(last, int):
        return value
    return _apply(value, tuple(above), _inserting(items, last))


def _with_items(
    types: Sequence[Type], put: Callable[[Any, tuple[Token, ...], list[Any]], Any]
) -> Callable[..., Json | None]:
    """Return a function of (json, path, value, ... [, each_element]).

    The function passes each value, or the elements of an array if `each_element` is set, to `put`.
    """
    encoders = _value_encoders(types)
    kinds = _are_arrays(types)

    def evaluate(document: Json | None, *rest: Any) -> Json | None:
        each_element = rest[-1] if len(rest) % 2 else True
        paths = _writing_paths(rest[: len(encoders) * 2 : 2])
        if document is None or each_element is None:
            return document
        value = document.value
        pairs = zip(encoders, kinds, paths, rest[1::2], strict=False)
        for encode, is_array, path, item in pairs:
            items = _items_to_add(encode, item, each_element and is_array)
            if path is not None and items is not None:
                value = put(value, path, items)
        return build_document(value)

    return evaluate


def json_remove(document: Json | None, *paths: str | None) -> Json | None:
    """Return `JSON_REMOVE(json, path, ...)`."""
    checked = _writing_paths(paths)
    if document is None:
        return None
    value = document.value
    for path in checked:
        if path is None:
            continue
        if not path:
            raise BadJsonPath("$", "The JSONPath cannot be '$'")
        value = _apply(value, path[:-1], _removing(path[-1]))
    return Json(value)


def _writing_paths(paths: Iterable[str | None]) -> list[tuple[Token, ...] | None]:
    """Parse the paths; a NULL path gives None. Raise BadJsonPath for a malformed path."""
    return [None if path is None else writing_path(path) for path in paths]


def json_strip_nulls(
    document: Json | None,
    path: str | None = "$",
    include_arrays: bool | None = True,
    remove_empty: bool | None = False,
) -> Json | None:
    """Return `JSON_STRIP_NULLS(json [, path] [, include_arrays] [, remove_empty])`."""
    tokens = writing_path("$" if path is None else path)
    if document is None or path is None or include_arrays is None or remove_empty is None:
        return document

    def strip(value: Any) -> Any:
        stripped = _strip_nulls(value, include_arrays, remove_empty)
        return None if remove_empty and _is_removable(stripped, include_arrays) else stripped

    return Json(_apply(document.value, tokens, strip))


def json_contains(document: Json, target: Json) -> bool:
    """Return `JSON_CONTAINS(json, target)`.

    An array holds a scalar target only if the array is the whole document.
    """
    whole, part = document.value, target.value
    if whole.__class__ is list and not isinstance(part, (list, dict)):
        return any(_contains(item, part) for item in interruptible(whole))
    return _contains(whole, part)


def json_keys(
    document: Json | None, max_depth: int | None = None, mode: str | None = "strict"
) -> tuple[str, ...] | None:
    """Return `JSON_KEYS(json [, max_depth] [, mode => 'strict' | 'lax' | 'lax recursive'])`."""
    if max_depth is not None and max_depth <= 0:
        raise BadArgument("max_depth must be positive.")
    arrays = None if mode is None else _KEY_MODES.get(mode.lower())
    if mode is not None and arrays is None:
        raise BadArgument(f"Invalid JSON mode specified: {mode}")
    if document is None or arrays is None:
        return None
    keys: set[str] = set()
    _collect_keys(document.value, keys, "", -1 if max_depth is None else max_depth, arrays)
    return tuple(sorted(keys))


# The number of nested arrays that JSON_KEYS searches for objects; -1 is any number.
_KEY_MODES = {"strict": 0, "lax": 1, "lax recursive": -1}


def _collect_keys(value: Any, keys: set[str], prefix: str, depth: int, arrays: int) -> None:
    """Add the keys down to `depth` to `keys`; a negative depth has no limit."""
    for holder in interruptible(_objects_in(value, arrays)):
        for name, member in interruptible(holder.items()):
            key = f"{prefix}{_escaped_key(name)}"
            keys.add(key)
            if depth != 1 and isinstance(member, (dict, list)):
                _collect_keys(member, keys, f"{key}.", depth - 1, arrays)


def _objects_in(value: Any, arrays: int) -> list[dict[str, Any]]:
    """Return the object itself, or the objects in at most `arrays` levels of nested arrays.

    A negative number of levels has no limit.
    """
    objects, level = [], [value]
    while level:
        objects += [item for item in interruptible(level) if item.__class__ is dict]
        lists = [item for item in interruptible(level) if item.__class__ is list]
        if not arrays:
            break
        arrays -= 1
        level = [item for items in interruptible(lists) for item in items]
    return objects


def _escaped_key(name: str) -> str:
    text = Json(name).text
    return text if "." in name or len(text) != len(name) + 2 else name


def _value_encoders(types: Sequence[Type]) -> list[Encoder]:
    """Return encoders of the values in (json, path, value, path, value ... [, option])."""
    return [encoder(types[2 * pair + 2]) for pair in range((len(types) - 1) // 2)]


def _are_arrays(types: Sequence[Type]) -> list[bool]:
    return [types[2 * p + 2].code is TypeCode.ARRAY for p in range((len(types) - 1) // 2)]


def _items_to_add(encode: Encoder, item: Any, each: bool) -> list[Any] | None:
    """Return the items to add: the value, or its elements with `each`.

    Return None for a NULL array whose elements would be added.
    """
    encoded = encode(item)
    if not each:
        return [encoded]
    return None if item is None else list(encoded)


def _apply(value: Any, tokens: tuple[Token, ...], change: Change, *, create: bool = False) -> Any:
    """Return the document with `change` applied where the tokens lead.

    A document that the tokens or the change do not fit is returned as it is.
    """
    if len(tokens) > 2 * JSON_NESTING_MAX:
        if create:
            raise BadArgument(f"JSON nesting is deeper than {JSON_NESTING_MAX} levels")
        return value
    try:
        return _change_along(value, tokens, change, create)
    except _NotApplicable:
        return value


def _change_along(value: Any, tokens: tuple[Token, ...], change: Change, create: bool) -> Any:
    """Return a copy of `value` along the tokens, with `change` applied at their end."""
    if not tokens:
        return change(value)
    token, rest = tokens[0], tokens[1:]
    if isinstance(token, str):
        if value.__class__ is dict and token in value:
            return {**value, token: _change_along(value[token], rest, change, create)}
        if create and (value is None or value.__class__ is dict):
            return ordered({**(value or {}), token: _change_along(None, rest, change, create)})
        raise _NotApplicable
    if value.__class__ is list and token < len(value):
        inside = _change_along(value[token], rest, change, create)
        return [*value[:token], inside, *value[token + 1 :]]
    if create and (value is None or value.__class__ is list):
        return _padded(value or [], token, _change_along(None, rest, change, create))
    raise _NotApplicable


def _padded(items: list[Any], index: int, item: Any) -> list[Any]:
    """Return the array with `item` at an index past the end, and nulls in between."""
    if index >= ARRAY_SIZE_MAX:
        raise BadArgument(f"Exceeded maximum array size of {ARRAY_SIZE_MAX}")
    return [*items, *[None] * (index - len(items)), item]


def _replacement(item: Any) -> Change:
    return lambda _: item


def _appending(items: list[Any]) -> Change:
    def append(value: Any) -> Any:
        if value is not None and value.__class__ is not list:
            raise _NotApplicable
        return _check_array_size([*(value or []), *items])

    return append


def _inserting(items: list[Any], index: int) -> Change:
    def insert(value: Any) -> Any:
        if value is not None and value.__class__ is not list:
            raise _NotApplicable
        before = value or []
        if index >= ARRAY_SIZE_MAX:
            raise BadArgument(f"Exceeded maximum array size of {ARRAY_SIZE_MAX}")
        # Without items to insert, the array is still padded up to and including the index.
        padding = [None] * (index - len(before) + (not items))
        return _check_array_size([*before[:index], *padding, *items, *before[index:]])

    return insert


def _check_array_size(items: list[Any]) -> list[Any]:
    if len(items) > ARRAY_SIZE_MAX:
        raise BadArgument(f"Exceeded maximum array size of {ARRAY_SIZE_MAX}")
    return items


def _removing(token: Token) -> Change:
    def remove(value: Any) -> Any:
        if isinstance(token, str) and value.__class__ is dict and token in value:
            return {name: member for name, member in value.items() if name != token}
        if isinstance(token, int) and value.__class__ is list and token < len(value):
            return [*value[:token], *value[token + 1 :]]
        raise _NotApplicable

    return remove


def _strip_nulls(value: Any, include_arrays: bool, remove_empty: bool) -> Any:
    """Return the value without nulls inside, and with `remove_empty` without what gets empty."""

    def keeps(item: Any) -> bool:
        return item is not None and not (remove_empty and _is_removable(item, include_arrays))

    if value.__class__ is dict:
        members = {
            n: _strip_nulls(m, include_arrays, remove_empty)
            for n, m in interruptible(value.items())
        }
        return {name: member for name, member in interruptible(members.items()) if keeps(member)}
    if value.__class__ is list:
        items = [_strip_nulls(item, include_arrays, remove_empty) for item in interruptible(value)]
        return [item for item in interruptible(items) if keeps(item)] if include_arrays else items
    return value


def _is_removable(value: Any, include_arrays: bool) -> bool:
    return (value.__class__ is dict or (include_arrays and value.__class__ is list)) and not value


def _contains(whole: Any, part: Any) -> bool:
    if part.__class__ is dict:
        return whole.__class__ is dict and all(
            name in whole and _contains(whole[name], member)
            for name, member in interruptible(part.items())
        )
    if part.__class__ is list:
        return whole.__class__ is list and all(
            any(_contains(element, item) for element in interruptible(whole))
            for item in interruptible(part)
        )
    if whole.__class__ is bool or part.__class__ is bool:
        return whole is part
    return not isinstance(whole, (list, dict)) and whole == part
