"""What in a schema depends on what: the order in which things can be made, and what stands on what.

An edge goes from what depends to what it depends on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spanemu.ddl.expressions import functions_of
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
        yield from _called(text, schema)
        for sequence in schema.sequences.values():
            if not sequence.internal and f"sequence {sequence.name.lower()}" in text.lower():
                yield sequence.name, "draws from"


def _called(text: str, schema: Schema) -> Iterator[tuple[str, str]]:
    if schema.functions:
        for name in functions_of(text, schema) & schema.functions.keys():
            yield schema.functions[name].name, "calls"


def _of_indexes(schema: Schema) -> Iterator[Dependency]:
    for index in schema.indexes.values():
        if not index.is_managed:
            yield Dependency(index.name, index.table, "index on")
            if index.parent is not None:
                yield Dependency(index.name, index.parent, "interleaved in")
    for kind in (schema.search_indexes, schema.vector_indexes):
        yield from (Dependency(index.name, index.table, "index on") for index in kind.values())


def _of_objects(schema: Schema) -> Iterator[Dependency]:
    for view in schema.views.values():
        for used in sorted(view.depends_on):
            yield Dependency(view.name, used, "reads")
    for stream in schema.change_streams.values():
        for one in stream.tables:
            yield Dependency(stream.name, one.table, "watches")
    for graph in schema.graphs.values():
        for element in graph.elements:
            yield Dependency(graph.name, element.table, "shows")
    for function in schema.functions.values():
        for target, reason in _called(function.body or "NULL", schema):
            yield Dependency(function.name, target, reason)
    for role in schema.roles.values():
        for granted in role.grants:
            if granted.name:
                yield Dependency(role.name, granted.name, granted.privilege.lower())
        yield from (Dependency(role.name, above, "member of") for above in role.member_of)
