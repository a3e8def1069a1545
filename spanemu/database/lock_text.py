"""Places of locks in the words of the "Lock statistics" page: Albums(2,1), Albums(2,1+)."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.storage.layout import parts_of
from spanemu.txn.locks.modes import Lock, columns_of
from spanemu.values.cell_mask import WHOLE_ROW
from spanemu.values.key import key_decoder
from spanemu.values.value_text import value_text


def place_text(thing: Table | Index, key: bytes, *, is_range: bool) -> str:
    """A row of a table or index, or a range by its start."""
    return f"{thing.name}({_key(thing, key)}{'+' if is_range else ''})"


def locked_columns(thing: Table | Index, lock: Lock) -> Sequence[str]:
    """The columns that a lock covers, none for all; `_exists` for whether there is a row."""
    cells = lock[0] | lock[1]
    return () if cells == WHOLE_ROW else tuple(columns_of(cells, column_names(thing)))


def column_names(thing: Table | Index) -> list[str]:
    """The columns of rows or entries by place; one that was dropped is ""."""
    if isinstance(thing, Index):
        return [column.name for column in thing.columns]
    names = [""] * thing.width
    for column in thing.columns:
        names[column.position] = column.name
    return names


def _key(thing: Table | Index, key: bytes) -> str:
    """A key as text; of a bound that is not quite one, the key that it is made of."""
    parts = [(part.column.type, part.descending) for part in parts_of(thing)]
    for end in (len(key), len(key) - 1):
        try:
            values = key_decoder(parts)(key[:end])
        except ValueError:
            continue
        return ",".join(
            value_text(value, part[0]) for value, part in zip(values, parts, strict=False)
        )
    return key.hex()
