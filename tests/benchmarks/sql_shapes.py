"""The tables and the statements of the SQL benchmark: shapes that users report as slow.

`rows` is the size of the tables; the interleaved family has that many rows in its lowest table.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cache
from typing import Any

Rows = list[tuple[Any, ...]]

DDL = [
    "CREATE TABLE Users (UserId INT64 NOT NULL, Name STRING(100), Team INT64, Age INT64)"
    " PRIMARY KEY (UserId)",
    "CREATE TABLE Orders (OrderId INT64 NOT NULL, UserId INT64, Amount INT64, State STRING(20))"
    " PRIMARY KEY (OrderId)",
    "CREATE INDEX OrdersByUser ON Orders(UserId)",
    "CREATE TABLE Visits (VisitId INT64 NOT NULL, UserId INT64 NOT NULL, Seconds FLOAT64)"
    " PRIMARY KEY (VisitId)",
    "CREATE TABLE Singers (SingerId INT64 NOT NULL, Name STRING(100)) PRIMARY KEY (SingerId)",
    "CREATE TABLE Albums (SingerId INT64 NOT NULL, AlbumId INT64 NOT NULL, Title STRING(100))"
    " PRIMARY KEY (SingerId, AlbumId), INTERLEAVE IN PARENT Singers",
    "CREATE TABLE Songs (SingerId INT64 NOT NULL, AlbumId INT64 NOT NULL, SongId INT64 NOT NULL,"
    " Length INT64) PRIMARY KEY (SingerId, AlbumId, SongId), INTERLEAVE IN PARENT Albums",
]

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "Users": ("UserId", "Name", "Team", "Age"),
    "Orders": ("OrderId", "UserId", "Amount", "State"),
    "Visits": ("VisitId", "UserId", "Seconds"),
    "Singers": ("SingerId", "Name"),
    "Albums": ("SingerId", "AlbumId", "Title"),
    "Songs": ("SingerId", "AlbumId", "SongId", "Length"),
}

_ALBUMS, _SONGS = 2, 5  # per singer, per album


@cache
def rows_of(rows: int) -> Mapping[str, Rows]:
    """Return rows of every table, parents first; the same ones in every run."""
    chance = random.Random(11)
    singers = range(rows // (_ALBUMS * _SONGS))
    albums = [(singer, album) for singer in singers for album in range(_ALBUMS)]
    return {
        "Users": [(n, f"user {n}", n % (rows // 20), n % 90) for n in range(rows)],
        "Orders": [
            (n, chance.randrange(rows), chance.randrange(1_000), chance.choice(("open", "done")))
            for n in range(rows)
        ],
        "Visits": [(n, chance.randrange(rows), chance.randrange(10_000) / 10) for n in range(rows)],
        "Singers": [(n, f"singer {n}") for n in singers],
        "Albums": [(*album, f"album {album}") for album in albums],
        "Songs": [(*album, song, 60 + song) for album in albums for song in range(_SONGS)],
    }


SHAPES: Mapping[str, str] = {
    "IN (subquery)": """
        SELECT u.UserId, u.Name FROM Users u
        WHERE u.UserId IN (SELECT v.UserId FROM Visits v WHERE v.Seconds > 500)""",
    "NOT IN (subquery)": """
        SELECT u.UserId, u.Name FROM Users u
        WHERE u.UserId NOT IN (SELECT v.UserId FROM Visits v WHERE v.Seconds > 500)""",
    "correlated EXISTS": """
        SELECT u.UserId, u.Name FROM Users u
        WHERE EXISTS (SELECT 1 FROM Visits v WHERE v.UserId = u.UserId AND v.Seconds > u.Age)""",
    "correlated NOT EXISTS": """
        SELECT u.UserId, u.Name FROM Users u
        WHERE NOT EXISTS (SELECT 1 FROM Orders o WHERE o.UserId = u.UserId AND o.Amount > 500)""",
    "OR of two EXISTS": """
        SELECT u.UserId, u.Name FROM Users u
        WHERE EXISTS (SELECT 1 FROM Orders o WHERE o.UserId = u.UserId AND o.State = 'open')
           OR EXISTS (SELECT 1 FROM Visits v WHERE v.UserId = u.UserId AND v.Seconds > 500)""",
    "equi-join": """
        SELECT v.VisitId, u.Name FROM Visits v JOIN Users u ON u.UserId = v.UserId""",
    "join on an indexed column": """
        SELECT u.UserId, o.OrderId FROM Users u JOIN Orders o ON o.UserId = u.UserId""",
    "LEFT JOIN, aggregates": """
        SELECT u.Team, COUNT(o.OrderId) AS Orders, SUM(o.Amount) AS Amount
        FROM Users u LEFT JOIN Orders o ON o.UserId = u.UserId GROUP BY u.Team""",
    "GROUP BY, HAVING": """
        SELECT v.UserId, COUNT(*) AS Visits, AVG(v.Seconds) AS Seconds
        FROM Visits v GROUP BY v.UserId HAVING COUNT(*) > 1""",
    "DISTINCT": "SELECT DISTINCT v.UserId FROM Visits v",
    "top 10": "SELECT v.VisitId, v.Seconds FROM Visits v ORDER BY v.Seconds DESC LIMIT 10",
    "interleaved join of three": """
        SELECT s.Name, a.Title, t.Length FROM Singers s
        JOIN Albums a ON a.SingerId = s.SingerId
        JOIN Songs t ON t.SingerId = a.SingerId AND t.AlbumId = a.AlbumId""",
    "scalar subquery in SELECT": """
        SELECT u.UserId, (SELECT SUM(v.Seconds) FROM Visits v WHERE v.UserId = u.UserId) AS Total
        FROM Users u""",
}

# Statements that mean the same in SQLite, over the same rows.
THROUGHPUT: Mapping[str, str] = {
    "scan": "SELECT VisitId, UserId, Seconds FROM Visits",
    "filter": "SELECT VisitId FROM Visits WHERE Seconds > 250 AND UserId > 1000",
    "aggregate": "SELECT COUNT(*), SUM(Seconds), MAX(UserId) FROM Visits",
    "grouped aggregate": "SELECT UserId, COUNT(*), SUM(Seconds) FROM Visits GROUP BY UserId",
    "hash join": "SELECT v.VisitId, o.Amount FROM Visits v JOIN Orders o ON o.UserId = v.UserId",
    "sort": "SELECT VisitId, Seconds FROM Visits ORDER BY Seconds",
}

# A statement that no cache knows; {} makes each one new.
NEW_STATEMENT = """
    SELECT s.SingerId, s.Name, COUNT(*) AS Songs, SUM(t.Length) AS Length
    FROM Singers AS s
    JOIN Albums AS a ON a.SingerId = s.SingerId
    JOIN Songs AS t ON t.SingerId = a.SingerId AND t.AlbumId = a.AlbumId
    JOIN Users AS u ON u.UserId = s.SingerId
    WHERE s.SingerId = @id AND u.Age < 100 AND t.Length > {}
    GROUP BY s.SingerId, s.Name
    HAVING COUNT(*) > 1
    ORDER BY Length DESC
    LIMIT 10"""
