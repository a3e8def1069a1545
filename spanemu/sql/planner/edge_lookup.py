"""Lookups of the edges at a node, as steps of paths need them: quickly planned, by the hundred.

    Project            the values of the step, if any is needed
    └─ Join            target key = key of the node
       ├─ Filter       source key = key of the node at hand
       │  └─ Scan edges
       └─ Scan nodes   unless the schema makes sure that they exist

Most steps of a path have this form, which no rule could improve. A graph may have dozens of edge
tables, and a pattern has a step for each and each direction: to walk through all of them with every
rule, and again to remove columns, takes longer than all other work for a statement. So such a step
is a `PlainLookup` until its columns are known, and gets its plan then.

A step with conditions, views, virtual columns or computed properties has a `Lookup` from the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from spanemu.sql import resolved
from spanemu.sql.plan.conditions import (
    conjunction,
    conjunction_or_true,
    conjuncts,
    equal,
    equality,
)
from spanemu.sql.plan.joins import ApplyJoin, Join, JoinKind
from spanemu.sql.plan.nodes import Columns, Equal, Filter, Node, Project, Scan, Seek
from spanemu.sql.plan.paths import Lookup, PlainLookup
from spanemu.sql.plan.traverse import free, has_query, parts, replace_fields
from spanemu.sql.planner.planning import Planning
from spanemu.sql.planner.pushdown import push
from spanemu.sql.planner.spool import seek_columns, spool_correlated
from spanemu.sql.resolved import ColumnRef, Expr, Literal, MakeElement, ResolvedColumn
from spanemu.values.types import TypeCode

Choose = Callable[[Node, Any, Planning], Node]  # `physical.choose`


class Translator(Protocol):
    """The translator of the statement (`translate.Translator`)."""

    @property
    def planning(self) -> Planning: ...

    def node(self, scan: resolved.Scan) -> Node:
        """Return the plan node for a scan."""
        ...


def comparison(key: Columns, planning: Planning) -> tuple[Columns, Expr]:
    """Return columns for the key of the node at hand, and the condition that `key` equals it."""
    here = tuple([planning.new_column(column.name, column.type) for column in key])
    same = [equal(_reference(a), _reference(b)) for a, b in zip(key, here, strict=True)]
    return here, conjunction_or_true(same)


def _reference(column: ResolvedColumn) -> ColumnRef:
    return ColumnRef(column.type, column)


def plain_lookup(translator: Translator, scan: resolved.Scan, key: Columns) -> PlainLookup | None:
    """Return the lookup of the rows in which `key` is the key of the node at hand.

    Return None if rules must see the lookup.
    """
    computed: tuple[tuple[ResolvedColumn, Expr], ...] = ()
    if isinstance(scan, resolved.ProjectScan):
        computed, scan = scan.computed, scan.input
    reached: resolved.Scan | None = None
    match: Expr | None = None
    if isinstance(scan, resolved.JoinScan):
        if scan.join_type is not resolved.JoinType.INNER or scan.hints or scan.condition is None:
            return None
        reached, match, scan = scan.right, scan.condition, scan.left
    if not _is_plain(scan) or not (reached is None or _is_plain(reached)):
        return None
    edges = translator.node(scan)
    nodes = None if reached is None else translator.node(reached)
    assert isinstance(edges, Scan)
    assert nodes is None or isinstance(nodes, Scan)
    known = edges.ids if nodes is None else edges.ids | nodes.ids
    if not edges.ids.issuperset([column.id for column in key]):
        return None
    if not all(_is_read(value) and free(value) <= known for _, value in computed):
        return None
    here, condition = comparison(key, translator.planning)
    return PlainLookup(edges, here, condition, nodes, match, computed)


def _is_plain(scan: resolved.Scan) -> bool:
    """Return whether a scan is one of a table; token lists have rules of their own."""
    return (
        isinstance(scan, resolved.TableScan)
        and not scan.tokens
        and all(column.type.code is not TypeCode.TOKENLIST for column, _ in scan.columns)
    )


def _is_read(value: Expr) -> bool:
    """Return whether a value is a stored column, a literal, or an element of such values."""
    if isinstance(value, MakeElement):
        return all(isinstance(part, ColumnRef | Literal) for part in parts(value))
    return isinstance(value, ColumnRef | Literal)


def with_columns(lookup: PlainLookup, outputs: Columns) -> Lookup:
    """Return the lookup of the columns `outputs` alone, with a plan."""
    needed = frozenset([column.id for column in outputs])
    computed = [(column, value) for column, value in lookup.computed if column.id in needed]
    used = needed.union(*[free(value) for _, value in computed])
    if lookup.match is not None:
        used |= free(lookup.match)
    rows: Node = Filter(_slim(lookup.node, used | free(lookup.condition)), lookup.condition)
    if lookup.reached is not None:
        rows = Join(JoinKind.INNER, rows, _slim(lookup.reached, used), lookup.match)
    if computed:
        kept = [column for column in rows.columns if column.id in needed]
        rows = Project(rows, tuple(computed), tuple(kept))
    return Lookup(rows, lookup.here)


def _slim(scan: Node, used: frozenset[int]) -> Scan:
    assert isinstance(scan, Scan)
    outputs = tuple([pair for pair in scan.outputs if pair[0].id in used])
    slim: Scan = replace_fields(scan, {"outputs": outputs})
    return slim


# ---------------------------------------------------------------------------- the choice of seeks


def plan_look_up(node: Node, planning: Planning, choose: Choose) -> Node | None:
    """Return the plan of a lookup that seeks edges, and then the nodes that they reach.

    Return None for another one, whose order is open: a condition on the nodes may be the better
    start.
    """
    if isinstance(node, Project) and not has_query(node):
        below = plan_look_up(node.input, planning, choose)
        return None if below is None else replace_fields(node, {"input": below})
    if not isinstance(node, Join) or node.kind is not JoinKind.INNER or node.hints:
        return None
    right = node.right
    if not isinstance(right, Scan):
        return None
    left = choose(node.left, None, planning)
    if not isinstance(left, Scan) or not free(left):
        return None
    conditions = list(conjuncts(node.condition))
    sought = _sought_by_key(right, conditions, planning)
    if sought is None:
        chosen = choose(push(conditions, right), None, planning)
        if not isinstance(chosen, Scan) or not chosen.seeks:
            return None
        sought = chosen
    edges = left if seek_columns(left) else spool_correlated(left)
    return ApplyJoin(node.kind, edges, sought)


def _sought_by_key(scan: Scan, conditions: Sequence[Expr], planning: Planning) -> Scan | None:
    """Return the lookup of single rows, if `conditions` equate the primary key and nothing else.

    No other path is better. Return None for other conditions, and where a hint decides.
    """
    key = scan.table.key
    if len(conditions) != len(key) or scan.hints or planning.hints:
        return None
    stored = {column.id: stored.name for column, stored in scan.outputs}
    values = dict(pair for each in conditions for pair in _equated(each, stored))
    points = [values.get(part.column.name) for part in key]
    sought = tuple([Equal(value) for value in points if value is not None])
    if len(sought) < len(key):
        return None
    seek = {"seeks": (Seek(sought),), "seek_condition": conjunction(conditions)}
    lookup: Scan = replace_fields(scan, seek)
    return lookup


def _equated(condition: Expr, stored: Mapping[int, str]) -> Iterator[tuple[str, Expr]]:
    """Yield the stored column that a condition equates with one of another table, and the latter.

    The stored columns of the table are given by the ids of its outputs.
    """
    sides = equality(condition)
    if sides is None:
        return
    for own, other in (sides, sides[::-1]):
        if isinstance(own, ColumnRef) and isinstance(other, ColumnRef):
            name = stored.get(own.column.id)
            if name is not None and other.column.id not in stored:
                yield name, other
