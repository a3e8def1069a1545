"""Hash tables of rows by key, made from a relation that is read once.

Two forms. While no key comes twice, a key leads to its row; that is one object less per key to
make and to touch, and it is what a join with a table by its key gives. From the first repetition
on a key leads to all of its rows. They are kept in a tuple while they are few: Python's garbage
collector walks every list there is, again and again, but soon leaves tuples of plain values alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spanemu.sql.executor.batches import full_batches
from spanemu.sql.executor.memory import FREE_ROWS, Holding
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.relation import Each
from spanemu.sql.executor.run import Run

_TUPLE_ROWS_MAX = 8

Buckets = dict[Any, Sequence[Row]]


class Hashed:
    """Rows by key: each key's row if `is_unique`, a sequence of them if not. No key is None.

    `longest` is how many rows one key has at most, at least 1.
    """

    __slots__ = ("is_unique", "longest", "rows")

    def __init__(self, rows: Mapping[Any, Any], is_unique: bool) -> None:
        self.rows = rows
        self.is_unique = is_unique
        self.longest = 1 if is_unique else max(map(len, rows.values()), default=1)

    def of(self, key: Any) -> Sequence[Row]:
        """The rows of a key."""
        found = self.rows.get(key)
        if found is None:
            return ()
        return (found,) if self.is_unique else found


def put(buckets: Buckets, keys: Iterable[Any], rows: Iterable[Row]) -> None:
    """Add rows to the buckets of their keys, keeping their order."""
    for key, row in zip(keys, rows, strict=True):
        if key in buckets:
            found: Any = buckets[key]
            if type(found) is list:
                found.append(row)
            elif len(found) < _TUPLE_ROWS_MAX:
                buckets[key] = (*found, row)
            else:
                buckets[key] = [*found, row]
        else:
            buckets[key] = (row,)


def hashed(rows: Iterable[Row], keys_of: Each, holding: Holding, run: Run) -> Hashed:
    """Return `rows` by key, accounted for; a row whose key is None matches nothing."""
    unique: dict[Any, Row] = {}
    all_keys: list[Any] = []
    all_rows: list[Row] = []
    source = full_batches(rows)
    for batch in source:
        keys = keys_of(batch, run)
        unique.update(zip(keys, batch, strict=True))
        if None in unique:
            del unique[None]
            batch = [row for key, row in zip(keys, batch, strict=True) if key is not None]
            keys = [key for key in keys if key is not None]
        all_keys += keys
        all_rows += batch
        if len(all_rows) > FREE_ROWS:
            holding.take(batch, run)
        if len(unique) < len(all_keys):
            buckets: Buckets = {}
            put(buckets, all_keys, all_rows)
            for later in source:
                holding.take(later, run)
                put(buckets, keys_of(later, run), later)
            buckets.pop(None, None)
            return Hashed(buckets, False)
    return Hashed(unique, True)
