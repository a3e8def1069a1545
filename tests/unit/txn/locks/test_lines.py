"""The order of transactions that wait, against a look at every request."""

from __future__ import annotations

from itertools import count
from random import Random

import pytest

from spanemu.txn.locks.holder import LockHolder
from spanemu.txn.locks.lines import Lines
from spanemu.txn.locks.modes import READ_ROW, WRITE_ROW
from spanemu.txn.locks.waits import Request

KEYS = [bytes((number,)) for number in range(6)]


def holder(age: int) -> LockHolder:
    made = LockHolder()
    made.begin(age)
    return made


def random_request(rng: Random) -> Request:
    lock = rng.choice((READ_ROW, WRITE_ROW))
    low, high = sorted(rng.sample(KEYS, 2))
    return Request(low, high if rng.random() < 0.4 else None, lock)


def meets(one: Request, other: Request) -> bool:
    (reads, writes), (read, written) = one.lock, other.lock
    if not (reads & written or writes & read):
        return False
    first, second = ({key for key in KEYS if _covers(each, key)} for each in (one, other))
    return bool(first & second)


def _covers(request: Request, key: bytes) -> bool:
    if request.high is None:
        return key == request.low
    return request.low <= key < request.high


@pytest.mark.parametrize("seed", range(20))
def test_the_last_request_before_another_is_the_youngest_older_one(seed: int) -> None:
    rng, lines, ages = Random(seed), Lines(), count(1)
    waiting: dict[LockHolder, Request] = {}
    for _ in range(120):
        if waiting and rng.random() < 0.4:
            gone = rng.choice(list(waiting))
            del waiting[gone]
            lines.remove(gone)
        newcomer, request = holder(next(ages)), random_request(rng)
        waiting[newcomer] = request
        lines.add(newcomer, request)
        asking, asked = rng.choice(list(waiting.items()))
        older = [
            other
            for other, requested in waiting.items()
            if other.age < asking.age and meets(asked, requested)
        ]
        expected = max(older, key=lambda each: each.age, default=None)
        assert lines.last_before(asking, asked) is expected
    for left in waiting:
        lines.remove(left)
    assert not lines.requests
    assert not lines._keys
    assert not lines._ranges


def test_no_request_waits_behind_a_transaction_without_an_age() -> None:
    lines, without, other = Lines(), LockHolder(), LockHolder()
    request = Request(b"k", None, WRITE_ROW)
    lines.add(without, request)
    lines.add(other, request)
    assert lines.last_before(holder(1), request) is None
    lines.remove(without)
    lines.remove(other)
    assert not lines.requests
