"""Work that no row needs is not done: a table that cannot matter is not read at all.

In every statement `Songs` stands for what is expensive.
"""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.values.types import BOOL, INT64, Type
from tests.unit.sql.world import ROWS, MemoryReader, prepared, run_for

TRIPLES = "(SELECT x.Duration FROM Songs x, Songs y, Songs z)"
PAIRS_OF_SINGER = "FROM Songs x, Songs y WHERE x.Duration = s.SingerId"
NO_SINGER = "(SELECT * FROM Singers WHERE Rating > 1000)"

EMPTY_SIDES = {
    "IN": f"SELECT 1 FROM Singers WHERE Rating > 1000 AND SingerId IN {TRIPLES}",
    "IN, written first": f"SELECT 1 FROM Singers WHERE SingerId IN {TRIPLES} AND Rating > 1000",
    "NOT IN": f"SELECT 1 FROM Singers WHERE SingerId NOT IN {TRIPLES} AND Rating > 1000",
    "EXISTS": f"SELECT 1 FROM Singers WHERE EXISTS {TRIPLES} AND Rating > 1000",
    "NOT EXISTS": f"SELECT 1 FROM Singers WHERE NOT EXISTS {TRIPLES} AND Rating > 1000",
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


def tables_read(sql: str) -> set[str]:
    types: dict[str, Type] = {"no": BOOL, "one": INT64}
    values: dict[str, Any] = {"no": False, "one": 1}
    reader = MemoryReader(ROWS)
    executable = prepared(sql, reader, types)
    used = {name: values[name] for name, _ in executable.parameters}
    list(executable.run(run_for(executable, reader, **used)))
    return {asked.split()[1] for asked in reader.asked}


@pytest.mark.parametrize("shape", EMPTY_SIDES)
def test_an_empty_side_leaves_the_other_unread(shape):
    assert tables_read(EMPTY_SIDES[shape]).isdisjoint({"Songs", "SongsByName", "SongsByGenre"})


def test_an_empty_right_side_leaves_the_rest_of_the_left_unread():
    reader = MemoryReader({"Songs": [(1, 1, track, "a", 1, "pop") for track in range(2_000)]})
    sql = "SELECT 1 FROM Songs x WHERE x.Duration IN (SELECT a.Budget FROM Albums a)"
    executable = prepared(sql, reader)
    assert list(executable.run(run_for(executable, reader))) == []
    assert reader.visited <= 1


@pytest.mark.parametrize("kind", ["LEFT JOIN", "FULL JOIN"])
def test_left_rows_before_the_first_key_come_without_a_partner(kind):
    rows = {
        "Singers": [(1, None, None, None, None), (2, None, None, None, 20.0)],
        "Songs": [(1, 1, 1, "a", 20, None)],
    }
    reader = MemoryReader(rows)
    sql = f"SELECT s.SingerId, x.Name FROM Singers s {kind} Songs x ON s.Rating = x.Duration"
    executable = prepared(sql, reader)
    assert sorted(executable.run(run_for(executable, reader))) == [(1, None), (2, "a")]
