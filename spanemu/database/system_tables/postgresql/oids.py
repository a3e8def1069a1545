"""The oids of objects and types: stable as long as the object exists, unique in its catalog table.

Tables, indexes, columns and sequences have ids in the schema, from which their oids follow. The oid
of another object is a hash of its kind and name. System relations have PostgreSQL's numbers, or
Spanner's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from zlib import crc32

from spanemu.base.identifiers import constraint_full_name
from spanemu.database.system_tables.declaration import Declared, Source
from spanemu.database.system_tables.postgresql.declaration import PUBLIC
from spanemu.schema.indexes import TableOrIndex
from spanemu.schema.objects import Sequence
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.dialects import dialect_of
from spanemu.values.types import Type

PG_CATALOG = 11
NAMESPACES: Mapping[str, int] = {
    "information_schema": 75003,
    "pg_catalog": PG_CATALOG,
    PUBLIC: 2200,
    "spanner": 50000,
    "spanner_sys": 75004,
}
TABLE_ACCESS = 75001  # the access methods of tables and of indexes
INDEX_ACCESS = 75002

_FIRST = 100_000  # the lowest oid of a user's object
_PER_ID = 4  # oids for each id of the schema: of the object, the index of its key, the constraint
_FIRST_HASH = 1 << 31  # the lowest oid of an object without id
_FIRST_SYSTEM_VIEW = 75008
_SYSTEM_TABLES = {
    "pg_am": 2601, "pg_attrdef": 2604, "pg_attribute": 1249, "pg_class": 1259,
    "pg_collation": 3456, "pg_constraint": 2606, "pg_description": 2609, "pg_enum": 3501,
    "pg_extension": 3079, "pg_index": 2610, "pg_language": 2612, "pg_namespace": 2615,
    "pg_proc": 1255, "pg_range": 3541, "pg_sequence": 2224, "pg_type": 1247,
}  # fmt: skip


def relation_oid(relation: TableOrIndex | Sequence) -> int:
    """Return the oid of a table, an index or a sequence."""
    return _FIRST + _PER_ID * relation.id


def default_oid(column_id: int) -> int:
    """Return the oid of the default or generation expression of a column."""
    return _FIRST + _PER_ID * column_id


def key_index_oid(table: Table) -> int:
    """Return the oid of the index of a primary key."""
    return relation_oid(table) + 1


def key_constraint_oid(table: Table) -> int:
    """Return the oid of the constraint of a primary key."""
    return relation_oid(table) + 2


def type_oids(schema: Schema) -> Callable[[Type], int]:
    """Return the function from a type to its oid, in the dialect of the schema."""
    named = {each.type: each for each in dialect_of(schema.dialect).named_types}

    def oid(type_: Type) -> int:
        if type_.is_array:
            return named[type_.item()].array_oid if type_.item() in named else 0
        return named[type_].oid if type_ in named else 0

    return oid


class NamedOids:
    """The oids of the objects without id, by kind and full name."""

    def __init__(self, schema: Schema) -> None:
        self._oids: dict[tuple[str, str], int] = {}
        used: set[int] = set()
        for kind, name in sorted(_named_objects(schema)):
            oid = _FIRST_HASH | crc32(f"{kind} {name}".encode())
            while oid in used:  # two names with one hash: the next free oid
                oid = _FIRST_HASH | (oid + 1)
            used.add(oid)
            self._oids[kind, name] = oid

    def __getitem__(self, object_: tuple[str, str]) -> int:
        return self._oids[object_]

    def namespace(self, home: str) -> int:
        """Return the oid of a schema."""
        return NAMESPACES[home] if home in NAMESPACES else self["schema", home]


def _named_objects(schema: Schema) -> Iterator[tuple[str, str]]:
    """Yield (kind, full name) of the objects without id."""
    yield from (("schema", name) for name in schema.named_schemas.values())
    yield from (("view", view.name) for view in schema.views.values())
    yield from (("change stream", stream.name) for stream in schema.change_streams.values())
    for special in (schema.search_indexes, schema.vector_indexes):
        yield from (("index", index.name) for index in special.values())
    for table in schema.tables.values():
        names = (*(check.name for check in table.checks), *(k.name for k in table.foreign_keys))
        yield from (("constraint", constraint_full_name(table.name, name)) for name in names)


def named_oids(source: Source) -> NamedOids:
    """Return the oids of the objects without id, computed once per generation of the schema."""
    oids: NamedOids = source.generation.compiled(NamedOids, lambda: NamedOids(source.schema))
    return oids


def system_oids(tables: tuple[Declared, ...]) -> Mapping[str, int]:
    """Return the oids of system relations by full name."""
    views = (table for table in tables if not is_system_table(table))
    oids = {view.full_name: oid for oid, view in enumerate(views, _FIRST_SYSTEM_VIEW)}
    return oids | {f"pg_catalog.{name}": oid for name, oid in _SYSTEM_TABLES.items()}


def is_system_table(table: Declared) -> bool:
    """Return whether a system relation is a table of PostgreSQL; the others are views."""
    return table.schema == "pg_catalog" and table.name in _SYSTEM_TABLES
