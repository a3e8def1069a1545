"""Requests on one transaction take turns."""

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
    """What requests take turns on. `mutex` is held for a turn."""

    mutex: threading.RLock
    locks: LockTable
    holder: LockHolder

    def check_open(self, what: str, ends: bool) -> None:
        """Refuse what may not be done any more, on one that is not active."""
        ...

    def let_go_if_aborted(self) -> None:
        """Keep no more than that it was aborted."""
        ...


S = TypeVar("S", bound=Shared)
P = ParamSpec("P")
R = TypeVar("R")
_Request = Callable[Concatenate[S, P], R]


def serialized(
    what: str, *, ends: bool = False
) -> Callable[[_Request[S, P, R]], _Request[S, P, R]]:
    """Makes a method a request's turn to do `what`, which the transaction may refuse.

    `ends` says that it ends the transaction. When the turn is over, the transaction is idle.

    One function does it all, since every request has a turn and each call costs.
    """

    def decorated(request: _Request[S, P, R]) -> _Request[S, P, R]:
        @wraps(request)
        def turn(shared: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
            shared.mutex.acquire()
            try:
                holder = shared.holder
                if holder.state is not State.ACTIVE:
                    shared.check_open(what, ends)
                holder.busy += 1
                try:
                    result = request(shared, *args, **kwargs)
                    holder.failed = False
                    return result
                except BaseException:
                    holder.failed = True
                    raise
                finally:
                    holder.busy -= 1
                    holder.heard_at = monotonic()
                    if holder.state is State.ACTIVE:
                        call = serving.call
                        holder.connection = None if call is None else call.connection
            except BaseException:
                shared.locks.wake_waiters(shared.holder)
                shared.let_go_if_aborted()
                raise
            finally:
                shared.mutex.release()

        return turn

    return decorated
