"""Which inputs are joined in which order and how.

Inner joins that follow one another form a cluster: its inputs and conditions are collected, and
joined one at a time, each time the cheapest next input (greedy; FROM order on equal cost). Other
joins keep their two sides. Each pair is joined in the cheapest of three ways:

    apply    the right side seeks by values of each left row, is lateral, or there is one left row
    hash     equal keys: the right side is hashed; or merged, if a hint says so
    loop     all pairs: only where neither is possible
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from spanemu.sql.plan import nodes
from spanemu.sql.plan.conditions import conjunction, conjuncts, equal, equality, is_compound
from spanemu.sql.plan.joins import ApplyJoin, HashJoin, Join, JoinKind, MergeJoin
from spanemu.sql.plan.nodes import Node
from spanemu.sql.plan.traverse import free, is_volatile, walk
from spanemu.sql.planner.cardinality import is_single_row
from spanemu.sql.planner.estimate import Estimate, estimate
from spanemu.sql.planner.ordering import Wanted, is_ordered, wanted_of
from spanemu.sql.planner.planning import Planning
from spanemu.sql.planner.properties import implied
from spanemu.sql.planner.pushdown import push
from spanemu.sql.planner.spool import spool_correlated
from spanemu.sql.resolved import ColumnRef, Expr, Hints, SortKey

Choose = Callable[[Node, Wanted | None, Planning], Node]

_STARTS_MAX = 4  # clusters up to this size are tried from every input
_SWAP_RATIO = 2.0
_CLEARLY_LESS = 0.5

_BROADCAST = "PUSH_BROADCAST_HASH_JOIN"
_METHODS = {
    "HASH_JOIN": "hash",
    _BROADCAST: "hash",
    "MERGE_JOIN": "merge",
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
        self.is_broadcast = method == _BROADCAST
        self.keeps_order = bool(planning.hint("force_join_order", hints))
        # The same inputs are looked at again and again while orders are tried.
        self._leaves: dict[tuple[Node, Wanted | None], Joined] = {}
        self._sought: dict[tuple[Node, tuple[Expr, ...]], tuple[Node, frozenset[int]]] = {}

    def leaf(self, node: Node, wanted: Wanted | None = None) -> Joined:
        """An input on its own."""
        found = self._leaves.get((node, wanted))
        if found is None:
            found = self.priced(self.choose(node, wanted, self.planning))
            self._leaves[node, wanted] = found
        return found

    def sought(self, node: Node, conditions: Sequence[Expr]) -> tuple[Node, frozenset[int]]:
        """An input as it is read for each row of others that `conditions` speak of.

        With the columns by which it is sought.
        """
        key = (node, tuple(conditions))
        found = self._sought.get(key)
        if found is None:
            chosen = self.choose(push(conditions, node), None, self.planning)
            found = self._sought[key] = (chosen, _sought_by(chosen))
        return found

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
        if self.method in ("hash", "merge") and hashed is not None:
            applied = None
        elif self.method == "apply" and applied is not None:
            hashed = None
        if hashed is not None:
            yield hashed
        if applied is not None:
            yield applied
        if hashed is None and applied is None:
            inner = self.leaf(right)
            condition = conjunction(conditions)
            is_right_first = _is_right_first(left, inner)
            join = Join(kind, left.node, inner.node, condition, is_right_first=is_right_first)
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
        if self.method == "merge" and kind is not JoinKind.NULL_AWARE_ANTI:
            ordered = self._in_order(left, left_keys), self._in_order(inner, right_keys)
            return self.priced(MergeJoin(kind, *ordered, left_keys, right_keys, residual))
        if kind is JoinKind.INNER and not self.keeps_order:
            small = inner.estimate.rows > left.estimate.rows * _SWAP_RATIO
            if small:
                left, inner = inner, left
                left_keys, right_keys = right_keys, left_keys
        join = HashJoin(
            kind, left.node, inner.node, left_keys, right_keys, residual,
            is_broadcast=self.is_broadcast, is_right_first=_is_right_first(left, inner),
        )  # fmt: skip
        return self.priced(join)

    def _in_order(self, side: Joined, keys: Sequence[Expr]) -> Node:
        """A finished input of a merge join, sorted if it is not so already."""
        order = tuple([SortKey(key) for key in keys])
        wanted = wanted_of(order)
        is_sorted = wanted is not None and is_ordered(side.node, wanted)
        return side.node if is_sorted else nodes.Sort(side.node, order)

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
        is_once = is_single_row(left.node)
        is_free = is_lateral or is_once
        if not is_free and not conditions:
            return None
        pushed, sought_by = self.sought(right, conditions)
        if not is_free and not sought_by & left.node.ids:
            return None
        inner = pushed if is_once else spool_correlated(pushed)
        return self.priced(ApplyJoin(kind, left.node, inner))

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
        if not _sought_by(sought) & distinct.ids:
            return None
        return self.priced(ApplyJoin(JoinKind.INNER, distinct, sought))


def _is_right_first(left: Joined, right: Joined) -> bool:
    """Return whether to look at the right side first for a join that may turn out empty.

    The side with few rows is the likelier one to have none, unless it is dear to find out.
    """
    return _effort(right.estimate) < _effort(left.estimate)


def _effort(side: Estimate) -> float:
    return side.cost * side.rows


def plan_join(node: Join, wanted: Wanted | None, planning: Planning, choose: Choose) -> Node:
    """The plan of a join, with all inner joins below that belong to its cluster."""
    planner = JoinPlanner(planning, choose, node.hints)
    if node.kind is not JoinKind.INNER:
        conditions = list(conjuncts(node.condition))
        pair = planner.pair(node.kind, planner.leaf(node.left, wanted), node.right, conditions)
        if node.kind is JoinKind.SEMI and planner.method is None:
            other = planner.semi_from_right(node.left, node.right, conditions)
            if other is not None and other.estimate.cost < pair.estimate.cost * _CLEARLY_LESS:
                return other.node
        return pair.node
    inputs: list[Node] = []
    conditions = []
    _flatten(node, inputs, conditions)
    inputs = _tell(inputs, conditions)
    cluster = Cluster(planner, inputs, conditions)
    if planner.keeps_order:
        in_order = _greedy(cluster, 0, wanted, None)
        assert in_order is not None
        return in_order.node
    sizes = [planner.leaf(one).estimate.rows for one in inputs]
    starts = sorted(range(len(inputs)), key=sizes.__getitem__)
    if len(inputs) > _STARTS_MAX or is_single_row(planner.leaf(inputs[starts[0]]).node):
        del starts[1:]  # To begin with one row is hard to beat.
    best: Joined | None = None
    for start in starts:
        best = _greedy(cluster, start, wanted, best) or best
    assert best is not None
    return best.node


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


class Cluster:
    """Inputs to be joined, and conditions with what each needs of them."""

    def __init__(
        self, planner: JoinPlanner, inputs: Sequence[Node], conditions: Sequence[Expr]
    ) -> None:
        self.planner = planner
        self.inputs = inputs
        made = frozenset[int]().union(*[one.ids for one in inputs])
        self.conditions = [(each, free(each) & made) for each in conditions]


def _greedy(
    cluster: Cluster, start: int, wanted: Wanted | None, rival: Joined | None
) -> Joined | None:
    """Join all inputs, beginning with one and taking the cheapest next each time.

    None as soon as it costs as much as `rival`, another order, does.
    """
    planner, inputs = cluster.planner, cluster.inputs
    joined = planner.leaf(inputs[start], wanted)
    waiting = [one for position, one in enumerate(inputs) if position != start]
    left = cluster.conditions
    while waiting:
        known = joined.node.ids
        options = [(one, _ready(left, known | one.ids)) for one in waiting]
        if planner.keeps_order:
            options = options[:1]
        # A product of unrelated inputs comes last whatever it seems to cost.
        related = [option for option in options if option[1] or free(option[0]) & known]
        tries = [
            (planner.pair(JoinKind.INNER, joined, one, now), one, now)
            for one, now in related or options
        ]
        joined, taken, used = min(tries, key=lambda each: each[0].estimate.cost)
        if rival is not None and joined.estimate.cost >= rival.estimate.cost:
            return None
        waiting = [one for one in waiting if one is not taken]
        left = [each for each in left if not any(each[0] is one for one in used)]
    rest = [condition for condition, _ in left]
    return joined if not rest else planner.priced(_filtered(joined.node, rest))


def _ready(conditions: Sequence[tuple[Expr, frozenset[int]]], known: frozenset[int]) -> list[Expr]:
    """Conditions all of whose needs are known."""
    return [condition for condition, needs in conditions if needs <= known]


def _filtered(node: Node, conditions: Sequence[Expr]) -> Node:
    condition = conjunction(conditions)
    return node if condition is None else nodes.Filter(node, condition)


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


def _sought_by(node: Node) -> frozenset[int]:
    """Columns from outside by which tables below are sought."""
    scans = [one for one in walk(node) if isinstance(one, nodes.Scan) and one.seeks]
    return _NOTHING.union(*[free(replace(one, residual=None)) for one in scans])


_NOTHING: frozenset[int] = frozenset()
