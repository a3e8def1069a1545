"""The lines of the transactions that wait for the locks of a tree, in the order of their ages.

A line is made of requests for the same key, or the same range, and the same lock. So a transaction
finds the one that goes before it without a look at every waiting request.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TypeAlias

from sortedcontainers import SortedDict

from spanemu.txn.locks.holder import YOUNGEST, LockHolder
from spanemu.txn.locks.modes import Lock
from spanemu.txn.locks.waits import Request

Age: TypeAlias = tuple[int, int]
_Lines: TypeAlias = "dict[Lock, SortedDict[Age, LockHolder]]"


class Lines:
    """The requests that wait for locks of one tree. Guarded by the mutex of the lock table."""

    def __init__(self) -> None:
        self.requests: dict[LockHolder, Request] = {}
        self._keys: SortedDict[bytes, _Lines] = SortedDict()
        self._ranges: dict[tuple[bytes, bytes], _Lines] = {}

    def add(self, holder: LockHolder, request: Request) -> None:
        """Add a request at the place that the age of its transaction gives it."""
        self.requests[holder] = request
        if holder.age == YOUNGEST:  # No transaction waits behind it.
            return
        low, high, lock = request
        if high is None:
            lines = self._keys.setdefault(low, {})
        else:
            lines = self._ranges.setdefault((low, high), {})
        if lock not in lines:
            lines[lock] = SortedDict()
        lines[lock][holder.age] = holder

    def remove(self, holder: LockHolder) -> None:
        """Remove the request of a transaction."""
        low, high, lock = self.requests.pop(holder)
        if holder.age == YOUNGEST:
            return
        lines = self._keys[low] if high is None else self._ranges[low, high]
        line = lines[lock]
        del line[holder.age]
        if line:
            return
        del lines[lock]
        if not lines:
            if high is None:
                del self._keys[low]
            else:
                del self._ranges[low, high]

    def last_before(self, holder: LockHolder, request: Request) -> LockHolder | None:
        """Return the youngest of the older transactions that wait for a conflicting lock."""
        (reads, writes), age = request.lock, holder.age
        last: LockHolder | None = None
        for lines in self._meeting(request):
            for (read, written), line in lines.items():
                if reads & written or writes & read:
                    older = line.bisect_left(age)  # the number of older transactions
                    if older and (last is None or line.peekitem(older - 1)[0] > last.age):
                        last = line.peekitem(older - 1)[1]
        return last

    def _meeting(self, request: Request) -> Iterator[_Lines]:
        """Yield the lines for keys and ranges that overlap with a request."""
        low, high = request.low, request.high
        if high is None:
            own = self._keys.get(low)
            keys: Iterator[_Lines] = iter(()) if own is None else iter((own,))
        else:
            inside = self._keys.irange(low, high, inclusive=(True, False))
            keys = (self._keys[key] for key in inside)
        ranges = (
            lines
            for (first, end), lines in self._ranges.items()
            if (first <= low < end if high is None else first < high and low < end)
        )
        return chain(keys, ranges)
