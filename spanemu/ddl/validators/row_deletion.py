"""Row deletion policies: nothing may stop the rows that they delete from going."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.errors import SpannerError
from spanemu.ddl.errors.tables import (
    DeletionPolicyColumnMissing,
    DeletionPolicyColumnType,
    DeletionPolicyOnAncestor,
    DeletionPolicyWithForeignKeys,
    DeletionPolicyWithNoActionChild,
)
from spanemu.ddl.lookup import find_column
from spanemu.schema.schema import Schema
from spanemu.schema.table import Interleave, Table
from spanemu.values.types import TypeCode


def policy_problems(table: Table, schema: Schema) -> Iterator[SpannerError]:
    """What is wrong with the policy of a table that is in `schema`."""
    if table.row_deletion_policy is None:
        return
    name, _ = table.row_deletion_policy
    column = find_column(table, name)
    if column is None:
        yield DeletionPolicyColumnMissing(table.name, name)
    elif column.type.code is not TypeCode.TIMESTAMP:
        yield DeletionPolicyColumnType(table.name, name)
    for child in _descendants(table, schema):
        if not child.cascade:
            yield DeletionPolicyWithNoActionChild(table.name, child.name)
    yield from referenced_policy_problems(table, schema)


def referenced_policy_problems(table: Table, schema: Schema) -> Iterator[SpannerError]:
    """Foreign keys that would stop the policy of the table they refer to."""
    if table.row_deletion_policy is None:
        return
    stopping = [
        f"`{key.name}`" for _, key in schema.referencing(table) if key.enforced and not key.cascade
    ]
    if stopping:
        yield DeletionPolicyWithForeignKeys(table.name, ", ".join(stopping))


def ancestor_policy_problems(table: Table, schema: Schema) -> Iterator[SpannerError]:
    """A child that would stop the policy of a table above it."""
    if table.cascade or table.interleave is not Interleave.IN_PARENT:
        return
    above: Table | None = schema.parent(table)
    while above is not None:
        if above.row_deletion_policy is not None:
            yield DeletionPolicyOnAncestor(table.name, above.name)
        above = schema.parent(above) if above.interleave is Interleave.IN_PARENT else None


def _descendants(table: Table, schema: Schema) -> Iterator[Table]:
    for child in schema.children(table):
        if child.interleave is Interleave.IN_PARENT:
            yield child
            yield from _descendants(child, schema)
