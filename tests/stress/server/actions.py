"""What one thread does, one action after the other, chosen at random.

An action that raises `Broken` saw the database say something that it must not.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType
from typing import Any

from google.cloud.spanner_v1 import KeySet, param_types

from tests.dialects import of_database
from tests.stress.server.ledger import ACCOUNTS, BALANCE, LINES_PER_ORDER, Ledger

FAMILIES_PER_THREAD_MAX = 12
_STALENESS = datetime.timedelta(milliseconds=300)
_TOTAL = "SELECT SUM(Balance) FROM Accounts"
_BALANCE = "SELECT Balance FROM Accounts WHERE Id = @id"
_SET_BALANCE = "UPDATE Accounts SET Balance = @amount, Moves = Moves + 1 WHERE Id = @id"
_ADD_TO_BALANCE = (
    "UPDATE Accounts SET Balance = Balance + @amount, Moves = Moves + 1 WHERE Id = @id"
)
_DELETE_ORDER = "DELETE FROM Orders WHERE Id = @id"
_FAMILIES = """
    SELECT o.Id, COUNT(l.Id) FROM Orders AS o LEFT JOIN Lines AS l USING (Id)
    WHERE STARTS_WITH(o.Id, @name) GROUP BY o.Id
"""
_ID = {"id": param_types.INT64}
_ID_AND_AMOUNT = {**_ID, "amount": param_types.INT64}


class Broken(Exception):
    """A reader was shown what cannot be."""


class Actor:
    """A thread of the campaign: its database, its random numbers, and a ledger of the replies."""

    def __init__(self, database: Any, name: str, random: Random) -> None:
        self.ledger = Ledger()
        self._database = database
        self._name = name
        self._random = random
        self._orders: list[str] = []
        self._number = 0

    def act(self) -> str:
        """Run an action chosen at random, and return its name."""
        name, action = self._random.choice(_ACTIONS)
        action(self)
        return name

    # ------------------------------------------------------------------ transfers

    def transfer_by_dml(self) -> None:
        source, target, amount = self._transfer()

        def work(transaction: Any) -> None:
            query = self._sql(_BALANCE, {"id": source}, _ID)
            ((balance,),) = transaction.execute_sql(*query)
            for statement, id_, value in (
                (_SET_BALANCE, source, balance - amount),
                (_ADD_TO_BALANCE, target, amount),
            ):
                given = {"id": id_, "amount": value}
                written = transaction.execute_update(*self._sql(statement, given, _ID_AND_AMOUNT))
                if written != 1:
                    raise Broken(f"a transfer updated {written} rows of an account")

        self._database.run_in_transaction(work)
        self.ledger.moves.update((source, target))

    def transfer_by_mutations(self) -> None:
        source, target, amount = self._transfer()

        def work(transaction: Any) -> None:
            columns = ("Id", "Balance", "Moves")
            rows = list(transaction.read("Accounts", columns, KeySet([[source], [target]])))
            if len(rows) != 2:
                raise Broken(f"a read of two accounts found {len(rows)}")
            changed = [
                (id_, balance + (amount if id_ == target else -amount), moves + 1)
                for id_, balance, moves in rows
            ]
            transaction.update("Accounts", columns, changed)

        self._database.run_in_transaction(work)
        self.ledger.moves.update((source, target))

    def _transfer(self) -> tuple[int, int, int]:
        source, target = self._random.sample(range(ACCOUNTS), 2)
        return source, target, self._random.randrange(1, 50)

    # ------------------------------------------------------------------ families

    def insert_family(self) -> None:
        if len(self._orders) >= FAMILIES_PER_THREAD_MAX:
            self.delete_family()
        self._number += 1
        order = f"{self._name}-{self._number}"
        lines = [
            (order, number, order, "note " * self._random.randrange(20))
            for number in range(LINES_PER_ORDER)
        ]
        with self._database.batch() as batch:
            batch.insert("Orders", ("Id", "Placed"), [(order, "spanner.commit_timestamp()")])
            batch.insert("Lines", ("Id", "Number", "Code", "Note"), lines)
        self._orders.append(order)
        self.ledger.orders.add(order)

    def delete_family(self) -> None:
        if not self._orders:
            return
        order = self._orders.pop(self._random.randrange(len(self._orders)))
        if self._random.random() < 0.5:
            with self._database.batch() as batch:
                batch.delete("Orders", KeySet([[order]]))
        else:
            self._database.run_in_transaction(self._delete_order, order)
        self.ledger.orders.discard(order)
        self.ledger.deleted += 1

    # ------------------------------------------------------------------ readers

    def read_own_family(self) -> None:
        if not self._orders:
            return
        order = self._random.choice(self._orders)
        with self._database.snapshot() as snapshot:
            columns = ("Number", "Note")
            rows = list(snapshot.read("Lines", columns, KeySet([[order]]), "LinesByCode"))
        if len(rows) != LINES_PER_ORDER:
            raise Broken(f"an index shows {len(rows)} lines of {order}")

    def query_total(self) -> None:
        with self._database.snapshot() as snapshot:
            self._check_total(list(snapshot.execute_sql(*self._sql(_TOTAL))))

    def query_stale_total(self) -> None:
        with self._database.snapshot(exact_staleness=_STALENESS) as snapshot:
            self._check_total(list(snapshot.execute_sql(*self._sql(_TOTAL))))

    def query_families(self) -> None:
        """Check that lines never come without their order, nor an order without its lines."""
        with self._database.snapshot() as snapshot:
            query = self._sql(_FAMILIES, {"name": f"{self._name}-"}, {"name": param_types.STRING})
            rows = snapshot.execute_sql(*query)
            result = dict(map(tuple, rows))
        if set(result) != set(self._orders) or set(result.values()) - {LINES_PER_ORDER}:
            raise Broken(f"a query shows {result}, expected {self._orders}")

    def read_twice(self) -> None:
        """Check that a snapshot stays what it was."""
        with self._database.snapshot(multi_use=True) as snapshot:
            everything = KeySet(all_=True)
            first = list(snapshot.read("Accounts", ("Id", "Balance", "Moves"), everything))
            again = list(snapshot.read("Accounts", ("Id", "Balance", "Moves"), everything))
        if first != again:
            raise Broken("a snapshot changed between two reads")

    def _sql(
        self,
        statement: str,
        parameters: Mapping[str, Any] = MappingProxyType({}),
        types: Mapping[str, Any] = MappingProxyType({}),
    ) -> tuple[str, Mapping[str, Any], Mapping[str, Any]]:
        """Return a statement in the dialect of the database."""
        return of_database(self._database, statement, parameters, types)

    def _delete_order(self, transaction: Any, order: str) -> None:
        statement = self._sql(_DELETE_ORDER, {"id": order}, {"id": param_types.STRING})
        deleted = transaction.execute_update(*statement)
        if deleted != 1:
            raise Broken(f"deleting {order} deleted {deleted} rows")

    def _check_total(self, rows: list[list[int]]) -> None:
        if rows != [[ACCOUNTS * BALANCE]]:
            raise Broken(f"the balances add up to {rows}")


_WEIGHTS: dict[Callable[[Actor], None], int] = {
    Actor.transfer_by_dml: 3,
    Actor.transfer_by_mutations: 3,
    Actor.insert_family: 4,
    Actor.delete_family: 1,
    Actor.read_own_family: 3,
    Actor.query_total: 2,
    Actor.query_stale_total: 2,
    Actor.query_families: 1,
    Actor.read_twice: 1,
}
_ACTIONS = [(action.__name__, action) for action, weight in _WEIGHTS.items() for _ in range(weight)]
