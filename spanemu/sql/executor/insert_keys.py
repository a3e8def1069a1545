"""The primary keys of rows about to be inserted, where the statement determines them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from spanemu.schema.column import Column, key_message
from spanemu.schema.table import Table
from spanemu.sql.executor.reader import Row
from spanemu.sql.functions.errors import RowAffectedTwice
from spanemu.values.key import key_encoder
from spanemu.values.mutation import COMMIT_TIMESTAMP


class InsertKeys:
    """The function from proposed rows to their primary keys.

    A key column that the statement leaves out is NULL, unless the transaction computes it (a
    default, a generated or an identity column): then the key is not known here, and the row counts
    as new.
    """

    def __init__(self, table: Table, targets: Sequence[Column]) -> None:
        self.table = table
        positions = {column.name: position for position, column in enumerate(targets)}
        self._places = [positions.get(part.column.name) for part in table.key]
        self.is_known = all(
            position is not None or not _is_computed(part.column)
            for position, part in zip(self._places, table.key, strict=True)
        )
        self._encode = key_encoder([(part.column.type, part.order) for part in table.key])

    def values(self, row: Sequence[Any]) -> tuple[Any, ...]:
        """Return the key of a proposed row."""
        return tuple([None if position is None else row[position] for position in self._places])

    def encoded(self, row: Sequence[Any]) -> bytes | None:
        """Return the encoded key of a proposed row; None if the key is not known yet."""
        if not self.is_known:
            return None
        values = self.values(row)
        return None if COMMIT_TIMESTAMP in values else self._encode(values)

    def text(self, row: Sequence[Any]) -> str:
        """Return the key as error messages show it."""
        return key_message(self.values(row), self.table.key)

    def refuse_duplicates(self, rows: Iterable[Row]) -> None:
        """Raise RowAffectedTwice if two of `rows` have the same key."""
        seen: set[bytes] = set()
        for row in rows:
            key = self.encoded(row)
            if key is None:
                continue
            if key in seen:
                raise RowAffectedTwice(self.table.name, self.text(row))
            seen.add(key)


def _is_computed(column: Column) -> bool:
    return column.default is not None or column.generated is not None or column.identity is not None
