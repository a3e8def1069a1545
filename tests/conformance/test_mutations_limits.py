"""Behaviours 4.6: how mutations are counted, and how many a commit may hold."""

import pytest

from tests.conformance.backends import IA, delete_all, insert, refused, spanemu_only, update

PLAIN = """CREATE TABLE T (
    Id INT64 NOT NULL, A INT64, B INT64, C INT64,
) PRIMARY KEY (Id)"""
MOST = 80_000

pytestmark = spanemu_only


def counted(db, *mutations):
    """How many mutations a commit says it had."""
    return db.commit_raw(*mutations).commit_stats.mutation_count


def write(kind, columns, *rows):
    return {kind: {"table": "T", "columns": columns.split(), "values": rows}}


def test_each_column_of_a_row_counts(create):
    db = create(PLAIN)
    assert counted(db, write("insert", "Id A", ["1", "2"], ["2", "3"])) == 4
    assert counted(db, write("update", "Id A B", ["1", "2", "3"])) == 3
    assert counted(db, write("insert_or_update", "Id", ["1"])) == 1


def test_index_entries_count(create):
    db = create(PLAIN, "CREATE INDEX ByA ON T (A)")
    assert counted(db, write("insert", "Id B", ["1", "2"])) == 4
    assert counted(db, write("update", "Id B", ["1", "3"])) == 2
    assert counted(db, write("update", "Id A", ["1", "3"])) == 5


def test_a_delete_counts_once_however_many_rows_it_takes(create):
    db = create(PLAIN)
    db.commit(insert("T", "Id", *((n,) for n in range(50))))
    whole = {"delete": {"table": "T", "key_set": {"all_": True}}}
    assert counted(db, whole) == 1
    keys = {"delete": {"table": "T", "key_set": {"keys": [["1"], ["3"], ["5"]]}}}
    assert counted(db, keys) == 3


def test_80000_mutations_are_the_most(create):
    db = create(PLAIN)
    rows = [(n, n) for n in range(MOST // 2)]
    db.commit(insert("T", "Id A", *rows))
    assert db.rows("SELECT COUNT(*) FROM T") == [[MOST // 2]]
    with refused(IA, match="too many mutations"):
        db.commit(update("T", "Id A", *rows), update("T", "Id", (1,)))
    db.commit(delete_all("T"))
    assert db.rows("SELECT COUNT(*) FROM T") == [[0]]


def test_a_commit_over_the_limit_leaves_nothing(create):
    db = create(PLAIN)
    with refused(IA, match="too many mutations"):
        db.commit(insert("T", "Id A B C", *((n, 1, 1, 1) for n in range(MOST // 4 + 1))))
    assert db.rows("SELECT COUNT(*) FROM T") == [[0]]


def test_dml_counts_too(create):
    db = create(PLAIN)
    db.commit(insert("T", "Id", *((n,) for n in range(MOST // 2))))
    with refused(IA, match="too many mutations"):
        db.dml("UPDATE T SET A = 1, B = 2 WHERE TRUE")
    db.dml("UPDATE T SET A = 1 WHERE TRUE")


@pytest.mark.parametrize("cascade", [True, False])
def test_rows_that_a_foreign_key_takes_along_count(create, cascade):
    db = create(
        PLAIN,
        "CREATE TABLE R (Id INT64 NOT NULL, T INT64 NOT NULL, "
        f"FOREIGN KEY (T) REFERENCES T (Id) {'ON DELETE CASCADE' if cascade else ''}"
        ") PRIMARY KEY (T, Id)",
    )
    db.commit(insert("T", "Id", (1,)))
    if cascade:
        db.commit(insert("R", "Id T", (1, 1), (2, 1)))
    gone = {"delete": {"table": "T", "key_set": {"keys": [["1"]]}}}
    assert counted(db, gone) == (3 if cascade else 1)
