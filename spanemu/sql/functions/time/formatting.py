"""FORMAT_DATE and FORMAT_TIMESTAMP: the elements of their format strings.

    "%b-%d-%Y"  ->  ["Dec", "-", "25", "-", "2008"]

A format is compiled once into a list of writers, each from a `Moment` to text. Text that is no
element is written literally, and so is an element of the clock in the format of a date. The reverse
direction is `parsing`. This module follows the page "Format elements".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.base.deadline_checks import interruptible, interruptible_stream
from spanemu.base.limits import CELL_BYTES_MAX
from spanemu.base.record import NamedTuple
from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.functions.registry import Context
from spanemu.sql.functions.text.pattern_cache import pattern_cache
from spanemu.sql.functions.time.date_parts import (
    CYCLE_DAYS,
    CYCLE_YEARS,
    SECONDS_PER_DAY,
    find_zone,
    week_of_year,
)
from spanemu.sql.functions.value_size import bounded
from spanemu.values.date import EPOCH_ORDINAL

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip

# Elements that a DATE has no value for.
CLOCK_ELEMENTS = frozenset("cHIklMPpRrSsTXZz")

_UNSUPPORTED = frozenset("J")  # days since the quarter began: refused by Spanner itself

# Flags and a width as in the C library. Three digits of a width are enough for any use.
_ADJUSTMENT = re.compile(r"([-_0^#]*)(\d{0,3})")
_PADDED_BY_BLANKS = frozenset("ekls")

_ORDINAL_MAX = date.max.toordinal()
_DIGITS_MAX = 15


class Moment(NamedTuple):
    """An instant in a time zone, by the fields that a format can show.

    `day` is `shift` years away from the real year where a Python date cannot represent it.
    """

    day: date
    shift: int
    second_of_day: int
    nanos: int
    offset: int  # seconds ahead of UTC, whole minutes
    instant: int  # seconds since the epoch


Writer = Callable[[Moment], str]


def format_date(pattern: str, day: date) -> str:
    """Return `FORMAT_DATE(format, date)`."""
    moment = Moment(day, 0, 0, 0, 0, 0)
    return _written(pattern, moment, True)


def format_timestamp(
    context: Context, pattern: str, nanos: int, zone_name: str | None = None
) -> str:
    """Return `FORMAT_TIMESTAMP(format, timestamp [, zone])`."""
    moment = moment_of(nanos, context.time_zone if zone_name is None else zone_name)
    return _written(pattern, moment, False)


def _written(pattern: str, moment: Moment, for_date: bool) -> str:
    text = "".join([write(moment) for write in interruptible(_compiled(pattern, for_date))])
    return bounded(text, "FORMAT_DATE" if for_date else "FORMAT_TIMESTAMP", CELL_BYTES_MAX)


def moment_of(nanos: int, zone_name: str) -> Moment:
    """Return the fields of the instant in a time zone."""
    instant, fraction = divmod(nanos, NANOS_PER_SECOND)
    offset = find_zone(zone_name).offset_at(instant)
    if offset % 60:  # Local mean time: a format cannot show the seconds of its offset.
        offset = offset // 60 * 60 if offset > 0 else -(-offset // 60 * 60)
    days, second = divmod(instant + offset, SECONDS_PER_DAY)
    ordinal = EPOCH_ORDINAL + days
    shift = 0
    if not 1 <= ordinal <= _ORDINAL_MAX:
        shift = CYCLE_YEARS if ordinal < 1 else -CYCLE_YEARS
        ordinal += CYCLE_DAYS if ordinal < 1 else -CYCLE_DAYS
    return Moment(date.fromordinal(ordinal), shift, second, fraction, offset, instant)


@pattern_cache
def _compiled(pattern: str, for_date: bool) -> tuple[Writer, ...]:
    return tuple(interruptible_stream(_writers(pattern, for_date)))


def _writers(pattern: str, for_date: bool) -> Iterator[Writer]:
    at = 0
    while at < len(pattern):
        percent = pattern.find("%", at)
        if percent < 0:
            percent = len(pattern)
        if percent > at:
            yield _constant(pattern[at:percent])
        if percent == len(pattern):
            break
        at, write = _element(pattern, percent, for_date)
        yield write or _constant(pattern[percent:at])


def _element(pattern: str, percent: int, for_date: bool) -> tuple[int, Writer | None]:
    """Return the end of the element that begins at `percent`, and its writer or None.

    As in the C library, a flag and a width may stand before the name: %-d, %_d, %5Y.
    """
    adjusted = _ADJUSTMENT.match(pattern, percent + 1)
    assert adjusted is not None, "it matches the empty text"
    at = adjusted.end()
    modifier = pattern[at : at + 1]
    if modifier == "E":
        end, write, name = _extended(pattern, at + 1)
    elif modifier == "O":
        name = pattern[at + 1 : at + 2]
        end, write = at + 1 + len(name), ELEMENTS.get(name)
    else:
        name = modifier
        end, write = at + len(name), ELEMENTS.get(name)
    if name in _UNSUPPORTED and end == percent + 2:
        raise BadArgument(f"Format element %{name} not supported yet")
    if for_date and name in CLOCK_ELEMENTS:
        write = None
    if write and at > percent + 1:
        blanks = name in _PADDED_BY_BLANKS
        write = _adjusted(write, adjusted[1] or "_" * blanks, int(adjusted[2] or 0))
    return end, write


def _extended(pattern: str, at: int) -> tuple[int, Writer | None, str]:
    """Return the end, the writer and the plain name of an element with E: %Ez, %E4Y, %E3S, %E*S...

    Any other element with E means the same as without.
    """
    name = pattern[at : at + 1]
    for ending, (write, plain) in _EXTENDED.items():
        if pattern.startswith(ending, at):
            return at + len(ending), write, plain
    digits = at
    while digits < len(pattern) and pattern[digits] in "0123456789":
        digits += 1
    if digits > at and pattern[digits : digits + 1] == "S":
        count = int(pattern[at : min(digits, at + 3)])
        return digits + 1, (_seconds_of(count) if count <= _DIGITS_MAX else None), "S"
    return at + len(name), ELEMENTS.get(name), name


def _constant(text: str) -> Writer:
    return lambda _: text


def _adjusted(write: Writer, flags: str, width: int) -> Writer:
    """Apply flags to an element: no padding (-), blanks (_), zeros (0), capitals (^, #)."""
    capitals = "^" in flags or "#" in flags
    padding = next((flag for flag in reversed(flags) if flag in "-_0"), "")

    def adjusted(moment: Moment) -> str:
        text = write(moment)
        is_number = text.lstrip(" ").isdigit()
        bare = (text.lstrip("0 ") or text[-1:]) if is_number else text
        if capitals:
            bare = bare.upper()
        if padding == "-":
            return bare.rjust(width)
        fill = "0" if padding == "0" or (not padding and is_number) else " "
        return bare.rjust(max(width, len(text)), fill)

    return adjusted


def _joined(pattern: str) -> Writer:
    """Return the writer of an element that stands for several others."""
    return lambda moment: "".join(
        [write(moment) for write in interruptible(_compiled(pattern, False))]
    )


def _year(moment: Moment) -> int:
    return moment.day.year - moment.shift


def _year_in_four(moment: Moment) -> str:
    return f"{_year(moment):04d}"


def _iso_year(moment: Moment) -> int:
    return moment.day.isocalendar()[0] - moment.shift


def _hour(moment: Moment) -> int:
    return moment.second_of_day // 3_600


def _hour_of_twelve(moment: Moment) -> int:
    return (moment.second_of_day // 3_600 + 11) % 12 + 1


def _am_or_pm(moment: Moment) -> str:
    return "AM" if moment.second_of_day < SECONDS_PER_DAY // 2 else "PM"


def _seconds(moment: Moment) -> str:
    return f"{moment.second_of_day % 60:02d}"


def _seconds_full(moment: Moment) -> str:
    if not moment.nanos:
        return _seconds(moment)
    return f"{_seconds(moment)}.{moment.nanos:09d}".rstrip("0")


def _seconds_of(digits: int) -> Writer:
    if not digits:
        return _seconds
    return lambda moment: f"{_seconds(moment)}.{f'{moment.nanos:09d}'.ljust(digits, '0')[:digits]}"


def _offset(moment: Moment, separator: str) -> str:
    minutes = abs(moment.offset) // 60
    sign = "-" if moment.offset < 0 else "+"
    return f"{sign}{minutes // 60:02d}{separator}{minutes % 60:02d}"


def _offset_with_colon(moment: Moment) -> str:
    return _offset(moment, ":")


def _zone_name(moment: Moment) -> str:
    """Return the zone as UTC, UTC-8 or UTC+0530."""
    if not moment.offset:
        return "UTC"
    minutes = abs(moment.offset) // 60
    sign = "-" if moment.offset < 0 else "+"
    if minutes % 60:
        return f"UTC{sign}{minutes // 60:02d}{minutes % 60:02d}"
    return f"UTC{sign}{minutes // 60}"


# Text after %E -> the writer, and the plain element that the text is a form of.
_EXTENDED: Mapping[str, tuple[Writer, str]] = {
    "z": (_offset_with_colon, "z"),
    "*z": (lambda moment: _offset_with_colon(moment) + ":00", "z"),
    "T": (lambda _: "T", "T"),
    "4Y": (_year_in_four, "Y"),
    "*S": (_seconds_full, "S"),
    "*f": (lambda moment: f"{moment.nanos:09d}".rstrip("0") or "0", "S"),
}

ELEMENTS: Mapping[str, Writer] = {
    "A": lambda moment: DAYS[moment.day.weekday()],
    "a": lambda moment: DAYS[moment.day.weekday()][:3],
    "B": lambda moment: MONTHS[moment.day.month - 1],
    "b": lambda moment: MONTHS[moment.day.month - 1][:3],
    "C": lambda moment: f"{_year(moment) // 100:02d}",
    "c": _joined("%a %b %e %H:%M:%S %Y"),
    "D": _joined("%m/%d/%y"),
    "d": lambda moment: f"{moment.day.day:02d}",
    "e": lambda moment: f"{moment.day.day:2d}",
    "F": _joined("%Y-%m-%d"),
    "G": lambda moment: str(_iso_year(moment)),
    "g": lambda moment: f"{_iso_year(moment) % 100:02d}",
    "H": lambda moment: f"{_hour(moment):02d}",
    "h": lambda moment: MONTHS[moment.day.month - 1][:3],
    "I": lambda moment: f"{_hour_of_twelve(moment):02d}",
    "j": lambda moment: f"{moment.day.timetuple().tm_yday:03d}",
    "k": lambda moment: f"{_hour(moment):2d}",
    "l": lambda moment: f"{_hour_of_twelve(moment):2d}",
    "M": lambda moment: f"{moment.second_of_day // 60 % 60:02d}",
    "m": lambda moment: f"{moment.day.month:02d}",
    "n": _constant("\n"),
    "P": lambda moment: _am_or_pm(moment).lower(),
    "p": _am_or_pm,
    "Q": lambda moment: str((moment.day.month + 2) // 3),
    "R": _joined("%H:%M"),
    "r": _joined("%I:%M:%S %p"),
    "S": _seconds,
    "s": lambda moment: str(moment.instant),
    "T": _joined("%H:%M:%S"),
    "t": _constant("\t"),
    "U": lambda moment: f"{week_of_year(moment.day, 6):02d}",
    "u": lambda moment: str(moment.day.isoweekday()),
    "V": lambda moment: f"{moment.day.isocalendar()[1]:02d}",
    "W": lambda moment: f"{week_of_year(moment.day, 0):02d}",
    "w": lambda moment: str(moment.day.isoweekday() % 7),
    "X": _joined("%H:%M:%S"),
    "x": _joined("%m/%d/%y"),
    "Y": lambda moment: str(_year(moment)),
    "y": lambda moment: f"{_year(moment) % 100:02d}",
    "Z": _zone_name,
    "z": lambda moment: _offset(moment, ""),
    "%": _constant("%"),
}
