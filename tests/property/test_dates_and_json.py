"""Dates, timestamps and JSON: what is written is read back, and two ways to one answer agree."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from spanemu.sql.functions.json import text as json_lenient
from spanemu.sql.functions.json.functions import json_query, json_query_string
from spanemu.sql.functions.json.path import MISSING, reading_path
from spanemu.sql.functions.json.text import json_text, text_value_at
from spanemu.sql.functions.time.date_parts import ALLOWED, add_parts, count_boundaries, truncate
from spanemu.sql.functions.time.formatting import format_date, format_timestamp
from spanemu.sql.functions.time.parsing import parse_date, parse_timestamp
from spanemu.values.json import Json, ordered
from spanemu.values.timestamp import TIMESTAMP_MAX, TIMESTAMP_MIN

DAYS = st.dates(date(2, 1, 1), date(9998, 12, 31))
INSTANTS = st.integers(TIMESTAMP_MIN, TIMESTAMP_MAX)
ZONES = st.sampled_from(["UTC", "America/Los_Angeles", "Asia/Kolkata", "+14:00", "-03:30"])
KEYS = st.sampled_from(["a", "b", "0", "é"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inside: (
        st.lists(inside, max_size=3) | st.dictionaries(KEYS, inside, max_size=3).map(ordered)
    ),
    max_leaves=12,
)
PATHS = st.lists(KEYS | st.integers(0, 2), max_size=4).map(
    lambda steps: "$" + "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in steps)
)
CONTEXT: Any = SimpleNamespace(time_zone="UTC")


@given(INSTANTS, ZONES)
def test_timestamps_round_trip(nanos: int, zone: str) -> None:
    pattern = "%E4Y-%m-%d %H:%M:%E*S %Ez"
    text = format_timestamp(CONTEXT, pattern, nanos, zone)
    if not text.startswith(("0000", "10000")):
        assert parse_timestamp(CONTEXT, pattern, text) == nanos


@given(DAYS, st.sampled_from(["%F", "%A %d %B %Y", "%e %b %EY", "%Y%m%d"]))
def test_dates_round_trip(day: date, pattern: str) -> None:
    text = format_date(pattern if day.year > 999 else "%E4Y %m %d", day)
    assert parse_date(pattern if day.year > 999 else "%E4Y %m %d", text) == day


@given(DAYS)
def test_elements_agree_with_python(day: date) -> None:
    moment = datetime(day.year, day.month, day.day)
    for element in ("%A", "%a", "%B", "%b", "%d", "%j", "%m", "%U", "%u", "%V", "%W", "%w", "%y"):
        assert format_date(element, day) == moment.strftime(element)


@given(DAYS, DAYS, st.sampled_from(sorted(ALLOWED["DATE_TRUNC"])))
def test_parts_of_dates(first: date, second: date, part: str) -> None:
    start = truncate(first, part)
    assert start <= first
    assert truncate(start, part) == start
    assert count_boundaries(first, start, part) == 0
    assert count_boundaries(start, start - timedelta(1), part) == 1
    assert count_boundaries(first, second, part) == -count_boundaries(second, first, part)


@given(DAYS, st.integers(-500, 500))
def test_months_move_by_months(day: date, months: int) -> None:
    if 1 <= day.year + months // 12 <= 9998:
        there = add_parts(day, months, "MONTH")
        assert count_boundaries(there, day, "MONTH") == months
        assert there.day == day.day or add_parts(there, 1, "DAY").day == 1


@given(VALUES, PATHS)
def test_json_and_its_text_agree(value: Any, path: str) -> None:
    document = Json(value)
    from_json = json_query(document, path)
    from_text = json_query_string(document.text, path)
    if from_json is None or from_json.value is None:
        assert from_text is None
    else:
        assert from_text is not None
        assert from_text.replace("\\u2028", "\u2028").replace("\\u2029", "\u2029") == from_json.text


@given(VALUES, PATHS, st.integers(0, 60))
def test_the_general_parser_agrees_with_the_fast_parser(value: Any, path: str, cut: int) -> None:
    text, steps = Json(value).text, reading_path(path)
    fast, patient = text_value_at(text, steps), json_lenient.read(text, steps)
    assert (fast is MISSING) == (patient is MISSING)
    if fast is not MISSING:
        assert json_text(fast) == json_text(patient)
    text_value_at(text[:cut], steps)  # A text that ends anywhere gives an answer, or none.
