"""Types of Spanner's values: identity, parsing and printing.

A `Type` is a value: two types ARRAY<INT64> are equal and have the same hash. Lengths such as
STRING(36) belong to a column, not to its type (see `schema.table`). Follows the page "Data types
in GoogleSQL". PostgreSQL databases share these types under other names
(`sql.postgresql.types`), and have three of their own: PG_NUMERIC, PG_JSONB and PG_OID.

`BadValue` is the error of a text or wire value that is not a value of a type.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any

from spanemu.base.record import dataclass


class TypeCode(StrEnum):
    """The constructor of a type. The values are SQL's keywords."""

    BOOL = "BOOL"
    INT64 = "INT64"
    FLOAT32 = "FLOAT32"
    FLOAT64 = "FLOAT64"
    NUMERIC = "NUMERIC"
    STRING = "STRING"
    BYTES = "BYTES"
    DATE = "DATE"
    TIMESTAMP = "TIMESTAMP"
    JSON = "JSON"
    UUID = "UUID"
    INTERVAL = "INTERVAL"
    ENUM = "ENUM"
    PROTO = "PROTO"
    TOKENLIST = "TOKENLIST"
    PG_NUMERIC = "PG_NUMERIC"
    PG_JSONB = "PG_JSONB"
    PG_OID = "PG_OID"
    ARRAY = "ARRAY"
    STRUCT = "STRUCT"
    GRAPH_NODE = "GRAPH_NODE"  # with the other graph types: `values.graph_types.GraphType`
    GRAPH_EDGE = "GRAPH_EDGE"
    GRAPH_PATH = "GRAPH_PATH"


@dataclass(frozen=True, slots=True)
class StructField:
    """One field of a STRUCT; an anonymous field has the empty name."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Type:
    """A GoogleSQL type.

    `element` is set for ARRAY, `fields` for STRUCT, `proto_name` for ENUM and PROTO; use the
    constants and `array_of` / `struct_of` below rather than the constructor. The types of graph
    elements and paths are instances of the subclass `values.graph_types.GraphType`.
    """

    code: TypeCode
    element: Type | None = None
    fields: tuple[StructField, ...] = ()
    proto_name: str = ""

    @property
    def is_array(self) -> bool:
        return self.code is TypeCode.ARRAY

    @property
    def is_struct(self) -> bool:
        return self.code is TypeCode.STRUCT

    @property
    def is_float(self) -> bool:
        return self.code in _FLOATS

    @property
    def is_graph(self) -> bool:
        """Return whether the values are graph elements or paths."""
        return self.code in GRAPH_CODES

    @property
    def is_number(self) -> bool:
        """Return whether the type is INT64, NUMERIC, FLOAT32 or FLOAT64."""
        return self.code in _NUMBERS

    def item(self) -> Type:
        """Return the element type of an ARRAY."""
        assert self.element is not None
        return self.element

    def __str__(self) -> str:
        if self.element is not None:
            return f"ARRAY<{self.element}>"
        if self.code is TypeCode.STRUCT:
            inside = ", ".join(f"{f.name} {f.type}".lstrip() for f in self.fields)
            return f"STRUCT<{inside}>"
        return self.kind

    @property
    def kind(self) -> str:
        """The name of the type without the types of its parts: ARRAY, PG.JSONB."""
        return self.proto_name or _SPELT.get(self.code, self.code.value)


@dataclass(frozen=True, slots=True)
class ElementTable:
    """A node table or an edge table of a graph, as its elements know it.

    - `graph`: the name of the graph, with its schema if that is named
    - `name`: the alias of the table in the graph, unique among its node and edge tables
    - `labels`: the declared labels as spelt in the schema, sorted ignoring case
    - `properties`: name and type of what the labels expose, sorted by name ignoring case
    - `key`: the types of the element key
    - `source`, `destination`: the node tables that an edge connects; None for a node table
    - `has_dynamic_label`, `has_dynamic_properties`: whether elements hold a label or properties of
      their own

    Equality is by all fields; the names of graph and table are enough for the hash.
    """

    graph: str
    name: str
    labels: tuple[str, ...]
    properties: tuple[tuple[str, Type], ...]
    key: tuple[Type, ...]
    source: ElementTable | None = None
    destination: ElementTable | None = None
    has_dynamic_label: bool = False
    has_dynamic_properties: bool = False

    def __hash__(self) -> int:
        return hash((self.graph, self.name))

    @property
    def is_edge(self) -> bool:
        """Return whether the table is an edge table."""
        return self.source is not None

    def position(self, name: str) -> int | None:
        """Return the position of a declared property in `properties`, ignoring case, or None."""
        folded = name.lower()
        for position, (each, _) in enumerate(self.properties):
            if each.lower() == folded:
                return position
        return None


_SPELT = {
    TypeCode.PG_NUMERIC: "PG.NUMERIC",
    TypeCode.PG_JSONB: "PG.JSONB",
    TypeCode.PG_OID: "PG.OID",
}
_FLOATS = frozenset({TypeCode.FLOAT32, TypeCode.FLOAT64})
GRAPH_CODES = frozenset({TypeCode.GRAPH_NODE, TypeCode.GRAPH_EDGE, TypeCode.GRAPH_PATH})
_NUMBERS = frozenset({TypeCode.INT64, TypeCode.NUMERIC, TypeCode.FLOAT32, TypeCode.FLOAT64})

BOOL = Type(TypeCode.BOOL)
INT64 = Type(TypeCode.INT64)
FLOAT32 = Type(TypeCode.FLOAT32)
FLOAT64 = Type(TypeCode.FLOAT64)
NUMERIC = Type(TypeCode.NUMERIC)
STRING = Type(TypeCode.STRING)
BYTES = Type(TypeCode.BYTES)
DATE = Type(TypeCode.DATE)
TIMESTAMP = Type(TypeCode.TIMESTAMP)
JSON = Type(TypeCode.JSON)
UUID = Type(TypeCode.UUID)
INTERVAL = Type(TypeCode.INTERVAL)
TOKENLIST = Type(TypeCode.TOKENLIST)
PG_NUMERIC = Type(TypeCode.PG_NUMERIC)
PG_JSONB = Type(TypeCode.PG_JSONB)
PG_OID = Type(TypeCode.PG_OID)

SCALARS: dict[str, Type] = {
    str(scalar): scalar
    for scalar in (
        BOOL, INT64, FLOAT32, FLOAT64, NUMERIC, STRING, BYTES, DATE, TIMESTAMP, JSON, UUID,
        INTERVAL, TOKENLIST,
    )
}  # fmt: skip
# The types that only PostgreSQL databases have.
POSTGRESQL_SCALARS: dict[str, Type] = {str(each): each for each in (PG_NUMERIC, PG_JSONB, PG_OID)}


# The code and the annotation of each type in google.spanner.v1.Type; 0 is no annotation.
API_CODES: dict[TypeCode, tuple[int, int]] = {
    TypeCode.BOOL: (1, 0),
    TypeCode.INT64: (2, 0),
    TypeCode.FLOAT64: (3, 0),
    TypeCode.TIMESTAMP: (4, 0),
    TypeCode.DATE: (5, 0),
    TypeCode.STRING: (6, 0),
    TypeCode.BYTES: (7, 0),
    TypeCode.ARRAY: (8, 0),
    TypeCode.STRUCT: (9, 0),
    TypeCode.NUMERIC: (10, 0),
    TypeCode.JSON: (11, 0),
    TypeCode.PROTO: (13, 0),
    TypeCode.ENUM: (14, 0),
    TypeCode.FLOAT32: (15, 0),
    TypeCode.INTERVAL: (16, 0),
    TypeCode.UUID: (17, 0),
    TypeCode.PG_NUMERIC: (10, 2),
    TypeCode.PG_JSONB: (11, 3),
    TypeCode.PG_OID: (2, 4),
    TypeCode.TOKENLIST: (7, 0),  # Rows never contain tokens; where a type is required, it is BYTES.
}


def array_of(element: Type) -> Type:
    """Return the type ARRAY<element>."""
    return Type(TypeCode.ARRAY, element=element)


def struct_of(*fields: tuple[str, Type]) -> Type:
    """Return the STRUCT type of (name, type) pairs; an empty name makes a field anonymous."""
    return Type(TypeCode.STRUCT, fields=tuple(StructField(name, type_) for name, type_ in fields))


def contains(type_: Type, code: TypeCode) -> bool:
    """Return whether a type, or an element or a field of it, has the constructor `code`."""
    if type_.element is not None:
        return contains(type_.element, code)
    return type_.code is code or any(contains(field.type, code) for field in type_.fields)


_SHOWN_CHARACTERS_MAX = 64


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS_MAX else text[:_SHOWN_CHARACTERS_MAX] + "..."


class BadValue(ValueError):
    """A `value` that is not a value of the type `type_text`; `reason` adds a reason, if any.

    Not a `SpannerError`, because the code of a bad value depends on its context: in a cell of a
    mutation or a key part it fails a precondition, a query parameter is an invalid argument, and in
    a CAST it is out of range. The caller that knows the context wraps the error and quotes its
    fields.
    """

    def __init__(self, value: Any, type_text: str, reason: str = "") -> None:
        super().__init__(value, type_text, reason)
        self.value = value
        self.type_text = type_text
        self.reason = reason

    def __str__(self) -> str:
        shown = self.value if isinstance(self.value, str) else _as_json(self.value)
        return f"Could not parse {_shortened(shown)} as {self.type_text}{self.because}"

    @property
    def shown(self) -> str:
        """The value as error messages quote it: a text in quotes, and other values as JSON."""
        value = self.value
        return _shortened(repr(value) if isinstance(value, str) else _as_json(value))

    @property
    def because(self) -> str:
        """The end of an error sentence: a colon and the reason, or nothing without a reason."""
        return f": {self.reason}" if self.reason else ""
