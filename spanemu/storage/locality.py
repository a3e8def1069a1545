"""Copies of rows in the order of their keys, so that neighbours in this order are neighbours in
memory.

After a load in random order, each row of a scan lies in memory that is in no cache, with all of its
values. A leaf that is scanned again and again gets copies of its rows and of the values that
nothing else refers to. Copies are made by `marshal`, which makes objects of Python's own types one
after the other, and in less time than a loop.

The memory of the replaced rows is freed when the whole tree has been copied. Its keys are copied
then, too: otherwise they would hold parts of the memory that the process returns to the system.
"""

from __future__ import annotations

import marshal
from collections.abc import Sequence
from itertools import pairwise
from sys import getrefcount
from typing import Any

from spanemu.storage.versions import Row, Version

_NEAR_BYTES = 1 << 20  # Python allocates memory in parts of this size.
_SAMPLE = 64  # rows that are looked at
# A format of marshal. Later formats note references in small objects, among which copies would lie.
_WITHOUT_REFERENCES = 2
_TUPLES_KEPT = 2_048
_PLAIN = frozenset({int, float, str, bytes})
# What refers to an object that nothing else needs: the row or the version, the name of a loop here,
# and the call that counts; a row is also in a list.
_OWN_VALUE = 3
_OWN_ROW = 4


def are_scattered(rows: Sequence[Row | None]) -> bool:
    """Return whether neighbouring rows mostly lie far from each other."""
    pairs = list(pairwise([id(row) for row in rows[:_SAMPLE] if row is not None]))
    far = sum([abs(place - after) > _NEAR_BYTES for place, after in pairs])
    return 2 * far > len(pairs)


def copies_of(versions: Sequence[Version]) -> list[Version] | None:
    """Return the versions with copies of their rows; None if the rows cannot be copied.

    A column whose values something else refers to, such as an index entry, keeps them.
    """
    rows = [version[1] for version in versions if version[1] is not None]
    own = _own_columns(rows)
    if not own:
        return None
    columns: list[Any] = list(zip(*rows, strict=True))
    values = list(zip(*[columns[number] for number in own], strict=True))
    try:
        copied = zip(*marshal.loads(marshal.dumps(values, _WITHOUT_REFERENCES)), strict=True)
    except ValueError:  # A value is not of one of Python's own types.
        return None
    for number, column in zip(own, copied, strict=True):
        columns[number] = column
    whole = zip(*columns, strict=True)
    times = {at: at + 0 for at in {version[0] for version in versions}}
    return [
        version if version[1] is None else (times[version[0]], next(whole), *version[2:])
        for version in versions
    ]


def _own_columns(rows: Sequence[Row]) -> list[int]:
    """Return the numbers of the columns with values of their own; none if most rows are shared."""
    if len(set(map(len, rows))) != 1:
        return []
    width = len(rows[0])
    shared, owned = [0] * width, [0] * width
    rows_shared = 0  # less those that are not shared
    for position in range(0, len(rows), max(1, len(rows) // _SAMPLE)):
        row = rows[position]
        rows_shared += 1 if getrefcount(row) > _OWN_ROW else -1
        number = 0
        for value in row:  # not `enumerate`, which would refer to the value
            if value.__class__ not in _PLAIN:
                shared[number] += value is not None and value.__class__ is not bool
            elif getrefcount(value) > _OWN_VALUE:
                shared[number] += not _is_single(value)
            else:
                owned[number] += 1
            number += 1  # noqa: SIM113
    if rows_shared > 0:
        return []
    return [number for number in range(width) if owned[number] > shared[number]]


def _is_single(value: Any) -> bool:
    """Return whether Python has one object for all equal values, which copies share."""
    if value.__class__ is int:
        return -5 <= value <= 256
    return value.__class__ is not float and len(value) <= 1


def copied_keys(keys: list[bytes]) -> list[bytes]:
    """Return copies of keys."""
    copies: list[bytes] = marshal.loads(marshal.dumps(keys, _WITHOUT_REFERENCES))
    return copies


class Replaced:
    """The rows of a tree that copies have replaced, and whose memory is not freed yet."""

    def __init__(self) -> None:
        self.count = 0
        self._versions: list[list[Version]] = []
        self._lists: list[object] = []  # freed last, because copies would take their places

    def add(self, versions: list[Version], rows: list[Row | None]) -> None:
        """Add versions, and the list of their rows, which is empty now."""
        self.count += len(versions)
        self._versions.append(versions)
        self.keep(rows)

    def keep(self, replaced: object) -> None:
        """Keep an object until the rows are freed."""
        self._lists.append(replaced)

    def free(self) -> None:
        """Free all rows, so that the parts of memory with nothing else in them are free.

        Python keeps up to 2,000 tuples of each length that are freed, for the next ones. Those of
        the last rows that were made take this place first: replaced tuples lie everywhere in the
        old parts.
        """
        lengths = set[int]()
        for versions in self._versions:
            lengths |= {len(version) for version in versions}
            lengths |= {len(version[1]) for version in versions if version[1] is not None}
        for length in lengths:
            list(zip(*[range(_TUPLES_KEPT)] * length, strict=True))
        list(map(float, range(_TUPLES_KEPT)))
        self.count = 0
        self._versions.clear()
        self._lists.clear()
