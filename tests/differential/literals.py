"""Literals of each type: tame ones that every function takes, and wild ones."""

from __future__ import annotations

from collections.abc import Mapping

TAME: Mapping[str, tuple[str, ...]] = {
    "INT64": ("0", "1", "2", "3", "-1", "5", "7"),
    "FLOAT64": ("0.0", "1.0", "1.5", "-2.25", "3.0"),
    "FLOAT32": ("CAST(1.5 AS FLOAT32)", "CAST(0 AS FLOAT32)", "CAST(-2.25 AS FLOAT32)"),
    "NUMERIC": ("NUMERIC '0'", "NUMERIC '1.5'", "NUMERIC '-2.25'", "NUMERIC '3'"),
    "BOOL": ("TRUE", "FALSE"),
    "STRING": ("'a'", "'b'", "''", "'ab'", "'Abc'", "'é'"),
    "BYTES": ("b'a'", "b''", "b'ab'", r"b'\xff'"),
    "DATE": ("DATE '2024-02-29'", "DATE '2023-12-31'", "DATE '2000-01-01'"),
    "TIMESTAMP": (
        "TIMESTAMP '2024-02-29 12:34:56.789+00'",
        "TIMESTAMP '2023-12-31 23:59:59+00'",
        "TIMESTAMP '2000-01-01 00:00:00+00'",
    ),
    "JSON": (
        "JSON '1'", "JSON 'null'", "JSON 'true'", """JSON '{"a": 1, "b": [1, 2]}'""",
        """JSON '"text"'""", "JSON '[1, 2.5]'",
    ),
    "ARRAY<INT64>": ("[1, 2, 3]", "ARRAY<INT64>[]", "[1, NULL]", "[3, 1, 1]"),
    "ARRAY<STRING>": ("['a', 'b']", "ARRAY<STRING>[]", "['ab', NULL]"),
    "ARRAY<FLOAT64>": ("[1.0, 2.0]", "ARRAY<FLOAT64>[]", "[1.5, -1.0, 0.0]"),
    "ARRAY<BOOL>": ("[TRUE, FALSE]", "ARRAY<BOOL>[]"),
    "ARRAY<BYTES>": ("[b'a', b'b']", "ARRAY<BYTES>[]"),
    "ARRAY<DATE>": ("[DATE '2024-02-29', DATE '2000-01-01']",),
    "ARRAY<TIMESTAMP>": ("[TIMESTAMP '2024-02-29 12:34:56+00']",),
    "ARRAY<NUMERIC>": ("[NUMERIC '1.5', NUMERIC '-2']",),
    # Arrays of two named fields, which `templates` reads.
    "ARRAY<PAIR>": (
        "[STRUCT(1 AS a, 'x' AS b), (2, NULL), (NULL, 'z')]",
        "ARRAY<STRUCT<a INT64, b STRING>>[(3, 'ab'), (1, 'a'), (3, 'ab')]",
    ),
}  # fmt: skip

WILD: Mapping[str, tuple[str, ...]] = {
    "INT64": (
        "9223372036854775807", "-9223372036854775808", "100", "-100", "1000000", "64", "63",
        "253402300799", "0x1F", "16",
    ),
    "FLOAT64": (
        "CAST('nan' AS FLOAT64)", "CAST('inf' AS FLOAT64)", "CAST('-inf' AS FLOAT64)", "1e308",
        "-1e308", "1e-320", "0.1", "123456789.123456789", "2.5", "-0.5", "1e20", "-0.0",
    ),
    "FLOAT32": ("CAST('nan' AS FLOAT32)", "CAST('inf' AS FLOAT32)", "CAST(0.1 AS FLOAT32)"),
    "NUMERIC": (
        "NUMERIC '99999999999999999999999999999.999999999'", "NUMERIC '0.000000001'",
        "NUMERIC '-99999999999999999999999999999.999999999'", "NUMERIC '123.456789'",
    ),
    "STRING": (
        "'a,b,c'", "'Hello World'", "'  pad '", "'2024-02-29'", "'12'", "'-1.5e3'", "'nan'",
        "'true'", "'0x1F'", "'%'", "'a%'", "'_b'", "'[a-z]+'", "'(a)(b)?'", "'('", "'$.a'",
        "'$.b[1]'", "'lax $.a'", "'%Y-%m-%d'", "'%d %s'", "'UTC'", "'America/New_York'", "'+05:30'",
        "'http://user@www.Example.co.uk:80/a?b#c'", "'10.1.2.3'", "'2001:db8::1'", "'日本語'",
        "'\\\\'", "'e\\u0301'", "'ß'", "'İ'", "'YWJj'", "'6162'", r"""'{"a": {"b": "c"}}'""",
        "'aXbXc'", "'2024-02-29 12:34:56.789+00'", "'a\\nb'", "'NaN'", "'1e400'", "'abcabc'",
    ),
    "BYTES": (
        "b'abcabc'", r"b'\x00\x01\x02'", "b'2024'", r"b'\x0a\x01\x02\x03'", "b'aXb'",
        r"b'\xc3\xa9'",
    ),
    "DATE": ("DATE '0001-01-01'", "DATE '9999-12-31'", "DATE '1970-01-01'", "DATE '2021-01-03'"),
    "TIMESTAMP": (
        "TIMESTAMP '0001-01-01 00:00:00+00'", "TIMESTAMP '9999-12-31 23:59:59.999999999+00'",
        "TIMESTAMP '1969-12-31 23:59:59.999999999+00'", "TIMESTAMP '2024-03-10 10:00:00+00'",
    ),
    "JSON": (
        """JSON '{"a": {"b": [1, {"c": null}]}, "d": "x"}'""", "JSON '1.5'", "JSON '1e100'",
        "JSON '[]'", "JSON '{}'", "JSON '18446744073709551615'", "JSON '[true, \"a\", null]'",
    ),
    "ARRAY<INT64>": ("GENERATE_ARRAY(1, 5)", "[9223372036854775807, 1]", "[NULL, NULL]"),
    "ARRAY<FLOAT64>": ("[CAST('nan' AS FLOAT64), 1.0]", "[0.1, 0.2, 0.3]"),
    "ARRAY<STRING>": ("['', 'a', '']", "['$.a', '$.b']"),
}  # fmt: skip

# What a piece of an expression shrinks to.
LEAVES: dict[str, str] = {type_: values[1 % len(values)] for type_, values in TAME.items()}
COMPARABLE = (
    "INT64", "FLOAT64", "FLOAT32", "NUMERIC", "BOOL", "STRING", "BYTES", "DATE", "TIMESTAMP",
)  # fmt: skip
