"""Tables that cannot affect the result are not read.

In every statement `Songs` stands for the expensive part.
"""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.sql.executor.operators import loop_join
from spanemu.values.types import BOOL, INT64, Type, array_of
from tests.unit.sql.world import ROWS, MemoryReader, ask, prepared, run_for

TRIPLES = "(SELECT x.Duration FROM Songs x, Songs y, Songs z)"
PAIRS_OF_SINGER = "FROM Songs x, Songs y WHERE x.Duration = s.SingerId"
NO_SINGER = "(SELECT * FROM Singers WHERE Rating > 1000)"

EMPTY_SIDES = {
    "IN": f"SELECT 1 FROM Singers WHERE Rating > 1000 AND SingerId IN {TRIPLES}",
    "IN, written first": f"SELECT 1 FROM Singers WHERE SingerId IN {TRIPLES} AND Rating > 1000",
    "NOT IN": f"SELECT 1 FROM Singers WHERE SingerId NOT IN {TRIPLES} AND Rating > 1000",
    "EXISTS": f"SELECT 1 FROM Singers WHERE EXISTS {TRIPLES} AND Rating > 1000",
    "NOT EXISTS": f"SELECT 1 FROM Singers WHERE NOT EXISTS {TRIPLES} AND Rating > 1000",
    "NOT EXISTS, about no row": (
        "SELECT x.Name FROM Songs x, Songs y, Songs z WHERE NOT EXISTS (SELECT 1 FROM Singers)"
    ),
    "EXISTS, about no row": (
        "SELECT x.Name FROM Songs x CROSS JOIN Songs y "
        f"WHERE EXISTS (SELECT 1 FROM {NO_SINGER} s) AND x.Duration > y.Duration"
    ),
    "IN, about no row": (
        "SELECT x.Name FROM Songs x JOIN Songs y ON x.Name < y.Name "
        "WHERE -1 IN (SELECT SingerId FROM Singers)"
    ),
    "EXISTS for a row": (
        f"SELECT 1 FROM Singers s WHERE EXISTS (SELECT 1 {PAIRS_OF_SINGER}) AND Rating > 1000"
    ),
    "scalar of a row": (
        f"SELECT (SELECT MAX(x.Duration) {PAIRS_OF_SINGER}) FROM Singers s WHERE Rating > 1000"
    ),
    "inner": f"SELECT 1 FROM {NO_SINGER} s JOIN Songs x ON s.SingerId = x.Duration",
    "inner, turned round": f"SELECT 1 FROM Songs x JOIN {NO_SINGER} s ON s.SingerId = x.Duration",
    "left": f"SELECT 1 FROM {NO_SINGER} s LEFT JOIN Songs x ON s.Rating = x.Duration",
    "left, by pairs": f"SELECT 1 FROM {NO_SINGER} s LEFT JOIN Songs x ON s.Rating < x.Duration",
    "right": f"SELECT 1 FROM Songs x RIGHT JOIN {NO_SINGER} s ON s.Rating = x.Duration",
    "no key to look up": "SELECT 1 FROM Singers s LEFT JOIN Songs x ON s.BirthDate = CAST(x.Name AS DATE)",
    "INTERSECT": f"SELECT SingerId FROM {NO_SINGER} INTERSECT ALL SELECT Duration FROM Songs",
    "EXCEPT": f"SELECT SingerId FROM {NO_SINGER} EXCEPT DISTINCT SELECT Duration FROM Songs",
    "common table": (
        f"WITH c AS {TRIPLES} SELECT 1 FROM Singers WHERE Rating > 1000 "
        "AND (SingerId IN (SELECT Duration FROM c) OR EXISTS (SELECT 1 FROM c))"
    ),
    "UPDATE": (
        "UPDATE Singers SET FirstName = (SELECT MAX(x.Name) FROM Songs x, Songs y) "
        f"WHERE SingerId IN {TRIPLES} AND Rating > 1000"
    ),
    "DELETE": f"DELETE FROM Singers WHERE Rating > 1000 AND SingerId IN {TRIPLES}",
    "INSERT": (
        "INSERT INTO Singers (SingerId) SELECT SingerId FROM Singers "
        f"WHERE SingerId IN {TRIPLES} AND Rating > 1000"
    ),
}


CHEAP_TERMS = {
    "AND": f"SELECT COUNT(*) FROM Singers WHERE (EXISTS {TRIPLES} OR FirstName = '') AND Rating > 9",
    "OR": f"SELECT SingerId FROM Singers WHERE EXISTS {TRIPLES} OR SingerId > 0",
    "OR, IN": f"SELECT SingerId FROM Singers WHERE SingerId IN {TRIPLES} OR SingerId > 0",
    "OR, for a row": (
        f"SELECT 1 FROM Singers s WHERE EXISTS (SELECT 1 {PAIRS_OF_SINGER}) OR SingerId > 0"
    ),
    "OR of a left join": (
        "SELECT 1 FROM Singers s LEFT JOIN Albums a ON s.SingerId = a.SingerId "
        f"AND (a.Budget IN {TRIPLES} OR a.AlbumId > 0)"
    ),
    "OR of a left join, for a row": (
        "SELECT 1 FROM Singers s LEFT JOIN Albums a ON s.SingerId = a.SingerId "
        f"AND (EXISTS (SELECT 1 {PAIRS_OF_SINGER}) OR a.AlbumId > 0)"
    ),
    "IN list": (
        "SELECT 1 FROM Albums WHERE AlbumId IN ((SELECT MAX(x.Duration) FROM Songs x), 1, 2)"
    ),
    "CASE": (
        f"SELECT CASE WHEN SingerId > 0 THEN 1 ELSE (SELECT MAX(1) {PAIRS_OF_SINGER}) END "
        "FROM Singers s"
    ),
    "nested CASE": (
        f"SELECT IF(SingerId > 0, IF(SingerId < 9, 1, (SELECT MAX(1) {PAIRS_OF_SINGER})), 2) "
        "FROM Singers s"
    ),
    "COALESCE": f"SELECT COALESCE(SingerId, (SELECT MAX(1) {PAIRS_OF_SINGER})) FROM Singers s",
    "COUNTIF": f"SELECT COUNTIF(Rating > 1000 AND SingerId IN {TRIPLES}) FROM Singers",
    "COUNTIF, written first": f"SELECT COUNTIF(EXISTS {TRIPLES} AND Rating > 1000) FROM Singers",
    "COUNTIF, for a row": (
        f"SELECT COUNTIF(Rating > 1000 AND EXISTS (SELECT 1 {PAIRS_OF_SINGER})) FROM Singers s "
        "GROUP BY LastName"
    ),
    "aggregate": (
        "SELECT SUM(IF(Rating > 1000, (SELECT MAX(x.Duration) FROM Songs x), 0)) FROM Singers"
    ),
    "aggregate, for a row": (
        f"SELECT SUM(IF(Rating > 1000, (SELECT MAX(1) {PAIRS_OF_SINGER}), 0)) FROM Singers s"
    ),
}
NEVER_TRUE = {
    "ON FALSE": "SELECT 1 FROM Singers s JOIN Songs x ON FALSE AND s.SingerId = x.Duration",
    "LEFT ON FALSE": "SELECT x.Name FROM Singers s LEFT JOIN Songs x ON FALSE",
    "HAVING FALSE": "SELECT Genre, COUNT(*) FROM Songs GROUP BY Genre HAVING FALSE AND COUNT(*) > 1",
    "LIMIT 0": "SELECT x.Name FROM Songs x, Songs y ORDER BY x.Name LIMIT 0",
    "branch": "SELECT SingerId FROM Singers UNION ALL SELECT Duration FROM Songs WHERE FALSE",
    "branch by its constant": (
        "SELECT * FROM (SELECT 1 k, SingerId FROM Singers UNION ALL SELECT 2, Duration FROM Songs) "
        "WHERE k = 1"
    ),
    "branch by its constant and a parameter": (
        "SELECT * FROM (SELECT 1 k, SingerId FROM Singers UNION ALL SELECT 2, Duration FROM Songs) "
        "WHERE k = @one"
    ),
    "parameter": "SELECT COUNT(*) FROM Songs WHERE @no GROUP BY Genre",
    "parameter, pairs": "SELECT COUNT(*) FROM Songs x JOIN Songs y USING (Duration) WHERE @no",
    "parameter, ON": "SELECT 1 FROM Singers s LEFT JOIN Songs x ON s.SingerId = x.Duration AND @no",
    "parameter, HAVING": "SELECT COUNT(*) FROM Songs x, Songs y HAVING @no",
}
GREATEST = "(SELECT MAX(x.Duration) FROM Songs x, Songs y, Songs z)"
SOUGHT_KEYS = {
    "whole key": f"SELECT 1 FROM Singers WHERE SingerId = {GREATEST} AND @no",
    "whole key, DELETE": f"DELETE FROM Singers WHERE SingerId = {GREATEST} AND @no",
    "first part": f"SELECT 1 FROM Albums WHERE SingerId = {GREATEST} AND @no",
    "index": f"SELECT 1 FROM Albums WHERE Budget = {GREATEST} AND @no",
    "other part NULL": f"SELECT 1 FROM Albums WHERE SingerId = {GREATEST} AND AlbumId = @null",
    "no element": (
        f"SELECT 1 FROM Albums WHERE SingerId IN UNNEST(@none) AND AlbumId = {GREATEST}"
    ),
    "empty interval": (
        f"SELECT 1 FROM Albums WHERE SingerId = {GREATEST} AND AlbumId > @one AND AlbumId < @one"
    ),
    "bound of an interval": (
        f"SELECT 1 FROM Albums WHERE SingerId = @null AND AlbumId > {GREATEST}"
    ),
    "look-up": (
        "SELECT 1 FROM Singers s LEFT JOIN@{JOIN_METHOD=APPLY_JOIN} Albums a "
        f"ON a.SingerId = s.SingerId AND a.AlbumId = {GREATEST} AND @no"
    ),
    "pairs with an empty side": f"SELECT 1 FROM {NO_SINGER} s JOIN Albums a ON a.SingerId = {GREATEST}",
    "keys of an empty side": (
        f"SELECT 1 FROM {NO_SINGER} s, Albums a WHERE a.SingerId = {GREATEST} "
        "AND a.Budget = s.Rating"
    ),
}
SONGS = frozenset({"Songs", "SongsByName", "SongsByGenre"})


def tables_read(sql: str) -> set[str]:
    types: dict[str, Type] = {"no": BOOL, "one": INT64, "null": INT64, "none": array_of(INT64)}
    values: dict[str, Any] = {"no": False, "one": 1, "null": None, "none": []}
    reader = MemoryReader(ROWS)
    executable = prepared(sql, reader, types)
    used = {name: values[name] for name, _ in executable.parameters}
    list(executable.run(run_for(executable, reader, **used)))
    return {asked.split()[1] for asked in reader.asked}


@pytest.mark.parametrize("shape", EMPTY_SIDES)
def test_an_empty_side_leaves_the_other_side_unread(shape):
    assert tables_read(EMPTY_SIDES[shape]).isdisjoint(SONGS)


@pytest.mark.parametrize("shape", CHEAP_TERMS)
def test_a_deciding_term_leaves_a_subquery_unread(shape):
    assert tables_read(CHEAP_TERMS[shape]).isdisjoint(SONGS)


@pytest.mark.parametrize("shape", SOUGHT_KEYS)
def test_a_subquery_for_a_key_is_not_evaluated_for_a_scan_without_rows(shape):
    assert tables_read(SOUGHT_KEYS[shape]).isdisjoint(SONGS)


def test_a_key_computed_by_a_subquery_is_sought():
    first = "(SELECT MIN(x.AlbumId) FROM Songs x)"
    assert ask(f"SELECT Title FROM Albums WHERE SingerId = 2 AND AlbumId = {first}") == [("Total",)]
    sql = f"SELECT Title FROM Albums WHERE SingerId = {first} AND AlbumId > 0 AND AlbumId < 2"
    assert ask(sql) == [("Go",)]
    assert ask(f"SELECT Title FROM Albums WHERE SingerId IN (1, 2) AND AlbumId > {first}") == [
        ("Green",), ("Blue",)
    ]  # fmt: skip


@pytest.mark.parametrize("shape", NEVER_TRUE)
def test_a_condition_that_is_never_true_leaves_tables_unread(shape):
    assert tables_read(NEVER_TRUE[shape]).isdisjoint(SONGS)


def test_a_branch_that_some_rows_need_is_computed_for_them():
    sql = (
        "SELECT SingerId, IF(MOD(SingerId, 2) = 0, "
        "(SELECT COUNT(*) FROM Albums a WHERE a.SingerId = s.SingerId), -1) FROM Singers s"
    )
    assert sorted(ask(sql)) == [(1, -1), (2, 2), (3, -1), (4, 1)]


def test_or_returns_rows_of_either_term():
    sql = (
        "SELECT SingerId FROM Singers s WHERE SingerId = 3 "
        "OR EXISTS (SELECT 1 FROM Albums a WHERE a.SingerId = s.SingerId)"
    )
    assert sorted(ask(sql)) == [(1,), (2,), (3,), (4,)]


def test_a_term_that_can_fail_stays_behind_its_guard():
    rows = {"Albums": [(1, 0, "a", None), (2, 4, "b", None)]}
    guards = "AlbumId != 0 AND EXISTS (SELECT 1 FROM Albums)"
    sql = f"SELECT SingerId FROM Albums WHERE {guards} AND 1 / AlbumId > 0.1"
    assert ask(sql, MemoryReader(rows)) == [(2,)]


def test_a_parameter_that_excludes_all_rows_is_tested_after_its_guard():
    sql = "SELECT 1 FROM Singers WHERE SingerId != 0 AND @no AND 1 / @zero > 1"
    assert ask(sql, types={"no": BOOL, "zero": INT64}, no=False, zero=0) == []


def test_an_empty_right_side_leaves_the_rest_of_the_left_unread():
    reader = MemoryReader({"Songs": [(1, 1, track, "a", 1, "pop") for track in range(2_000)]})
    sql = "SELECT 1 FROM Songs x WHERE x.Duration IN (SELECT a.Budget FROM Albums a)"
    executable = prepared(sql, reader)
    assert list(executable.run(run_for(executable, reader))) == []
    assert reader.visited <= 1


@pytest.mark.parametrize("condition", ["FALSE", "NULL", "@no", "@no AND s.Rating < x.Duration"])
def test_a_full_join_compares_no_pair_if_none_can_match(condition, monkeypatch):
    def compared(*_: Any) -> Any:
        raise AssertionError("pairs were compared")

    monkeypatch.setattr(loop_join.Sides, "pairs_with", compared)
    sql = f"SELECT s.SingerId, x.Duration FROM Singers s FULL JOIN Songs x ON {condition}"
    types = {"no": BOOL} if "@no" in condition else {}
    rows = ask(sql, types=types, no=False)
    alone = [(number, None) for number in (1, 2, 3, 4)] + [(None, n) for n in (5, 10, 20, 30)]
    assert sorted(rows, key=repr) == sorted(alone, key=repr)


@pytest.mark.parametrize("kind", ["LEFT JOIN", "FULL JOIN"])
def test_left_rows_before_the_first_key_have_no_partner(kind):
    rows = {
        "Singers": [(1, None, None, None, None), (2, None, None, None, 20.0)],
        "Songs": [(1, 1, 1, "a", 20, None)],
    }
    reader = MemoryReader(rows)
    sql = f"SELECT s.SingerId, x.Name FROM Singers s {kind} Songs x ON s.Rating = x.Duration"
    executable = prepared(sql, reader)
    assert sorted(executable.run(run_for(executable, reader))) == [(1, None), (2, "a")]
