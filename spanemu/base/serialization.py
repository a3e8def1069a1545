"""Python objects as plain data, and back: what travels as JSON between processes.

    to_plain(Finding(...))            {"rule": "SPN802", "severity": "error", ...}
    from_plain(Finding, {...})        Finding(...)

    dataclass    object of its fields           enum         its value
    mapping      object                         bytes        base64
    sequence     list                           datetime     ISO 8601 in UTC
    int          number; as text when a double cannot hold it (as protobuf's JSON has INT64)

Reading goes by type hints and takes nothing for granted: what does not fit raises ValueError with
the place. Numbers without a fraction are taken for ints.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

_EXACT_MAX = 1 << 53  # beyond it a double skips integers


class _Misfit(ValueError):
    """Data that is not of the type that is wanted at a place."""


def to_plain(value: Any) -> Any:
    """`value` as None, bool, number, text, lists and objects. Raises ValueError for what is not."""
    kind = value.__class__
    if value is None or kind in (bool, float, str):
        return value
    if kind is int:
        return value if -_EXACT_MAX <= value <= _EXACT_MAX else str(value)
    if isinstance(value, Enum):
        return to_plain(value.value)
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: to_plain(getattr(value, each.name)) for each in fields(value)}
    for of, convert in _WRITTEN:
        if isinstance(value, of):
            return convert(value)
    raise ValueError(f"{value!r} cannot be sent to another process")


_WRITTEN: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (Mapping, lambda found: {str(to_plain(key)): to_plain(each) for key, each in found.items()}),
    (bytes, lambda found: b64encode(found).decode("ascii")),
    (str, str),
    (datetime, lambda found: found.astimezone(UTC).isoformat()),
    (Sequence, lambda found: [to_plain(each) for each in found]),
    (frozenset, lambda found: sorted(to_plain(each) for each in found)),
)


def from_plain(wanted: Any, data: Any, place: str = "value") -> Any:
    """An object of the type `wanted`. Raises ValueError naming the place of what does not fit."""
    origin = get_origin(wanted)
    if wanted is Any or wanted is object:
        return data
    if origin in (Union, UnionType):
        return _one_of(get_args(wanted), data, place)
    if origin is not None:
        return _read_container(origin, get_args(wanted), data, place)
    if is_dataclass(wanted):
        return _made(wanted, _checked(dict, data, place), place)
    read = _READ.get(wanted)
    if read is not None:
        return read(data, place)
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        return _converted(wanted, data, wanted.__name__, place)
    raise _Misfit(f"{place} cannot be given by plain data")


def _one_of(types: Sequence[Any], data: Any, place: str) -> Any:
    """By the first type that fits; text is text where it may be."""
    if isinstance(data, str) and str in types:
        return data
    refusals: list[ValueError] = []
    for each in types:
        try:
            return from_plain(each, data, place)
        except ValueError as refusal:
            refusals.append(refusal)
    if data is not None and NoneType in types and len(types) == 2:
        raise refusals[0 if types[1] is NoneType else 1]
    raise _Misfit(f"{place} cannot be {data!r}")


def _read_container(origin: Any, of: Sequence[Any], data: Any, place: str) -> Any:
    if origin is tuple and of[-1:] != (Ellipsis,):
        given = _checked(list, data, place)
        if len(given) != len(of):
            raise _Misfit(f"{place} takes {len(of)} values, not {len(given)}")
        pairs = zip(of, given, strict=True)
        return tuple(from_plain(kind, each, place) for kind, each in pairs)
    if issubclass(origin, Mapping):
        keys, values = of
        given = _checked(dict, data, place)
        return {
            from_plain(keys, name, place): from_plain(values, each, f"{place}.{name}")
            for name, each in given.items()
        }
    if issubclass(origin, Sequence | frozenset):
        given = _checked(list, data, place)
        found = [from_plain(of[0], each, f"{place}[{n}]") for n, each in enumerate(given)]
        return origin(found) if origin in (tuple, frozenset) else found
    raise _Misfit(f"{place} cannot be given by plain data")


def _made(kind: Any, given: dict[str, Any], place: str) -> Any:
    hints = _hints(kind)
    names = {each.name for each in fields(kind) if each.init}
    unknown = given.keys() - names
    if unknown:
        raise _Misfit(f"{place} has no {sorted(unknown)[0]!r}; it has {', '.join(sorted(names))}")
    read = {name: from_plain(hints[name], each, f"{place}.{name}") for name, each in given.items()}
    try:
        return kind(**read)
    except TypeError:
        raise _Misfit(f"{place} lacks some of {', '.join(sorted(names))}") from None


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _checked(kind: type, data: Any, place: str) -> Any:
    if not isinstance(data, kind):
        raise _Misfit(f"{place} must be {_NAMES[kind]}, not {data!r}")
    return data


def _converted(convert: Callable[[Any], Any], data: Any, name: str, place: str) -> Any:
    try:
        return convert(data)
    except (ValueError, TypeError):
        raise _Misfit(f"{place} must be {name}, not {data!r}") from None


def _int(data: Any, place: str) -> int:
    if isinstance(data, bool) or not isinstance(data, int | float | str):
        raise _Misfit(f"{place} must be an integer, not {data!r}")
    if isinstance(data, float) and not data.is_integer():
        raise _Misfit(f"{place} must be an integer, not {data!r}")
    return int(_converted(int, data, "an integer", place))


def _float(data: Any, place: str) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float):
        raise _Misfit(f"{place} must be a number, not {data!r}")
    return float(data)


def _bytes(data: Any, place: str) -> bytes:
    _checked(str, data, place)
    return bytes(_converted(lambda text: b64decode(text, validate=True), data, "base64", place))


def _datetime(data: Any, place: str) -> datetime:
    _checked(str, data, place)
    found = _converted(datetime.fromisoformat, data, "a time", place)
    assert isinstance(found, datetime)
    return found


def _none(data: Any, place: str) -> None:
    if data is not None:
        raise _Misfit(f"{place} must be null, not {data!r}")


_NAMES: Mapping[type, str] = {str: "text", bool: "true or false", dict: "an object", list: "a list"}
_READ: Mapping[Any, Callable[[Any, str], Any]] = {
    str: lambda data, place: _checked(str, data, place),
    bool: lambda data, place: _checked(bool, data, place),
    dict: lambda data, place: _checked(dict, data, place),
    list: lambda data, place: _checked(list, data, place),
    int: _int,
    float: _float,
    bytes: _bytes,
    datetime: _datetime,
    NoneType: _none,
}
