"""The rows of tables and indexes as text, as timelines and outcomes show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanemu.database.physical import column_names
from spanemu.schema.indexes import TableOrIndex
from spanemu.schema.table import Table
from spanemu.storage.layout import parts_of
from spanemu.values.key_text import value_text
from spanemu.values.types import Type, TypeCode
from spanemu.values.value import encoder

NOW = "<now>"  # a time near the run
HOUR_NANOS = 3_600 * 1_000_000_000
NO_ROW = "no row"
_DOCUMENTS = (TypeCode.JSON, TypeCode.PG_JSONB)


def cell_text(value: Any, type_: Type, now: int) -> str:
    """Return a value of a column as SQL writes it; a time within an hour of `now` is `<now>`."""
    if type_.code is TypeCode.TIMESTAMP and isinstance(value, int):
        return NOW if abs(value - now) < HOUR_NANOS else value_text(value, type_)
    if type_.code in _DOCUMENTS and value is not None:
        return str(encoder(type_)(value))
    return value_text(value, type_)


class RowWriter:
    """A writer of the rows of one table or index; `now` is a time near the run."""

    def __init__(self, source: TableOrIndex, now: int) -> None:
        self._names = column_names(source)
        self._types: list[Type | None] = [None] * len(self._names)
        if isinstance(source, Table):
            keys = set(source.key_positions)
            columns = {column.position: column for column in source.columns}
        else:
            keys = set(range(len(parts_of(source))))
            columns = dict(enumerate(source.columns))
        for position, column in columns.items():
            if position not in keys and not column.is_virtual:
                self._types[position] = column.type
        self._now = now

    def row(self, row: Sequence[Any] | None, cells: int = -1) -> str:
        """Return the cells of a mask: "Bal=100", or "exists" if only the key is set."""
        if row is None:
            return NO_ROW
        texts = [
            f"{self._names[position]}={cell_text(value, type_, self._now)}"
            for position, (value, type_) in enumerate(zip(row, self._types, strict=False))
            if type_ is not None and cells >> (position + 1) & 1
        ]
        return " ".join(texts) or "exists"

    def rows(self, rows: Sequence[Sequence[Any]], cells: int) -> str:
        """Return the rows that a read has returned."""
        return "; ".join(self.row(row, cells) for row in rows) or NO_ROW

    def change(self, before: Sequence[Any] | None, after: Sequence[Any] | None) -> str:
        """Return a row before and after a write; of an update, the changed cells only."""
        if before is None or after is None:
            return f"{self.row(before)} -> {self.row(after)}"
        changed = [
            f"{self._names[position]} {cell_text(old, type_, self._now)} -> "
            f"{cell_text(new, type_, self._now)}"
            for position, (old, new, type_) in enumerate(
                zip(before, after, self._types, strict=False)
            )
            if type_ is not None and old != new
        ]
        return ", ".join(changed) or "unchanged"
