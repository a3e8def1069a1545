"""What a thread's clients were told, and whether a database agrees in the end.

A database holds accounts, among which money moves, and families of orders with their lines:

    Accounts   Balance: the sum never changes.  Moves: one more for each acknowledged transfer
    Orders     a family is inserted whole and deleted whole; a thread knows which of its live
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from google.cloud.spanner_v1 import KeySet

ACCOUNTS = 16
BALANCE = 1_000
LINES_PER_ORDER = 3

SCHEMA = (
    """CREATE TABLE Accounts (
      Id INT64 NOT NULL, Balance INT64 NOT NULL, Moves INT64 NOT NULL
    ) PRIMARY KEY (Id)""",
    """CREATE TABLE Orders (
      Id STRING(40) NOT NULL, Placed TIMESTAMP OPTIONS (allow_commit_timestamp = true)
    ) PRIMARY KEY (Id)""",
    """CREATE TABLE Lines (
      Id STRING(40) NOT NULL, Number INT64 NOT NULL, Code STRING(40), Note STRING(MAX)
    ) PRIMARY KEY (Id, Number), INTERLEAVE IN PARENT Orders ON DELETE CASCADE""",
    "CREATE INDEX LinesByCode ON Lines (Code) STORING (Note)",
)


@dataclass
class Ledger:
    """The acknowledged changes of one thread, or of several."""

    moves: Counter[int] = field(default_factory=Counter)
    orders: set[str] = field(default_factory=set)
    deleted: int = 0

    def add(self, other: Ledger) -> None:
        """Add the replies that another thread received."""
        self.moves += other.moves
        self.orders |= other.orders
        self.deleted += other.deleted


def open_books(database: Any) -> None:
    """Insert the rows that every run begins with."""
    with database.batch() as batch:
        rows = [(number, BALANCE, 0) for number in range(ACCOUNTS)]
        batch.insert("Accounts", ("Id", "Balance", "Moves"), rows)


def differences(database: Any, ledger: Ledger) -> Iterator[str]:
    """Yield where a database does not hold what its clients were told."""
    with database.snapshot(multi_use=True) as snapshot:
        everything = KeySet(all_=True)
        accounts = list(snapshot.read("Accounts", ("Id", "Balance", "Moves"), everything))
        orders = [row[0] for row in snapshot.read("Orders", ("Id",), everything)]
        lines = [tuple(row) for row in snapshot.read("Lines", ("Id", "Number"), everything)]
        indexed = [
            tuple(row)
            for row in snapshot.read("Lines", ("Id", "Number"), everything, "LinesByCode")
        ]
    total = sum(balance for _, balance, _ in accounts)
    if total != ACCOUNTS * BALANCE:
        yield f"the balances add up to {total}, not {ACCOUNTS * BALANCE}"
    for number, _, moves in accounts:
        if moves != ledger.moves[number]:
            yield f"account {number} moved {moves} times, acknowledged {ledger.moves[number]}"
    yield from _set_differences("orders", orders, ledger.orders)
    expected = {(order, number) for order in ledger.orders for number in range(LINES_PER_ORDER)}
    yield from _set_differences("lines", lines, expected)
    yield from _set_differences("lines by code", indexed, expected)


def _set_differences(what: str, result: Iterable[Any], expected: set[Any]) -> Iterator[str]:
    rows = list(result)
    if len(rows) != len(set(rows)):
        yield f"{what}: some came twice"
    if lost := expected - set(rows):
        yield f"{what}: {len(lost)} lost, such as {min(lost)}"
    if stray := set(rows) - expected:
        yield f"{what}: {len(stray)} should be gone, such as {min(stray)}"
