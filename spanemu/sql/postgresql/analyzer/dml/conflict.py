"""Checks ON CONFLICT, of which Spanner has two forms: INSERT OR IGNORE and INSERT OR UPDATE.

The target is the whole primary key in its order, and DO UPDATE sets each inserted column to the
value of the same column of `excluded`.
"""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.schema.table import Column, Table
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.errors.writing import (
    AssignedTwice,
    ColumnOfRelation,
    ConflictRefused,
    ConflictWithoutTarget,
)
from spanemu.sql.resolved import InsertKind
from spanemu.sql.syntax_tree import Name

EXCLUDED = "excluded"


def conflict_kind(
    node: ast.OnConflict | None, columns: Sequence[Column], table: Table
) -> InsertKind:
    """Return the treatment of rows whose key exists.

    Raise an error for a form of ON CONFLICT that Spanner does not have; `columns` are inserted.
    """
    if node is None:
        return InsertKind.INSERT
    _check_target(node, table)
    if node.assignments is None:
        return InsertKind.IGNORE
    _check_assignments(node.assignments, columns, table)
    return InsertKind.UPDATE


def _check_target(node: ast.OnConflict, table: Table) -> None:
    key = [column.name for column in table.key_columns]
    for identifier in node.columns:
        if table.column(identifier.name) is None:
            raise ColumnOfRelation(identifier.name, table.name, at=identifier.at)
        if identifier.name not in key:
            raise ConflictRefused(
                f"Column '{identifier.name}' is not a key column. Columns other than primary key "
                "columns are not supported as ON CONFLICT target columns",
                at=identifier.at,
            )
    if [identifier.name for identifier in node.columns] != key:
        raise ConflictWithoutTarget(at=node.at)


def _check_assignments(
    assignments: Sequence[ast.Assignment], columns: Sequence[Column], table: Table
) -> None:
    inserted = {column.name for column in columns}
    assigned: set[str] = set()
    for item in assignments:
        name = item.column.name
        if table.column(name) is None:
            raise ColumnOfRelation(name, table.name, at=item.column.at)
        if name in assigned:
            raise AssignedTwice(name, at=item.column.at)
        assigned.add(name)
        if name not in inserted or not _is_excluded(item):
            raise _not_set(name, item.at)
    for column in columns:
        if column.name not in assigned:
            raise _not_set(column.name, assignments[0].at)


def _is_excluded(item: ast.Assignment) -> bool:
    """Return whether the value of an assignment is the same column of the row to insert."""
    value = item.value
    return isinstance(value, Name) and value.path.names == (EXCLUDED, item.column.name)


def _not_set(name: str, at: int) -> ConflictRefused:
    return ConflictRefused(
        f"Column '{name}' must be set to the insert value in the statement using "
        f"excluded.{name} in the ON CONFLICT DO UPDATE SET clause",
        at=at,
    )
