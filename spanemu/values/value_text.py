"""Values as dumps and lock statistics show them, each on one line."""

from __future__ import annotations

import re
from typing import Any

from spanemu.values.mutation import COMMIT_TIMESTAMP, COMMIT_TIMESTAMP_PLACEHOLDER
from spanemu.values.types import Type, TypeCode
from spanemu.values.value import encoder

_BARE = frozenset({TypeCode.BOOL, TypeCode.INT64, TypeCode.FLOAT64, TypeCode.FLOAT32,
                   TypeCode.NUMERIC, TypeCode.ENUM})  # fmt: skip

_ESCAPED = re.compile(r'[\x00-\x1f\x7f"\\]')
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
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    return _SHORT.get(match[0]) or f"\\x{ord(match[0]):02x}"
