"""Which rows are committed in one step, and what keeps a row from it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from spanemu.storage.layout import EVERYTHING
from spanemu.txn import one_row
from spanemu.txn.locks.holder import LockHolder, State
from spanemu.txn.locks.modes import READ_EXISTENCE, READ_ROW, Lock
from spanemu.txn.one_row import CommittedRow
from spanemu.values.mutation import COMMIT_TIMESTAMP_PLACEHOLDER, Mutation, WriteKind
from tests.unit.txn.bench import Bench, delete, insert, update, write

UPSERT, REPLACE = WriteKind.INSERT_OR_UPDATE, WriteKind.REPLACE
PLAIN = "CREATE TABLE T (K INT64, A INT64, B STRING(3)) PRIMARY KEY (K)"
COLUMN_B: Lock = (8, 8)


def commit(
    bench: Bench, mutation: Mutation, holder: LockHolder | None = None, counted: int = 0
) -> CommittedRow | None:
    """Commit a mutation in one step; None if that is not possible."""
    prepared = one_row.prepared(bench.compiled, mutation)
    if prepared is None or not one_row.has_valid_timestamps(prepared, bench.begin().context):
        return None
    with bench.store.mutex:
        return one_row.commit(bench.store, bench.core.locks, holder, prepared, counted)


def table(columns: str, end: str = "") -> str:
    return f"CREATE TABLE T (K INT64, A INT64, B STRING(3){columns}) PRIMARY KEY (K){end}"


OTHER = "CREATE TABLE Other (K INT64) PRIMARY KEY (K)"
STREAM = "CREATE CHANGE STREAM Everything FOR ALL"
REFERENCE = "CREATE TABLE Child (K INT64, FOREIGN KEY (K) REFERENCES T (K)) PRIMARY KEY (K)"


@pytest.mark.parametrize(
    "statements",
    [
        [PLAIN],
        [table(", D INT64 NOT NULL DEFAULT (1)")],
        [PLAIN, "CREATE INDEX I ON T (A DESC) STORING (B)"],
        [PLAIN, "CREATE NULL_FILTERED INDEX I ON T (B)", "CREATE INDEX J ON T (A)"],
        [table(", Stamp TIMESTAMP OPTIONS (allow_commit_timestamp = true)")],
        [OTHER, table("", ", INTERLEAVE IN Other")],
        [PLAIN, "CREATE TABLE C (K INT64, L INT64) PRIMARY KEY (K, L), INTERLEAVE IN PARENT T"],
    ],
)
def test_updates_and_complete_rows_stand_alone(statements: list[str]) -> None:
    bench = Bench(*statements)
    if "D INT64" in statements[0]:
        assert commit(bench, insert("T", "K A", (1, 2))) is None  # The default is computed.
        bench.run(insert("T", "K A B", (1, 2, "x")))
    else:
        assert commit(bench, insert("T", "K A B", (1, 2, "x"))) is not None
    changed = commit(bench, update("T", "K B", (1, "y")))
    assert (changed is None) == any("(B)" in each and "INDEX" in each for each in statements)
    bench.store.check()


@pytest.mark.parametrize(
    "statements",
    [
        [table(", G INT64 AS (A + 1) STORED")],
        [table(", G INT64 AS (A + 1)")],
        [table(", CONSTRAINT C CHECK (A > 0)")],
        [OTHER, table(", FOREIGN KEY (A) REFERENCES Other (K)")],
        [PLAIN, REFERENCE],
        [PLAIN, "CREATE UNIQUE INDEX I ON T (A)"],
        [table(", S TOKENLIST AS (TOKENIZE_FULLTEXT(B)) HIDDEN"), "CREATE SEARCH INDEX I ON T (S)"],
    ],
)
def test_writes_to_tables_with_constraints_need_the_general_commit(statements: list[str]) -> None:
    bench = Bench(*statements)
    assert commit(bench, insert("T", "K B", (1, "x"))) is None
    bench.run(insert("T", "K B", (1, "x")))
    assert commit(bench, update("T", "K B", (1, "y"))) is None


@pytest.fixture
def bench() -> Bench:
    bench = Bench(
        PLAIN,
        "CREATE TABLE Child (K INT64, L INT64, V INT64) PRIMARY KEY (K, L),"
        " INTERLEAVE IN PARENT T ON DELETE CASCADE",
        "CREATE INDEX ByV ON Child (V)",
        "CREATE TABLE Log (Id INT64 NOT NULL, Stamp TIMESTAMP"
        " OPTIONS (allow_commit_timestamp = true)) PRIMARY KEY (Id)",
    )
    bench.run(insert("T", "K A B", (1, 10, "a"), (2, 20, "b")))
    bench.run(insert("Child", "K L V", (1, 1, 5)))
    return bench


@pytest.mark.parametrize(
    ("mutation", "rows"),
    [
        (insert("T", "K B", (3, "c")), [(1, 10, "a"), (2, 20, "b"), (3, None, "c")]),
        (update("T", "B K", ("z", 1)), [(1, 10, "z"), (2, 20, "b")]),
        (write(UPSERT, "T", "K B", (2, "z")), [(1, 10, "a"), (2, 20, "z")]),
        (write(UPSERT, "t", "k b", (9, "z")), [(1, 10, "a"), (2, 20, "b"), (9, None, "z")]),
        (write(REPLACE, "T", "K B", (9, "z")), [(1, 10, "a"), (2, 20, "b"), (9, None, "z")]),
    ],
)
def test_rows_are_stored_as_by_a_general_commit(
    bench: Bench, mutation: Mutation, rows: list[Any]
) -> None:
    before = bench.store.last_commit
    committed = commit(bench, mutation)
    assert committed is not None
    assert bench.stored("T") == rows
    assert committed[0] == bench.store.last_commit > before
    assert not list(bench.core.locks.holders())


def test_plans_are_kept_for_the_tables_of_the_schema_only(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_row, "PLANS_MAX", 2)
    assert commit(bench, insert("Unknown" * 1_000, "K", (1,))) is None
    assert commit(bench, insert("T", "K Unknown", (7, 1))) is None
    assert not bench.compiled.plans_alone
    for columns in ("K", "K A", "K B"):
        assert commit(bench, write(UPSERT, "T", columns, (7, None)[: len(columns.split())]))
    assert len(bench.compiled.plans_alone) == 1


def test_entries_and_their_count(bench: Bench) -> None:
    committed = commit(bench, insert("Child", "K L V", (2, 1, 7)))
    assert committed is not None
    assert committed[1] == 3 + 1
    assert bench.stored("ByV") == [(5, 1, 1), (7, 2, 1)]
    assert [tree for tree, _, _ in committed[2]] == [bench.tree("Child"), bench.tree("ByV")]


def test_commit_timestamps(bench: Bench) -> None:
    committed = commit(bench, insert("Log", "Id Stamp", (1, COMMIT_TIMESTAMP_PLACEHOLDER)))
    assert committed is not None
    assert bench.stored("Log") == [(1, committed[0])]


@pytest.mark.parametrize(
    "mutation",
    [
        insert("T", "K", (1,)),  # exists
        update("T", "K A", (7, 1)),  # does not exist
        insert("T", "K B", (7, "long")),
        insert("T", "K B", (7,)),
        insert("T", "K Nothing", (7, 1)),
        insert("Nothing", "K", (7,)),
        insert("T", "K", (7,), (8,)),
        insert("T", "K"),
        delete("T", (1,)),
        write(REPLACE, "T", "K", (1,)),  # Its child goes.
        insert("Child", "K L", (7, 1)),  # has no parent
        update("Child", "K L V", (1, 1, 6)),  # An entry goes and another one comes.
    ],
)
def test_errors_and_more_than_a_row_are_left_to_the_general_way(
    bench: Bench, mutation: Mutation
) -> None:
    before = bench.store.last_commit
    assert commit(bench, mutation) is None
    assert bench.store.last_commit == before


def test_more_mutations_than_permitted_are_left_to_the_general_way(bench: Bench) -> None:
    most = bench.compiled.limits.mutations_per_commit
    assert commit(bench, insert("T", "K A", (7, 1)), counted=most - 1) is None
    assert commit(bench, insert("T", "K A", (7, 1)), counted=most - 2) is not None


NEW_CHILD = insert("Child", "K L V", (2, 1, 7))


@pytest.mark.parametrize(("name", "key"), [("Child", (2, 1)), ("T", (2,)), ("ByV", (7, 2, 1))])
def test_locks_of_other_transactions_prevent_a_commit_in_one_step(
    bench: Bench, name: str, key: tuple[int, ...]
) -> None:
    other, locks = LockHolder((1, 1)), bench.core.locks
    tree = bench.tree(name)
    encoded = (
        bench.rules("Child").indexes[0].encode(key) if name == "ByV" else bench.key(name, *key)
    )
    locks.lock_row(other, tree, encoded, READ_EXISTENCE)
    assert commit(bench, NEW_CHILD) is None
    locks.release(other, State.ROLLED_BACK)
    (everything,) = EVERYTHING
    third = LockHolder((2, 2))
    locks.lock_range(third, tree, *everything, READ_EXISTENCE)
    assert commit(bench, NEW_CHILD) is None
    locks.release(third, State.ROLLED_BACK)
    assert commit(bench, NEW_CHILD) is not None


def test_own_locks_are_released(bench: Bench) -> None:
    own, locks = LockHolder((1, 1)), bench.core.locks
    (everything,) = EVERYTHING
    locks.lock_row(own, bench.tree("T"), bench.key("T", 1), READ_ROW)
    locks.lock_range(own, bench.tree("T"), *everything, READ_ROW)
    assert commit(bench, update("T", "K A", (1, 11)), own) is not None
    assert own.state is State.COMMITTED
    assert not own.rows
    assert not list(locks.holders())


def test_a_lock_shared_with_others_is_left_to_the_general_way(bench: Bench) -> None:
    own, other, locks = LockHolder((1, 1)), LockHolder((2, 2)), bench.core.locks
    for holder in (own, other):
        locks.lock_row(holder, bench.tree("T"), bench.key("T", 1), READ_ROW)
    assert commit(bench, update("T", "K A", (1, 11)), own) is None
    assert own.state is State.ACTIVE


def test_a_wounded_transaction_is_left_to_the_general_way(bench: Bench) -> None:
    own = LockHolder((1, 1))
    bench.core.locks.wound(own, "It lost.")
    assert commit(bench, update("T", "K A", (1, 11)), own) is None


def test_requests_that_wait_are_not_overtaken(bench: Bench) -> None:
    older, younger, locks = LockHolder((1, 1)), LockHolder((2, 2)), bench.core.locks
    older.client.busy = 1
    tree, key = bench.tree("T"), bench.key("T", 1)
    locks.lock_row(older, tree, key, READ_ROW)

    def lock() -> None:
        locks.lock_row(younger, tree, key, COLUMN_B)

    waiting = in_thread(lock, lambda: locks.waiting_count() == 1)
    assert commit(bench, insert("T", "K", (7,))) is None
    locks.release(older, State.ROLLED_BACK)
    waiting.join()
    locks.release(younger, State.ROLLED_BACK)
    assert commit(bench, insert("T", "K", (7,))) is not None


def in_thread(work: Callable[[], object], reached: Callable[[], bool]) -> threading.Thread:
    """Run work on a thread, and return once it has reached a point."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while not reached():
        thread.join(0.002)
    return thread
