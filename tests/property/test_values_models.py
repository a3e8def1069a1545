"""NUMERIC, TIMESTAMP and INTERVAL against slower models that are plainly right."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from spanemu.base.clock import NANOS_PER_DAY
from spanemu.values import interval, numeric, timestamp
from spanemu.values.interval import Interval
from spanemu.values.timestamp import TIMESTAMP_MAX, TIMESTAMP_MIN, Civil
from spanemu.values.types import BadValue
from tests.property.value_strategies import INTERVALS, NUMERICS, SMALL_NUMERICS, TIMESTAMPS

NANOS = 10**9
LIMIT = 10**38
BILLION = 10**9
ZONES = st.sampled_from(
    [
        "UTC",
        "America/Los_Angeles",
        "Asia/Kolkata",
        "Australia/Lord_Howe",
        "Pacific/Apia",
        "Africa/Monrovia",
        "Europe/Dublin",
        "+14",
        "-03:30",
    ]
)
ANY_NUMERIC = NUMERICS | SMALL_NUMERICS
# Years in which datetime can hold any zone's local time.
INNER = st.integers(TIMESTAMP_MIN + 2 * NANOS_PER_DAY, 4 * 10**18)


def rounded(number: Fraction) -> Decimal | None:
    """Round half away from zero to nine digits; return None if out of range."""
    billionths = abs(number) * BILLION
    whole = int(billionths)
    if billionths - whole >= Fraction(1, 2):
        whole += 1
    if whole >= LIMIT:
        return None
    return numeric.from_scaled(whole if number >= 0 else -whole)


@given(ANY_NUMERIC, ANY_NUMERIC)
def test_numeric_arithmetic_is_exact(left: Decimal, right: Decimal) -> None:
    a, b = Fraction(left), Fraction(right)
    cases = [
        (numeric.add, a + b),
        (numeric.subtract, a - b),
        (numeric.multiply, a * b),
    ]
    if b:
        cases.append((numeric.divide, a / b))
        cases.append((numeric.truncated_quotient, Fraction(int(a / b))))
        cases.append((numeric.remainder, a - b * int(a / b)))
    for operation, exact in cases:
        try:
            result: Decimal | None = operation(left, right)
        except BadValue:
            result = None
        assert result == rounded(exact)


@given(ANY_NUMERIC)
def test_numeric_text_reads_back(number: Decimal) -> None:
    text = numeric.format(number)
    assert numeric.parse(text) == number
    assert not text.startswith("-0") or "." in text
    assert "." not in text or not text.endswith("0")


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_numeric_casts_round(number: Decimal) -> None:
    try:
        result: Decimal | None = numeric.parse_rounded(str(number))
    except BadValue:
        result = None
    if abs(number.adjusted()) < 200:
        assert result == rounded(Fraction(number))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numeric_from_float(number: float) -> None:
    try:
        result: Decimal | None = numeric.from_float(number)
    except BadValue:
        result = None
    assert result == rounded(Fraction(number))


@given(TIMESTAMPS, ZONES)
def test_timestamp_texts_read_back(nanos: int, zone: str) -> None:
    assert timestamp.parse_utc(timestamp.format_utc(nanos)) == nanos
    assert timestamp.parse_sql(timestamp.format_utc(nanos), zone) == nanos
    assert timestamp.parse_sql(timestamp.format_sql(nanos, zone), "UTC") == nanos


@given(INNER, ZONES.filter(lambda name: name[0] not in "+-"))
def test_civil_time_is_the_standard_library_s(nanos: int, zone: str) -> None:
    seconds, rest = divmod(nanos, NANOS)
    there = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(0, seconds)).astimezone(ZoneInfo(zone))
    assert timestamp.civil(nanos, zone) == Civil(*there.timetuple()[:6], rest)


@given(TIMESTAMPS, ZONES)
def test_a_clock_reading_leads_back_to_the_first_time_it_was_shown(nanos: int, zone: str) -> None:
    fields = timestamp.civil(nanos, zone)
    try:
        back = timestamp.from_civil(fields, zone)
    except BadValue:
        # Only within a day of either end: an earlier showing lies outside the range.
        assert min(nanos - TIMESTAMP_MIN, TIMESTAMP_MAX - nanos) < NANOS_PER_DAY
        return
    assert back <= nanos
    assert timestamp.civil(back, zone) == fields


@given(INTERVALS)
def test_interval_texts_read_back(value: Interval) -> None:
    assert interval.parse_sql(interval.format_sql(value)).is_identical(value)
    assert interval.parse_iso(interval.format_iso(value)).is_identical(value)


@given(INTERVALS, INTERVALS)
def test_intervals_compare_by_length(left: Interval, right: Interval) -> None:
    a = Fraction(left.months * 30 + left.days) * 86_400 + Fraction(left.nanos, NANOS)
    b = Fraction(right.months * 30 + right.days) * 86_400 + Fraction(right.nanos, NANOS)
    assert (left == right) == (a == b)
    assert (left < right) == (a < b)
    assert (left >= right) == (a >= b)
    assert left != right or hash(left) == hash(right)


@given(INTERVALS)
def test_justifying_keeps_the_length(value: Interval) -> None:
    for justify in (interval.justify, interval.justify_days, interval.justify_hours):
        try:
            result = justify(value)
        except BadValue:
            continue
        assert result == value
    try:
        whole = interval.justify(value)
    except BadValue:
        return
    signs = {part > 0 for part in (whole.months, whole.days, whole.nanos) if part}
    assert len(signs) <= 1
    assert abs(whole.days) < 30
    assert abs(whole.nanos) < NANOS_PER_DAY


@given(INTERVALS, st.integers(-(10**6), 10**6).filter(bool))
def test_interval_division_loses_less_than_a_nanosecond_a_part(
    value: Interval, divisor: int
) -> None:
    try:
        quotient = interval.divide(value, divisor)
    except BadValue:
        return
    assert abs(quotient.total_nanos - Fraction(value.total_nanos, divisor)) < 1
