"""The garbage collector of Python: blocks without collections, and objects it need not visit.

A full collection visits every container of the process. Python starts one when the objects that it
tracks have grown by a quarter, and does not count rows among them: tuples without containers are
not tracked. The containers that hold the rows are, so loading a table would spend more time in
collections than in commits. Two remedies:

    with Pause(): ...         no collection starts in the block: a large request, a dump
    hold = heap.hold(rows)    while there are many rows, full collections skip what stays
    hold.release()

`gc.freeze` makes collections skip objects: at first all that exist, later what survives a long full
collection. Frozen objects that become garbage in a reference cycle stay in memory until the heap is
thawed, that is until a collection visits everything again: when no emulator needs a frozen heap any
more, when the process has four times as many blocks of memory as after the last thaw, when a
database that may be frozen is dropped (`heap.expect_garbage`), and for `gc.collect()`. At the end
of a process, only the first of several collections does so (`heap.prepare_for_exit`).

A dropped database is garbage in reference cycles. Python counts containers, not bytes, so that few
large rows would stay in memory for ever: `heap.collect_large_garbage` collects them.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from threading import RLock
from typing import Any, Literal

from spanemu.base.clock import monotonic

PAUSE_SECONDS_MAX = 1.0  # of blocks that overlap; the next block then runs with collections
COLLECTION_SECONDS_MAX = 0.005  # a full collection that takes longer freezes what survived
GARBAGE_BYTES_MAX = 64 * 1024 * 1024  # of dropped databases, before a collection
COLLECTION_SHARE = 0.02  # of the time, for collections of such garbage
GROWTH_MAX = 4  # of the blocks of memory, before the next full collection visits all of them
FROZEN_BY_PYTHON_MAX = 1_000  # Python 3.12 itself freezes some hundred objects
ROWS_FROZEN_MIN = 256  # written together that are frozen at once, while the heap is frozen
ROWS_MIN = 50_000  # with index entries, of all emulators, for which frozen objects pay
_FULL = 2  # the number of the oldest generation

RowCounter = Callable[[], int]


class _Pauses:
    """The blocks without collections that run at present, on all threads.

    The lock is reentrant, because a collection may end an abandoned block while it is held.
    """

    def __init__(self) -> None:
        self._mutex = RLock()  # Guards the fields below.
        self._running: set[object] = set()
        self._since = 0.0
        self._disabled = False

    def begin(self, block: object) -> None:
        """Disable the collector, unless blocks have kept it disabled for too long."""
        with self._mutex:
            now = monotonic()
            if not self._running:
                self._since = now
            elif now - self._since > PAUSE_SECONDS_MAX:
                self._running.clear()
                self._enable()
                return
            self._running.add(block)
            if gc.isenabled():
                self._disabled = True
                gc.disable()

    def end(self, block: object) -> None:
        """Enable the collector after the last block, if a block disabled it."""
        with self._mutex:
            self._running.discard(block)
            if not self._running:
                self._enable()

    def _enable(self) -> None:
        if self._disabled:
            self._disabled = False
            gc.enable()

    def reset(self) -> None:
        """End all blocks: a forked child runs none of them."""
        self._mutex = RLock()
        self._running.clear()
        self._enable()


_pauses = _Pauses()
if hasattr(os, "register_at_fork"):  # Windows cannot fork.
    os.register_at_fork(after_in_child=_pauses.reset)


class Pause:
    """A block in which no collection starts, on any thread. Blocks may nest and overlap.

    Blocks that overlap without end pause the collector for `PAUSE_SECONDS_MAX` at a time.
    """

    __slots__ = ()

    def begin(self) -> None:
        """Begin the block, for callers that end it in a `finally`."""
        _pauses.begin(self)

    def end(self) -> None:
        """End the block; does nothing if it has not begun."""
        _pauses.end(self)

    def __enter__(self) -> None:
        _pauses.begin(self)

    def __exit__(self, *exc_info: object) -> None:
        _pauses.end(self)


def age_objects() -> None:
    """Move all objects to the oldest generation, unvisited, as after an import: they will stay.

    Does nothing in a process that has frozen its heap.
    """
    if gc.get_freeze_count() <= FROZEN_BY_PYTHON_MAX:
        gc.freeze()
        gc.unfreeze()


class Heap:
    """The objects of the process that full collections skip, while emulators need it.

    An emulator that was told to (`gc_freeze=True`) needs it from its start to its end, others while
    they hold `ROWS_MIN` rows together. Until then the collector of the process is left as it is.
    Does nothing in a process that has frozen its heap itself.
    """

    def __init__(self) -> None:
        self._mutex = RLock()  # Guards the fields below.
        self._holds: list[Hold] = []
        self._rows_added = 0  # at most so many rows exist that `_count_rows` has not counted
        self._has_many_rows = False  # as counted last
        self._is_active = False
        self._is_automatic = False  # whether Python itself started the current collection
        self._is_due = False  # whether the next full collection visits everything
        self._is_exiting = False  # whether the process is about to end
        self._began = 0.0
        self._blocks_min = 0  # of memory, allocated after the last thaw
        self._freezes = 0
        self._garbage_bytes = 0  # of databases dropped since the last collection of them
        self._rests_until = 0.0  # when the next such collection may begin

    @property
    def age(self) -> int:
        """The number of times that objects were frozen."""
        return self._freezes

    def hold(self, rows: RowCounter | None = None) -> Hold:
        """Freeze the objects that exist, and freeze more after long collections.

        With `rows`, which counts the rows of an emulator, that begins when there are many rows.
        `rows` is called on any thread, with locks held, and takes none.
        """
        with self._mutex:
            hold = Hold(self, rows)
            self._holds.append(hold)
            if self._is_exiting:
                self._is_exiting = False
                self._thaw()
                self._reconsider()
            if rows is None:
                self._activate()
                self.freeze()
            return hold

    def release(self, hold: Hold) -> None:
        """Undo a `hold`; thaw the heap if no other needs it, unless the process is about to end."""
        with self._mutex:
            self._holds.remove(hold)
            if not self._is_exiting:
                self._reconsider()

    def note_rows(self, count: int) -> None:
        """Freeze the objects that exist, once emulators hold many rows; `count` have been added."""
        self._rows_added += count
        if count >= ROWS_FROZEN_MIN and self._has_many_rows:
            self.freeze()  # Otherwise several collections would visit each of the rows.
        # A thread that holds a store's mutex does not wait for this one.
        if self._rows_added >= ROWS_MIN and self._holds and self._mutex.acquire(blocking=False):
            try:
                rows = self._count_rows()
                self._rows_added = min(rows, ROWS_MIN // 2)
                self._has_many_rows = rows >= ROWS_MIN
                if self._is_active:
                    self._note_growth()
                elif self._has_many_rows:
                    self._activate()
                    self.freeze()
            finally:
                self._mutex.release()

    def _count_rows(self) -> int:
        return sum(hold.rows() for hold in self._holds if hold.rows is not None)

    def prepare_for_exit(self) -> None:
        """Freeze what survives the next `gc.collect()`, because the process is about to end.

        Python runs several full collections then, and pytest before it. The first of them visits
        everything, the others skip what it has visited. A further `hold` thaws the heap. Does
        nothing if no emulator of the process has needed a frozen heap.
        """
        with self._mutex:
            if self._freezes:
                self._activate()
            self._is_exiting = self._is_active

    def _activate(self) -> None:
        if not self._is_active and gc.get_freeze_count() <= FROZEN_BY_PYTHON_MAX:
            self._is_active = True
            gc.callbacks.append(self._on_collection)

    def _reconsider(self) -> None:
        """Thaw the heap if no emulator needs it any more."""
        if not self._is_active or any(hold.rows is None for hold in self._holds):
            return
        if self._count_rows() < ROWS_MIN // 2:
            self._is_active = False
            gc.callbacks.remove(self._on_collection)
            self._thaw()

    def expect_garbage(self) -> None:
        """Thaw the heap in the next full collection: frozen objects have become garbage."""
        self._is_due = True

    def count_garbage(self, size: int) -> None:
        """Count the bytes of objects that are about to become garbage."""
        self._garbage_bytes += size

    def collect_large_garbage(self) -> None:
        """Collect all garbage if `count_garbage` has counted much of it.

        Does nothing soon after such a collection, so that they take `COLLECTION_SHARE` of the time.
        """
        with self._mutex:
            if not self._is_exiting:
                self._reconsider()
        began = monotonic()
        if self._garbage_bytes >= GARBAGE_BYTES_MAX and began >= self._rests_until:
            self._garbage_bytes = 0
            gc.collect()
            ended = monotonic()
            self._rests_until = ended + (ended - began) / COLLECTION_SHARE

    def freeze(self) -> None:
        """Freeze the objects that exist, if an emulator needs it."""
        if self._is_active:
            self._freezes += 1
            gc.freeze()

    def _thaw(self) -> None:
        gc.unfreeze()
        self._is_due = False
        self._blocks_min = 0

    def _on_collection(self, phase: Literal["start", "stop"], facts: dict[str, Any]) -> None:
        """Thaw before a full collection if that is due, and freeze after a long one."""
        if facts["generation"] != _FULL:
            return
        if phase == "start":
            self._is_automatic = _is_automatic()
            if self._is_due or not self._is_automatic:
                self._thaw()
            self._began = monotonic()
        elif not self._is_automatic:
            if self._is_exiting:
                self.freeze()
        elif monotonic() - self._began > COLLECTION_SECONDS_MAX:
            self.freeze()
            self._note_growth()

    def _note_growth(self) -> None:
        """Thaw the heap in the next full collection if the process has grown much since the last.

        Visits every pool of memory; `gc.get_freeze_count` would visit every frozen object.
        """
        blocks = sys.getallocatedblocks()
        self._blocks_min = self._blocks_min or blocks
        self._is_due |= blocks > GROWTH_MAX * self._blocks_min


class Hold:
    """An emulator's need of a heap whose objects are frozen, from `Heap.hold` until `release`."""

    __slots__ = ("_heap", "rows")

    def __init__(self, heap: Heap, rows: RowCounter | None) -> None:
        self._heap = heap
        self.rows = rows

    def release(self) -> None:
        """Thaw the heap if no other emulator needs it."""
        self._heap.release(self)


def _is_automatic() -> bool:
    """Return whether Python itself starts the full collection that begins, not `gc.collect()`."""
    return gc.isenabled() and gc.get_count()[0] > gc.get_threshold()[0]


heap = Heap()
