"""to_char of timestamps and intervals; PostgreSQL 15 gave all results. None stands for an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.base.errors import Code
from spanemu.sql.functions.postgresql.formatting.date_writer import (
    interval_to_char,
    timestamptz_to_char,
)
from spanemu.sql.functions.postgresql.time.text import interval_in, timestamptz_in
from spanemu.values.interval import Interval
from tests.unit.sql.functions.postgresql.context import FixedContext, code_of

HERE = FixedContext()
TIMESTAMPS: list[tuple[str, str, str | None]] = [
    ("2024-02-29 15:04:05.678901", "YYYY-MM-DD HH24:MI:SS.US", "2024-02-29 15:04:05.678901"),
    ("2024-02-29 15:04:05.678901", "Day, DD  HH12:MI:SS", "Thursday , 29  03:04:05"),
    ("2024-02-29 15:04:05.678901", "FMDay, FMDD  HH12:MI:SS", "Thursday, 29  03:04:05"),
    ("2024-02-29 15:04:05.678901", "IYYY-IW-ID", "2024-09-4"),
    ("2024-02-29 15:04:05.678901", "Month DDth", "February  29th"),
    ("2024-02-29 15:04:05.678901", "MON mon Mon", "FEB feb Feb"),
    ("2024-02-29 15:04:05.678901", "fmmonth", "february"),
    ("2024-02-29 15:04:05.678901", "YYYY YYY YY Y", "2024 024 24 4"),
    ("2024-02-29 15:04:05.678901", "Y,YYY", "2,024"),
    ("2024-02-29 15:04:05.678901", "CC Q WW W J", "21 1 09 5 2460370"),
    ("2024-02-29 15:04:05.678901", "D ID DDD IDDD", "5 4 060 060"),
    ("2024-02-29 15:04:05.678901", "RM rm FMRM", "II   ii   II"),
    ("2024-02-29 15:04:05.678901", "AM a.m. P.M. pm", "PM p.m. P.M. pm"),
    ("2024-02-29 15:04:05.678901", "AD b.c.", "AD a.d."),
    ("2024-02-29 15:04:05.678901", "FF1 FF2 FF3 FF4 FF5 FF6 MS", "6 67 678 6789 67890 678901 678"),
    ("2024-02-29 15:04:05.678901", "SSSS SSSSS", "54245 54245"),
    ("2024-02-29 15:04:05.678901", "TZ tz TZH:TZM OF", "PST pst -08:00 -08"),
    ("2024-02-29 15:04:05.678901", "TMMonth", "February"),
    ("2024-02-29 15:04:05.678901", '"YYYY" \\"YYYY', 'YYYY "2024'),
    ("2024-02-29 15:04:05.678901", "HH24TH MIth", "15TH 04th"),
    ("2024-02-29 15:04:05.678901", "YYYY\\\\MM", "2024\\\\02"),
    ("2024-02-29 15:04:05.678901", " é ", " é "),
    ("2024-02-29 15:04:05.678901", "SP DDSP", "SP 29"),
    ("0044-03-15 01:02:03", "YYYY IYYY CC AD", "0044 0044 01 AD"),
    ("0001-01-01 00:00:00Z", "YYYY-MM-DD BC", "0001-12-31 BC"),
    ("1800-05-05", "TZ OF", "LMT -07:52"),
    ("2005-01-01", "IYYY IW IDDD", "2004 53 370"),
    ("2024-01-01", "", None),
]
INTERVALS: list[tuple[str, str, str | None]] = [
    ("1 year 2 months 3 days 04:05:06.5", "YYYY-MM-DD HH24:MI:SS.MS", "0001-02-03 04:05:06.500"),
    ("-1 year -2 mons", "YYYY MM RM", "-0001 -02 XI  "),
    ("100 hours", "HH24 HH12 AM SSSS", "100 04 AM 360000"),
    ("12 months", "RM Q CC", "XII   00"),
    ("1 day", "Month", None),
    ("1 day", "TZ", None),
    ("1 day", "", None),
    ("-3 days -04:05:06.123456", "DD HH24:MI:SS.US DDD J", "-3 -04:-05:-06.-123456 -03 1721025"),
]


@pytest.mark.parametrize(("text", "template", "expected"), TIMESTAMPS)
def test_timestamps(text: str, template: str, expected: str | None) -> None:
    assert timestamptz_to_char(HERE, timestamptz_in(HERE, text), template) == expected


@pytest.mark.parametrize(("text", "template", "expected"), INTERVALS)
def test_intervals(text: str, template: str, expected: str | None) -> None:
    value = interval_in(text)
    if expected is None and template:
        assert code_of(interval_to_char, value, template) is Code.INVALID_ARGUMENT
    else:
        assert interval_to_char(value, template) == expected


@given(st.text(st.sampled_from('YMDHISTFXQWJCAZ12346,."\\ é'), max_size=20))
def test_no_template_breaks_the_writer(template: str) -> None:
    assert code_of(timestamptz_to_char, HERE, 1, template) is None
    assert code_of(interval_to_char, Interval(-14, 3, -1), template) in (
        None,
        Code.INVALID_ARGUMENT,
    )
