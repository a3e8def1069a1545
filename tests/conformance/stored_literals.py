"""Literals in every form that each dialect has, by the type of the column that takes them.

A type in `VIEWS_ONLY` is no type of a column. A literal stands in a schema as it stands here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_UUID = "6ec8ed5b-7d4c-4a31-9d4f-d4f4e7d5ab36"
_HEX = _UUID.replace("-", "")

VIEWS_ONLY = frozenset({"INTERVAL", "interval", "ARRAY<INTERVAL>", "interval[]"})

GOOGLESQL: Mapping[str, Sequence[str]] = {
    "BOOL": ["TRUE", "false", "(TRUE)", "NOT FALSE", "CAST('true' AS BOOL)", "NULL"],
    "INT64": [
        "1", "-1", "- 7", "+1", "0x1F", "-0XfF", "9223372036854775807", "-9223372036854775808",
        "CAST('0x10' AS INT64)", "CAST(NULL AS INT64)", "CAST(1.5 AS INT64)", "1 /* one */ + 1",
        "2 -- two\n + 2", "3 # three\n + 3", "BIT_COUNT(b'\\xff')",
    ],
    "FLOAT64": [
        "1.5", ".5", "5.", "1e3", "1E-5", "-0.0", "-1.5e+2", "1", "1.7976931348623157e308",
        "4.9406564584124654e-324", "CAST('inf' AS FLOAT64)", "CAST('-Infinity' AS FLOAT64)",
        "CAST('nan' AS FLOAT64)", "CAST(CAST(1.1 AS FLOAT32) AS FLOAT64)", "IEEE_DIVIDE(1, 0)",
        "0.1 + 0.2", "123456789012345678901234567890.0",
    ],
    "FLOAT32": ["1.1", "1", "CAST('inf' AS FLOAT32)", "CAST('nan' AS FLOAT32)", "CAST(0.1 AS FLOAT32)"],
    "NUMERIC": [
        "NUMERIC '1.50'", "numeric \"-1e3\"", "NUMERIC r'1'", "NUMERIC '''2.5'''", "DECIMAL '1.5'",
        "CAST('1' AS NUMERIC)", "1", "NUMERIC '-99999999999999999999999999999.999999999'",
        "NUMERIC '.000000001'", "-NUMERIC '5'",
    ],
    "STRING(MAX)": [
        "'a'", '"a"', "'''a'b'''", '"""a"b"""', "''", r"'\n\r\t\\\'\"\`\?\a\b\f\v'", r"'\101\x41'",
        r"'\u00e9\U0001F600'", r"r'\n\''", r'R"\d\\"', r"r'''a\'b'''", r'R"""\n"""', "'''two\nlines'''",
        "'''two\r\nlines'''", "'''two\rlines'''", "r'''raw\r\nlines'''", "'it; is'", "'-- no'", "'# no'",
        "'/* no'", "'`'", "\"'\"", "'@{x}'", "'é\u2028x'", "'\x7f'", "'a\tb'", "CAST(b'abc' AS STRING)",
        "CAST(1.50 AS STRING)", "CAST(DATE '2024-01-05' AS STRING)", "'a' || 'b'", "CONCAT('a', r'\\b')",
        "CAST(TIMESTAMP '2024-07-05' AS STRING)", "CAST(INTERVAL 1 HOUR AS STRING)",
        "CAST(INTERVAL '1-2' YEAR TO MONTH AS STRING)", "FORMAT('%T', INTERVAL -2 DAY)",
        "STRING(TIMESTAMP '2024-01-05 10:00:00+09')", "TO_JSON_STRING(JSON '{\"a\":[1,null]}')",
        "TO_JSON_STRING(TO_JSON(STRUCT(1 AS a, ['x'] AS b)))", "'%'", "'{'", "'\\\\'",
    ],
    "BYTES(MAX)": [
        "b'abc'", 'B"\\xff\\x00"', r"rb'\d'", r'bR"\x"', "b'''a'b'''", 'b"""a"b"""', r"b'\101\n'", "b''",
        "b'é'", "CAST('é' AS BYTES)", "FROM_HEX('0aff')", "b'''two\r\nlines'''", "b';--'",
    ],
    "DATE": [
        "DATE '2024-01-05'", 'date "2024-1-5"', "DATE r'2024-01-05'", "DATE '''2024-01-05'''", "'2024-02-29'",
        "CAST('2024-01-05' AS DATE)", "DATE '0001-01-01'", "DATE '9999-12-31'", "DATE(2024, 1, 5)",
        "DATE(TIMESTAMP '2024-01-05 23:30:00Z')", "DATE_ADD(DATE '2024-01-31', INTERVAL 1 MONTH)",
        "CAST(TIMESTAMP '2024-01-05 01:00:00Z' AS DATE)",
    ],
    "TIMESTAMP": [
        "TIMESTAMP '2024-01-05'", "TIMESTAMP '2024-07-05 10:11:12'", "timestamp \"2024-01-05T10:11:12.123456789Z\"",
        "TIMESTAMP '2024-01-05 10:11:12+05:30'", "TIMESTAMP '2024-01-05 10:11:12 Asia/Tokyo'",
        "TIMESTAMP '2024-01-05 10:11:12 America/New_York'", "TIMESTAMP r'2024-01-05'", "'2024-01-05'",
        "'2024-11-03 01:30:00'", "'2024-03-10 02:30:00'", "TIMESTAMP '0001-01-01 00:00:00Z'",
        "TIMESTAMP '9999-12-31 23:59:59.999999999Z'", "TIMESTAMP '1800-01-01'", "CAST('2024-01-05' AS TIMESTAMP)",
        "CAST(DATE '2024-07-05' AS TIMESTAMP)", "TIMESTAMP(DATE '2024-01-05')", "TIMESTAMP('2024-01-05 10:00:00')",
        "TIMESTAMP_ADD(TIMESTAMP '2024-01-05', INTERVAL 25 HOUR)", "TIMESTAMP '2024-01-05' + INTERVAL '1:30' HOUR TO MINUTE",
        "TIMESTAMP_TRUNC(TIMESTAMP '2024-01-05 10:00:00Z', DAY)", "TIMESTAMP_MICROS(1)",
        "PARSE_TIMESTAMP('%F', '2024-01-05')",
    ],
    "INTERVAL": [
        "INTERVAL 1 DAY", "INTERVAL -2 MONTH", "INTERVAL 1 + 1 HOUR", "INTERVAL '1-2' YEAR TO MONTH", "INTERVAL 90 MINUTE",
        "INTERVAL '1 2:3:4.5' DAY TO SECOND", "INTERVAL '-1:30' HOUR TO MINUTE", "INTERVAL 3 QUARTER", "INTERVAL 2 WEEK",
        "INTERVAL r'1-2 3 4:5:6.789' YEAR TO SECOND", "CAST('P1Y2M3DT4H5M6.789S' AS INTERVAL)", "CAST('1-2 3 4:5:6' AS INTERVAL)",
        "MAKE_INTERVAL(1, 2, 3)", "-INTERVAL 1 SECOND", "INTERVAL 1 DAY * 3", "INTERVAL 5 MILLISECOND",
    ],
    "JSON": [
        "JSON '{\"a\": 1.50, \"b\": [null, true]}'", 'JSON "null"', "JSON '''[1]'''",
        r"""JSON '"\\u00e9\\n"'""", "JSON '1e40'", "JSON '-0.0'", "JSON '18446744073709551615'",
        "PARSE_JSON('{\"b\":1,\"a\":2}')", "TO_JSON(1.5)", "JSON_OBJECT('a', DATE '2024-01-05')", "TO_JSON(NUMERIC '1.50')",
        "TO_JSON(TIMESTAMP '2024-01-05')", "JSON_ARRAY(1, 'x', NULL)", "JSON '{\"a\":[1,2]}'.a[1]",
    ],
    "UUID": [f"CAST('{_UUID}' AS UUID)", f"'{_UUID.upper()}'", f'CAST("{_HEX}" AS UUID)'],
    "ARRAY<BOOL>": ["[TRUE, NULL]"],
    "ARRAY<INT64>": [
        "[1, 0x2, -3]", "ARRAY[1]", "ARRAY<INT64>[1, NULL]", "[]", "ARRAY<INT64>[]", "NULL", "GENERATE_ARRAY(1, 3)",
        "[1] || [2]", "[NULL, 1]", "CAST([1] AS ARRAY<INT64>)",
    ],
    "ARRAY<FLOAT64>": ["[1, 2.5]", "ARRAY<FLOAT64>[1, CAST('nan' AS FLOAT64), CAST('-inf' AS FLOAT64)]", "[-0.0]"],
    "ARRAY<FLOAT32>": ["[1.1, 2]", "ARRAY<FLOAT32>[0.1]"],
    "ARRAY<NUMERIC>": ["[NUMERIC '1.50', NULL]", "ARRAY<NUMERIC>[1]"],
    "ARRAY<STRING(MAX)>": [
        "['a', \"b\", r'\\n', '''c\r\nd''', NULL]", "ARRAY<STRING>['it\\'s', ';']", "SPLIT('a,b')", "[]",
    ],
    "ARRAY<BYTES(MAX)>": ["[b'\\xff', rb'\\x', NULL]"],
    "ARRAY<DATE>": ["[DATE '2024-1-5', NULL]", "ARRAY<DATE>['2024-01-05']"],
    "ARRAY<TIMESTAMP>": ["[TIMESTAMP '2024-01-05', TIMESTAMP '2024-07-05 10:00:00Z']", "ARRAY<TIMESTAMP>['2024-07-05']"],
    "ARRAY<INTERVAL>": ["[INTERVAL 1 HOUR, INTERVAL '1-2' YEAR TO MONTH, NULL]"],
    "ARRAY<JSON>": ["[JSON '{\"a\":1}', JSON 'null', NULL]"],
    "ARRAY<UUID>": [f"[CAST('{_UUID}' AS UUID)]", f"ARRAY<UUID>['{_UUID}']"],
}  # fmt: skip

POSTGRESQL: Mapping[str, Sequence[str]] = {
    "boolean": [
        "true", "FALSE", "'t'", "'on'", "'off'::bool", "bool 'yes'", "boolean '0'", "NULL::bool", "CAST('f' AS boolean)",
        "interval '1' day = interval '24' hour", "interval '1' day IN (interval '24' hour, interval '2' hour)",
        "1 IN (1, NULL)", "1.5 BETWEEN 1 AND 2", "3 BETWEEN SYMMETRIC 5 AND 1", "'2024-01-01'::timestamptz > '2023-12-31 23:00'",
        "(1, 'a') IN ((1, 'a'), (2, 'b'))", "1 = ANY (ARRAY[1, 2])", "true IS NOT TRUE", "'abc' LIKE 'a%'",
    ],
    "bigint": [
        "1", "-1", "- 1", "- -5", "-(-(5))", "- (5)", "007", "9223372036854775807", "-9223372036854775808",
        "-(9223372036854775808)", "'42'", "' 42 '", "'-7'::bigint", "CAST('8' AS bigint)", "bigint '9'", "int8 '9'", "int '3'",
        "1.5", "1.5::bigint", "-2.5::bigint", "1e2", "NULL", "NULL::bigint", "'1e2'::float8::bigint", "oid '5'::bigint",
        "1 /* one */ + 1", "2 -- two\n + 2",
    ],
    "double precision": [
        "1.5", "1", "-0.0", "-0.0::float8", "'-0'::float8", "'-0'", "'inf'", "'-Infinity'::float8", "float8 'NaN'", "1e308", "1e-300",
        "'1e-320'::float8", "'5e-324'", "1.1::real", "'1.1'::float4", "float '1.5'", "1.5::float(53)", "0.1::float(10)", "-1.5::float8",
        "-'1.5'::float8", "-(2.5)::float8", "123456789012345678901234567890", "1.", "double precision '2.5'", ".5", "1.7976931348623157e308",
    ],
    "real": ["1.1", "'1.1'", "'inf'::real", "real 'NaN'", "'-0'", "'1e-45'", "3.4028235e38", "0.1::float4", "16777217", "'16777217'"],
    "numeric": [
        "1", "1.50", "-1.50", "1e3", "1e-5", "1.5e2", "'1.50'", "numeric '1.5'", "numeric(5,1) '1.55'", "1.555::numeric(5,2)",
        "'1.555'::numeric(5,2)", "'12'::numeric(5)", "12::numeric(5,1)", "-1.555::numeric(5,2)", "(-1.555)::numeric(5,2)", "decimal '2.50'",
        "dec '1.0'", "'NaN'", "'NaN'::numeric(5,1)", "0.00", "-0.0", "'-0.0'", "12345678901234567890", "1e130", "1e-20",
        "0.1::float8::numeric", "9223372036854775808", "- 9223372036854775808", "- -9223372036854775808", "00.50", "'1e3'", "'  7.0 '",
    ],
    "text": [
        "'a'", "''", "'it''s'", "E'a\\nb'", "E'a\\r\\nb'", "E'a\\rb'", "E'\\\\x'", "E'\\'q'", "E'\\101\\x42\\u00e9\\U0001F600'",
        "$$a'b$$", "$t$x$$y$t$", "U&'\\0041\\+000042'", "U&'!0041' UESCAPE '!'", "'a'\n'b'", "'a\nb'", "'a\r\nb'", "'a\rb'",
        "'a\n\\connect x\nb'", "'a::b'", "'a::b'::varchar(3)", "'a''::b'::varchar(3)", "varchar(2) 'xyz'", "varchar 'xyz'", "text 'q'",
        "'x'::text::varchar(5)", "CAST('a::bcd' AS varchar(4))", "CAST('abc' AS character varying)", "'-- no'", "'/* no */'", "';'", "'\\'",
        "E'\\t\\x01\\x7f'", "'é\u2028x'", "'$1'", "'@{x}'", "'  pad  '", "1::text", "1.50::text", "true::text", "'t'::bool::text",
        "date '2024-01-05'::text", "'2024-07-05'::timestamptz::text", "'x' || 'y'", "(interval '2' year)::text",
    ],
    "varchar": ["'abc'", "'abc'::varchar(2)", "'a::b'::varchar(2)", "E'a\\nb'"],
    "bytea": [
        "'abc'", "'\\x00ff'", "'\\x00FF'::bytea", "bytea 'a\\\\b'", "'\\001\\377'", "E'\\\\x0aff'", "''", "'é'", "'it''s'::bytea",
        "'a'::text::bytea", "'a::b'::bytea", "CAST('\\x41' AS bytea)", "'\\x 41 42'",
    ],
    "date": [
        "'2024-01-05'", "date '2024-01-05'", "'Jan 5, 2021'", "'20240105'", "DATE '0001-01-01'", "'9999-12-31'", "'1/8/1999'", "'1999.008'",
        "'2024-01-05'::timestamptz::date", "CAST('2024-02-29' AS date)", "'J2451187'", "date '2024-01-05' + 1", "NULL::date",
        "'2024-01-05 23:00:00-08'",
    ],
    "timestamptz": [
        "'2024-01-05'", "'2024-07-05 10:00'", "timestamptz '2024-01-05 10:00:00.123456'", "'2024-01-05T10:00:00Z'", "'2024-01-05 10:00+09'",
        "'2024-01-05 10:00 Asia/Tokyo'", "'0001-01-01 00:00:00+00'", "'9999-12-31 23:59:59.999999+00'",
        "'1800-01-01 00:00'", "'1883-11-18 12:00:00+00'", "'2024-11-03 01:30'", "'2024-11-03 01:30-07'", "'2024-11-03 01:30-08'",
        "'2024-03-10 02:30'", "'2024-01-05'::date", "date '2024-07-05'", "TIMESTAMP WITH TIME ZONE '2024-01-05 10:00'",
        "CAST('2024-01-05 10:00' AS timestamptz)", "'2024-01-05'::timestamptz + interval '1' month", "'2024-01-05 24:00'",
        "timestamptz '2024-01-05' - interval '1:30' hour to minute", "'1900-01-01 00:00:00+05:21:10'",
    ],
    "interval": [
        "interval '1 day'", "interval '1' hour", "interval '2' day", "interval '2' year", "interval '3' month", "interval '4' minute",
        "interval '5.6789' second", "interval '1-2' year to month", "interval '1 2' day to hour", "interval '1 2:3' day to minute",
        "interval '1 2:3:4.5' day to second", "interval '2:3' hour to minute", "interval '2:3:4' hour to second", "interval '3:4' minute to second",
        "'1'::interval hour", "CAST('1' AS interval day)", "CAST('1 2:3:4' AS interval day to second)", "interval '1 day 2 hours' hour",
        "interval '1 year 2 months 3 days' year", "interval '1 year 2 months 3 days' month", "interval 'P1Y2M3DT4H5M6.789S'", "interval '-1' day",
        "interval '-1.5' hour", "interval '1.5 days'", "interval '1 mon -1 day'", "interval '@ 1 day ago'", "'-00:00:00.5'::interval", "interval '1'",
        "interval '90' minute", "interval '0' hour", "NULL::interval hour", "make_interval(hours => 1)", "interval '1' hour + interval '30' minute",
        "- interval '1' hour", "interval '1' hour * 2", "interval E'1' hour", "interval $$1$$ hour", "interval '1 microsecond'", "interval '1.5' month",
    ],
    "jsonb": [
        "'{}'", "'{\"a\": 1.50, \"b\": [1, null, \"x\"]}'", "'null'::jsonb", "jsonb '\"a\\u00e9\\n\"'", "'1e5'", "'123456789012345678901234567890.10'",
        "'-0.0'", "'{\"b\":1,\"a\":2,\"b\":3}'", "'\"it''s\"'", "$${\"a\":\"'\"}$$", "to_jsonb(1.50)", "to_jsonb(interval '1' hour)",
        "jsonb_build_object('a', 1, 'b', '2024-01-05'::date)", "jsonb_build_array(1, 'x', NULL)", "'{\"a\":{\"b\":2}}'::jsonb -> 'a'",
        "'[1,2]'::jsonb || '[3]'", "CAST('true' AS jsonb)", "to_jsonb('2024-07-05'::timestamptz)",
    ],
    "uuid": [f"'{_UUID}'", f"uuid '{{{_UUID.upper()}}}'", f"'{_HEX}'::uuid", f"CAST('{_UUID}' AS uuid)"],
    "boolean[]": ["ARRAY[true, NULL]", "'{t,f}'", "ARRAY['t','off']::bool[]"],
    "bigint[]": [
        "'{1,2}'", "'{}'", "ARRAY[1, 2]", "ARRAY[1, NULL]", "ARRAY[]::bigint[]", "'{1,NULL}'::bigint[]", "'[1:2]={3,4}'", "ARRAY['1','2']::bigint[]",
        "CAST('{1}' AS bigint[])", "NULL::bigint[]", "ARRAY[1] || ARRAY[2]", "ARRAY[-9223372036854775808, - -1]", "'{1}'::int8 ARRAY", "_int8 '{1,2}'",
    ],
    "double precision[]": ["ARRAY[1, 2.5]::float8[]", "'{inf,NaN,-0}'", "ARRAY['inf'::float8, 1]", "ARRAY['inf', 1.5]::float8[]"],
    "numeric[]": ["ARRAY[1, 2.50]", "'{1.50,NaN}'", "ARRAY['1.50']::numeric[]", "ARRAY[1.555::numeric(4,1), 2]", "ARRAY[1.555, '2', NULL]::numeric(5,2)[]"],
    "text[]": [
        "'{a,\"b c\",NULL,\"NULL\",\"it''s\"}'", "ARRAY['a','it''s',E'\\n',NULL]", "ARRAY['a::b'::varchar(2)]", "ARRAY['abc', NULL]::varchar[]", "ARRAY['abc', 'a::b', NULL]::varchar(2)[]",
        "'{abc,def}'::varchar[]", "ARRAY[1::text, 'x']", "ARRAY[]::text[]", "$${a,\"b'c\"}$$",
    ],
    "bytea[]": ["ARRAY['abc'::bytea, '\\xff']", "'{abc,\"\\\\\\\\xff\"}'", "ARRAY['a::b']::bytea[]"],
    "date[]": ["'{2024-01-05,\"Jan 8, 2021\"}'", "ARRAY[date '2024-01-05', NULL]", "ARRAY['20240105','2024-02-05']::date[]"],
    "timestamptz[]": [
        "'{2024-01-05,\"2024-01-05 10:00+00\"}'", "ARRAY['2024-01-05'::timestamptz, '2024-07-05']", "ARRAY['2024-01-05','2024-07-05']::timestamptz[]",
    ],
    "interval[]": [
        "ARRAY[interval '1' hour]", "ARRAY['1 day'::interval, '2 days']", "'{1 day,01:00:00}'::interval[]", "ARRAY['1','2']::interval[]",
        "ARRAY[interval '1' hour, interval '1' day, '1'::interval minute, NULL]",
    ],
    "jsonb[]": ["ARRAY['{\"a\":1}'::jsonb, 'null']", "ARRAY['1.50','\"x\"']::jsonb[]"],
    "uuid[]": [f"ARRAY['{_HEX}']::uuid[]"],
}  # fmt: skip

LITERALS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "googlesql": GOOGLESQL,
    "postgresql": POSTGRESQL,
}
