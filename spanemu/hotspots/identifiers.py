"""Recognizes ids that begin with their creation time, by comparing it with the commit timestamp.

A format counts when enough distinct values decode and nearly all of them lie within minutes of
their commits. A random INT64 would pass for a snowflake three times in ten million, and fixture
literals such as 1 to 5 decode to no time near the present.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from spanemu.base.clock import NANOS_PER_DAY, NANOS_PER_MILLI, NANOS_PER_SECOND
from spanemu.hotspots.thresholds import THRESHOLDS, Thresholds

NEAR_NANOS = 300 * NANOS_PER_SECOND
KSUID_EPOCH = 1_400_000_000

# Returns nanoseconds since 1970, or None for a value that is not of the format.
Decoder = Callable[[Any], int | None]
Format = tuple[Decoder, int, str]  # decoder, tolerance to the commit time, why it is a hotspot


@dataclass(frozen=True, slots=True)
class IdFormatMatch:
    """A format, how its values are ordered, and how many distinct values had the format."""

    format: str
    why: str
    values: int


def identify(
    pairs: Iterable[tuple[Any, int]],
    limits: Thresholds = THRESHOLDS,
    formats: Mapping[str, Format] | None = None,
) -> IdFormatMatch | None:
    """Return the format of values, given with the timestamps of their commits, or None.

    `formats` are those of ids by default, or `TIMES`.
    """
    commits: dict[Any, int] = {}
    for value, timestamp in pairs:
        if value is not None:
            commits.setdefault(value, timestamp)
    if len(commits) < limits.id_values_min:
        return None
    read = [(_readings(value), timestamp) for value, timestamp in commits.items()]
    for name, (decode, tolerance, why) in (formats or FORMATS).items():
        near = sum(
            any(_is_near(decode, reading, timestamp, tolerance) for reading in readings)
            for readings, timestamp in read
        )
        if near >= limits.id_values_min and near >= limits.id_values_part_min * len(commits):
            return IdFormatMatch(name, why, near)
    return None


def _is_near(decode: Decoder, value: Any, timestamp: int, tolerance: int) -> bool:
    created = decode(value)
    return created is not None and abs(created - timestamp) <= tolerance


_PREFIX = re.compile(r"(?:[A-Za-z][A-Za-z0-9]{0,15}[_:/.-]){1,2}")
_DIGITS = re.compile(r"(\d{10,19})(?![0-9A-Za-z])")


def _readings(value: Any) -> tuple[Any, ...]:
    """Return the readings of a value: itself, text without its prefix (usr_01JD...), digits."""
    if not isinstance(value, str):
        return (value,)
    prefix = _PREFIX.match(value)
    texts = (value,) if prefix is None else (value, value[prefix.end() :])
    digits = (_DIGITS.match(text) for text in texts)
    return (*texts, *(int(match[1]) for match in digits if match is not None))


# ---------------------------------------------------------------------------- UUID

_HEX = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_GREGORIAN = 0x01B21DD213814000  # 1582-10-15 to 1970-01-01 in 100 ns


def _any_uuid(value: Any) -> UUID | None:
    if isinstance(value, str) and _HEX.fullmatch(value):
        return UUID(value)
    if isinstance(value, bytes) and len(value) == 16:
        return UUID(bytes=value)
    return value if isinstance(value, UUID) else None


def _uuid(version: int, nanos_of: Callable[[UUID], int]) -> Decoder:
    """Return a decoder of UUIDs of one version."""

    def decode(value: Any) -> int | None:
        uuid = _any_uuid(value)
        return nanos_of(uuid) if uuid is not None and uuid.version == version else None

    return decode


def _nanos_of_uuid_6(uuid: UUID) -> int:
    ticks = (uuid.int >> 80) << 12 | (uuid.int >> 64 & 0xFFF)
    return (ticks - _GREGORIAN) * 100


# ---------------------------------------------------------------------------- other text

_CROCKFORD = {letter: n for n, letter in enumerate("0123456789ABCDEFGHJKMNPQRSTVWXYZ")}
_BASE62 = {
    letter: n
    for n, letter in enumerate("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
}
_PUSH = {
    letter: n
    for n, letter in enumerate("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
}
_BASE32_HEX = {letter: n for n, letter in enumerate("0123456789abcdefghijklmnopqrstuv")}


def _number(text: str, digits: Mapping[str, int]) -> int:
    number = 0
    for letter in text:
        number = number * len(digits) + digits[letter]
    return number


def _textual(pattern: str, read: Callable[[str], int]) -> Decoder:
    """Return a decoder of strings that match `pattern`; `read` returns nanoseconds."""
    compiled = re.compile(pattern)

    def decode(value: Any) -> int | None:
        return read(value) if isinstance(value, str) and compiled.fullmatch(value) else None

    return decode


def _or_bytes(textual: Decoder, length: int, epoch_seconds: int = 0) -> Decoder:
    """Return a decoder that also accepts `length` bytes, the first four of which are seconds."""

    def decode(value: Any) -> int | None:
        if isinstance(value, bytes) and len(value) == length:
            return (int.from_bytes(value[:4], "big") + epoch_seconds) * NANOS_PER_SECOND
        return textual(value)

    return decode


_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}", re.IGNORECASE)


def _ulid(value: Any) -> int | None:
    """Decode a ULID, in upper or lower case, or in the form of a UUID."""
    if isinstance(value, str) and _ULID.fullmatch(value):
        return _number(value[:10].upper(), _CROCKFORD) * NANOS_PER_MILLI
    uuid = _any_uuid(value)
    return None if uuid is None else (uuid.int >> 80) * NANOS_PER_MILLI


def _ksuid(text: str) -> int:
    return ((_number(text, _BASE62) >> 128) + KSUID_EPOCH) * NANOS_PER_SECOND


def _object_id(text: str) -> int:
    return int(text[:8], 16) * NANOS_PER_SECOND


def _cuid(text: str) -> int:
    return int(text[1:9], 36) * NANOS_PER_MILLI


def _push_id(text: str) -> int:
    return _number(text[:8], _PUSH) * NANOS_PER_MILLI


def _xid(text: str) -> int:
    return (_number(text[:7], _BASE32_HEX) >> 3) * NANOS_PER_SECOND


# A date without a time is not enough: the rest of the text may be random all day.
_DATED = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})[T _](\d{2}):(\d{2})(?::(\d{2}))?"
    r"|(\d{4})(\d{2})(\d{2})T?(\d{2})(\d{2})(\d{2})(?!\d{5})"
)


def _dated(value: Any) -> int | None:
    """Decode text that begins with a date and a time of day."""
    match = _DATED.match(value) if isinstance(value, str) else None
    if match is None:
        return None
    parts = match.groups()[:6] if match[1] else match.groups()[6:]
    year, month, day, hour, minute, second = (int(part or 0) for part in parts)
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None
    seconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    return seconds * NANOS_PER_SECOND


# ---------------------------------------------------------------------------- numbers


def _shifted(bits: int, epoch_millis: int, unit_nanos: int = NANOS_PER_MILLI) -> Decoder:
    """Return a decoder of INT64 values that hold the time above the lowest `bits` bits."""

    def decode(value: Any) -> int | None:
        if not _is_integer(value):
            return None
        return (int(value) >> bits) * unit_nanos + epoch_millis * NANOS_PER_MILLI

    return decode


def _scaled(nanos: int) -> Decoder:
    """Return a decoder of times since 1970 in units of `nanos` nanoseconds."""

    def decode(value: Any) -> int | None:
        if _is_integer(value):
            return int(value) * nanos
        if isinstance(value, float) and abs(value) < 1e18:
            return round(value * nanos)
        return None

    return decode


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


_GROWS = "they begin with their creation time, so each value is above all earlier values"
_SWEEPS = (
    "they begin with the low bits of the time, so the position of inserts sweeps over the whole "
    "key space every 429.5 seconds"
)


def _growing(decoder: Decoder, tolerance: int = NEAR_NANOS) -> Format:
    return decoder, tolerance, _GROWS


FORMATS: Mapping[str, Format] = {
    "UUID version 1": (
        _uuid(1, lambda uuid: (uuid.time - _GREGORIAN) * 100),
        NEAR_NANOS,
        _SWEEPS,
    ),
    "UUID version 6": _growing(_uuid(6, _nanos_of_uuid_6)),
    "UUID version 7": _growing(_uuid(7, lambda uuid: (uuid.int >> 80) * NANOS_PER_MILLI)),
    "ULID": _growing(_ulid),
    "KSUID": _growing(_or_bytes(_textual(r"[0-9A-Za-z]{27}", _ksuid), 20, KSUID_EPOCH)),
    "ObjectId": _growing(_or_bytes(_textual(r"[0-9a-fA-F]{24}", _object_id), 12)),
    "XID": _growing(_textual(r"[0-9a-v]{20}", _xid)),
    "CUID": _growing(_textual(r"c[0-9a-z]{24}", _cuid)),
    "Firebase push id": _growing(_textual(r"-[-0-9A-Z_a-z]{19}", _push_id)),
    "snowflake": _growing(_shifted(22, 1_288_834_974_657)),
    "snowflake (Discord)": _growing(_shifted(22, 1_420_070_400_000)),
    "TSID": _growing(_shifted(22, 1_577_836_800_000)),
    "Instagram id": _growing(_shifted(23, 1_314_220_021_721)),
    "Sonyflake": _growing(_shifted(24, 1_409_529_600_000, 10 * NANOS_PER_MILLI)),
    "epoch seconds": _growing(_scaled(NANOS_PER_SECOND)),
    "epoch milliseconds": _growing(_scaled(NANOS_PER_MILLI)),
    "epoch microseconds": _growing(_scaled(1000)),
    "epoch nanoseconds": _growing(_scaled(1)),
    "date": _growing(_dated, NANOS_PER_DAY),
}

# The formats of TIMESTAMP columns, given as nanoseconds.
TIMES: Mapping[str, Format] = {
    "clock time": (_scaled(1), NEAR_NANOS, "each value is the time of its write, so values grow"),
}
