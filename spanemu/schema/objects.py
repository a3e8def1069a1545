"""Named objects without rows, roles among them, and the fields of a schema that hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any

from spanemu.base.identifiers import quoted
from spanemu.base.record import dataclass
from spanemu.schema.dialect import DatabaseDialect
from spanemu.schema.indexes import SearchIndex, VectorIndex
from spanemu.values.types import Type, TypeCode

PUBLIC = "public"  # every role is a member of it
INFO_READER = "spanner_info_reader"
SYS_READER = "spanner_sys_reader"
SEQUENCE_NUMBERS = ("skip_range_min", "skip_range_max", "start_with_counter")
SYSTEM_ROLES = (PUBLIC, INFO_READER, SYS_READER)


@dataclass(frozen=True, slots=True)
class Grant:
    """One privilege on one object: SELECT on the TABLE Singers, limited to `columns` if any.

    `kind` is TABLE, VIEW, CHANGE STREAM, SEQUENCE, TABLE FUNCTION, FUNCTION, MODEL or SCHEMA.
    """

    privilege: str
    kind: str
    name: str
    columns: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Role:
    """A role, its grants in order of creation, and the roles that it is a member of."""

    name: str
    grants: tuple[Grant, ...] = ()
    member_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Property:
    """`expression AS name`: a value of the elements with a label."""

    name: str
    type: Type
    expression: str


@dataclass(frozen=True, slots=True)
class Label:
    """A label of an element table, with the properties that it exposes."""

    name: str
    properties: tuple[Property, ...]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The source or destination node of an edge: `columns` of the edge refer to a node's key."""

    columns: tuple[str, ...]
    node: str  # the name of the node table in the graph
    node_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Element:
    """A node table, or an edge table if it has endpoints. `name` is the alias in the graph."""

    table: str
    name: str
    key: tuple[str, ...]
    labels: tuple[Label, ...]
    source: Endpoint | None = None
    destination: Endpoint | None = None
    dynamic_label: str | None = None
    dynamic_properties: str | None = None


@dataclass(frozen=True, slots=True)
class PropertyGraph:
    """A property graph as declared."""

    name: str
    nodes: tuple[Element, ...]
    edges: tuple[Element, ...] = ()

    @property
    def elements(self) -> tuple[Element, ...]:
        """Node tables, then edge tables."""
        return self.nodes + self.edges


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function; `default` is SQL text."""

    name: str
    type: Type
    default: str | None = None


@dataclass(frozen=True, slots=True)
class UserFunction:
    """A function as declared: a SQL expression over its parameters, or a remote endpoint.

    `depends_on` names the tables, views, sequences and models that the body uses, also in other
    functions. `reads_tables` is whether there is more than sequences among them.
    """

    name: str
    parameters: tuple[Parameter, ...]
    returns: Type | None
    body: str | None = None
    invoker_rights: bool = False  # whether SQL SECURITY INVOKER was declared
    determinism: str | None = None
    language: str | None = None
    remote: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    depends_on: frozenset[str] = frozenset()
    reads_tables: bool = False
    reads_views: bool = False


@dataclass(frozen=True, slots=True)
class ModelColumn:
    """An input or output column of a model."""

    name: str
    type: Type
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def type_text(self) -> str:
        """The type as DDL writes it, with all lengths MAX."""
        return _unlimited(self.type)

    @property
    def is_required(self) -> bool:
        """True unless the column was declared optional."""
        return bool(self.options.get("required", True))


_LENGTHS = frozenset({TypeCode.STRING, TypeCode.BYTES})


def _unlimited(type_: Type) -> str:
    if type_.element is not None:
        return f"ARRAY<{_unlimited(type_.element)}>"
    if type_.is_struct:
        fields = ", ".join(f"{quoted(f.name)} {_unlimited(f.type)}" for f in type_.fields)
        return f"STRUCT<{fields}>"
    return f"{type_}(MAX)" if type_.code in _LENGTHS else str(type_)


@dataclass(frozen=True, slots=True)
class Model:
    """A machine-learning model at an endpoint. Columns that were not declared are None."""

    name: str
    inputs: tuple[ModelColumn, ...] | None = None
    outputs: tuple[ModelColumn, ...] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def endpoints(self) -> tuple[str, ...]:
        """The endpoints, in the order in which they are tried."""
        endpoint = self.options.get("endpoint")
        return self.options.get("endpoints", ()) if endpoint is None else (endpoint,)


@dataclass(frozen=True, slots=True)
class Sequence:
    """A sequence as declared; its counter is data and lives with the store."""

    name: str
    id: int
    kind: str = "bit_reversed_positive"
    skip_range: tuple[int, int] | None = None
    start_counter: int | None = None
    by_options: bool = True  # declared with OPTIONS (...) rather than clauses
    internal: bool = False  # belongs to an identity column
    kind_written: bool = True  # False if taken from the option default_sequence_kind

    @property
    def numbers(self) -> Mapping[str, int]:
        """The values of the `SEQUENCE_NUMBERS` that are set."""
        low, high = self.skip_range or (None, None)
        values = zip(SEQUENCE_NUMBERS, (low, high, self.start_counter), strict=True)
        return {name: value for name, value in values if value is not None}

    @property
    def settings(self) -> Mapping[str, str | int]:
        """The kind and the numbers, by the names of options."""
        return {"sequence_kind": self.kind, **self.numbers}


@dataclass(frozen=True, slots=True)
class View:
    """A named query. `columns` are its output columns as analyzed at its definition."""

    name: str
    query: str
    columns: tuple[tuple[str, Type], ...]
    invoker_rights: bool = True
    depends_on: frozenset[str] = frozenset()


DEFAULT = "default"  # the locality group and the placement of every database


@dataclass(frozen=True, slots=True)
class LocalityGroup:
    """A kind of storage that columns, tables and indexes can select."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Placement:
    """A name for an instance partition, as placement keys hold it."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Watched:
    """A table watched by a change stream: all its columns, or its key and the listed columns."""

    table: str
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ChangeStream:
    """A change stream as declared: FOR ALL, FOR tables, or without a watched table."""

    name: str
    watches_all: bool = False
    tables: tuple[Watched, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def watched(self, table: str) -> Watched | None:
        """Return the watched table of that name, or None."""
        return next((each for each in self.tables if each.table == table), None)

    @property
    def is_mutable(self) -> bool:
        """Return whether the keys of the stream's partitions may move while the partitions live."""
        return str(self.options.get("partition_mode")).upper() == "MUTABLE_KEY_RANGE"

    def read_function(self, dialect: DatabaseDialect) -> str:
        """Return the name of the function that reads the stream."""
        heads = dialect.read_functions
        return f"{dialect.mutable_read_function if self.is_mutable else heads[0]}{self.name}"


@dataclass(frozen=True, slots=True)
class ProtoTypes:
    """Full names of messages and enums, with the descriptors that define them.

    `descriptors` is a serialized google.protobuf.FileDescriptorSet, kept as it was sent.
    """

    messages: frozenset[str]
    enums: frozenset[str]
    descriptors: bytes = b""

    @property
    def names(self) -> frozenset[str]:
        """The names of messages and enums."""
        return self.messages | self.enums

    def type_of(self, name: str) -> Type | None:
        """Return the type with that full name, or None."""
        if name in self.messages:
            return Type(TypeCode.PROTO, proto_name=name)
        return Type(TypeCode.ENUM, proto_name=name) if name in self.enums else None


ProtoBundle = ProtoTypes  # the types selected by CREATE PROTO BUNDLE

NO_TYPES = ProtoTypes(frozenset(), frozenset())


@dataclass(frozen=True)
class NamedObjects:
    """The named objects of a schema: one field for each kind (see `ddl.kinds`).

    The maps are keyed by folded name (see `Schema.fold`), in order of creation.
    """

    views: Mapping[str, View] = field(default_factory=dict)
    sequences: Mapping[str, Sequence] = field(default_factory=dict)
    search_indexes: Mapping[str, SearchIndex] = field(default_factory=dict)
    vector_indexes: Mapping[str, VectorIndex] = field(default_factory=dict)
    change_streams: Mapping[str, ChangeStream] = field(default_factory=dict)
    functions: Mapping[str, UserFunction] = field(default_factory=dict)
    models: Mapping[str, Model] = field(default_factory=dict)
    graphs: Mapping[str, PropertyGraph] = field(default_factory=dict)
    roles: Mapping[str, Role] = field(default_factory=dict)
    locality_groups: Mapping[str, LocalityGroup] = field(default_factory=dict)
    placements: Mapping[str, Placement] = field(default_factory=dict)


# The kinds whose names are separate. All other objects, and tables, share one namespace.
SEPARATE_NAMES = frozenset({"roles", "locality_groups", "placements"})
SHARED_NAMES = tuple(each.name for each in fields(NamedObjects) if each.name not in SEPARATE_NAMES)
