"""Steps from one generation of a schema to the next: one object added, changed or removed.

A column is part of its table, and of the key parts and stored columns of indexes. `changed_table`
replaces all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from spanemu.schema.index import Index
from spanemu.schema.objects import Sequence
from spanemu.schema.schema import Schema
from spanemu.schema.shared_maps import with_name, with_names, without_name
from spanemu.schema.table import Column, KeyPart, Table


def without_table(schema: Schema, table: Table) -> Schema:
    """Return the schema without a table and the sequences of its identity columns."""
    names = {schema.fold(c.identity.sequence) for c in table.columns if c.identity is not None}
    if not names:
        return schema.without_table(table.name)
    sequences = schema.sequences
    for name in names:
        sequences = without_name(sequences, name)
    return schema.without_table(table.name, sequences=sequences)


def with_index(schema: Schema, index: Index) -> Schema:
    """Return the schema with an index added, or replaced by name. A new index takes its id."""
    return schema.with_index(index, next_id=max(schema.next_id, index.id + 1))


def with_sequences(schema: Schema, sequences: Iterable[Sequence]) -> Schema:
    """Return the schema with sequences added, or replaced by name."""
    by_name = {schema.fold(sequence.name): sequence for sequence in sequences}
    if not by_name:
        return schema
    next_id = max(schema.next_id, 1 + max(sequence.id for sequence in by_name.values()))
    return schema.next(sequences=with_names(schema.sequences, by_name), next_id=next_id)


def without_sequence(schema: Schema, name: str) -> Schema:
    """Return the schema without a sequence."""
    return schema.next(sequences=without_name(schema.sequences, schema.fold(name)))


def changed_table(schema: Schema, table: Table) -> Schema:
    """Return the schema with a table's columns changed, also in its key and its indexes.

    Columns keep their ids. A column may only be missing if nothing refers to it.
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
    """Return the schema with one column of a table replaced by id."""
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
