from __future__ import annotations

import pytest

from spanemu.base.errors import Code
from spanemu.sql.functions.errors import ManyRowsInScalarSubquery
from tests.unit.sql.world import ROWS, MemoryReader, ask


def one(expression: str, reader: MemoryReader | None = None) -> object:
    ((value,),) = ask(f"SELECT {expression}", reader)
    return value


def test_a_scalar_subquery_without_row_is_null():
    assert one("(SELECT FirstName FROM Singers WHERE SingerId = 99)") is None


def test_a_scalar_subquery_with_two_rows_fails():
    with pytest.raises(ManyRowsInScalarSubquery) as failure:
        one("(SELECT FirstName FROM Singers)")
    assert failure.value.code is Code.OUT_OF_RANGE


def test_an_array_subquery_keeps_order_and_nulls():
    assert one("ARRAY(SELECT Budget FROM Albums ORDER BY Budget DESC)") == (100, 75, 50, 10, None)
    assert one("ARRAY(SELECT 1 FROM Singers WHERE FALSE)") == ()


def test_membership_is_three_valued():
    assert one("100 IN (SELECT Budget FROM Albums)") is True
    assert one("1 IN (SELECT Budget FROM Albums)") is None
    assert one("1 IN (SELECT SingerId FROM Singers WHERE SingerId > 1)") is False
    assert one("CAST(NULL AS INT64) IN (SELECT Budget FROM Albums WHERE FALSE)") is False
    assert one("CAST(NULL AS INT64) IN (SELECT SingerId FROM Singers)") is None


@pytest.mark.parametrize(
    ("values", "members", "kept"),
    [
        ("1.0, 2.0, CAST('nan' AS FLOAT64), NULL", "CAST('nan' AS FLOAT64), 2.0", ["1", "nan"]),
        ("1.0, CAST('nan' AS FLOAT64), NULL", "CAST('nan' AS FLOAT64)", ["1", "nan"]),
        ("1.0, CAST('nan' AS FLOAT64)", "CAST('nan' AS FLOAT64), NULL", []),
        ("CAST('nan' AS FLOAT64)", "3.0", ["nan"]),
    ],
)
def test_nan_is_not_in_any_list_and_no_list_is_unknown_for_nan(values, members, kept):
    sql = (
        f"SELECT CAST(x AS STRING) FROM UNNEST([{values}]) AS x "
        f"WHERE x NOT IN (SELECT m FROM UNNEST([{members}]) AS m)"
    )
    assert [text for (text,) in ask(sql)] == kept


_PAIRS = (
    "SELECT a, b FROM UNNEST([1, 2, NULL]) AS a, UNNEST([1.0, CAST('nan' AS FLOAT64), NULL]) AS b"
)


@pytest.mark.parametrize(
    "members",
    [
        "FALSE",
        "m.a = 1 AND m.b = 1",
        "m.a = 1 AND m.b IS NULL",
        "m.a IS NULL AND m.b = 1",
        "m.a IS NULL AND m.b IS NULL",
        "m.a = 2 AND IS_NAN(m.b)",
        "m.a IS NULL AND IS_NAN(m.b)",
        "m.a = 2",
        "m.b = 1 OR m.a = 1",
    ],
)
@pytest.mark.parametrize("value", ["(l.a, l.b)", "(l.a + 1, l.b)", "(l.a, IF(l.a = 1, 1.0, l.b))"])
def test_structs_are_not_in_a_list_by_three_valued_comparisons_of_fields(value, members):
    test = f"{value} NOT IN (SELECT (m.a, m.b) FROM ({_PAIRS}) AS m WHERE {members})"
    may_equal = f"({members}) AND IFNULL({value} = (m.a, m.b), TRUE)"
    rows = f"SELECT l.a, FORMAT('%t', l.b) FROM ({_PAIRS}) AS l WHERE "
    slow = ask(f"{rows}NOT EXISTS (SELECT 1 FROM ({_PAIRS}) AS m WHERE {may_equal})")
    assert ask(f"{rows}{test}") == ask(f"{rows}IFNULL({test}, FALSE)") == slow


@pytest.mark.parametrize(
    ("value", "member"),
    [
        ("(1, l.b)", "(m.a, m.b)"),
        ("IF(l.a = 2, NULL, (l.a, l.b))", "(m.a, m.b)"),
        ("((l.a, l.b), 1)", "((m.a, m.b), 1)"),
        ("((l.a, l.b), l.a)", "((m.a, m.b), m.a)"),
        ("[l.a, l.a]", "[m.a, m.a]"),
        ("(l.a, [l.b])", "(m.a, [m.b])"),
    ],
)
@pytest.mark.parametrize("members", ["TRUE", "FALSE", "m.a = 1", "m.b = 1 AND m.a IS NOT NULL"])
def test_members_of_any_type_are_found_by_comparisons(value, member, members):
    tested = f"SELECT FORMAT('%t', (l.a, l.b)) FROM ({_PAIRS}) AS l WHERE "
    listed = f"FROM ({_PAIRS}) AS m WHERE ({members})"
    equal = f"{value} = {member}"
    shown = ask(f"{tested}EXISTS (SELECT 1 {listed} AND {equal})")
    hidden = ask(f"{tested}NOT EXISTS (SELECT 1 {listed} AND IFNULL({equal}, TRUE))")
    for source in (f"(SELECT {member} {listed})", f"UNNEST(ARRAY(SELECT {member} {listed}))"):
        if source[0] == "(" or member[0] == "(":  # no arrays of arrays
            assert ask(f"{tested}{value} IN {source}") == shown
            assert ask(f"{tested}{value} NOT IN {source}") == hidden


def test_an_uncorrelated_subquery_runs_once():
    reader = MemoryReader(ROWS)
    rows = ask(
        "SELECT SingerId FROM Singers "
        "WHERE Rating > 9 OR SingerId = (SELECT MAX(AlbumId) FROM Albums)",
        reader,
    )
    assert rows == [(2,)]
    assert reader.asked.count("scan Albums") == 1


def test_a_correlated_subquery_seeks():
    reader = MemoryReader(ROWS)
    rows = ask(
        "SELECT (SELECT COUNT(*) FROM Albums a WHERE a.SingerId = s.SingerId) FROM Singers s",
        reader,
    )
    assert rows == [(2,), (2,), (0,), (1,)]
    assert reader.visited == 4 + 5


def test_a_correlated_subquery_that_cannot_seek_reads_its_table_once():
    reader = MemoryReader(ROWS)
    rows = ask(
        "SELECT (SELECT STRING_AGG(Name) FROM Songs x WHERE x.TrackId = s.SingerId) FROM Singers s",
        reader,
    )
    assert rows == [("a,c",), ("b",), (None,), (None,)]
    assert reader.asked.count("scan Songs") == 1


def test_subqueries_nest_and_refer_to_columns_two_levels_out():
    rows = ask(
        "SELECT FirstName, (SELECT COUNT(*) FROM Albums a WHERE EXISTS ("
        "SELECT 1 FROM Songs x WHERE x.SingerId = s.SingerId AND x.AlbumId = a.AlbumId)) "
        "FROM Singers s"
    )
    assert rows == [("Marc", 3), ("Catalina", 5), ("Alice", 0), ("Lea", 0)]


def test_structs_are_compared_by_their_fields():
    structs = "(SELECT (SingerId, Title) FROM Albums)"
    assert ask(f"SELECT SingerId FROM Singers WHERE (SingerId, 'Go') IN {structs}") == [(1,)]
    # (4, NULL) makes the membership of Lea unknown.
    assert ask(f"SELECT SingerId FROM Singers WHERE (SingerId, FirstName) NOT IN {structs}") == [
        (1,), (2,), (3,),
    ]  # fmt: skip


def test_not_in_with_null_returns_no_rows():
    assert (
        ask("SELECT SingerId FROM Singers WHERE SingerId NOT IN (SELECT Budget FROM Albums)") == []
    )
    assert ask(
        "SELECT SingerId FROM Singers WHERE SingerId NOT IN "
        "(SELECT Budget FROM Albums WHERE Budget IS NOT NULL)"
    ) == [(1,), (2,), (3,), (4,)]


def test_a_subquery_in_the_condition_of_a_join_keeps_its_condition():
    rows = ask(
        "SELECT s.SingerId FROM Singers s CROSS JOIN (SELECT MAX(Budget) AS most FROM Albums) a "
        "WHERE s.SingerId = 9 OR NOT EXISTS (SELECT 1 FROM Songs WHERE a.most = a.most + 1)"
    )
    assert rows == [(1,), (2,), (3,), (4,)]
