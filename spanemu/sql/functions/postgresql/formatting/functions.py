"""Formatting functions, by the section of that name."""

from __future__ import annotations

from spanemu.sql.functions.notation import chapter, overload
from spanemu.sql.functions.postgresql.formatting.date_assembly import to_date, to_timestamp
from spanemu.sql.functions.postgresql.formatting.date_writer import (
    interval_to_char,
    timestamptz_to_char,
)
from spanemu.sql.functions.postgresql.formatting.number_reader import to_number
from spanemu.sql.functions.postgresql.formatting.number_writer import (
    float4_to_char,
    float8_to_char,
    int8_to_char,
    numeric_to_char,
)
from spanemu.sql.functions.time.timestamp import timestamp_of_seconds

FUNCTIONS = chapter(
    "formatting",
    {
        "to_char": (
            overload("(INT64, STRING) -> STRING", int8_to_char),
            overload("(PG_NUMERIC, STRING) -> STRING", numeric_to_char),
            overload("(FLOAT32, STRING) -> STRING", float4_to_char),
            overload("(FLOAT64, STRING) -> STRING", float8_to_char),
            overload("(INTERVAL, STRING) -> STRING", interval_to_char),
            overload("(TIMESTAMP, STRING) -> STRING", timestamptz_to_char, context=True),
        ),
        "to_number": (overload("(STRING, STRING) -> PG_NUMERIC", to_number),),
        "to_date": (overload("(STRING, STRING) -> DATE", to_date),),
        "to_timestamp": (
            overload("(STRING, STRING) -> TIMESTAMP", to_timestamp, context=True),
            overload("(INT64) -> TIMESTAMP", timestamp_of_seconds),
        ),
    },
    safe_allowed=False,
)
