"""What an expression may look like, by its type: `{INT64}` is a hole, `{T}` one type throughout.

TAME expressions fail on no row of `world`, so that the order in which an engine evaluates them
cannot be seen. WILD ones may fail.
"""

from __future__ import annotations

from collections.abc import Mapping

_COMMON = (
    "COALESCE({T}, {T})",
    "IF({BOOL}, {T}, {T})",
    "CASE WHEN {BOOL} THEN {T} WHEN {BOOL} THEN {T} ELSE {T} END",
    "CASE {INT64} WHEN {INT64} THEN {T} WHEN 2 THEN {T} END",
    "IFNULL({T}, {T})",
)
_COMPARED = ("NULLIF({T}, {T})", "GREATEST({T}, {T})", "LEAST({T}, {T})")
# Conditions over two or three values of one comparable type.
CONDITIONS = (
    "{T} = {T}", "{T} = {T}", "{T} != {T}", "{T} < {T}", "{T} <= {T}", "{T} > {T}", "{T} >= {T}",
    "{T} BETWEEN {T} AND {T}", "{T} NOT BETWEEN {T} AND {T}", "{T} IN ({T}, {T})",
    "{T} NOT IN ({T}, {T})", "{T} IS NULL", "{T} IS NOT NULL",
)  # fmt: skip
TAME: Mapping[str, tuple[str, ...]] = {
    "BOOL": (
        "{BOOL} AND {BOOL}", "{BOOL} OR {BOOL}", "NOT {BOOL}", "{BOOL} IS TRUE",
        "{BOOL} IS NOT FALSE", "{STRING} LIKE 'a%'", "{STRING} NOT LIKE '%b'",
        "STARTS_WITH({STRING}, {STRING})", "{INT64} IN UNNEST({ARRAY<INT64>})",
        "{INT64} NOT IN UNNEST({ARRAY<INT64>})", "{STRING} IN UNNEST({ARRAY<STRING>})",
        "{FLOAT64} < {INT64}", "{NUMERIC} = {INT64}", "{FLOAT64} >= {NUMERIC}",
        "({INT64}, {STRING}) = ({INT64}, {STRING})", "({INT64}, {STRING}) IN (({INT64}, {STRING}))",
    ),
    "INT64": (
        "LENGTH({STRING})", "STRPOS({STRING}, {STRING})", "ARRAY_LENGTH({ARRAY<INT64>})",
        "ABS(MOD({INT64}, 5))", "SIGN({INT64})", "{INT64} + 1", "{INT64} - 2", "-{INT64}",
        "MOD({INT64}, 3)", "EXTRACT(YEAR FROM {DATE})", "EXTRACT(DAY FROM {TIMESTAMP})",
        "SAFE_ADD({INT64}, {INT64})",
        "SAFE_MULTIPLY({INT64}, {INT64})", "DATE_DIFF({DATE}, {DATE}, MONTH)",
        "{ARRAY<INT64>}[SAFE_OFFSET(0)]", "({INT64} & 3) | 4", "CAST({BOOL} AS INT64)",
    ),
    "FLOAT64": (
        "{FLOAT64} + {FLOAT64}", "{FLOAT64} * 2", "CAST({INT64} AS FLOAT64)", "{FLOAT64} - 1",
        "SAFE_DIVIDE({INT64}, {INT64})", "FLOOR({FLOAT64})", "CAST({NUMERIC} AS FLOAT64)",
        "ABS({FLOAT64})", "{FLOAT64} + {INT64}",
    ),
    "FLOAT32": ("CAST({INT64} AS FLOAT32)",),
    "NUMERIC": (
        "{NUMERIC} + {INT64}", "CAST({INT64} AS NUMERIC)", "ROUND({NUMERIC})", "ABS({NUMERIC})",
    ),
    "STRING": (
        "{STRING} || {STRING}", "UPPER({STRING})", "SUBSTR({STRING}, 2)", "CONCAT({STRING}, 'x')",
        "CAST({INT64} AS STRING)", "CAST({BOOL} AS STRING)", "REPLACE({STRING}, 'a', 'b')",
        "REVERSE({STRING})", "CAST({DATE} AS STRING)", "{ARRAY<STRING>}[SAFE_ORDINAL(1)]",
        "ARRAY_TO_STRING({ARRAY<STRING>}, ',', 'N')", "TO_JSON_STRING({JSON})",
        "FORMAT('%d-%s', {INT64}, {STRING})", "TO_HEX({BYTES})",
    ),
    "BYTES": ("CAST({STRING} AS BYTES)", "REVERSE({BYTES})", "{BYTES} || {BYTES}"),
    "DATE": ("DATE_ADD({DATE}, INTERVAL 1 MONTH)", "DATE_TRUNC({DATE}, WEEK)",
             "EXTRACT(DATE FROM {TIMESTAMP})", "LAST_DAY({DATE}, QUARTER)"),
    "TIMESTAMP": ("TIMESTAMP_ADD({TIMESTAMP}, INTERVAL 3 HOUR)", "TIMESTAMP_TRUNC({TIMESTAMP}, DAY)",
                  "CAST({DATE} AS TIMESTAMP)"),
    "JSON": ("TO_JSON({INT64})", "TO_JSON({ARRAY<INT64>})", "JSON_QUERY({JSON}, '$.a')",
             "TO_JSON({STRING})", "JSON_OBJECT('k', {INT64})"),
    "ARRAY<INT64>": ("[{INT64}, {INT64}]", "ARRAY_CONCAT({ARRAY<INT64>}, {ARRAY<INT64>})",
                     "ARRAY_REVERSE({ARRAY<INT64>})",
                     "ARRAY(SELECT e FROM UNNEST({ARRAY<INT64>}) AS e ORDER BY e)"),
    "ARRAY<STRING>": ("[{STRING}, {STRING}]", "SPLIT({STRING}, 'b')"),
}  # fmt: skip
WILD: Mapping[str, tuple[str, ...]] = {
    "BOOL": ("CAST({STRING} AS BOOL)", "{STRING} LIKE {STRING}", "{BYTES} LIKE {BYTES}",
             "{INT64} < {NUMERIC}", "{FLOAT32} = {FLOAT64}", "{INT64} = {FLOAT64}"),
    "INT64": ("{INT64} + {INT64}", "{INT64} - {INT64}", "{INT64} * {INT64}", "-{INT64}",
              "{INT64} << {INT64}", "{INT64} >> {INT64}", "{INT64} ^ {INT64}", "~{INT64}",
              "CAST({FLOAT64} AS INT64)", "CAST({STRING} AS INT64)", "CAST({NUMERIC} AS INT64)",
              "{ARRAY<INT64>}[OFFSET({INT64})]", "SAFE_CAST({STRING} AS INT64)",
              "{ARRAY<INT64>}[ORDINAL({INT64})]", "CAST(CAST({INT64} AS FLOAT64) AS INT64)",
              "EXTRACT(ISOWEEK FROM {DATE})", "EXTRACT(WEEK(MONDAY) FROM {DATE})",
              "EXTRACT(NANOSECOND FROM {TIMESTAMP})", "EXTRACT(DAYOFYEAR FROM {TIMESTAMP})",
              "EXTRACT(HOUR FROM {TIMESTAMP} AT TIME ZONE 'Asia/Kathmandu')"),
    "FLOAT64": ("{FLOAT64} / {FLOAT64}", "{FLOAT64} * {FLOAT64}", "{INT64} / {INT64}",
                "-{FLOAT64}", "CAST({STRING} AS FLOAT64)", "SAFE_CAST({STRING} AS FLOAT64)",
                "{FLOAT32} + {FLOAT64}", "CAST({FLOAT32} AS FLOAT64)"),
    "FLOAT32": ("CAST({FLOAT64} AS FLOAT32)", "CAST({STRING} AS FLOAT32)", "-{FLOAT32}"),
    "NUMERIC": ("{NUMERIC} * {NUMERIC}", "{NUMERIC} / {NUMERIC}", "{NUMERIC} - {INT64}",
                "CAST({FLOAT64} AS NUMERIC)", "CAST({STRING} AS NUMERIC)", "-{NUMERIC}"),
    "STRING": ("CAST({FLOAT64} AS STRING)", "CAST({FLOAT32} AS STRING)",
               "CAST({TIMESTAMP} AS STRING)", "CAST({BYTES} AS STRING)",
               "CAST({NUMERIC} AS STRING)", "FORMAT('%t|%T', {FLOAT64}, {STRING})",
               "FORMAT('%5.2f|%e|%g', {FLOAT64}, {FLOAT64}, {FLOAT64})",
               "FORMAT('%T', {ARRAY<STRING>})", "FORMAT('%T %t', {BYTES}, {TIMESTAMP})",
               "FORMAT('%08d|%x|%+d', {INT64}, {INT64}, {INT64})", "FORMAT('%P', {JSON})",
               "FORMAT('%-10s|%10s', {STRING}, {STRING})", "FORMAT(\"%'d\", {INT64})",
               "TO_JSON_STRING({FLOAT64})", "TO_JSON_STRING({STRING})",
               "TO_JSON_STRING({TIMESTAMP})", "TO_JSON_STRING({ARRAY<INT64>})",
               "TO_JSON_STRING(STRUCT({INT64} AS a, {BYTES} AS b))",
               "CAST({DATE} AS STRING FORMAT 'YYYY-MON-DD DAY')",
               "CAST({TIMESTAMP} AS STRING FORMAT 'YY/MM/DD HH12:MI:SS.FF3 AM TZH:TZM')"),
    "BYTES": ("SAFE_CAST({STRING} AS BYTES)", "{BYTES} & {BYTES}", "~{BYTES}", "{BYTES} << 3"),
    "DATE": ("CAST({STRING} AS DATE)", "SAFE_CAST({STRING} AS DATE)", "CAST({TIMESTAMP} AS DATE)",
             "{DATE} + {INT64}", "DATE_ADD({DATE}, INTERVAL {INT64} YEAR)",
             "DATE_SUB({DATE}, INTERVAL {INT64} WEEK)"),
    "TIMESTAMP": ("CAST({STRING} AS TIMESTAMP)", "CAST({DATE} AS TIMESTAMP)",
                  "TIMESTAMP_ADD({TIMESTAMP}, INTERVAL {INT64} DAY)",
                  "TIMESTAMP_SUB({TIMESTAMP}, INTERVAL {INT64} MICROSECOND)",
                  "SAFE_CAST({STRING} AS TIMESTAMP)"),
    "JSON": ("PARSE_JSON({STRING})", "SAFE.PARSE_JSON({STRING})", "{JSON}['a']", "{JSON}.b",
             "{JSON}[{INT64}]", "TO_JSON({FLOAT64})", "TO_JSON({TIMESTAMP})", "TO_JSON({NUMERIC})",
             "TO_JSON(STRUCT({STRING} AS x, {ARRAY<FLOAT64>} AS y))"),
    "ARRAY<FLOAT64>": ("[{FLOAT64}, {INT64}]",),
    "ARRAY<INT64>": ("GENERATE_ARRAY(0, MOD({INT64}, 9), 2)",),
    "ARRAY<STRING>": ("SPLIT({STRING}, {STRING})", "REGEXP_EXTRACT_ALL({STRING}, 'a.?')"),
}  # fmt: skip


def common(type_: str, *, comparable: bool) -> tuple[str, ...]:
    """The forms that exist for every type."""
    forms = _COMMON + _COMPARED if comparable else _COMMON
    return tuple(form.replace("{T}", "{" + type_ + "}") for form in forms)
