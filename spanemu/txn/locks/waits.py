"""What a transaction waits for, and how long before it looks again."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import NamedTuple

from spanemu.base.call import Call
from spanemu.base.clock import monotonic
from spanemu.txn.locks.modes import Lock
from spanemu.txn.locks.owner import Owner

LOOK_EVERY_SECONDS = 0.25  # whether those who are waited for are still there


class Request(NamedTuple):
    """What a transaction waits for: one key, or the range up to `high`."""

    low: bytes
    high: bytes | None
    lock: Lock

    def meets(self, other: Request) -> bool:
        """Whether both want the same row, in ways that do not go together."""
        (reads, writes), (read, written) = self.lock, other.lock
        if not (reads & written or writes & read):
            return False
        if self.high is None:
            if other.high is None:
                return self.low == other.low
            return other.low <= self.low < other.high
        if other.high is None:
            return self.low <= other.low < self.high
        return self.low < other.high and other.low < self.high


class Wait(NamedTuple):
    """What a transaction waits for: the event is set when one of the blockers is gone."""

    event: threading.Event
    blockers: list[Owner]


def patience(call: Call, owner: Owner, blockers: Iterable[Owner]) -> float:
    """Seconds to wait before looking again: the deadline, or when a blocker counts as idle.

    Not long in any case: a blocker's client may be gone.
    """
    now = monotonic()
    waits = [max(0.0, blocker.idle_at - now) for blocker in blockers]
    waits.append(LOOK_EVERY_SECONDS)
    if owner.patient_until is not None:
        waits.append(max(0.0, owner.patient_until - now))
    left = call.seconds_left()
    if left is not None:
        waits.append(left)
    return min(waits) + 0.001
