"""Reading a table by several indexes at once, for a condition that is a disjunction.

    FROM T@{INDEX_STRATEGY=FORCE_INDEX_UNION} WHERE a = 1 OR b = 2

    ApplyJoin back-join
    ├─ HashAggregate keys=(Id)
    │  └─ UnionAll
    │     ├─ Scan T by ByA seek=[a = 1]
    │     └─ Scan T by ByB seek=[b = 2]
    └─ Scan T seek=[Id]

Each part of the disjunction must be one that an index, or the table's own key, can seek; a row
that meets several parts comes once. Done where a hint asks for it, and where it is cheaper than any
other way (`access_path`), but then not in a plan that is going to be cut into shares: rows would
leave their share to meet their kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from spanemu.sql.plan.conditions import conjuncts, disjuncts
from spanemu.sql.plan.nodes import Columns, HashAggregate, Node, Scan, UnionAll
from spanemu.sql.plan.traverse import free, substitute
from spanemu.sql.planner.planning import Planning
from spanemu.sql.resolved import ColumnRef, Expr, ResolvedColumn

_PARTS_MAX = 64  # a disjunction of more is not worth taking apart

# The cheapest way to seek a scan's rows, with all of its conditions applied; None if none seeks.
Seeker = Callable[[Scan, Sequence[Expr]], Node | None]


def sought_keys(
    scan: Scan, conditions: Sequence[Expr], planning: Planning, seek: Seeker
) -> tuple[Node, tuple[ResolvedColumn, ...], Expr] | None:
    """The keys of the rows that meet a disjunction among `conditions`, each once.

    With the columns that hold them and the disjunction; None where there is none to be sought.
    """
    for condition in conditions:
        parts = list(disjuncts(condition))
        if 1 < len(parts) <= _PARTS_MAX:
            found = _union(scan, parts, planning, seek)
            if found is not None:
                return *found, condition
    return None


def _union(
    scan: Scan, parts: Sequence[Expr], planning: Planning, seek: Seeker
) -> tuple[Node, tuple[ResolvedColumn, ...]] | None:
    inputs: list[Node] = []
    sources: list[Columns] = []
    for part in parts:
        entries, key, condition = _entries(scan, part, planning)
        found = seek(entries, list(conjuncts(condition)))
        if found is None:
            return None
        inputs.append(found)
        sources.append(key)
    all_keys = _key_columns(scan, planning)
    once = _key_columns(scan, planning)
    union = UnionAll(tuple(inputs), tuple(sources), all_keys)
    values = [ColumnRef(column.type, column) for column in all_keys]
    return HashAggregate(union, tuple(zip(once, values, strict=True)), ()), once


def _entries(
    scan: Scan, part: Expr, planning: Planning
) -> tuple[Scan, tuple[ResolvedColumn, ...], Expr]:
    """A scan of what one part looks at and of the key, the key's columns, and the part over it."""
    key = _key_columns(scan, planning)
    columns = {each.column.name: column for each, column in zip(scan.table.key, key, strict=True)}
    outputs = [(column, each.column) for each, column in zip(scan.table.key, key, strict=True)]
    values: dict[int, Expr] = {}
    looked_at = free(part)
    for column, stored in scan.outputs:
        if column.id in looked_at:
            own = columns.get(stored.name)
            if own is None:
                own = planning.new_column(column.name, column.type)
                outputs.append((own, stored))
            values[column.id] = ColumnRef(own.type, own)
    return replace(scan, outputs=tuple(outputs)), key, substitute(part, values)


def _key_columns(scan: Scan, planning: Planning) -> tuple[ResolvedColumn, ...]:
    """New columns for the table's key."""
    key = [part.column for part in scan.table.key]
    return tuple([planning.new_column(column.name, column.type) for column in key])
