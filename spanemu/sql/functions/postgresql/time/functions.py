"""Date and time functions, by the sections of that name and the functions behind operators."""

from __future__ import annotations

from spanemu.sql.functions.notation import chapter, overload
from spanemu.sql.functions.postgresql.time import arithmetic, parts
from spanemu.sql.functions.time.date import current_date, date_of_parts, date_of_timestamp
from spanemu.sql.functions.time.timestamp import (
    current_timestamp,
    pending_commit_timestamp,
    timestamp_of_micros,
    timestamp_of_millis,
)


def _same(moment: int) -> int:
    return moment


_NOW = (overload("() -> TIMESTAMP", current_timestamp, context=True, stable=True),)

FUNCTIONS = (
    *chapter(
        "date and time",
        {
            "now|current_timestamp": _NOW,
            "current_date": (overload("() -> DATE", current_date, context=True, stable=True),),
            "make_date": (overload("(INT64, INT64, INT64) -> DATE", date_of_parts),),
            "date_trunc": (
                overload(
                    "(STRING, TIMESTAMP) -> TIMESTAMP", parts.truncate_timestamptz, context=True
                ),
                overload("(STRING, TIMESTAMP, STRING) -> TIMESTAMP", parts.truncate_timestamptz_in),
            ),
            "extract": (
                overload(
                    "(STRING, TIMESTAMP) -> PG_NUMERIC",
                    parts.extract_from_timestamptz,
                    context=True,
                ),
                overload("(STRING, DATE) -> PG_NUMERIC", parts.extract_from_date),
                overload("(STRING, INTERVAL) -> PG_NUMERIC", parts.extract_from_interval),
            ),
            "spanner.date": (
                overload("(TIMESTAMP, STRING) -> DATE", date_of_timestamp, context=True),
            ),
            "spanner.date_bin": (
                overload("(STRING, TIMESTAMP, TIMESTAMP) -> TIMESTAMP", arithmetic.bin_timestamp),
            ),
            "spanner.timestamptz_add": (
                overload(
                    "(TIMESTAMP, STRING) -> TIMESTAMP", arithmetic.add_interval_text, context=True
                ),
            ),
            "spanner.timestamptz_subtract": (
                overload(
                    "(TIMESTAMP, STRING) -> TIMESTAMP",
                    arithmetic.subtract_interval_text,
                    context=True,
                ),
            ),
            "spanner.timestamp_from_unix_micros": (
                overload("(INT64) -> TIMESTAMP", timestamp_of_micros),
                overload("(TIMESTAMP) -> TIMESTAMP", _same),
            ),
            "spanner.timestamp_from_unix_millis": (
                overload("(INT64) -> TIMESTAMP", timestamp_of_millis),
                overload("(TIMESTAMP) -> TIMESTAMP", _same),
            ),
            "spanner.pending_commit_timestamp": (
                overload("() -> TIMESTAMP", pending_commit_timestamp, volatile=True),
            ),
        },
        safe_allowed=False,
    ),
    *chapter(
        "interval",
        {
            "justify_days": (overload("(INTERVAL) -> INTERVAL", arithmetic.justify_days),),
            "justify_hours": (overload("(INTERVAL) -> INTERVAL", arithmetic.justify_hours),),
            "justify_interval": (overload("(INTERVAL) -> INTERVAL", arithmetic.justify_interval),),
            "make_interval": (
                overload(
                    "([years=>INT64 = 0], [months=>INT64 = 0], [weeks=>INT64 = 0], "
                    "[days=>INT64 = 0], [hours=>INT64 = 0], [mins=>INT64 = 0], "
                    "[secs=>FLOAT64 = 0]) -> INTERVAL",
                    arithmetic.make_interval,
                ),
            ),
        },
        safe_allowed=False,
    ),
    *chapter(
        "date and time operators",
        {
            "date_pli": (overload("(DATE, INT64) -> DATE", arithmetic.add_days),),
            "date_mii": (overload("(DATE, INT64) -> DATE", arithmetic.subtract_days),),
            "date_mi": (overload("(DATE, DATE) -> INT64", arithmetic.days_between),),
            "timestamptz_pl_interval": (
                overload(
                    "(TIMESTAMP, INTERVAL) -> TIMESTAMP", arithmetic.add_interval, context=True
                ),
            ),
            "timestamptz_mi_interval": (
                overload(
                    "(TIMESTAMP, INTERVAL) -> TIMESTAMP", arithmetic.subtract_interval, context=True
                ),
            ),
            "timestamptz_mi": (
                overload("(TIMESTAMP, TIMESTAMP) -> INTERVAL", arithmetic.timestamp_difference),
            ),
            "interval_pl": (
                overload("(INTERVAL, INTERVAL) -> INTERVAL", arithmetic.add_intervals),
            ),
            "interval_mi": (
                overload("(INTERVAL, INTERVAL) -> INTERVAL", arithmetic.subtract_intervals),
            ),
            "interval_um": (overload("(INTERVAL) -> INTERVAL", arithmetic.negate_interval),),
            "interval_mul": (
                overload("(INTERVAL, FLOAT64) -> INTERVAL", arithmetic.multiply_interval),
            ),
            "interval_div": (
                overload("(INTERVAL, FLOAT64) -> INTERVAL", arithmetic.divide_interval),
            ),
        },
        safe_allowed=False,
    ),
)
