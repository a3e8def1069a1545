"""Rows of pg_catalog about relations: tables with their constraints, indexes, sequences, views."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from spanemu.base.identifiers import constraint_full_name
from spanemu.base.record import NamedTuple
from spanemu.database.system_tables.constraints import checked_columns, primary_key_name
from spanemu.database.system_tables.declaration import Declared, Source, last_part
from spanemu.database.system_tables.postgresql.declaration import NamedRows, home_and_name
from spanemu.database.system_tables.postgresql.objects import start_of
from spanemu.database.system_tables.postgresql.oids import (
    INDEX_ACCESS,
    NAMESPACES,
    TABLE_ACCESS,
    NamedOids,
    default_oid,
    is_system_table,
    key_constraint_oid,
    key_index_oid,
    named_oids,
    relation_oid,
    system_oids,
    type_oids,
)
from spanemu.ddl.kinds.sequences import SEQUENCE
from spanemu.schema.indexes import SearchIndex, VectorIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Table
from spanemu.values.types import Type

SEQUENCE_CACHE = 1000
_NO_ACTION = " "  # the action of a constraint other than a foreign key


class Attribute(NamedTuple):
    """A column of a relation as pg_attribute has it."""

    name: str
    type: Type
    not_null: bool = False
    column: Column | None = None  # of a table, with more facts


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation as pg_class has it; `kind` is a letter of relkind.

    `table` is set for an index. `key_length` is the number of key columns of an index.
    """

    oid: int
    name: str
    kind: str
    attributes: Sequence[Attribute] = ()
    table: Table | None = None
    key_length: int = 0
    unique: bool = False
    primary: bool = False
    ready: bool = True
    facts: dict[str, Any] = field(default_factory=dict)  # more columns of pg_class


def relations(source: Source) -> Iterator[Relation]:
    """Yield the relations of users; an index has the schema of its table."""
    schema = source.schema
    oids = named_oids(source)
    for table in schema.tables.values():
        yield _table(table, schema)
        yield from _indexes(table, schema, oids)
    for sequence in SEQUENCE.printed(schema):
        yield Relation(relation_oid(sequence), sequence.name, "S")
    for view in schema.views.values():
        attributes = [Attribute(name, type_) for name, type_ in view.columns]
        yield Relation(oids["view", view.name], view.name, "v", attributes)


def _table(table: Table, schema: Schema) -> Relation:
    attributes = [Attribute(c.name, c.type, c.not_null, c) for c in table.columns]
    has_index = bool(schema.indexes_of(table))
    facts = {"relhasindex": has_index, "relchecks": len(table.checks)}
    return Relation(relation_oid(table), table.name, "r", attributes, facts=facts)


def _indexes(table: Table, schema: Schema, oids: NamedOids) -> Iterator[Relation]:
    home = table.name.rpartition(".")[0]
    prefix = f"{home}." if home else ""
    key = [Attribute(c.name, c.type, c.not_null, c) for c in table.key_columns]
    yield Relation(
        key_index_oid(table), f"{prefix}{primary_key_name(table.name)}", "i", key, table, len(key),
        unique=True, primary=True,
    )  # fmt: skip
    for index in schema.indexes_of(table):
        filtered = {column.id for column in index.filtered}
        columns = [*(part.column for part in index.key), *index.stored]
        attributes = [Attribute(c.name, c.type, c.not_null or c.id in filtered, c) for c in columns]
        yield Relation(
            relation_oid(index), index.name, "i", attributes, table, len(index.key), index.unique,
            ready=index.ready,
        )  # fmt: skip
    for special in schema.all_indexes_of(table):
        if isinstance(special, SearchIndex | VectorIndex):
            columns = [*special.key, *special.stored]
            attributes = [Attribute(c.name, c.type, c.not_null) for c in columns]
            oid = oids["index", special.name]
            yield Relation(oid, special.name, "i", attributes, table, len(special.key))


# ------------------------------------------------------------------------------ rows

_ACCESS = {"r": TABLE_ACCESS, "i": INDEX_ACCESS}


def pg_class(source: Source) -> NamedRows:
    """Yield the relations of users."""
    oids = named_oids(source)
    for relation in relations(source):
        home, name = home_and_name(relation.name)
        count = None if relation.kind == "S" else len(relation.attributes)
        row = _class_row(relation.oid, name, oids.namespace(home), relation.kind, count)
        yield {**row, **relation.facts}


def system_relations(tables: tuple[Declared, ...]) -> NamedRows:
    """Yield the relations that the database computes."""
    oids = system_oids(tables)
    for table in tables:
        kind = "r" if is_system_table(table) else "v"
        oid, namespace = oids[table.full_name], NAMESPACES[table.schema]
        yield _class_row(oid, table.name, namespace, kind, len(table.columns))


def _class_row(
    oid: int, name: str, namespace: int, kind: str, columns: int | None
) -> dict[str, Any]:
    return {
        "oid": oid,
        "relname": name,
        "relnamespace": namespace,
        "relam": _ACCESS.get(kind, 0),
        "relhasindex": False,
        "relpersistence": "p",
        "relkind": kind,
        "relnatts": columns,
        "relchecks": 0,
        "relispopulated": True,
    }


def pg_attribute(source: Source) -> NamedRows:
    """Yield the columns of the relations of users."""
    oids_by_type = type_oids(source.schema)
    for relation in relations(source):
        for number, attribute in enumerate(relation.attributes, 1):
            column = attribute.column
            is_identity = column is not None and column.identity is not None
            has_default = column is not None and column.default is not None
            is_generated = column is not None and column.generated is not None
            yield {
                "attrelid": relation.oid,
                "attname": attribute.name,
                "atttypid": oids_by_type(attribute.type),
                "attnum": number,
                "attndims": int(attribute.type.is_array),
                "attcacheoff": -1,
                "attcompression": "",
                "attnotnull": attribute.not_null,
                "atthasdef": has_default or is_identity,
                "atthasmissing": False,
                "attidentity": "d" if is_identity and relation.kind == "r" else "",
                "attgenerated": "s" if is_generated else "",
                "attisdropped": False,
                "attislocal": True,
                "attinhcount": 0,
            }


def pg_attrdef(source: Source) -> NamedRows:
    """Yield the defaults and the expressions of generated columns."""
    for table in source.schema.tables.values():
        for number, column in enumerate(table.columns, 1):
            text = column.default if column.generated is None else column.generated
            if text is not None:
                yield {
                    "oid": default_oid(column.id),
                    "adrelid": relation_oid(table),
                    "adnum": number,
                    "adbin": text,
                }


def pg_index(source: Source) -> NamedRows:
    """Yield the indexes, those of primary keys included."""
    for index in relations(source):
        if index.table is None:
            continue
        numbers = {column.name: number for number, column in enumerate(index.table.columns, 1)}
        yield {
            "indexrelid": index.oid,
            "indrelid": relation_oid(index.table),
            "indnatts": len(index.attributes),
            "indnkeyatts": index.key_length,
            "indisunique": index.unique,
            "indisprimary": index.primary,
            "indisexclusion": False,
            "indisclustered": False,
            "indisvalid": index.ready,
            "indcheckxmin": False,
            "indisready": index.ready,
            "indislive": True,
            "indisreplident": False,
            "indkey": [numbers[attribute.name] for attribute in index.attributes],
        }


def pg_indexes(source: Source) -> NamedRows:
    """Yield the indexes by name."""
    for index in relations(source):
        if index.table is not None:
            home, table = home_and_name(index.table.name)
            name = home_and_name(index.name)[1]
            yield {"schemaname": home, "tablename": table, "indexname": name}


def pg_tables(source: Source) -> NamedRows:
    """Yield the tables of users."""
    for relation in relations(source):
        if relation.kind == "r":
            home, name = home_and_name(relation.name)
            has_indexes = relation.facts["relhasindex"]
            yield {"schemaname": home, "tablename": name, "hasindexes": has_indexes}


def pg_views(source: Source) -> NamedRows:
    """Yield the views of users."""
    for view in source.schema.views.values():
        home, name = home_and_name(view.name)
        yield {"schemaname": home, "viewname": name, "definition": view.query}


def system_views(tables: tuple[Declared, ...]) -> NamedRows:
    """Yield the views that the database computes."""
    for table in tables:
        if not is_system_table(table):
            yield {"schemaname": table.schema, "viewname": table.name}


def pg_sequence(source: Source) -> NamedRows:
    """Yield the sequences by oid."""
    for sequence in SEQUENCE.printed(source.schema):
        yield {
            "seqrelid": relation_oid(sequence),
            "seqtypid": 20,
            "seqstart": start_of(sequence),
            "seqcache": SEQUENCE_CACHE,
            "seqcycle": False,
        }


def pg_sequences(source: Source) -> NamedRows:
    """Yield the sequences by name."""
    for sequence in SEQUENCE.printed(source.schema):
        home, name = home_and_name(sequence.name)
        yield {
            "schemaname": home,
            "sequencename": name,
            "start_value": start_of(sequence),
            "cycle": False,
            "cache_size": SEQUENCE_CACHE,
        }


def pg_constraint(source: Source) -> NamedRows:
    """Yield the constraints of the tables of users."""
    schema = source.schema
    oids = named_oids(source)
    checked = checked_columns(source)
    for table in schema.tables.values():
        namespace = oids.namespace(home_and_name(table.name)[0])
        common = {
            "connamespace": namespace,
            "convalidated": True,
            "conrelid": relation_oid(table),
            "confrelid": 0,
            "confupdtype": _NO_ACTION,
            "confdeltype": _NO_ACTION,
        }
        for check in table.checks:
            yield {
                **common,
                "oid": oids["constraint", constraint_full_name(table.name, check.name)],
                "conname": last_part(check.name),
                "contype": "c",
                "conkey": _column_numbers(table, checked.get((table.id, check.name), ())),
            }
        for key in table.foreign_keys:
            referenced = schema.tables[schema.fold(key.referenced_table)]
            yield {
                **common,
                "oid": oids["constraint", key.full_name],
                "conname": last_part(key.name),
                "contype": "f",
                "confrelid": relation_oid(referenced),
                "confdeltype": "c" if key.cascade else "a",
                "conkey": _column_numbers(table, key.columns),
                "confkey": _column_numbers(referenced, key.referenced_columns),
            }
        yield {
            **common,
            "oid": key_constraint_oid(table),
            "conname": primary_key_name(table.name),
            "contype": "p",
            "conkey": _column_numbers(table, (column.name for column in table.key_columns)),
        }


def _column_numbers(table: Table, columns: Iterable[str]) -> list[Any]:
    """Return the positions of columns in their table."""
    numbers = {column.name: number for number, column in enumerate(table.columns, 1)}
    return [numbers[table.by_name[table.fold(name)].name] for name in columns]
