"""CREATE QUEUE, ALTER QUEUE and DROP QUEUE: tables whose rows are messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.ddl.change import Change
from spanemu.ddl.errors.objects import NamedSchemaNotSupported, ObjectNotFound, TooManyObjects
from spanemu.ddl.errors.routines import QueueActionUnsupported, QueueInvalid
from spanemu.ddl.naming import find_queue
from spanemu.ddl.statements.alter_table import (
    add_row_deletion_policy,
    drop_row_deletion_policy,
    replace_row_deletion_policy,
    set_interleave,
    set_on_delete,
    with_options,
)
from spanemu.ddl.statements.create_table import (
    add_table,
    check_name,
    declared_table,
    has_table,
    remove_table,
)
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.options import (
    LOCALITY_GROUP,
    TRUE_OR_FALSE,
    Rules,
    changed_options,
    words,
)
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Table
from spanemu.sql import ddl_ast
from spanemu.values.types import BYTES, STRING, TIMESTAMP, TypeCode

_LABEL = "Queue"
_RULES: Rules = {
    "disable_delivery": TRUE_OR_FALSE,
    "disable_send": TRUE_OR_FALSE,
    "locality_group": LOCALITY_GROUP,
    "receive_mode": words("PULL"),
}
_PAYLOADS = frozenset({TypeCode.JSON, TypeCode.PG_JSONB, TypeCode.PROTO})


def create_queue(statement: ddl_ast.CreateQueue, schema: Schema) -> Change:
    """Create a queue; its delivery time becomes its last column."""
    name = str(statement.name)
    if statement.if_not_exists and has_table(schema, name, is_queue=True):
        return Change(schema)
    if "." in name:
        raise NamedSchemaNotSupported(_LABEL, name)
    check_name(_LABEL, name, schema)
    count = sum(table.is_queue for table in schema.tables.values())
    if count >= schema.limits.queues:
        raise TooManyObjects(_LABEL, name, schema.limits.queues)
    raise_first(_problems(statement, schema))
    queue = declared_table(statement, schema, _LABEL, _RULES)
    payload = queue.column(schema.dialect.queues.payload)
    assert payload is not None
    if payload.type not in (BYTES, STRING) and payload.type.code not in _PAYLOADS:
        reason = f"the type of {payload.name} is {payload.type}, not BYTES, STRING, JSON or PROTO"
        raise QueueInvalid(name, reason)
    return Change(add_table(_with_deliver_time(queue, schema), schema))


def _with_deliver_time(table: Table, schema: Schema) -> Table:
    count = len(table.columns)
    deliver_time = Column(
        name=schema.dialect.queues.deliver_time,
        type=TIMESTAMP,
        id=table.id + 1 + count,
        position=count,
        not_null=True,
        default=schema.dialect.queues.now,
    )
    return replace(table, columns=(*table.columns, deliver_time), is_queue=True)


def alter_queue(statement: ddl_ast.AlterQueue, schema: Schema) -> Change:
    """Apply the action of an ALTER QUEUE."""
    queue = find_queue(schema, statement.name)
    if queue is None:
        if statement.if_exists:
            return Change(schema)
        raise ObjectNotFound(_LABEL, str(statement.name))
    action = _ACTIONS.get(type(statement.action))
    if action is None:
        raise QueueActionUnsupported(queue.name)
    return action(queue, statement.action, schema)


def _set_options(queue: Table, action: ddl_ast.SetTableOptions, schema: Schema) -> Change:
    options = changed_options((_LABEL, queue.name), action.options, _RULES, queue.options)
    return with_options(queue, options, schema)


_ACTIONS: Mapping[type[ddl_ast.TableAction], Callable[[Table, Any, Schema], Change]] = {
    ddl_ast.AddRowDeletionPolicy: add_row_deletion_policy,
    ddl_ast.DropRowDeletionPolicy: drop_row_deletion_policy,
    ddl_ast.ReplaceRowDeletionPolicy: replace_row_deletion_policy,
    ddl_ast.SetInterleave: set_interleave,
    ddl_ast.SetOnDelete: set_on_delete,
    ddl_ast.SetTableOptions: _set_options,
}


def drop_queue(statement: ddl_ast.DropQueue, schema: Schema) -> Change:
    """Drop a queue with its messages."""
    queue = find_queue(schema, statement.name)
    if queue is None:
        if statement.if_exists:
            return Change(schema)
        raise ObjectNotFound(_LABEL, str(statement.name))
    return remove_table(queue, schema)


# ---------------------------------------------------------------------------- rules


def _problems(statement: ddl_ast.CreateQueue, schema: Schema) -> Iterator[SpannerError]:
    """Yield the problems with the parts of the statement, besides what tables refuse too."""
    name, names, fold = str(statement.name), schema.dialect.queues, schema.fold
    if statement.primary_key is None:
        yield QueueInvalid(name, "it needs a PRIMARY KEY clause")
    if statement.constraints or statement.synonyms:
        yield QueueInvalid(name, "queues have neither constraints nor synonyms")
    key = {fold(part.column.name) for part in statement.primary_key or ()}
    columns = {fold(column.name.name): column for column in statement.columns}
    payload = columns.get(fold(names.payload))
    if payload is None or fold(names.payload) in key:
        yield QueueInvalid(name, f"it needs a column {names.payload} outside of its key")
        return
    if not payload.not_null:
        yield QueueInvalid(name, f"column {names.payload} must be NOT NULL")
    if fold(names.deliver_time) in columns:
        reason = f"every queue has a column {names.deliver_time}, which cannot be declared"
        yield QueueInvalid(name, reason)
    for folded, column in columns.items():
        if folded not in key and column is not payload:
            reason = f"column {column.name.name} is neither in its key nor the {names.payload}"
            yield QueueInvalid(name, reason)
        if _has_unsupported_clause(column, is_payload=column is payload):
            reason = f"column {column.name.name} has a clause that columns of queues do not have"
            yield QueueInvalid(name, reason)


def _has_unsupported_clause(column: ddl_ast.ColumnDefinition, *, is_payload: bool) -> bool:
    return any(
        (
            column.default is not None,
            column.on_update is not None,
            column.identity is not None,
            column.auto_increment,
            column.serial,
            column.placement_key,
            is_payload and column.generated is not None,
        )
    )
