"""Puts somebody between RPCs and their handlers, for as long as there is somebody.

    handler                     while nobody intercepts: as if this module did not exist
    Intercepted(handler)        asks what is in store for each RPC, and lets it happen

An interceptor gives, for an RPC, the troubles it is to meet. Each strikes before the handler,
after so many rows of its stream, or after all of it has been done and before the answer leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

from spanemu.base.errors import SpannerError
from spanemu.frontend.convert.chunks import StreamBroken
from spanemu.frontend.method import Handler, Message, Method
from spanemu.frontend.rpc import Rpc

Rows = Iterator[tuple[Any, ...]]


class Trouble(Protocol):
    """Something that will happen to one RPC."""

    @property
    def after_rows(self) -> int | None:
        """How many rows are streamed before it happens."""
        ...

    @property
    def answers_first(self) -> bool:
        """Whether it happens when everything is done but the answer."""
        ...

    def strike(self) -> None:
        """Let it happen. Raises SpannerErrors; otherwise the RPC goes on."""
        ...

    def spare(self) -> None:
        """The RPC ended before this could happen."""
        ...


class Interceptor(Protocol):
    """Decides what happens to RPCs."""

    def meet(self, rpc: Rpc) -> Sequence[Trouble]:
        """What is in store for an RPC that has arrived."""
        ...


def intercepted(method: Method, interceptor: Interceptor) -> Handler:
    """The handler of a method with `interceptor` in front of it."""

    def handle(instances: Any, request: Message) -> Any:
        troubles = interceptor.meet(Rpc(method.name, request, instances))
        if not troubles:
            return method.handler(instances, request)
        return _beset(method, instances, request, troubles)

    return handle


def _beset(method: Method, instances: Any, request: Message, troubles: Sequence[Trouble]) -> Any:
    within = [one for one in troubles if one.after_rows is not None]
    last = [one for one in troubles if one.answers_first]
    for trouble in troubles:
        if trouble.after_rows is None and not trouble.answers_first:
            try:
                trouble.strike()
            except BaseException:
                _spare(within + last)
                raise
    try:
        if within:
            reply = method.handler(instances, request, _breaking(within))
        else:
            reply = method.handler(instances, request)
        if last and method.streams:
            reply = iter(list(reply))
    except BaseException:
        _spare(last)
        raise
    for trouble in last:
        trouble.strike()
    return reply


def _spare(troubles: Sequence[Trouble]) -> None:
    for trouble in troubles:
        trouble.spare()


def _breaking(troubles: Sequence[Trouble]) -> Callable[[Rows], Rows]:
    """A function that makes rows break off where the first of `troubles` says."""

    def rows_until(rows: Rows) -> Rows:
        left = sorted(troubles, key=lambda trouble: trouble.after_rows or 0)
        sent = 0
        try:
            while left:
                wanted = (left[0].after_rows or 0) - sent
                for row in islice(rows, wanted):
                    sent += 1
                    wanted -= 1
                    yield row
                if wanted:
                    return
                _strike(left.pop(0))
            yield from rows
        finally:
            _spare(left)
            close = getattr(rows, "close", None)
            if close is not None:
                close()

    return rows_until


def _strike(trouble: Trouble) -> None:
    try:
        trouble.strike()
    except SpannerError as failure:
        raise StreamBroken(failure) from None
