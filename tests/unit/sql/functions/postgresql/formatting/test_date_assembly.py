"""to_date and to_timestamp; PostgreSQL 15 gave all results. None stands for an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.base.errors import Code
from spanemu.sql.functions.postgresql.formatting.date_assembly import to_date, to_timestamp
from spanemu.sql.functions.postgresql.time.text import timestamptz_out
from tests.unit.sql.functions.postgresql.context import FixedContext, code_of

HERE = FixedContext()
READ_DATES: list[tuple[str, str, str | None]] = [
    ("05 Dec 2000", "DD Mon YYYY", "2000-12-05"),
    ("2016-13-10", "YYYY-MM-DD", None),
    ("2015 365", "YYYY DDD", "2015-12-31"),
    ("3 4 21 01", "W MM CC YY", "2001-04-15"),
    ("2016 367", "YYYY DDD", None),
    ("97/Feb/16", "YYMonDD", None),
    ("20000131", "YYYYMMDD", "2000-01-31"),
    ("2000 01", "IYYY IW", "2000-01-03"),
    ("2006-042", "IYYY-IDDD", "2006-02-12"),
    ("2000-02-30", "YYYY-MM-DD", None),
    ("1999 IV", "YYYY RM", "1999-04-01"),
    ("J2451187", '"J"J', "1999-01-08"),
    ("2,024 02 09", "Y,YYY MM DD", "2024-02-09"),
    ("95 1", "YY MM", "1995-01-01"),
    ("2024 5", "YYYY Q", "2024-01-01"),
    ("2024-W", "YYYY-IW", None),
    ("2024 10", "IYYY MM", None),
    ("5th Mar 2020", "FMDDth Mon YYYY", "2020-03-05"),
    ("2024-01-01", "FXYYYY-MM-DD", "2024-01-01"),
    ("2024/1/1", "FXYYYY-MM-DD", "2024-01-01"),
    ("2000", "YYYY TZ", "2000-01-01"),
    ("", "YYYY", None),
    ("2024", "", None),
]
READ_TIMESTAMPS: list[tuple[str, str, str | None]] = [
    ("05 Dec 2000 10:11", "DD Mon YYYY HH24:MI", "2000-12-05 10:11:00-08"),
    ("2000-01-01 12:30 AM", "YYYY-MM-DD HH12:MI AM", "2000-01-01 00:30:00-08"),
    ("2000-01-01 13:30", "YYYY-MM-DD HH12:MI", None),
    ("2000-01-01 10:00:00.25", "YYYY-MM-DD HH24:MI:SS.MS", "2000-01-01 10:00:00.25-08"),
    ("2000-01-01 10:00:00.123456", "YYYY-MM-DD HH24:MI:SS.US", "2000-01-01 10:00:00.123456-08"),
    ("2000-01-01 10:00:00.987654", "YYYY-MM-DD HH24:MI:SS.FF2", "2000-01-01 10:00:00.99-08"),
    ("2000-01-01 10:00 +05:30", "YYYY-MM-DD HH24:MI TZH:TZM", "1999-12-31 20:30:00-08"),
    ("2000-01-01 10:00 -08", "YYYY-MM-DD HH24:MI TZH", "2000-01-01 10:00:00-08"),
    ("2000-01-01 25", "YYYY-MM-DD HH24", None),
    ("2000-01-01 3661", "YYYY-MM-DD SSSS", "2000-01-01 01:01:01-08"),
    ("2024-11-03 01:30", "YYYY-MM-DD HH24:MI", "2024-11-03 01:30:00-08"),
    ("2024-03-10 02:30", "YYYY-MM-DD HH24:MI", "2024-03-10 03:30:00-07"),
    ("2000-01-01 +16", "YYYY-MM-DD TZH", None),
]


@pytest.mark.parametrize(("text", "template", "expected"), READ_DATES)
def test_dates(text: str, template: str, expected: str | None) -> None:
    if expected is None:
        codes = (Code.INVALID_ARGUMENT, Code.UNIMPLEMENTED)
        assert code_of(to_date, text, template) in codes
    else:
        assert to_date(text, template).isoformat() == expected


@pytest.mark.parametrize(("text", "template", "expected"), READ_TIMESTAMPS)
def test_timestamps(text: str, template: str, expected: str | None) -> None:
    if expected is None:
        assert code_of(to_timestamp, HERE, text, template) is Code.INVALID_ARGUMENT
    else:
        assert timestamptz_out(HERE, to_timestamp(HERE, text, template)) == expected


@given(
    st.text(st.sampled_from("0123459-/: JanFebMonAM+é"), max_size=20),
    st.text(st.sampled_from('YMDHISTFXQWJCAZ12346,." '), max_size=20),
)
def test_no_text_breaks_the_reader(text: str, template: str) -> None:
    codes = (None, Code.INVALID_ARGUMENT, Code.UNIMPLEMENTED)
    assert code_of(to_timestamp, HERE, text, template) in codes
