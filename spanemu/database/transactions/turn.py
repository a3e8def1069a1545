"""The decorator that serializes the requests of a transaction."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from spanemu.base.call import serving
from spanemu.base.clock import monotonic
from spanemu.txn.locks.holder import LockHolder
from spanemu.txn.locks.table import LockTable
from spanemu.txn.state import State


class Shared(Protocol):
    """A transaction with serialized requests; `mutex` is held during a request."""

    mutex: threading.RLock
    locks: LockTable
    holder: LockHolder

    def check_open(self, what: str, ends: bool) -> None:
        """Raise if the inactive transaction does not accept the request."""
        ...

    def drop_state_if_aborted(self) -> None:
        """Release the state of an aborted transaction."""
        ...


S = TypeVar("S", bound=Shared)
P = ParamSpec("P")
R = TypeVar("R")
_Request = Callable[Concatenate[S, P], R]


def serialized(
    what: str, *, ends: bool = False
) -> Callable[[_Request[S, P, R]], _Request[S, P, R]]:
    """Return a decorator that runs a method as a serialized request called `what`.

    `ends` is true for a request that ends the transaction. The transaction is idle after the
    request.

    The wrapper is a single function, because every request passes it and each call costs time.
    """

    def decorated(request: _Request[S, P, R]) -> _Request[S, P, R]:
        @wraps(request)
        def turn(shared: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
            shared.mutex.acquire()
            try:
                holder = shared.holder
                if holder.state is not State.ACTIVE:
                    shared.check_open(what, ends)
                client = holder.client
                client.busy += 1
                try:
                    result = request(shared, *args, **kwargs)
                    client.failed = False
                    return result
                except BaseException:
                    client.failed = True
                    raise
                finally:
                    client.busy -= 1
                    client.heard_at = monotonic()
                    if holder.state is State.ACTIVE:
                        call = serving.call
                        client.connection = None if call is None else call.connection
            except BaseException:
                shared.locks.wake_waiters(shared.holder)
                shared.drop_state_if_aborted()
                raise
            finally:
                shared.mutex.release()

        return turn

    return decorated
