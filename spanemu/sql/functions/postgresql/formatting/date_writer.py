"""to_char of timestamps and intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.base.deadline_checks import interruptible
from spanemu.sql.functions.postgresql.errors import BadTemplate
from spanemu.sql.functions.postgresql.formatting.date_template import (
    DateNode,
    NodeKind,
    date_template,
)
from spanemu.sql.functions.postgresql.formatting.number_writer import ordinal_suffix
from spanemu.sql.functions.postgresql.time.date_time import (
    iso_day_of_year,
    iso_week,
    julian_day,
    truncated_quotient,
    truncated_remainder,
)
from spanemu.sql.functions.postgresql.time.text import micros_of
from spanemu.sql.functions.postgresql.time.zones import local_of
from spanemu.sql.functions.registry import Context
from spanemu.sql.functions.value_size import bounded
from spanemu.values.interval import Interval
from spanemu.values.timestamp import zone_named

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
ROMAN_MONTHS = ("XII", "XI", "X", "IX", "VIII", "VII", "VI", "V", "IV", "III", "II", "I")
_NAME_WIDTH = 9
_ROMAN_WIDTH = 4
_DAYS_PER_MONTH = 30
_MONTHS_PER_YEAR = 12


@dataclass(frozen=True, slots=True)
class Moment:
    """The fields that a template shows. The last three have no meaning for an interval."""

    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    micros: int
    day_of_year: int
    is_interval: bool = False
    weekday: int = 0  # Sunday is 0
    offset: int = 0
    zone: str = ""


def timestamptz_to_char(context: Context, nanos: int, template: str) -> str | None:
    """Return `to_char(timestamptz, text)` in the default zone; NULL for an empty template."""
    if not template:
        return None
    zone = zone_named(context.time_zone)
    local, offset = local_of(nanos, zone)
    number = julian_day(local.year, local.month, local.day)
    moment = Moment(
        *local,
        day_of_year=number - julian_day(local.year, 1, 1) + 1,
        weekday=(number + 1) % len(DAYS),
        offset=offset,
        zone=zone.abbreviation_at(nanos // NANOS_PER_SECOND),
    )
    return _write(moment, template)


def interval_to_char(value: Interval, template: str) -> str | None:
    """Return `to_char(interval, text)`; NULL for an empty template."""
    if not template:
        return None
    micros = micros_of(value)
    seconds = truncated_quotient(micros, 1_000_000)
    minutes = truncated_quotient(seconds, 60)
    moment = Moment(
        truncated_quotient(value.months, _MONTHS_PER_YEAR),
        truncated_remainder(value.months, _MONTHS_PER_YEAR),
        value.days,
        truncated_quotient(minutes, 60),
        truncated_remainder(minutes, 60),
        truncated_remainder(seconds, 60),
        truncated_remainder(micros, 1_000_000),
        day_of_year=value.months * _DAYS_PER_MONTH + value.days,
        is_interval=True,
    )
    return _write(moment, template)


def _write(moment: Moment, template: str) -> str:
    parts = [_text_of(node, moment) for node in interruptible(date_template(template))]
    return bounded("".join(parts), "to_char")


def _text_of(node: DateNode, moment: Moment) -> str:
    if node.kind is not NodeKind.PATTERN:
        return node.text
    if moment.is_interval and node.key in _NOT_OF_INTERVALS:
        raise BadTemplate(
            "invalid format specification for an interval value\n"
            "Hint: Intervals are not tied to specific calendar dates."
        )
    write_word = _WORDS.get(node.key)
    if write_word is not None:
        return write_word(moment, node)
    text = _NUMBERS[node.key](moment, node)
    if text and node.ordinal:
        suffix = ordinal_suffix(text)
        text += suffix if node.ordinal == "TH" else suffix.lower()
    return text


_NOT_OF_INTERVALS = frozenset(
    (
        "TZ", "TZH", "TZM", "OF", "A.D.", "B.C.", "AD", "BC", "MONTH", "MON", "DAY", "DY",
        "D", "ID",
    )
)  # fmt: skip

# ---------------------------------------------------------------------------- words


def _half_day(moment: Moment, node: DateNode) -> str:
    text = "PM" if truncated_remainder(moment.hour, 24) >= 12 else "AM"
    return _dotted(text, node)


def _era(moment: Moment, node: DateNode) -> str:
    return _dotted("BC" if moment.year <= 0 else "AD", node)


def _dotted(text: str, node: DateNode) -> str:
    dotted = f"{text[0]}.{text[1]}." if "." in node.text else text
    return dotted.lower() if node.text.islower() else dotted


def _month(moment: Moment, node: DateNode) -> str:
    return _name(MONTHS[moment.month - 1], node, is_short=node.key == "MON")


def _weekday(moment: Moment, node: DateNode) -> str:
    return _name(DAYS[moment.weekday], node, is_short=node.key == "DY")


def _name(name: str, node: DateNode, is_short: bool) -> str:
    text = name[:3] if is_short else name
    if node.text.isupper():
        text = text.upper()
    elif node.text.islower():
        text = text.lower()
    padded = not (is_short or node.fill_mode or node.localized)
    return text.ljust(_NAME_WIDTH) if padded else text


def _roman_month(moment: Moment, node: DateNode) -> str:
    if not moment.month and not moment.year:
        return ""
    if not moment.month:  # Whole years of an interval end in December.
        position = 0 if moment.year >= 0 else _MONTHS_PER_YEAR - 1
    elif moment.month < 0:
        position = -1 - moment.month
    else:
        position = _MONTHS_PER_YEAR - moment.month
    text = ROMAN_MONTHS[position]
    if node.text == "rm":
        text = text.lower()
    return text if node.fill_mode else text.ljust(_ROMAN_WIDTH)


def _zone(moment: Moment, node: DateNode) -> str:
    return moment.zone.lower() if node.text == "tz" else moment.zone


def _zone_hours(moment: Moment, _: DateNode) -> str:
    return f"{'-' if moment.offset < 0 else '+'}{abs(moment.offset) // 3_600:02d}"


def _zone_minutes(moment: Moment, _: DateNode) -> str:
    return f"{abs(moment.offset) % 3_600 // 60:02d}"


def _offset(moment: Moment, node: DateNode) -> str:
    hours, rest = divmod(abs(moment.offset), 3_600)
    text = f"{'-' if moment.offset < 0 else '+'}{hours:0{1 if node.fill_mode else 2}d}"
    return f"{text}:{rest // 60:02d}" if rest else text


_WORDS: Mapping[str, Callable[[Moment, DateNode], str]] = {
    **dict.fromkeys(("A.M.", "P.M.", "AM", "PM"), _half_day),
    **dict.fromkeys(("A.D.", "B.C.", "AD", "BC"), _era),
    **dict.fromkeys(("MONTH", "MON"), _month),
    **dict.fromkeys(("DAY", "DY"), _weekday),
    "RM": _roman_month,
    "TZ": _zone,
    "TZH": _zone_hours,
    "TZM": _zone_minutes,
    "OF": _offset,
    "FX": lambda _moment, _node: "",
}


# ---------------------------------------------------------------------------- numbers


def _padded(number: int, width: int, node: DateNode, sign: int | None = None) -> str:
    """Return a number with leading zeros, one digit more for a negative `sign` or number."""
    if node.fill_mode:
        return str(number)
    negative = (number if sign is None else sign) < 0
    return str(number).zfill(width + negative)


def _hour12(moment: Moment, node: DateNode) -> str:
    hour = truncated_remainder(moment.hour, 12) or 12
    return _padded(hour, 2, node, moment.hour)


def _fraction(digits: int) -> Callable[[Moment, DateNode], str]:
    size = 10 ** (6 - digits)
    return lambda moment, _: str(truncated_quotient(moment.micros, size)).zfill(digits)


def _seconds_of_day(moment: Moment, _: DateNode) -> str:
    return str((moment.hour * 60 + moment.minute) * 60 + moment.second)


def _era_year(year: int, moment: Moment) -> int:
    """Return the year as it is shown: years before Christ are positive."""
    return year if moment.is_interval or year > 0 else 1 - year


def _year(moment: Moment, node: DateNode) -> str:
    year = moment.year
    if node.key[0] == "I":
        year, _ = iso_week(moment.year, moment.month, moment.day)
    shown, digits = _era_year(year, moment), len(node.key)
    if digits < 4:
        shown = truncated_remainder(shown, 10**digits)
    if digits == 1:
        return str(shown)
    return _padded(shown, digits, node, _era_year(moment.year, moment))


def _year_with_comma(moment: Moment, _: DateNode) -> str:
    year = _era_year(moment.year, moment)
    thousands = truncated_quotient(year, 1_000)
    return f"{thousands},{str(year - thousands * 1_000).zfill(3)}"


def _century(moment: Moment, node: DateNode) -> str:
    if moment.is_interval:
        century = truncated_quotient(moment.year, 100)
    elif moment.year > 0:
        century = (moment.year - 1) // 100 + 1
    else:
        century = truncated_quotient(moment.year, 100) - 1
    return _padded(century, 2, node) if abs(century) <= 99 else str(century)


def _quarter(moment: Moment, _: DateNode) -> str:
    return str(truncated_quotient(moment.month - 1, 3) + 1) if moment.month else ""


def _iso_day(moment: Moment, node: DateNode) -> str:
    number = iso_day_of_year(moment.year, moment.month, moment.day)
    return _fixed(number, 3, node)


def _fixed(number: int, width: int, node: DateNode) -> str:
    return str(number) if node.fill_mode else str(number).zfill(width)


_NUMBERS: Mapping[str, Callable[[Moment, DateNode], str]] = {
    "HH": _hour12,
    "HH12": _hour12,
    "HH24": lambda moment, node: _padded(moment.hour, 2, node),
    "MI": lambda moment, node: _padded(moment.minute, 2, node),
    "SS": lambda moment, node: _padded(moment.second, 2, node),
    **{f"FF{digits}": _fraction(digits) for digits in range(1, 7)},
    "MS": _fraction(3),
    "US": _fraction(6),
    "SSSS": _seconds_of_day,
    "SSSSS": _seconds_of_day,
    "MM": lambda moment, node: _padded(moment.month, 2, node),
    "DDD": lambda moment, node: _fixed(moment.day_of_year, 3, node),
    "IDDD": _iso_day,
    "DD": lambda moment, node: _fixed(moment.day, 2, node),
    "D": lambda moment, _: str(moment.weekday + 1),
    "ID": lambda moment, _: str(moment.weekday or 7),
    "WW": lambda moment, node: _fixed(truncated_quotient(moment.day_of_year - 1, 7) + 1, 2, node),
    "IW": lambda moment, node: _fixed(iso_week(moment.year, moment.month, moment.day)[1], 2, node),
    "Q": _quarter,
    "CC": _century,
    "Y,YYY": _year_with_comma,
    **dict.fromkeys(("YYYY", "YYY", "YY", "Y", "IYYY", "IYY", "IY", "I"), _year),
    "W": lambda moment, _: str(truncated_quotient(moment.day - 1, 7) + 1),
    "J": lambda moment, _: str(julian_day(moment.year, moment.month, moment.day)),
}
