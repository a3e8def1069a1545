"""The entries that commits leave in the change log: the net effect of each kind of write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from spanemu.base.clock import NANOS_PER_DAY
from spanemu.base.errors import SpannerError
from spanemu.database.options import (
    Begin,
    CommitOptions,
    Existing,
    PartitionedDml,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.schema.dialect import POSTGRESQL
from spanemu.storage.change_log import ChangeEntry
from spanemu.values.cell_mask import WHOLE_ROW
from spanemu.values.mutation import (
    COMMIT_TIMESTAMP_PLACEHOLDER,
    Delete,
    Mutation,
    RawKeySet,
    Write,
    WriteKind,
)
from tests.unit.ddl.world import World

SCHEMA = """
CREATE TABLE Singers (
  Id INT64, Name STRING(MAX), Age INT64 DEFAULT (7),
  Changed TIMESTAMP OPTIONS (allow_commit_timestamp = true),
) PRIMARY KEY (Id);
CREATE TABLE Albums (Id INT64, Album INT64, Title STRING(MAX)) PRIMARY KEY (Id, Album),
  INTERLEAVE IN PARENT Singers ON DELETE CASCADE;
CREATE TABLE Clubs (Id INT64) PRIMARY KEY (Id);
CREATE TABLE Fans (
  Fan INT64, Club INT64,
  FOREIGN KEY (Club) REFERENCES Clubs (Id) ON DELETE CASCADE,
) PRIMARY KEY (Fan);
CREATE INDEX ByName ON Singers (Name);
CREATE TABLE Unwatched (Id INT64, Name STRING(MAX)) PRIMARY KEY (Id);
CREATE TABLE Keyless (Id INT64, Name STRING(MAX)) PRIMARY KEY (Id);
CREATE TABLE Events (Ts TIMESTAMP OPTIONS (allow_commit_timestamp = true), N INT64)
  PRIMARY KEY (Ts, N);
CREATE CHANGE STREAM Everything FOR Singers, Albums, Clubs, Fans, Events;
CREATE CHANGE STREAM OnlyKeys FOR Keyless();
"""


class Watched(World):
    """Singers 1 and 2, and the entries of the change log since the last call of `entries`."""

    def __init__(self) -> None:
        super().__init__(*(text for text in SCHEMA.split(";") if text.strip()))
        self._read = -1
        self.commit(write(WriteKind.INSERT, "Singers", "Id Name", ["1", "Ann"], ["2", "Bob"]))
        self.entries()

    def commit(self, *mutations: Mutation, **options: Any) -> int:
        done = self.session.commit(
            SingleUse(ReadWriteOptions()), mutations, CommitOptions(**options)
        )
        return done.timestamp or 0

    def dml(self, *statements: str, **options: Any) -> int:
        """Run DML statements in one transaction."""
        selector: Any = Begin(ReadWriteOptions(**options))
        for seqno, sql in enumerate(statements, start=1):
            result = self.session.execute(StatementRequest(sql, seqno=seqno), selector)
            if isinstance(selector, Begin):
                assert result.transaction is not None
                selector = Existing(result.transaction.id)
            list(result.rows)
        return self.session.commit(selector, [], CommitOptions()).timestamp or 0

    def entries(self) -> list[ChangeEntry]:
        log = self.database._core.store.change_log
        assert log is not None
        entries = log.between(self._read + 1, 1 << 62, 1_000)
        self._read = entries[-1].timestamp if entries else self._read
        return entries

    def changes(self) -> list[tuple[str, Any, Any, Any]]:
        """Return the changes of the only new entry: table, rows before and after, columns."""
        (entry,) = self.entries()
        return [
            (
                self.table(entry, each.tree).name,
                each.before,
                each.after,
                "row" if each.written == WHOLE_ROW else self.columns(entry, each),
            )
            for each in entry.changes
        ]

    def table(self, entry: ChangeEntry, tree: int) -> Any:
        return next(table for table in entry.schema.tables.values() if table.id == tree)

    def columns(self, entry: ChangeEntry, change: Any) -> str:
        table = self.table(entry, change.tree)
        return " ".join(c.name for c in table.columns if change.written >> (c.position + 1) & 1)


def write(kind: WriteKind, table: str, columns: str, *rows: list[Any]) -> Write:
    return Write(kind, table, tuple(columns.split()), rows)


def delete(table: str, *key: str) -> Delete:
    return Delete(table, RawKeySet(keys=[list(key)]))


@pytest.fixture
def world() -> Iterator[Watched]:
    world = Watched()
    yield world
    world.database._core.store.check()


INSERT, UPDATE, REPLACE, UPSERT = (
    WriteKind.INSERT,
    WriteKind.UPDATE,
    WriteKind.REPLACE,
    WriteKind.INSERT_OR_UPDATE,
)
ANN = (1, "Ann", 7, None)


def singer(kind: WriteKind, columns: str, *cells: str | None) -> Write:
    return write(kind, "Singers", columns, list(cells))


NETTING = {
    "insert": ([singer(INSERT, "Id Name", "3", "C")], [(None, (3, "C", 7, None), "row")]),
    "insert, update": (
        [singer(INSERT, "Id Name", "3", "C"), singer(UPDATE, "Id Age", "3", "9")],
        [(None, (3, "C", 9, None), "row")],
    ),
    "insert, delete": ([singer(INSERT, "Id Name", "3", "C"), delete("Singers", "3")], []),
    "insert, delete, insert": (
        [
            singer(INSERT, "Id Name", "3", "C"),
            delete("Singers", "3"),
            singer(INSERT, "Id Name", "3", "D"),
        ],
        [(None, (3, "D", 7, None), "row")],
    ),
    "update, update": (
        [singer(UPDATE, "Id Name", "1", "A"), singer(UPDATE, "Id Age", "1", "8")],
        [(ANN, (1, "A", 8, None), "Name Age")],
    ),
    "the same value": ([singer(UPDATE, "Id Name", "1", "Ann")], [(ANN, ANN, "Name")]),
    "update, delete": (
        [singer(UPDATE, "Id Name", "1", "A"), delete("Singers", "1")],
        [(ANN, None, "row")],
    ),
    "delete, insert": (
        [delete("Singers", "1"), singer(INSERT, "Id Name", "1", "A")],
        [(ANN, (1, "A", 7, None), "row")],
    ),
    "delete, insert, delete": (
        [delete("Singers", "1"), singer(INSERT, "Id Name", "1", "A"), delete("Singers", "1")],
        [(ANN, None, "row")],
    ),
    "delete, insert, update": (
        [
            delete("Singers", "1"),
            singer(INSERT, "Id Name", "1", "A"),
            singer(UPDATE, "Id Age", "1", "8"),
        ],
        [(ANN, (1, "A", 8, None), "row")],
    ),
    "update, delete, insert": (
        [
            singer(UPDATE, "Id Name", "1", "X"),
            delete("Singers", "1"),
            singer(INSERT, "Id Name", "1", "A"),
        ],
        [(ANN, (1, "A", 7, None), "row")],
    ),
    "replace": ([singer(REPLACE, "Id Name", "1", "A")], [(ANN, (1, "A", 7, None), "row")]),
    "replace twice": (
        [singer(REPLACE, "Id Name", "1", "A"), singer(REPLACE, "Id Name", "1", "B")],
        [(ANN, (1, "B", 7, None), "row")],
    ),
    "replace of a missing row": (
        [singer(REPLACE, "Id Name", "3", "C")],
        [(None, (3, "C", 7, None), "row")],
    ),
    "upsert of a row": ([singer(UPSERT, "Id Age", "1", "8")], [(ANN, (1, "Ann", 8, None), "Age")]),
    "upsert of a missing row": (
        [singer(UPSERT, "Id Name", "3", "C")],
        [(None, (3, "C", 7, None), "row")],
    ),
    "upsert of a key alone": ([singer(UPSERT, "Id", "1")], []),
    "delete of a missing row": ([delete("Singers", "9")], []),
    "range over new rows": (
        [singer(INSERT, "Id Name", "3", "C"), Delete("Singers", RawKeySet(all=True))],
        [(ANN, None, "row"), ((2, "Bob", 7, None), None, "row")],
    ),
}


@pytest.mark.parametrize("case", NETTING)
def test_the_net_effect_of_a_commit(world: Watched, case: str) -> None:
    mutations, expected = NETTING[case]
    at = world.commit(*mutations)
    log = world.database._core.store.change_log
    assert log is not None
    assert [entry.timestamp for entry in log.between(at, at)] == ([at] if expected else [])
    if expected:
        assert world.changes() == [("Singers", *change) for change in expected]


def test_dml_lists_the_columns_that_it_assigns(world: Watched) -> None:
    world.dml(
        "UPDATE Singers SET Age = Age + 1 WHERE Id = 1",
        "UPDATE Singers SET Name = 'A' WHERE Id = 1",
    )
    assert world.changes() == [("Singers", ANN, (1, "A", 8, None), "Name Age")]


def test_dml_inserts_and_deletes_net_out(world: Watched) -> None:
    world.dml("INSERT INTO Singers (Id) VALUES (3)", "DELETE FROM Singers WHERE Id = 3")
    assert world.entries() == []


def test_interleaved_and_foreign_key_cascades(world: Watched) -> None:
    world.commit(
        write(INSERT, "Albums", "Id Album Title", ["1", "1", "T"]),
        write(INSERT, "Clubs", "Id", ["4"]),
        write(INSERT, "Fans", "Fan Club", ["5", "4"]),
    )
    world.entries()
    world.commit(delete("Singers", "1"), delete("Clubs", "4"))
    assert sorted(world.changes()) == [
        ("Albums", (1, 1, "T"), None, "row"),
        ("Clubs", (4,), None, "row"),
        ("Fans", (5, 4), None, "row"),
        ("Singers", ANN, None, "row"),
    ]


def test_records_have_the_real_commit_timestamps(world: Watched) -> None:
    at = world.commit(
        singer(UPDATE, "Id Changed", "1", COMMIT_TIMESTAMP_PLACEHOLDER),
        write(INSERT, "Events", "Ts N", [COMMIT_TIMESTAMP_PLACEHOLDER, "1"]),
    )
    (entry,) = world.entries()
    update, insert = entry.changes
    assert update.after == (1, "Ann", 7, at)
    assert insert.after == (at, 1)
    assert world.database._core.store.get(insert.tree, insert.key) == (at, 1)


def test_on_update_columns_count_as_written(world: Watched) -> None:
    world.ddl(
        "CREATE TABLE Stamped (Id INT64, N INT64, "
        "Ts TIMESTAMP DEFAULT (PENDING_COMMIT_TIMESTAMP()) ON UPDATE (PENDING_COMMIT_TIMESTAMP()) "
        "OPTIONS (allow_commit_timestamp = true)) PRIMARY KEY (Id)",
        "CREATE CHANGE STREAM ForStamped FOR Stamped",
    )
    at = world.commit(write(INSERT, "Stamped", "Id N", ["1", "1"]))
    world.entries()
    later = world.commit(write(UPDATE, "Stamped", "Id N", ["1", "2"]))
    assert world.changes() == [("Stamped", (1, 1, at), (1, 2, later), "N Ts")]


def test_unwatched_tables_and_columns_leave_nothing(world: Watched) -> None:
    world.commit(write(INSERT, "Unwatched", "Id Name", ["1", "A"]))
    assert world.entries() == []
    world.commit(write(INSERT, "Keyless", "Id Name", ["1", "A"]))
    assert world.changes() == [("Keyless", None, (1, "A"), "row")]
    world.commit(write(UPDATE, "Keyless", "Id Name", ["1", "B"]))
    assert world.entries() == []
    world.commit(write(REPLACE, "Keyless", "Id Name", ["1", "C"]))
    assert world.changes() == [("Keyless", (1, "B"), (1, "C"), "row")]


def test_a_commit_is_one_entry_with_its_tag_and_exclusion(world: Watched) -> None:
    at = world.commit(singer(INSERT, "Id", "3"), transaction_tag="tagged")
    (entry,) = world.entries()
    assert (entry.timestamp, entry.tag, entry.schema) == (at, "tagged", world.schema)
    assert (entry.is_system, entry.is_ttl, entry.excluded) == (False, False, False)
    world.dml("UPDATE Singers SET Age = 1 WHERE Id = 1", exclude_from_change_streams=True)
    (excluded,) = world.entries()
    assert excluded.excluded
    assert excluded.serial != entry.serial


def test_an_excluded_batch_write(world: Watched) -> None:
    list(world.session.batch_write([[singer(INSERT, "Id", "3")]], True, "batch"))
    (entry,) = world.entries()
    assert (entry.excluded, entry.tag) == (True, "batch")


@pytest.mark.parametrize("excluded", [False, True])
def test_partitioned_dml_is_one_entry_for_each_partition(world: Watched, excluded: bool) -> None:
    world.database.split_at("Singers", ["2"])
    id_ = world.session.begin(PartitionedDml(excluded)).id
    request = StatementRequest("UPDATE Singers SET Age = 1 WHERE TRUE", transaction_tag="pdml")
    world.session.execute(request, Existing(id_))
    entries = world.entries()
    assert [len(entry.changes) for entry in entries] == [1, 1]
    assert {(entry.excluded, entry.tag, entry.is_system) for entry in entries} == {
        (excluded, "pdml", False)
    }


def test_failed_and_rolled_back_transactions_leave_nothing(world: Watched) -> None:
    with pytest.raises(SpannerError):
        world.commit(singer(UPDATE, "Id Name", "1", "A"), singer(INSERT, "Id", "2"))
    id_ = world.session.begin(ReadWriteOptions()).id
    world.session.execute(
        StatementRequest("DELETE FROM Singers WHERE TRUE", seqno=1), Existing(id_)
    )
    world.session.rollback(id_)
    assert world.entries() == []


def test_a_row_deletion_policy_is_a_system_transaction(world: Watched) -> None:
    world.ddl(
        "CREATE TABLE Old (Id INT64, Ts TIMESTAMP) PRIMARY KEY (Id), "
        "ROW DELETION POLICY (OLDER_THAN(Ts, INTERVAL 1 DAY))",
        "CREATE TABLE Older (Id INT64, N INT64) PRIMARY KEY (Id, N), "
        "INTERLEAVE IN PARENT Old ON DELETE CASCADE",
        "CREATE CHANGE STREAM ForOld FOR Old, Older",
    )
    world.commit(
        write(INSERT, "Old", "Id Ts", ["1", "1970-01-01T00:00:00Z"]),
        write(INSERT, "Older", "Id N", ["1", "1"]),
    )
    world.entries()
    world.database.clock.advance(3 * NANOS_PER_DAY)
    assert world.database.delete_expired_rows() == 1
    (entry,) = world.entries()
    assert entry.is_system
    assert entry.is_ttl
    assert [change.after for change in entry.changes] == [None, None]


def test_the_backfill_of_a_default_is_a_system_transaction(world: Watched) -> None:
    at = world.ddl("ALTER TABLE Singers ADD COLUMN Score INT64 NOT NULL DEFAULT (5)")
    (entry,) = world.entries()
    assert (entry.timestamp, entry.is_system, entry.is_ttl) == (at, True, False)
    assert entry.schema is world.schema
    assert [(each.before, each.after) for each in entry.changes] == [
        (ANN, (*ANN, 5)),
        ((2, "Bob", 7, None), (2, "Bob", 7, None, 5)),
    ]
    assert {world.columns(entry, each) for each in entry.changes} == {"Score"}


def test_the_backfill_of_a_column_that_no_stream_watches_leaves_nothing(world: Watched) -> None:
    world.commit(write(INSERT, "Keyless", "Id", ["1"]))
    world.entries()
    world.ddl("ALTER TABLE Keyless ADD COLUMN Score INT64 NOT NULL DEFAULT (5)")
    assert world.entries() == []


def test_other_schema_changes_leave_nothing(world: Watched) -> None:
    world.ddl(
        "ALTER TABLE Singers ADD COLUMN Double INT64 AS (Age * 2) STORED",
        "ALTER TABLE Singers ADD COLUMN Plain INT64",
        "CREATE INDEX ByAge ON Singers (Age)",
        "ALTER TABLE Albums ALTER COLUMN Title BYTES(MAX)",
        "DROP INDEX ByAge",
    )
    assert world.entries() == []


def test_a_stream_records_from_its_creation_on(world: Watched) -> None:
    world.commit(write(INSERT, "Unwatched", "Id", ["1"]))
    world.ddl("CREATE CHANGE STREAM Later FOR Unwatched")
    assert world.entries() == []
    world.commit(write(INSERT, "Unwatched", "Id", ["2"]))
    assert world.changes() == [("Unwatched", None, (2, None), "row")]


def test_without_streams_there_is_no_log(world: Watched) -> None:
    store = world.database._core.store
    world.ddl("DROP CHANGE STREAM Everything")
    assert store.change_log is not None
    world.ddl("DROP CHANGE STREAM OnlyKeys")
    assert store.change_log is None
    world.commit(singer(INSERT, "Id", "3"))


def test_postgresql_records_the_same() -> None:
    world = World(
        "CREATE TABLE t (id bigint PRIMARY KEY, name varchar)",
        "CREATE CHANGE STREAM s FOR ALL",
        dialect=POSTGRESQL,
    )
    at = world.insert("t", "id name", ["1", "a"])
    log = world.database._core.store.change_log
    assert log is not None
    ((change,),) = [entry.changes for entry in log.between(at, at)]
    assert (change.before, change.after, change.written) == (None, (1, "a"), WHOLE_ROW)


def test_a_partial_update_is_recorded_over_a_concurrent_one(world: Watched) -> None:
    # Another commit may change other cells of a row that a transaction has buffered.
    id_ = world.session.begin(ReadWriteOptions()).id
    world.session.execute(
        StatementRequest("UPDATE Singers SET Age = 9 WHERE Id = 1", seqno=1), Existing(id_)
    )
    world.commit(singer(UPDATE, "Id Name", "1", "Zoe"))
    world.entries()
    world.session.commit(Existing(id_), [], CommitOptions())
    assert world.changes() == [("Singers", (1, "Zoe", 7, None), (1, "Zoe", 9, None), "Age")]
