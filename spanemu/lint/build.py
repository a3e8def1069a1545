"""Builds the linter's schema from statements: CREATE adds, ALTER changes, DROP removes.

No statement is refused. A statement about an unknown object is recorded as a change and has no
other effect, because a migration may alter tables that earlier files created.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePath
from typing import Any

from spanemu.base.identifiers import fold
from spanemu.base.name_hints import spaced
from spanemu.lint.model import Change, Column, Index, Schema, Table
from spanemu.lint.settings import Settings
from spanemu.lint.source import Position, Statement
from spanemu.schema.dialect import POSTGRESQL
from spanemu.sql import ddl_ast, graph_ast
from spanemu.sql.ddl_ast import options_by_name
from spanemu.sql.syntax_tree import Node


def build(
    statements: Iterable[tuple[Statement, ddl_ast.DdlStatement]], settings: Settings
) -> Schema:
    """Return the schema after all statements."""
    builder = _Builder(Schema(settings))
    for statement, tree in statements:
        builder.add(statement, tree)
    schema = builder.schema
    for table in schema.tables.values():
        if (parent := table.parent) is not None:
            schema.children.setdefault(fold(parent.name), []).append(table)
    origins = list(dict.fromkeys(change.statement.source.origin for change in schema.changes))
    if len(origins) > 1 and all(map(_is_migration, origins)):
        schema.earlier_migrations = frozenset(origins[:-1])
    return schema


# V1__init.sql, R__views.sql, 0001_init.up.sql, 20240131120000-init.sql, 1.sql
_MIGRATION = re.compile(r"[VUR]?\d|R__", re.IGNORECASE)
_STEP = re.compile(r"(migration|up|down)\.sql", re.IGNORECASE)  # in a folder for each migration
_HINT = re.compile(r"FORCE_INDEX\s*=\s*([`\"\w.]+)", re.IGNORECASE)


def _is_migration(origin: str) -> bool:
    """Return whether the name of a file, or of its folder, begins with a version."""
    path = PurePath(origin)
    name = path.parent.name if _STEP.fullmatch(path.name) else path.name
    return _MIGRATION.match(name) is not None


def hinted_indexes(texts: Iterable[str]) -> frozenset[str]:
    """Return the folded names of the indexes that FORCE_INDEX hints in the texts name."""
    names = (name for text in texts for name in _HINT.findall(text))
    return frozenset(fold(re.sub(r'[`"]', "", name)) for name in names)


class _Builder:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def add(self, statement: Statement, tree: ddl_ast.DdlStatement) -> None:
        """Apply a statement, and record it with the table that it changes."""
        table = _changed_table(self.schema, tree)
        self.schema.changes.append(Change(statement, tree, table))
        effect = _EFFECTS.get(type(tree))
        if effect is not None:
            effect(self, statement, tree)

    # ------------------------------------------------------------------ tables

    def create_table(self, statement: Statement, tree: ddl_ast.CreateTable) -> None:
        name = str(tree.name)
        spelling = _spelling(statement, tree.name, name)
        table = Table(name, spelling, Position(statement, tree.name.at), self.schema)
        for definition in tree.columns:
            _add_column(table, statement, definition)
        inline = [each.name for each in tree.columns if each.primary_key]
        if tree.primary_key is not None:
            table.key_parts = _parts(statement, tree.primary_key)
        else:
            table.key_parts = tuple((n.name, False, Position(statement, n.at)) for n in inline)
            table.declares_key = bool(inline)
        if table.position.dialect.database is POSTGRESQL:
            table.require_key_columns()
        table.interleave = tree.interleave
        for constraint in tree.constraints:
            _add_constraint(table, statement, constraint)
        if tree.row_deletion_policy is not None:
            position = Position(statement, tree.row_deletion_policy.at)
            table.policies.append((tree.row_deletion_policy, position))
        table.options = dict(options_by_name(tree.options))
        self.schema.tables[fold(table.name)] = table

    def alter_table(self, statement: Statement, tree: ddl_ast.AlterTable) -> None:
        table = self.schema.table(str(tree.name))
        action = _ACTIONS.get(type(tree.action))
        if table is not None and action is not None:
            action(table, statement, tree.action)
        if table is not None and isinstance(tree.action, ddl_ast.RenameTo):
            self._rename(table, str(tree.action.name))

    def rename_tables(self, _: Statement, tree: ddl_ast.RenameTables) -> None:
        for old, new in tree.renames:
            if (table := self.schema.table(str(old))) is not None:
                self._rename(table, str(new))

    def _rename(self, table: Table, name: str) -> None:
        self.schema.tables.pop(fold(table.name), None)
        table.name = table.spelling = name
        self.schema.tables[fold(name)] = table

    def drop_table(self, _: Statement, tree: ddl_ast.Drop) -> None:
        self.schema.tables.pop(fold(str(tree.name)), None)

    # ------------------------------------------------------------------ indexes

    def create_index(self, statement: Statement, tree: ddl_ast.CreateIndex) -> None:
        table = self.schema.table(str(tree.table))
        if table is None:
            return
        index = Index(
            str(tree.name),
            Position(statement, tree.name.at),
            table,
            _parts(statement, tree.key),
            unique=tree.unique,
            null_filtered=tree.null_filtered,
            where_not_null=frozenset(fold(each.name) for each in tree.where_not_null),
            storing=[fold(each.name) for each in tree.storing],
            interleave=tree.interleave,
        )
        self.schema.indexes[fold(index.name)] = index

    def create_search_index(self, statement: Statement, tree: ddl_ast.CreateSearchIndex) -> None:
        table = self.schema.table(str(tree.table))
        if table is None:
            return
        position = Position(statement, tree.name.at)
        index = Index(str(tree.name), position, table, _parts(statement, tree.key), search=True)
        index.interleave = tree.interleave
        index.storing = [fold(each.name) for each in tree.storing]
        index.options = options_by_name(tree.options)
        index.order_by = tree.order_by
        self.schema.indexes[fold(index.name)] = index

    def create_vector_index(self, statement: Statement, tree: ddl_ast.CreateVectorIndex) -> None:
        table = self.schema.table(str(tree.table))
        if table is None:
            return
        position = Position(statement, tree.name.at)
        index = Index(str(tree.name), position, table, _parts(statement, tree.key), search=True)
        index.vector = True
        index.storing = [fold(each.name) for each in tree.storing]
        index.options = options_by_name(tree.options)
        self.schema.indexes[fold(index.name)] = index

    def alter_index(
        self,
        statement: Statement,
        tree: ddl_ast.AlterIndex | ddl_ast.AlterSearchIndex | ddl_ast.AlterVectorIndex,
    ) -> None:
        index = self.schema.indexes.get(fold(str(tree.name)))
        if index is None:
            return
        match tree.action:
            case ddl_ast.AddIndexColumn(column=column, stored=True):
                index.storing.append(fold(column.name))
            case ddl_ast.AddIndexColumn(column=column):
                position = Position(statement, column.at)
                index.key_parts += ((column.name, False, position),)
            case ddl_ast.DropIndexColumn(column=column) if fold(column.name) in index.storing:
                index.storing.remove(fold(column.name))
            case ddl_ast.DropIndexColumn(column=column):
                index.key_parts = tuple(
                    part for part in index.key_parts if fold(part[0]) != fold(column.name)
                )

    def drop_index(self, _: Statement, tree: ddl_ast.Drop) -> None:
        self.schema.indexes.pop(fold(str(tree.name)), None)

    # ------------------------------------------------------------------ other objects

    def create_sequence(self, statement: Statement, tree: ddl_ast.CreateSequence) -> None:
        self.schema.sequences[fold(str(tree.name))] = tree, Position(statement, tree.name.at)

    def drop_sequence(self, _: Statement, tree: ddl_ast.DropSequence) -> None:
        self.schema.sequences.pop(fold(str(tree.name)), None)

    def create_graph(self, statement: Statement, tree: graph_ast.CreatePropertyGraph) -> None:
        self.schema.graphs[fold(str(tree.name))] = tree, statement

    def drop_graph(self, _: Statement, tree: graph_ast.DropPropertyGraph) -> None:
        self.schema.graphs.pop(fold(str(tree.name)), None)

    def alter_database(self, _: Statement, tree: ddl_ast.AlterDatabase) -> None:
        self.schema.options.update(options_by_name(tree.options))


_EFFECTS: Mapping[type[ddl_ast.DdlStatement], Callable[[_Builder, Statement, Any], None]] = {
    ddl_ast.AlterDatabase: _Builder.alter_database,
    ddl_ast.AlterIndex: _Builder.alter_index,
    ddl_ast.AlterQueue: _Builder.alter_table,
    ddl_ast.AlterSearchIndex: _Builder.alter_index,
    ddl_ast.AlterTable: _Builder.alter_table,
    ddl_ast.AlterVectorIndex: _Builder.alter_index,
    ddl_ast.CreateIndex: _Builder.create_index,
    ddl_ast.CreateQueue: _Builder.create_table,
    ddl_ast.CreateSearchIndex: _Builder.create_search_index,
    ddl_ast.CreateSequence: _Builder.create_sequence,
    ddl_ast.CreateTable: _Builder.create_table,
    ddl_ast.CreateVectorIndex: _Builder.create_vector_index,
    ddl_ast.DropIndex: _Builder.drop_index,
    ddl_ast.DropQueue: _Builder.drop_table,
    ddl_ast.DropSearchIndex: _Builder.drop_index,
    ddl_ast.DropSequence: _Builder.drop_sequence,
    ddl_ast.DropTable: _Builder.drop_table,
    ddl_ast.DropVectorIndex: _Builder.drop_index,
    ddl_ast.RenameTables: _Builder.rename_tables,
    graph_ast.CreatePropertyGraph: _Builder.create_graph,
    graph_ast.DropPropertyGraph: _Builder.drop_graph,
}


def _changed_table(schema: Schema, tree: ddl_ast.DdlStatement) -> Table | None:
    """Return the table that a statement changes, as declared before the statement."""
    match tree:
        case ddl_ast.AlterTable(name=name) | ddl_ast.DropTable(name=name):
            return schema.table(str(name))
        case ddl_ast.DropQueue(name=name):
            return schema.table(str(name))
        case ddl_ast.IndexDefinition(table=name):
            return schema.table(str(name))
        case ddl_ast.DropIndex(name=name) | ddl_ast.AlterIndex(name=name):
            index = schema.indexes.get(fold(str(name)))
            return None if index is None else index.table
    return None


def _parts(
    statement: Statement, key: tuple[ddl_ast.KeyPart, ...]
) -> tuple[tuple[str, bool, Position], ...]:
    return tuple((each.column.name, each.descending, Position(statement, each.at)) for each in key)


def _spelling(statement: Statement, node: Node, name: str) -> str:
    """Return a name as the statement writes it: PostgreSQL's parser changes its capitals.

    A PostgreSQL name without capitals gets marks between its words.
    """
    written = statement.text[node.at : node.end]
    spelling = written if fold(written) == fold(name) else name
    return spaced(spelling) if statement.source.dialect.database is POSTGRESQL else spelling


def _add_column(table: Table, statement: Statement, definition: ddl_ast.ColumnDefinition) -> None:
    table.columns[fold(definition.name.name)] = Column(
        definition.name.name,
        _spelling(statement, definition.name, definition.name.name),
        Position(statement, definition.at),
        definition,
        dict(options_by_name(definition.options)),
        definition.default,
        definition.on_update,
    )


def _add_constraint(table: Table, statement: Statement, constraint: ddl_ast.Constraint) -> None:
    if isinstance(constraint, ddl_ast.CheckDefinition):
        table.checks.append(constraint)
    else:
        table.foreign_keys.append((constraint, Position(statement, constraint.at)))


# ---------------------------------------------------------------------------- ALTER TABLE


def _redefine(table: Table, statement: Statement, action: ddl_ast.RedefineColumn) -> None:
    """Replace a column definition; its options stay unless the action gives options."""
    before = table.column(action.column.name.name)
    _add_column(table, statement, action.column)
    if before is not None and action.column.options is None:
        table.columns[fold(before.name)].options = before.options


def _drop_column(table: Table, _: Statement, action: ddl_ast.DropColumn) -> None:
    table.columns.pop(fold(action.column.name), None)


def _drop_constraint(table: Table, _: Statement, action: ddl_ast.DropConstraint) -> None:
    name = fold(action.name.name)
    table.checks = [each for each in table.checks if _named(each) != name]
    table.foreign_keys = [
        (key, position) for key, position in table.foreign_keys if _named(key) != name
    ]


def _named(constraint: ddl_ast.Constraint) -> str | None:
    return None if constraint.name is None else fold(constraint.name.name)


def _on_delete(table: Table, _: Statement, action: ddl_ast.SetOnDelete) -> None:
    if table.interleave is not None:
        clause = table.interleave
        table.interleave = ddl_ast.InterleaveClause(
            clause.table, clause.in_parent, action.on_delete, at=clause.at, end=clause.end
        )


def _set_interleave(table: Table, _: Statement, action: ddl_ast.SetInterleave) -> None:
    table.interleave = action.interleave


def _policy(table: Table, statement: Statement, action: ddl_ast.AddRowDeletionPolicy) -> None:
    table.policies.append((action.policy, Position(statement, action.policy.at)))


def _replace_policy(
    table: Table, statement: Statement, action: ddl_ast.ReplaceRowDeletionPolicy
) -> None:
    table.policies = [(action.policy, Position(statement, action.policy.at))]


def _set_on_column(table: Table, _: Statement, action: Any) -> None:
    column = table.column(action.column.name)
    if column is None:
        return
    match action:
        case ddl_ast.SetColumnOptions(options=options):
            column.options.update(options_by_name(options))
        case ddl_ast.SetColumnDefault(default=default):
            column.default = default
        case ddl_ast.DropColumnDefault():
            column.default = None
        case ddl_ast.SetColumnOnUpdate(on_update=on_update):
            column.on_update = on_update
        case ddl_ast.DropColumnOnUpdate():
            column.on_update = None


_ACTIONS: Mapping[type[ddl_ast.TableAction], Callable[[Table, Statement, Any], None]] = {
    ddl_ast.AddColumn: lambda table, statement, a: _add_column(table, statement, a.column),
    ddl_ast.AddConstraint: lambda table, statement, a: _add_constraint(
        table, statement, a.constraint
    ),
    ddl_ast.AddRowDeletionPolicy: _policy,
    ddl_ast.DropColumn: _drop_column,
    ddl_ast.DropColumnDefault: _set_on_column,
    ddl_ast.DropColumnOnUpdate: _set_on_column,
    ddl_ast.DropConstraint: _drop_constraint,
    ddl_ast.DropRowDeletionPolicy: lambda table, *_: table.policies.clear(),
    ddl_ast.RedefineColumn: _redefine,
    ddl_ast.ReplaceRowDeletionPolicy: _replace_policy,
    ddl_ast.SetColumnDefault: _set_on_column,
    ddl_ast.SetColumnOnUpdate: _set_on_column,
    ddl_ast.SetColumnOptions: _set_on_column,
    ddl_ast.SetInterleave: _set_interleave,
    ddl_ast.SetOnDelete: _on_delete,
}
