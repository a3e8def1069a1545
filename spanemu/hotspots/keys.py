"""Encoded keys as their parts, and as Spanner's split statistics print them.

Users(3)    Messages(3,"a",1)    UsersByFirstName("abc")    <begin>    <end>
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanemu.schema.column import KeyPart
from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.storage.layout import parts_of
from spanemu.values.key import decode_part
from spanemu.values.types import TypeCode
from spanemu.values.value import encoder
from spanemu.values.value_text import quoted_text

BEGIN, END = "<begin>", "<end>"

_QUOTED = frozenset({TypeCode.STRING, TypeCode.BYTES})


class KeyShape:
    """The key of one table or index: how its bytes are cut and shown."""

    def __init__(self, thing: Table | Index) -> None:
        self.name = thing.name
        self.parts: tuple[KeyPart, ...] = parts_of(thing)
        self._codes = [part.column.type.code for part in self.parts]
        self._texts = [encoder(part.column.type) for part in self.parts]

    def pieces(self, key: bytes) -> tuple[bytes, ...]:
        """The bytes of each part."""
        found, at = [], 0
        for code in self._codes:
            _, end = decode_part(code, key, at)
            found.append(key[at:end])
            at = end
        return tuple(found)

    def values(self, key: bytes) -> tuple[Any, ...]:
        """The value of each part; a key that stops early has fewer."""
        found, at = [], 0
        for code in self._codes:
            if at == len(key):
                break
            value, at = decode_part(code, key, at)
            found.append(value)
        return tuple(found)

    def text(self, key: bytes, parts: int | None = None) -> str:
        """The key as split statistics print it, or only its first parts."""
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
