"""Long work in steps, between which the deadline of the request is looked at.

Nothing can interrupt Python while it runs through a list. So a loop that may be long takes its
items through one of these, and no step should take more than a few milliseconds.
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
_SHORT = 16  # items that are not worth a look
_LONG = 1 << 14  # characters, bytes or elements of a value that is
_LONG_ARRAY = 1 << 10  # elements
_ELEMENT_BYTES = 36  # of a number and the reference to it
_CALLS = 1 << 8  # between two looks

P = ParamSpec("P")
T = TypeVar("T")


class Tally(Protocol):
    """Counts rows that were read from a table or an index."""

    scanned: int


def in_steps(
    items: Iterable[T], size: int, largest: int, tally: Tally | None = None
) -> Generator[list[T], bool | None]:
    """Lists that grow while they are quick, and shrink when there is a lot to do for an item.

    Whoever sends True after a list asks for shorter ones.
    """
    call = current()
    check = call.check
    source = iter(items)
    check()
    began = monotonic()
    while step := list(islice(source, size)):
        if tally is not None:
            tally.scanned += len(step)
        is_heavy = yield step
        check()
        call.built_bytes = 0
        ended = monotonic()
        if is_heavy or ended - began > _SLOW_SECONDS:
            size = max(1, size // _GROWTH)
        elif size < largest:
            size = min(size * _GROWTH, largest)
        began = ended


def paced(items: Collection[T]) -> Iterable[T]:
    """The same items, for a loop over however many there are."""
    return items if len(items) <= _SHORT else paced_stream(items)


def paced_stream(items: Iterable[T]) -> Iterator[T]:
    """The same of items that come one by one."""
    return chain.from_iterable(in_steps(items, _SHORT, STEP_ITEMS_MAX))


def parts_of(items: Sequence[T], size: int = PART_MAX) -> Iterator[Sequence[T]]:
    """Parts of a sequence, of `size` at first and growing.

    For loops over what is already in memory, with little to do for each.
    """
    check = current().check
    start = 0
    while start < len(items):
        check()
        yield items[start : start + size]
        start += size
        size = min(size * _PART_GROWTH, PART_MAX)


def is_long(value: Sized) -> bool:
    """Whether work on a value takes a while in itself."""
    return len(value) > _LONG


def check_deadline_if_large(value: Sized) -> None:
    """Look at the deadline before work on a value that takes a while in itself.

    Many rows may be worked on in one step, and all of their values may be long.
    """
    if len(value) > _LONG:
        current().check()


def count_built(value: Sized) -> None:
    """Check the deadline after a large value was built, and count the value.

    Raises StepTooLarge if the values that were built since the last step are too large together.
    """
    if len(value) > _LONG:
        call = current()
        call.check()
        call.count_built(len(value))


def count_built_array(array: Sized) -> None:
    """Count a large array, as `count_built` does a text."""
    if len(array) > _LONG_ARRAY:
        current().count_built(len(array) * _ELEMENT_BYTES)


def paced_calls(function: Callable[P, T]) -> Callable[P, T]:
    """A function that does the same and looks at the deadline now and then.

    For those that a loop in C calls back.
    """
    numbers = count()

    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        if not next(numbers) % _CALLS:
            current().check()
        return function(*args, **kwargs)

    return call


_RUN = 1 << 12  # how many keys are sorted at once, at first
_RUN_MAX = 1 << 15
_QUICK_SECONDS = 0.005


def put_in_order(items: list[Any]) -> list[Any]:
    """The items sorted, in place if they are few."""
    if len(items) <= _RUN:
        items.sort()
        return items
    return at_places(items, sorted_places(items, descending=False))


def at_places(items: Sequence[T], places: Sequence[int]) -> list[T]:
    """The items at `places`."""
    found: list[T] = []
    for part in parts_of(places):
        found.extend(map(items.__getitem__, part))
    return found


def sorted_places(keys: Sequence[Any], *, descending: bool) -> list[int]:
    """The places of `keys` in order, equal ones in the order in which they are."""
    key = keys.__getitem__
    if len(keys) <= _RUN:
        return sorted(range(len(keys)), key=key, reverse=descending)
    # Backwards there and back, equal keys stay in their order.
    places = range(len(keys) - 1, -1, -1) if descending else range(len(keys))
    runs = _sorted_runs(places, key)
    at_once = max(_RUN, len(runs[-2]))
    while len(runs) > 1:
        pairs = [runs[place : place + 2] for place in range(0, len(runs), 2)]
        runs = [
            _merged(pair[0], pair[1], key, at_once) if len(pair) == 2 else pair[0] for pair in pairs
        ]
    if descending:
        runs[0].reverse()
    return runs[0]


def _sorted_runs(places: Sequence[int], key: Callable[[int], Any]) -> list[list[int]]:
    """At least two of them; they get longer while they are quick."""
    check = current().check
    runs: list[list[int]] = []
    start, size = 0, _RUN
    while start < len(places):
        check()
        began = monotonic()
        runs.append(sorted(places[start : start + size], key=key))
        start += size
        if monotonic() - began < _QUICK_SECONDS:
            size = min(2 * size, _RUN_MAX)
    return runs


def _merged(
    first: list[int], second: list[int], key: Callable[[int], Any], at_once: int
) -> list[int]:
    """Two sorted runs as one, of equal keys those of the first run first.

    Both are cut at the same key until they are short; Python's sort is good at merging those.
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
