"""How each mode of reading locks, what it sees, and what its commit validates."""

from __future__ import annotations

import pytest

from spanemu.txn.errors import TransactionAborted, TransactionOver
from spanemu.txn.locks.holder import State
from spanemu.txn.locks.modes import READ_ROW, WRITE_ROW
from spanemu.txn.read_write import Reads, TransactionWorkspace
from spanemu.txn.reader import TransactionReader
from spanemu.values.cell_mask import EXISTENCE, WHOLE_ROW, cells_of
from tests.unit.txn.bench import Bench, delete, insert, update

SNAPSHOTS = [Reads.OPTIMISTIC, Reads.REPEATABLE, Reads.REPEATABLE_LOCKING]
LAZY = [Reads.OPTIMISTIC, Reads.REPEATABLE]


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.run(insert("Singers", "Id Name Age", *((n, "abc"[n], n * 10) for n in range(3))))
    return bench


def ages(bench: Bench, transaction: TransactionWorkspace, **how) -> list:
    return [row[2] for row in transaction.scan(bench.schema.tables["singers"], **how)]


def age(bench: Bench, transaction: TransactionWorkspace, id_: int, **how):
    row = transaction.get_row(bench.schema.tables["singers"], bench.key("Singers", id_), **how)
    return None if row is None else row[2]


# ---------------------------------------------------------------------------- what is locked


def test_pessimistic_reads_lock_rows_and_ranges(bench: Bench) -> None:
    transaction = bench.begin()
    age(bench, transaction, 1)
    age(bench, transaction, 9)  # not there
    tree = bench.tree("Singers")
    assert transaction.holder.rows == {
        (tree, bench.key("Singers", number)): READ_ROW for number in (1, 9)
    }
    ages(bench, transaction, ranges=[(b"a", b"b"), (b"c", b"d")])
    assert transaction.holder.ranges == {
        (tree, b"a", b"b"): READ_ROW,
        (tree, b"c", b"d"): READ_ROW,
    }


@pytest.mark.parametrize("reads", SNAPSHOTS)
def test_snapshot_reads_lock_nothing(bench: Bench, reads: Reads) -> None:
    transaction = bench.begin(reads)
    age(bench, transaction, 1)
    ages(bench, transaction)
    assert not transaction.holder.rows
    assert not transaction.holder.ranges


@pytest.mark.parametrize("reads", [Reads.PESSIMISTIC, Reads.REPEATABLE_LOCKING])
def test_reads_for_update_lock_exclusively(bench: Bench, reads: Reads) -> None:
    transaction = bench.begin(reads)
    assert age(bench, transaction, 1, lock=WRITE_ROW) == 10
    assert ages(bench, transaction, lock=WRITE_ROW) == [0, 10, 20]
    assert list(transaction.holder.rows.values()) == [WRITE_ROW]
    assert list(transaction.holder.ranges.values()) == [WRITE_ROW]


@pytest.mark.parametrize("reads", LAZY)
def test_writes_are_locked_at_the_commit_if_reads_lock_nothing(bench: Bench, reads: Reads) -> None:
    transaction = bench.begin(reads)
    ages(bench, transaction, lock=WRITE_ROW)
    bench.mutate(transaction, update("Singers", "Id Age", (1, 11)))
    assert not transaction.holder.rows
    transaction.lock_writes()
    assert set(transaction.holder.rows) == {
        (tree, key) for tree, key, _ in transaction.buffer.entries()
    }


def written(transaction: TransactionWorkspace) -> set:
    return {row_key for row_key, lock in transaction.holder.rows.items() if lock[1]}


def test_statements_lock_what_they_read_and_the_commit_what_they_wrote(bench: Bench) -> None:
    transaction = bench.begin()
    bench.mutate(transaction, update("Singers", "Id Age", (1, 11)))
    assert transaction.holder.rows
    assert not written(transaction)
    transaction.lock_writes()
    assert written(transaction) == {(tree, key) for tree, key, _ in transaction.buffer.entries()}


def test_a_commit_locks_for_both_what_it_reads_to_write(bench: Bench) -> None:
    transaction = bench.begin()
    transaction.begin_commit()
    bench.mutate(transaction, update("Singers", "Id Age", (1, 11)))
    assert written(transaction)


def test_repeatable_locking_locks_written_rows_at_once(bench: Bench) -> None:
    transaction = bench.begin(Reads.REPEATABLE_LOCKING)
    bench.mutate(transaction, update("Singers", "Id Age", (1, 11)))
    assert written(transaction) == {(tree, key) for tree, key, _ in transaction.buffer.entries()}


# ---------------------------------------------------------------------------- what is seen


@pytest.mark.parametrize("reads", list(Reads))
def test_own_writes_are_seen(bench: Bench, reads: Reads) -> None:
    transaction = bench.begin(reads)
    bench.mutate(
        transaction,
        update("Singers", "Id Age", (1, 11)),
        delete("Singers", (0,)),
        insert("Singers", "Id Age", (7, 70)),
    )
    assert ages(bench, transaction) == [11, 20, 70]
    assert ages(bench, transaction, descending=True) == [70, 20, 11]
    assert [age(bench, transaction, number) for number in (0, 1, 7)] == [None, 11, 70]
    index = bench.schema.indexes["singersbyname"]
    assert [row[1] for row in transaction.scan(index)] == [2, 1, 7]


@pytest.mark.parametrize("reads", SNAPSHOTS)
def test_a_snapshot_is_taken_by_the_first_read(bench: Bench, reads: Reads) -> None:
    transaction = bench.begin(reads)
    assert transaction.snapshot_at is None
    bench.run(update("Singers", "Id Age", (1, 11)))
    assert age(bench, transaction, 1) == 11
    at = transaction.snapshot_at
    bench.run(update("Singers", "Id Age", (1, 12), (2, 22)))
    assert ages(bench, transaction) == [0, 11, 20]
    assert transaction.snapshot_at == at


def test_pessimistic_reads_see_the_latest(bench: Bench) -> None:
    transaction = bench.begin()
    assert age(bench, transaction, 0) == 0
    bench.run(update("Singers", "Id Age", (1, 11)))
    assert age(bench, transaction, 1) == 11
    assert transaction.snapshot_at is None


def test_scans_return_rows_with_all_current_columns(bench: Bench) -> None:
    bench.ddl("ALTER TABLE Singers ADD COLUMN City STRING(9)")
    transaction = bench.begin()
    table = bench.schema.tables["singers"]
    assert {len(row) for row in transaction.scan(table)} == {4}
    row = transaction.get_row(table, bench.key("Singers", 1))
    assert row == (1, "b", 10, None)


def test_a_wounded_transaction_stops_in_the_middle(bench: Bench) -> None:
    transaction = bench.begin()
    rows = transaction.scan(bench.schema.tables["singers"])
    next(rows)
    bench.core.locks.wound(transaction.holder, "test")
    with pytest.raises(TransactionAborted) as failure:
        next(rows)
    assert failure.value.reason == "test"
    with pytest.raises(TransactionAborted):
        age(bench, transaction, 1)


def test_an_ended_transaction_locks_nothing_any_more(bench: Bench) -> None:
    transaction = bench.begin()
    rows = transaction.scan(bench.schema.tables["singers"])
    bench.core.locks.release(transaction.holder, State.ROLLED_BACK)
    with pytest.raises(TransactionOver):
        next(rows)
    assert list(bench.core.locks.holders()) == []


# ---------------------------------------------------------------------------- what is validated


CHANGES = {
    "update": update("Singers", "Id Age", (1, 11)),
    "delete": delete("Singers", (1,)),
    "insert": insert("Singers", "Id", (5,)),
}


def is_aborted(transaction: TransactionWorkspace) -> bool:
    try:
        transaction.validate()
    except TransactionAborted:
        return True
    return False


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("reads", SNAPSHOTS)
@pytest.mark.parametrize("how", ["plain", "for update", "of a statement that writes"])
def test_scanned_ranges_are_validated(bench: Bench, reads: Reads, change: str, how: str) -> None:
    transaction = bench.begin(reads)
    lock = WRITE_ROW if how == "for update" else READ_ROW
    rows = ages(bench, transaction, lock=lock, must_hold=how.startswith("of"))
    assert rows == [0, 10, 20]
    bench.mutate(transaction, insert("Singers", "Id", (99,)))
    assert not is_aborted(transaction)
    bench.core.locks.wound(transaction.holder, "out of the way of the change")
    bench.run(CHANGES[change])
    assert is_aborted(transaction) == (reads is Reads.OPTIMISTIC or how != "plain")


@pytest.mark.parametrize("reads", SNAPSHOTS)
def test_rows_that_were_not_read_may_change(bench: Bench, reads: Reads) -> None:
    transaction = bench.begin(reads)
    age(bench, transaction, 1)
    ages(bench, transaction, ranges=[(b"", bench.key("Singers", 1))])
    bench.mutate(transaction, update("Singers", "Id Age", (1, 11)))
    bench.run(update("Singers", "Id Age", (2, 21)), insert("Singers", "Id", (5,)))
    assert not is_aborted(transaction)


@pytest.mark.parametrize("value", [10, 11])
@pytest.mark.parametrize("reads", SNAPSHOTS)
def test_blind_writes_are_validated_in_repeatable_read(
    bench: Bench, reads: Reads, value: int
) -> None:
    transaction = bench.begin(reads)
    age(bench, transaction, 0)
    bench.run(update("Singers", "Id Age", (1, value)))
    bench.mutate(transaction, update("Singers", "Id Age", (1, 12)))
    assert is_aborted(transaction) == (reads is not Reads.OPTIMISTIC)


@pytest.mark.parametrize("column", ["Id Name", "Id Age", "Id Name Age"])
def test_an_unchanged_entry_is_written_only_for_transactions_that_validate(
    bench: Bench, column: str
) -> None:
    tree = bench.tree("SingersByName")
    key = next(key for key, entry in bench.store.scan_items(tree) if entry[1] == 2)
    values = {"Id": 2, "Name": "c", "Age": 20}
    same = update("Singers", column, tuple(values[name] for name in column.split()))
    before = bench.store.head(tree, key)
    bench.run(same)
    assert bench.store.head(tree, key) is before
    reader = bench.begin(Reads.OPTIMISTIC)
    age(bench, reader, 0)
    bench.run(same)
    assert bench.store.head(tree, key) is not before
    assert bench.store.get(tree, key) == before[1]


def test_reads_alone_are_true_at_their_snapshot(bench: Bench) -> None:
    transaction = bench.begin(Reads.OPTIMISTIC)
    ages(bench, transaction)
    bench.run(update("Singers", "Id Age", (1, 11)))
    assert not is_aborted(transaction)


def test_a_write_that_met_no_row_is_still_a_write(bench: Bench) -> None:
    transaction = bench.begin(Reads.OPTIMISTIC)
    age(bench, transaction, 0)
    bench.run(insert("Singers", "Id", (5,)))
    bench.mutate(transaction, delete("Singers", (5,)))
    assert is_aborted(transaction)


def test_pessimistic_transactions_have_nothing_to_validate(bench: Bench) -> None:
    transaction = bench.begin()
    ages(bench, transaction)
    bench.mutate(transaction, update("Singers", "Id Age", (1, 11)))
    transaction.validate()


# ---------------------------------------------------------------------------- as SQL sees it


def test_a_reader_passes_on_what_its_statement_is(bench: Bench) -> None:
    table, index = bench.schema.tables["singers"], bench.schema.indexes["singersbyname"]
    transaction = bench.begin(Reads.REPEATABLE_LOCKING)
    plain = TransactionReader(transaction)
    assert [row[0] for row in plain.scan(table, descending=True)] == [2, 1, 0]
    assert [row[1] for row in plain.scan(index)] == [2, 1, 0]
    assert plain.get(table, bench.key("Singers", 1)) == (1, "b", 10)
    assert plain.row_count_estimate(table) == 3
    assert not transaction.holder.rows
    writing = TransactionReader(transaction, writes=True)
    writing.get(table, bench.key("Singers", 1))
    assert list(transaction.holder.rows.values()) == [READ_ROW]
    locking = TransactionReader(transaction, lock_scanned=True)
    locking.get(table, bench.key("Singers", 2))
    list(locking.scan(index))
    in_row = (WHOLE_ROW, WHOLE_ROW & ~EXISTENCE & ~cells_of([0]))
    assert list(transaction.holder.rows.values()) == [READ_ROW, in_row]
    in_entry = (WHOLE_ROW, WHOLE_ROW & ~EXISTENCE & ~cells_of([0, 1]))
    assert list(transaction.holder.ranges.values()) == [in_entry]
