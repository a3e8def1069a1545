"""Index unions: reading a table by several indexes, for a condition that is a disjunction.

    FROM T@{INDEX_STRATEGY=FORCE_INDEX_UNION} WHERE a = 1 OR b = 2

    ApplyJoin back-join
    ├─ HashAggregate keys=(Id)
    │  └─ UnionAll
    │     ├─ Scan T by ByA seek=[a = 1]
    │     └─ Scan T by ByB seek=[b = 2]
    └─ Scan T seek=[Id]

An index, or the table's own key, must be able to seek each part of the disjunction; a row that
satisfies several parts is emitted once. An index union is used where a hint asks for it, and where
it is cheaper than any other path (`access_path`), but then not in a plan that runs partition by
partition: the rows of the union would leave their partition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from spanemu.sql.plan.conditions import conjuncts, disjuncts
from spanemu.sql.plan.nodes import Columns, HashAggregate, Node, Scan, UnionAll
from spanemu.sql.plan.traverse import free, substitute
from spanemu.sql.planner.planning import Planning
from spanemu.sql.resolved import ColumnRef, Expr, ResolvedColumn

_PARTS_MAX = 64  # a disjunction of more parts is not split

# Returns the cheapest plan that seeks a scan's rows under conditions; None if no path seeks.
Seeker = Callable[[Scan, Sequence[Expr]], Node | None]


def seekable_keys(
    scan: Scan, conditions: Sequence[Expr], planning: Planning, seek: Seeker
) -> tuple[Node, tuple[ResolvedColumn, ...], Expr] | None:
    """Return the distinct keys of the rows that satisfy a disjunction among `conditions`.

    Return the plan of the keys, the columns that hold them, and the disjunction; None if there is
    no disjunction that can be sought.
    """
    for condition in conditions:
        parts = list(disjuncts(condition))
        if 1 < len(parts) <= _PARTS_MAX:
            union = _union(scan, parts, planning, seek)
            if union is not None:
                return *union, condition
    return None


def _union(
    scan: Scan, parts: Sequence[Expr], planning: Planning, seek: Seeker
) -> tuple[Node, tuple[ResolvedColumn, ...]] | None:
    inputs: list[Node] = []
    sources: list[Columns] = []
    for part in parts:
        entries, key, condition = _entries(scan, part, planning)
        chosen = seek(entries, list(conjuncts(condition)))
        if chosen is None:
            return None
        inputs.append(chosen)
        sources.append(key)
    all_keys = _key_columns(scan, planning)
    once = _key_columns(scan, planning)
    union = UnionAll(tuple(inputs), tuple(sources), all_keys)
    values = [ColumnRef(column.type, column) for column in all_keys]
    return HashAggregate(union, tuple(zip(once, values, strict=True)), ()), once


def _entries(
    scan: Scan, part: Expr, planning: Planning
) -> tuple[Scan, tuple[ResolvedColumn, ...], Expr]:
    """Return a scan of the key and the columns of `part`, the key's columns, and the new part."""
    key = _key_columns(scan, planning)
    columns = {
        part_of_key.column.name: column
        for part_of_key, column in zip(scan.table.key, key, strict=True)
    }
    outputs = [
        (column, part_of_key.column)
        for part_of_key, column in zip(scan.table.key, key, strict=True)
    ]
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
    """Return new columns for the table's key."""
    key = [part.column for part in scan.table.key]
    return tuple([planning.new_column(column.name, column.type) for column in key])
