"""From mutations and DML rows to rows in the store."""

from __future__ import annotations

import pytest

from spanemu.txn.commit import resolve
from spanemu.txn.errors import (
    BadCellValue,
    ColumnNotFound,
    ParentInsertedLater,
    ParentRowMissing,
    RowAlreadyExists,
    TableNotFound,
    TransactionAborted,
    UniqueViolation,
    ViewNotWritable,
    WrongKeyParts,
)
from spanemu.txn.read_write import Reads
from spanemu.values.mutation import (
    COMMIT_TIMESTAMP,
    COMMIT_TIMESTAMP_PLACEHOLDER,
    Delete,
    RawKeySet,
    RowDelete,
    RowWrite,
    WriteKind,
)
from tests.unit.txn.bench import Bench, delete, delete_range, insert, update, write

INSERT = WriteKind.INSERT


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.run(insert("Singers", "Id Name Age", *((n, "abc"[n], n * 10) for n in range(3))))
    return bench


# ---------------------------------------------------------------------------- mutations


def test_mutations_take_effect_in_their_order(bench: Bench) -> None:
    bench.run(delete("Singers", (1,)), insert("Singers", "Id Name", (1, "x")),
              update("Singers", "Id Age", (1, 5)), delete("Singers", (2,)))  # fmt: skip
    assert bench.stored("Singers") == [(0, "a", 0), (1, "x", 5)]


def test_a_commit_gets_one_timestamp_later_than_all_before(bench: Bench) -> None:
    first = bench.run(insert("Singers", "Id", (7,), (8,)))
    second = bench.run(update("Singers", "Id Age", (7, 1)))
    assert second > first
    heads = [bench.store.head(bench.tree("Singers"), bench.key("Singers", n)) for n in (7, 8)]
    assert [head and head[0] for head in heads] == [second, first]


def test_nothing_is_visible_before(bench: Bench) -> None:
    transaction = bench.begin()
    bench.mutate(transaction, insert("Singers", "Id", (7,)))
    assert len(bench.stored("Singers")) == 3
    bench.commit(transaction)
    assert len(bench.stored("Singers")) == 4


@pytest.mark.parametrize(
    ("gone", "left"),
    [
        (Delete("Singers", RawKeySet(all=True)), []),
        (delete_range("Singers", (1,), (9,)), [0]),
        (delete("Singers", (0,), (0,), (5,)), [1, 2]),
        (delete("Singers"), [0, 1, 2]),
    ],
)
def test_deletes(bench: Bench, gone: Delete, left: list[int]) -> None:
    bench.run(gone)
    assert [row[0] for row in bench.stored("Singers")] == left
    assert len(bench.stored("SingersByName")) == len(left)


def test_a_delete_sees_the_rows_that_the_commit_wrote(bench: Bench) -> None:
    bench.run(insert("Singers", "Id", (5,)), delete_range("Singers", (2,), (6,)))
    assert [row[0] for row in bench.stored("Singers")] == [0, 1]


@pytest.mark.parametrize(
    ("mutation", "count"),
    [
        (insert("Singers", "Id Name Age", (7, "x", 1)), 3 + 2),
        (insert("Singers", "Id", (7,), (8,)), 2 * (1 + 2)),
        (update("Singers", "Id Age", (1, 1)), 2 + 2),
        (update("Singers", "Id Name", (1, "x")), 2 + 1 + 2),  # an entry goes, one comes
        (delete("Singers", (1,)), 1 + 1),
        (delete("Singers", (9,)), 1),
        (delete_range("Singers", (0,), (9,)), 1 + 3),
    ],
)
def test_mutations_are_counted(bench: Bench, mutation, count: int) -> None:
    assert bench.mutate(bench.begin(), mutation) == count


def test_names_that_do_not_exist(bench: Bench) -> None:
    bench.ddl("CREATE VIEW V SQL SECURITY INVOKER AS SELECT s.Id FROM Singers AS s")
    for mutation, failure in (
        (insert("Nobody", "Id", (1,)), TableNotFound),
        (insert("V", "Id", (1,)), ViewNotWritable),
        (insert("Singers", "Nothing", (1,)), ColumnNotFound),
        (delete("Singers", (1, 2)), WrongKeyParts),
    ):
        with pytest.raises(failure):
            bench.run(mutation)


def test_names_can_be_checked_by_themselves(bench: Bench) -> None:
    resolve(bench.compiled, bench.begin().context, insert("Singers", "Id Name", (1, "a")))
    resolve(bench.compiled, bench.begin().context, delete("Singers", (1,)))
    for mutation, failure in (
        (insert("Singers", "Id", ("one",)), BadCellValue),
        (delete("Singers", (1, 2)), WrongKeyParts),
        (insert("Nobody", "Id", (1,)), TableNotFound),
    ):
        with pytest.raises(failure):
            resolve(bench.compiled, bench.begin().context, mutation)


def test_a_parent_inserted_too_late_has_its_own_error(bench: Bench) -> None:
    child = insert("Albums", "Id AlbumId", (9, 1))
    with pytest.raises(ParentInsertedLater) as late:
        bench.run(child, insert("Singers", "Id", (8,), (9,)))
    assert late.value.parent_key == "{Int64(9)}"
    for later in (insert("Singers", "Id", (8,)), update("Singers", "Id", (9,)),
                  delete("Singers", (9,))):  # fmt: skip
        with pytest.raises(ParentRowMissing) as missing:
            bench.run(child, later)
        assert type(missing.value) is ParentRowMissing


# ---------------------------------------------------------------------------- DML


def test_a_statement_reports_the_action_on_each_row(bench: Bench) -> None:
    transaction = bench.begin()
    done, count = bench.statement(
        transaction,
        RowWrite(WriteKind.INSERT_OR_UPDATE, "Singers", (0, 1), (1, "x")),
        RowWrite(WriteKind.INSERT_OR_UPDATE, "Singers", (0, 1), (7, "y")),
        RowDelete("Singers", (2,)),
        RowDelete("Singers", (9,)),
    )
    assert done == [
        ("UPDATE", (1, "x", 10)),
        ("INSERT", (7, "y", None)),
        ("DELETE", (2, "c", 20)),
        ("DELETE", None),
    ]
    assert count == (2 + 3) + (2 + 2) + (1 + 1)


def test_a_failed_statement_is_rolled_back_as_a_whole(bench: Bench) -> None:
    transaction = bench.begin()
    bench.statement(transaction, RowWrite(INSERT, "Singers", (0,), (7,)))
    before = list(transaction.buffer.entries())
    with pytest.raises(RowAlreadyExists):
        bench.statement(
            transaction,
            RowWrite(INSERT, "Singers", (0,), (8,)),
            RowWrite(INSERT, "Singers", (0,), (7,)),
        )
    assert list(transaction.buffer.entries()) == before


def test_a_statement_with_a_late_violation_is_rolled_back() -> None:
    bench = Bench("CREATE TABLE T (Id INT64 NOT NULL, V INT64) PRIMARY KEY (Id)",
                  "CREATE UNIQUE INDEX U ON T (V)")  # fmt: skip
    transaction = bench.begin()
    with pytest.raises(UniqueViolation):
        bench.statement(
            transaction,
            *(RowWrite(INSERT, "T", (0, 1), (number, 5)) for number in (1, 2)),
        )
    assert list(transaction.buffer.entries()) == []


# ---------------------------------------------------------------------------- commit timestamps


LOG = (
    "CREATE TABLE Log (Id INT64 NOT NULL,"
    " Moment TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true), V INT64)"
    " PRIMARY KEY (Id, Moment DESC)",
    "CREATE INDEX LogByMoment ON Log (Moment) STORING (V)",
)


def test_placeholders_become_the_commit_timestamp_in_cells_and_keys() -> None:
    bench = Bench(*LOG)
    transaction = bench.begin()
    row = (1, COMMIT_TIMESTAMP_PLACEHOLDER, 5)
    bench.mutate(transaction, insert("Log", "Id Moment V", row))
    at = bench.commit(transaction)
    assert bench.stored("Log") == [(1, at, 5)]
    assert bench.stored("LogByMoment") == [(at, 1, 5)]
    assert bench.store.get(bench.tree("Log"), bench.key("Log", 1, at)) == (1, at, 5)
    bench.run(update("Log", "Id Moment V", (1, "1970-01-01T00:00:00Z", 1))
              if at == 0 else delete_range("Log", (1,), (1,)))  # fmt: skip
    assert bench.stored("LogByMoment") == []


def test_dml_records_pending_columns() -> None:
    bench = Bench(*LOG)
    transaction = bench.begin()
    bench.statement(transaction, RowWrite(INSERT, "Log", (0, 1), (1, COMMIT_TIMESTAMP)))
    assert transaction.pending == {"Log": {1}}
    at = bench.commit(transaction)
    assert bench.stored("Log") == [(1, at, None)]


# ---------------------------------------------------------------------------- old snapshots


def test_a_violation_seen_only_by_an_old_snapshot_aborts(bench: Bench) -> None:
    for reads in (Reads.OPTIMISTIC, Reads.REPEATABLE, Reads.REPEATABLE_LOCKING):
        transaction = bench.begin(reads)
        list(transaction.scan(bench.schema.tables["albums"]))  # fixes the snapshot
        bench.run(write(WriteKind.INSERT_OR_UPDATE, "Singers", "Id", (50,)))
        with pytest.raises(TransactionAborted):
            bench.mutate(transaction, insert("Albums", "Id AlbumId", (50, 1)))
        bench.core.locks.wound(transaction.holder, "done")
        bench.run(delete("Singers", (50,)))


def test_malformed_mutations_are_reported_before_violations(bench: Bench) -> None:
    again = insert("Singers", "Id Name", (1, "a"))
    with pytest.raises(BadCellValue):
        bench.run(again, insert("Singers", "Id Name", ("one", "b")))
    with pytest.raises(WrongKeyParts):
        bench.run(again, delete("Singers", (1, 2)))
