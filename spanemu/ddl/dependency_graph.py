"""What in a schema depends on what: the order in which things can be made, and what stands on what.

An edge goes from what depends to what it depends on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spanemu.ddl.kinds.functions import called_functions
from spanemu.ddl.kinds.table import KINDS
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table


@dataclass(frozen=True, slots=True)
class Dependency:
    """`source` needs `target`; `reason` says in a word or two how."""

    source: str
    target: str
    reason: str


def dependencies(schema: Schema) -> list[Dependency]:
    """Every dependency between named objects of a schema."""
    found = [*_of_tables(schema), *_of_indexes(schema), *_of_objects(schema)]
    return list(dict.fromkeys(found))


def _of_tables(schema: Schema) -> Iterator[Dependency]:
    for table in schema.tables.values():
        if table.parent is not None:
            yield Dependency(table.name, table.parent, f"interleaved {table.interleave}".lower())
        for key in table.foreign_keys:
            if key.referenced_table != table.name:
                yield Dependency(table.name, key.referenced_table, "foreign key")
        for target, reason in _of_expressions(table, schema):
            yield Dependency(table.name, target, reason)


def _of_expressions(table: Table, schema: Schema) -> Iterator[tuple[str, str]]:
    texts = [check.expression for check in table.checks]
    for column in table.columns:
        texts.extend(text for text in (column.default, column.generated) if text is not None)
    for text in texts:
        yield from called_functions(text, schema)
        for sequence in schema.sequences.values():
            if not sequence.internal and f"sequence {sequence.name.lower()}" in text.lower():
                yield sequence.name, "draws from"


def _of_indexes(schema: Schema) -> Iterator[Dependency]:
    for index in schema.indexes.values():
        if not index.is_managed:
            yield Dependency(index.name, index.table, "index on")
            if index.parent is not None:
                yield Dependency(index.name, index.parent, "interleaved in")


def _of_objects(schema: Schema) -> Iterator[Dependency]:
    for kind in KINDS:
        for source in kind.objects(schema).values():
            for target, reason in kind.depends_on(source, schema):
                yield Dependency(source.name, target, reason)
