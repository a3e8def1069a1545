"""Key sets of clients, converted to ranges of encoded keys.

An endpoint of a range may be a prefix of the key. A closed endpoint includes every key with that
prefix; an open endpoint excludes them all:

    start_closed [1]   from the first key with prefix 1    start_open [1]   from after the last
    end_closed   [1]   to the last key with prefix 1       end_open   [1]   to before the first
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import call
from typing import Any

from spanemu.schema.table import Column, KeyPart
from spanemu.sql.executor.run import ByteRange
from spanemu.sql.functions.registry import Context
from spanemu.storage.layout import EVERYTHING, encoder_of
from spanemu.txn.errors import BadKeyValue, DeleteRangeTooWide, WrongKeyParts
from spanemu.txn.rules import CompiledTable, is_timestamp
from spanemu.txn.write_plan import Decode, cell_decoder, check_timestamp
from spanemu.values.key import after_prefix, merge_ranges
from spanemu.values.mutation import RawKeySet, RawRange
from spanemu.values.types import BadValue
from spanemu.values.value import decoder


class KeyReader:
    """A converter of raw keys of one table or index to bytes.

    `parts` are the declared key parts.
    """

    def __init__(self, target: str, parts: Sequence[KeyPart]) -> None:
        self.target = target
        self.parts = tuple(parts)
        self._decoders = tuple(self._decoder(part.column) for part in parts)
        self._encode = encoder_of(self.parts)

    def ranges(self, key_set: RawKeySet) -> tuple[ByteRange, ...]:
        """Return the key set as sorted, disjoint ranges."""
        if key_set.all:
            return EVERYTHING
        ranges = [self._point(key) for key in key_set.keys]
        ranges.extend(self._range(each) for each in key_set.ranges)
        return tuple(merge_ranges(ranges)) if len(ranges) > 1 else tuple(ranges)

    def key(self, raw: Sequence[Any]) -> bytes:
        """Return a complete key, encoded."""
        if len(raw) != len(self.parts):
            raise WrongKeyParts(self.target, len(self.parts), len(raw))
        return self._encode(self._values(raw))

    def _point(self, raw: Sequence[Any]) -> ByteRange:
        key = self.key(raw)
        return key, after_prefix(key)

    def _range(self, raw: RawRange) -> ByteRange:
        start, end = self._values(raw.start), self._values(raw.end)
        low, high = self._encode(start), self._encode(end)
        return (
            low if raw.start_closed else self._past(start, low),
            self._past(end, high) if raw.end_closed else high,
        )

    def _past(self, values: Sequence[Any], encoded: bytes) -> bytes:
        return after_prefix(encoded) if values else EVERYTHING[0][1]

    def _decoder(self, column: Column) -> Decode:
        return decoder(column.type)

    def _values(self, raw: Sequence[Any]) -> list[Any]:
        if len(raw) > len(self.parts):
            raise WrongKeyParts(self.target, len(self.parts), len(raw))
        try:
            return list(map(call, self._decoders, raw))
        except BadValue as bad:
            raise BadKeyValue(bad.shown, bad.type_text, self.target, bad.because) from None


class DeleteReader(KeyReader):
    """A converter of the keys that a mutation deletes, which may hold the commit timestamp."""

    def __init__(self, rules: CompiledTable, context: Context) -> None:
        super().__init__(rules.table.name, rules.table.key)
        self._rules = rules
        self._context = context
        self._timestamps = tuple(
            (position, part.column)
            for position, part in enumerate(self.parts)
            if is_timestamp(part.column)
        )

    def _point(self, raw: Sequence[Any]) -> ByteRange:
        point = super()._point(raw)
        if self._timestamps:
            self._check_timestamps(self._values(raw))
        return point

    def _range(self, raw: RawRange) -> ByteRange:
        start, end = self._values(raw.start), self._values(raw.end)
        self._check_width(start, end)
        low, high = super()._range(raw)
        if self._timestamps and low < high:
            self._check_timestamps(start)
            self._check_timestamps(end)
        return low, high

    def _check_width(self, start: Sequence[Any], end: Sequence[Any]) -> None:
        if not start or not end:
            return
        shared = min(len(start), len(end))
        longest = max(len(start), len(end))
        if shared < longest - 1 or start[: longest - 1] != end[: longest - 1]:
            raise DeleteRangeTooWide(self.target)

    def _check_timestamps(self, values: Sequence[Any]) -> None:
        for position, column in self._timestamps:
            if position < len(values) and values[position] is not None:
                check_timestamp(self._rules, column, values[position], self._context)

    def _decoder(self, column: Column) -> Decode:
        return cell_decoder(column)
