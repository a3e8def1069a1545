from __future__ import annotations

import pytest

from spanemu.base.errors import Code
from spanemu.sql.functions.errors import RowAffectedTwice, RowCountMismatch
from spanemu.values.mutation import RowDelete, RowWrite, WriteKind
from tests.unit.sql.world import ROWS, MemoryReader, ask, prepared, run_for


def insert(*cells: object, positions: tuple[int, ...] = (0, 1)) -> RowWrite:
    return RowWrite(WriteKind.INSERT, "Singers", positions, cells)


def test_insert_yields_one_write_per_row():
    assert ask("INSERT INTO Singers (SingerId, FirstName) VALUES (9, 'x'), (8, UPPER('y'))") == [
        insert(9, "x"),
        insert(8, "Y"),
    ]


def test_insert_from_a_query():
    writes = ask(
        "INSERT INTO Singers (FirstName, SingerId) "
        "SELECT Title, AlbumId + 10 FROM Albums WHERE SingerId = 1"
    )
    assert writes == [insert("Go", 11, positions=(1, 0)), insert("Green", 12, positions=(1, 0))]


def test_the_input_is_read_before_anything_is_written():
    reader = MemoryReader(ROWS)
    executable = prepared(
        "INSERT INTO Singers (SingerId) SELECT SingerId + 10 FROM Singers", reader
    )
    writes = executable.run(run_for(executable, reader))
    next(writes)
    assert reader.visited == 4


def test_or_update_writes_all_and_refuses_a_key_twice():
    writes = ask("INSERT OR UPDATE INTO Singers (SingerId, FirstName) VALUES (1, 'x'), (9, 'y')")
    assert [write.kind for write in writes] == [WriteKind.INSERT_OR_UPDATE] * 2
    with pytest.raises(RowAffectedTwice) as failure:
        ask("INSERT OR UPDATE INTO Singers (SingerId) VALUES (1), (1)")
    assert failure.value.code is Code.INVALID_ARGUMENT


def test_or_ignore_drops_existing_and_repeated_keys():
    writes = ask(
        "INSERT OR IGNORE INTO Singers (SingerId, FirstName) VALUES (1, 'a'), (9, 'b'), (9, 'c')"
    )
    assert writes == [insert(9, "b")]


def test_on_conflict_do_update():
    writes = ask(
        "INSERT INTO Singers (SingerId, FirstName) VALUES (1, 'x'), (2, 'y'), (9, 'z') "
        "ON CONFLICT (SingerId) DO UPDATE "
        "SET FirstName = CONCAT(Singers.FirstName, EXCLUDED.FirstName) "
        "WHERE Singers.SingerId < 2"
    )
    assert writes == [
        RowWrite(WriteKind.UPDATE, "Singers", (0, 1), (1, "Marcx")),
        insert(9, "z"),
    ]
    with pytest.raises(RowAffectedTwice):
        ask(
            "INSERT INTO Singers (SingerId) VALUES (1), (1) "
            "ON CONFLICT (SingerId) DO UPDATE SET FirstName = 'x'"
        )


def test_on_conflict_with_a_unique_index():
    columns = "(SingerId, AlbumId, TrackId, Name)"
    writes = ask(
        f"INSERT INTO Songs {columns} VALUES (1, 1, 50, 'c'), (1, 1, 51, 'new') "
        "ON CONFLICT (Name) DO NOTHING"
    )
    assert [write.cells for write in writes] == [(1, 1, 51, "new")]
    writes = ask(
        f"INSERT INTO Songs {columns} VALUES (1, 1, 50, 'c') "
        "ON CONFLICT (Name) DO UPDATE SET Duration = 99"
    )
    assert writes == [RowWrite(WriteKind.UPDATE, "Songs", (0, 1, 2, 4), (2, 1, 1, 99))]
    writes = ask(
        f"INSERT INTO Songs {columns} VALUES (1, 1, 1, 'q'), (1, 1, 60, 'c'), (1, 1, 61, 'r') "
        "ON CONFLICT DO NOTHING"
    )
    assert [write.cells for write in writes] == [(1, 1, 61, "r")]


def test_update_writes_keys_and_new_values():
    assert ask("UPDATE Albums SET Budget = Budget * 2, Title = 'T' WHERE SingerId = 2") == [
        RowWrite(WriteKind.UPDATE, "Albums", (0, 1, 3, 2), (2, 1, 100, "T")),
        RowWrite(WriteKind.UPDATE, "Albums", (0, 1, 3, 2), (2, 2, 150, "T")),
    ]


def test_update_with_a_subquery():
    writes = ask(
        "UPDATE Albums "
        "SET Budget = (SELECT COUNT(*) FROM Songs s WHERE s.SingerId = Albums.SingerId) "
        "WHERE Title IN ('Go', 'Total')"
    )
    assert [write.cells for write in writes] == [(1, 1, 2), (2, 1, 2)]


def test_delete_yields_keys():
    assert ask("DELETE FROM Albums WHERE Budget IS NULL OR Budget = 75") == [
        RowDelete("Albums", (1, 2)),
        RowDelete("Albums", (2, 2)),
    ]


def test_assert_rows_modified():
    assert len(ask("DELETE FROM Singers WHERE TRUE ASSERT_ROWS_MODIFIED 4")) == 4
    with pytest.raises(RowCountMismatch) as failure:
        ask("DELETE FROM Singers WHERE TRUE ASSERT_ROWS_MODIFIED 3")
    assert (failure.value.expected, failure.value.actual) == (3, 4)


def test_then_return_computes_over_written_rows():
    reader = MemoryReader(ROWS)
    executable = prepared(
        "UPDATE Singers SET FirstName = 'x' WHERE SingerId < 3 "
        "THEN RETURN WITH ACTION AS did SingerId, UPPER(FirstName) AS name, "
        "(SELECT COUNT(*) FROM Albums a WHERE a.SingerId = Singers.SingerId) AS n",
        reader,
    )
    assert [name for name, _ in executable.columns] == ["SingerId", "name", "n", "did"]
    run = run_for(executable, reader)
    assert len(list(executable.run(run))) == 2
    written = [("UPDATE", (1, "x", None, None, None)), ("UPDATE", (3, "x", None, None, None))]
    assert list(executable.returning(run, written)) == [
        (1, "X", 2, "UPDATE"),
        (3, "X", 0, "UPDATE"),
    ]


def test_without_then_return_nothing_is_returned():
    reader = MemoryReader(ROWS)
    executable = prepared("DELETE FROM Singers WHERE SingerId = 1", reader)
    run = run_for(executable, reader)
    assert list(executable.returning(run, [("DELETE", ROWS["Singers"][0])])) == []
