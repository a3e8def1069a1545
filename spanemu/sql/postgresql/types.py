"""PostgreSQL's names for types, and what PostgreSQL's type resolution needs of them.

Follows the page "Data types" of the PostgreSQL reference, and chapter 10 of PostgreSQL's manual for
categories. `text` and `varchar` are one type here, as in Spanner.

The foreign types are those of PostgreSQL that Spanner lacks, as they occur in signatures of
PostgreSQL's functions. No expression has such a type. Resolution of a call considers the functions
that take them all the same, since a string literal could be read as any of them, and then says that
Spanner lacks the function. Pseudo-types such as `anyarray` are among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

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

# The types that Spanner lacks by category (pg_type.typcategory). A preferred type has a "!".
_CATEGORIES: dict[str, str] = {
    "D": "time timestamp timetz",
    "G": "box circle line lseg path point polygon",
    "I": "cidr inet!",
    "N": "int2 int4 money regclass regcollation regconfig regdictionary regnamespace regoper"
    " regoperator regproc regprocedure regrole regtype",
    "P": "any anyarray anycompatible anycompatiblearray anycompatiblemultirange"
    " anycompatiblenonarray anycompatiblerange anyelement anyenum anymultirange anynonarray"
    " anyrange record void",
    "R": "datemultirange daterange int4multirange int4range int8multirange int8range nummultirange"
    " numrange tsmultirange tsrange tstzmultirange tstzrange",
    "S": "bpchar name",
    "U": "aclitem cid json jsonpath macaddr macaddr8 pg_lsn pg_snapshot refcursor tid tsquery"
    " tsvector txid_snapshot xid xid8 xml",
    "V": "bit varbit!",
    "Z": "char pg_node_tree",
    "A": "int2vector oidvector",
}
_TITLES = {
    "int2": "smallint",
    "int4": "integer",
    "bpchar": "character",
    "char": '"char"',
    "any": '"any"',
    "time": "time without time zone",
    "timetz": "time with time zone",
    "timestamp": "timestamp without time zone",
    "varbit": "bit varying",
}
_CATEGORY = {
    name.rstrip("!"): category for category, names in _CATEGORIES.items() for name in names.split()
}
_PREFERRED = {
    name.rstrip("!") for names in _CATEGORIES.values() for name in names.split() if "!" in name
}
_REGISTERED = " ".join(name for name in _CATEGORY if name.startswith("reg"))
# The types to which a type of Spanner converts implicitly.
_IMPLICIT: dict[Type, frozenset[str]] = {
    BY_NAME["text"]: frozenset({"bpchar", "name", "regclass"}),
    BY_NAME["date"]: frozenset({"timestamp"}),
    BY_NAME["int8"]: frozenset(_REGISTERED.split()),
    BY_NAME["oid"]: frozenset(_REGISTERED.split()),
}


def named(name: str) -> Type | None:
    """Return the type with the internal name `name` (`_int8` for an array), or None."""
    if name.startswith("_"):
        item = BY_NAME.get(name[1:])
        return None if item is None else array_of(item)
    return BY_NAME.get(name)


@cache
def type_called(name: str) -> Type:
    """Return the type with the internal name `name`, of Spanner or not: int8, _text, anyarray."""
    known = named(name)
    if known is not None:
        return known
    if name == "unknown":
        return UNKNOWN
    if name.startswith("_"):
        return array_of(type_called(name[1:]))
    return Type(TypeCode.STRING, proto_name=name)


def is_foreign(type_: Type) -> bool:
    """Return whether Spanner lacks the type."""
    return (type_.element or type_).proto_name in _CATEGORY


def is_title(name: str) -> bool:
    """Return whether `name` is a type that PostgreSQL has and Spanner lacks."""
    return name in _CATEGORY


def internal_name(type_: Type) -> str:
    """Return the name of a type as result columns have it: int8, text; _int8 for an array."""
    if type_.is_array:
        return f"_{internal_name(type_.item())}"
    return "unknown" if type_ == UNKNOWN else BY_TYPE[type_].name


def title(type_: Type) -> str:
    """Return the name of a type as messages print it: bigint, text[]; unknown for a literal."""
    if type_ == UNKNOWN:
        return "unknown"
    if type_.is_array:
        return f"{title(type_.item())}[]"
    foreign = _TITLES.get(type_.proto_name, "")
    return foreign or (BY_TYPE[type_].title if type_ in BY_TYPE else str(type_))


def category(type_: Type) -> str:
    """Return the category of a type, a letter of pg_type.typcategory; X for unknown."""
    if type_.proto_name in _CATEGORY:
        return _CATEGORY[type_.proto_name]
    if type_.is_array:
        return "A"
    return "X" if type_ == UNKNOWN else BY_TYPE[type_].category


def is_preferred(type_: Type) -> bool:
    """Return whether the type is preferred within its category."""
    if type_.proto_name in _PREFERRED:
        return True
    return type_ in BY_TYPE and BY_TYPE[type_].preferred


def converts_to_foreign(source: Type, target: Type) -> bool:
    """Return whether a value of Spanner's type `source` converts implicitly to `target`."""
    return target.proto_name in _IMPLICIT.get(source, ())


ANY = type_called("any")
ANY_ELEMENT = type_called("anyelement")
ANY_ARRAY = type_called("anyarray")
ANY_NON_ARRAY = type_called("anynonarray")
ANY_COMPATIBLE = type_called("anycompatible")
ANY_COMPATIBLE_ARRAY = type_called("anycompatiblearray")
ANY_COMPATIBLE_NON_ARRAY = type_called("anycompatiblenonarray")
# The pseudo-types that stand for a type which the arguments of a call decide.
POLYMORPHIC = frozenset(
    type_called(name) for name in _CATEGORY if name.startswith("any") and name != "any"
)
