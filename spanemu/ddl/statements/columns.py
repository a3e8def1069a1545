"""Columns of CREATE TABLE, ADD COLUMN and ALTER COLUMN, from their definitions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spanemu.base.record import dataclass
from spanemu.ddl.errors import columns as column_errors
from spanemu.ddl.naming import identity_sequence_name
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.options import (
    COLUMNAR_POLICY,
    LOCALITY_GROUP,
    Rule,
    Rules,
    is_bool,
    is_text,
    sequence_problems,
)
from spanemu.ddl.validators.tables import LENGTHS_MAX
from spanemu.schema.objects import NO_TYPES, Sequence
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Identity
from spanemu.sql import ddl_ast
from spanemu.sql.syntax_tree import TypeName
from spanemu.values.types import SCALARS, Type, array_of

_BIT_REVERSED = "bit_reversed_positive"

_COLUMN_RULES: Rules = {
    "allow_commit_timestamp": Rule(is_bool, "true, false, and null"),
    "cassandra_type": Rule(is_text, "the name of a Cassandra type"),
    "columnar_policy": COLUMNAR_POLICY,
    "locality_group": LOCALITY_GROUP,
}


@dataclass(frozen=True, slots=True)
class ColumnSlot:
    """The identity of a new column: its table's name, its id, and its position in stored rows."""

    table: str
    id: int
    position: int


def new_column(definition: ddl_ast.ColumnDefinition, slot: ColumnSlot, schema: Schema) -> Column:
    """Return the column that a definition declares. The column is not validated."""
    name = definition.name.name
    type_, length = column_type(definition.type, slot.table, name, schema)
    return Column(
        name=name,
        type=type_,
        id=slot.id,
        position=slot.position,
        length=length,
        not_null=definition.not_null,
        default=_text(definition.default),
        generated=_text(definition.generated),
        stored=definition.stored or definition.generated is None,
        on_update=_text(definition.on_update),
        identity=_identity(definition, slot, schema),
        hidden=definition.hidden,
        placement_key=definition.placement_key,
        vector_length=definition.type.vector_length,
        options=column_options(slot.table, name, definition.options, {}),
    )


def _text(expression: ddl_ast.SqlExpression | None) -> str | None:
    return None if expression is None else expression.text


# ---------------------------------------------------------------------------- types


def column_type(
    written: TypeName, table: str, column: str, schema: Schema
) -> tuple[Type, int | None]:
    """Return a type as written and the length of it or its elements; None is MAX."""
    if written.element is not None:
        if written.element.element is not None:
            raise column_errors.NestedArray(table, column)
        element, length = column_type(written.element, table, column, schema)
        return array_of(element), length
    if written.fields is not None:
        raise column_errors.TypeNotStorable(table, column, "STRUCT")
    name = str(written.path)
    storable = schema.dialect.column_types
    type_ = storable.get(name.upper()) or (schema.proto_bundle or NO_TYPES).type_of(name)
    if type_ is None:
        if name.upper() in SCALARS:
            raise column_errors.TypeNotStorable(table, column, name.upper())
        raise column_errors.TypeNotFound(table, column, name)
    return type_, _length(written, type_, table, column)


def _length(written: TypeName, type_: Type, table: str, column: str) -> int | None:
    if type_.code in LENGTHS_MAX:
        if written.length is None:
            raise column_errors.LengthMissing(table, column, str(type_))
        return written.length if isinstance(written.length, int) else None
    if written.length is not None:
        raise column_errors.LengthNotAllowed(table, column, str(type_))
    return None


# ---------------------------------------------------------------------------- options


def column_options(
    table: str, column: str, written: ddl_ast.Options | None, before: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return a column's options after the options written; NULL removes an option."""
    options = dict(before)
    for name, value in ddl_ast.options_by_name(written).items():
        rule = _COLUMN_RULES.get(name)
        if rule is None:
            raise column_errors.UnknownOption("column", f"{table}.{column}", name)
        if value is None:
            options.pop(name, None)
        elif rule.accepts(value):
            options[name] = value
        else:
            raise column_errors.BadOptionValue(name, rule.supported)
    return options


# ---------------------------------------------------------------------------- identity


def _identity(
    definition: ddl_ast.ColumnDefinition, slot: ColumnSlot, schema: Schema
) -> Identity | None:
    clauses = definition.identity
    if clauses is None:
        if not (definition.auto_increment or definition.serial):
            return None
        clauses = ddl_ast.SequenceClauses()
    if not clauses.bit_reversed_positive and not schema.options.get("default_sequence_kind"):
        raise column_errors.IdentityKindMissing(definition.name.name)
    raise_first(sequence_problems(clauses.skip_range, clauses.counter))
    kind = _BIT_REVERSED if clauses.bit_reversed_positive else None
    name = identity_sequence_name(slot.id)
    return Identity(name, kind, clauses.skip_range, clauses.counter)


def identity_sequence(column: Column, id_: int) -> Sequence:
    """Return the sequence that an identity column draws from."""
    identity = column.identity
    assert identity is not None
    return Sequence(
        name=identity.sequence,
        id=id_,
        skip_range=identity.skip_range,
        start_counter=identity.start_counter,
        by_options=False,
        internal=True,
        kind_written=identity.kind is not None,
    )
