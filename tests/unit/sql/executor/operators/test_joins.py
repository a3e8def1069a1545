from __future__ import annotations

import pytest

from tests.unit.sql.world import ROWS, MemoryReader, ask

METHODS = ["", "@{JOIN_METHOD=HASH_JOIN}", "@{JOIN_METHOD=APPLY_JOIN}"]


@pytest.mark.parametrize("method", METHODS)
class TestEachMethod:
    def test_inner(self, method):
        rows = ask(
            f"SELECT s.FirstName, a.Title FROM Singers s JOIN{method} Albums a "
            "ON s.SingerId = a.SingerId AND a.Budget > 60"
        )
        assert sorted(rows) == [("Catalina", "Blue"), ("Marc", "Go")]

    def test_left(self, method):
        rows = ask(
            f"SELECT s.SingerId, a.AlbumId FROM Singers s LEFT JOIN{method} Albums a "
            "ON s.SingerId = a.SingerId AND a.Budget > 60"
        )
        assert sorted(rows, key=repr) == [(1, 1), (2, 2), (3, None), (4, None)]

    def test_right(self, method):
        rows = ask(
            f"SELECT s.SingerId, a.AlbumId FROM Singers s RIGHT JOIN{method} Albums a "
            "ON s.SingerId = a.SingerId AND s.Rating > 0"
        )
        assert sorted(rows, key=repr) == [(1, 1), (1, 2), (None, 1), (None, 1), (None, 2)]

    def test_full(self, method):
        rows = ask(
            f"SELECT s.SingerId, a.Budget FROM Singers s FULL JOIN{method} Albums a "
            "ON s.SingerId = a.AlbumId AND a.Budget < 60"
        )
        assert sorted(rows, key=repr) == [
            (1, 10), (1, 50), (2, None), (3, None), (4, None),
            (None, 100), (None, 75), (None, None),
        ]  # fmt: skip


@pytest.mark.parametrize("kind", ["JOIN", "LEFT JOIN"])
@pytest.mark.parametrize(
    "key",
    [
        "s.SingerId",
        "s.SingerId * 1",
        "COALESCE(s.SingerId, 0)",
        "ARRAY_FIRST(ARRAY_TRANSFORM([s.SingerId], x -> x))",
        "(SELECT MAX(g.TrackId) * 0 + s.SingerId FROM Songs g)",
        "s.SingerId" + " + 1 - 1" * 12,
    ],
)
def test_a_key_may_be_any_expression(kind, key):
    sql = f"SELECT s.SingerId, a.Title FROM Singers s {kind}@{{JOIN_METHOD=HASH_JOIN}} Albums a ON "
    by_column = ask(f"{sql} s.SingerId = a.SingerId")
    assert len(by_column) == (5 if kind == "JOIN" else 6)
    assert ask(f"{sql} {key} = a.SingerId") == by_column
    assert ask(f"{sql} {key} = a.SingerId AND s.LastName = a.Title") == ask(
        f"{sql} s.SingerId = a.SingerId AND s.LastName = a.Title"
    )


def test_null_and_nan_equal_nothing():
    nan = float("nan")
    singers = [(1, "a", "x", None, nan), (2, "b", None, None, None), (3, "c", "x", None, 0.0)]
    reader = MemoryReader({"Singers": singers})
    joined = "SELECT s.SingerId, t.SingerId FROM Singers s JOIN Singers t ON "
    assert ask(joined + "s.Rating = t.Rating", reader) == [(3, 3)]
    assert sorted(ask(joined + "s.LastName = t.LastName", reader)) == [
        (1, 1), (1, 3), (3, 1), (3, 3),
    ]  # fmt: skip


def test_zero_equals_negative_zero():
    singers = [(1, "a", None, None, 0.0), (2, "b", None, None, -0.0)]
    reader = MemoryReader({"Singers": singers})
    rows = ask(
        "SELECT s.SingerId, t.SingerId FROM Singers s JOIN Singers t ON s.Rating = t.Rating", reader
    )
    assert len(rows) == 4


def test_an_apply_join_looks_up_by_key():
    reader = MemoryReader(ROWS)
    rows = ask(
        "SELECT s.FirstName, x.Name FROM Songs x JOIN Singers s USING (SingerId) "
        "WHERE x.Name = 'c'",
        reader,
    )
    assert rows == [("Catalina", "c")]
    assert reader.visited == 2


def test_a_limit_stops_look_ups():
    reader = MemoryReader(ROWS)
    hinted = "SELECT a.Title FROM Singers s JOIN@{JOIN_METHOD=APPLY_JOIN} Albums a USING (SingerId)"
    assert len(ask(f"{hinted} WHERE s.LastName > 'R' LIMIT 1", reader)) == 1
    assert reader.visited <= 3


def test_unrelated_tables_form_a_cross_product():
    assert len(ask("SELECT 1 FROM Singers, Albums")) == 20
    assert ask(
        "SELECT s.SingerId, a.SingerId FROM Singers s, Albums a WHERE s.SingerId > a.SingerId + 2"
    ) == [
        (4, 1),
        (4, 1),
    ]


@pytest.mark.parametrize("negation", ["", "NOT "])
def test_tests_without_an_equality(negation):
    rows = ask(
        f"SELECT SingerId FROM Singers s WHERE {negation}EXISTS "
        "(SELECT 1 FROM Albums a WHERE a.AlbumId > s.SingerId)"
    )
    assert rows == ([(2,), (3,), (4,)] if negation else [(1,)])


def test_arrays_join_with_their_row():
    assert ask(
        "SELECT SingerId, x, o FROM Singers, UNNEST([FirstName, LastName]) x WITH OFFSET o "
        "WHERE SingerId = 1"
    ) == [(1, "Marc", 0), (1, "Richards", 1)]
    assert ask("SELECT SingerId, x FROM Singers LEFT JOIN UNNEST([SingerId]) x ON x > 3") == [
        (1, None),
        (2, None),
        (3, None),
        (4, 4),
    ]
    assert ask("SELECT x FROM UNNEST(CAST(NULL AS ARRAY<INT64>)) x") == []
