"""Calls of every function with arguments of the types it takes, at the edges of their ranges."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from spanemu.sql.functions.registry import (
    Arity,
    ArrayOf,
    LambdaOf,
    Parameter,
    Pattern,
    Special,
    TypeVariable,
)
from spanemu.sql.googlesql.catalog import CATALOG
from spanemu.values.types import SCALARS, Type, TypeCode

_BY_TYPE: Mapping[str, tuple[str, ...]] = {
    "BOOL": ("TRUE", "FALSE"),
    "INT64": (
        "0", "1", "-1", "2", "3", "7", "31", "64", "1000000", "-2147483649", "9223372036854775807",
        "-9223372036854775808", "1152921504606846976", "SingerId",
    ),
    "FLOAT64": (
        "0.0", "-0.0", "0.5", "-1.5", "1e15", "1e19", "1.7976931348623157e308", "5e-324",
        "CAST('nan' AS FLOAT64)", "CAST('inf' AS FLOAT64)", "CAST('-inf' AS FLOAT64)", "Score",
    ),
    "FLOAT32": (
        "CAST(0.1 AS FLOAT32)", "CAST(3.4e38 AS FLOAT32)", "CAST('nan' AS FLOAT32)",
        "CAST('-inf' AS FLOAT32)", "Small",
    ),
    "NUMERIC": (
        "NUMERIC '0'", "NUMERIC '-0.000000001'", "NUMERIC '1e20'", "NUMERIC '2.5'", "Price",
        "NUMERIC '99999999999999999999999999999.999999999'",
        "NUMERIC '-99999999999999999999999999999.999999999'",
    ),
    "STRING": (
        "''", "'a'", "'Abc abc'", "'\\0'", "'\\U0001F9D1\\u200d\\U0001F680e\\u0301'", "'%'", "'_'",
        "'('", "'(?P<x>a)|(b*)'", "'\\\\\\\\1'", "'[[:alpha:]]+'", "'%d %s %%'", "'%-010.3f%*d'",
        "'%T %t %p'", "'%E4Y-%m-%d %H:%M:%E*S %Ez'", "'%Q %U %c %Z %'", "'YYYY-MM-DD HH24:MI:SS.FF9'",
        "'2024-02-29'", "'2024-12-30 23:59:60.999999999+14:00'", "'0001-01-01'", "'-1'", "'0x1F'",
        "'1e400'", "'nan'", "'true'", "'UTC'", "'America/New_York'", "'+25:00'", "'Mars/Base'",
        "'{\"a\": [1, {\"b\": null}], \"c\": 1e400}'", "'[1, 2'", "'$.a[1].b'", "'lax recursive $..a'",
        "'$[-1]'", "'$.\"'", "'P1Y2M3DT4H5M6.7S'", "'1-2 3 4:5:6.7'", "'https://a.b.co.uk:99/p?q#f'",
        "'::ffff:1.2.3.4'", "'not base64!'", "'YQ=='", "'zzzz'", "'NFKC'", "'gzip'",
        "'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'", "REPEAT('ab', 5000)", "FirstName", "LastName",
    ),
    "BYTES": (
        "b''", "b'a'", "b'\\x00\\xff\\x80'", "FROM_HEX('7f000001')", "REPEAT(b'\\xe2', 17)", "Photo",
        "b'\\x1f\\x8b'", "b'(a+)+$'", "b'%'",
    ),
    "DATE": (
        "DATE '0001-01-01'", "DATE '9999-12-31'", "DATE '2024-02-29'", "DATE '1970-01-01'", "Born",
        "CURRENT_DATE()",
    ),
    "TIMESTAMP": (
        "TIMESTAMP '0001-01-01 00:00:00Z'", "TIMESTAMP '9999-12-31 23:59:59.999999999Z'",
        "TIMESTAMP '2024-03-10 02:30:00 America/New_York'", "TIMESTAMP '1969-12-31 23:59:59.9Z'",
        "CURRENT_TIMESTAMP()", "Seen",
    ),
    "JSON": (
        "JSON 'null'", "JSON '[]'", "JSON '{}'", "JSON '[1, \"x\", [null, {\"a\": 1.5}]]'",
        "JSON '{\"a\": {\"b\": [1, 2, 3]}, \"c\": \"\\\\u0000\"}'", "JSON '1e308'", "JSON '\"5\"'",
        "JSON '18446744073709551615'", "Info",
    ),
    "UUID": ("NEW_UUID()", "CAST('f81d4fae-7dec-11d0-a765-00a0c91e6bf6' AS UUID)"),
    "INTERVAL": (
        "INTERVAL 1 DAY", "INTERVAL 10000 YEAR", "INTERVAL -87840000 HOUR", "INTERVAL 0 SECOND",
        "INTERVAL '1-2 3 4:5:6.789' YEAR TO SECOND", "INTERVAL -3660000 DAY",
    ),
}  # fmt: skip
_VARIED = tuple(_BY_TYPE)
_PARTS = (
    "NANOSECOND MICROSECOND MILLISECOND SECOND MINUTE HOUR DAY DAYOFWEEK DAYOFYEAR WEEK ISOWEEK "
    "MONTH QUARTER YEAR ISOYEAR WEEK(MONDAY) DATE TIME"
).split()
_OPERATORS = (
    *"+ - * / || << >> & | ^ = != < <= > >= LIKE AND OR".split(),
    "NOT LIKE", "IS DISTINCT FROM", "IS NOT DISTINCT FROM",
)  # fmt: skip
_NULL_SHARE = 0.08
_FUNCTIONS: tuple[Any, ...] = tuple(
    function
    for table in (CATALOG.scalars, CATALOG.aggregates)
    for name, function in sorted(table.items())
    if not name.startswith("$")
)


def random_call(random: Random) -> str:
    """Return an expression over the columns of Singers that is well typed more often than not."""
    kind = random.random()
    if kind < 0.75:
        return _function(random)
    if kind < 0.85:
        left = _literal(random, random.choice(_VARIED))
        right = _literal(random, random.choice(_VARIED))
        return f"{left} {random.choice(_OPERATORS)} {right}"
    value = _literal(random, random.choice(_VARIED))
    if kind < 0.93:
        cast = random.choice(("CAST", "CAST", "SAFE_CAST"))
        tail = random.choice(("", "", "", f" FORMAT {_literal(random, 'STRING')}"))
        return f"{cast}({value} AS {random.choice(sorted(SCALARS))}{tail})"
    if kind < 0.97:
        zone = random.choice(("", f" AT TIME ZONE {_literal(random, 'STRING')}"))
        return f"EXTRACT({random.choice(_PARTS)} FROM {value}{zone})"
    access = random.choice(("OFFSET", "ORDINAL", "SAFE_OFFSET", "SAFE_ORDINAL"))
    return f"[{value}, {value}][{access}({_literal(random, 'INT64')})]"


def _function(random: Random) -> str:
    function = random.choice(_FUNCTIONS)
    overload = random.choice(function.overloads)
    bound: dict[str, str] = {}
    arguments: list[str] = []
    for parameter in overload.parameters:
        for _ in range(_count(random, parameter)):
            value = _argument(random, parameter.pattern, bound)
            named = parameter.named_only or (parameter.name and random.random() < 0.3)
            arguments.append(f"{parameter.name} => {value}" if named else value)
    prefix = "SAFE." if random.random() < 0.05 else ""
    return f"{prefix}{function.name}({', '.join(arguments)})"


def _count(random: Random, parameter: Parameter) -> int:
    if parameter.arity is Arity.REQUIRED:
        return 1
    if parameter.arity is Arity.OPTIONAL:
        return random.randrange(2)
    return random.choice((0, 1, 1, 2, 4))


def _argument(random: Random, pattern: Pattern, bound: dict[str, str]) -> str:
    match pattern:
        case Special():
            return random.choice(_PARTS) if "PART" in pattern.kind else random.choice(("Ids", "x"))
        case LambdaOf():
            names = [f"e{place}" for place in range(len(pattern.parameters))]
            left = names[0] if len(names) == 1 else f"({', '.join(names)})"
            body = random.choice((*names, _argument(random, pattern.body, bound)))
            return f"{left} -> {random.choice((body, f'{names[0]} IS NULL', f'{names[0]} > 1'))}"
        case ArrayOf():
            return _array(random, _argument(random, pattern.element, bound))
        case TypeVariable():
            choices = sorted(pattern.only & _BY_TYPE.keys()) or _VARIED
            name = random.choice(choices)
            if pattern.name != "ANY":
                name = bound.setdefault(pattern.name, name)
            return _literal(random, name)
    return _of_type(random, pattern)


def _of_type(random: Random, type_: Any) -> str:
    assert isinstance(type_, Type)
    if type_.code is TypeCode.ARRAY:
        return _array(random, _of_type(random, type_.element))
    if type_.code is TypeCode.STRUCT:
        return f"STRUCT({', '.join(_of_type(random, field.type) for field in type_.fields)})"
    return _literal(random, type_.code.value)


def _array(random: Random, element: str) -> str:
    return random.choice(
        (f"[{element}]", f"[{element}, NULL, {element}]", f"ARRAY(SELECT {element} LIMIT 0)")
    )


def _literal(random: Random, name: str) -> str:
    if name not in _BY_TYPE or random.random() < _NULL_SHARE:
        return f"CAST(NULL AS {name})" if name in _BY_TYPE else "NULL"
    return random.choice(_BY_TYPE[name])
