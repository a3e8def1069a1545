"""CREATE TABLE."""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.base.errors import Unsupported
from spanemu.ddl.change import Change
from spanemu.ddl.errors import DuplicateName, KeyColumnMissing, TableNotFound
from spanemu.schema.column import Column, KeyPart
from spanemu.schema.schema import Schema
from spanemu.schema.table import Interleave, Table
from spanemu.sql.syntax import ddl_ast
from spanemu.sql.syntax.ast import TypeName
from spanemu.values.types import SCALARS, Type, array_of


def create_table(statement: ddl_ast.CreateTable, schema: Schema) -> Change:
    """A new table."""
    name = str(statement.name)
    if schema.has_name(name):
        if statement.if_not_exists and schema.table(name) is not None:
            return Change(schema)
        raise DuplicateName(name)
    first_id = schema.next_id
    columns = tuple(
        _column(definition, first_id + 1 + place, place)
        for place, definition in enumerate(statement.columns)
    )
    table = Table(
        name=name,
        id=first_id,
        columns=columns,
        key=_key(statement, name, {column.name: column for column in columns}),
        **_interleave(statement, schema),
    )
    tables = {**schema.tables, name.lower(): table}
    return Change(schema.next(tables=tables, next_id=first_id + 1 + len(columns)))


def _column(definition: ddl_ast.ColumnDefinition, id_: int, position: int) -> Column:
    written = definition.type
    item = written if written.element is None else written.element
    options = ddl_ast.options_by_name(definition.options)
    return Column(
        name=definition.name.name,
        type=_type(written),
        id=id_,
        position=position,
        length=item.length if isinstance(item.length, int) else None,
        not_null=definition.not_null,
        default=None if definition.default is None else definition.default.text,
        generated=None if definition.generated is None else definition.generated.text,
        stored=definition.stored or definition.generated is None,
        hidden=definition.hidden,
        options={key: value for key, value in options.items() if value is not None},
    )


def _type(written: TypeName) -> Type:
    if written.element is not None:
        return array_of(_type(written.element))
    name = str(written.path).upper()
    if name not in SCALARS:
        raise Unsupported(f"Columns of type {written.path}")
    return SCALARS[name]


def _key(
    statement: ddl_ast.CreateTable, table: str, columns: Mapping[str, Column]
) -> tuple[KeyPart, ...]:
    if statement.primary_key is None:
        inline = [column.name.name for column in statement.columns if column.primary_key]
        if not inline:
            raise Unsupported("Tables without a PRIMARY KEY clause")
        return tuple(KeyPart(columns[name]) for name in inline)
    lowered = {name.lower(): column for name, column in columns.items()}
    parts = []
    for part in statement.primary_key:
        column = lowered.get(part.column.name.lower())
        if column is None:
            raise KeyColumnMissing(table, part.column.name)
        parts.append(KeyPart(column, part.descending))
    return tuple(parts)


def _interleave(statement: ddl_ast.CreateTable, schema: Schema) -> dict[str, object]:
    clause = statement.interleave
    if clause is None:
        return {}
    parent = schema.tables.get(str(clause.table).lower())
    if parent is None:
        raise TableNotFound(str(clause.table))
    return {
        "parent": parent.name,
        "interleave": Interleave.IN_PARENT if clause.in_parent else Interleave.IN,
        "cascade": clause.on_delete is ddl_ast.OnDelete.CASCADE,
    }
