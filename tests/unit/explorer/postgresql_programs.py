"""Programs in the PostgreSQL dialect, some with a race."""

from __future__ import annotations

from typing import Any

from google.cloud.spanner_v1 import KeySet

from tests.unit.explorer.programs import OPTIMISTIC, REPEATABLE, Actor, Program

SCHEMA = [
    "CREATE TABLE acc (id varchar PRIMARY KEY, bal bigint)",
    "CREATE TABLE seats (room bigint, seat bigint, guest varchar, PRIMARY KEY (room, seat))",
    "CREATE TABLE doctors (id bigint PRIMARY KEY, on_call boolean)",
    "CREATE TABLE payments (id varchar PRIMARY KEY, amount numeric, paid_at timestamptz)",
]


def fill(database: Any) -> None:
    """Insert the rows that every program begins with."""
    with database.batch() as batch:
        batch.insert("acc", ["id", "bal"], [("a", 100), ("b", 100)])
        batch.insert("doctors", ["id", "on_call"], [(1, True), (2, True)])


def bal(reader: Any, account: str, suffix: str = "") -> int:
    rows = reader.execute_sql(f"SELECT bal FROM acc WHERE id = '{account}'{suffix}")
    return int(next(iter(list(rows)))[0])


def add_blindly(amount: int) -> Actor:
    def actor(database: Any) -> None:
        with database.snapshot() as snapshot:
            now = bal(snapshot, "a")
        with database.batch() as batch:
            batch.update("acc", ["id", "bal"], [("a", now + amount)])

    return actor


def move(source: str, target: str, amount: int, suffix: str = "", **options: Any) -> Actor:
    def actor(database: Any) -> None:
        def work(transaction: Any) -> None:
            from_, to = (bal(transaction, each, suffix) for each in (source, target))
            rows = [(source, from_ - amount), (target, to + amount)]
            transaction.update("acc", ["id", "bal"], rows)

        database.run_in_transaction(work, **options)

    return actor


def sum_twice(database: Any) -> int:
    """Return the sum of two balances, each read in a snapshot of its own."""
    total = 0
    for account in ("a", "b"):
        with database.snapshot() as snapshot:
            total += bal(snapshot, account)
    return total


def rest(doctor: int, **options: Any) -> Actor:
    def actor(database: Any) -> None:
        def work(transaction: Any) -> None:
            rows = list(transaction.execute_sql("SELECT id FROM doctors WHERE on_call"))
            if len(rows) > 1:
                transaction.execute_update(
                    f"UPDATE doctors SET on_call = false WHERE id = {doctor}"
                )

        database.run_in_transaction(work, **options)

    return actor


def take_seat(guest: str, seat: int, **options: Any) -> Actor:
    def actor(database: Any) -> bool:
        def work(transaction: Any) -> bool:
            if list(transaction.execute_sql("SELECT seat FROM seats WHERE room = 1")):
                return False
            transaction.insert("seats", ["room", "seat", "guest"], [(1, seat, guest)])
            return True

        return bool(database.run_in_transaction(work, **options))

    return actor


def upsert(amount: int) -> Actor:
    """Return an actor that adds in one statement."""

    def actor(database: Any) -> None:
        database.run_in_transaction(
            lambda work: work.execute_update(
                f"INSERT INTO acc (id, bal) VALUES ('c', {amount}) "
                f"ON CONFLICT (id) DO UPDATE SET id = excluded.id, bal = excluded.bal"
            )
        )

    return actor


def pay_once(database: Any) -> None:
    """Insert a payment under a key, unless the key is there."""

    def work(transaction: Any) -> None:
        if list(transaction.read("payments", ["id"], KeySet(keys=[["k"]]))):
            return
        transaction.execute_update(
            "INSERT INTO payments (id, amount, paid_at) VALUES ('k', 10.5, CURRENT_TIMESTAMP)"
        )

    database.run_in_transaction(work)


POSTGRESQL: list[Program] = [
    Program("pg snapshot, then batch", {"x": add_blindly(1), "y": add_blindly(2)}, "lost update"),
    Program("pg transfers", {"out": move("a", "b", 10), "back": move("b", "a", 5)}),
    Program(
        "pg transfers, repeatable",
        {
            "out": move("a", "b", 10, isolation_level=REPEATABLE),
            "back": move("b", "a", 5, isolation_level=REPEATABLE),
        },
    ),
    Program(
        "pg transfers, optimistic",
        {
            "out": move("a", "b", 10, read_lock_mode=OPTIMISTIC),
            "back": move("b", "a", 5, read_lock_mode=OPTIMISTIC),
        },
    ),
    Program(
        "pg sum of two snapshots",
        {"sum": sum_twice, "move": move("a", "b", 10)},
        "inconsistent read",
    ),
    Program(
        "pg doctors, repeatable",
        {
            "x": rest(1, isolation_level=REPEATABLE),
            "y": rest(2, isolation_level=REPEATABLE),
        },
        "write skew",
    ),
    Program("pg doctors", {"x": rest(1), "y": rest(2)}),
    Program(
        "pg seats, repeatable",
        {
            "ann": take_seat("ann", 1, isolation_level=REPEATABLE),
            "bob": take_seat("bob", 2, isolation_level=REPEATABLE),
        },
        "phantom",
    ),
    Program("pg seats", {"ann": take_seat("ann", 1), "bob": take_seat("bob", 2)}),
    Program("pg upsert", {"x": upsert(1), "y": upsert(2)}),
    Program("pg payment with key", {"x": pay_once, "y": pay_once}),
]
