"""Planning of path scans: what the planner's tables say about `PathScan`.

A step of the resolved tree is a plain scan of edges. Here it becomes a lookup: the scan under the
condition that the first node of the edge is the node at hand, which the other rules turn into a
seek, or into a lookup in a hash table where no key or index begins with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from spanemu.base.record import Unique, record
from spanemu.sql import resolved
from spanemu.sql.plan.conditions import conjuncts, equality
from spanemu.sql.plan.nodes import Columns, Filter, Node, Project, Scan
from spanemu.sql.plan.paths import (
    Check,
    Hop,
    Lookup,
    PathScan,
    Place,
    PlainLookup,
    Scope,
    Segment,
    Step,
)
from spanemu.sql.plan.traverse import (
    free,
    has_query,
    is_volatile,
    replace_fields,
    substitute,
    walk,
)
from spanemu.sql.planner.edge_lookup import comparison, plain_lookup, with_columns
from spanemu.sql.planner.planning import Planning
from spanemu.sql.resolved import ColumnRef, Expr, PathPrefix, ResolvedColumn

T = TypeVar("T")

Ids = frozenset[int]


class Translator(Protocol):
    """The translator of the statement (`translate.Translator`)."""

    @property
    def planning(self) -> Planning: ...

    def node(self, scan: resolved.Scan) -> Node:
        """Return the plan node for a scan."""
        ...

    def expr(self, expr: Expr) -> Expr:
        """Return the expression with its subqueries translated."""
        ...

    def optional(self, expr: Expr | None) -> Expr | None:
        """Return the translation of an expression that may be absent."""
        ...


# ---------------------------------------------------------------------------- translation


def translate_paths(translator: Translator, scan: resolved.PathScan) -> Node:
    """Return the node of a path scan."""
    needs_backward = scan.prefix is not PathPrefix.ALL and _may_have_end(scan)
    return PathScan(
        translator.node(scan.input),
        translator.expr(scan.start),
        tuple([_segment(translator, each, needs_backward) for each in scan.segments]),
        scan.prefix,
        translator.optional(scan.end),
        _scopes(translator, scan.scopes),
        scan.path,
        translator.optional(scan.first_element),
        scan.elements,
    )


def _may_have_end(scan: resolved.PathScan) -> bool:
    """Return whether the last node of a path may turn out to be known beforehand."""
    place = scan.segments[-1].place
    has_condition = place is not None and any(check.scan is not None for check in place.checks)
    return scan.end is not None or has_condition


def _scopes(translator: Translator, scopes: Iterable[resolved.PathScope]) -> tuple[Scope, ...]:
    return tuple(
        [
            Scope(scope.first, scope.last, scope.mode, translator.optional(scope.condition))
            for scope in scopes
        ]
    )


def _segment(
    translator: Translator, segment: resolved.PathSegment, needs_backward: bool
) -> Segment:
    hops = [
        Hop(
            tuple([_step(translator, step, needs_backward) for step in hop.steps]),
            hop.columns,
            hop.cost,
        )
        for hop in segment.hops
    ]
    pattern = segment.place
    return Segment(
        tuple(hops),
        segment.lower,
        segment.upper,
        _scopes(translator, segment.scopes),
        segment.groups,
        None if pattern is None else _place(translator, pattern),
    )


def _step(translator: Translator, step: resolved.PathStep, needs_backward: bool) -> Step:
    return Step(
        step.source,
        step.edge,
        step.target,
        _edges(translator, step.scan, step.source_key),
        step.source_key,
        step.edge_key,
        step.target_key,
        step.values,
        step.skips_loops,
        _edges(translator, step.scan, step.target_key) if needs_backward else None,
    )


def _place(translator: Translator, pattern: resolved.PathPlace) -> Place:
    checks = [
        Check(
            check.table,
            check.key,
            None if check.scan is None else _lookup(translator, check.scan, check.key),
            tuple(map(_reference, check.values)),
        )
        for check in pattern.checks
    ]
    return Place(tuple(checks), pattern.columns)


def _edges(translator: Translator, scan: resolved.Scan, key: Columns) -> Lookup:
    """Return the edges in which `key` is the key of the node at hand."""
    return plain_lookup(translator, scan, key) or _lookup(translator, scan, key)


def _lookup(translator: Translator, scan: resolved.Scan, key: Columns) -> Lookup:
    """Return the rows of `scan` in which `key` is the key of the node at hand."""
    here, condition = comparison(key, translator.planning)
    return Lookup(Filter(translator.node(scan), condition), here)


def _reference(column: ResolvedColumn) -> ColumnRef:
    return ColumnRef(column.type, column)


# ---------------------------------------------------------------------------- pruning


def slim_paths(node: PathScan, needed: Ids) -> PathScan:
    """Remove outputs that are not needed, and the columns of steps that only those used."""
    keeps_path = node.path is not None and node.path.id in needed
    elements = node.elements if keeps_path else ()
    used = needed | _condition_columns(node)
    used |= frozenset([column.id for hops in elements for pair in hops for column in pair])
    slim: PathScan = replace_fields(
        node,
        {
            "segments": tuple([_slim_segment(node, each, used) for each in node.segments]),
            "path": node.path if keeps_path else None,
            "first_element": node.first_element if keeps_path else None,
            "elements": elements,
        },
    )
    return slim


def columns_of_input(node: PathScan, needed: Ids) -> Ids:
    """Return the columns that the input of a path scan must have for the columns `needed`."""
    outside = [node.start, node.end, node.first_element]
    below = needed | _condition_columns(node)
    below = below.union(*[free(expr) for expr in outside if expr is not None])
    return below.union(*[free(lookup.node) for lookup in node.lookups()])


def _condition_columns(node: PathScan) -> Ids:
    scopes = [*node.scopes, *[scope for each in node.segments for scope in each.scopes]]
    conditions = [scope.condition for scope in scopes if scope.condition is not None]
    return frozenset[int]().union(*map(free, conditions))


def _slim_segment(node: PathScan, segment: Segment, used: Ids) -> Segment:
    groups = tuple([pair for pair in segment.groups if pair[0].id in used])
    inside = used.union([column.id for _, column in groups])
    if node.prefix is PathPrefix.ANY_CHEAPEST:
        inside = inside.union([hop.cost.id for hop in segment.hops if hop.cost is not None])
    hops = tuple([_slim_hop(hop, inside, node.has_trails) for hop in segment.hops])
    behind = segment.place
    if behind is not None:
        kept = _positions(behind.columns, used)
        checks = [
            replace_fields(check, {"values": _items(check.values, kept)}) for check in behind.checks
        ]
        behind = Place(tuple(checks), _items(behind.columns, kept))
    return replace_fields(segment, {"hops": hops, "groups": groups, "place": behind})


def _positions(columns: Columns, used: Ids) -> list[int]:
    return [position for position, column in enumerate(columns) if column.id in used]


def _items(items: Sequence[T], positions: Iterable[int]) -> tuple[T, ...]:
    return tuple([items[position] for position in positions])


def _slim_hop(hop: Hop, used: Ids, has_trails: bool) -> Hop:
    kept = _positions(hop.columns, used)
    steps = [
        replace_fields(
            step,
            {
                "values": _items(step.values, kept),
                "edge_key": step.edge_key if has_trails else (),
            },
        )
        for step in hop.steps
    ]
    return Hop(tuple(steps), _items(hop.columns, kept), hop.cost)


# ---------------------------------------------------------------------------- lookups

_Change = Callable[[Node, Columns], Node]  # from a plan and the columns that are read of it


def map_lookups(node: PathScan, change: _Change) -> PathScan:
    """Return `node` with the plans of its steps and checks replaced, except of plain lookups."""
    node = _map_steps(node, lambda step: _with_lookups(step, change))
    return _map_checks(node, lambda check: _with_lookup(check, change))


def _changed(lookup: Lookup, outputs: Columns, change: _Change) -> Lookup:
    if isinstance(lookup, PlainLookup):
        return lookup
    return Lookup(change(lookup.node, outputs), lookup.here)


def _with_lookups(step: Step, change: _Change) -> Step:
    forward = _changed(step.forward, step.columns, change)
    backward = step.backward
    if backward is not None:
        backward = _changed(backward, step.columns_backward, change)
    if forward is step.forward and backward is step.backward:
        return step
    return replace_fields(step, {"forward": forward, "backward": backward})


def _with_lookup(check: Check, change: _Change) -> Check:
    if check.lookup is None:
        return check
    used = [item for value in check.values for item in walk(value)]
    columns = tuple([item.column for item in used if isinstance(item, ColumnRef)])
    return replace_fields(check, {"lookup": _changed(check.lookup, columns, change)})


def _map_steps(node: PathScan, change: Callable[[Step], Step]) -> PathScan:
    segments = []
    for segment in node.segments:
        hops = [
            Hop(tuple([change(step) for step in hop.steps]), hop.columns, hop.cost)
            for hop in segment.hops
        ]
        segments.append(replace_fields(segment, {"hops": tuple(hops)}))
    return replace_fields(node, {"segments": tuple(segments)})


def _map_checks(node: PathScan, change: Callable[[Check], Check]) -> PathScan:
    segments = []
    for segment in node.segments:
        behind = segment.place
        if behind is not None:
            behind = Place(tuple([change(check) for check in behind.checks]), behind.columns)
        segments.append(replace_fields(segment, {"place": behind}))
    return replace_fields(node, {"segments": tuple(segments)})


# ---------------------------------------------------------------------------- known nodes


@record
class _KeyConditions(Unique):
    """The condition of a check's lookup, if it compares columns of one table with values.

    - `keys`: by column of the table, the position in the node's key of what it equals
    - `values`: by column of the table, what it equals besides, which no row decides
    - `is_key_only`: whether there is no other condition
    - `outputs`: the values of the check over the columns of the table
    """

    keys: Mapping[int, int]
    values: Mapping[int, Expr]
    is_key_only: bool
    outputs: tuple[Expr, ...]


def _key_conditions(check: Check) -> _KeyConditions | None:
    if check.lookup is None:
        return None
    outputs, rows = check.values, check.lookup.node
    while isinstance(rows, Project):
        computed = {column.id: value for column, value in rows.computed}
        outputs = tuple([substitute(output, computed) for output in outputs])
        rows = rows.input
    if not isinstance(rows, Filter) or not isinstance(rows.input, Scan):
        return None
    here = {column.id: position for position, column in enumerate(check.lookup.here)}
    stored = rows.input.ids
    keys: dict[int, int] = {}
    values: dict[int, Expr] = {}
    is_key_only = True
    for condition in conjuncts(rows.condition):
        column, value = _compared(condition, stored)
        if column is None or value is None:
            is_key_only = False
        elif isinstance(value, ColumnRef) and value.column.id in here:
            keys[column] = here[value.column.id]
        else:
            is_key_only = False
            if not free(value) & here.keys():
                values[column] = value
    return _KeyConditions(keys, values, is_key_only, outputs)


def _compared(condition: Expr, stored: Ids) -> tuple[int | None, Expr | None]:
    """Return the column and the value of an equality of a stored column with another value."""
    sides = equality(condition)
    if sides is not None:
        for column, value in (sides, sides[::-1]):
            is_stored = isinstance(column, ColumnRef) and column.column.id in stored
            if is_stored and not (free(value) & stored or is_volatile(value) or has_query(value)):
                return column.column.id, value  # type: ignore[attr-defined]
    return None, None


def anchored(node: PathScan) -> PathScan:
    """Return a path scan with a plan for each lookup that is needed.

    The last node may be known beforehand. If not, no search begins there.
    """
    node = _with_known_end(node)
    keeps_backward = node.end is not None
    node = _map_steps(node, lambda step: _ready(step, keeps_backward))
    return _map_checks(node, _simplified)


def _ready(step: Step, keeps_backward: bool) -> Step:
    changes: dict[str, Lookup | None] = {}
    backward = step.backward
    if backward is not None and not keeps_backward:
        changes["backward"] = None
    elif isinstance(backward, PlainLookup):
        changes["backward"] = with_columns(backward, step.columns_backward)
    if isinstance(step.forward, PlainLookup):
        changes["forward"] = with_columns(step.forward, step.columns)
    return replace_fields(step, changes) if changes else step


def _simplified(check: Check) -> Check:
    """Return a check without lookup, if that only repeats the key of a node that is there."""
    conditions = _key_conditions(check)
    if conditions is None or not conditions.is_key_only:
        return check
    known = {
        column: _reference(check.key[position]) for column, position in conditions.keys.items()
    }
    outputs = conditions.outputs
    if not frozenset[int]().union(*map(free, outputs)) <= known.keys():
        return check
    values = tuple([substitute(output, known) for output in outputs])
    return Check(check.table, check.key, None, values)


def _with_known_end(node: PathScan) -> PathScan:
    """Return a path scan with `end`, if the condition at the last place is the key of a node."""
    behind = node.segments[-1].place
    if node.prefix is PathPrefix.ALL or node.end is not None or behind is None:
        return node
    if len(behind.checks) != 1:
        return node
    (check,) = behind.checks
    conditions = _key_conditions(check)
    if conditions is None:
        return node
    columns = {position: column for column, position in conditions.keys.items()}
    key = [conditions.values.get(columns.get(position, -1)) for position in range(len(check.key))]
    known = [part for part in key if part is not None]
    if len(known) < len(key) or any(
        part.type != column.type for part, column in zip(known, check.key, strict=True)
    ):
        return node
    element = resolved.MakeElement(node.start.type, check.table, tuple(known))
    return replace_fields(node, {"end": element})
