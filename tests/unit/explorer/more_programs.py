"""Further programs, each with a race of a kind of its own or with what makes it harmless."""

from __future__ import annotations

import contextlib
import uuid
from datetime import timedelta
from typing import Any

from google.api_core.exceptions import Aborted, AlreadyExists, DeadlineExceeded
from google.cloud.spanner_dbapi import Connection
from google.cloud.spanner_dbapi.exceptions import RetryAborted
from google.cloud.spanner_v1 import JsonObject, KeySet

from tests.unit.explorer.programs import (
    OPTIMISTIC,
    REPEATABLE,
    Actor,
    Program,
    audit,
    balance,
    blind,
    dml_add,
    leave_call,
    transfer,
)

SCHEMA = [
    "CREATE TABLE Documents (Id INT64, Body JSON, Day DATE, Total NUMERIC) PRIMARY KEY (Id)",
    "CREATE TABLE Parents (Id INT64, Name STRING(10)) PRIMARY KEY (Id)",
    "CREATE TABLE Children (Id INT64, Number INT64) PRIMARY KEY (Id, Number), "
    "INTERLEAVE IN PARENT Parents ON DELETE CASCADE",
    "CREATE TABLE Notes (Id INT64, Parent INT64, "
    "FOREIGN KEY (Parent) REFERENCES Parents (Id)) PRIMARY KEY (Id)",
    "CREATE TABLE Expenses (Id STRING(36), Amount INT64) PRIMARY KEY (Id)",
    "CREATE TABLE Tasks (Id INT64, State STRING(10), Owner STRING(10)) PRIMARY KEY (Id)",
    "CREATE INDEX TasksByState ON Tasks (State)",
]


def fill(database: Any) -> None:
    """Insert the rows that the programs begin with, besides those of the other programs."""
    with database.batch() as batch:
        batch.insert(
            "Documents",
            ["Id", "Body", "Day", "Total"],
            [(1, JsonObject({"tags": []}), "2024-02-29", "1.5")],
        )
        batch.insert("Parents", ["Id", "Name"], [(1, "one"), (2, "two")])
        batch.insert("Children", ["Id", "Number"], [(1, 1)])
        batch.insert("Expenses", ["Id", "Amount"], [("rent", 60)])
        batch.insert("Tasks", ["Id", "State", "Owner"], [(1, "open", None), (2, "open", None)])


def rows_of(database: Any, sql: str) -> list[list[Any]]:
    """Return the rows of a query in a snapshot of its own."""
    with database.snapshot() as snapshot:
        return list(snapshot.execute_sql(sql))


def write(database: Any, kind: str, table: str, columns: str, *rows: tuple[Any, ...]) -> None:
    """Write rows by a batch, which is a transaction of its own."""
    with database.batch() as batch:
        getattr(batch, kind)(table, columns.split(), rows)


# ---------------------------------------------------------------------------- lost updates


def then_dml(amount: int) -> Actor:
    def actor(database: Any) -> None:
        ((now,),) = rows_of(database, "SELECT Bal FROM Acc WHERE Id = 'a'")
        database.run_in_transaction(
            lambda work: work.execute_update(f"UPDATE Acc SET Bal = {now + amount} WHERE Id = 'a'")
        )

    return actor


def take_first(owner: str) -> Actor:
    """Return an actor that takes the first open task, which it finds by a query over all."""

    def actor(database: Any) -> int | None:
        tasks = rows_of(database, "SELECT Id FROM Tasks WHERE Owner IS NULL ORDER BY Id LIMIT 1")
        if not tasks:
            return None
        write(database, "update", "Tasks", "Id Owner", (tasks[0][0], owner))
        return int(tasks[0][0])

    return actor


def take_first_in_transaction(owner: str) -> Actor:
    def actor(database: Any) -> int | None:
        def work(transaction: Any) -> int | None:
            tasks = list(
                transaction.execute_sql(
                    "SELECT Id FROM Tasks WHERE State = 'open' ORDER BY Id LIMIT 1"
                )
            )
            if not tasks:
                return None
            row = (tasks[0][0], "taken", owner)
            transaction.update("Tasks", ["Id", "State", "Owner"], [row])
            return int(tasks[0][0])

        taken: int | None = database.run_in_transaction(work)
        return taken

    return actor


def add_tag(tag: str) -> Actor:
    def actor(database: Any) -> None:
        ((body,),) = rows_of(database, "SELECT Body FROM Documents WHERE Id = 1")
        tags = [*body["tags"], tag]
        write(database, "update", "Documents", "Id Body", (1, JsonObject({"tags": tags})))

    return actor


def set_column(column: str, value: Any) -> Actor:
    """Return an actor that replaces one column of a row without reading it."""
    return lambda database: write(database, "update", "Documents", f"Id {column}", (1, value))


def save_whole_row(column: str, value: Any) -> Actor:
    """Return an actor that reads a row, changes one column, and writes all of them."""

    def actor(database: Any) -> None:
        ((day, total),) = rows_of(database, "SELECT Day, Total FROM Documents WHERE Id = 1")
        row = {"Day": day, "Total": total} | {column: value}
        write(database, "update", "Documents", "Id Day Total", (1, row["Day"], row["Total"]))

    return actor


def reads_by_query_then_adds(owner: str) -> Actor:
    """Return an actor whose transaction reads from a snapshot of its own."""

    def actor(database: Any) -> None:
        def work(transaction: Any) -> None:
            ((now,),) = rows_of(database, "SELECT Bal FROM Acc WHERE Id = 'b'")
            transaction.update("Acc", ["Id", "Bal"], [("b", now + len(owner))])

        database.run_in_transaction(work)

    return actor


def dbapi_add(amount: int, *, isolated: bool) -> Actor:
    """Return an actor with a connection of the DB-API, in one transaction if `isolated`."""

    def actor(database: Any) -> None:
        connection = Connection(database._instance, database)
        cursor = connection.cursor()
        cursor.execute("SELECT Bal FROM Acc WHERE Id = 'a'")
        ((now,),) = cursor.fetchall()
        if not isolated:
            connection.commit()
        cursor.execute("UPDATE Acc SET Bal = %s WHERE Id = 'a'", [now + amount])
        connection.commit()
        connection.close()

    return actor


# ---------------------------------------------------------------------------- write skew, phantoms


def withdraw_jointly(account: str, amount: int, suffix: str = "", **options: Any) -> Actor:
    """Return an actor that withdraws if two accounts together hold enough."""

    def actor(database: Any) -> bool:
        def work(transaction: Any) -> bool:
            held = {each: balance(transaction, each, suffix) for each in ("a", "b")}
            if sum(held.values()) < amount:
                return False
            transaction.update("Acc", ["Id", "Bal"], [(account, held[account] - amount)])
            return True

        return bool(database.run_in_transaction(work, **options))

    return actor


def copy(source: str, target: str, **options: Any) -> Actor:
    def actor(database: Any) -> None:
        def work(transaction: Any) -> None:
            transaction.update("Acc", ["Id", "Bal"], [(target, balance(transaction, source) + 1)])

        database.run_in_transaction(work, **options)

    return actor


def remove_unless_last(task: int, **options: Any) -> Actor:
    def actor(database: Any) -> bool:
        def work(transaction: Any) -> bool:
            ((count,),) = list(transaction.execute_sql("SELECT COUNT(*) FROM Tasks"))
            if count < 2:
                return False
            transaction.delete("Tasks", KeySet(keys=[[task]]))
            return True

        return bool(database.run_in_transaction(work, **options))

    return actor


def spend(name: str, amount: int, **options: Any) -> Actor:
    def actor(database: Any) -> bool:
        def work(transaction: Any) -> bool:
            ((total,),) = list(transaction.execute_sql("SELECT SUM(Amount) FROM Expenses"))
            if total + amount > 100:
                return False
            transaction.insert("Expenses", ["Id", "Amount"], [(name, amount)])
            return True

        return bool(database.run_in_transaction(work, **options))

    return actor


def sign_up(database: Any) -> str:
    """Insert a key unless a snapshot shows it."""
    if rows_of(database, "SELECT Id FROM Keys WHERE Id = 'ann'"):
        return "taken"
    write(database, "insert", "Keys", "Id", ("ann",))
    return "welcome"


def sign_up_or_find(database: Any) -> str:
    """Insert a key, and let Spanner say that it is there."""
    with contextlib.suppress(AlreadyExists):
        write(database, "insert", "Keys", "Id", ("ann",))
        return "welcome"
    return "taken"


def next_number(database: Any) -> None:
    """Insert the number after the greatest one."""

    def work(transaction: Any) -> None:
        ((last,),) = list(transaction.execute_sql("SELECT MAX(Number) FROM Children WHERE Id = 1"))
        transaction.insert("Children", ["Id", "Number"], [(1, last + 1)])

    database.run_in_transaction(work)


def remove_parent(database: Any) -> bool:
    def work(transaction: Any) -> None:
        transaction.delete("Parents", KeySet(keys=[[2]]))

    try:
        database.run_in_transaction(work)
    except Exception as error:  # Notes refer to it.
        return type(error).__name__ != "FailedPrecondition"
    return True


def note_parent(database: Any) -> bool:
    """Insert a note about a parent, if there is one."""

    def work(transaction: Any) -> bool:
        if not list(transaction.read("Parents", ["Id"], KeySet(keys=[[2]]))):
            return False
        transaction.insert("Notes", ["Id", "Parent"], [(1, 2)])
        return True

    return bool(database.run_in_transaction(work))


def delete_family(database: Any) -> None:
    write_delete(database, "Parents", 1)


def write_delete(database: Any, table: str, key: int) -> None:
    with database.batch() as batch:
        batch.delete(table, KeySet(keys=[[key]]))


def add_child(database: Any) -> None:
    with contextlib.suppress(Exception):  # without a parent
        write(database, "insert", "Children", "Id Number", (1, 2))


# ---------------------------------------------------------------------------- inconsistent reads


def in_two_transactions(amount: int) -> Actor:
    """Return an actor that moves money by two transactions."""

    def actor(database: Any) -> None:
        for account, change in (("a", -amount), ("b", amount)):
            dml_add(account, change)(database)

    return actor


def count_then_sum(database: Any) -> str:
    ((count,),) = rows_of(database, "SELECT COUNT(*) FROM Expenses")
    ((total,),) = rows_of(database, "SELECT SUM(Amount) FROM Expenses")
    return f"{count} expenses of {total}"


def report_at_once(database: Any) -> str:
    ((count, total),) = rows_of(database, "SELECT COUNT(*), SUM(Amount) FROM Expenses")
    return f"{count} expenses of {total}"


def list_in_pages(database: Any) -> list[str]:
    first = rows_of(database, "SELECT Id FROM Acc ORDER BY Id LIMIT 2")
    last = first[-1][0]
    others = rows_of(database, f"SELECT Id FROM Acc WHERE Id > '{last}' ORDER BY Id LIMIT 2")
    return [key for (key,) in [*first, *others]]


def replace_account(database: Any) -> None:
    """Replace the first account by one that sorts behind all others."""
    with database.batch() as batch:
        batch.delete("Acc", KeySet(keys=[["a"]]))
        batch.insert("Acc", ["Id", "Bal"], [("z", 100)])


# ---------------------------------------------------------------------------- retries, lost responses


def counts_attempts(account: str) -> Actor:
    """Return an actor that says how often it ran, which is an answer about its attempts."""

    def actor(database: Any) -> dict[str, int]:
        state = {"attempts": 0}

        def work(transaction: Any) -> None:
            state["attempts"] += 1
            transaction.update("Acc", ["Id", "Bal"], [(account, balance(transaction, account) + 1)])

        database.run_in_transaction(work)
        return state

    return actor


def logs_in_another_transaction(account: str) -> Actor:
    """Return an actor whose transaction writes a log by a transaction of its own."""

    def actor(database: Any) -> None:
        def work(transaction: Any) -> None:
            now = balance(transaction, account)
            entry = (str(uuid.uuid4()), now)
            write(database, "insert", "Expenses", "Id Amount", entry)
            transaction.update("Acc", ["Id", "Bal"], [(account, now + 1)])

        database.run_in_transaction(work)

    return actor


def gives_up_on_each(accounts: str) -> Actor:
    """Return an actor that goes on with its next transaction after an aborted one."""

    def actor(database: Any) -> None:
        for account in accounts:
            with contextlib.suppress(Aborted):
                database.run_in_transaction(
                    lambda work: work.execute_update(
                        f"UPDATE Acc SET Bal = Bal + 1 WHERE Id = '{account}'"  # noqa: B023
                    ),
                    timeout_secs=0,
                )

    return actor


def resets_its_list(account: str) -> Actor:
    """Return an actor that begins each attempt with an empty list."""

    def actor(database: Any) -> list[int]:
        seen: list[int] = []

        def work(transaction: Any) -> None:
            seen.clear()
            now = balance(transaction, account)
            seen.append(1)
            transaction.update("Acc", ["Id", "Bal"], [(account, now + 1)])

        database.run_in_transaction(work)
        return seen

    return actor


def skips_if_aborted(account: str) -> Actor:
    """Return an actor that takes an aborted transaction for one that has nothing to do."""

    def actor(database: Any) -> bool:
        def work(transaction: Any) -> None:
            now = balance(transaction, account)
            transaction.update("Acc", ["Id", "Bal"], [(account, now + 1)])

        try:
            database.run_in_transaction(work, timeout_secs=0)
        except Aborted:
            return False
        return True

    return actor


def pays_again(database: Any) -> None:
    """Insert a payment with a new id after each unknown outcome."""
    for _ in range(2):
        with contextlib.suppress(DeadlineExceeded):
            identity = str(uuid.uuid4())
            database.run_in_transaction(
                lambda work: work.insert("Expenses", ["Id", "Amount"], [(identity, 10)])  # noqa: B023
            )
            return


def pays_with_one_id(database: Any) -> None:
    """Insert a payment with the same id after each unknown outcome."""
    identity = str(uuid.uuid4())
    for _ in range(2):
        with contextlib.suppress(DeadlineExceeded, AlreadyExists):
            database.run_in_transaction(
                lambda work: work.insert("Expenses", ["Id", "Amount"], [(identity, 10)])
            )
            return


def says_failed(database: Any) -> str:
    """Take an unknown outcome for a failure."""
    try:
        database.run_in_transaction(
            lambda work: work.insert("Expenses", ["Id", "Amount"], [("tea", 10)])
        )
    except DeadlineExceeded:
        return "failed"
    return "paid"


# ---------------------------------------------------------------------------- stale reads


def decides_on_stale(amount: int) -> Actor:
    """Return an actor that writes if a balance was high enough ten seconds ago."""

    def actor(database: Any) -> bool:
        with database.snapshot(exact_staleness=timedelta(seconds=10)) as snapshot:
            enough = balance(snapshot, "c") >= amount
        if enough:
            dml_add("c", -amount)(database)
        return enough

    return actor


def with_allowed_errors(database: Any) -> None:
    write(database, "insert", "Users", "Id Name", (1, "ann"))


def with_another_id(database: Any) -> None:
    write(database, "insert", "Users", "Id Name", (2, "ann"))


def takes_first_by_index(owner: str) -> Actor:
    """Return an actor that reads an entry of an index, and writes the row by a batch."""

    def actor(database: Any) -> None:
        tasks = rows_of(
            database,
            "SELECT Id FROM Tasks@{FORCE_INDEX=TasksByState} WHERE State = 'open' "
            "ORDER BY Id LIMIT 1",
        )
        with database.batch() as batch:
            for (task,) in tasks:
                batch.update("Tasks", ["Id", "State", "Owner"], [(task, "taken", owner)])

    return actor


def changes_if_present(database: Any) -> str:
    if not rows_of(database, "SELECT Id FROM Expenses WHERE Id = 'rent'"):
        return "gone"
    with database.batch() as batch:
        batch.update("Expenses", ["Id", "Amount"], [("rent", 70)])
    return "changed"


def removes_expense(database: Any) -> None:
    with database.batch() as batch:
        batch.delete("Expenses", KeySet(keys=[["rent"]]))


def notes_if_present(database: Any) -> str:
    if not rows_of(database, "SELECT Id FROM Parents WHERE Id = 2"):
        return "gone"
    with database.batch() as batch:
        batch.insert("Notes", ["Id", "Parent"], [(1, 2)])
    return "noted"


def removes_parent(database: Any) -> None:
    with database.batch() as batch:
        batch.delete("Parents", KeySet(keys=[[2]]))


def removes_if_without_notes(database: Any) -> str:
    if rows_of(database, "SELECT Id FROM Notes WHERE Parent = 2"):
        return "kept"
    removes_parent(database)
    return "removed"


MORE: list[Program] = [
    Program(
        "first task by index, blind",
        {"ann": takes_first_by_index("ann"), "bob": takes_first_by_index("bob")},
        "lost update",
    ),
    Program(
        "change of a removed row",
        {"change": changes_if_present, "remove": removes_expense},
        "inconsistent read",
        {"faults": ("abort",)},
    ),
    Program(
        "note of a removed parent",
        {"note": notes_if_present, "remove": removes_parent},
        "inconsistent read",
        {"faults": ("abort",)},
    ),
    Program(
        "removal of a parent with a new note",
        {"remove": removes_if_without_notes, "note": notes_if_present},
        "phantom",
        {"faults": ("abort",)},
    ),
    Program("snapshot, then dml", {"x": then_dml(1), "y": then_dml(2)}, "lost update"),
    Program(
        "snapshot in a transaction",
        {"ann": reads_by_query_then_adds("ann"), "bo": reads_by_query_then_adds("bo")},
        "lost update",
    ),
    Program(
        "first task, blind", {"ann": take_first("ann"), "bob": take_first("bob")}, "lost update"
    ),
    Program(
        "first task, transaction",
        {"ann": take_first_in_transaction("ann"), "bob": take_first_in_transaction("bob")},
    ),
    Program("json document", {"x": add_tag("x"), "y": add_tag("y")}, "lost update"),
    Program(
        "whole rows",
        {"x": save_whole_row("Day", "2025-01-01"), "y": save_whole_row("Total", "2.5")},
        "lost update",
    ),
    Program(
        "disjoint columns",
        {"x": set_column("Day", "2025-01-01"), "y": set_column("Total", "2.5")},
    ),
    Program(
        "dbapi, two transactions",
        {"x": dbapi_add(1, isolated=False), "y": dbapi_add(2, isolated=False)},
        "lost update",
    ),
    Program(
        "dbapi, one transaction",
        {"x": dbapi_add(1, isolated=True), "y": dbapi_add(2, isolated=True)},
        None,
        {"allow_errors": (RetryAborted,)},
    ),
    Program(
        "joint withdrawal, repeatable",
        {
            "x": withdraw_jointly("a", 150, isolation_level=REPEATABLE),
            "y": withdraw_jointly("b", 150, isolation_level=REPEATABLE),
        },
        "write skew",
    ),
    Program(
        "joint withdrawal, for update",
        {
            "x": withdraw_jointly("a", 150, " FOR UPDATE", isolation_level=REPEATABLE),
            "y": withdraw_jointly("b", 150, " FOR UPDATE", isolation_level=REPEATABLE),
        },
        None,
        {"faults": ()},
    ),
    Program(
        "joint withdrawal, optimistic",
        {
            "x": withdraw_jointly("a", 150, read_lock_mode=OPTIMISTIC),
            "y": withdraw_jointly("b", 150, read_lock_mode=OPTIMISTIC),
        },
    ),
    Program(
        "crossed copies, repeatable",
        {
            "x": copy("a", "b", isolation_level=REPEATABLE),
            "y": copy("b", "a", isolation_level=REPEATABLE),
        },
        "write skew",
    ),
    Program(
        "ring of copies, repeatable",
        {
            "x": copy("a", "b", isolation_level=REPEATABLE),
            "y": copy("b", "c", isolation_level=REPEATABLE),
            "z": copy("c", "a", isolation_level=REPEATABLE),
        },
        "write skew",
    ),
    Program(
        "last task, repeatable",
        {
            "x": remove_unless_last(1, isolation_level=REPEATABLE),
            "y": remove_unless_last(2, isolation_level=REPEATABLE),
        },
        "write skew",
    ),
    Program("last task", {"x": remove_unless_last(1), "y": remove_unless_last(2)}),
    Program(
        "expenses, repeatable",
        {
            "tea": spend("tea", 30, isolation_level=REPEATABLE),
            "cake": spend("cake", 30, isolation_level=REPEATABLE),
        },
        "phantom",
    ),
    Program("expenses", {"tea": spend("tea", 30), "cake": spend("cake", 30)}),
    Program("key, blind", {"x": sign_up, "y": sign_up}, "phantom"),
    Program(
        "key, insert or find",
        {"x": sign_up_or_find, "y": sign_up_or_find},
        None,
        {"faults": ("abort",)},
    ),
    Program("next number", {"x": next_number, "y": next_number}),
    Program("foreign key", {"remove": remove_parent, "note": note_parent}),
    Program("cascade", {"delete": delete_family, "add": add_child}, None, {"faults": ()}),
    Program(
        "transfer in two transactions",
        {"move": in_two_transactions(10), "audit": audit},
        "inconsistent read",
    ),
    Program(
        "count, then sum",
        {"report": count_then_sum, "tea": spend("tea", 30)},
        "inconsistent read",
    ),
    Program("count and sum", {"report": report_at_once, "tea": spend("tea", 30)}),
    Program("pages", {"list": list_in_pages, "replace": replace_account}, "inconsistent read"),
    Program(
        "counts attempts",
        {"x": counts_attempts("a"), "y": counts_attempts("a")},
        "non-idempotent retry",
    ),
    Program(
        "logs in another transaction",
        {"x": logs_in_another_transaction("a")},
        "non-idempotent retry",
        {"faults": ("abort",)},
    ),
    Program("gives up on each", {"x": gives_up_on_each("ab")}, "gives up after ABORTED"),
    Program("resets its list", {"x": resets_its_list("a"), "y": resets_its_list("a")}),
    Program(
        "skips if aborted",
        {"x": skips_if_aborted("a"), "y": skips_if_aborted("a")},
        "gives up after ABORTED",
    ),
    Program("pays again", {"pay": pays_again}, "unknown outcome"),
    Program("pays with one id", {"pay": pays_with_one_id}),
    Program("says failed", {"pay": says_failed}, "unknown outcome"),
    Program(
        "stale decision", {"x": decides_on_stale(60), "y": decides_on_stale(60)}, "stale decision"
    ),
    Program(
        "stale decision, allowed",
        {"x": decides_on_stale(60), "y": decides_on_stale(60)},
        None,
        {"stale": "allow", "faults": ()},
    ),
    Program(
        "allowed errors",
        {"x": with_allowed_errors, "y": with_another_id},
        None,
        {"allow_errors": (AlreadyExists,), "faults": ("abort",)},
    ),
    Program("blind and transfer", {"x": blind("a", 1), "y": transfer("a", "b", 10)}, "lost update"),
    Program(
        "four lost updates",
        {name: blind("a", 2**number) for number, name in enumerate("wxyz")},
        "lost update",
    ),
    Program(
        "doctors, optimistic",
        {
            "x": leave_call(1, read_lock_mode=OPTIMISTIC),
            "y": leave_call(2, read_lock_mode=OPTIMISTIC),
        },
    ),
]
