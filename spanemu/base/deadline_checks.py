"""Long loops in steps, with a check of the request's deadline between steps.

Python cannot be interrupted while it iterates over a list. A loop that may be long therefore takes
its items through one of these functions. No step should take more than a few milliseconds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence, Sized
from itertools import chain, count, islice
from typing import Any, ParamSpec, Protocol, TypeVar

from spanemu.base.call import current
from spanemu.base.clock import monotonic

STEP_ITEMS_MAX = 256
PART_MAX = 4_096
_SLOW_SECONDS = 0.005
_GROWTH = 4
_PART_GROWTH = 8
_SHORT = 16  # items that need no check
_LONG = 1 << 14  # characters, bytes or elements of a large value
_LONG_ARRAY = 1 << 10  # elements of a large array
_ELEMENT_BYTES = 36  # of a number and the reference to it
_CALLS = 1 << 8  # calls between two checks

P = ParamSpec("P")
T = TypeVar("T")


class Tally(Protocol):
    """A counter of rows read from a table or an index."""

    scanned: int


class Batched(Iterator[T]):
    """Items that arrive in lists, which a loop over many items takes as they are.

    Taking items out of lists and putting them into lists again costs as much as a filter.
    """

    __slots__ = ("_items", "_lists", "_start")

    def __init__(self, lists: Iterable[Iterable[T]]) -> None:
        self._lists = iter(lists)
        self._items: list[T] = []  # the latest list, of which those from `_start` on remain
        self._start = 0

    def take(self, size: int) -> list[T]:
        """Return the next items, `size` of them unless there are fewer."""
        items, start = self._items, self._start
        while len(items) - start < size:
            more = next(self._lists, None)
            if more is None:
                break
            more = more if more.__class__ is list else list(more)
            items = items[start:] + more if start < len(items) else more
            start = 0
        end = start + size
        self._items, self._start = items, end
        return items if start == 0 and len(items) <= size else items[start:end]

    def __iter__(self) -> Iterator[T]:
        """Return an iterator over the remaining items."""
        rest = chain.from_iterable(self._lists)
        return chain(self._items[self._start :], rest) if self._items else rest

    def __next__(self) -> T:
        for item in self.take(1):
            return item
        raise StopIteration


def in_steps(
    items: Iterable[T], size: int, largest: int, tally: Tally | None = None
) -> Generator[list[T], bool | None]:
    """Yield lists of items that grow while steps are fast, and shrink while steps are slow.

    A consumer that sends True after a list asks for shorter lists.
    """
    call = current()
    check = call.check
    take = _taking(items)
    check()
    began = monotonic()
    while step := take(size):
        if tally is not None:
            tally.scanned += len(step)
        is_heavy = yield step
        check()
        call.built_bytes = 0
        if len(step) < size:
            return  # These were the last items.
        ended = monotonic()
        if is_heavy or ended - began > _SLOW_SECONDS:
            size = max(1, size // _GROWTH)
        elif size < largest:
            size = min(size * _GROWTH, largest)
        began = ended


def _taking(items: Iterable[T]) -> Callable[[int], list[T]]:
    if isinstance(items, Batched):
        return items.take
    source = iter(items)
    return lambda size: list(islice(source, size))


def interruptible(items: Collection[T]) -> Iterable[T]:
    """Return the items for a loop that checks the deadline if they are many."""
    return items if len(items) <= _SHORT else interruptible_stream(items)


def interruptible_stream(items: Iterable[T]) -> Iterator[T]:
    """Yield items of unknown number, with checks of the deadline."""
    return chain.from_iterable(in_steps(items, _SHORT, STEP_ITEMS_MAX))


def parts_of(items: Sequence[T], size: int = PART_MAX) -> Iterator[Sequence[T]]:
    """Yield slices of a sequence, of `size` elements at first and growing.

    For loops over data in memory with little work for each element.
    """
    check = current().check
    start = 0
    while start < len(items):
        check()
        yield items[start : start + size]
        start += size
        size = min(size * _PART_GROWTH, PART_MAX)


def is_long(value: Sized) -> bool:
    """Return whether work on the value alone may take long."""
    return len(value) > _LONG


def check_deadline_if_large(value: Sized) -> None:
    """Check the deadline before work on a large value.

    One step may cover many rows, and all of their values may be large.
    """
    if len(value) > _LONG:
        current().check()


def count_built(value: Sized) -> None:
    """Check the deadline after a large value was built, and count its size.

    Raise StepTooLarge if the values built since the last step are too large together.
    """
    if len(value) > _LONG:
        call = current()
        call.check()
        call.count_built(len(value))


def count_built_array(array: Sized) -> None:
    """Count a large array, as `count_built` counts a text."""
    if len(array) > _LONG_ARRAY:
        current().count_built(len(array) * _ELEMENT_BYTES)


def interruptible_calls(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function like `function` that checks the deadline every few calls.

    For functions that a loop in C calls back.
    """
    numbers = count()

    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        if not next(numbers) % _CALLS:
            current().check()
        return function(*args, **kwargs)

    return call


_RUN = 1 << 12  # the number of keys in the first sorted run
_RUN_MAX = 1 << 15
_QUICK_SECONDS = 0.005


def sort_with_checks(items: list[Any]) -> list[Any]:
    """Return the items sorted; few items are sorted in place."""
    if len(items) <= _RUN:
        items.sort()
        return items
    return items_at(items, sorted_positions(items, descending=False))


def items_at(items: Sequence[T], positions: Sequence[int]) -> list[T]:
    """Return the items at `positions`."""
    selected: list[T] = []
    for part in parts_of(positions):
        selected.extend(map(items.__getitem__, part))
    return selected


def sorted_positions(keys: Sequence[Any], *, descending: bool) -> list[int]:
    """Return the positions of `keys` in sorted order; the sort is stable."""
    key = keys.__getitem__
    if len(keys) <= _RUN:
        return sorted(range(len(keys)), key=key, reverse=descending)
    # Reversing before and after the sort keeps equal keys in their order.
    positions = range(len(keys) - 1, -1, -1) if descending else range(len(keys))
    runs = _sorted_runs(positions, key)
    at_once = max(_RUN, len(runs[-2]))
    while len(runs) > 1:
        pairs = [runs[first : first + 2] for first in range(0, len(runs), 2)]
        runs = [
            _merged(pair[0], pair[1], key, at_once) if len(pair) == 2 else pair[0] for pair in pairs
        ]
    if descending:
        runs[0].reverse()
    return runs[0]


def _sorted_runs(positions: Sequence[int], key: Callable[[int], Any]) -> list[list[int]]:
    """Return at least two sorted runs, which grow while sorting is fast."""
    check = current().check
    runs: list[list[int]] = []
    start, size = 0, _RUN
    while start < len(positions):
        check()
        began = monotonic()
        runs.append(sorted(positions[start : start + size], key=key))
        start += size
        if monotonic() - began < _QUICK_SECONDS:
            size = min(2 * size, _RUN_MAX)
    return runs


def _merged(
    first: list[int], second: list[int], key: Callable[[int], Any], at_once: int
) -> list[int]:
    """Return two sorted runs merged; of equal keys, those of the first run come first.

    Both runs are split at the same key until they are short, because Python's sort merges short
    runs well.
    """
    check = current().check
    merged: list[int] = []
    pending = [(first, second)]
    while pending:
        check()
        left, right = pending.pop()
        if not left or not right:
            merged += left or right
        elif len(left) + len(right) <= at_once:
            merged += sorted(left + right, key=key)
        elif len(left) >= len(right):
            middle = len(left) // 2
            cut = bisect_left(right, key(left[middle]), key=key)
            pending.append((left[middle:], right[cut:]))
            pending.append((left[:middle], right[:cut]))
        else:
            middle = len(right) // 2
            cut = bisect_right(left, key(right[middle]), key=key)
            pending.append((left[cut:], right[middle:]))
            pending.append((left[:cut], right[:middle]))
    return merged
