"""Python objects as plain data, and back: the JSON form of objects sent between processes.

    to_plain(Finding(...))            {"rule": "SPN802", "severity": "error", ...}
    from_plain(Finding, {...})        Finding(...)

    dataclass    object of its fields           enum         its value
    mapping      object                         bytes        base64
    sequence     list                           datetime     ISO 8601 in UTC
    int          number; as text when a double cannot hold it (as protobuf's JSON has INT64)

Reading follows type hints and validates all data: a mismatch raises ValueError with its path.
Numbers without a fraction are accepted as ints, and names of fields in camel case. Keys of rows
have the form of Spanner's requests instead (`raw_key`).
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from enum import Enum
from functools import cache
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

from spanemu.base.deferred import lazy_pattern

_EXACT_MAX = 1 << 53  # beyond this, doubles skip integers
_UPPER = lazy_pattern(r"(?<!^)([A-Z])")
_AFTER_UNDERSCORE = lazy_pattern(r"_([a-z0-9])")


class _Misfit(ValueError):
    """Data that does not have the type expected at a path."""


def snake_case(name: str) -> str:
    """Return a name such as "retryDelay" as "retry_delay"."""
    return _UPPER.sub(r"_\1", name).lower()


def camel_case(name: str) -> str:
    """Return a name such as "retry_delay" as "retryDelay"."""
    return _AFTER_UNDERSCORE.sub(lambda match: match[1].upper(), name)


def snake_case_names(given: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """Return the data with known names in snake case."""
    return {
        snake_case(name) if name not in known and snake_case(name) in known else name: value
        for name, value in given.items()
    }


def to_plain(value: Any, spelled: Callable[[str], str] = str) -> Any:
    """Return `value` as None, bool, number, text, lists and objects.

    `spelled` returns the name to write for the name of a field. Raise ValueError for a value of any
    other type.
    """
    kind = value.__class__
    if value is None or kind in (bool, float, str):
        return value
    if kind is int:
        return value if -_EXACT_MAX <= value <= _EXACT_MAX else str(value)
    if isinstance(value, Enum):
        return to_plain(value.value)
    if is_dataclass(value) and not isinstance(value, type):
        return {
            spelled(each.name): to_plain(getattr(value, each.name), spelled)
            for each in fields(value)
        }
    for of, convert in _WRITTEN:
        if isinstance(value, of):
            return convert(value, spelled)
    raise ValueError(f"{value!r} cannot be sent to another process")


def _written_mapping(found: Mapping[Any, Any], spelled: Callable[[str], str]) -> dict[str, Any]:
    return {str(to_plain(key)): to_plain(each, spelled) for key, each in found.items()}


_WRITTEN: tuple[tuple[type, Callable[[Any, Callable[[str], str]], Any]], ...] = (
    (Mapping, _written_mapping),
    (bytes, lambda found, _: b64encode(found).decode("ascii")),
    (str, lambda found, _: str(found)),
    (datetime, lambda found, _: _in_utc(found)),
    (Sequence, lambda found, spelled: [to_plain(each, spelled) for each in found]),
    (frozenset, lambda found, _: sorted(to_plain(each) for each in found)),
)


def _in_utc(moment: datetime) -> str:
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat()}Z"


def from_plain(expected: Any, data: Any, path: str = "value") -> Any:
    """Return an object of the type `expected`. Raise ValueError with the path of a mismatch."""
    origin = get_origin(expected)
    if expected is Any or expected is object:
        return data
    if origin in (Union, UnionType):
        return _one_of(get_args(expected), data, path)
    if origin is not None:
        return _read_container(origin, get_args(expected), data, path)
    if is_dataclass(expected):
        return _read_dataclass(expected, _checked(dict, data, path), path)
    if is_typeddict(expected):
        return _read_fields(get_type_hints(expected), _checked(dict, data, path), path)
    read = _READ.get(expected)
    if read is not None:
        return read(data, path)
    if isinstance(expected, type) and issubclass(expected, Enum):
        return _converted(expected, data, expected.__name__, path)
    raise _Misfit(f"{path} cannot be given by plain data")


def _one_of(types: Sequence[Any], data: Any, path: str) -> Any:
    """Read `data` by the first type that fits; text stays text if the types include str."""
    if isinstance(data, str) and str in types:
        return data
    refusals: list[ValueError] = []
    for candidate in types:
        try:
            return from_plain(candidate, data, path)
        except ValueError as refusal:
            refusals.append(refusal)
    if data is not None and NoneType in types and len(types) == 2:
        raise refusals[0 if types[1] is NoneType else 1]
    raise _Misfit(f"{path} cannot be {data!r}")


def _read_container(origin: Any, of: Sequence[Any], data: Any, path: str) -> Any:
    if origin is tuple and of[-1:] != (Ellipsis,):
        given = _checked(list, data, path)
        if len(given) != len(of):
            raise _Misfit(f"{path} takes {len(of)} values, not {len(given)}")
        pairs = zip(of, given, strict=True)
        return tuple(from_plain(kind, each, path) for kind, each in pairs)
    if issubclass(origin, Mapping):
        keys, values = of
        given = _checked(dict, data, path)
        return {
            from_plain(keys, name, path): from_plain(values, each, f"{path}.{name}")
            for name, each in given.items()
        }
    if issubclass(origin, Sequence | frozenset):
        given = _checked(list, data, path)
        items = [from_plain(of[0], each, f"{path}[{n}]") for n, each in enumerate(given)]
        return origin(items) if origin in (tuple, frozenset) else items
    raise _Misfit(f"{path} cannot be given by plain data")


def _read_dataclass(kind: Any, given: dict[str, Any], path: str) -> Any:
    hints = _hints(kind)
    names = {each.name: hints[each.name] for each in fields(kind) if each.init}
    read = _read_fields(names, given, path)
    try:
        return kind(**read)
    except TypeError:
        raise _Misfit(f"{path} lacks some of {', '.join(sorted(names))}") from None


def _read_fields(hints: Mapping[str, Any], given: dict[str, Any], path: str) -> dict[str, Any]:
    given = snake_case_names(given, hints)
    unknown = given.keys() - hints.keys()
    if unknown:
        raise _Misfit(f"{path} has no {sorted(unknown)[0]!r}; it has {', '.join(sorted(hints))}")
    return {name: from_plain(hints[name], each, f"{path}.{name}") for name, each in given.items()}


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _checked(kind: type, data: Any, path: str) -> Any:
    if not isinstance(data, kind):
        raise _Misfit(f"{path} must be {_NAMES[kind]}, not {data!r}")
    return data


def _converted(convert: Callable[[Any], Any], data: Any, name: str, path: str) -> Any:
    try:
        return convert(data)
    except (ValueError, TypeError):
        raise _Misfit(f"{path} must be {name}, not {data!r}") from None


def _int(data: Any, path: str) -> int:
    if isinstance(data, bool) or not isinstance(data, int | float | str):
        raise _Misfit(f"{path} must be an integer, not {data!r}")
    if isinstance(data, float) and not data.is_integer():
        raise _Misfit(f"{path} must be an integer, not {data!r}")
    return int(_converted(int, data, "an integer", path))


def _float(data: Any, path: str) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float):
        raise _Misfit(f"{path} must be a number, not {data!r}")
    return float(data)


def _bytes(data: Any, path: str) -> bytes:
    _checked(str, data, path)
    return bytes(_converted(lambda text: b64decode(text, validate=True), data, "base64", path))


def _datetime(data: Any, path: str) -> datetime:
    _checked(str, data, path)
    time = _converted(datetime.fromisoformat, data, "a time", path)
    assert isinstance(time, datetime)
    if time.tzinfo is None:
        raise _Misfit(f"{path} must have a time zone, as in 2026-01-01T00:00Z, not {data!r}")
    return time


def _none(data: Any, path: str) -> None:
    if data is not None:
        raise _Misfit(f"{path} must be null, not {data!r}")


_NAMES: Mapping[type, str] = {str: "text", bool: "true or false", dict: "an object", list: "a list"}
_READ: Mapping[Any, Callable[[Any, str], Any]] = {
    str: lambda data, path: _checked(str, data, path),
    bool: lambda data, path: _checked(bool, data, path),
    dict: lambda data, path: _checked(dict, data, path),
    list: lambda data, path: _checked(list, data, path),
    int: _int,
    float: _float,
    bytes: _bytes,
    datetime: _datetime,
    NoneType: _none,
}


def raw_key(key: Iterable[Any]) -> list[Any]:
    """Return key parts as Spanner's requests hold them, from Python values.

    Bytes are encoded as Base64.
    """
    return [_raw(part) for part in key]


def _raw(part: Any) -> Any:
    match part:
        case None | bool() | str():
            return part
        case float():
            return part if isfinite(part) else _NOT_FINITE[str(part)]
        case bytes():
            return b64encode(part).decode("ascii")
        case datetime():
            if hasattr(part, "rfc3339"):  # the client's own, with nanoseconds
                return part.rfc3339()
            return part.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case date():
            return part.isoformat()
        case _:  # INT64, NUMERIC and UUID travel as text
            return str(part)


_NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
