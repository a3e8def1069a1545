"""PostgreSQL's names for Spanner's types, and what PostgreSQL's type resolution needs of them.

Follows the page "Data types" of the PostgreSQL reference, and chapter 10 of PostgreSQL's manual for
categories. `text` and `varchar` are one type here, as in Spanner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spanemu.values import types
from spanemu.values.types import Type, TypeCode, array_of

# The type of a string literal, of NULL and of a parameter without type, before the context decides.
# It exists in the analyzer only.
UNKNOWN = Type(TypeCode.STRING, proto_name="unknown")


@dataclass(frozen=True, slots=True)
class PostgreSqlType:
    """A scalar type under the names that PostgreSQL has for it.

    `name` is the internal name, which names result columns: int8. `title` is printed in messages
    and in schemas: bigint. `category` and `preferred` are those of pg_type, `oid` and `array_oid`
    too.
    """

    type: Type
    name: str
    title: str
    oid: int
    array_oid: int
    category: str
    preferred: bool = False


TYPES = (
    PostgreSqlType(types.BOOL, "bool", "boolean", 16, 1000, "B", preferred=True),
    PostgreSqlType(types.BYTES, "bytea", "bytea", 17, 1001, "U"),
    PostgreSqlType(types.INT64, "int8", "bigint", 20, 1016, "N"),
    PostgreSqlType(types.STRING, "text", "text", 25, 1009, "S", preferred=True),
    PostgreSqlType(types.PG_OID, "oid", "oid", 26, 1028, "N", preferred=True),
    PostgreSqlType(types.FLOAT32, "float4", "real", 700, 1021, "N"),
    PostgreSqlType(types.FLOAT64, "float8", "double precision", 701, 1022, "N", preferred=True),
    PostgreSqlType(types.DATE, "date", "date", 1082, 1182, "D"),
    PostgreSqlType(
        types.TIMESTAMP, "timestamptz", "timestamp with time zone", 1184, 1185, "D", preferred=True
    ),
    PostgreSqlType(types.INTERVAL, "interval", "interval", 1186, 1187, "T", preferred=True),
    PostgreSqlType(types.PG_NUMERIC, "numeric", "numeric", 1700, 1231, "N"),
    PostgreSqlType(types.UUID, "uuid", "uuid", 2950, 2951, "U"),
    PostgreSqlType(types.PG_JSONB, "jsonb", "jsonb", 3802, 3807, "U"),
    PostgreSqlType(types.TOKENLIST, "tokenlist", "spanner.tokenlist", 0, 0, "U"),
)
BY_TYPE: Mapping[Type, PostgreSqlType] = {each.type: each for each in TYPES}

# By the internal name, which the parser makes of every spelling ("double precision" is float8).
BY_NAME: Mapping[str, Type] = {
    **{each.name: each.type for each in TYPES if each.name != "tokenlist"},
    "varchar": types.STRING,
}


def title(type_: Type) -> str:
    """Return the name of a type as messages print it: bigint, text[]; unknown for a literal."""
    if type_ == UNKNOWN:
        return "unknown"
    if type_.is_array:
        return f"{title(type_.item())}[]"
    return BY_TYPE[type_].title if type_ in BY_TYPE else str(type_)


def internal_name(type_: Type) -> str:
    """Return the name of a type as result columns have it: int8, text; _int8 for an array."""
    if type_.is_array:
        return f"_{internal_name(type_.item())}"
    return "unknown" if type_ == UNKNOWN else BY_TYPE[type_].name


def category(type_: Type) -> str:
    """Return the category of a type, a letter of pg_type.typcategory; X for unknown."""
    if type_.is_array:
        return "A"
    return "X" if type_ == UNKNOWN else BY_TYPE[type_].category


def is_preferred(type_: Type) -> bool:
    """Return whether the type is preferred within its category."""
    return type_ in BY_TYPE and BY_TYPE[type_].preferred


def named(name: str) -> Type | None:
    """Return the type with the internal name `name` (`_int8` for an array), or None."""
    if name.startswith("_"):
        item = BY_NAME.get(name[1:])
        return None if item is None else array_of(item)
    return BY_NAME.get(name)
