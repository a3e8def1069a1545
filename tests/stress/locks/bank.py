"""Transfers between accounts, of which a few are in nearly every one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from google.cloud.spanner_v1 import KeySet, param_types

from tests.dialects import of_database
from tests.stress.locks.threads import Tally, together

SCHEMA = ["CREATE TABLE Accounts (Id INT64 NOT NULL, Balance INT64 NOT NULL) PRIMARY KEY (Id)"]
HOT, COLD = 2, 98
FIRST_BALANCE = 1_000
TOTAL = (HOT + COLD) * FIRST_BALANCE
HOT_CHANCE = 0.6
LOOK_CHANCE = 0.1  # at the sum instead of a transfer
_INT = param_types.INT64
_ADD = "UPDATE Accounts SET Balance = Balance + @amount WHERE Id = @id"


@dataclass
class Bank:
    """One bank in a database of the official client."""

    database: Any

    def open(self) -> None:
        """Give every account its first balance."""
        with self.database.batch() as batch:
            rows = [(number, FIRST_BALANCE) for number in range(HOT + COLD)]
            batch.insert("Accounts", ("Id", "Balance"), rows)

    def total(self) -> int:
        """Return all balances together, at one moment."""
        with self.database.snapshot() as snapshot:
            query = of_database(self.database, "SELECT SUM(Balance) FROM Accounts", {}, {})
            (row,) = snapshot.execute_sql(*query)
            return int(row[0])

    def run(self, threads: int, seconds: float) -> list[Tally]:
        """Transfer amounts from many threads."""
        return together(threads, seconds, self._act)

    def _act(self, _: int, rng: Random, tally: Tally) -> None:
        if rng.random() < LOOK_CHANCE:
            result = self.total()
            assert result == TOTAL, f"the sum is {result}"
            tally.attempts += 1
            return
        source, target = self._pair(rng)
        amount, by_dml = rng.randint(1, 20), rng.random() < 0.5

        def transfer(transaction: Any) -> None:
            tally.attempts += 1
            if by_dml:
                self._transfer_by_dml(transaction, {source: -amount, target: amount})
            else:
                _transfer_by_mutations(transaction, source, target, amount)

        self.database.run_in_transaction(transfer)

    def _transfer_by_dml(self, transaction: Any, changes: Mapping[int, int]) -> None:
        types = {"id": _INT, "amount": _INT}
        for id_, added in changes.items():
            given = {"id": id_, "amount": added}
            changed = transaction.execute_update(*of_database(self.database, _ADD, given, types))
            assert changed == 1, changed

    @staticmethod
    def _pair(rng: Random) -> tuple[int, int]:
        def one() -> int:
            return rng.randrange(HOT) if rng.random() < HOT_CHANCE else HOT + rng.randrange(COLD)

        source = target = one()
        while target == source:
            target = one()
        return source, target


def _transfer_by_mutations(transaction: Any, source: int, target: int, amount: int) -> None:
    keys = KeySet(keys=[(source,), (target,)])
    balances = dict(transaction.read("Accounts", ("Id", "Balance"), keys))
    rows = [(source, balances[source] - amount), (target, balances[target] + amount)]
    transaction.update("Accounts", ("Id", "Balance"), rows)
