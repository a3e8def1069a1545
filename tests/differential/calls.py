"""Calls of every scalar function, from the signatures that spanemu declares."""

from __future__ import annotations

from functools import lru_cache
from random import Random

from spanemu.sql.functions.registry import (
    Arity,
    ArrayOf,
    Overload,
    Pattern,
    Special,
    TypeVariable,
)
from spanemu.sql.googlesql.catalog import CATALOG
from spanemu.values.types import Type
from tests.differential import literals

PARTS = (
    "DAY", "MONTH", "YEAR", "WEEK", "WEEK(TUESDAY)", "ISOWEEK", "ISOYEAR", "QUARTER", "HOUR",
    "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND", "NANOSECOND", "DAYOFWEEK", "DATE",
)  # fmt: skip
# Functions whose answer is not the same twice, or that are about the engine itself.
_LEFT_OUT = frozenset({
    "ERROR", "GENERATE_UUID", "NEW_UUID", "RAND", "SESSION_USER", "ZSTD_COMPRESS", "COMPRESS",
})  # fmt: skip
_ALLOWED = (*literals.TAME, "UUID", "INTERVAL")
_VARIABLES = ("INT64", "STRING", "FLOAT64", "DATE", "NUMERIC", "BYTES", "BOOL", "TIMESTAMP")
# Words that a parameter of that function understands, more often than chance would give.
TEXTS: dict[str, tuple[str, ...]] = {
    "JSON_VALUE": ("'$.a'", "'$.b[0]'", "'$'", "'$.\"a\"'", "'$.a.b'"),
    "PARSE_DATE": ("'%Y-%m-%d'", "'%F'", "'%D'", "'%Y'", "'%j'"),
    "FORMAT_DATE": ("'%A %d %B %Y %j %U %W %V %G %u %w %Q'", "'%x %D %e %y %b %C'"),
    "FORMAT_TIMESTAMP": ("'%c %Z %z %Ez'", "'%E4Y-%m-%d %H:%M:%E3S %p %I %s'", "'%R %T %k %l %E*S'"),
    "PARSE_TIMESTAMP": ("'%Y-%m-%d %H:%M:%E*S%Ez'", "'%F'", "'%s'"),
    "NORMALIZE": ("'e\\u0301'", "'ﬁ'", "'Å'"),
    "REGEXP_REPLACE": ("'(a)(b)?'", "r'\\1x'", "'[a-z]'", "'x'"),
    "REGEXP_EXTRACT": ("'a(b)'", "'[A-Z].'", "'b+'"),
    "REGEXP_INSTR": ("'b'", "'(b)c'"),
    "REGEXP_CONTAINS": ("'^a'", "'(?i)ABC'"),
    "STRING": ("'UTC'", "'Asia/Tokyo'", "'-03:30'"),
}  # fmt: skip
_DISTANT = {"JSON_QUERY": "JSON_VALUE", "JSON_EXTRACT": "JSON_VALUE", "JSON_EXTRACT_SCALAR":
            "JSON_VALUE", "JSON_QUERY_ARRAY": "JSON_VALUE", "JSON_VALUE_ARRAY": "JSON_VALUE",
            "JSON_SET": "JSON_VALUE", "JSON_REMOVE": "JSON_VALUE", "JSON_STRIP_NULLS":
            "JSON_VALUE", "JSON_ARRAY_APPEND": "JSON_VALUE", "JSON_ARRAY_INSERT": "JSON_VALUE",
            "REGEXP_EXTRACT_ALL": "REGEXP_EXTRACT", "TIMESTAMP": "STRING", "DATE": "STRING",
            "EXTRACT": "STRING"}  # fmt: skip


@lru_cache(maxsize=1)
def callable_functions() -> tuple[tuple[str, tuple[Overload, ...]], ...]:
    """Return every function that may be called by name and answers the same each time."""
    result = []
    for name, function in sorted(CATALOG.scalars.items()):
        if function.hidden or name.startswith(("$", "TOKEN")) or name in _LEFT_OUT:
            continue
        if any(each.volatile or each.stable or each.lazy for each in function.overloads):
            continue
        usable = tuple(each for each in function.overloads if _usable(each))
        if usable:
            result.append((name, usable))
    return tuple(result)


def _usable(overload: Overload) -> bool:
    return all(_type_of(each.pattern, "INT64") is not None for each in overload.parameters)


def _type_of(pattern: Pattern, variable: str) -> str | None:
    """Return the type to generate for a pattern; "" for a date part; None if there is none."""
    if isinstance(pattern, Special):
        return "" if pattern.kind in ("DATE_PART", "NORMALIZATION_MODE") else None
    if isinstance(pattern, Type):
        return str(pattern) if str(pattern) in _ALLOWED else None
    if isinstance(pattern, TypeVariable):
        return variable if not pattern.only or variable in pattern.only else min(pattern.only)
    if isinstance(pattern, ArrayOf):
        inner = _type_of(pattern.element, variable)
        return f"ARRAY<{inner}>" if inner and f"ARRAY<{inner}>" in _ALLOWED else None
    return None


def call(random: Random) -> tuple[str, list[str]]:
    """Return a function and the types of its arguments: "" is a date part, "=x" a text."""
    name, overloads = random.choice(callable_functions())
    overload = random.choice(overloads)
    variable = random.choice(_VARIABLES)
    texts = TEXTS.get(_DISTANT.get(name, name), ())
    types: list[str] = []
    for parameter in overload.parameters:
        if parameter.named_only:
            continue
        if parameter.arity is Arity.OPTIONAL and random.random() < 0.4:
            break
        times = random.randint(0, 2) if parameter.arity is Arity.REPEATED else 1
        for _ in range(times):
            type_ = _type_of(parameter.pattern, variable) or ""
            special = isinstance(parameter.pattern, Special)
            if type_ == "STRING" and texts and random.random() < 0.6:
                type_ = "=" + random.choice(texts)
            elif special:
                kind = parameter.pattern.kind  # type: ignore[union-attr]
                type_ = "=" + random.choice(PARTS if kind == "DATE_PART" else ("NFC", "NFKD"))
            elif not type_:
                type_ = "INT64"
            types.append(type_)
    return name, types
