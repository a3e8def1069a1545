"""Which inputs are joined in which order and how.

Inner joins that follow one another form a cluster: its inputs and conditions are collected, and
joined one at a time, each time the cheapest next input (greedy; FROM order on equal cost). Other
joins keep their two sides. Each pair is joined in the cheapest of three ways:

    apply    the right side seeks by values of each left row, or is lateral
    hash     equal keys: the right side is hashed
    loop     all pairs: only where neither is possible
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from spanemu.sql.analyzer.resolved import ColumnRef, Expr, Hints, SortKey
from spanemu.sql.plan import nodes
from spanemu.sql.plan.conditions import conjunction, conjuncts, equal, equality, is_compound
from spanemu.sql.plan.joins import ApplyJoin, HashJoin, Join, JoinKind
from spanemu.sql.plan.nodes import Node
from spanemu.sql.plan.traverse import free, is_volatile, walk
from spanemu.sql.planner.equivalence import implied
from spanemu.sql.planner.estimate import Estimate, estimate
from spanemu.sql.planner.ordering import Wanted
from spanemu.sql.planner.planning import Planning
from spanemu.sql.planner.pushdown import push
from spanemu.sql.planner.spool import spool_correlated

Choose = Callable[[Node, Wanted | None, Planning], Node]

_STARTS_MAX = 4  # clusters up to this size are tried from every input
_SWAP_RATIO = 2.0
_CLEARLY_LESS = 0.5

_METHODS = {
    "HASH_JOIN": "hash",
    "PUSH_BROADCAST_HASH_JOIN": "hash",
    "MERGE_JOIN": "hash",
    "APPLY_JOIN": "apply",
    "LOOP_JOIN": "apply",
}


@dataclass(frozen=True, eq=False)
class Joined:
    """A finished join and what it is thought to cost."""

    node: Node
    estimate: Estimate


class JoinPlanner:
    """Plans the joins of one cluster, or a single join."""

    def __init__(self, planning: Planning, choose: Choose, hints: Hints) -> None:
        self.planning = planning
        self.choose = choose
        method = planning.hint("join_method", hints) or planning.hint("join_type", hints)
        self.method = _METHODS.get(str(method))
        self.keeps_order = bool(planning.hint("force_join_order", hints))

    def leaf(self, node: Node, wanted: Wanted | None = None) -> Joined:
        """An input on its own."""
        return self.priced(self.choose(node, wanted, self.planning))

    def priced(self, node: Node) -> Joined:
        return Joined(node, estimate(node, self.planning))

    def pair(self, kind: JoinKind, left: Joined, right: Node, conditions: Sequence[Expr]) -> Joined:
        """The cheapest join of a finished left side with a right side still to be planned."""
        candidates = list(self._ways(kind, left, right, conditions))
        return min(candidates, key=lambda one: one.estimate.cost)

    def _ways(
        self, kind: JoinKind, left: Joined, right: Node, conditions: Sequence[Expr]
    ) -> Iterator[Joined]:
        """Every possible way; that of looping over pairs only if there is no other."""
        is_lateral = bool(free(right) & left.node.ids)
        hashed = None if is_lateral else self._hash(kind, left, right, conditions)
        applied = self._apply(kind, left, right, conditions, is_lateral)
        if self.method == "hash" and hashed is not None:
            applied = None
        elif self.method == "apply" and applied is not None:
            hashed = None
        if hashed is not None:
            yield hashed
        if applied is not None:
            yield applied
        if hashed is None and applied is None:
            inner = self.leaf(right)
            join = Join(kind, left.node, inner.node, conjunction(conditions))
            yield self.priced(join)

    def _hash(
        self, kind: JoinKind, left: Joined, right: Node, conditions: Sequence[Expr]
    ) -> Joined | None:
        keys, rest = _equal_keys(conditions, left.node.ids, right.ids)
        if not keys:
            return None
        inner = self.leaf(right)
        left_keys, right_keys = tuple([a for a, _ in keys]), tuple([b for _, b in keys])
        residual = conjunction(rest)
        if kind is JoinKind.INNER and not self.keeps_order:
            small = inner.estimate.rows > left.estimate.rows * _SWAP_RATIO
            if small:
                swapped = HashJoin(kind, inner.node, left.node, right_keys, left_keys, residual)
                return self.priced(swapped)
        return self.priced(HashJoin(kind, left.node, inner.node, left_keys, right_keys, residual))

    def _apply(
        self,
        kind: JoinKind,
        left: Joined,
        right: Node,
        conditions: Sequence[Expr],
        is_lateral: bool,
    ) -> Joined | None:
        if kind in (JoinKind.FULL, JoinKind.NULL_AWARE_ANTI):
            return None
        if not is_lateral and not conditions:
            return None
        pushed = self.choose(push(conditions, right), None, self.planning)
        if not is_lateral and not _seeks_by(pushed, left.node.ids):
            return None
        return self.priced(ApplyJoin(kind, left.node, spool_correlated(pushed)))

    def semi_from_right(self, left: Node, right: Node, conditions: Sequence[Expr]) -> Joined | None:
        """A semi join as look-ups: each value on the right, taken once, leads to left rows."""
        keys, rest = _equal_keys(conditions, left.ids, right.ids)
        if free(right) & left.ids or rest or not keys:
            return None
        if not all(isinstance(key, ColumnRef) for key, _ in keys):
            return None
        values = tuple([(self.planning.new_column("key", value.type), value) for _, value in keys])
        # In the order of the left side's key, which then is the order of the result.
        order = tuple([SortKey(ColumnRef(column.type, column)) for column, _ in values])
        grouped = nodes.HashAggregate(right, values, ())
        distinct = self.choose(nodes.Sort(grouped, order), None, self.planning)
        matches = [
            equal(key, ColumnRef(column.type, column))
            for (key, _), (column, _) in zip(keys, values, strict=True)
        ]
        sought = self.choose(push(matches, left), None, self.planning)
        if not _seeks_by(sought, distinct.ids):
            return None
        return self.priced(ApplyJoin(JoinKind.INNER, distinct, sought))


def plan_join(node: Join, wanted: Wanted | None, planning: Planning, choose: Choose) -> Node:
    """The plan of a join, with all inner joins below that belong to its cluster."""
    planner = JoinPlanner(planning, choose, node.hints)
    if node.kind is not JoinKind.INNER:
        conditions = list(conjuncts(node.condition))
        best = planner.pair(node.kind, planner.leaf(node.left, wanted), node.right, conditions)
        if node.kind is JoinKind.SEMI and planner.method is None:
            other = planner.semi_from_right(node.left, node.right, conditions)
            if other is not None and other.estimate.cost < best.estimate.cost * _CLEARLY_LESS:
                return other.node
        return best.node
    inputs: list[Node] = []
    conditions = []
    _flatten(node, inputs, conditions)
    inputs = _tell(inputs, conditions)
    starts = range(len(inputs))
    if planner.keeps_order:
        return _greedy(planner, inputs, conditions, 0, wanted).node
    if len(inputs) > _STARTS_MAX:
        rows = [planner.leaf(one).estimate.rows for one in inputs]
        starts = range(rows.index(min(rows)), rows.index(min(rows)) + 1)
    tries = [_greedy(planner, inputs, conditions, start, wanted) for start in starts]
    return min(tries, key=lambda one: one.estimate.cost).node


def _flatten(node: Node, inputs: list[Node], conditions: list[Expr]) -> None:
    """Inputs and conditions of inner joins that carry no hints of their own."""
    conditions.extend(conjuncts(node.condition) if isinstance(node, Join) else ())
    if not isinstance(node, Join):
        inputs.append(node)
        return
    for side in (node.left, node.right):
        if isinstance(side, Join) and side.kind is JoinKind.INNER and not side.hints:
            _flatten(side, inputs, conditions)
        else:
            inputs.append(side)


def _tell(inputs: list[Node], conditions: list[Expr]) -> list[Node]:
    """Inputs with what the filters of other inputs and the equalities between them imply."""
    facts = list(conditions)
    for one in inputs:
        if isinstance(one, nodes.Filter):
            facts.extend(conjuncts(one.condition))
    told: list[list[Expr]] = [[] for _ in inputs]
    for fact in implied(facts):
        for position, one in enumerate(inputs):
            if free(fact) & one.ids:
                told[position].append(fact)
    return [push(more, one) if more else one for more, one in zip(told, inputs, strict=True)]


def _greedy(
    planner: JoinPlanner,
    inputs: Sequence[Node],
    conditions: Sequence[Expr],
    start: int,
    wanted: Wanted | None,
) -> Joined:
    """Join all inputs, beginning with one and taking the cheapest next each time."""
    joined = planner.leaf(inputs[start], wanted)
    waiting = [one for position, one in enumerate(inputs) if position != start]
    left = list(conditions)
    while waiting:
        best: tuple[tuple[bool, float], int, Joined, list[Expr]] | None = None
        candidates = waiting[:1] if planner.keeps_order else waiting
        for position, one in enumerate(candidates):
            known = joined.node.ids | one.ids
            now = [each for each in left if _is_ready(each, known, inputs)]
            attempt = planner.pair(JoinKind.INNER, joined, one, now)
            # A product of unrelated inputs comes last whatever it seems to cost.
            rank = (not now and not free(one) & joined.node.ids, attempt.estimate.cost)
            if best is None or rank < best[0]:
                best = (rank, position, attempt, now)
        assert best is not None
        _, position, joined, used = best
        del waiting[position]
        left = [each for each in left if not any(each is one for one in used)]
    return joined if not left else planner.priced(_filtered(joined.node, left))


def _filtered(node: Node, conditions: Sequence[Expr]) -> Node:
    condition = conjunction(conditions)
    return node if condition is None else nodes.Filter(node, condition)


def _is_ready(condition: Expr, known: frozenset[int], inputs: Sequence[Node]) -> bool:
    """Whether all that `condition` needs from the cluster is known."""
    needed = free(condition)
    return all(not (needed & one.ids) - known for one in inputs)


def _equal_keys(
    conditions: Sequence[Expr], left: frozenset[int], right: frozenset[int]
) -> tuple[list[tuple[Expr, Expr]], list[Expr]]:
    """(left, right) sides of the equalities between both sides, and the other conditions."""
    keys: list[tuple[Expr, Expr]] = []
    rest: list[Expr] = []
    for condition in conditions:
        sides = equality(condition)
        found = None
        if sides is not None and not is_volatile(condition) and not is_compound(sides[0].type):
            for a, b in (sides, sides[::-1]):
                if free(a) & left and free(b) & right and not (free(a) & right or free(b) & left):
                    found = (a, b)
                    break
        if found is None:
            rest.append(condition)
        else:
            keys.append(found)
    return keys, rest


def _seeks_by(node: Node, outer: frozenset[int]) -> bool:
    """Whether every table below that depends on `outer` columns is sought by them."""
    tied = [
        one
        for one in walk(node)
        if isinstance(one, nodes.Scan) and one.seeks and free(replace(one, residual=None)) & outer
    ]
    return bool(tied)
