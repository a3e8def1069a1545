"""Programs as a user of Spanner writes them, some with a race: what an exploration has to find."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from google.api_core.exceptions import Aborted, AlreadyExists, DeadlineExceeded
from google.cloud.spanner_v1 import KeyRange, KeySet, TransactionOptions, param_types

SCHEMA = [
    "CREATE SEQUENCE Numbers OPTIONS (sequence_kind = 'bit_reversed_positive')",
    "CREATE TABLE Acc (Id STRING(10), Bal INT64) PRIMARY KEY (Id)",
    "CREATE TABLE Users (Id INT64, Name STRING(20)) PRIMARY KEY (Id)",
    "CREATE UNIQUE INDEX UsersByName ON Users (Name)",
    "CREATE TABLE Doctors (Id INT64, OnCall BOOL) PRIMARY KEY (Id)",
    "CREATE TABLE Bookings (Room INT64, Start INT64, Guest STRING(10)) PRIMARY KEY (Room, Start)",
    "CREATE TABLE Payments (Id INT64 DEFAULT (GET_NEXT_SEQUENCE_VALUE(SEQUENCE Numbers)), "
    "Account STRING(10), Amount INT64, Uid STRING(36) DEFAULT (GENERATE_UUID()), "
    "PaidAt TIMESTAMP OPTIONS (allow_commit_timestamp = true)) PRIMARY KEY (Id)",
    "CREATE TABLE Keys (Id STRING(10)) PRIMARY KEY (Id)",
    "CREATE TABLE Jobs (Id INT64, Owner STRING(10)) PRIMARY KEY (Id)",
]
REPEATABLE = TransactionOptions.IsolationLevel.REPEATABLE_READ
OPTIMISTIC = TransactionOptions.ReadWrite.ReadLockMode.OPTIMISTIC
Actor = Callable[[Any], Any]


def fill(database: Any) -> None:
    """Insert the rows that every program begins with."""
    with database.batch() as batch:
        batch.insert("Acc", ["Id", "Bal"], [("a", 100), ("b", 100), ("c", 100)])
        batch.insert("Doctors", ["Id", "OnCall"], [(1, True), (2, True)])
        batch.insert("Jobs", ["Id", "Owner"], [(1, None)])


@dataclass(frozen=True)
class Program:
    """Some actors and the kind of the failure that an exploration finds, None for none."""

    name: str
    actors: Mapping[str, Actor]
    kind: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


def balance(reader: Any, account: str, suffix: str = "") -> int:
    rows = reader.execute_sql(
        f"SELECT Bal FROM Acc WHERE Id = @id{suffix}",
        params={"id": account},
        param_types={"id": param_types.STRING},
    )
    return int(next(iter(list(rows)))[0])


def transfer(source: str, target: str, amount: int, suffix: str = "", **options: Any) -> Actor:
    def actor(database: Any) -> None:
        def work(transaction: Any) -> None:
            from_, to = (balance(transaction, each, suffix) for each in (source, target))
            rows = [(source, from_ - amount), (target, to + amount)]
            transaction.update("Acc", ["Id", "Bal"], rows)

        database.run_in_transaction(work, **options)

    return actor


def blind(account: str, amount: int) -> Actor:
    """Return an actor that reads in a snapshot and writes by a batch."""

    def actor(database: Any) -> None:
        with database.snapshot() as snapshot:
            now = balance(snapshot, account)
        with database.batch() as batch:
            batch.update("Acc", ["Id", "Bal"], [(account, now + amount)])

    return actor


def dml_add(account: str, amount: int) -> Actor:
    def actor(database: Any) -> int:
        return int(
            database.run_in_transaction(
                lambda transaction: transaction.execute_update(
                    f"UPDATE Acc SET Bal = Bal + {amount} WHERE Id = '{account}'"
                )
            )
        )

    return actor


def two_transactions(amount: int) -> Actor:
    def actor(database: Any) -> None:
        now = database.run_in_transaction(lambda transaction: balance(transaction, "a"))
        database.run_in_transaction(
            lambda transaction: transaction.update("Acc", ["Id", "Bal"], [("a", now + amount)])
        )

    return actor


def register(number: int, **options: Any) -> Actor:
    def actor(database: Any) -> bool:
        def work(transaction: Any) -> bool:
            rows = transaction.execute_sql("SELECT Id FROM Users WHERE Name = 'ann'")
            if list(rows):
                return False
            transaction.insert("Users", ["Id", "Name"], [(number, "ann")])
            return True

        return bool(database.run_in_transaction(work, **options))

    return actor


def leave_call(doctor: int, **options: Any) -> Actor:
    def actor(database: Any) -> None:
        def work(transaction: Any) -> None:
            rows = list(transaction.execute_sql("SELECT Id FROM Doctors WHERE OnCall"))
            if len(rows) > 1:
                transaction.update("Doctors", ["Id", "OnCall"], [(doctor, False)])

        database.run_in_transaction(work, **options)

    return actor


def book(guest: str, start: int, **options: Any) -> Actor:
    def actor(database: Any) -> bool:
        def work(transaction: Any) -> bool:
            taken = transaction.read(
                "Bookings",
                ["Start"],
                KeySet(ranges=[KeyRange(start_closed=[1, 10], end_open=[1, 12])]),
            )
            if list(taken):
                return False
            transaction.insert("Bookings", ["Room", "Start", "Guest"], [(1, start, guest)])
            return True

        return bool(database.run_in_transaction(work, **options))

    return actor


def book_blindly(guest: str, start: int) -> Actor:
    def actor(database: Any) -> None:
        with database.snapshot() as snapshot:
            taken = snapshot.execute_sql("SELECT Start FROM Bookings WHERE Room = 1")
            if list(taken):
                return
        with database.batch() as batch:
            batch.insert("Bookings", ["Room", "Start", "Guest"], [(1, start, guest)])

    return actor


def appends(amount: int) -> Actor:
    """Return an actor whose transaction changes a list outside of the database."""

    def actor(database: Any) -> list[int]:
        seen: list[int] = []

        def work(transaction: Any) -> None:
            now = balance(transaction, "a")
            seen.append(amount)
            transaction.update("Acc", ["Id", "Bal"], [("a", now + amount)])

        database.run_in_transaction(work)
        return seen

    return actor


def gives_up(amount: int) -> Actor:
    def actor(database: Any) -> None:
        def work(transaction: Any) -> None:
            now = balance(transaction, "a")
            transaction.update("Acc", ["Id", "Bal"], [("a", now + amount)])

        with contextlib.suppress(Aborted):
            database.run_in_transaction(work, timeout_secs=0)

    return actor


def pay(key: str | None) -> Actor:
    """Return an actor that repeats a payment whose outcome it does not know."""

    def actor(database: Any) -> None:
        def work(transaction: Any) -> None:
            if key is not None:
                if list(transaction.read("Keys", ["Id"], KeySet(keys=[[key]]))):
                    return
                transaction.insert("Keys", ["Id"], [(key,)])
            now = balance(transaction, "a")
            transaction.update("Acc", ["Id", "Bal"], [("a", now - 10)])

        try:
            database.run_in_transaction(work)
        except DeadlineExceeded:
            database.run_in_transaction(work)

    return actor


def insert_once(database: Any) -> None:
    with database.batch() as batch:
        batch.insert("Keys", ["Id"], [("k",)])


def insert_in_transaction(database: Any) -> None:
    database.run_in_transaction(lambda work: work.insert("Keys", ["Id"], [("k",)]))


def insert_or_find(database: Any) -> None:
    with contextlib.suppress(AlreadyExists):
        insert_once(database)


def audit(database: Any) -> int:
    with database.snapshot(multi_use=True) as snapshot:
        return balance(snapshot, "a") + balance(snapshot, "b")


def audit_twice(database: Any) -> int:
    with database.snapshot() as snapshot:
        first = balance(snapshot, "a")
    with database.snapshot() as snapshot:
        return first + balance(snapshot, "b")


def claim(owner: str) -> Actor:
    def actor(database: Any) -> bool:
        def work(transaction: Any) -> bool:
            ((owned,),) = list(transaction.read("Jobs", ["Owner"], KeySet(keys=[[1]])))
            if owned is not None:
                return False
            transaction.update("Jobs", ["Id", "Owner"], [(1, owner)])
            return True

        return bool(database.run_in_transaction(work))

    return actor


def claim_blindly(owner: str) -> Actor:
    def actor(database: Any) -> bool:
        with database.snapshot() as snapshot:
            ((owned,),) = list(snapshot.read("Jobs", ["Owner"], KeySet(keys=[[1]])))
        if owned is not None:
            return False
        with database.batch() as batch:
            batch.update("Jobs", ["Id", "Owner"], [(1, owner)])
        return True

    return actor


def stale_then_write(amount: int) -> Actor:
    def actor(database: Any) -> None:
        from datetime import timedelta

        with database.snapshot(exact_staleness=timedelta(seconds=15)) as snapshot:
            now = balance(snapshot, "a")
        with database.batch() as batch:
            batch.update("Acc", ["Id", "Bal"], [("a", now + amount)])

    return actor


def pays_with_generated_values(account: str) -> Actor:
    def actor(database: Any) -> int:
        def work(transaction: Any) -> int:
            rows = transaction.execute_sql(
                "INSERT INTO Payments (Account, Amount, PaidAt) "
                f"VALUES ('{account}', 1, PENDING_COMMIT_TIMESTAMP()) THEN RETURN Id"
            )
            return int(next(iter(list(rows)))[0])

        return int(database.run_in_transaction(work))

    return actor


def batch_dml(database: Any) -> None:
    def work(transaction: Any) -> None:
        transaction.batch_update(
            [
                "UPDATE Acc SET Bal = Bal - 5 WHERE Id = 'a'",
                "UPDATE Acc SET Bal = Bal + 5 WHERE Id = 'b'",
            ]
        )

    database.run_in_transaction(work)


def read_committed_sum(database: Any) -> None:
    """Copy a balance to another account by a transaction after a snapshot of its own."""
    total = audit(database)
    database.run_in_transaction(
        lambda transaction: transaction.update("Acc", ["Id", "Bal"], [("c", total)])
    )


PROGRAMS = [
    Program("transfers", {"out": transfer("a", "b", 10), "back": transfer("b", "a", 5)}),
    Program(
        "optimistic transfers",
        {
            "out": transfer("a", "b", 10, read_lock_mode=OPTIMISTIC),
            "back": transfer("b", "a", 5, read_lock_mode=OPTIMISTIC),
        },
    ),
    Program(
        "repeatable transfers",
        {
            "out": transfer("a", "b", 10, isolation_level=REPEATABLE),
            "back": transfer("b", "a", 5, isolation_level=REPEATABLE),
        },
    ),
    Program("snapshot, then batch", {"x": blind("a", 1), "y": blind("a", -5)}, "lost update"),
    Program("disjoint batches", {"x": blind("a", 1), "y": blind("b", -5)}),
    Program(
        "two transactions", {"x": two_transactions(1), "y": two_transactions(2)}, "lost update"
    ),
    Program("dml", {"x": dml_add("a", 1), "y": dml_add("a", 2)}),
    Program("dml and blind write", {"x": dml_add("a", 1), "y": blind("a", 2)}, "lost update"),
    Program("unique name", {"x": register(1), "y": register(2)}),
    Program(
        "unique name, repeatable",
        {
            "x": register(1, isolation_level=REPEATABLE),
            "y": register(2, isolation_level=REPEATABLE),
        },
    ),
    Program("doctors", {"x": leave_call(1), "y": leave_call(2)}),
    Program(
        "doctors, repeatable",
        {
            "x": leave_call(1, isolation_level=REPEATABLE),
            "y": leave_call(2, isolation_level=REPEATABLE),
        },
        "write skew",
    ),
    Program("booking", {"x": book("ann", 10), "y": book("bob", 11)}),
    Program(
        "booking, repeatable",
        {
            "x": book("ann", 10, isolation_level=REPEATABLE),
            "y": book("bob", 11, isolation_level=REPEATABLE),
        },
        "phantom",
    ),
    Program(
        "booking, blind", {"x": book_blindly("ann", 10), "y": book_blindly("bob", 11)}, "phantom"
    ),
    Program("body appends", {"x": appends(1), "y": appends(2)}, "non-idempotent retry"),
    Program("gives up", {"x": gives_up(1), "y": gives_up(2)}, "gives up after ABORTED"),
    Program("payment", {"pay": pay(None)}, "unknown outcome"),
    Program("payment with key", {"pay": pay("k")}),
    Program("payment with key by two", {"x": pay("k"), "y": pay("l")}),
    Program("batch insert", {"insert": insert_once}, "repeated commit"),
    Program("insert in a transaction", {"insert": insert_in_transaction}),
    Program("insert or find", {"insert": insert_or_find}),
    Program("audit", {"transfer": transfer("a", "b", 10), "audit": audit}),
    Program(
        "audit in two snapshots",
        {"audit": audit_twice, "transfer": transfer("a", "b", 10)},
        "inconsistent read",
    ),
    Program("claim", {"x": claim("x"), "y": claim("y")}),
    Program("claim, blind", {"x": claim_blindly("x"), "y": claim_blindly("y")}, "lost update"),
    Program("stale read", {"x": stale_then_write(1), "y": stale_then_write(2)}, "stale decision"),
    Program(
        "generated values",
        {"x": pays_with_generated_values("a"), "y": pays_with_generated_values("b")},
    ),
    Program("batch dml", {"x": batch_dml, "y": transfer("b", "a", 3)}),
    Program(
        "for update",
        {"x": transfer("a", "b", 1, " FOR UPDATE"), "y": transfer("b", "a", 2, " FOR UPDATE")},
        None,
        {"faults": ()},
    ),
    Program(
        "three blind writers",
        {"x": blind("a", 1), "y": blind("a", 2), "z": blind("a", 4)},
        "lost update",
    ),
    Program("copied sum", {"x": read_committed_sum, "y": dml_add("a", 7)}),
]
