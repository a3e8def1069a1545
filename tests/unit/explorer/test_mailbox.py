"""Queues between the threads of an exploration and the requests of a server."""

from __future__ import annotations

import threading

from spanemu.base.call import Call
from spanemu.explorer.mailbox import Baton, Mailbox

SECONDS_MAX = 60


def test_items_come_in_their_order() -> None:
    box: Mailbox[int] = Mailbox()
    box.put(1)
    box.put(2)
    assert (box.get(), box.get(), box.get(0)) == (1, 2, None)


def test_requests_are_woken_by_an_item() -> None:
    box: Mailbox[int] = Mailbox()
    taken: list[int | None] = []
    ready = threading.Event()

    def request() -> None:
        with Call():
            ready.set()
            taken.append(box.get(SECONDS_MAX))

    thread = threading.Thread(target=request)
    thread.start()
    assert ready.wait(SECONDS_MAX)
    box.put(7)
    thread.join(SECONDS_MAX)
    assert taken == [7]


def test_cancelled_requests_get_nothing_and_leave_no_trace() -> None:
    box: Mailbox[int] = Mailbox()
    call, taken = Call(), []
    call.cancel()
    with call:
        taken.append(box.get(SECONDS_MAX))
    box.put(1)
    with Call():
        taken.append(box.get(SECONDS_MAX))
    assert taken == [None, 1]


def test_a_turn_is_kept_until_it_is_taken() -> None:
    baton = Baton()
    baton.release()
    baton.acquire()
    with Call():
        baton.release()
        baton.acquire()
