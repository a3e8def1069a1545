"""Work that applications do with a database through the official client: the parts of `scenes`."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from google.api_core import exceptions
from google.cloud.spanner_v1 import KeySet

START = datetime(2020, 1, 1, tzinfo=UTC)
OLDER_ROW = 1000  # what the older of two transactions reads

Work = Callable[[Any], None]  # with a client's Database


def ids(n: int, seed: int = 1) -> list[str]:
    """Return random UUIDs."""
    chance = Random(seed)
    return [str(uuid.UUID(int=chance.getrandbits(128), version=4)) for _ in range(n)]


def times(n: int) -> list[datetime]:
    """Return times at intervals of ten milliseconds."""
    return [START + timedelta(milliseconds=10 * k) for k in range(n)]


def shuffled(items: Iterable[Any]) -> list[Any]:
    """Return the items in another order."""
    found = list(items)
    Random(4).shuffle(found)
    return found


def snowflakes(n: int) -> list[int]:
    """Return snowflake ids of the present."""
    now = int(datetime.now(UTC).timestamp() * 1000)
    return [((now + k) - 1_288_834_974_657) << 22 for k in range(n)]


def under(parents: list[str], n: int, hot: float) -> list[tuple[str, str]]:
    """Return `n` children, a part `hot` of them below the first parent."""
    chance = Random(9)
    return [
        (parents[0] if chance.random() < hot else chance.choice(parents[1:]), each)
        for each in ids(n, 2)
    ]


def picks(hot: float, n: int, rows: int = 50) -> list[int]:
    """Return `n` row numbers, a part `hot` of them 0."""
    chance = Random(5)
    return [0 if chance.random() < hot else chance.randrange(1, rows) for _ in range(n)]


def inserts(table: str, columns: str, rows: Iterable[Sequence[Any]]) -> Work:
    """Insert each row in a commit of its own."""
    return sets(table, columns, list(rows), 1)


def sets(table: str, columns: str, rows: Sequence[Any], size: int) -> Work:
    """Insert the rows in commits of `size` rows."""

    def work(client: Any) -> None:
        for at in range(0, len(rows), size):
            with client.batch() as batch:
                batch.insert(table, columns.split(), rows[at : at + size])

    return work


def dml(sql: str, parameters: Iterable[Mapping[str, Any]]) -> Work:
    """Run one transaction for each set of parameters."""
    kept = list(parameters)

    def work(client: Any) -> None:
        for given in kept:
            client.run_in_transaction(lambda t, given=given: t.execute_update(sql, params=given))

    return work


def queries(sql: str, times: int = 25) -> Work:
    """Run a query repeatedly."""

    def work(client: Any) -> None:
        for _ in range(times):
            with client.snapshot() as snapshot:
                list(snapshot.execute_sql(sql))

    return work


def locking(sql: str, times: int) -> Work:
    """Run a query in read-write transactions."""

    def work(client: Any) -> None:
        for _ in range(times):
            client.run_in_transaction(lambda t: list(t.execute_sql(sql)))

    return work


def gets(table: str, column: str, keys: Iterable[Any]) -> Work:
    """Read rows by key."""
    kept = list(keys)

    def work(client: Any) -> None:
        for key in kept:
            with client.snapshot() as snapshot:
                list(snapshot.read(table, [column], KeySet(keys=[[key]])))

    return work


def deletes(table: str, keys: Iterable[Any]) -> Work:
    """Delete each key in a commit of its own."""
    kept = list(keys)

    def work(client: Any) -> None:
        for key in kept:
            with client.batch() as batch:
                batch.delete(table, KeySet(keys=[[key]]))

    return work


def conflicts(rows: Sequence[int], look: str, change: Sequence[str]) -> Work:
    """Let older transactions change the rows that younger transactions have read.

    The transactions use the statements of `change` in turn.
    """

    def begun(client: Any, row: int) -> Any:
        session = client.session()
        session.create()
        transaction = session.transaction()
        transaction.begin()
        list(transaction.execute_sql(look.format(row)))
        return transaction

    def work(client: Any) -> None:
        for turn, row in enumerate(rows):
            older, younger = begun(client, OLDER_ROW), begun(client, row)
            older.execute_update(change[turn % len(change)].format(row))
            older.commit()
            try:
                younger.commit()
            except exceptions.Aborted:
                continue

    return work


def both(*works: Work) -> Work:
    """Do the works one after another."""

    def work(client: Any) -> None:
        for each in works:
            each(client)

    return work


def changes(*statements: str) -> Work:
    """Run DDL."""
    return lambda client: client.update_ddl(list(statements)).result()


def clears(table: str) -> Work:
    """Delete every row, as partitioned DML."""
    return lambda client: client.execute_partitioned_dml(f"DELETE FROM {table} WHERE true")
