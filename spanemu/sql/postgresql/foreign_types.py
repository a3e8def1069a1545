"""Types of PostgreSQL that Spanner lacks, as they occur in signatures of PostgreSQL's functions.

No expression has such a type. Resolution of a call considers the functions that take them all the
same, since a string literal could be read as any of them, and then says that Spanner lacks the
function. Pseudo-types such as `anyarray` are among them.
"""

from __future__ import annotations

from functools import cache

from spanemu.sql.postgresql import types
from spanemu.sql.postgresql.types import BY_NAME, UNKNOWN
from spanemu.values.types import Type, TypeCode, array_of

# The name of each type by its category (pg_type.typcategory). A preferred type has a "!".
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


@cache
def type_called(name: str) -> Type:
    """Return the type with the internal name `name`, of Spanner or not: int8, _text, anyarray."""
    known = types.named(name)
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


def title(type_: Type) -> str:
    """Return the name of any type as messages print it: integer, bigint[]."""
    if type_.is_array:
        return f"{title(type_.item())}[]"
    return _TITLES.get(type_.proto_name, "") or types.title(type_)


def category(type_: Type) -> str:
    """Return the category of any type, a letter of pg_type.typcategory."""
    return _CATEGORY.get(type_.proto_name, "") or types.category(type_)


def is_preferred(type_: Type) -> bool:
    """Return whether any type is preferred within its category."""
    return type_.proto_name in _PREFERRED or types.is_preferred(type_)


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
