from __future__ import annotations

import pytest

from spanemu.sql.analyzer import resolved as r
from spanemu.values.types import BOOL, INT64
from tests.unit.sql.world import *

ROWS = {
    "Singers": [
        (1, "Marc", "Richards", None, 4.5),
        (2, "Catalina", "Smith", None, None),
        (3, "Alice", "Trentor", None, float("nan")),
        (4, "Lea", None, None, -1.0),
    ],
    "Albums": [
        (1, 1, "Go", 100),
        (1, 2, "Green", None),
        (2, 1, "Total", 50),
        (2, 2, "Blue", 75),
        (4, 1, None, 10),
    ],
    "Songs": [
        (1, 1, 1, "a", 10, "pop"),
        (1, 1, 2, "b", 20, "rock"),
        (2, 1, 1, "c", 30, "pop"),
        (2, 2, 7, None, 5, None),
    ],
}


@pytest.fixture
def reader():
    return MemoryReader(ROWS)


def test_point(reader):
    t = TableRefs(SINGERS)
    s = query(r.FilterScan(t.scan, equal(t.SingerId, param("p"))), t["FirstName"], t["SingerId"], parameters={"p": INT64})
    assert rows_of(s, reader, 2) == [("Catalina", 2)]
    assert rows_of(s, reader, None) == []
    assert reader.asked == ["get Singers"]


def test_select_1(reader):
    c = column("x")
    assert rows_of(query(r.ProjectScan(r.SingleRow(), ((c, lit(1)),)), c), reader) == [(1,)]


def test_index(reader):
    t = TableRefs(SINGERS)
    s = query(r.FilterScan(t.scan, equal(t.LastName, lit("Smith"))), t["FirstName"], t["SingerId"])
    assert rows_of(s, reader) == [("Catalina", 2)]
    assert reader.asked == ["scan SingersByLastName", "get Singers"]


def test_join(reader):
    a, b = TableRefs(SINGERS), TableRefs(ALBUMS)
    s = query(
        r.FilterScan(
            r.JoinScan(r.JoinType.INNER, a.scan, b.scan, equal(a.SingerId, b.SingerId)),
            equal(a.SingerId, lit(2)),
        ),
        a["FirstName"], b["Title"])
    assert rows_of(s, reader) == [("Catalina", "Total"), ("Catalina", "Blue")]
    print(reader.asked)
    s = query(r.JoinScan(r.JoinType.FULL, a.scan, b.scan, equal(a.SingerId, b.AlbumId)), a["FirstName"], b["Title"])
    print(rows_of(s, reader))
    for kind in r.JoinType:
        a, b = TableRefs(SINGERS), TableRefs(ALBUMS)
        s = query(r.JoinScan(kind, a.scan, b.scan, both(equal(a.SingerId, b.SingerId), call("$greater", b.Budget, lit(60)))), a["FirstName"], b["Title"])
        print(kind, rows_of(s, reader))
        print(reader.asked[-4:])


def test_exists(reader):
    for neg in (False, True):
        a, b = TableRefs(SINGERS), TableRefs(ALBUMS)
        sub = r.SubqueryExpr(BOOL, r.SubqueryKind.EXISTS, r.FilterScan(b.scan, equal(a.SingerId, b.SingerId)), (b["Title"],))
        cond = call("$not", sub) if neg else sub
        print(neg, rows_of(query(r.FilterScan(a.scan, cond), a["FirstName"]), reader), reader.asked[-4:])
        a, b = TableRefs(SINGERS), TableRefs(ALBUMS)
        sub = r.SubqueryExpr(BOOL, r.SubqueryKind.IN, b.scan, (b["Budget"],), a.SingerId)
        cond = call("$not", sub) if neg else sub
        print(neg, rows_of(query(r.FilterScan(a.scan, cond), a["FirstName"]), reader), reader.asked[-4:])
    a, b = TableRefs(SINGERS), TableRefs(ALBUMS)
    sub = r.SubqueryExpr(INT64, r.SubqueryKind.SCALAR, r.FilterScan(b.scan, equal(a.SingerId, b.Budget)), (b["AlbumId"],))
    c = column("s")
    print(rows_of(query(r.ProjectScan(a.scan, ((c, sub),)), a["FirstName"], c), reader))
    print(reader.asked)
