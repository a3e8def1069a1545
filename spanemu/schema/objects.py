"""Functions of users, and models: what a query calls by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from spanemu.values.types import Type, TypeCode


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function; `default` is SQL text."""

    name: str
    type: Type
    default: str | None = None


@dataclass(frozen=True, slots=True)
class UserFunction:
    """A function as declared: a SQL expression over its parameters, or a remote endpoint."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: Type | None
    body: str | None = None
    invoker_rights: bool = False  # whether SQL SECURITY INVOKER was written
    determinism: str | None = None
    language: str | None = None
    remote: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelColumn:
    """A column that a model takes or gives."""

    name: str
    type: Type
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Model:
    """A machine-learning model at an endpoint. Columns that were not written are None."""

    name: str
    inputs: tuple[ModelColumn, ...] | None = None
    outputs: tuple[ModelColumn, ...] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sequence:
    """A sequence as declared; its counter is data and lives with the store."""

    name: str
    id: int
    kind: str = "bit_reversed_positive"
    skip_range: tuple[int, int] | None = None
    start_counter: int | None = None
    by_options: bool = True  # written with OPTIONS (...), or with clauses
    internal: bool = False  # belongs to an identity column
    kind_written: bool = True  # or taken from the option default_sequence_kind


@dataclass(frozen=True, slots=True)
class View:
    """A named query. `columns` are its output as analyzed when it was defined."""

    name: str
    query: str
    columns: tuple[tuple[str, Type], ...]
    invoker_rights: bool = True
    depends_on: frozenset[str] = frozenset()


DEFAULT = "default"  # the locality group, and the placement, that every database has


@dataclass(frozen=True, slots=True)
class LocalityGroup:
    """A kind of storage that columns, tables and indexes can ask for."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Placement:
    """A name for an instance partition, as placement keys hold it."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Watched:
    """A table of a change stream: all its columns, or its key and those listed."""

    table: str
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ChangeStream:
    """A change stream as declared: FOR ALL, FOR tables, or for nothing yet."""

    name: str
    watches_all: bool = False
    tables: tuple[Watched, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def watched(self, table: str) -> Watched | None:
        """How it watches a table that it names, None for one that it does not name."""
        return next((one for one in self.tables if one.table == table), None)


@dataclass(frozen=True, slots=True)
class ProtoTypes:
    """Full names of messages and enums, and the descriptors that they come from.

    `descriptors` is a serialized google.protobuf.FileDescriptorSet, kept as it was sent.
    """

    messages: frozenset[str]
    enums: frozenset[str]
    descriptors: bytes = b""

    @property
    def names(self) -> frozenset[str]:
        """All of them."""
        return self.messages | self.enums

    def type_of(self, name: str) -> Type | None:
        """The type of that full name."""
        if name in self.messages:
            return Type(TypeCode.PROTO, proto_name=name)
        return Type(TypeCode.ENUM, proto_name=name) if name in self.enums else None


ProtoBundle = ProtoTypes  # those that CREATE PROTO BUNDLE chose

NO_TYPES = ProtoTypes(frozenset(), frozenset())
