"""Tables ten times as large lead to ten times as many visited rows, in every shape of query."""

from __future__ import annotations

import pytest

from tests.unit.sql.world import MemoryReader, prepared, run_for

SHAPES = {
    "in": "SELECT SingerId FROM Singers WHERE SingerId IN (SELECT Duration FROM Songs)",
    "not in": "SELECT SingerId FROM Singers WHERE SingerId NOT IN (SELECT Duration FROM Songs)",
    "exists": """SELECT SingerId FROM Singers s
        WHERE EXISTS (SELECT 1 FROM Songs x WHERE x.Duration = s.SingerId AND x.TrackId > s.Rating)""",
    "not exists": """SELECT SingerId FROM Singers s
        WHERE NOT EXISTS (SELECT 1 FROM Songs x WHERE x.Duration = s.SingerId)""",
    "or of exists": """SELECT SingerId FROM Singers s
        WHERE EXISTS (SELECT 1 FROM Songs x WHERE x.Duration = s.SingerId)
        OR EXISTS (SELECT 1 FROM Albums x WHERE x.Budget = s.SingerId)""",
    "join": "SELECT s.SingerId FROM Singers s JOIN Songs x ON x.Duration = s.SingerId",
    "left join": """SELECT s.LastName, COUNT(x.Name) FROM Singers s
        LEFT JOIN Songs x ON x.Duration = s.SingerId GROUP BY s.LastName""",
    "interleaved": """SELECT s.SingerId FROM Singers s JOIN Albums a USING (SingerId)
        JOIN Songs x USING (SingerId, AlbumId)""",
    "scalar": """SELECT (SELECT SUM(x.TrackId) FROM Songs x WHERE x.Duration = s.SingerId)
        FROM Singers s""",
    "scalar without a join": """SELECT (SELECT STRING_AGG(x.Name) FROM Songs x
        WHERE x.Duration = s.SingerId) FROM Singers s""",
    "greatest of each": """SELECT a.Title FROM Songs a JOIN Albums b USING (SingerId, AlbumId)
        WHERE a.Duration = (SELECT MAX(c.Duration) FROM Songs c WHERE c.Genre = a.Genre)""".replace(
        "a.Title", "a.Name"
    ),
    "structs": """SELECT Name FROM Songs x WHERE (SingerId, AlbumId) IN
        (SELECT AS STRUCT SingerId, AlbumId FROM Albums WHERE Budget > 3)""",
    "distinct": "SELECT DISTINCT Duration FROM Songs",
    "top": "SELECT Name FROM Songs ORDER BY Duration LIMIT 10",
}


def reader_of(size: int) -> MemoryReader:
    return MemoryReader(
        {
            "Singers": [(n, f"{n}", f"{n % 97}", None, float(n % 3)) for n in range(size)],
            "Albums": [(n, 1, f"{n}", n * 7 % size) for n in range(size)],
            "Songs": [(n, 1, 1, f"{n}", n * 3 % size, f"g{n}") for n in range(size)],
        }
    )


def touched(sql: str, size: int) -> int:
    """Return the number of rows that operators emit and that the reader visits."""
    reader = reader_of(size)
    executable = prepared(sql, reader)
    run = run_for(executable, reader)
    profile = run.start_profile()
    list(executable.run(run))
    return reader.visited + sum(figures.rows for figures in profile._nodes.values())


@pytest.mark.parametrize("sql", SHAPES.values(), ids=SHAPES)
def test_work_grows_with_the_tables(sql):
    assert touched(sql, 300) < touched(sql, 30) * 15
