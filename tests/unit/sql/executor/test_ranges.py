from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.sql.executor.ranges import after_bytes, after_text, literal_prefix
from spanemu.values.types import FLOAT64, INT64, STRING, array_of
from tests.unit.sql.world import ROWS, MemoryReader, ask


def visits(where: str, **parameters: object) -> list[object]:
    types = {
        name: array_of(INT64)
        if isinstance(value, tuple)
        else STRING
        if isinstance(value, str)
        else INT64
        for name, value in parameters.items()
    }
    reader = MemoryReader(ROWS)
    result = [
        row[0] for row in ask(f"SELECT Note FROM Visits WHERE {where}", reader, types, **parameters)
    ]
    assert reader.visited == len(result), "a seek visited a row outside its ranges"
    return result


# Visits has the key (Page, Moment DESC): NULL sorts first in Page and last in Moment.


@pytest.mark.parametrize(
    ("where", "notes"),
    [
        ("Page = 'home'", ["x", None, "y"]),
        ("Page = 'home' AND Moment = 3", ["x"]),
        ("Page = 'home' AND Moment < 3", [None]),
        ("Page = 'home' AND Moment <= 3", ["x", None]),
        ("Page = 'home' AND Moment > 1", ["x"]),
        ("Page = 'home' AND Moment >= 1", ["x", None]),
        ("Page = 'home' AND Moment BETWEEN 2 AND 9", ["x"]),
        ("Page = 'home' AND Moment IS NULL", ["y"]),
        ("Page = 'home' AND Moment IS NOT NULL", ["x", None]),
        ("Page = 'home' AND Moment IN (1, 3, NULL, 7)", ["x", None]),
        ("Page IS NULL", ["w"]),
        ("Page IS NOT NULL", ["z", "x", None, "y"]),
        ("Page > 'about'", ["x", None, "y"]),
        ("Page < 'home'", ["z"]),
        ("Page IN ('home', 'about') AND Moment = 2", ["z"]),
        ("STARTS_WITH(Page, 'ho')", ["x", None, "y"]),
        ("STARTS_WITH(Page, '')", ["z", "x", None, "y"]),
        ("Page = 'home' AND (Moment < 2 OR Moment > 2)", ["x", None]),
        ("(Page = 'home' AND Moment = 1) OR (Page = 'about' AND Moment = 2)", ["z", None]),
        ("Page = CAST(NULL AS STRING)", []),
        ("Page = 'home' AND Moment > CAST(NULL AS INT64)", []),
    ],
)
def test_a_seek_finds_exactly_its_rows(where, notes):
    assert visits(where) == notes


def test_values_may_be_parameters():
    assert visits("Page = @p AND Moment > @m", p="home", m=1) == ["x"]
    assert visits("Page = @p AND Moment IN UNNEST(@ms)", p="home", ms=(1, 3, None)) == ["x", None]
    assert visits("Page = @p AND Moment > @m", p="home", m=None) == []


def test_a_scan_can_run_in_reverse():
    rows = ask("SELECT Moment FROM Visits WHERE Page = 'home' ORDER BY Moment")
    assert rows == [(None,), (1,), (3,)]


def test_like_seeks_by_its_literal_prefix():
    reader = MemoryReader(ROWS)
    assert ask("SELECT Moment FROM Visits WHERE Page LIKE 'ab%t'", reader) == [(2,)]
    assert reader.visited == 1
    assert ask("SELECT Moment FROM Visits WHERE Page LIKE @p", types={"p": STRING}, p="_bout") == [
        (2,)
    ]


def test_nan_is_outside_every_range():
    nan = float("nan")
    rows = {"Singers": [(1, "a", None, None, nan), (2, "b", None, None, 1.0)]}
    reader = MemoryReader(rows)
    types = {"x": FLOAT64}
    assert ask("SELECT SingerId FROM Singers WHERE Rating = @x", reader, types, x=nan) == []
    assert ask("SELECT SingerId FROM Singers WHERE Rating < @x", reader, types, x=5.0) == [(2,)]


@given(prefix=st.text(max_size=4), text=st.text(max_size=6))
def test_the_text_after_a_prefix_bounds_texts_with_the_prefix(prefix, text):
    end = after_text(prefix)
    begins = text.startswith(prefix)
    assert begins == (prefix <= text and (end is None or text < end))


@given(prefix=st.binary(max_size=3), data=st.binary(max_size=5))
def test_the_bytes_after_a_prefix_bound_bytes_with_the_prefix(prefix, data):
    end = after_bytes(prefix)
    assert data.startswith(prefix) == (prefix <= data and (end is None or data < end))


@pytest.mark.parametrize(
    ("pattern", "prefix"),
    [("abc", "abc"), ("a%c", "a"), ("_b", ""), (r"a\%b%", "a%b"), ("", ""), (b"x_y", b"x")],
)
def test_prefix_of_a_pattern(pattern, prefix):
    assert literal_prefix(pattern) == prefix
