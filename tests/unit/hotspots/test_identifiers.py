"""Ids that begin with a time are recognized; other ids, and fixtures, are not."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest

from spanemu.hotspots.identifiers import TIMES, identify

NOW = int(datetime(2026, 11, 21, 12, tzinfo=UTC).timestamp() * 1e9)
MILLIS = NOW // 10**6
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"
BASE32 = "0123456789abcdefghijklmnopqrstuv"
PUSH = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
CHANCE = Random(5)


def text(number: int, digits: str, width: int) -> str:
    letters = []
    for _ in range(width):
        number, digit = divmod(number, len(digits))
        letters.append(digits[digit])
    return "".join(reversed(letters))


def tail(digits: str, width: int) -> str:
    return "".join(CHANCE.choice(digits) for _ in range(width))


def uuid_1(n: int) -> uuid.UUID:
    ticks = (NOW // 100) + n + 0x01B21DD213814000
    return uuid.UUID(
        fields=(ticks & 0xFFFFFFFF, ticks >> 32 & 0xFFFF, ticks >> 48, 0, 1, 2), version=1
    )


def uuid_6(n: int) -> uuid.UUID:
    ticks = (NOW // 100) + n + 0x01B21DD213814000
    return uuid.UUID(int=(ticks >> 12) << 80 | 6 << 76 | (ticks & 0xFFF) << 64 | 2 << 62 | n)


def uuid_7(n: int) -> uuid.UUID:
    return uuid.UUID(int=(MILLIS + n) << 80 | 7 << 76 | 2 << 62 | n)


MADE = {
    "UUID version 1": uuid_1,
    "UUID version 6": uuid_6,
    "UUID version 7": uuid_7,
    "ULID": lambda n: text(MILLIS + n, CROCKFORD, 10) + tail(CROCKFORD, 16),
    "KSUID": lambda n: text((NOW // 10**9 - 1_400_000_000 << 128) + n, BASE62, 27),
    "ObjectId": lambda n: f"{NOW // 10**9:08x}{n:016x}",
    "XID": lambda n: text(NOW // 10**9 << 3, BASE32, 7) + tail(BASE32, 13),
    "CUID": lambda n: "c" + text(MILLIS + n, BASE36, 8) + tail(BASE36, 16),
    "Firebase push id": lambda n: text(MILLIS + n, PUSH, 8) + tail(PUSH, 12),
    "snowflake": lambda n: (MILLIS + n - 1_288_834_974_657) << 22 | n,
    "snowflake (Discord)": lambda n: (MILLIS + n - 1_420_070_400_000) << 22 | n,
    "TSID": lambda n: (MILLIS + n - 1_577_836_800_000) << 22 | n,
    "Instagram id": lambda n: (MILLIS + n - 1_314_220_021_721) << 23 | n,
    "Sonyflake": lambda n: (MILLIS - 1_409_529_600_000) // 10 + n << 24,
    "epoch seconds": lambda n: NOW // 10**9 + n,
    "epoch milliseconds": lambda n: MILLIS + n,
    "epoch microseconds": lambda n: NOW // 1000 + n,
    "epoch nanoseconds": lambda n: NOW + n,
    "date": lambda n: f"2026-11-21 12:00:0{n % 10}-{n}",
}

# The same formats in other spellings.
SHAPES = {
    "UUID version 7": lambda n: uuid_7(n).bytes,
    "UUID version 6": lambda n: uuid_6(n).hex.upper(),
    "ULID": lambda n: uuid.UUID(int=MILLIS + n << 80 | 4 << 76 | CHANCE.getrandbits(60)),
    "KSUID": lambda n: (NOW // 10**9 - 1_400_000_000).to_bytes(4, "big") + CHANCE.randbytes(16),
    "ObjectId": lambda n: (NOW // 10**9).to_bytes(4, "big") + CHANCE.randbytes(8),
    "snowflake": lambda n: str((MILLIS + n - 1_288_834_974_657) << 22 | n),
    "epoch milliseconds": lambda n: f"ord-{MILLIS + n}-{CHANCE.random()}",
    "date": lambda n: f"log/20261121T1200{n:02}.{CHANCE.randrange(1000)}",
}
PREFIXED = {
    "ULID": lambda n: f"user_{MADE['ULID'](n).lower()}",
    "XID": lambda n: f"eu-job:{MADE['XID'](n)}",
    "UUID version 7": lambda n: f"cart/{uuid_7(n)}",
}


def of(values: list[Any], at: int = NOW) -> str | None:
    found = identify((value, at) for value in values)
    return None if found is None else found.format


@pytest.mark.parametrize("name", MADE)
def test_formats(name: str) -> None:
    values = [MADE[name](n) for n in range(8)]
    assert of(values) == name
    assert of([str(each) if isinstance(each, uuid.UUID) else each for each in values]) == name


@pytest.mark.parametrize(
    ("name", "make"), [*SHAPES.items(), *PREFIXED.items()], ids=lambda each: str(each)[:20]
)
def test_other_shapes(name: str, make: Callable[[int], Any]) -> None:
    assert of([make(n) for n in range(8)]) == name


def test_times() -> None:
    times = [NOW + n * 10**9 for n in range(8)]
    found = identify(((each, NOW) for each in times), formats=TIMES)
    assert found is not None
    assert found.format == "clock time"
    assert identify(((each, 0) for each in times), formats=TIMES) is None


@pytest.mark.parametrize("name", MADE)
def test_old_ids_are_only_ids(name: str) -> None:
    assert of([MADE[name](n) for n in range(8)], at=NOW + 400 * 86_400 * 10**9) != name


@pytest.mark.parametrize("name", MADE)
def test_few_values_are_not_enough(name: str) -> None:
    assert of([MADE[name](n) for n in range(4)]) is None
    assert of([MADE[name](1)] * 50) is None


@pytest.mark.parametrize(
    "values",
    [
        list(range(1, 6)),
        list(range(1000, 1100)),
        [str(uuid.UUID(int=CHANCE.getrandbits(128), version=4)) for _ in range(100)],
        [uuid.UUID(int=CHANCE.getrandbits(128), version=4) for _ in range(100)],
        [CHANCE.getrandbits(63) for _ in range(1000)],
        [f"user-{n}" for n in range(100)],
        [tail(BASE62, 27) for _ in range(100)],
        [tail("0123456789abcdef", 24) for _ in range(100)],
        [True, False, None],
        [float("nan"), 1e300, 0.5, 1.5, 2.5, 3.5],
        [f"2026-99-99-{n}" for n in range(9)],
        [f"2026-11-21-{n:04}" for n in range(9)],
        [f"20261121-{n:06}" for n in range(9)],
        [f"2026-11-21/{tail(BASE36, 20)}" for _ in range(100)],
        [f"20261121{CHANCE.randrange(10**12):012}" for _ in range(100)],
        [b"\0" * 16, b"\1" * 16, b"", b"x", b"y", b"z"],
    ],
)
def test_other_values(values: list[Any]) -> None:
    assert of(values) is None


def test_a_few_foreign_values_do_not_hide_a_format() -> None:
    values = [uuid_7(n) for n in range(9)]
    assert of([*values, uuid.UUID(int=5)]) == "UUID version 7"
    assert of([*values, *(uuid.UUID(int=n) for n in range(5))]) is None
