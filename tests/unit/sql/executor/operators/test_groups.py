from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanemu.base.call import Call, Cancelled
from spanemu.base.errors import Code
from spanemu.sql.executor.build import compile_plan
from spanemu.sql.executor.operators import aggregate, group_loop
from spanemu.sql.executor.operators.aggregate import FoldedGroups
from spanemu.sql.functions.aggregates import accumulators, loops, sums
from spanemu.sql.functions.errors import BadRowCount, Overflow
from spanemu.sql.functions.text.collation import UnknownCollation
from spanemu.values.types import INT64, STRING
from tests.unit.sql.world import ROWS, MemoryReader, ask, planned, run_for


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


FLOATS = st.sampled_from([None, float("nan"), -0.0, 0.0, 1.5, -2.5, float("inf"), float("-inf")])


@settings(max_examples=200, deadline=None)
@given(values=st.lists(FLOATS, max_size=6))
def test_extremes_of_floats_are_those_of_adding_one_by_one(values) -> None:
    known = [value for value in values if value is not None]
    for state, at_once in (
        (accumulators.LeastFloat, accumulators.least_of_floats),
        (accumulators.GreatestFloat, accumulators.greatest_of_floats),
    ):
        expected, extended = state(), state()
        for value in known:
            expected.add(value)
        extended.extend(known[:3])
        extended.extend(known[3:])
        results = [expected.result(), extended.result(), at_once(known)]
        assert len(set(map(repr, results))) == 1, results


NUMBERS = st.one_of(st.none(), st.integers(-3, 3))


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(NUMBERS, FLOATS), max_size=40))
def test_extremes_by_group_are_those_of_each_group_alone(rows) -> None:
    singers = [(n, None if k is None else str(k), None, None, f) for n, (k, f) in enumerate(rows)]
    reader = MemoryReader({"Singers": singers})
    sql = "SELECT FirstName, MIN(Rating), MAX(Rating), MIN(SingerId), MAX(SingerId) FROM Singers"
    groups = ask(f"{sql} GROUP BY FirstName", reader)
    assert len(groups) == len({row[1] for row in singers})
    for group in groups:
        alone = MemoryReader({"Singers": [row for row in singers if row[1] == group[0]]})
        ((_, *whole),) = ask(f"{sql} GROUP BY FirstName", alone)
        plain = ask(
            "SELECT MIN(Rating), MAX(Rating), MIN(SingerId), MAX(SingerId), COUNT(*) FROM Singers",
            alone,
        )
        assert repr(list(group[1:])) == repr(whole) == repr(list(plain[0][:-1]))


class Counting(MemoryReader):
    """A reader that knows how many rows a scan yields."""

    def count(self, source, ranges=None, *, for_update=False, cells=0) -> int:
        self.asked.append(f"count {source.name}")
        return sum(1 for _ in self.scan(source, ranges))


COUNTED = [
    "SELECT COUNT(*) FROM Albums WHERE Budget > 60",
    "SELECT COUNT(*) FROM Albums",
    "SELECT COUNT(*), COUNT(1), COUNT(AlbumId) FROM Albums",
    "SELECT COUNT(*) + 1 FROM Albums WHERE SingerId = 2",
    "SELECT COUNT(*) FROM Albums WHERE SingerId BETWEEN 1 AND 2",
    "SELECT COUNT(*) FROM Albums WHERE SingerId IN (1, 4, NULL)",
    "SELECT COUNT(*) FROM Albums WHERE SingerId = CAST(NULL AS INT64)",
    "SELECT COUNT(*) FROM Albums WHERE SingerId = 1 AND FALSE",
    "SELECT COUNT(*) FROM Albums@{FORCE_INDEX=AlbumsByTitle} WHERE Title = 'Go'",
    "SELECT COUNT(*) FROM Songs WHERE Genre = 'pop'",
    "SELECT (SELECT COUNT(*) FROM Albums a WHERE a.SingerId = s.SingerId) FROM Singers s",
]
READ = [
    "SELECT COUNT(Title) FROM Albums",
    "SELECT COUNT(DISTINCT AlbumId) FROM Albums",
    "SELECT COUNT(*) FROM Albums WHERE MOD(AlbumId, 2) = 0",
    "SELECT COUNT(*), SUM(Budget) FROM Albums",
    "SELECT COUNT(*) FROM (SELECT 1 FROM Albums LIMIT 2)",
    "SELECT COUNT(*) FROM Albums GROUP BY SingerId",
    "SELECT COUNTIF(TRUE) FROM Albums",
]


@pytest.mark.parametrize("sql", [*COUNTED, *READ])
def test_rows_that_are_counted_are_those_that_are_read(sql: str) -> None:
    assert ask(sql, Counting(ROWS)) == ask(sql, MemoryReader(ROWS))


@pytest.mark.parametrize("sql", COUNTED[:5])
def test_counted_rows_are_not_read(sql: str) -> None:
    reader = Counting(ROWS)
    ask(sql, reader)
    assert reader.asked[0].startswith("count")


@pytest.mark.parametrize("sql", READ)
def test_rows_of_other_aggregates_are_read(sql: str) -> None:
    reader = Counting(ROWS)
    ask(sql, reader)
    assert reader.asked[0].startswith("scan")


AGGREGATES = [
    "COUNT(*)", "COUNT(SingerId)", "COUNT(Rating)", "SUM(SingerId)", "AVG(SingerId)",
    "MIN(SingerId)", "MAX(LastName)", "MIN(Rating)", "MAX(Rating)", "SUM(Rating)", "AVG(Rating)",
    "MAX(SingerId * 2)", "SUM(Rating + 1)", "MIN(CONCAT(LastName, 'x'))", "COUNT(Rating / 2)",
]  # fmt: skip
SOURCES = ["Singers", "Singers@{FORCE_INDEX=SingersByLastName}"]


@settings(max_examples=120, deadline=None)
@given(
    rows=st.lists(st.tuples(NUMBERS, NUMBERS, FLOATS), max_size=60),
    aggregates=st.lists(st.sampled_from(AGGREGATES), min_size=1, max_size=4),
    key=st.sampled_from(["FirstName", "Rating", "FirstName, LastName", "MOD(SingerId, 7)"]),
    ordered=st.booleans(),
)
def test_generated_loops_agree_with_accumulators(rows, aggregates, key, ordered) -> None:
    singers = [
        (n * 3 - 20, *[None if text is None else str(text) for text in texts], None, rating)
        for n, (*texts, rating) in enumerate(rows)
    ]
    reader = MemoryReader({"Singers": singers})
    grouping, where = (key, "") if not ordered else ("LastName", "")
    source = SOURCES[ordered]
    sql = f"SELECT {grouping}, {', '.join(aggregates)} FROM {source}{where} GROUP BY {grouping}"
    expected = ask(sql, reader)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aggregate, "LOOP_ROWS_MIN", 2)
        patch.setattr(aggregate, "LOOP_ROWS_PER_GROUP_MAX", 1_000)
        assert repr(ask(sql, reader)) == repr(expected)


@pytest.mark.parametrize("source", SOURCES)
def test_a_sum_out_of_range_fails_in_a_generated_loop(source: str) -> None:
    most = 2**63 - 1
    singers = [(n, None, str(n // 2), None, None) for n in range(5_000)]
    sql = f"SELECT LastName, SUM(SingerId + {most - 5_000}) FROM {source} GROUP BY LastName"
    with pytest.raises(Overflow, match="SUM"):
        ask(sql, MemoryReader({"Singers": singers}))


def test_a_deadline_ends_a_generated_loop() -> None:
    singers = [(n, None, str(n // 2), None, None) for n in range(5_000)]
    executable = compile_plan(planned("SELECT LastName, COUNT(*) FROM Singers GROUP BY LastName"))
    reader = MemoryReader({"Singers": singers})
    call = Call()
    run = run_for(executable, reader)
    with call:
        rows = executable.run(run)
        next(rows)
        call.cancel()
        with pytest.raises(Cancelled):
            list(rows)


FINITE = st.floats(allow_nan=False, allow_infinity=False, width=32)


@given(values=st.lists(st.one_of(FINITE, st.floats(-1e300, 1e300)), min_size=2, max_size=40))
def test_shortened_lists_have_the_same_sum_and_average(values) -> None:
    short = loops.shortened([0, *values])
    assert short[0] + len(short) - 1 == len(values)
    for state, at_once in (
        (sums.SumFloat64, sums.sum_of_floats),
        (sums.AverageFloat64, sums.average_of_floats),
    ):
        result = loops.LOOPS[state].result
        assert result is not None
        assert result(short) == pytest.approx(at_once(values), rel=1e-15)
    assert loops._sum_of_floats(short) == sums.sum_of_floats(values)


@pytest.mark.parametrize("special", [float("nan"), float("inf"), 1.7e308])
def test_lists_whose_sum_is_not_finite_stay(special: float) -> None:
    assert loops.shortened([0, special, special, 1.0])[0] == 0


def test_lists_of_floats_stay_short(monkeypatch) -> None:
    monkeypatch.setattr(group_loop, "LISTED_MAX", 1_000)
    singers = [(n, f"{n % 3}", None, None, n * 0.1) for n in range(20_000)]
    reader = MemoryReader({"Singers": singers})
    sql = "SELECT FirstName, SUM(Rating), AVG(Rating) FROM Singers GROUP BY FirstName"
    longest: list[int] = []
    shorten = group_loop.shortened
    monkeypatch.setattr(
        group_loop, "shortened", lambda state: (longest.append(len(state)), shorten(state))[1]
    )
    for name, total, average in ask(sql, reader):
        values = [row[4] for row in singers if row[1] == name]
        assert total == sums.sum_of_floats(values)
        assert average == pytest.approx(sums.average_of_floats(values), rel=1e-15)
    assert 0 < max(longest) < 2_000


def test_an_aggregate_with_a_subquery_has_no_generated_loop() -> None:
    singers = [(n, f"{n % 900}", None, None, 1.0) for n in range(3_000)]
    reader = MemoryReader({"Singers": singers})
    sql = (
        "SELECT FirstName, SUM(SingerId + (SELECT COUNT(*) FROM Albums WHERE AlbumId > 0)) "
        "FROM Singers GROUP BY FirstName"
    )
    assert dict(ask(sql, reader))["7"] == 7 + 907 + 1807 + 2707


def test_loops_of_correlated_groups_read_outer_columns() -> None:
    singers = [(n, f"{n % 900}", None, None, 1.0) for n in range(3_000)]
    albums = [(n, 1, "a", n) for n in range(1, 3)]
    reader = MemoryReader({"Singers": singers, "Albums": albums})
    sql = (
        "SELECT a.SingerId, ARRAY(SELECT AS STRUCT FirstName, SUM(SingerId * a.Budget) AS s"
        " FROM Singers GROUP BY FirstName ORDER BY s LIMIT 1) FROM Albums a"
    )
    assert [row[1][0][1] for row in ask(sql, reader)] == [3600, 7200]
