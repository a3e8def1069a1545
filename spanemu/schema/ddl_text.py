"""A schema as canonical DDL text (behaviour of GetDatabaseDdl).

In this order: options of the database, named schemas, sequences, tables with their indexes, views.
A table comes after its parent and the tables that its foreign keys refer to. Tables that refer to
each other come in order of creation, and foreign keys to a later one are added by ALTER TABLE.
Running the statements in an empty database makes the same schema, and the same text.

What Spanner makes by itself is left out: indexes of foreign keys, sequences of identity columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from spanemu.base.reserved import quoted, quoted_path
from spanemu.schema.column_text import option_value, sequence_clauses
from spanemu.schema.dependency_order import dependency_order
from spanemu.schema.foreign_key import ForeignKey
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.sequence import Sequence as SchemaSequence
from spanemu.schema.table import Table
from spanemu.schema.table_text import foreign_key_text, key_text, table_text
from spanemu.schema.view import View

# Options that follow from others, for the engine's own use.
_INTERNAL_OPTIONS = frozenset({"version_retention_nanos"})


def ddl_statements(schema: Schema, database: str = "db") -> list[str]:
    """Statements that recreate `schema`, in order; `database` is the id of its database."""
    return [
        *_database_options(schema, database),
        *(f"CREATE SCHEMA {quoted(name)}" for name in schema.named_schemas.values()),
        *(_sequence(found) for found in schema.sequences.values() if not found.internal),
        *_tables(schema),
        *_views(schema),
    ]


def shown_options(schema: Schema) -> Iterator[tuple[str, Any]]:
    """Options of the database as users set them: (name, value)."""
    return (item for item in schema.options.items() if item[0] not in _INTERNAL_OPTIONS)


def _database_options(schema: Schema, database: str) -> Iterator[str]:
    for name, value in shown_options(schema):
        yield f"ALTER DATABASE {quoted(database)} SET OPTIONS ({name} = {option_value(value)})"


# ---------------------------------------------------------------------------- sequences


def _sequence(sequence: SchemaSequence) -> str:
    head = f"CREATE SEQUENCE {quoted_path(sequence.name)}"
    if sequence.by_options:
        options = list(_sequence_options(sequence))
        return f"{head} OPTIONS (\n  " + ",\n  ".join(options) + ")" if options else head
    clauses = sequence_clauses(
        written_kind=sequence.kind_written,
        skip_range=sequence.skip_range,
        start_counter=sequence.start_counter,
    )
    return f"{head} {clauses}" if clauses else head


def _sequence_options(sequence: SchemaSequence) -> Iterator[str]:
    if sequence.kind_written:
        yield f"sequence_kind = {option_value(sequence.kind)}"
    if sequence.skip_range is not None:
        low, high = sequence.skip_range
        yield f"skip_range_min = {low}"
        yield f"skip_range_max = {high}"
    if sequence.start_counter is not None:
        yield f"start_with_counter = {sequence.start_counter}"


# ---------------------------------------------------------------------------- tables


def _tables(schema: Schema) -> Iterator[str]:
    """Each table with its indexes, then the foreign keys that could not be written with it."""
    done: set[str] = set()
    later: list[ForeignKey] = []
    # Indexes that are interleaved in a table which comes after their own.
    waiting: dict[str, list[Index]] = {}
    for table in _ordered(schema):
        done.add(table.name.lower())
        left_out = [key for key in table.foreign_keys if key.referenced_table.lower() not in done]
        later.extend(left_out)
        yield table_text(table, left_out)
        for index in sorted(schema.indexes_of(table), key=lambda index: index.name):
            if index.is_managed:
                continue
            if index.parent is not None and index.parent.lower() not in done:
                waiting.setdefault(index.parent.lower(), []).append(index)
            else:
                yield index_text(index)
        yield from (index_text(index) for index in waiting.pop(table.name.lower(), ()))
    for key in later:
        yield f"ALTER TABLE {quoted_path(key.table)} ADD {foreign_key_text(key)}"


def _ordered(schema: Schema) -> list[Table]:
    needs = {
        name: [
            *([] if table.parent is None else [table.parent.lower()]),
            *(key.referenced_table.lower() for key in table.foreign_keys),
        ]
        for name, table in schema.tables.items()
    }
    return [schema.tables[name] for group in dependency_order(needs) for name in group]


def index_text(index: Index) -> str:
    """CREATE INDEX."""
    kind = f"{'UNIQUE ' if index.unique else ''}{'NULL_FILTERED ' if index.null_filtered else ''}"
    text = (
        f"CREATE {kind}INDEX {quoted_path(index.name)} ON {quoted_path(index.table)}"
        f"({key_text(index.key)})"
    )
    if index.stored:
        text += f" STORING ({', '.join(quoted(column.name) for column in index.stored)})"
    if index.where_not_null:
        terms = (f"{quoted(name)} IS NOT NULL" for name in index.where_not_null)
        text += f" WHERE {' AND '.join(terms)}"
    if index.parent is not None:
        text += f", INTERLEAVE IN {quoted_path(index.parent)}"
    return text


# ---------------------------------------------------------------------------- views


def _views(schema: Schema) -> Iterator[str]:
    needs: dict[str, Sequence[str]] = {
        name: sorted(used.lower() for used in view.depends_on)
        for name, view in schema.views.items()
    }
    for group in dependency_order(needs):
        yield from (_view(schema.views[name]) for name in group)


def _view(view: View) -> str:
    security = "INVOKER" if view.invoker_rights else "DEFINER"
    return f"CREATE VIEW {quoted_path(view.name)} SQL SECURITY {security} AS {view.query}"
