"""Values as text for people (`display`, FORMAT's %t) and as SQL constants (`literal`, %T).

A printer is built once per type. Its argument is not NULL; NULLs inside the value print as NULL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from functools import lru_cache
from math import copysign, isfinite
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.base.deferred import lazy_pattern
from spanemu.base.errors import Unsupported
from spanemu.values import floats, interval, numeric, pg_numeric, timestamp, uuid_text
from spanemu.values.types import Type, TypeCode

# A hexadecimal digit after \xNN would be read as part of the escape, so it is escaped as well.
_NEEDS_ESCAPE = lazy_pattern(
    r"[\n\r\t\\]|[\x00-\x1f\x7f][0-9a-fA-F]*",
)
_BYTE_NEEDS_ESCAPE = lazy_pattern(r"[\\\x00-\x1f\x7f-\xff]")
_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t", "\\": r"\\"}


def bool_text(value: bool) -> str:
    """Return `true` or `false`."""
    return "true" if value else "false"


def _escape(match: re.Match[str]) -> str:
    short = _ESCAPES.get(match[0])
    return short or "".join([f"\\x{ord(character):02x}" for character in match[0]])


def quoted(text: str) -> str:
    """Return a STRING constant, in single quotes if only they avoid escapes, else in double."""
    escaped = _NEEDS_ESCAPE.sub(_escape, text)
    if '"' not in text:
        return f'"{escaped}"'
    if "'" not in text:
        return f"'{escaped}'"
    return '"' + escaped.replace('"', '\\"') + '"'


def escaped_bytes(data: bytes) -> str:
    r"""Return the BYTES with bytes beyond printable ASCII as \xNN."""
    return _BYTE_NEEDS_ESCAPE.sub(_escape_byte, data.decode("latin-1"))


def _displayed_bytes(data: bytes) -> str:
    """Return escaped BYTES without quotes around them.

    Both kinds of quotes are escaped, since the surrounding quotes are not known.
    """
    return escaped_bytes(data).replace('"', '\\"').replace("'", "\\'")


def _escape_byte(match: re.Match[str]) -> str:
    return "\\\\" if match[0] == "\\" else f"\\x{ord(match[0]):02x}"


def _bytes_literal(data: bytes) -> str:
    text = escaped_bytes(data)
    if '"' not in text:
        return f'b"{text}"'
    if "'" not in text:
        return f"b'{text}'"
    return 'b"' + text.replace('"', '\\"') + '"'


def _with_point(text: str) -> str:
    """Return a finite float's text in a form that differs from an integer."""
    return text if "." in text or "e" in text else text + ".0"


def _finite(form: Callable[[float], str], value: float) -> str:
    # CAST prints negative zero without a sign; FORMAT prints the sign.
    return "-0.0" if not value and copysign(1.0, value) < 0 else _with_point(form(value))


def _float_display(form: Callable[[float], str]) -> Callable[[float], str]:
    return lambda value: _finite(form, value) if isfinite(value) else form(value)


def _float_literal(form: Callable[[float], str], code: TypeCode) -> Callable[[float], str]:
    def print_float(value: float) -> str:
        return _finite(form, value) if isfinite(value) else f'CAST("{form(value)}" AS {code})'

    return print_float


def _named(word: str, form: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda value: f'{word} "{form(value)}"'


def _date(value: date) -> str:
    return value.isoformat()


def _timestamp(value: int) -> str:
    return timestamp.format_sql(value, "UTC")


def _json(value: Any) -> str:
    text: str = value.text
    return text


_DISPLAYS: dict[TypeCode, Callable[[Any], str]] = {
    TypeCode.BOOL: bool_text,
    TypeCode.INT64: str,
    TypeCode.FLOAT32: _float_display(floats.format_float32),
    TypeCode.FLOAT64: _float_display(floats.format_float64),
    TypeCode.NUMERIC: numeric.format,
    TypeCode.STRING: str,
    TypeCode.BYTES: _displayed_bytes,
    TypeCode.PROTO: lambda value: str(value.line),  # a `MessageText`
    TypeCode.DATE: _date,
    TypeCode.TIMESTAMP: _timestamp,
    TypeCode.JSON: _json,
    TypeCode.UUID: uuid_text.format,
    TypeCode.INTERVAL: interval.format_sql,
    TypeCode.PG_NUMERIC: pg_numeric.format,
    TypeCode.PG_JSONB: _json,
    TypeCode.PG_OID: str,
}

_LITERALS: dict[TypeCode, Callable[[Any], str]] = {
    TypeCode.BOOL: bool_text,
    TypeCode.INT64: str,
    TypeCode.FLOAT32: _float_literal(floats.format_float32, TypeCode.FLOAT32),
    TypeCode.FLOAT64: _float_literal(floats.format_float64, TypeCode.FLOAT64),
    TypeCode.NUMERIC: _named("NUMERIC", numeric.format),
    TypeCode.STRING: quoted,
    TypeCode.BYTES: _bytes_literal,
    TypeCode.PROTO: lambda value: quoted(value.line),
    TypeCode.DATE: _named("DATE", _date),
    TypeCode.TIMESTAMP: _named("TIMESTAMP", _timestamp),
    TypeCode.JSON: lambda value: f"JSON {quoted(value.text)}",
    TypeCode.UUID: lambda value: f'CAST("{uuid_text.format(value)}" AS UUID)',
    TypeCode.INTERVAL: lambda value: f'INTERVAL "{interval.format_sql(value)}" YEAR TO SECOND',
    TypeCode.PG_NUMERIC: _named("NUMERIC", pg_numeric.format),
    TypeCode.PG_JSONB: lambda value: f"JSONB {quoted(value.text)}",
    TypeCode.PG_OID: str,
}


@lru_cache(maxsize=1024)
def display(type_: Type) -> Callable[[Any], str]:
    """Return a function that prints values of the type for people."""
    return _printer(type_, _DISPLAYS, display)


@lru_cache(maxsize=1024)
def literal(type_: Type) -> Callable[[Any], str]:
    """Return a function that prints a SQL constant of the type, or of a narrower type."""
    return _printer(type_, _LITERALS, literal)


def _printer(
    type_: Type,
    scalars: dict[TypeCode, Callable[[Any], str]],
    printer: Callable[[Type], Callable[[Any], str]],
) -> Callable[[Any], str]:
    if type_.is_array:
        item = printer(type_.item())
        return lambda values: f"[{_joined([item] * len(values), values)}]"
    if type_.is_struct:
        fields = [printer(field.type) for field in type_.fields]
        word = "STRUCT" if len(fields) < 2 and printer is literal else ""
        return lambda values: f"{word}({_joined(fields, values)})"
    if type_.code not in scalars:
        raise Unsupported(f"FORMAT of {type_.code}")
    return scalars[type_.code]


def _joined(printers: Sequence[Callable[[Any], str]], values: Sequence[Any]) -> str:
    return ", ".join(
        [
            "NULL" if value is None else print_value(value)
            for print_value, value in zip(printers, interruptible(values), strict=True)
        ]
    )
