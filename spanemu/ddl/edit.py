"""Steps from one generation of a schema to the next: one object put in, changed or taken out.

A column is held by its table, and by the key parts and stored columns of indexes; whoever changes
one must replace all of them, which `changed_table` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from spanemu.schema.column import Column, KeyPart
from spanemu.schema.index import Index
from spanemu.schema.names import with_name, with_names, without_name
from spanemu.schema.objects import Sequence
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table


def without_table(schema: Schema, table: Table) -> Schema:
    """A table taken out, with the sequences of its identity columns."""
    names = {schema.fold(c.identity.sequence) for c in table.columns if c.identity is not None}
    if not names:
        return schema.without_table(table.name)
    sequences = schema.sequences
    for name in names:
        sequences = without_name(sequences, name)
    return schema.without_table(table.name, sequences=sequences)


def with_index(schema: Schema, index: Index) -> Schema:
    """`index` added, or put in the place of the one of its name. Takes its id if it is new."""
    return schema.with_index(index, next_id=max(schema.next_id, index.id + 1))


def with_sequences(schema: Schema, sequences: Iterable[Sequence]) -> Schema:
    """Sequences added, or put in the place of those of their names."""
    found = {schema.fold(sequence.name): sequence for sequence in sequences}
    if not found:
        return schema
    next_id = max(schema.next_id, 1 + max(sequence.id for sequence in found.values()))
    return schema.next(sequences=with_names(schema.sequences, found), next_id=next_id)


def without_sequence(schema: Schema, name: str) -> Schema:
    """A sequence taken out."""
    return schema.next(sequences=without_name(schema.sequences, schema.fold(name)))


def changed_table(schema: Schema, table: Table) -> Schema:
    """A table with other columns, its key and its indexes following them.

    Columns keep their ids; only one that nothing refers to may be missing.
    """
    columns = {column.id: column for column in table.columns}
    changed = replace(table, key=_parts(table.key, columns))
    following = schema.with_table(changed)
    indexes = {
        schema.fold(index.name): _index(index, columns) for index in schema.indexes_of(changed)
    }
    if not indexes:
        return following
    return following.next(indexes=with_names(schema.indexes, indexes))


def changed_column(schema: Schema, table: Table, column: Column) -> Schema:
    """A table with one column replaced by the one of its id."""
    columns = tuple(column if old.id == column.id else old for old in table.columns)
    return changed_table(schema, replace(table, columns=columns))


def _index(index: Index, columns: Mapping[int, Column]) -> Index:
    return replace(
        index,
        key=_parts(index.key, columns),
        suffix=_parts(index.suffix, columns),
        stored=tuple(columns[column.id] for column in index.stored),
    )


def _parts(parts: Iterable[KeyPart], columns: Mapping[int, Column]) -> tuple[KeyPart, ...]:
    return tuple(KeyPart(columns[part.column.id], part.order) for part in parts)


def with_object(schema: Schema, field: str, source: Any) -> Schema:
    """Return the schema with a named object added to a field, or replaced by name."""
    changes: dict[str, Any] = {
        field: with_name(getattr(schema, field), schema.fold(source.name), source)
    }
    id_ = getattr(source, "id", None)
    if id_ is not None:
        changes["next_id"] = max(schema.next_id, id_ + 1)
    return schema.next(**changes)


def without_object(schema: Schema, field: str, name: str) -> Schema:
    """Return the schema without a named object of a field."""
    return schema.next(**{field: without_name(getattr(schema, field), schema.fold(name))})
