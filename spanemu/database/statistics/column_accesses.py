"""Which columns a statement, a read or a mutation has to do with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from spanemu.database.statements.reads import ReadPlan
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.functions.hash import farm_fingerprint
from spanemu.sql.plan.nodes import Scan
from spanemu.sql.plan.statements import DeletePlan, DmlPlan, InsertPlan, QueryPlan, UpdatePlan
from spanemu.sql.plan.traverse import walk
from spanemu.values.mutation import WriteKind

EXISTS = "_exists"  # Spanner's word for whether there is a row
_CREATING = frozenset({WriteKind.INSERT, WriteKind.INSERT_OR_UPDATE, WriteKind.REPLACE})

Columns = set[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Touched:
    """(table or index, column) pairs that are read and written; tables that lose rows."""

    reads: frozenset[tuple[str, str]] = frozenset()
    writes: frozenset[tuple[str, str]] = frozenset()
    deletes: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.reads or self.writes or self.deletes)

    @staticmethod
    def joined(parts: Iterable[Touched]) -> Touched:
        """What they touch together."""
        known = list(parts)
        return Touched(
            frozenset().union(*(one.reads for one in known)),
            frozenset().union(*(one.writes for one in known)),
            frozenset().union(*(one.deletes for one in known)),
        )


NOTHING = Touched()


def touched_by(source: Any) -> Touched:
    """What a statement (`query_engine.Prepared`) or a read (`ReadPlan`) touches."""
    if isinstance(source, ReadPlan):
        thing = source.table if source.index is None else source.index
        return Touched(frozenset((thing.name, _column(source, name)) for name, _ in source.columns))
    plan = source.executable.plan
    return _touched_by_plan(plan) if isinstance(plan, QueryPlan | DmlPlan) else NOTHING


def touched_by_mutations(
    mutations: Iterable[tuple[Any, str, tuple[str, ...] | None]], schema: Schema
) -> Touched:
    """What the mutations of a commit touch: (kind, table, columns), no kind for deletes."""
    writes: Columns = set()
    deletes = set()
    for kind, name, columns in mutations:
        table = schema.table(name)
        if table is None:
            continue
        if kind is None or kind is WriteKind.REPLACE:
            deletes.add(table.name)
        if kind is not None:
            writes |= _written(table, columns or (), creates=kind in _CREATING)
    return Touched(frozenset(), frozenset(writes), frozenset(deletes))


def named(columns: Iterable[tuple[str, str]]) -> list[str]:
    """ "Table.column", in alphabetical order."""
    return sorted(f"{thing}.{column}" for thing, column in columns)


def fingerprint(text: str) -> int:
    """The same number for the same text, always."""
    return int(farm_fingerprint(text))


def _column(plan: ReadPlan, name: str) -> str:
    column = plan.table.column(name)
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
    """A new row's existence is written too. An existing row's key is not: it only says which."""
    key = {column.name for column in table.key_columns}
    found = map(table.column, names)
    columns = {column.name for column in found if column is not None}
    if creates:
        return {(table.name, name) for name in columns | {EXISTS}}
    return {(table.name, name) for name in columns - key}


def with_indexes(written: Iterable[tuple[str, str]], schema: Schema) -> Mapping[str, set[str]]:
    """Columns by what is written to: tables, and those of their indexes that hold the columns."""
    found: dict[str, set[str]] = {}
    for name, column in written:
        found.setdefault(name, set()).add(column)
    for name, columns in list(found.items()):
        table = schema.table(name)
        for index in () if table is None else schema.indexes_of(table):
            held = {column.name for column in index.columns} & columns
            if held or EXISTS in columns:
                found[index.name] = held
    return found
