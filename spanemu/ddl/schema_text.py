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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from spanemu.base.identifiers import quoted, quoted_path
from spanemu.ddl.kinds.kind import ObjectKind
from spanemu.ddl.kinds.search_indexes import search_index_text, vector_index_text
from spanemu.ddl.kinds.table import AFTER_TABLES, BEFORE_TABLES, KINDS
from spanemu.ddl.naming import with_written_names
from spanemu.schema.dependency_order import dependency_order
from spanemu.schema.indexes import Index, SearchIndex, SortedIndex, VectorIndex
from spanemu.schema.objects import ProtoBundle
from spanemu.schema.schema import Schema
from spanemu.schema.table import ForeignKey, Table
from spanemu.schema.table_text import (
    clause_options,
    foreign_key_text,
    key_text,
    option_value,
    table_text,
    where_text,
)
from spanemu.sql.dialect import SchemaWriter
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
        *([] if bundle is None else [proto_bundle_text(bundle)]),
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


def any_index_text(index: Index) -> str:
    """Return the statement that creates an index of any kind."""
    return _INDEX_TEXTS[index.words](index)


def index_text(index: SortedIndex) -> str:
    """Return CREATE INDEX."""
    kind = f"{'UNIQUE ' if index.unique else ''}{'NULL_FILTERED ' if index.null_filtered else ''}"
    text = (
        f"CREATE {kind}INDEX {quoted_path(index.name)} ON {quoted_path(index.table)}"
        f"({key_text(index.key)})"
    )
    if index.stored:
        text += f" STORING ({', '.join(quoted(column.name) for column in index.stored)})"
    text += where_text(index.where_not_null)
    if index.parent is not None:
        text += f", INTERLEAVE IN {quoted_path(index.parent)}"
    return text + (clause_options(index.options.items()) if index.options else "")


_INDEX_TEXTS: Mapping[str, Callable[[Any], str]] = {
    SortedIndex.words: index_text,
    SearchIndex.words: search_index_text,
    VectorIndex.words: vector_index_text,
}


# ---------------------------------------------------------------------------- other objects


def proto_bundle_text(bundle: ProtoBundle) -> str:
    """Return CREATE PROTO BUNDLE, one type a line."""
    types = "".join(f"  {quoted_path(name)},\n" for name in sorted(bundle.names))
    return f"CREATE PROTO BUNDLE (\n{types})"


def statistics_text(package: str, allow_gc: bool) -> str:
    """Return ALTER STATISTICS."""
    value = option_value(allow_gc)
    return f"ALTER STATISTICS {quoted(package)} SET OPTIONS (allow_gc = {value})"


class GoogleSqlWriter:
    """The statements of GoogleSQL."""

    _kinds: Mapping[str, ObjectKind] = {kind.words: kind for kind in KINDS}

    def database_option(self, database: str, name: str, value: Any) -> str:
        return f"ALTER DATABASE {quoted(database)} SET OPTIONS ({name} = {option_value(value)})"

    def statistics(self, package: str, allow_gc: bool) -> str:
        return statistics_text(package, allow_gc)

    def named_schema(self, name: str) -> str:
        return f"CREATE SCHEMA {quoted(name)}"

    def table(self, table: Table, left_out: Sequence[ForeignKey]) -> str:
        return table_text(table, left_out)

    def foreign_key(self, key: ForeignKey) -> str:
        return f"ALTER TABLE {quoted_path(key.table)} ADD {foreign_key_text(key)}"

    def index(self, index: Index) -> str:
        return any_index_text(index)

    def objects(self, kind: str, objects: Iterable[Any], schema: Schema) -> Iterator[str]:
        described = self._kinds[kind]
        yield from map(described.text, objects)
        yield from described.more_text(schema)


_GOOGLESQL: SchemaWriter = GoogleSqlWriter()


def schema_writer(schema: Schema) -> SchemaWriter:
    """Return the writer of the schema's dialect."""
    return dialect_of(schema.dialect).schema_writer or _GOOGLESQL
