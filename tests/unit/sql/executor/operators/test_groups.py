from __future__ import annotations

import pytest

from spanemu.base.errors import Code
from spanemu.sql.executor.operators import aggregate
from spanemu.sql.executor.operators.aggregate import FoldedGroups
from spanemu.sql.functions.errors import BadRowCount
from spanemu.sql.functions.text.collation import UnknownCollation
from spanemu.values.types import INT64, STRING
from tests.unit.sql.world import ROWS, MemoryReader, ask


def test_an_empty_input_is_one_group_without_keys_and_none_with_keys():
    reader = MemoryReader({})
    assert ask("SELECT COUNT(*), SUM(Budget), MAX(Title) FROM Albums", reader) == [(0, None, None)]
    assert ask("SELECT SingerId, COUNT(*) FROM Albums GROUP BY SingerId", reader) == []


@pytest.mark.parametrize("share", [1, 2, 5, 300, 5_000])
def test_neighbours_are_one_group_across_batches(share: int) -> None:
    albums = [(n // share, n, str(n), n) for n in range(2_000)]
    rows = ask(
        "SELECT SingerId, COUNT(*), MIN(AlbumId), SUM(Budget) FROM Albums GROUP BY SingerId",
        MemoryReader({"Albums": albums}),
    )
    groups = [range(2_000)[start : start + share] for start in range(0, 2_000, share)]
    assert rows == [(n, len(group), group[0], sum(group)) for n, group in enumerate(groups)]


def test_null_and_nan_are_groups():
    nan = float("nan")
    singers = [(n, "a", None, None, rating) for n, rating in enumerate([nan, None, nan, 1.0, None])]
    rows = ask(
        "SELECT Rating, COUNT(*) FROM Singers GROUP BY Rating", MemoryReader({"Singers": singers})
    )
    assert sorted((repr(rating), count) for rating, count in rows) == [
        ("1.0", 1), ("None", 2), ("nan", 2),
    ]  # fmt: skip


def test_hashed_and_streamed_groups_agree():
    hashed = ask(
        "SELECT SingerId, COUNT(*), SUM(Budget) "
        "FROM Albums GROUP@{GROUP_METHOD=HASH_GROUP} BY SingerId"
    )
    streamed = ask("SELECT SingerId, COUNT(*), SUM(Budget) FROM Albums GROUP BY SingerId")
    assert hashed == streamed == [(1, 2, 100), (2, 2, 125), (4, 1, 10)]


@pytest.mark.parametrize("groups", [1, 7, 100])
def test_groups_of_many_rows_are_folded_as_rows_arrive(groups: int, monkeypatch) -> None:
    singers = [(n, None, None, None, float(n % groups)) for n in range(2_000)]
    reader = MemoryReader({"Singers": singers})
    sql = (
        "SELECT Rating, COUNT(*), SUM(SingerId), MAX(SingerId), COUNT(FirstName), AVG(SingerId) "
        "FROM Singers GROUP@{GROUP_METHOD=HASH_GROUP} BY Rating"
    )
    at_once = ask(sql, reader)
    kept: list[int] = []
    fold = FoldedGroups._fold

    def noting(self, gathered, *others) -> None:
        kept.append(sum(map(len, gathered.values())))
        fold(self, gathered, *others)

    monkeypatch.setattr(FoldedGroups, "_fold", noting)
    monkeypatch.setattr(aggregate, "ROWS_KEPT", 64)
    assert ask(sql, reader) == at_once
    assert len(at_once) == groups
    assert sum(kept) == 2_000
    assert max(kept) < 1_000


def test_groups_of_few_rows_are_not_folded(monkeypatch) -> None:
    monkeypatch.setattr(aggregate, "ROWS_KEPT", 16)
    monkeypatch.setattr(FoldedGroups, "_fold", None)
    singers = [(n, None, None, None, float(n % 500)) for n in range(1_000)]
    rows = ask(
        "SELECT Rating, COUNT(*) FROM Singers GROUP BY Rating", MemoryReader({"Singers": singers})
    )
    assert set(rows) == {(float(n), 2) for n in range(500)}


def test_modifiers_of_aggregates():
    assert ask("SELECT COUNT(DISTINCT SingerId), COUNT(Budget), COUNT(*) FROM Albums") == [
        (3, 4, 5)
    ]
    assert ask("SELECT ARRAY_AGG(Title ORDER BY Budget DESC LIMIT 2) FROM Albums") == [
        (("Go", "Blue"),)
    ]
    assert ask("SELECT ARRAY_AGG(Title IGNORE NULLS ORDER BY Title) FROM Albums") == [
        (("Blue", "Go", "Green", "Total"),)
    ]
    assert ask(
        "SELECT ANY_VALUE(Title HAVING MAX Budget), ANY_VALUE(Title HAVING MIN Budget) FROM Albums"
    ) == [("Go", None)]
    assert ask("SELECT STRING_AGG(DISTINCT Genre, '+' ORDER BY Genre) FROM Songs") == [
        ("pop+rock",)
    ]


def test_having_max_of_nan_selects_no_row():
    assert ask(
        "SELECT MAX(SingerId HAVING MAX Rating), MAX(SingerId HAVING MIN Rating) FROM Singers"
    ) == [(None, None)]


def test_order():
    assert ask("SELECT Budget FROM Albums ORDER BY Budget") == [
        (None,),
        (10,),
        (50,),
        (75,),
        (100,),
    ]
    assert ask("SELECT Budget FROM Albums ORDER BY Budget DESC") == [
        (100,), (75,), (50,), (10,), (None,),
    ]  # fmt: skip
    assert ask("SELECT SingerId, Title FROM Albums ORDER BY SingerId DESC, Title") == [
        (4, None), (2, "Blue"), (2, "Total"), (1, "Go"), (1, "Green"),
    ]  # fmt: skip


def test_nan_sorts_before_numbers():
    ratings = [str(row[0]) for row in ask("SELECT Rating FROM Singers ORDER BY Rating")]
    assert ratings == ["None", "nan", "-1.0", "4.5"]


def test_the_first_rows_of_many():
    songs = [(1, 1, n, f"{n:05}", n * 7919 % 5_000, None) for n in range(5_000)]
    reader = MemoryReader({"Songs": songs})
    rows = ask("SELECT Duration FROM Songs ORDER BY Duration LIMIT 3 OFFSET 10", reader)
    assert rows == [(10,), (11,), (12,)]


def test_limits_are_checked():
    types = {"n": INT64}
    assert ask("SELECT SingerId FROM Singers LIMIT @n", types=types, n=0) == []
    assert ask("SELECT SingerId FROM Singers LIMIT 2 OFFSET @n", types=types, n=3) == [(4,)]
    for bad in (-1, None):
        with pytest.raises(BadRowCount):
            ask("SELECT SingerId FROM Singers LIMIT @n", types=types, n=bad)
    huge = 2**63 - 1
    assert len(ask("SELECT SingerId FROM Singers LIMIT @n OFFSET 1", types=types, n=huge)) == 3


def test_set_operations():
    left = "SELECT SingerId FROM Albums"
    right = "SELECT AlbumId FROM Albums"
    assert ask(f"{left} UNION ALL {right}") == [(n,) for n in (1, 1, 2, 2, 4, 1, 2, 1, 2, 1)]
    assert sorted(ask(f"{left} UNION DISTINCT {right}")) == [(1,), (2,), (4,)]
    assert sorted(ask(f"{left} INTERSECT ALL {right}")) == [(1,), (1,), (2,), (2,)]
    assert sorted(ask(f"{left} INTERSECT DISTINCT {right}")) == [(1,), (2,)]
    assert ask(f"{left} EXCEPT ALL {right}") == [(4,)]
    assert ask(f"{left} EXCEPT DISTINCT {right}") == [(4,)]


def test_common_tables():
    assert ask(
        "WITH t AS (SELECT SingerId AS k, COUNT(*) AS n FROM Albums GROUP BY SingerId) "
        "SELECT a.k FROM t a JOIN t b ON a.k = b.k * 2 ORDER BY a.k"
    ) == [(2,), (4,)]


def test_a_common_table_is_computed_once():
    reader = MemoryReader(ROWS)
    ask("WITH t AS (SELECT AVG(Budget) AS m FROM Albums) SELECT a.m + b.m FROM t a, t b", reader)
    assert reader.asked.count("scan Albums") == 1


@pytest.mark.parametrize(
    ("clause", "count"),
    [("RESERVOIR (2 ROWS)", 2), ("RESERVOIR (9 ROWS)", 4), ("BERNOULLI (100 PERCENT)", 4)],
)
def test_samples(clause, count):
    rows = ask(f"SELECT SingerId FROM Singers TABLESAMPLE {clause}")
    assert len(rows) == count
    assert set(rows) <= {(1,), (2,), (3,), (4,)}


@pytest.mark.parametrize(
    ("clause", "weights"),
    [
        ("RESERVOIR (2 ROWS)", {2.0}),
        ("RESERVOIR (9 ROWS)", {1.0}),
        ("RESERVOIR (0 ROWS)", set()),
        ("BERNOULLI (100 PERCENT)", {1.0}),
        ("BERNOULLI (0 PERCENT)", set()),
    ],
)
def test_a_weight_is_the_number_of_rows_that_a_sampled_row_stands_for(clause, weights):
    rows = ask(f"SELECT SingerId, w FROM Singers TABLESAMPLE {clause} WITH WEIGHT AS w")
    assert {weight for _, weight in rows} == weights


def test_a_parenthesized_join_can_be_sampled():
    rows = ask(
        "SELECT s.SingerId FROM (Singers s JOIN Albums a USING (SingerId)) "
        "TABLESAMPLE RESERVOIR (3 ROWS)"
    )
    assert len(rows) == 3


def test_a_path_through_arrays_is_one_flat_array():
    rows = ask(
        "SELECT x IN UNNEST([STRUCT([1, 2] AS a), STRUCT([3] AS a), NULL].a) "
        "FROM UNNEST([0, 1, 3]) AS x"
    )
    assert rows == [(False,), (True,), (True,)]


def test_a_collation_may_be_a_parameter():
    query = "SELECT x FROM UNNEST(['b', NULL, 'A', 'a']) AS x ORDER BY x COLLATE @c, x DESC"
    assert ask(query, types={"c": STRING}, c="und:ci") == [(None,), ("a",), ("A",), ("b",)]
    assert ask(query, types={"c": STRING}, c="binary") == [(None,), ("A",), ("a",), ("b",)]
    for wrong in ("no such", None):
        with pytest.raises(UnknownCollation) as failure:
            ask(query, types={"c": STRING}, c=wrong)
        assert failure.value.code is Code.OUT_OF_RANGE
