"""CREATE TABLE and DROP TABLE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from spanemu.base.errors import Unsupported
from spanemu.ddl import expressions
from spanemu.ddl.change import Change, Job, with_sequences, without_table
from spanemu.ddl.errors import columns as column_errors
from spanemu.ddl.errors import objects as name_errors
from spanemu.ddl.errors import tables as table_errors
from spanemu.ddl.kinds import table as kinds
from spanemu.ddl.naming import find_table, object_name_problems, table_of
from spanemu.ddl.statements import constraints as constraint_changes
from spanemu.ddl.statements.columns import ColumnSlot, identity_sequence, new_column
from spanemu.ddl.validators import expressions as expression_rules
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.options import (
    TABLE_RULES,
    Rules,
    changed_options,
    locality_group_problems,
    placement_key_problems,
)
from spanemu.ddl.validators.tables import (
    ancestor_policy_problems,
    column_problems,
    descent_problems,
    dictionary_problems,
    parent_key_problems,
    policy_problems,
    primary_key_problems,
    width_problems,
)
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Interleave, KeyPart, Table
from spanemu.sql import ddl_ast
from spanemu.sql.errors import TooManyColumns
from spanemu.sql.syntax_tree import Identifier, Path, TypeName
from spanemu.values.order import SortOrders

# The key of a table without a PRIMARY KEY clause, printed like any other column.
_ROW_ID = ddl_ast.ColumnDefinition(
    Identifier("rowid"),
    TypeName(path=Path((Identifier("INT64"),))),
    not_null=True,
    identity=ddl_ast.SequenceClauses(bit_reversed_positive=True),
    hidden=True,
    primary_key=True,
)


def create_table(statement: ddl_ast.CreateTable, schema: Schema) -> Change:
    """Create a table with its constraints and the indexes and sequences they need."""
    name = str(statement.name)
    if statement.if_not_exists and has_table(schema, name, is_queue=False):
        return Change(schema)
    check_name("Table", name, schema)
    schema = add_table(declared_table(statement, schema), schema)
    return _with_constraints(schema, name, statement.constraints)


def has_table(schema: Schema, name: str, *, is_queue: bool) -> bool:
    """Return whether a table, or a queue, has that name in any letter case."""
    known = schema.in_any_case(schema.tables, name)
    return known is not None and known.is_queue is is_queue


def check_name(kind: str, name: str, schema: Schema) -> None:
    """Raise for a name that no new table can have, and for a table beyond the limit."""
    raise_first(object_name_problems(kind, name, schema))
    if len(schema.tables) >= schema.limits.tables:
        raise table_errors.TooManyTables(name, schema.limits.tables)


def add_table(table: Table, schema: Schema) -> Schema:
    """Return the schema with a new table, which must be valid."""
    _validate(table, schema)
    table = _canonical(table, schema)
    schema = _with_columns(table, schema)
    raise_first(ancestor_policy_problems(table, schema))
    raise_first(policy_problems(table, schema))
    return schema


def _with_constraints(
    schema: Schema, table: str, constraints: Sequence[ddl_ast.Constraint]
) -> Change:
    jobs: list[Job] = []
    for constraint in constraints:
        change = add_constraint(schema, table, constraint)
        schema = change.schema
        jobs.extend(change.jobs)
    return Change(schema, jobs)


def add_constraint(schema: Schema, table: str, constraint: ddl_ast.Constraint) -> Change:
    """Add a constraint to a table of `schema`."""
    if isinstance(constraint, ddl_ast.ForeignKeyDefinition):
        return constraint_changes.add_foreign_key(schema, table, constraint)
    return constraint_changes.add_check(schema, table, constraint)


# ---------------------------------------------------------------------------- the table


def declared_table(
    statement: ddl_ast.CreateTable, schema: Schema, kind: str = "table", rules: Rules = TABLE_RULES
) -> Table:
    """Return the table that a statement declares; `rules` are those of its options."""
    name, first = str(statement.name), schema.next_id
    definitions = _definitions(statement)
    columns = tuple(
        new_column(definition, ColumnSlot(name, first + 1 + place, place), schema)
        for place, definition in enumerate(definitions)
    )
    _check_columns(name, columns, schema)
    policy = statement.row_deletion_policy
    table = Table(
        name=name,
        id=first,
        columns=columns,
        key=_key(statement, definitions, columns, schema.orders),
        least_width=len(columns),
        fold=schema.fold,
        synonyms=_synonyms(statement, schema),
        row_deletion_policy=None if policy is None else (policy.column.name, policy.days),
        options=changed_options((kind, name), statement.options, rules),
    )
    clause = statement.interleave
    if clause is None:
        return table
    return interleaved(table, table_of(schema, clause.table).name, clause)


def interleaved(table: Table, parent: str, clause: ddl_ast.InterleaveClause) -> Table:
    """Return a table with the parent that its INTERLEAVE clause names."""
    if clause.on_delete is not None and not clause.in_parent:
        raise table_errors.OnDeleteOfInterleaveIn(table.name)
    return replace(
        table,
        parent=parent,
        interleave=Interleave.IN_PARENT if clause.in_parent else Interleave.IN,
        cascade=clause.on_delete is ddl_ast.OnDelete.CASCADE,
    )


def _check_columns(table: str, columns: Sequence[Column], schema: Schema) -> None:
    seen: set[str] = set()
    for column in columns:
        key = schema.dialect.unique_key(column.name)
        if key in seen:
            raise column_errors.DuplicateColumnName(table, column.name)
        seen.add(key)
    columns_max = schema.limits.columns_per_table
    if len(columns) > columns_max:
        raise TooManyColumns(table, columns_max)


def _definitions(statement: ddl_ast.CreateTable) -> tuple[ddl_ast.ColumnDefinition, ...]:
    """Return the columns as written; a table without a key gets a hidden key column."""
    written = statement.columns
    if statement.primary_key is not None or any(column.primary_key for column in written):
        return written
    return (*written, _ROW_ID)


def _key(
    statement: ddl_ast.CreateTable,
    definitions: Sequence[ddl_ast.ColumnDefinition],
    columns: Sequence[Column],
    orders: SortOrders,
) -> tuple[KeyPart, ...]:
    table = str(statement.name)
    pairs = zip(definitions, columns, strict=True)
    ascending = orders.order()
    inline = tuple(
        KeyPart(column, ascending) for definition, column in pairs if definition.primary_key
    )
    if len(inline) > 1 or (inline and statement.primary_key is not None):
        raise table_errors.SeveralPrimaryKeys(table)
    if inline:
        return inline
    assert statement.primary_key is not None
    by_name = {column.name: column for column in columns}
    parts = []
    for part in statement.primary_key:
        column = by_name.get(part.column.name)
        if column is None:
            raise table_errors.KeyColumnMissing(table, part.column.name)
        if part.nulls is not None:
            raise Unsupported("NULLS FIRST and NULLS LAST in keys")
        parts.append(KeyPart(column, orders.order(descending=part.descending)))
    return tuple(parts)


def _synonyms(statement: ddl_ast.CreateTable, schema: Schema) -> tuple[str, ...]:
    name = str(statement.name)
    names = tuple(synonym.name for synonym in statement.synonyms)
    if len(names) > 1:
        raise table_errors.SynonymExists(name, names[0])
    for synonym in names:
        raise_first(object_name_problems("Synonym", synonym, schema))
        if schema.fold(synonym) == schema.fold(name):
            raise name_errors.DuplicateName(synonym)
    return names


def _validate(table: Table, schema: Schema) -> None:
    for column in table.columns:
        raise_first(column_problems(table.name, column, schema))
        raise_first(locality_group_problems(column.options, schema))
    raise_first(locality_group_problems(table.options, schema))
    raise_first(placement_key_problems(table, schema))
    raise_first(primary_key_problems(table, schema))
    raise_first(width_problems(table))
    raise_first(dictionary_problems(table))
    if table.parent is not None:
        parent = schema.tables[schema.fold(table.parent)]
        raise_first(parent_key_problems("Table", table.name, table.key, parent))
        raise_first(descent_problems(table, parent, schema))
    for column in table.columns:
        if column.default is not None or column.on_update is not None:
            raise_first(expression_rules.default_problems(table, column, schema))
    generated = {column.id: column for column in table.columns if column.generated is not None}
    if generated:
        raise_first(expression_rules.generated_problems(table, generated, schema))


def _canonical(table: Table, schema: Schema) -> Table:
    """Return a valid table with the expressions of its columns as the schema keeps them."""
    if all(column.default is None and column.generated is None for column in table.columns):
        return table
    columns = {
        column.id: expressions.canonical_column(column, table, schema) for column in table.columns
    }
    key = tuple(replace(part, column=columns[part.column.id]) for part in table.key)
    return replace(table, columns=tuple(columns.values()), key=key)


def _with_columns(table: Table, schema: Schema) -> Schema:
    next_id = table.id + 1 + len(table.columns)
    schema = schema.with_table(table, next_id=next_id)
    identities = [column for column in table.columns if column.identity is not None]
    return with_sequences(
        schema,
        [identity_sequence(column, next_id + n) for n, column in enumerate(identities)],
    )


# ---------------------------------------------------------------------------- dropping


def drop_table(statement: ddl_ast.DropTable, schema: Schema) -> Change:
    """Drop a table with its rows and its foreign keys."""
    table = find_table(schema, statement.name)
    if table is None:
        if statement.if_exists:
            return Change(schema)
        raise name_errors.TableNotFound(str(statement.name))
    return remove_table(table, schema)


def remove_table(table: Table, schema: Schema) -> Change:
    """Drop a table or a queue, unless other objects need it."""
    _refuse_used(table, schema)
    raise_first(kinds.table_dependents(schema, table))
    raise_first(expressions.dependent_view_problems(schema, table.words, table.name))
    return Change(
        without_table(constraint_changes.release_indexes(schema, table.foreign_keys), table)
    )


def _refuse_used(table: Table, schema: Schema) -> None:
    children = schema.children(table)
    if children:
        raise table_errors.TableHasChildren(table.name, ",".join(child.name for child in children))
    indexes = [index.name for index in schema.indexes_of(table) if not index.is_managed]
    within = (index for index in schema.all_indexes() if index.parent == table.name)
    indexes += [index.name for index in within if index.table != table.name]
    if indexes:
        raise table_errors.TableHasIndexes(table.name, ",".join(indexes))
    referring = [
        f"`{key.name}`" for other, key in schema.referencing(table) if other.id != table.id
    ]
    if referring:
        raise table_errors.TableIsReferenced(table.name, ", ".join(referring))
