"""Long work in steps, between which the deadline of the request is looked at.

Nothing can interrupt Python while it runs through a list. So a loop that may be long takes its
items through one of these, and no step should take more than a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence, Sized
from itertools import chain, count, islice
from typing import ParamSpec, Protocol, TypeVar

from spanemu.base.call import current
from spanemu.base.clock import monotonic

STEP_ITEMS_MAX = 256
PART_MAX = 4_096
_SLOW_SECONDS = 0.005
_GROWTH = 4
_PART_GROWTH = 8
_SHORT = 16  # items that are not worth a look
_LONG = 1 << 14  # characters, bytes or elements of a value that is
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


def look_if_long(value: Sized) -> None:
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
