"""Input and output text of intervals."""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.base.clock import NANOS_PER_MICRO
from spanemu.sql.functions.postgresql.time.errors import (
    InvalidTimeText,
    Problem,
    Undecodable,
    ValueOutOfRange,
)
from spanemu.sql.functions.postgresql.time.fields import INTERVAL_TEXT_MAX, split_fields
from spanemu.sql.functions.postgresql.time.interval_decoding import (
    MICROS_PER_HOUR,
    MICROS_PER_SECOND,
    MONTHS_PER_YEAR,
    Span,
    decode_interval,
    decode_iso,
)
from spanemu.values import interval as intervals
from spanemu.values.interval import Interval
from spanemu.values.types import BadValue

_TYPE = "interval"
_NO_TIME = MICROS_PER_HOUR * (1 << 40)

# The units that remain of INTERVAL 'text' FIELD: a number of months, whether days remain, and a
# number of microseconds.
_KEPT: Mapping[str, tuple[int, bool, int]] = {
    "YEAR": (MONTHS_PER_YEAR, False, _NO_TIME),
    "MONTH": (1, False, _NO_TIME),
    "DAY": (1, True, _NO_TIME),
    "HOUR": (1, True, MICROS_PER_HOUR),
    "MINUTE": (1, True, 60 * MICROS_PER_SECOND),
    "SECOND": (1, True, 1),
}


def interval_in(text: str, fields: str = "") -> Interval:
    """Return the interval of a text in any of the forms that PostgreSQL accepts.

    `fields` is the field or range that follows a literal: DAY, or HOUR TO SECOND. It is the unit of
    a last number without unit, and the interval loses what is smaller than its last field.
    """
    last = fields.rpartition(" ")[2] or "SECOND"
    try:
        span = _decode(text, last.lower(), fields == "MINUTE TO SECOND")
    except Undecodable as failure:
        if failure.problem is Problem.FIELD:
            raise Undecodable(Problem.INTERVAL).error(text, _TYPE) from None
        raise InvalidTimeText(_TYPE, text) from None
    months, keeps_days, micros = _KEPT[last]
    return make_interval_value(
        span.months - _remainder(span.months, months),
        span.days if keeps_days else 0,
        span.micros - _remainder(span.micros, micros),
    )


def interval_out(value: Interval) -> str:
    """Return the ISO 8601 text of an interval, rounded to microseconds."""
    shown = Interval(value.months, value.days, micros_of(value) * NANOS_PER_MICRO)
    text = intervals.format_iso(shown)
    return "PT0S" if text == "P0Y" else text


def make_interval_value(months: int, days: int, micros: int) -> Interval:
    """Return an interval of these parts; raise ValueOutOfRange beyond Spanner's limits."""
    try:
        return intervals.make(months, days, micros * NANOS_PER_MICRO)
    except BadValue:
        raise ValueOutOfRange("Interval") from None


def micros_of(value: Interval) -> int:
    """Return the time of an interval in microseconds, where halves round away from zero."""
    micros, rest = divmod(abs(value.nanos), NANOS_PER_MICRO)
    micros += rest >= NANOS_PER_MICRO // 2
    return -micros if value.nanos < 0 else micros


def _decode(text: str, last_unit: str, minutes_first: bool) -> Span:
    try:
        return decode_interval(split_fields(text, INTERVAL_TEXT_MAX), last_unit, minutes_first)
    except Undecodable as failure:
        if failure.problem is not Problem.FORMAT:
            raise
        return decode_iso(text)


def _remainder(number: int, size: int) -> int:
    rest = abs(number) % size
    return -rest if number < 0 else rest
