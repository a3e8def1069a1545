"""Streams of writes with known verdicts, from a seed: the rows of the table in docs/hotspots.md.

A workload yields the key values of one commit after another; its schema names the key parts.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Any

Random = random.Random
Keys = Iterator[tuple[Any, ...]]

START_MICROS = 1_763_000_000_000_000  # the time of the first write


@dataclass(frozen=True)
class Workload:
    """A stream; `verdicts` are for n=100, 200, 500: "ok", "hot", "warn", or "any" of these.

    `table` is DDL for a table T, and `make` yields keys. With `updates`, rows are written again.
    """

    name: str
    table: str
    make: Callable[[Random], Keys]
    verdicts: tuple[str, str, str]
    updates: bool = False
    index: str = ""

    @property
    def harmless(self) -> bool:
        """Return whether no seed may give a hot verdict."""
        return "hot" not in self.verdicts and "any" not in self.verdicts


def _times(chance: Random) -> Iterator[int]:
    """Yield microseconds that grow by about a millisecond."""
    at = START_MICROS
    while True:
        at += chance.randrange(1, 2000)
        yield at


def uuid4(chance: Random) -> Keys:
    while True:
        yield (str(uuid.UUID(int=chance.getrandbits(128), version=4)),)


def uuid7(chance: Random) -> Keys:
    for at in _times(chance):
        random_bits = chance.getrandbits(74)
        number = (at // 1000) << 80 | 7 << 76 | (random_bits >> 62) << 64
        number |= 2 << 62 | random_bits & ((1 << 62) - 1)
        yield (str(uuid.UUID(int=number)),)


def uuid1(chance: Random) -> Keys:
    for at in _times(chance):
        ticks = at * 10 + 0x01B21DD213814000
        fields = (ticks & 0xFFFFFFFF, ticks >> 32 & 0xFFFF, ticks >> 48 & 0xFFF)
        yield (str(uuid.UUID(fields=(*fields, 0x80, 1, 42), version=1)),)


def sequence(chance: Random) -> Keys:
    return ((number,) for number in count(chance.randrange(1000)))


def descending(chance: Random) -> Keys:
    return ((-number,) for number in count(chance.randrange(1000)))


def bit_reversed(chance: Random) -> Keys:
    for number in count(1 + chance.randrange(1000)):
        yield (int(f"{number:064b}"[::-1], 2) >> 1,)


def users_and_time(users: int) -> Callable[[Random], Keys]:
    def make(chance: Random) -> Keys:
        names = [chance.randrange(1 << 40) for _ in range(users)]
        return ((chance.choice(names), at) for at in _times(chance))

    return make


def shards_and_time(shards: int) -> Callable[[Random], Keys]:
    def make(chance: Random) -> Keys:
        return ((chance.randrange(shards), at) for at in _times(chance))

    return make


def bool_and_uuid(chance: Random) -> Keys:
    return ((chance.random() < 0.5, *key) for key in uuid4(chance))


def constant_and_uuid(chance: Random) -> Keys:
    return (("PENDING", *key) for key in uuid4(chance))


def bool_and_sequence(chance: Random) -> Keys:
    return ((chance.random() < 0.5, *key) for key in sequence(chance))


def zipf(exponent: float, rows: int = 1000) -> Callable[[Random], Keys]:
    def make(chance: Random) -> Keys:
        weights = [1 / rank**exponent for rank in range(1, rows + 1)]
        names = chance.sample(range(1 << 40), rows)
        while True:
            yield from ((name,) for name in chance.choices(names, weights, k=500))

    return make


def hot_row(part: float) -> Callable[[Random], Keys]:
    def make(chance: Random) -> Keys:
        rows = chance.sample(range(1 << 40), 1000)
        hot = chance.choice(rows)
        while True:
            yield (hot if chance.random() < part else chance.choice(rows),)

    return make


def fixtures(chance: Random) -> Keys:
    while True:
        yield from ((number,) for number in range(1, 6))


def blocks(chance: Random) -> Keys:
    """Yield the ids of twenty clients with a block of ids each, as hi-lo allocators assign them."""
    following = [block * 100_000 + chance.randrange(100) for block in range(20)]
    while True:
        block = chance.randrange(20)
        following[block] += 1
        yield (following[block],)


def racing(writers: int) -> Callable[[Random], Keys]:
    """Return a maker of timestamps that are committed late by a limited number of positions."""

    def make(chance: Random) -> Keys:
        times = _times(chance)
        late: list[tuple[float, int]] = []
        for position in count():
            heappush(late, (position + chance.random() * writers, next(times)))
            if position >= writers:
                yield (heappop(late)[1],)

    return make


def tenant(chance: Random) -> Keys:
    return (("acme", *key) for key in sequence(chance))


_ID = "CREATE TABLE T (Id INT64 NOT NULL, V INT64) PRIMARY KEY (Id)"
_TEXT = "CREATE TABLE T (Id STRING(36) NOT NULL, V INT64) PRIMARY KEY (Id)"
_USER = (
    "CREATE TABLE T (UserId INT64 NOT NULL, At1 INT64 NOT NULL, V INT64) PRIMARY KEY (UserId, At1)"
)
_SHARD = "CREATE TABLE T (ShardId INT64 NOT NULL, At1 INT64 NOT NULL, V INT64) PRIMARY KEY (ShardId, At1)"
_BOOL = "CREATE TABLE T (Done BOOL NOT NULL, Id {}, V INT64) PRIMARY KEY (Done, Id)"
_STATE = (
    "CREATE TABLE T (State1 STRING(9) NOT NULL, Id STRING(36), V INT64) PRIMARY KEY (State1, Id)"
)
_TENANT = (
    "CREATE TABLE T (TenantId STRING(9) NOT NULL, Id INT64, V INT64) PRIMARY KEY (TenantId, Id)"
)

OK, HOT, WARN, ANY = "ok", "hot", "warn", "any"

WORKLOADS = (
    Workload("uuid4", _TEXT, uuid4, (OK, OK, OK)),
    Workload("bit-reversed sequence", _ID, bit_reversed, (OK, OK, OK)),
    Workload("1,000 users + time", _USER, users_and_time(1000), (OK, OK, OK)),
    Workload("50 users + time", _USER, users_and_time(50), (OK, OK, OK)),
    Workload("32 shards + time", _SHARD, shards_and_time(32), (OK, OK, OK)),
    Workload("10 shards + time", _SHARD, shards_and_time(10), (OK, OK, OK)),
    Workload("bool + uuid4", _BOOL.format("STRING(36)"), bool_and_uuid, (OK, OK, OK)),
    Workload("constant + uuid4", _STATE, constant_and_uuid, (OK, OK, OK)),
    Workload("zipf(1.0) over 1,000 rows", _ID, zipf(1.0), (OK, OK, OK), updates=True),
    Workload("fixture ids 1..5 re-created", _ID, fixtures, (OK, OK, OK)),
    Workload("20 hi-lo blocks", _ID, blocks, (OK, OK, OK)),
    Workload("4 shards + time", _SHARD, shards_and_time(4), (OK, WARN, WARN)),
    Workload("30% on one row", _ID, hot_row(0.3), (WARN, WARN, WARN), updates=True),
    Workload("zipf(1.5)", _ID, zipf(1.5), (WARN, WARN, WARN), updates=True),
    Workload("2 shards + time", _SHARD, shards_and_time(2), (HOT, HOT, HOT)),
    Workload("bool + sequence", _BOOL.format("INT64"), bool_and_sequence, (HOT, HOT, HOT)),
    Workload("60% on one row", _ID, hot_row(0.6), (HOT, HOT, HOT), updates=True),
    Workload("times, 8 racing writers", _ID, racing(8), (HOT, HOT, HOT)),
    Workload("times, 64 racing writers", _ID, racing(64), (ANY, HOT, HOT)),
    Workload("sequence", _ID, sequence, (HOT, HOT, HOT)),
    Workload("descending", _ID, descending, (HOT, HOT, HOT)),
    Workload("uuid1", _TEXT, uuid1, (HOT, HOT, HOT)),
    Workload("uuid7", _TEXT, uuid7, (HOT, HOT, HOT)),
    Workload("one tenant + sequence", _TENANT, tenant, (HOT, HOT, HOT)),
)
