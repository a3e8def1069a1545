"""A count of rows is the number of rows that a scan yields, and locks the same cells."""

from __future__ import annotations

import pytest

from spanemu.base.call import Call, DeadlineExceeded
from spanemu.storage.layout import tree_of
from spanemu.txn.locks.holder import State
from spanemu.txn.read_only import SnapshotReader
from spanemu.txn.read_write import Reads
from spanemu.txn.reader import PartitionReader, TransactionReader
from spanemu.values.cell_mask import EXISTENCE
from tests.unit.txn.bench import Bench, delete, insert, update

ROWS = 3_000


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.run(insert("Singers", "Id Name Age", *((n, f"n{n % 40}", n % 9) for n in range(ROWS))))
    return bench


def ranges_of(bench: Bench) -> list:
    keys = [bench.key("Singers", number) for number in (0, 3, 50, 1_500, 2_999, 9_999)]
    return [
        None,
        [],
        [(keys[1], keys[3])],
        [(b"", keys[2]), (keys[3], keys[5])],
        [(keys[4], keys[5])],
    ]


def scan_count(reader, source, ranges) -> int:
    return len(list(reader.scan(source, ranges, cells=EXISTENCE)))


def sources(bench: Bench) -> list:
    return [bench.schema.table("Singers"), bench.schema.index("SingersByName")]


def test_a_snapshot_counts_the_rows_of_its_time(bench: Bench) -> None:
    early = SnapshotReader(bench.store, bench.store.read_timestamp())
    bench.run(delete("Singers", *((n,) for n in range(0, ROWS, 7))))
    bench.run(insert("Singers", "Id", *((n,) for n in range(ROWS, ROWS + 40))))
    bench.run(update("Singers", "Id Name", *((n, "new") for n in range(1, ROWS, 7))))
    late = SnapshotReader(bench.store, bench.store.read_timestamp())
    for reader in (early, late):
        for source in sources(bench):
            for ranges in ranges_of(bench):
                assert reader.count(source, ranges) == scan_count(reader, source, ranges)


@pytest.mark.parametrize("reads", Reads)
def test_a_transaction_counts_its_own_writes(bench: Bench, reads: Reads) -> None:
    transaction = bench.begin(reads)
    bench.mutate(transaction, delete("Singers", (3,), (51,)), insert("Singers", "Id", (7_000,)))
    bench.mutate(transaction, update("Singers", "Id Name", (4, "x"), (60, "y")))
    bench.mutate(transaction, insert("Singers", "Id", (7_001,)), delete("Singers", (7_001,)))
    reader = TransactionReader(transaction)
    for source in sources(bench):
        for ranges in ranges_of(bench):
            assert reader.count(source, ranges) == scan_count(reader, source, ranges)


@pytest.mark.parametrize("reads", Reads)
@pytest.mark.parametrize("for_update", [False, True])
def test_a_count_locks_and_validates_like_a_scan(bench: Bench, reads, for_update) -> None:
    protected = []
    for method in (TransactionReader.count, scan_count_of):
        transaction = bench.begin(reads)
        reader = TransactionReader(transaction)
        for ranges in ranges_of(bench):
            method(reader, sources(bench)[0], ranges, for_update=for_update, cells=EXISTENCE)
        held = dict(transaction.holder.ranges), dict(transaction.holder.rows)
        protected.append((held, transaction.recorded_reads))
        bench.core.locks.release(transaction.holder, State.ROLLED_BACK)
    assert protected[0] == protected[1]


def scan_count_of(reader, source, ranges, **options) -> int:
    return len(list(reader.scan(source, ranges, **options)))


def test_a_partition_counts_its_own_rows(bench: Bench) -> None:
    table, _ = sources(bench)
    reader = SnapshotReader(bench.store, bench.store.read_timestamp())
    part = [(bench.key("Singers", 100), bench.key("Singers", 700))]
    partition = PartitionReader(reader, {tree_of(table)}, part)
    assert partition.count(table) == 600
    assert partition.count(table, [(b"", bench.key("Singers", 150))]) == 50


def test_a_deadline_ends_a_count(bench: Bench) -> None:
    reader = SnapshotReader(bench.store, bench.store.read_timestamp())
    with Call(deadline=0.0), pytest.raises(DeadlineExceeded):
        reader.count(sources(bench)[0])
