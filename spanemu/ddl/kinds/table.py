"""The table of kinds of named objects, and what concerns the objects of all kinds.

The order is that of canonical text (see `schema_text`): each object comes after what it needs. The
problems that stand in the way of dropping a table are reported in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.ddl.change import Change
from spanemu.ddl.errors.indexes import SearchIndexOtherwiseDropped
from spanemu.ddl.kinds.change_streams import CHANGE_STREAM
from spanemu.ddl.kinds.functions import (
    FUNCTION,
    FUNCTION_OVER_TABLES,
    FUNCTION_OVER_VIEWS,
)
from spanemu.ddl.kinds.kind import (
    ObjectKind,
    Statement,
    alter_object,
    drop_object,
    statements_of,
)
from spanemu.ddl.kinds.models import MODEL
from spanemu.ddl.kinds.placements import LOCALITY_GROUP, PLACEMENT
from spanemu.ddl.kinds.property_graphs import PROPERTY_GRAPH
from spanemu.ddl.kinds.roles import ROLE
from spanemu.ddl.kinds.search_indexes import SEARCH_INDEX, VECTOR_INDEX
from spanemu.ddl.kinds.sequences import SEQUENCE
from spanemu.ddl.kinds.views import VIEW
from spanemu.ddl.naming import find_object
from spanemu.schema.dialect import POSTGRESQL
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.ddl_ast import AlterIndex, AlterVectorIndex, DdlStatement, DropIndex

BEFORE_TABLES: Sequence[ObjectKind] = (PLACEMENT, LOCALITY_GROUP, SEQUENCE, FUNCTION)
WITH_TABLES: Sequence[ObjectKind] = (SEARCH_INDEX, VECTOR_INDEX)
AFTER_TABLES: Sequence[ObjectKind] = (
    CHANGE_STREAM, MODEL, FUNCTION_OVER_TABLES, VIEW, FUNCTION_OVER_VIEWS, PROPERTY_GRAPH, ROLE,
)  # fmt: skip
KINDS: Sequence[ObjectKind] = (*BEFORE_TABLES, *WITH_TABLES, *AFTER_TABLES)

STATEMENTS: Mapping[type[DdlStatement], Statement] = {
    node: run for kind in KINDS for node, run in statements_of(kind).items()
}


@cache
def kind_words() -> frozenset[str]:
    """Return the kinds as DDL writes them."""
    return frozenset(kind.words for kind in KINDS)


def run_statement(statement: DdlStatement, schema: Schema) -> Change:
    """Return the effect of a statement about an object of a kind."""
    return STATEMENTS[type(statement)](statement, schema)


def table_dependents(schema: Schema, table: Table) -> Iterator[SpannerError]:
    """Yield the errors for objects that need a table to drop."""
    for kind in KINDS:
        yield from kind.table_dependents(schema, table)


def column_dependents(schema: Schema, table: Table, column: str) -> Iterator[SpannerError]:
    """Yield the errors for objects that need a column to drop, or the type of the column."""
    for kind in KINDS:
        yield from kind.column_dependents(schema, table, column)


def with_renamed_table(schema: Schema, old: str, new: str) -> Mapping[str, Any]:
    """Return the fields of the schema whose objects name a table, with its new name."""
    fields = {}
    for kind in KINDS:
        objects = kind.objects(schema)
        changed = {key: kind.renamed(source, old, new) for key, source in objects.items()}
        if any(changed[key] is not objects[key] for key in objects):
            fields[kind.field] = changed
    return fields


def drop_managed_index(statement: DropIndex, schema: Schema) -> Change | None:
    """Drop a vector index by DROP INDEX; return None if no special index has the name.

    Raise SearchIndexOtherwiseDropped for a search index.
    """
    name = str(statement.name)
    if find_object(schema, SEARCH_INDEX.field, name) is not None:
        raise SearchIndexOtherwiseDropped(name)
    if find_object(schema, VECTOR_INDEX.field, name) is not None:
        return drop_object(VECTOR_INDEX, statement, schema)
    return None


def alter_managed_index(statement: AlterIndex, schema: Schema) -> Change | None:
    """Alter a vector index by ALTER INDEX, its statement in PostgreSQL; None for other indexes."""
    name = str(statement.name)
    if schema.dialect is not POSTGRESQL or VECTOR_INDEX.addressed(schema, name) is None:
        return None
    written = AlterVectorIndex(statement.name, statement.action, at=statement.at, end=statement.end)
    return alter_object(VECTOR_INDEX, written, schema)
