"""Fields of a request in the query of a URL.

    ?pageSize=10&encryptionConfig.kmsKeyName=k&instancePartitions=a&instancePartitions=b

A nested field is written with dots, a repeated one by repetition. What controls the reply rather
than the request (`$alt`, `key`, `prettyPrint`) is no field. Every client sends some of these.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote_plus

from spanemu.frontend.dispatch import Message
from spanemu.rest.errors import InvalidPayload
from spanemu.rest.json_messages import Field, fill, is_repeated, reader_of
from spanemu.rest.json_values import FILLERS

# Parameters of the reply, of authentication and of quotas.
SYSTEM_PARAMETERS = frozenset(
    {
        *("$.xgafv", "$alt", "$callback", "$fields", "$key", "$prettyPrint", "access_token"),
        *("alt", "callback", "fields", "key", "oauth_token", "prettyPrint", "quotaUser"),
        *("uploadType", "upload_protocol"),
    }
)
_FORMATS = ("json", "json;enum-encoding=int")
_PARAMETERS_MAX = 1_000

Pairs = list[tuple[str, str]]


def pairs_of(query: str) -> Pairs:
    """Return the names and values of a query, decoded. Raises InvalidPayload.

    A semicolon separates nothing: clients write one inside of `$alt` without encoding it.
    """
    parts = [part for part in query.split("&") if part]
    if len(parts) > _PARAMETERS_MAX:
        raise InvalidPayload("", f"The query has more than {_PARAMETERS_MAX} parameters.")
    split = (part.partition("=") for part in parts)
    try:
        return [
            (unquote_plus(name, errors="strict"), unquote_plus(value, errors="strict"))
            for name, _, value in split
        ]
    except UnicodeDecodeError:
        raise InvalidPayload("", "The query is not valid UTF-8.") from None


def wants_enum_numbers(pairs: Pairs) -> bool:
    """Return whether enums are wanted as numbers. Raises InvalidPayload for other formats."""
    as_numbers = False
    for name, value in pairs:
        if name in ("alt", "$alt"):
            if value.lower() not in _FORMATS:
                raise InvalidPayload(name, f"The format {value!r} is not supported; use json.")
            as_numbers = value.lower() != "json"
    return as_numbers


def fill_from_query(message: Message, pairs: Pairs) -> None:
    """Write the fields in a query into a message. Raises InvalidPayload."""
    content: dict[str, Any] = {}
    for name, value in pairs:
        if name not in SYSTEM_PARAMETERS:
            _put(content, name, _fields_at(message, name), value)
    if content:
        fill(message, content)


def _fields_at(message: Message, path: str) -> list[Field]:
    """Return the fields along a path of names."""
    fields: list[Field] = []
    descriptor = message.DESCRIPTOR
    for name in path.split("."):
        field = None if descriptor is None else reader_of(descriptor).fields.get(name)
        if field is None:
            raise _unbound(path, f"Field '{name}' could not be found in request message.")
        fields.append(field)
        kind = field.descriptor.message_type
        is_plain = kind is not None and not is_repeated(field.descriptor)
        descriptor = kind if is_plain and kind.full_name not in FILLERS else None
    if descriptor is not None or _is_structured(fields[-1]):
        raise _unbound(path, f"Field '{fields[-1].shown}' is a message type.")
    return fields


def _is_structured(field: Field) -> bool:
    """Return whether a field cannot be written as one text, like a map or a JSON value."""
    kind = field.descriptor.message_type
    return kind is not None and kind.full_name not in _TEXTUAL


_TEXTUAL = frozenset(
    f"google.protobuf.{name}" for name in ("Duration", "FieldMask", "Timestamp", "Value")
)


def _put(content: dict[str, Any], path: str, fields: Iterable[Field], value: str) -> None:
    *parents, last = fields
    for parent in parents:
        content = content.setdefault(parent.shown, {})
    if is_repeated(last.descriptor):
        content.setdefault(last.shown, []).append(value)
    elif last.shown in content:
        raise _unbound(path, "Field is not repeated.")
    else:
        content[last.shown] = value


def _unbound(path: str, reason: str) -> InvalidPayload:
    text = f'Invalid JSON payload received. Unknown name "{path}": Cannot bind query parameter.'
    return InvalidPayload(path, f"{text} {reason}")
