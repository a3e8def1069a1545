"""What a resolved statement reads, writes and draws from, by the names that it uses.

Columns that a statement only hands from a row to the key of its write do not count as read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from spanemu.sql.resolved import (
    AggregateCall,
    ConflictClause,
    DeleteStatement,
    Expr,
    FunctionCall,
    InsertKind,
    InsertStatement,
    OutputColumn,
    ResolvedColumn,
    ReturningClause,
    Scan,
    SequenceRef,
    SortKey,
    Statement,
    SystemTableScan,
    TableScan,
    UpdateStatement,
)

_NODES = (
    Expr, Scan, SortKey, AggregateCall, Statement, ReturningClause, ConflictClause, OutputColumn,
)  # fmt: skip
_SKIPPED = frozenset({"type", "table", "signature", "at", "parameters", "undeclared", "hints"})
# Fields that make or hand on columns rather than use them.
_BINDINGS = {
    TableScan: "columns",
    UpdateStatement: "key",
    DeleteStatement: "key",
    ReturningClause: "row",
    ConflictClause: "existing",
}


@dataclass(slots=True)
class Usage:
    """Column names by table; `writes` are (privilege, table, columns)."""

    reads: dict[str, set[str]] = field(default_factory=dict)
    writes: list[tuple[str, str, frozenset[str]]] = field(default_factory=list)
    sequences: set[tuple[str, str]] = field(default_factory=set)  # (function, sequence)
    system_tables: set[str] = field(default_factory=set)


def usage_of(statement: Statement) -> Usage:
    """What `statement` uses."""
    found = Usage(writes=list(_writes(statement)))
    made: dict[int, tuple[str, str]] = {}
    used: set[int] = set()
    for node in _walk(statement):
        if isinstance(node, ResolvedColumn):
            used.add(node.id)
        elif isinstance(node, TableScan):
            found.reads.setdefault(node.table.name, set())
            made.update((one.id, (node.table.name, column.name)) for one, column in node.columns)
        elif isinstance(node, SystemTableScan):
            found.system_tables.add(node.name)
        elif isinstance(node, FunctionCall):
            for argument in node.arguments:
                if isinstance(argument, SequenceRef):
                    found.sequences.add((node.signature.function, argument.name))
        elif isinstance(node, ReturningClause):
            table = _target(statement)
            made.update((one.id, (table, column.name)) for one, column in node.row)
    if isinstance(statement, UpdateStatement | DeleteStatement):
        found.reads.pop(statement.table.name, None)  # unless a column of it is used
    for id_ in used & made.keys():
        table, column = made[id_]
        found.reads.setdefault(table, set()).add(column)
    return found


def _target(statement: Statement) -> str:
    assert isinstance(statement, InsertStatement | UpdateStatement | DeleteStatement)
    return statement.table.name


def _writes(statement: Statement) -> Iterator[tuple[str, str, frozenset[str]]]:
    if isinstance(statement, InsertStatement):
        names = frozenset(column.name for column in statement.columns)
        yield "INSERT", statement.table.name, names
        keys = {column.name for column in statement.table.key_columns}
        if statement.kind is InsertKind.UPDATE:
            yield "UPDATE", statement.table.name, names - keys
        if statement.conflict is not None and statement.conflict.assignments is not None:
            assigned = frozenset(column.name for column, _ in statement.conflict.assignments)
            yield "UPDATE", statement.table.name, assigned
    elif isinstance(statement, UpdateStatement):
        assigned = frozenset(column.name for column, _ in statement.assignments)
        yield "UPDATE", statement.table.name, assigned
    elif isinstance(statement, DeleteStatement):
        yield "DELETE", statement.table.name, frozenset()


def _walk(node: Any) -> Iterator[Any]:
    """Every node below, and every column that is used rather than made."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, ResolvedColumn):
            yield current
        elif isinstance(current, tuple):
            waiting.extend(current)
        elif isinstance(current, _NODES):
            yield current
            binding = _BINDINGS.get(type(current))
            waiting.extend(
                getattr(current, one.name)
                for one in fields(current)
                if one.name != binding and one.name not in _SKIPPED
            )
