"""The columns that a statement, a read or a mutation uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from spanemu.database.statements.reads import ReadPlan
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.functions import hash as hashes
from spanemu.sql.plan.nodes import Scan
from spanemu.sql.plan.statements import DeletePlan, DmlPlan, InsertPlan, QueryPlan, UpdatePlan
from spanemu.sql.plan.traverse import walk
from spanemu.values.mutation import WriteKind

EXISTS = "_exists"  # Spanner's name for the existence of a row
_CREATING = frozenset({WriteKind.INSERT, WriteKind.INSERT_OR_UPDATE, WriteKind.REPLACE})

Columns = set[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Touched:
    """The (table or index, column) pairs read and written, and the tables that lose rows."""

    reads: frozenset[tuple[str, str]] = frozenset()
    writes: frozenset[tuple[str, str]] = frozenset()
    deletes: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.reads or self.writes or self.deletes)

    @staticmethod
    def joined(parts: Iterable[Touched]) -> Touched:
        """Return the union of the parts."""
        all_parts = list(parts)
        return Touched(
            frozenset().union(*(part.reads for part in all_parts)),
            frozenset().union(*(part.writes for part in all_parts)),
            frozenset().union(*(part.deletes for part in all_parts)),
        )


NOTHING = Touched()


def touched_by(source: Any) -> Touched:
    """Return the columns that a statement (`query_engine.Prepared`) or a read (`ReadPlan`) uses."""
    if isinstance(source, ReadPlan):
        target = source.table if source.index is None else source.index
        return Touched(
            frozenset((target.name, _column(source, name)) for name, _ in source.columns)
        )
    plan = source.executable.plan
    return _touched_by_plan(plan) if isinstance(plan, QueryPlan | DmlPlan) else NOTHING


def touched_by_mutations(
    mutations: Iterable[tuple[Any, str, tuple[str, ...] | None]], schema: Schema
) -> Touched:
    """Return the columns of a commit's mutations: (kind, table, columns), None for deletes."""
    writes: Columns = set()
    deletes = set()
    for kind, name, columns in mutations:
        table = schema.requested_table(name)
        if table is None:
            continue
        if kind is None or kind is WriteKind.REPLACE:
            deletes.add(table.name)
        if kind is not None:
            writes |= _written(table, columns or (), creates=kind in _CREATING)
    return Touched(frozenset(), frozenset(writes), frozenset(deletes))


def named(columns: Iterable[tuple[str, str]]) -> list[str]:
    """Return "Table.column" for each column, sorted."""
    return sorted(f"{source}.{column}" for source, column in columns)


def fingerprint(text: str) -> int:
    """Return the fingerprint of a text, equal for equal texts in every process."""
    return int(hashes.farm_fingerprint(text))


def _column(plan: ReadPlan, name: str) -> str:
    column = plan.table.requested_column(name)
    return name if column is None else column.name


def _touched_by_plan(plan: QueryPlan | DmlPlan) -> Touched:
    reads: Columns = set()
    for node in walk(plan.root):
        if isinstance(node, Scan):
            name = node.table.name if node.index is None else node.index.name
            columns = {(name, stored.name) for _, stored in node.outputs}
            reads |= columns or {(name, EXISTS)}
    writes: Columns = set()
    deletes = set()
    match plan:
        case InsertPlan():
            names = [column.name for column in plan.targets]
            writes = _written(plan.table, names, creates=True)
        case UpdatePlan():
            names = [column.name for column, _ in plan.assignments]
            writes = _written(plan.table, names, creates=False)
        case DeletePlan():
            deletes.add(plan.table.name)
        case _:
            pass
    return Touched(frozenset(reads), frozenset(writes), frozenset(deletes))


def _written(table: Table, names: Iterable[str], *, creates: bool) -> Columns:
    """Return the written columns.

    A new row's existence is written too. An existing row's key is not written: it only identifies
    the row.
    """
    key = {column.name for column in table.key_columns}
    declared = map(table.requested_column, names)
    columns = {column.name for column in declared if column is not None}
    if creates:
        return {(table.name, name) for name in columns | {EXISTS}}
    return {(table.name, name) for name in columns - key}


def with_indexes(written: Iterable[tuple[str, str]], schema: Schema) -> Mapping[str, set[str]]:
    """Return the written columns by table, and by index that contains the columns."""
    by_source: dict[str, set[str]] = {}
    for name, column in written:
        by_source.setdefault(name, set()).add(column)
    for name, columns in list(by_source.items()):
        table = schema.table(name)
        for index in () if table is None else schema.indexes_of(table):
            held = {column.name for column in index.columns} & columns
            if held or EXISTS in columns:
                by_source[index.name] = held
    return by_source
