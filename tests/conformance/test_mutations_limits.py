"""How mutations are counted, and how many a commit may hold."""

import pytest
from google.cloud.spanner_v1 import param_types

from tests.conformance.backends import FP, IA, delete_all, insert, refused, spanemu_only, update

PLAIN = """CREATE TABLE T (
    Id INT64 NOT NULL, A INT64, B INT64, C INT64,
) PRIMARY KEY (Id)"""

pytestmark = spanemu_only


def counted(db, *mutations):
    """Return how many mutations a commit says it had."""
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
    assert counted(db, write("insert", "Id B", ["1", "2"])) == 3
    assert counted(db, write("update", "Id B", ["1", "3"])) == 2
    assert counted(db, write("update", "Id A", ["1", "3"])) == 4


def test_a_range_delete_counts_as_one_mutation(create):
    db = create(PLAIN)
    db.commit(insert("T", "Id", *((n,) for n in range(50))))
    whole = {"delete": {"table": "T", "key_set": {"all_": True}}}
    assert counted(db, whole) == 1
    keys = {"delete": {"table": "T", "key_set": {"keys": [["1"], ["3"], ["5"]]}}}
    assert counted(db, keys) == 3


@pytest.fixture
def wide(create):
    """Return a thousand columns, so that 80 rows reach the limit."""
    columns = "".join(f", C{n} INT64" for n in range(999))
    return create(f"CREATE TABLE Wide (Id INT64 NOT NULL{columns}) PRIMARY KEY (Id)")


WIDE = " ".join(("Id", *(f"C{n}" for n in range(999))))


def wide_rows(count):
    return [(n, *[None] * 999) for n in range(count)]


def test_80000_mutations_are_the_most(wide):
    wide.commit(insert("Wide", WIDE, *wide_rows(80)))
    with refused(IA, match="too many mutations"):
        wide.commit(update("Wide", WIDE, *wide_rows(80)), update("Wide", "Id", (1,)))
    wide.commit(delete_all("Wide"))
    assert wide.rows("SELECT COUNT(*) FROM Wide") == [[0]]


def test_a_commit_over_the_limit_leaves_nothing(wide):
    with refused(IA, match="too many mutations"):
        wide.commit(insert("Wide", WIDE, *wide_rows(80)), insert("Wide", "Id", (100,)))
    assert wide.rows("SELECT COUNT(*) FROM Wide") == [[0]]


def test_dml_counts_too(wide):
    wide.commit(insert("Wide", "Id", *((n,) for n in range(81))))
    everything = ", ".join(f"C{n} = 1" for n in range(999))
    assert wide.dml(f"UPDATE Wide SET {everything} WHERE Id < 80") == [80]
    with refused(IA, match="too many mutations"):
        wide.dml(f"UPDATE Wide SET {everything} WHERE TRUE")
    assert wide.rows("SELECT COUNT(C0) FROM Wide") == [[80]]


@pytest.mark.parametrize("many", [1024, 1025])
def test_1024_columns_are_the_most(create, many):
    columns = ", ".join(f"C{n} INT64" for n in range(many))
    schema = f"CREATE TABLE Wide ({columns}) PRIMARY KEY (C0)"
    if many > 1024:
        with refused(FP, match="1024"):
            create(schema)
    else:
        create(schema)


def test_requests_that_commit_nothing_have_10_mebibytes_at_most(create):
    db = create(PLAIN)
    texts = {"params": {"text": "x" * 10_400_000}, "param_types": {"text": param_types.STRING}}
    assert db.rows("SELECT LENGTH(@text)", **texts) == [[10_400_000]]
    texts["params"]["text"] += "x" * 200_000
    with refused(IA):
        db.rows("SELECT LENGTH(@text)", **texts)
    with refused(IA):
        db.dml("UPDATE T SET A = LENGTH(@text) WHERE TRUE", **texts)


def test_commits_may_exceed_the_limit_of_other_requests(create):
    db = create("CREATE TABLE Texts (Id INT64, Text STRING(MAX)) PRIMARY KEY (Id)")
    db.commit(insert("Texts", "Id Text", *((n, "x" * 2_000_000) for n in range(6))))
    assert db.rows("SELECT SUM(LENGTH(Text)) FROM Texts") == [[12_000_000]]


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
