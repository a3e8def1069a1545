"""Encoded keys, divided into parts and printed as in Spanner's split statistics.

Users(3)    Messages(3,"a",1)    UsersByFirstName("abc")    <begin>    <end>
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanemu.schema.index import Index
from spanemu.schema.table import KeyPart, Table
from spanemu.storage.layout import parts_of
from spanemu.values.key import decode_part
from spanemu.values.key_text import quoted_text
from spanemu.values.types import TypeCode
from spanemu.values.value import encoder

BEGIN, END = "<begin>", "<end>"

_QUOTED = frozenset({TypeCode.STRING, TypeCode.BYTES})


class KeyShape:
    """The key of one table or index: divides encoded keys and prints them."""

    def __init__(self, relation: Table | Index) -> None:
        self.name = relation.name
        self.parts: tuple[KeyPart, ...] = parts_of(relation)
        self._codes = [part.column.type.code for part in self.parts]
        self._texts = [encoder(part.column.type) for part in self.parts]

    def encoded_parts(self, key: bytes) -> tuple[bytes, ...]:
        """Return the bytes of each part."""
        parts, offset = [], 0
        for code in self._codes:
            _, end = decode_part(code, key, offset)
            parts.append(key[offset:end])
            offset = end
        return tuple(parts)

    def values(self, key: bytes) -> tuple[Any, ...]:
        """Return the value of each part; a key prefix has fewer values."""
        values, offset = [], 0
        for code in self._codes:
            if offset == len(key):
                break
            value, offset = decode_part(code, key, offset)
            values.append(value)
        return tuple(values)

    def text(self, key: bytes, parts: int | None = None) -> str:
        """Return the key as split statistics print it, or only its first parts."""
        return f"{self.name}({','.join(self._shown(self.values(key))[:parts])})"

    def _shown(self, values: Sequence[Any]) -> list[str]:
        shown = []
        for value, code, text in zip(values, self._codes, self._texts, strict=False):
            if value is None:
                shown.append("NULL")
            elif code in _QUOTED:
                shown.append(quoted_text(str(text(value))))
            else:
                raw = text(value)
                shown.append(str(raw).lower() if isinstance(raw, bool) else str(raw))
        return shown
