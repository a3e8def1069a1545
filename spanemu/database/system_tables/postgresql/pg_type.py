"""Rows of pg_type: the types of the dialect, their arrays, and the pseudo-types of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spanemu.database.system_tables.declaration import Source
from spanemu.database.system_tables.postgresql.declaration import NamedRows
from spanemu.database.system_tables.postgresql.oids import PG_CATALOG
from spanemu.schema.schema import Schema
from spanemu.sql.dialects import dialect_of
from spanemu.values.types import (
    BOOL,
    DATE,
    FLOAT32,
    FLOAT64,
    INT64,
    INTERVAL,
    PG_OID,
    TIMESTAMP,
    UUID,
    Type,
)

# Bytes of the types of fixed length; the others have -1. Up to 8 bytes are passed by value.
_LENGTHS: dict[Type, int] = {
    BOOL: 1, DATE: 4, FLOAT32: 4, PG_OID: 4, INT64: 8, FLOAT64: 8, TIMESTAMP: 8, INTERVAL: 16,
    UUID: 16,
}  # fmt: skip
_VARCHAR = (1043, "varchar", 1015)  # oid, name, oid of the arrays: text under another name
_PSEUDO_TYPES = (
    (2276, "any", 4),
    (2277, "anyarray", -1),
    (2283, "anyelement", 4),
    (2776, "anynonarray", 4),
    (5078, "anycompatiblearray", -1),
)  # oid, name, length


def type_oids(schema: Schema) -> Callable[[Type], int]:
    """Return the function from a type to its oid, in the dialect of the schema."""
    named = {each.type: each for each in dialect_of(schema.dialect).named_types}

    def oid(type_: Type) -> int:
        if type_.is_array:
            return named[type_.item()].array_oid if type_.item() in named else 0
        return named[type_].oid if type_ in named else 0

    return oid


def pg_type(source: Source) -> NamedRows:
    """Yield the types, each with the type of its arrays."""
    for named in dialect_of(source.schema.dialect).named_types:
        if named.oid:
            length = _LENGTHS.get(named.type, -1)
            row = _scalar(named.oid, named.name, named.array_oid, named.category, length)
            yield {**row, "typispreferred": named.preferred}
            yield _array(named.array_oid, named.name, named.oid)
    oid, name, array_oid = _VARCHAR
    yield _scalar(oid, name, array_oid, "S", -1)
    yield _array(array_oid, name, oid)
    for oid, name, length in _PSEUDO_TYPES:
        yield {**_scalar(oid, name, 0, "P", length), "typtype": "p"}


def _scalar(oid: int, name: str, array_oid: int, category: str, length: int) -> dict[str, Any]:
    return {
        "oid": oid,
        "typname": name,
        "typnamespace": PG_CATALOG,
        "typlen": length,
        "typbyval": 0 < length <= 8,
        "typtype": "b",
        "typcategory": category,
        "typispreferred": False,
        "typisdefined": True,
        "typdelim": ",",
        "typrelid": 0,
        "typelem": 0,
        "typarray": array_oid,
    }


def _array(oid: int, name: str, element_oid: int) -> dict[str, Any]:
    return {**_scalar(oid, f"_{name}", 0, "A", -1), "typelem": element_oid}
