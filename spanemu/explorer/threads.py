"""Python's functions that wait, start threads or draw random bytes, while an exploration runs.

An exploration has to know when an actor waits for another thread, and must not lose time where a
client backs off. So it replaces functions of this process, as long as it runs:

    time.sleep                     a stop that takes no time
    threading.Thread.start         the thread is an actor
    threading.Thread.join          a wait, at which other actors run
    threading.Condition.wait       the same; events, queues, futures and semaphores wait by it
    queue.Queue.get, put           the steps that use one queue depend on each other
    ThreadPoolExecutor.shutdown    threads are joined in the order in which they were started
    queue.SimpleQueue              `queue.Queue`, for the pools that an actor creates
    os.urandom                     bytes from a seed of the actor, so that `uuid.uuid4` repeats

The replacements act on the threads of actors only, outside of the emulator's own code; any other
thread gets Python's own function. What actors cannot wait for in this way is a bare
`threading.Lock` and what C code waits for: an actor that waits there hangs, and is reported.
"""

from __future__ import annotations

import os
import queue
import threading
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from spanemu.base.call import serving
from spanemu.base.clock import replace_sleep, sleep
from spanemu.base.rand import replace_urandom
from spanemu.explorer.actors import Actor
from spanemu.explorer.requests import Sent
from spanemu.explorer.steps import OBJECTS, Access
from spanemu.values.key import successor

UUID_BYTES = 16
# A client keeps its session alive by a thread that makes no request within days.
UNSCHEDULED_THREADS = ("maintenance-multiplexed-session",)
UNSCHEDULED_PACKAGE = "grpc"  # whose threads wait for connections, in C code


def _waiting_actor() -> Actor | None:
    """Return the actor on whose thread client code runs, None on other threads."""
    actor: Actor | None = serving.actor
    if actor is None or actor.run is None or actor.starts_thread or serving.call is not None:
        return None
    return actor


class PythonFunctions:
    """The replacements, in place while an exploration of this process is inside `with`."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()  # Guards the field below.
        self._users = 0

    def __enter__(self) -> None:
        with self._mutex:
            self._users += 1
            if self._users == 1:
                self._replace()

    def __exit__(self, *exc_info: object) -> None:
        with self._mutex:
            self._users -= 1
            if self._users == 0:
                self._restore()

    def _replace(self) -> None:
        self._start = threading.Thread.start
        self._join = threading.Thread.join
        self._wait = threading.Condition.wait
        self._shutdown = ThreadPoolExecutor.shutdown
        self._get, self._put = queue.Queue.get, queue.Queue.put
        self._simple_queue = queue.SimpleQueue
        threading.Thread.start = _starting(self._start)  # type: ignore[method-assign, assignment]
        threading.Thread.join = _joining(self._join)  # type: ignore[method-assign]
        threading.Condition.wait = _waiting(self._wait)  # type: ignore[method-assign]
        ThreadPoolExecutor.shutdown = _shutting_down(self._shutdown)  # type: ignore[method-assign]
        queue.Queue.get = _touching(self._get)  # type: ignore[method-assign]
        queue.Queue.put = _touching(self._put)  # type: ignore[method-assign]
        queue.SimpleQueue = queue.Queue  # type: ignore[assignment, misc]
        self._sleep: Callable[[float], None] = sleep  # Another thread may call it at once.
        self._urandom = os.urandom
        self._sleep = replace_sleep(lambda seconds: _sleep(self._sleep, seconds))
        self._urandom = replace_urandom(lambda count: _urandom(self._urandom, count))

    def _restore(self) -> None:
        replace_urandom(self._urandom)
        replace_sleep(self._sleep)
        queue.SimpleQueue = self._simple_queue  # type: ignore[misc]
        queue.Queue.put = self._put  # type: ignore[method-assign]
        queue.Queue.get = self._get  # type: ignore[method-assign]
        ThreadPoolExecutor.shutdown = self._shutdown  # type: ignore[method-assign]
        threading.Condition.wait = self._wait  # type: ignore[method-assign]
        threading.Thread.join = self._join  # type: ignore[method-assign]
        threading.Thread.start = self._start  # type: ignore[method-assign]


python_functions = PythonFunctions()


def _sleep(real: Callable[[float], None], seconds: float) -> None:
    actor = _waiting_actor()
    if actor is None or actor.run is None:
        real(seconds)
    else:
        actor.run.stop(actor, "sleep", Sent("", "backoff ends"))


def _urandom(real: Callable[[int], bytes], count: int) -> bytes:
    actor = _waiting_actor()
    if actor is None:
        return real(count)
    drawn = actor.random_bytes(count)
    if count == UUID_BYTES:
        actor.generated.append(("uuid", uuid.UUID(bytes=drawn, version=4)))
    return drawn


def _starting(real: Callable[[threading.Thread], None]) -> Callable[[threading.Thread], None]:
    def start(thread: threading.Thread) -> None:
        actor = _waiting_actor()
        if actor is None or actor.run is None:
            real(thread)
        elif _is_unscheduled(thread):
            actor.starts_thread = True  # `start` waits until the thread runs.
            try:
                real(thread)
            finally:
                actor.starts_thread = False
        else:
            actor.run.start_thread(actor, thread, real)

    return start


def _is_unscheduled(thread: threading.Thread) -> bool:
    """Return whether a thread of a library makes no requests."""
    target = getattr(thread, "_target", None)
    owner = getattr(target, "__self__", None)
    module = str(getattr(target if owner is None else type(owner), "__module__", ""))
    return module.partition(".")[0] == UNSCHEDULED_PACKAGE or thread.name.startswith(
        UNSCHEDULED_THREADS
    )


def _joining(real: Callable[..., None]) -> Callable[..., None]:
    def join(thread: threading.Thread, timeout: float | None = None) -> None:
        actor = _waiting_actor()
        other = None if actor is None or actor.run is None else actor.run.thread_actor(thread)
        if actor is not None and actor.run is not None and other is not None and not other.is_done:
            if not actor.run.wait_for(actor, lambda: other.is_done, timeout):
                return
            timeout = None
        real(thread, timeout)

    return join


def _touching(real: Callable[..., Any]) -> Callable[..., Any]:
    def method(own: queue.Queue[Any], *given: Any, **options: Any) -> Any:
        _touch(own)
        try:
            return real(own, *given, **options)
        finally:
            _touch(own)  # Another step may have begun.

    return method


def _touch(used: object) -> None:
    """Count a Python object as written by the current step."""
    actor = _waiting_actor()
    if actor is not None and actor.run is not None:
        key = id(used).to_bytes(8)
        actor.run.touch(Access(OBJECTS, key, successor(key), 1, 1))


def _shutting_down(real: Callable[..., None]) -> Callable[..., None]:
    def shutdown(
        pool: ThreadPoolExecutor, wait: bool = True, *, cancel_futures: bool = False
    ) -> None:
        actor = _waiting_actor()
        if actor is None or actor.run is None:
            real(pool, wait, cancel_futures=cancel_futures)
            return
        real(pool, wait=False, cancel_futures=cancel_futures)
        threads = {actor.run.thread_actor(thread): thread for thread in pool._threads}
        for other in actor.run.actors if wait else ():
            if other in threads:
                threads[other].join()

    return shutdown


def _waiting(real: Callable[..., bool]) -> Callable[..., bool]:
    def wait(condition: Any, timeout: float | None = None) -> bool:
        actor = _waiting_actor()
        if actor is None or actor.run is None or (timeout is not None and timeout <= 0):
            return real(condition, timeout)
        if not condition._is_owned():
            raise RuntimeError("cannot wait on un-acquired lock")
        # As in the standard library, a waiter is a lock that `notify` releases.
        waiter = threading.Lock()
        waiter.acquire()
        condition._waiters.append(waiter)
        saved, is_notified = condition._release_save(), False
        try:
            is_notified = actor.run.wait_for(actor, lambda: not waiter.locked(), timeout)
        finally:
            condition._acquire_restore(saved)
            if not is_notified and waiter in condition._waiters:
                condition._waiters.remove(waiter)
        return is_notified

    return wait
