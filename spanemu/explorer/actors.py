"""The functions under test, and the threads that they start.

A function runs on a thread that is kept from run to run. A thread that a function starts is an
actor as well, known by its parent and by how many threads the parent has started before: the first
two of A are A1 and A2, and the first of A1 is A1.1.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any, Protocol

from spanemu.base.call import serving
from spanemu.base.rand import SeededRandom, seeded, seeded_state
from spanemu.explorer.requests import Sent
from spanemu.explorer.steps import LAST, POINTS, Access
from spanemu.txn.locks.holder import LockHolder
from spanemu.txn.locks.waits import Wait

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ACTORS_MAX = 250  # with the threads that the functions start; a byte holds their numbers


class Baton(Protocol):
    """The turn of an actor, for which it waits where it stops."""

    def acquire(self) -> object:
        """Wait for the baton."""
        ...

    def release(self) -> None:
        """Pass the baton to the actor."""
        ...


class Waiting(Protocol):
    """A wait of an actor."""

    def is_over(self) -> bool:
        """Return whether the actor may continue."""
        ...

    def ends_at(self) -> float | None:
        """Return the virtual time at which the wait times out, None if it never does."""
        ...


class PresentRun(Protocol):
    """The run in progress, as code on the threads of actors uses it (`run.Run`)."""

    @property
    def actors(self) -> Sequence[Actor]:
        """All actors by number."""
        ...

    def stop(self, actor: Actor, kind: str, sent: Sent) -> None:
        """Stop an actor; return when it is its turn again."""
        ...

    def wait_for(self, actor: Actor, is_over: Callable[[], bool], seconds: float | None) -> bool:
        """Stop an actor until another thread has done something, or for some virtual seconds."""
        ...

    def start_thread(
        self, parent: Actor, thread: threading.Thread, start: Callable[[threading.Thread], None]
    ) -> None:
        """Start a thread of an actor, which is an actor from now on."""
        ...

    def thread_actor(self, thread: threading.Thread) -> Actor | None:
        """Return the actor of a thread that this run has started."""
        ...

    def touch(self, access: Access) -> None:
        """Count an access as one of the current step."""
        ...


class LockWait:
    """A wait for a lock.

    It ends by itself when a holder of the lock counts as idle, or when `waiter`, an older retry,
    has waited long enough for a younger one.
    """

    def __init__(self, waiter: LockHolder, wait: Wait) -> None:
        self._waiter = waiter
        self._wait = wait

    def is_over(self) -> bool:
        """Return whether one of the holders has ended."""
        return self._wait.signal.is_set()

    def ends_at(self) -> float | None:
        """Return the virtual time at which the lock table would look again."""
        times = [
            blocker.client.idle_at
            for blocker in self._wait.blockers
            if blocker.is_active and not blocker.client.busy and blocker.waits_on is None
        ]
        if self._waiter.patient_until is not None:
            times.append(self._waiter.patient_until)
        return min(times, default=None)


class PythonWait:
    """A wait of Python code for another thread, with an end in virtual time if it has one."""

    def __init__(self, is_over: Callable[[], bool], end: float | None) -> None:
        self.is_over = is_over
        self._end = end

    def ends_at(self) -> float | None:
        """Return the virtual time of the end."""
        return self._end


class Actor:
    """A function under test or a thread of one, with its state in the current run.

    `baton` is acquired by the thread that stops the actor, and released by the actor before it.
    """

    def __init__(self, number: int, name: str, letter: str, parent: Actor | None = None) -> None:
        self.number = number
        self.name = name
        self.letter = letter
        self.parent = parent
        self.root: Actor = self if parent is None else parent.root
        self.baton: Baton = threading.Lock()
        self.baton.acquire()
        self.thread: threading.Thread | None = None
        self.run: PresentRun | None = None
        self._seed = f"spanemu explorer {letter}"
        self.reset()

    def reset(self) -> None:
        """Forget the run before."""
        self.kind = "start"
        self.is_started = False
        self.is_begun = False  # It has had a turn.
        self.is_done = False
        self.is_running = False  # It has the baton.
        self.is_served = False  # a request is being answered
        self.starts_thread = False  # Python's own waits are meant
        self.has_tasks = False  # of asyncio, besides the coroutine itself
        self.uses_others = False  # databases that are not explored
        self.threads = 0  # that it has started
        self.waits: Waiting | None = None
        self.enabled_by: int | None = None
        self.is_woken = False  # its wait ends by itself
        self.open_atomic: set[LockHolder] = set()
        self.open_others: set[LockHolder] = set()
        self.snapshot_steps: set[int] = set()
        self.transaction: int | None = None  # the open one
        self.commits = 0
        self.was_lost = False
        self.was_aborted = False
        self.result: Any = None
        self.error: BaseException | None = None
        self.generated: list[tuple[str, Any]] = []
        self.random_state = seeded_state(self._seed)
        self._bytes: SeededRandom | None = None

    def random_bytes(self, count: int) -> bytes:
        """Return bytes that the seed of the actor determines."""
        if self._bytes is None:
            self._bytes = seeded(f"spanemu explorer bytes {self.letter}")
        return self._bytes.randbytes(count)

    @property
    def used_random(self) -> bool:
        """True if the state of Python's random functions is not the seeded one any more."""
        # Each draw moves the position in the words, their last item, or renews the words.
        state, seeded = self.random_state, seeded_state(self._seed)
        words, known = state[1], seeded[1]
        return words is not known and (words[0], words[-1], state[2]) != (
            known[0],
            known[-1],
            seeded[2],
        )

    @property
    def is_enabled(self) -> bool:
        """True if the actor could run now."""
        return self.is_started and not self.is_done and (self.waits is None or self.waits.is_over())


class KeptThread:
    """A thread that runs one task after another, each for the same actor."""

    def __init__(self, actor: Actor) -> None:
        self._actor = actor
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        name = f"explore-{actor.name}"
        self.thread = actor.thread = threading.Thread(target=self._work, name=name, daemon=True)
        self.thread.start()

    def run(self, task: Callable[[], None]) -> None:
        """Run a task on the thread."""
        self._tasks.put(task)

    def stop(self) -> None:
        """End the thread after the current task."""
        self._tasks.put(None)

    def _work(self) -> None:
        serving.actor = self._actor
        while (task := self._tasks.get()) is not None:
            task()


class Roster:
    """All actors of an exploration by number: the functions, then the threads known so far."""

    def __init__(self, functions: Sequence[tuple[str, Callable[[], Any]]]) -> None:
        self.actors: list[Actor] = []
        self.functions: list[Callable[[], Any]] = []
        self._by_letter: dict[str, Actor] = {}
        for name, function in functions:
            self._add(name, LETTERS[len(self.functions)], None)
            self.functions.append(function)

    def _add(self, name: str, letter: str, parent: Actor | None) -> Actor:
        actor = Actor(len(self.actors), name, letter, parent)
        self.actors.append(actor)
        self._by_letter[letter] = actor
        return actor

    def next_thread(self, parent: Actor) -> Actor:
        """Return the actor of the next thread that an actor starts."""
        parent.threads += 1
        return self.thread_of(parent, parent.threads)

    def thread_of(self, parent: Actor, number: int) -> Actor:
        """Return the actor of the nth thread of an actor."""
        separator = "" if parent.parent is None else "."
        letter = f"{parent.letter}{separator}{number}"
        known = self._by_letter.get(letter)
        if known is None:
            name = f"{parent.root.name}'s thread {letter.removeprefix(parent.root.letter)}"
            known = self._add(name, letter, parent)
        return known

    def named(self, letter: str) -> Actor | None:
        """Return the actor with a letter such as A or A1.2; None if there is no such function."""
        known = self._by_letter.get(letter[:1])
        for number in letter[1:].split(".") if letter[1:] else ():
            if known is None or not number.isdigit() or len(self.actors) >= ACTORS_MAX:
                return None
            known = self.thread_of(known, int(number))
        return known


def acting() -> Actor | None:
    """Return the actor of the request in progress, or else the actor on this thread."""
    call = serving.call
    actor: Actor | None = None if call is None else call.actor
    return serving.actor if actor is None else actor


def point(name: str) -> None:
    """Allow another actor to run here in an exploration; do nothing elsewhere."""
    actor = acting()
    if actor is None or actor.run is None:
        return
    actor.run.stop(actor, "point", Sent("", f"point {name!r}"))
    # All points depend on each other.
    actor.run.touch(Access(POINTS, b"", LAST, 1, 1))
