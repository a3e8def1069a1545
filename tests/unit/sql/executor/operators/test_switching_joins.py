"""An apply join that becomes a hash join, or reads its right side in order, yields the same rows."""

from __future__ import annotations

import pytest

from spanemu.base.call import Call, DeadlineExceeded
from spanemu.sql.executor.build import compile_plan
from spanemu.sql.executor.operators import apply_join, switching_join
from spanemu.sql.functions.errors import StatementTooLarge
from spanemu.values.types import INT64
from tests.unit.sql.world import MemoryReader, planned, run_for

SINGERS = 40
ROWS = {
    "Singers": [
        (n, f"name {n % 7}" if n % 5 else None, f"last {n % 3}", None, n / 2)
        for n in range(SINGERS)
    ],
    "Albums": [
        (n, m, f"title {(n + m) % 4}", None if m == 2 else n * m)
        for n in range(0, SINGERS, 2)
        for m in range(3)
    ],
    "Songs": [
        (n, m, k, f"song {n} {m} {k}", (n + m + k) % 11, "pop" if k else None)
        for n in range(0, SINGERS, 4)
        for m in range(2)
        for k in range(2)
    ],
    "Visits": [
        (f"title {n % 6}" if n % 9 else None, n % 50 if n % 8 else None, "x") for n in range(60)
    ],
}
APPLY = "@{JOIN_METHOD=APPLY_JOIN,FORCE_JOIN_ORDER=TRUE}"
STATEMENTS = [
    f"SELECT v.Note, s.FirstName FROM Visits v JOIN{APPLY} Singers s ON s.SingerId = v.Moment",
    f"SELECT v.Page, s.LastName FROM Visits v LEFT JOIN{APPLY} Singers s ON s.SingerId = v.Moment",
    f"SELECT v.Page, s.LastName FROM Visits v LEFT JOIN{APPLY} Singers s"
    " ON s.SingerId = v.Moment AND s.Rating > 3",
    f"SELECT v.Page, a.Title FROM Visits v JOIN{APPLY} Albums a ON a.SingerId = v.Moment",
    f"SELECT v.Page, a.Title FROM Visits v LEFT JOIN{APPLY} Albums a"
    " ON a.SingerId = v.Moment AND a.Title = v.Page",
    f"SELECT v.Page, a.Budget FROM Visits v JOIN{APPLY} Albums@{{FORCE_INDEX=AlbumsByTitle}} a"
    " ON a.Title = v.Page",
    f"SELECT v.Page, a.Budget FROM Visits v JOIN{APPLY} Albums@{{FORCE_INDEX=AlbumsByTitle}} a"
    " ON a.Title = v.Page AND a.Budget > v.Moment",
    f"SELECT v.Page, a.Title FROM Visits v JOIN{APPLY} Albums a"
    " ON a.SingerId = 4 AND a.AlbumId = v.Moment",
    f"SELECT v.Page, a.Title FROM Visits v JOIN{APPLY} Albums a"
    " ON a.SingerId = v.Moment AND a.AlbumId = @p",
    f"SELECT v.Page, t.Name FROM Visits v JOIN{APPLY} Songs t"
    " ON t.SingerId = v.Moment AND t.AlbumId = 1",
    "SELECT v.Page FROM Visits v WHERE EXISTS"
    " (SELECT 1 FROM Albums a WHERE a.SingerId = v.Moment AND a.Title > v.Page)",
    "SELECT v.Page FROM Visits v WHERE NOT EXISTS"
    " (SELECT 1 FROM Albums a WHERE a.SingerId = v.Moment)",
    "SELECT s.SingerId, s.LastName FROM Singers s WHERE s.SingerId IN"
    " (SELECT v.Moment FROM Visits v WHERE v.Page > 'title 0')",
    "SELECT s.SingerId FROM Singers s WHERE s.Rating > 2 AND s.SingerId IN"
    " (SELECT v.Moment FROM Visits v)",
    "SELECT a.AlbumId, a.Title FROM Albums a WHERE a.SingerId IN (SELECT v.Moment FROM Visits v)",
    "SELECT s.SingerId, (SELECT COUNT(*) FROM Albums a JOIN Songs t"
    " ON t.SingerId = a.SingerId AND t.AlbumId = a.AlbumId WHERE a.SingerId = s.SingerId) AS n"
    " FROM Singers s",
    f"SELECT v.Page, a.Title FROM Visits v JOIN{APPLY} Albums a ON a.SingerId = v.Moment LIMIT 9",
]


class Locking(MemoryReader):
    """A reader that must not be asked for rows that are not needed."""

    reads_freely = False


@pytest.fixture
def early(monkeypatch) -> None:
    """Change the method after one look-up."""
    for module in (apply_join, switching_join):
        monkeypatch.setattr(module, "LOOK_UPS_MIN", 1)
    monkeypatch.setattr(switching_join, "_ROWS_A_POINT", 1_000)
    monkeypatch.setattr(switching_join, "_ROWS_A_RANGE", 1_000)


def answer(sql: str, reader: MemoryReader, **parameters: object) -> list:
    types = {"p": INT64} if "@p" in sql else None
    executable = compile_plan(planned(sql, types, MemoryReader(ROWS)))
    return list(executable.run(run_for(executable, reader, **parameters)))


@pytest.mark.parametrize("parameter", [1, None])
@pytest.mark.parametrize("sql", STATEMENTS)
def test_rows_and_their_order_are_those_of_the_look_ups(sql, parameter, early) -> None:
    switched, looked_up = MemoryReader(ROWS), Locking(ROWS)
    assert answer(sql, switched, p=parameter) == answer(sql, looked_up, p=parameter)


@pytest.mark.parametrize("sql", [STATEMENTS[0], STATEMENTS[4], STATEMENTS[12]])
def test_the_right_side_is_read_once(sql, early) -> None:
    reader = MemoryReader(ROWS)
    answer(sql, reader)
    assert len(reader.asked) < 8


@pytest.mark.parametrize("sql", [STATEMENTS[0], STATEMENTS[4], STATEMENTS[12]])
def test_few_rows_are_looked_up(sql) -> None:
    reader = MemoryReader(ROWS)
    answer(sql, reader)
    assert len(reader.asked) > 20


def test_a_condition_that_may_fail_is_tested_for_pairs_only(early) -> None:
    sql = (
        f"SELECT v.Moment FROM Visits v JOIN{APPLY} Albums a"
        " ON a.SingerId = v.Moment AND DIV(8, a.SingerId - 6) > 0 WHERE v.Moment != 6"
    )
    assert answer(sql, MemoryReader(ROWS)) == answer(sql, Locking(ROWS))


def test_a_table_too_large_for_the_memory_is_looked_up(early) -> None:
    executable = compile_plan(planned(STATEMENTS[0], None, MemoryReader(ROWS)), 6_000)
    reader = MemoryReader(ROWS)
    assert len(list(executable.run(run_for(executable, reader)))) > 20
    assert len(reader.asked) > 20


def test_the_hash_table_is_accounted_for(early, monkeypatch) -> None:
    monkeypatch.setattr(switching_join, "_SHARE_HELD", 0)
    executable = compile_plan(planned(STATEMENTS[3], None, MemoryReader(ROWS)), 4_000)
    with pytest.raises(StatementTooLarge):
        list(executable.run(run_for(executable, MemoryReader(ROWS))))


@pytest.mark.parametrize("sql", [STATEMENTS[0], STATEMENTS[12]])
def test_a_deadline_ends_the_join(sql, early) -> None:
    with Call(deadline=0.0), pytest.raises(DeadlineExceeded):
        answer(sql, MemoryReader(ROWS))
