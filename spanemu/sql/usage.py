"""The objects that a resolved statement reads, writes and calls, for access control.

A column that a DML statement needs only to identify the rows that it writes does not count as
read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, fields
from typing import Any

from spanemu.base.record import dataclass
from spanemu.schema.table import Column, Table
from spanemu.sql.functions.registry import Operation
from spanemu.sql.remote_calls import TargetKind
from spanemu.sql.resolved import (
    AggregateCall,
    ConflictClause,
    DeleteStatement,
    Expr,
    FilterScan,
    FunctionCall,
    InsertKind,
    InsertStatement,
    OutputColumn,
    PathPart,
    RemoteCallScan,
    ResolvedColumn,
    ReturningClause,
    Scan,
    SequenceRef,
    SortKey,
    Statement,
    SystemTableScan,
    TableFunctionScan,
    TableScan,
    UpdateStatement,
)

_NODES = (
    Expr, Scan, SortKey, AggregateCall, Statement, ReturningClause, ConflictClause, OutputColumn,
    PathPart,
)  # fmt: skip
_SKIPPED = frozenset({"type", "table", "signature", "at", "parameters", "undeclared", "hints"})
# Fields that produce or pass on columns without reading a value.
_BINDINGS = {
    TableScan: "columns",
    RemoteCallScan: "outputs",
    UpdateStatement: "key",
    DeleteStatement: "key",
    ReturningClause: "row",
    ConflictClause: "existing",
}


@dataclass(slots=True)
class Usage:
    """The names a statement uses: `reads` by table, `writes` as (privilege, table, columns)."""

    reads: dict[str, set[str]] = field(default_factory=dict)
    writes: list[tuple[str, str, frozenset[str]]] = field(default_factory=list)
    sequences: set[tuple[str, bool]] = field(default_factory=set)  # (name, is drawn from)
    system_tables: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)  # table functions
    models: set[str] = field(default_factory=set)
    remote_functions: set[str] = field(default_factory=set)


def collect_usage(statement: Statement) -> Usage:
    """Return the tables, columns and sequences that `statement` reads and writes."""
    usage = Usage(writes=list(_writes(statement)))
    produced: dict[int, tuple[str, str]] = {}
    used: set[int] = set()
    for node in _walk(statement):
        if isinstance(node, ResolvedColumn):
            used.add(node.id)
        elif isinstance(node, TableScan):
            usage.reads.setdefault(node.table.name, set())
            produced.update(
                (output.id, (node.table.name, column.name)) for output, column in node.columns
            )
        elif isinstance(node, TableFunctionScan):
            usage.functions.add(node.name)
        elif isinstance(node, SystemTableScan):
            usage.system_tables.add(node.name)
        elif isinstance(node, RemoteCallScan):
            usage.models.add(node.target.name)
        elif isinstance(node, FunctionCall):
            target = node.signature.target
            if target is not None and target.kind is TargetKind.REMOTE_FUNCTION:
                usage.remote_functions.add(target.name)
            for argument in node.arguments:
                if isinstance(argument, SequenceRef):
                    draws = node.signature.operation is Operation.NEXT_SEQUENCE_VALUE
                    usage.sequences.add((argument.name, draws))
        elif isinstance(node, ReturningClause):
            table = _target(statement)
            produced.update((output.id, (table, column.name)) for output, column in node.row)
    if isinstance(statement, UpdateStatement | DeleteStatement):
        # The loop below adds the table again if one of its columns is read.
        usage.reads.pop(statement.table.name, None)
    for id_ in used & produced.keys():
        table, column = produced[id_]
        usage.reads.setdefault(table, set()).add(column)
    return usage


def collect_filters(statement: Statement) -> Iterator[tuple[Table, list[Column]]]:
    """Yield the tables whose columns WHERE clauses name, with those columns."""
    nodes = list(_walk(statement))
    scans = [node for node in nodes if isinstance(node, TableScan)]
    filters = [node.condition for node in nodes if isinstance(node, FilterScan)]
    named = {
        column.id
        for condition in filters
        for column in _walk(condition)
        if isinstance(column, ResolvedColumn)
    }
    for scan in scans:
        columns = [column for output, column in scan.columns if output.id in named]
        if columns:
            yield scan.table, columns


def collect_functions(statement: Statement) -> set[str]:
    """Return the names of the scalar functions that a statement calls, in lower case.

    Names of the dialect PostgreSQL have no `spanner.` at the front.
    """
    calls = (node for node in _walk(statement) if isinstance(node, FunctionCall))
    return {call.signature.function.lower().removeprefix("spanner.") for call in calls}


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
    """Yield every node of the tree, and every column that is read, but not produced, by a node."""
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
                getattr(current, field_.name)
                for field_ in fields(current)
                if field_.name != binding and field_.name not in _SKIPPED
            )
