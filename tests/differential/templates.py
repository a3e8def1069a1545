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
    "WITH(w AS {T}, v AS {T}, IF({BOOL}, w, v))",
)
_COMPARED = (
    "NULLIF({T}, {T})", "GREATEST({T}, {T})", "LEAST({T}, {T})", "STRUCT({T} AS a, {INT64} AS b).a",
    "STRUCT<a STRING, b {T:type}>('x', {T}).b", "[{T}, {T}][SAFE_OFFSET({INT64})]",
    "CASE {T} WHEN {T} THEN {T} ELSE {T} END", "GREATEST({T}, {T}, {T})",
)  # fmt: skip
# Conditions over two or three values of one comparable type.
CONDITIONS = (
    "{T} = {T}", "{T} = {T}", "{T} != {T}", "{T} < {T}", "{T} <= {T}", "{T} > {T}", "{T} >= {T}",
    "{T} BETWEEN {T} AND {T}", "{T} NOT BETWEEN {T} AND {T}", "{T} IN ({T}, {T})",
    "{T} NOT IN ({T}, {T})", "{T} IS NULL", "{T} IS NOT NULL", "{T} IN UNNEST([{T}, {T}])",
    "({T}, {INT64}) = ({T}, {INT64})", "({T}, {T}) IN (({T}, {T}), ({T}, {T}))",
    "STRUCT({T}) IN (STRUCT({T}), STRUCT({T}))", "NOT ({T} <= {T})", "({T} = {T}) IS NULL",
)  # fmt: skip
TAME: Mapping[str, tuple[str, ...]] = {
    "BOOL": (
        "{BOOL} AND {BOOL}", "{BOOL} OR {BOOL}", "NOT {BOOL}", "{BOOL} IS TRUE",
        "{BOOL} IS NOT FALSE", "{STRING} LIKE 'a%'", "{STRING} NOT LIKE '%b'",
        "STARTS_WITH({STRING}, {STRING})", "{INT64} IN UNNEST({ARRAY<INT64>})",
        "{INT64} NOT IN UNNEST({ARRAY<INT64>})", "{STRING} IN UNNEST({ARRAY<STRING>})",
        "{FLOAT64} < {INT64}", "{NUMERIC} = {INT64}", "{FLOAT64} >= {NUMERIC}",
        "({INT64}, {STRING}) = ({INT64}, {STRING})", "({INT64}, {STRING}) IN (({INT64}, {STRING}))",
        "EXISTS(SELECT 1 FROM UNNEST({ARRAY<INT64>}) AS e WHERE e > {INT64})",
        "EXISTS(SELECT 1 FROM UNNEST({ARRAY<PAIR>}) AS p WHERE p.a = {INT64} OR p.b = {STRING})",
        "STRUCT<a INT64, b STRING>({INT64}, {STRING}) IN UNNEST({ARRAY<PAIR>})", "{STRING} LIKE '_%'",
        "@x_pair = ({INT64}, {STRING})", "@x_pair IN UNNEST({ARRAY<PAIR>})",
        "STRUCT<a INT64, b STRING>({INT64}, {STRING}) IN UNNEST(@x_pairs)", "({INT64}, {STRING}) IN (@x_pair, (3, {STRING}))",
        "EXISTS(SELECT 1 FROM UNNEST(@x_pairs) AS p WHERE p = @x_pair OR p.a = {INT64})",
        "{BOOL} IN ({BOOL}, {BOOL})", "ENDS_WITH({STRING}, {STRING})", "IS_NAN({FLOAT64})",
        "{INT64} NOT IN (SELECT e FROM UNNEST({ARRAY<INT64>}) AS e)",
        "REGEXP_CONTAINS({STRING}, 'a|b')", "IF({BOOL}, {BOOL}, {BOOL})",
        "{ARRAY<INT64>} IS NULL", "{BYTES} LIKE b'a%'", "{DATE} < '2024-01-01'",
        "{TIMESTAMP} >= '2001-01-01'", "{INT64} = 1.5", "{FLOAT32} < 1.5", "{NUMERIC} > 1.25",
    ),
    "INT64": (
        "(SELECT SUM(e) FROM UNNEST({ARRAY<INT64>}) AS e)",
        "(SELECT COUNT(*) FROM UNNEST({ARRAY<PAIR>}) AS p WHERE p.a IS NOT NULL)",
        "(SELECT p.a FROM UNNEST({ARRAY<PAIR>}) AS p WITH OFFSET AS o ORDER BY o DESC LIMIT 1)",
        "@x_pair.a", "{ARRAY<INT64>}[SAFE_ORDINAL(2)]", "ARRAY_LENGTH({ARRAY<STRING>})", "{INT64} * 3",
        "IF({BOOL}, 1, 0)", "CHAR_LENGTH({STRING})", "BYTE_LENGTH({STRING})", "BIT_COUNT({INT64})",
        "UNIX_DATE({DATE})", "UNIX_SECONDS({TIMESTAMP})", "DIV({INT64}, 2)", "LENGTH({BYTES})",
        "TIMESTAMP_DIFF({TIMESTAMP}, {TIMESTAMP}, HOUR)", "EXTRACT(WEEK FROM {DATE})",
        "EXTRACT(DAYOFWEEK FROM {TIMESTAMP})", "EXTRACT(QUARTER FROM {DATE})",
        "(SELECT MAX(o) FROM UNNEST({ARRAY<STRING>}) AS e WITH OFFSET AS o)",
        "{ARRAY<PAIR>}[SAFE_OFFSET(0)].a", "IFNULL({INT64}, 0) << 2",
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
        "@x_pair.b", "(SELECT MIN(p.b) FROM UNNEST({ARRAY<PAIR>}) AS p)", "{ARRAY<PAIR>}[SAFE_OFFSET(1)].b",
        "LOWER({STRING})", "LTRIM({STRING}, 'a')", "LPAD({STRING}, 4, 'xy')", "RPAD({STRING}, 2)",
        "SUBSTR({STRING}, -1)", "REPEAT({STRING}, 2)", "TO_BASE64({BYTES})", "TRIM({STRING})",
        "REGEXP_REPLACE({STRING}, '[ab]', '<\\\\0>')", "FORMAT('%T', {STRUCT})",
        "JSON_VALUE({JSON}, '$.a')", "FORMAT_DATE('%Y/%m/%d', {DATE})",
        "FORMAT_TIMESTAMP('%F %T', {TIMESTAMP}, 'UTC')", "TO_JSON_STRING(TO_JSON({DATE}))",
        "FORMAT('%T', {ARRAY<INT64>})", "FORMAT('%t', {ARRAY<PAIR>})", "CAST({NUMERIC} AS STRING)",
        "(SELECT CAST(LENGTH(STRING_AGG(e)) AS STRING) FROM UNNEST({ARRAY<STRING>}) AS e)",
    ),
    "STRUCT": ("({INT64}, {STRING})", "STRUCT({DATE} AS d, {BOOL} AS b)",
               "STRUCT({NUMERIC}, {ARRAY<INT64>} AS l)"),
    "BYTES": ("CAST({STRING} AS BYTES)", "REVERSE({BYTES})", "{BYTES} || {BYTES}"),
    "DATE": ("DATE_ADD({DATE}, INTERVAL 1 MONTH)", "DATE_TRUNC({DATE}, WEEK)",
             "EXTRACT(DATE FROM {TIMESTAMP})", "DATE_TRUNC({DATE}, ISOWEEK)"),
    "TIMESTAMP": ("TIMESTAMP_ADD({TIMESTAMP}, INTERVAL 3 HOUR)", "TIMESTAMP_TRUNC({TIMESTAMP}, DAY)",
                  "CAST({DATE} AS TIMESTAMP)"),
    "JSON": ("TO_JSON({INT64})", "TO_JSON({ARRAY<INT64>})", "JSON_QUERY({JSON}, '$.a')",
             "TO_JSON({STRING})", "JSON_OBJECT('k', {INT64})"),
    "ARRAY<INT64>": ("[{INT64}, {INT64}]", "ARRAY_CONCAT({ARRAY<INT64>}, {ARRAY<INT64>})",
                     "ARRAY_REVERSE({ARRAY<INT64>})",
                     "ARRAY(SELECT e FROM UNNEST({ARRAY<INT64>}) AS e ORDER BY e)",
                     "ARRAY(SELECT p.a FROM UNNEST({ARRAY<PAIR>}) AS p ORDER BY 1 DESC)",
                     "IF({BOOL}, {ARRAY<INT64>}, {ARRAY<INT64>})", "{ARRAY<INT64>} || {ARRAY<INT64>}",
                     "ARRAY_SLICE({ARRAY<INT64>}, 0, 1)", "COALESCE({ARRAY<INT64>}, [7])",
                     "GENERATE_ARRAY(1, 3)"),
    "ARRAY<STRING>": ("[{STRING}, {STRING}]", "SPLIT({STRING}, 'b')",
                      "ARRAY(SELECT DISTINCT e FROM UNNEST({ARRAY<STRING>}) AS e ORDER BY e)",
                      "ARRAY(SELECT e || o FROM (SELECT e, CAST(o AS STRING) AS o FROM "
                      "UNNEST({ARRAY<STRING>}) AS e WITH OFFSET AS o) ORDER BY o)"),
    "ARRAY<PAIR>": (
        "[STRUCT({INT64} AS a, {STRING} AS b)]",
        "ARRAY(SELECT AS STRUCT e AS a, CAST(e AS STRING) AS b FROM UNNEST({ARRAY<INT64>}) AS e "
        "ORDER BY e)",
        "ARRAY(SELECT p FROM UNNEST({ARRAY<PAIR>}) AS p WHERE p.a > 1 ORDER BY p.a, p.b)",
    ),
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
    """Return the forms that exist for every type."""
    forms = _COMMON + _COMPARED if comparable else _COMMON
    return tuple(
        form.replace("{T:type}", type_).replace("{T}", "{" + type_ + "}") for form in forms
    )
