"""Keys as error messages show them: {String("a"), Int64(2)↓, Bytes(NULL)}.

Clients parse these messages, so the text is that of Google's emulator: each value with the name
of its type, and an arrow after each descending part. Dumps and lock statistics show values in
another form (`value_text`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any

from spanemu.base.deferred import lazy_pattern
from spanemu.values import numeric, timestamp, uuid_text
from spanemu.values.floats import format_float32, format_float64
from spanemu.values.mutation import COMMIT_TIMESTAMP, COMMIT_TIMESTAMP_PLACEHOLDER
from spanemu.values.types import Type, TypeCode
from spanemu.values.value import encoder

_CONTROL = lazy_pattern(r"[\x00-\x1f\x7f]")
_SHORT_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def key_text(parts: Iterable[str]) -> str:
    """Return the key whose parts have these texts."""
    return f"{{{', '.join(parts)}}}"


def part_text(value: Any, type_: Type, *, descending: bool = False) -> str:
    """Return one part of a key as text."""
    return f"{_typed_text(value, type_)}{'↓' if descending else ''}"


def _typed_text(value: Any, type_: Type) -> str:
    kind, text_of = _KINDS[type_.code]
    name = f"{kind}<{type_.proto_name}>" if type_.code is TypeCode.ENUM else kind
    if value is None:
        return f"{name}(NULL)"
    if value is COMMIT_TIMESTAMP:
        return f"{name}({COMMIT_TIMESTAMP_PLACEHOLDER})"
    return f"{name}({text_of(value)})"


def _bool_text(value: bool) -> str:
    return "true" if value else "false"


def _string_text(value: str) -> str:
    return _quoted(_CONTROL.sub(_escape, value.replace("\\", "\\\\")))


def _escape(match: re.Match[str]) -> str:
    return _SHORT_ESCAPES.get(match[0]) or f"\\x{ord(match[0]):02x}"


def _bytes_text(value: bytes) -> str:
    characters = (
        chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}"
        for byte in value.replace(b"\\", b"\\\\")
    )
    return f"b{_quoted(''.join(characters))}"


def _quoted(escaped: str) -> str:
    """Return text in double quotes, or in single quotes if it holds double quotes only."""
    if '"' in escaped and "'" not in escaped:
        return f"'{escaped}'"
    return '"' + escaped.replace('"', r"\"") + '"'


def _timestamp_text(value: int) -> str:
    return timestamp.format_sql(value, "UTC")


_KINDS: Mapping[TypeCode, tuple[str, Callable[[Any], str]]] = {
    TypeCode.BOOL: ("Bool", _bool_text),
    TypeCode.INT64: ("Int64", str),
    TypeCode.FLOAT32: ("Float", format_float32),
    TypeCode.FLOAT64: ("Double", format_float64),
    TypeCode.NUMERIC: ("Numeric", numeric.format),
    TypeCode.STRING: ("String", _string_text),
    TypeCode.BYTES: ("Bytes", _bytes_text),
    TypeCode.DATE: ("Date", date.isoformat),
    TypeCode.TIMESTAMP: ("Timestamp", _timestamp_text),
    TypeCode.UUID: ("Uuid", uuid_text.format),
    TypeCode.ENUM: ("Enum", str),
}


_BARE = frozenset({TypeCode.BOOL, TypeCode.INT64, TypeCode.FLOAT64, TypeCode.FLOAT32,
                   TypeCode.NUMERIC, TypeCode.ENUM, TypeCode.PG_NUMERIC,
                   TypeCode.PG_OID})  # fmt: skip

_ESCAPED = lazy_pattern(r'[\x00-\x1f\x7f"\\]')
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t", '"': r"\"", "\\": r"\\"}


def value_text(value: Any, type_: Type) -> str:
    """Return a value roughly as SQL writes it, strings in double quotes."""
    if value is None:
        return "NULL"
    if value is COMMIT_TIMESTAMP:
        return COMMIT_TIMESTAMP_PLACEHOLDER
    raw = encoder(type_)(value)
    if type_.code in _BARE:
        return str(raw).lower() if isinstance(raw, bool) else str(raw)
    if type_.is_array or type_.is_struct:
        return str(raw)
    return quoted_text(str(raw))


def quoted_text(text: str) -> str:
    """Return a text in double quotes on one line, with control characters escaped as in SQL."""
    return f'"{_ESCAPED.sub(_escaped_character, text)}"'


def _escaped_character(match: re.Match[str]) -> str:
    return _SHORT.get(match[0]) or f"\\x{ord(match[0]):02x}"
