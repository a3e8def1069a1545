"""The order and the methods of joins.

Inner joins that follow one another form a cluster: its inputs and conditions are collected, and the
inputs are joined one by one, each time the cheapest next input (greedy; FROM order on equal cost).
A lateral input comes after the inputs that it refers to. Other joins keep their two sides. Each
pair is joined in the cheapest of three ways:

    apply    the right side seeks by values of each left row, is lateral, or there is one left row
    hash     equal keys: the right side is hashed; or merged, if a hint says so
    loop     all pairs: only where neither is possible
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from spanemu.sql.plan import nodes
from spanemu.sql.plan.conditions import conjunction, conjuncts, equal, equality, is_compound
from spanemu.sql.plan.joins import ApplyJoin, HashJoin, Join, JoinKind, MergeJoin, Unnest
from spanemu.sql.plan.nodes import Node
from spanemu.sql.plan.traverse import free, is_volatile, walk_nodes
from spanemu.sql.planner.estimate import Estimate, estimate, seeking_cost
from spanemu.sql.planner.ordering import RequiredOrder, is_ordered, required_order
from spanemu.sql.planner.planning import Planning
from spanemu.sql.planner.properties import implied, is_single_row
from spanemu.sql.planner.pushdown import push
from spanemu.sql.planner.spool import seek_columns, spool_correlated
from spanemu.sql.resolved import ColumnRef, Expr, Hints, ResolvedColumn, SortKey

Choose = Callable[[Node, RequiredOrder | None, Planning], Node]

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
    """A finished join and its estimate."""

    node: Node
    estimate: Estimate


class JoinPlanner:
    """A planner of the joins of one cluster, or of a single join."""

    def __init__(self, planning: Planning, choose: Choose, hints: Hints) -> None:
        self.planning = planning
        self.choose = choose
        method = planning.hint("join_method", hints) or planning.hint("join_type", hints)
        self.method = _METHODS.get(str(method))
        self.is_broadcast = method == _BROADCAST
        self.keeps_order = bool(planning.hint("force_join_order", hints))
        # The same inputs are planned again and again while orders are tried, here and above.
        self._cache = planning.joined

    def leaf(self, node: Node, required: RequiredOrder | None = None) -> Joined:
        """Return the finished plan of a single input."""
        key = (node, required, self.planning.context)
        cached: Joined | None = self._cache.get(key)
        if cached is None:
            cached = self._cache[key] = self.priced(self.choose(node, required, self.planning))
        return cached

    def seekable(self, node: Node, conditions: Sequence[Expr]) -> tuple[Node, frozenset[int]]:
        """Return the plan of an input that is read for each outer row, and the columns it seeks by.

        The outer rows are those that `conditions` compare the input with.
        """
        key = ("seekable", node, tuple(conditions), self.planning.context)
        cached: tuple[Node, frozenset[int]] | None = self._cache.get(key)
        if cached is None:
            chosen = self.choose(push(conditions, node), None, self.planning)
            cached = self._cache[key] = (chosen, _seek_columns(chosen))
        return cached

    def priced(self, node: Node) -> Joined:
        """Return a finished plan with its estimate."""
        return Joined(node, estimate(node, self.planning))

    def pair(self, kind: JoinKind, left: Joined, right: Node, conditions: Sequence[Expr]) -> Joined:
        """Return the cheapest join of a finished left side with a right side yet to be planned."""
        candidates = list(self._candidates(kind, left, right, conditions))
        return min(candidates, key=lambda one: one.estimate.cost)

    def _candidates(
        self, kind: JoinKind, left: Joined, right: Node, conditions: Sequence[Expr]
    ) -> Iterator[Joined]:
        """Yield every possible join; a join that compares all pairs only if there is no other."""
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
            is_right_first = self._is_right_first(left, inner)
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
            is_broadcast=self.is_broadcast, is_right_first=self._is_right_first(left, inner),
        )  # fmt: skip
        return self.priced(join)

    def _in_order(self, side: Joined, keys: Sequence[Expr]) -> Node:
        """Return a finished input of a merge join, sorted if it is not ordered already."""
        ascending = self.planning.schema.orders.order()
        order = tuple([SortKey(key, ascending) for key in keys])
        required = required_order(order, side.node)
        is_sorted = required is not None and is_ordered(side.node, required)
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
        if not is_free and is_volatile(right):
            return None  # Each of its rows must be computed once.
        if not is_free and not conditions:
            return None
        pushed, seek_columns = self.seekable(right, conditions)
        if not is_free and not seek_columns & left.node.ids:
            return None
        inner = pushed if is_once else spool_correlated(pushed)
        return self.priced(ApplyJoin(kind, left.node, inner))

    def _is_right_first(self, left: Joined, right: Joined) -> bool:
        """Return whether a join that may turn out empty should read its right side first.

        The side with few rows is the likelier to have none, unless it is expensive to read.
        """
        return self._effort(right) < self._effort(left)

    def _effort(self, side: Joined) -> float:
        return side.estimate.cost * side.estimate.rows + seeking_cost(side.node, self.planning)

    def semi_from_right(self, left: Node, right: Node, conditions: Sequence[Expr]) -> Joined | None:
        """Return a semi join that looks up left rows by the distinct right values, if possible."""
        keys, rest = _equal_keys(conditions, left.ids, right.ids)
        if free(right) & left.ids or rest or not keys:
            return None
        if not all(isinstance(key, ColumnRef) for key, _ in keys):
            return None
        values, distinct = self._distinct(right, tuple([value for _, value in keys]))
        matches = [
            equal(key, ColumnRef(column.type, column))
            for (key, _), column in zip(keys, values, strict=True)
        ]
        look_up = self.choose(push(matches, left), None, self.planning.looking_up())
        if not _seek_columns(look_up) & distinct.ids:
            return None
        return self.priced(ApplyJoin(JoinKind.INNER, distinct, look_up))

    def _distinct(
        self, node: Node, values: tuple[Expr, ...]
    ) -> tuple[tuple[ResolvedColumn, ...], Node]:
        """Return the distinct values of a finished input, as columns, in their order."""
        key = ("distinct", node, values, self.planning.context)
        cached: tuple[tuple[ResolvedColumn, ...], Node] | None = self._cache.get(key)
        if cached is None:
            columns = tuple([self.planning.new_column("key", value.type) for value in values])
            # Sorted by the left side's key, which then is the order of the result.
            ascending = self.planning.schema.orders.order()
            references = [ColumnRef(column.type, column) for column in columns]
            order = tuple([SortKey(reference, ascending) for reference in references])
            grouped = nodes.HashAggregate(node, tuple(zip(columns, values, strict=True)), ())
            chosen = self.choose(nodes.Sort(grouped, order), None, self.planning)
            cached = self._cache[key] = (columns, chosen)
        return cached


def plan_join(
    node: Join, required: RequiredOrder | None, planning: Planning, choose: Choose
) -> Node:
    """Return the plan of a join, including all inner joins below that belong to its cluster."""
    planner = JoinPlanner(planning, choose, node.hints)
    if node.kind is not JoinKind.INNER:
        conditions = list(conjuncts(node.condition))
        pair = planner.pair(node.kind, planner.leaf(node.left, required), node.right, conditions)
        if node.kind is JoinKind.SEMI and planner.method is None and not planning.is_looked_up:
            other = planner.semi_from_right(node.left, node.right, conditions)
            if other is not None and other.estimate.cost < pair.estimate.cost * _CLEARLY_LESS:
                return other.node
        return pair.node
    inputs: list[Node] = []
    conditions = []
    _flatten(node, inputs, conditions)
    inputs = _with_derived_conditions(inputs, conditions)
    cluster = Cluster(planner, inputs, conditions)
    if planner.keeps_order:
        in_order = _greedy(cluster, 0, required, None)
        assert in_order is not None
        return in_order.node
    starts = [number for number, item in enumerate(inputs) if not cluster.needs(item)]
    starts.sort(key=lambda number: planner.leaf(inputs[number]).estimate.rows)
    if len(inputs) > _STARTS_MAX or is_single_row(planner.leaf(inputs[starts[0]]).node):
        del starts[1:]  # A start with one row is hard to beat.
    best: Joined | None = None
    for start in starts:
        best = _greedy(cluster, start, required, best) or best
    assert best is not None
    return best.node


def hash_array(node: Unnest) -> Node:
    """Return a finished UNNEST, as a hash join where an array that all rows share is compared.

    Only an equality of an element with a value of the row can be looked up.
    """
    elements = frozenset([column.id for column in node.produced])
    if free(node.array) or is_volatile(node.array):
        return node
    keys, rest = _equal_keys(list(conjuncts(node.condition)), node.input.ids, elements)
    if not keys:
        return node
    own = [term for term in rest if free(term) <= elements and not is_volatile(term)]
    array = Unnest(nodes.Unit(), node.array, node.element, node.offset, condition=conjunction(own))
    return HashJoin(
        JoinKind.LEFT if node.outer else JoinKind.INNER,
        node.input,
        array,
        tuple([left for left, _ in keys]),
        tuple([right for _, right in keys]),
        conjunction([term for term in rest if term not in own]),
    )


def _flatten(node: Node, inputs: list[Node], conditions: list[Expr]) -> None:
    """Collect the inputs and conditions of inner joins that carry no hints of their own."""
    conditions.extend(conjuncts(node.condition) if isinstance(node, Join) else ())
    if not isinstance(node, Join):
        inputs.append(node)
        return
    for side in (node.left, node.right):
        if isinstance(side, Join) and side.kind is JoinKind.INNER and not side.hints:
            _flatten(side, inputs, conditions)
        else:
            inputs.append(side)


def _with_derived_conditions(inputs: list[Node], conditions: list[Expr]) -> list[Node]:
    """Return inputs with the conditions that filters and equalities of other inputs imply."""
    facts = list(conditions)
    for node in inputs:
        if isinstance(node, nodes.Filter):
            facts.extend(conjuncts(node.condition))
    derived: list[list[Expr]] = [[] for _ in inputs]
    for fact in implied(facts):
        for position, node in enumerate(inputs):
            if free(fact) & node.ids:
                derived[position].append(fact)
    return [push(more, node) if more else node for more, node in zip(derived, inputs, strict=True)]


class Cluster:
    """The inputs of a cluster of inner joins, and its conditions with the columns they need."""

    def __init__(
        self, planner: JoinPlanner, inputs: Sequence[Node], conditions: Sequence[Expr]
    ) -> None:
        self.planner = planner
        self.inputs = inputs
        self._made = frozenset[int]().union(*[one.ids for one in inputs])
        self.conditions = [(entry, self.needs(entry)) for entry in conditions]

    def needs(self, item: Node | Expr) -> frozenset[int]:
        """Return the columns of other inputs that a condition or a lateral input refers to."""
        return free(item) & self._made


def _greedy(
    cluster: Cluster, start: int, required: RequiredOrder | None, rival: Joined | None
) -> Joined | None:
    """Join all inputs from a start on, taking the cheapest next input each time.

    Return None as soon as the plan costs as much as `rival`, which starts elsewhere.
    """
    planner, inputs = cluster.planner, cluster.inputs
    joined = planner.leaf(inputs[start], required)
    waiting = [node for position, node in enumerate(inputs) if position != start]
    left = cluster.conditions
    while waiting:
        known = joined.node.ids
        options = [
            (node, _ready(left, known | node.ids))
            for node in waiting
            if cluster.needs(node) <= known
        ]
        if planner.keeps_order:
            options = options[:1]
        # A cross product of unrelated inputs comes last, whatever its estimate.
        related = [option for option in options if option[1] or free(option[0]) & known]
        tries = [
            (planner.pair(JoinKind.INNER, joined, node, now), node, now)
            for node, now in related or options
        ]
        joined, taken, used = min(tries, key=lambda entry: entry[0].estimate.cost)
        if rival is not None and joined.estimate.cost >= rival.estimate.cost:
            return None
        waiting = [node for node in waiting if node is not taken]
        left = [entry for entry in left if not any(entry[0] is node for node in used)]
    rest = [condition for condition, _ in left]
    return joined if not rest else planner.priced(_filtered(joined.node, rest))


def _ready(conditions: Sequence[tuple[Expr, frozenset[int]]], known: frozenset[int]) -> list[Expr]:
    """Return the conditions whose columns are all known."""
    return [condition for condition, needs in conditions if needs <= known]


def _filtered(node: Node, conditions: Sequence[Expr]) -> Node:
    condition = conjunction(conditions)
    return node if condition is None else nodes.Filter(node, condition)


def _equal_keys(
    conditions: Sequence[Expr], left: frozenset[int], right: frozenset[int]
) -> tuple[list[tuple[Expr, Expr]], list[Expr]]:
    """Return the (left, right) sides of equalities between both sides, and the other conditions."""
    keys: list[tuple[Expr, Expr]] = []
    rest: list[Expr] = []
    for condition in conditions:
        sides = equality(condition)
        pair = None
        if sides is not None and not is_volatile(condition) and not is_compound(sides[0].type):
            for a, b in (sides, sides[::-1]):
                if free(a) & left and free(b) & right and not (free(a) & right or free(b) & left):
                    pair = (a, b)
                    break
        if pair is None:
            rest.append(condition)
        else:
            keys.append(pair)
    return keys, rest


def _seek_columns(node: Node) -> frozenset[int]:
    """Return the outer columns by which scans below seek."""
    scans = [one for one in walk_nodes(node) if isinstance(one, nodes.Scan) and one.seeks]
    return _NOTHING.union(*map(seek_columns, scans))


_NOTHING: frozenset[int] = frozenset()
