"""A schema as canonical DDL text (the behaviour of GetDatabaseDdl).

The order is: options of the database, statistics packages, the proto bundle, named schemas, the
kinds of objects before tables (see `kinds.table`), tables with their indexes, and the other kinds.
Every object comes after the objects that it names. A table comes after its parent and the tables
that its foreign keys refer to. Tables that refer to each other come in order of creation, and ALTER
TABLE adds foreign keys to a later table. Running the statements in an empty database creates the
same schema, with the same text.

Objects that Spanner creates itself are left out: indexes of foreign keys, sequences of identity
columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from spanemu.ddl.kinds.kind import ObjectKind
from spanemu.ddl.kinds.table import AFTER_TABLES, BEFORE_TABLES
from spanemu.ddl.naming import with_written_names
from spanemu.schema.dependency_order import dependency_order
from spanemu.schema.indexes import Index, SortedIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import ForeignKey, Table
from spanemu.sql.dialect import AlterationWriter, SchemaWriter
from spanemu.sql.dialects import dialect_of

# Options that the engine derives from other options.
_INTERNAL_OPTIONS = frozenset({"version_retention_nanos"})


def ddl_statements(schema: Schema, database: str = "db") -> list[str]:
    """Return the statements that recreate `schema`, in order, for the database id `database`.

    They are in the dialect of the schema.
    """
    writer = schema_writer(schema)
    bundle = schema.proto_bundle
    return [
        *(writer.database_option(database, *option) for option in shown_options(schema)),
        *(writer.statistics(name, allow_gc) for name, allow_gc in kept_packages(schema)),
        *([] if bundle is None else [writer.proto_bundle(bundle)]),
        *(writer.named_schema(name) for name in schema.named_schemas.values()),
        *_objects(BEFORE_TABLES, schema, writer),
        *_tables(schema, writer),
        *_objects(AFTER_TABLES, schema, writer),
    ]


def _objects(kinds: Iterable[ObjectKind], schema: Schema, writer: SchemaWriter) -> Iterator[str]:
    for kind in kinds:
        yield from writer.objects(kind.words, kind.printed(schema), schema)


def kept_packages(schema: Schema) -> Iterator[tuple[str, bool]]:
    """Yield (name, allow_gc) of the statistics packages that must not be collected.

    The others are no part of a schema: a copy of the database begins with statistics of its own.
    """
    return (item for item in schema.statistics.items() if not item[1])


def shown_options(schema: Schema) -> Iterator[tuple[str, Any]]:
    """Yield (name, value) of the database options that users can set."""
    return (item for item in schema.options.items() if item[0] not in _INTERNAL_OPTIONS)


# ---------------------------------------------------------------------------- tables


def _tables(schema: Schema, writer: SchemaWriter) -> Iterator[str]:
    """Yield each table with its indexes, then the foreign keys to tables that come later."""
    done: set[str] = set()
    later: list[ForeignKey] = []
    # Indexes interleaved in a table that comes after the index's own table.
    waiting: dict[str, list[Index]] = {}
    indexes = user_indexes(schema)
    for table in map(with_written_names, ordered_tables(schema)):
        done.add(schema.fold(table.name))
        left_out = [
            key for key in table.foreign_keys if schema.fold(key.referenced_table) not in done
        ]
        later.extend(left_out)
        yield writer.table(table, left_out)
        for index in indexes.get(table.name, ()):
            parent = None if index.parent is None else schema.fold(index.parent)
            if parent is not None and parent not in done:
                waiting.setdefault(parent, []).append(index)
            else:
                yield writer.index(index)
        yield from map(writer.index, waiting.pop(schema.fold(table.name), ()))
    yield from map(writer.foreign_key, later)


def ordered_tables(schema: Schema) -> list[Table]:
    """Return the tables, each after its parent and the tables that its foreign keys refer to."""
    needs = {
        name: [
            *([] if table.parent is None else [schema.fold(table.parent)]),
            *(schema.fold(key.referenced_table) for key in table.foreign_keys),
        ]
        for name, table in schema.tables.items()
    }
    return [schema.tables[name] for group in dependency_order(needs) for name in group]


def user_indexes(schema: Schema) -> dict[str, list[Index]]:
    """Return the indexes of all kinds that users created, by table name, sorted by name."""
    by_table: dict[str, list[Index]] = {}
    for index in sorted(schema.all_indexes(), key=lambda index: index.name):
        if not (isinstance(index, SortedIndex) and index.is_managed):
            by_table.setdefault(index.table, []).append(index)
    return by_table


def schema_writer(schema: Schema) -> SchemaWriter:
    """Return the writer of the schema's dialect."""
    return dialect_of(schema.dialect).schema_writer


def alteration_writer(schema: Schema) -> AlterationWriter:
    """Return the writer of statements that alter, in the schema's dialect."""
    return dialect_of(schema.dialect).alteration_writer
