"""Hot and harmless streams as applications write them, beyond the table of `workloads`.

Each stream has a schema, and unlimited rows from a seed. The rows go through the official client,
and the findings are compared by name, column and reason.
"""

from __future__ import annotations

import hashlib
import uuid
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import count
from random import Random
from typing import Any

from google.cloud.spanner_v1 import COMMIT_TIMESTAMP

NOW = datetime.now(UTC)
MILLIS = int(NOW.timestamp() * 1000)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"

Row = tuple[Any, ...]
Rows = Callable[[Random], Iterator[Row]]


@dataclass(frozen=True)
class Stream:
    """Rows of the first table of `ddl`. A hot stream has the object, column and reason expected."""

    ddl: Sequence[str]
    columns: str
    rows: Rows
    hot: tuple[str, str, str] | None = None
    prepared: int = 0  # rows, numbered from 0, that are there before, and are written again
    is_removed: bool = False  # each row before the next one

    @property
    def table(self) -> str:
        """The name of the written table."""
        return self.ddl[0].split()[2]


def numbered(make: Callable[[Random, int], Row]) -> Rows:
    """Return a maker of rows from a source of randomness and their number."""
    return lambda chance: (make(chance, n) for n in count())


# ---------------------------------------------------------------------------- values


def soon(n: int) -> datetime:
    """Return a time near the commit: rows are created just before they are written."""
    return datetime.now(UTC) + timedelta(milliseconds=7 * n)


def long_ago(n: int) -> datetime:
    return LONG_AGO + timedelta(milliseconds=7 * n)


def as_bytes(raw: bytes) -> bytes:
    """Return the value as the client accepts it."""
    return b64encode(raw)


def in_base(number: int, digits: str, width: int) -> str:
    letters = []
    for _ in range(width):
        number, digit = divmod(number, len(digits))
        letters.append(digits[digit])
    return "".join(reversed(letters))


def uuid_4(chance: Random) -> str:
    return str(uuid.UUID(int=chance.getrandbits(128), version=4))


def uuid_7(chance: Random, n: int) -> uuid.UUID:
    return uuid.UUID(int=MILLIS + n << 80 | 7 << 76 | chance.getrandbits(12) << 64 | 2 << 62 | n)


def ulid(chance: Random, n: int) -> str:
    return in_base(MILLIS + n, CROCKFORD, 10) + in_base(chance.getrandbits(80), CROCKFORD, 16)


def object_id(n: int) -> bytes:
    return (MILLIS // 1000 + n // 50).to_bytes(4, "big") + b"abcde" + (n + 77).to_bytes(3, "big")


def snowflake(chance: Random, n: int) -> int:
    return MILLIS + n - 1_288_834_974_657 << 22 | chance.randrange(32) << 12


def digest(n: int) -> bytes:
    return hashlib.sha256(str(n).encode()).digest()


def turned(n: int) -> int:
    """Return a number with its bits reversed, as signed INT64."""
    found = int(f"{n:064b}"[::-1], 2)
    return found - (1 << 64) if found >> 63 else found


def skewed(chance: Random, names: int = 1000) -> int:
    """Return a name by Zipf's law: the n-th name is used 1/n times as often as the first."""
    return chance.choices(range(names), [1 / (rank + 1) for rank in range(names)])[0] * 7919 % names


def gaps(chance: Random) -> Iterator[Row]:
    number = 10**6
    while True:
        number += chance.randrange(1, 5000)
        yield (number,)


def blocks(chance: Random) -> Iterator[Row]:
    """Yield ids of twenty allocators with a block of ids each."""
    following = [block * 100_000 + chance.randrange(100) for block in range(20)]
    while True:
        block = chance.randrange(20)
        following[block] += 1
        yield (following[block],)


# ---------------------------------------------------------------------------- schemas

NUMBER = ["CREATE TABLE Items (Id INT64 NOT NULL) PRIMARY KEY (Id)"]
TEXT = ["CREATE TABLE Docs (DocId STRING(64) NOT NULL) PRIMARY KEY (DocId)"]
BYTES = ["CREATE TABLE Blobs (Digest BYTES(20) NOT NULL) PRIMARY KEY (Digest)"]
UUIDS = ["CREATE TABLE Carts (CartId UUID NOT NULL) PRIMARY KEY (CartId)"]
VISITS = ["CREATE TABLE Visits (Seen TIMESTAMP NOT NULL, Who STRING(40)) PRIMARY KEY (Seen, Who)"]
NEWEST = [
    "CREATE TABLE Visits (Seen TIMESTAMP NOT NULL, Who STRING(40)) PRIMARY KEY (Seen DESC, Who)"
]
HISTORY = ["CREATE TABLE History (Who STRING(40), Seen TIMESTAMP) PRIMARY KEY (Who, Seen DESC)"]
SHARDS = ["CREATE TABLE Feed (ShardId INT64, Seen TIMESTAMP) PRIMARY KEY (ShardId, Seen)"]
TENANTS = ["CREATE TABLE Bills (TenantId STRING(9), Seq INT64) PRIMARY KEY (TenantId, Seq)"]
DAYS = ["CREATE TABLE Daily (Day DATE, Id STRING(36)) PRIMARY KEY (Day, Id)"]
COUNTERS = ["CREATE TABLE Counters (Id INT64 NOT NULL, N INT64) PRIMARY KEY (Id)"]
STAMPED = [
    "CREATE TABLE Edits (Id STRING(36), Seen TIMESTAMP OPTIONS (allow_commit_timestamp = true)) "
    "PRIMARY KEY ({})"
]
ORDERS = (
    "CREATE TABLE Orders (Id STRING(36) NOT NULL, Status STRING(9), Customer INT64, "
    "Created TIMESTAMP, Email STRING(60)) PRIMARY KEY (Id)"
)
ORDER = "Id Status Customer Created Email"
SEASONS = ["CREATE TABLE Seasons (First DATE NOT NULL) PRIMARY KEY (First)"]
AMOUNTS = ["CREATE TABLE Amounts (Amount NUMERIC NOT NULL) PRIMARY KEY (Amount)"]
CLOCKS = ["CREATE TABLE Clocks (Epoch FLOAT64 NOT NULL) PRIMARY KEY (Epoch)"]

MOVES = "MOVING_HOT_SPOT"
ITEMS, DOCS = ("Items", "Id", MOVES), ("Docs", "DocId", MOVES)


@numbered
def orders(chance: Random, n: int) -> Row:
    status = chance.choice(["new", "paid", "sent"])
    return uuid_4(chance), status, chance.randrange(5000), soon(n), f"{chance.random()}@example.com"


def numbers(make: Callable[[Random, int], int]) -> Stream:
    return Stream(NUMBER, "Id", numbered(lambda chance, n: (make(chance, n),)), ITEMS)


def texts(make: Callable[[Random, int], str]) -> Stream:
    return Stream(TEXT, "DocId", numbered(lambda chance, n: (make(chance, n),)), DOCS)


def blobs(make: Callable[[Random, int], bytes]) -> Stream:
    rows = numbered(lambda chance, n: (as_bytes(make(chance, n)),))
    return Stream(BYTES, "Digest", rows, ("Blobs", "Digest", MOVES))


def times(ddl: Sequence[str], make: Callable[[Random, int], datetime]) -> Stream:
    rows = numbered(lambda chance, n: (make(chance, n), uuid_4(chance)))
    return Stream(ddl, "Seen Who", rows, ("Visits", "Seen", MOVES))


def indexed(index: str, hot: tuple[str, str, str] | None = None) -> Stream:
    return Stream([ORDERS, index], ORDER, orders, hot)


def updated(make: Callable[[Random, int], int], rows: int, is_hot: bool = False) -> Stream:
    hot = ("Counters", "Id", "HOT_ROW") if is_hot else None
    made = numbered(lambda chance, n: (make(chance, n), n))
    return Stream(COUNTERS, "Id N", made, hot, prepared=rows)


def harmless(stream: Stream) -> Stream:
    return replace(stream, hot=None)


HOT: Mapping[str, Stream] = {
    "a sequence with gaps": Stream(NUMBER, "Id", gaps, ITEMS),
    "a counter that falls": numbers(lambda chance, n: 10**6 - 3 * n),
    "ord-2026-11-22-0001": texts(lambda chance, n: f"ord-2026-11-22-{n:04}"),
    "ORD-000001": texts(lambda chance, n: f"ORD-{n:06}"),
    "digits without zeros before them": texts(lambda chance, n: f"inv-{n + 1}"),
    "ULID": texts(ulid),
    "ULID in lower case": texts(lambda chance, n: ulid(chance, n).lower()),
    "ULID with a prefix": texts(lambda chance, n: f"user_{ulid(chance, n).lower()}"),
    "ObjectId": texts(lambda chance, n: object_id(n).hex()),
    "ObjectId as bytes": blobs(lambda chance, n: object_id(n)),
    "snowflake": numbers(snowflake),
    "snowflake as text": texts(lambda chance, n: str(snowflake(chance, n))),
    "milliseconds": numbers(lambda chance, n: MILLIS + n),
    "milliseconds as text": texts(lambda chance, n: f"{MILLIS + n}-{chance.randrange(1000)}"),
    "seconds as FLOAT64": Stream(CLOCKS, "Epoch", numbered(lambda chance, n: (MILLIS / 1000 + n,)),
                                 ("Clocks", "Epoch", MOVES)),
    "UUID 7": texts(lambda chance, n: str(uuid_7(chance, n))),
    "UUID 7 as UUID": Stream(UUIDS, "CartId", numbered(lambda chance, n: (str(uuid_7(chance, n)),)),
                             ("Carts", "CartId", MOVES)),
    "UUID 7 as bytes": blobs(lambda chance, n: uuid_7(chance, n).bytes),
    "NUMERIC": Stream(AMOUNTS, "Amount", numbered(lambda chance, n: (Decimal(n) / 4,)),
                      ("Amounts", "Amount", MOVES)),
    "a day after the other": Stream(
        SEASONS, "First", numbered(lambda chance, n: (date(2020, 1, 1) + timedelta(days=n),)),
        ("Seasons", "First", MOVES)),
    "time of now": times(VISITS, lambda chance, n: soon(n)),
    "time of long ago": times(VISITS, lambda chance, n: long_ago(n)),
    "time, newest first": times(NEWEST, lambda chance, n: long_ago(n)),
    "four clients whose clocks differ by seconds": times(
        VISITS, lambda chance, n: soon(n) + timedelta(seconds=(0, 0.7, -0.9, 0.2)[n % 4])),
    "clocks that differ a little": times(
        VISITS, lambda chance, n: long_ago(n) + timedelta(milliseconds=chance.gauss(0, 30))),
    "commit timestamp": Stream(
        [STAMPED[0].format("Seen, Id")], "Id Seen",
        numbered(lambda chance, n: (uuid_4(chance), COMMIT_TIMESTAMP)), ("Edits", "Seen", MOVES)),
    "two shards": Stream(SHARDS, "ShardId Seen", numbered(lambda chance, n: (n % 2, soon(n))),
                         ("Feed", "Seen", MOVES)),
    "index on a time": indexed("CREATE INDEX ByTime ON Orders(Created)",
                               ("ByTime", "Created", MOVES)),
    "index on a time, newest first": indexed("CREATE INDEX ByTime ON Orders(Created DESC)",
                                             ("ByTime", "Created", MOVES)),
    "one counter": updated(lambda chance, n: 7, 10, is_hot=True),
    "a row with much of it": updated(
        lambda chance, n: 7 if chance.random() < 0.65 else chance.randrange(500), 500, is_hot=True),
}  # fmt: skip

HARMLESS: Mapping[str, Stream] = {
    name: harmless(stream)
    for name, stream in {
        "UUID 4": texts(lambda chance, n: uuid_4(chance)),
        "random bytes": blobs(lambda chance, n: chance.randbytes(16)),
        "random letters": texts(lambda chance, n: "".join(chance.choices(LETTERS, k=21))),
        "a hash as INT64": numbers(lambda chance, n: int.from_bytes(digest(n)[:8], "big", signed=True)),
        "a hash as text": texts(lambda chance, n: digest(n).hex()),
        "a hash before a sequence": texts(lambda chance, n: f"{digest(n).hex()[:4]}-{n:08}"),
        "a sequence of turned bits": numbers(lambda chance, n: turned(n + 1)),
        "turned digits": texts(lambda chance, n: str(1000 + n)[::-1]),
        "a day before a UUID 4": texts(lambda chance, n: f"{NOW:%Y-%m-%d}-{uuid_4(chance)}"),
        "a day before random digits": texts(
            lambda chance, n: f"ord-{NOW:%Y%m%d}-{chance.randrange(10**8):08}"),
        "blocks of ids": Stream(NUMBER, "Id", blocks),
        "a load by eight workers": numbers(lambda chance, n: n % 8 * 10**6 + n // 8),
        "users at random": Stream(HISTORY, "Who Seen", numbered(
            lambda chance, n: (f"user-{chance.randrange(1000)}", soon(n)))),
        "users by Zipf's law": Stream(HISTORY, "Who Seen", numbered(
            lambda chance, n: (f"user-{skewed(chance)}", soon(n)))),
        **{
            f"{users} users in turn": Stream(HISTORY, "Who Seen", numbered(
                lambda chance, n, users=users: (f"user-{n % users:03}", soon(n))))
            for users in (20, 50)
        },
        **{
            f"users one after another, {rows} rows each": Stream(HISTORY, "Who Seen", numbered(
                lambda chance, n, rows=rows: (digest(n // rows).hex()[:12], soon(n))))
            for rows in (3, 5, 8, 10, 16)
        },
        **{
            f"{shards} shards in turn": Stream(SHARDS, "ShardId Seen", numbered(
                lambda chance, n, shards=shards: (n % shards, soon(n))))
            for shards in (8, 12, 16, 24, 32, 48, 64)
        },
        **{
            f"{shards} shards at random": Stream(SHARDS, "ShardId Seen", numbered(
                lambda chance, n, shards=shards: (chance.randrange(shards), soon(n))))
            for shards in (16, 32, 64)
        },
        "shards as text": texts(lambda chance, n: f"{n % 64:02}-{MILLIS + n}"),
        "tenants with a sequence each": Stream(TENANTS, "TenantId Seq", numbered(
            lambda chance, n: (f"t{chance.randrange(200)}", n))),
        "tenants in turn": Stream(TENANTS, "TenantId Seq", numbered(
            lambda chance, n: (f"t{n % 25:02}", n // 25))),
        "times of now, shuffled": Stream(VISITS, "Seen Who", numbered(
            lambda chance, n: (soon(n * 7919 % 10007), uuid_4(chance)))),
        "today, then a UUID 4": Stream(DAYS, "Day Id", numbered(
            lambda chance, n: (NOW.date(), uuid_4(chance)))),
        "a commit timestamp behind a UUID 4": Stream(
            [STAMPED[0].format("Id, Seen")], "Id Seen",
            numbered(lambda chance, n: (uuid_4(chance), COMMIT_TIMESTAMP))),
        "index on a status": indexed("CREATE INDEX ByStatus ON Orders(Status)"),
        "index on a customer and a time": indexed(
            "CREATE INDEX ByCustomer ON Orders(Customer, Created)"),
        "index on an address": indexed("CREATE UNIQUE INDEX ByEmail ON Orders(Email)"),
        "updates of ten rows": updated(lambda chance, n: chance.randrange(10), 10),
        "updates of any row": updated(lambda chance, n: chance.randrange(500), 500),
        "updates of thirty rows in turn": updated(lambda chance, n: n % 30, 30),
    }.items()
}  # fmt: skip

# Rows that a test inserts, deletes and inserts again.
REMOVED: Mapping[str, Stream] = {
    f"rows 1 to {rows} again and again": Stream(
        NUMBER, "Id", numbered(lambda chance, n, rows=rows: (n % rows + 1,)), is_removed=True
    )
    for rows in (1, 3, 5)
}
