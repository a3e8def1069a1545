"""Whether a plan can be run share by share, each share with root rows of its own.

Spanner's rule for a query: the first operator of its plan is a distributed union and no other
operator is distributed. Every share then works on whole families: root rows with all that is
interleaved in them. So rows may be filtered, projected, unnested, and paired or gathered with rows
of their own family:

    Users, Posts below Users        Users JOIN Posts ON Users.Id = Posts.Id      yes
                                    ARRAY(SELECT ... FROM Posts WHERE Id = Users.Id)  yes
                                    Posts GROUP BY Id, PostId                    yes
                                    Users JOIN Posts ON Users.Id = Posts.PostId  no
                                    GROUP BY Title, ORDER BY, LIMIT, DISTINCT    no

A node's *family* is what is known of its rows: for each part of the root's key, the ids of the
columns that hold it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from spanemu.base.record import record
from spanemu.schema.schema import Schema
from spanemu.sql.plan import joins, nodes
from spanemu.sql.plan.nodes import Node, Sample, Subquery, SystemScan
from spanemu.sql.plan.seek import Equal, Seek
from spanemu.sql.plan.statements import CallPlan, DmlPlan, Plan, QueryPlan
from spanemu.sql.plan.traverse import parts, walk
from spanemu.sql.resolved import ColumnRef, Expr, FunctionCall


@record
class Family:
    """Which hierarchy rows belong to, and for each part of its root's key, who holds it."""

    hierarchy: str
    key: tuple[frozenset[int], ...]


class _Refused(Exception):
    """The reason why a plan cannot be partitioned."""


def why_dml_is_not(plan: Plan) -> str:
    """The reason why DML is not fully partitionable, "" if it is: it reads its own rows only."""
    assert isinstance(plan, DmlPlan)
    times = 0
    for node in walk(plan.root):
        if isinstance(node, nodes.SystemScan):
            return f"it reads {node.name}"
        if isinstance(node, nodes.Scan):
            if node.table.name != plan.table.name:
                return f"it reads {node.table.name}"
            times += 1
        elif isinstance(node, joins.ApplyJoin) and node.back_join:
            times -= 1  # The two scans under it are one read, by an index.
    return f"it reads {plan.table.name} more than once" if times > 1 else ""


def hierarchy_of_query(plan: Plan, schema: Schema) -> tuple[str, str]:
    """The root table or index whose families a query goes through, "" for none; and the reason why
    it is not root-partitionable, "" if it is.
    """
    assert isinstance(plan, QueryPlan)
    try:
        family = _Families(schema).of(plan.root)
    except _Refused as reason:
        return "", str(reason)
    return "" if family is None else family.hierarchy, ""


class _Families:
    """Works out the family of every node of a plan; raises `_Refused` where rows leave theirs."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def of(self, node: Node) -> Family | None:
        """The family of a node's rows; None when they come from no table."""
        rule = _RULES.get(type(node))
        if rule is None:
            raise _too_much(node)
        return rule(self, node)

    def of_scan(self, node: nodes.Scan) -> Family:
        """Rows of a table, or entries of an index."""
        family = self._stored(node)
        self._subqueries(node, family)
        return family

    def of_input(self, node: Any) -> Family | None:
        """Nodes that pass on what they are given, row by row."""
        family = self.of(node.input)
        self._subqueries(node, family)
        return family

    def of_project(self, node: nodes.Project) -> Family | None:
        """The same rows, with the key under further names perhaps."""
        family = self.of_input(node)
        return family and _renamed(family, node.computed)

    def of_constants(self, node: Node) -> None:
        """Rows computed on the spot."""
        self._subqueries(node, None)

    def of_groups(self, node: nodes.HashAggregate) -> Family | None:
        """Groups, each of one family."""
        family = self.of_input(node)
        if family is None:
            return None
        grouped = _renamed(family, node.keys)
        mine = frozenset(column.id for column, _ in node.keys)
        key = tuple(part & mine for part in grouped.key)
        if not all(key):
            raise _too_much(node)
        return Family(family.hierarchy, key)

    def of_apply(self, node: joins.ApplyJoin) -> Family | None:
        """Rows with others that are looked up for each."""
        family = self.of(node.left)
        if not node.back_join:
            self._inner(node.right, family)
        return family

    def of_hash_join(self, node: joins.HashJoin) -> Family | None:
        """Rows paired by values, the key of their family among them."""
        left, right = self.of(node.left), self.of(node.right)
        self._subqueries(node, left)
        if left is None or right is None:
            return left or right
        pairs = list(zip(node.left_keys, node.right_keys, strict=True))
        if not _tied(left, right, pairs) or node.kind is joins.JoinKind.NULL_AWARE_ANTI:
            raise _too_much(node)
        if node.kind is joins.JoinKind.INNER:
            both = zip(left.key, right.key, strict=True)
            return Family(left.hierarchy, tuple(mine | theirs for mine, theirs in both))
        if node.kind is joins.JoinKind.FULL:
            return Family(left.hierarchy, tuple(frozenset() for _ in left.key))
        return left

    def of_loop_join(self, node: joins.Join) -> Family | None:
        """Rows paired with rows of no table."""
        family = self.of(node.left)
        self._inner(node.right, family)
        self._subqueries(node, family)
        return family

    # ------------------------------------------------------------------ within a row of `outer`

    def _subqueries(self, node: Node, family: Family | None) -> None:
        for part in parts(node):
            if isinstance(part, Expr):
                for subquery in _subqueries_of(part):
                    self._inner(subquery.node, family)

    def _inner(self, node: Node, outer: Family | None) -> None:
        """Judge what is evaluated for each row of `outer`: it must stay within the row's family."""
        if isinstance(node, nodes.Scan | nodes.SystemScan | nodes.WithRef):
            is_tied = isinstance(node, nodes.Scan) and outer and self._seeks(node, outer)
            if not is_tied:
                raise _too_much(node)
        if isinstance(node, joins.KeyedSpool):
            pairs = list(zip(node.probes, node.keys, strict=True))
            inner = self.of(node.input)
            if inner and not (outer and _tied(outer, inner, pairs)):
                raise _too_much(node)
            return
        for part in parts(node):
            if isinstance(part, Node):
                self._inner(part, outer)
        self._subqueries(node, outer)

    def _seeks(self, node: nodes.Scan, outer: Family) -> bool:
        """Whether a scan reads rows of the family of each row of `outer` only."""
        if self._stored(node).hierarchy != outer.hierarchy:
            return False
        return node.seeks is not None and all(_is_within(seek, outer) for seek in node.seeks)

    def _stored(self, node: nodes.Scan) -> Family:
        schema, index = self._schema, node.index
        table = node.table if index is None else schema.index_within(index)
        if table is None:
            assert index is not None
            name, key = index.name, index.full_key
        else:
            root = schema.root(table)
            name, key = root.name, root.key
        held = node.table.key if index is None else index.full_key
        ids = {stored.name: column.id for column, stored in node.outputs}
        names = [part.column.name for part in held[: len(key)]]
        return Family(name, tuple(frozenset({ids[n]} if n in ids else ()) for n in names))


_RULES: Mapping[type[Node], Callable[[_Families, Any], Family | None]] = {
    nodes.Scan: _Families.of_scan,
    nodes.Filter: _Families.of_input,
    nodes.Project: _Families.of_project,
    nodes.Unit: _Families.of_constants,
    nodes.Values: _Families.of_constants,
    nodes.HashAggregate: _Families.of_groups,
    nodes.StreamAggregate: _Families.of_groups,
    joins.Unnest: _Families.of_input,
    joins.ApplyJoin: _Families.of_apply,
    joins.HashJoin: _Families.of_hash_join,
    joins.Join: _Families.of_loop_join,
}


def _too_much(node: Node) -> _Refused:
    return _Refused(f"it needs more than one share's rows for its {type(node).__name__}")


def _renamed(family: Family, computed: nodes.Computed) -> Family:
    """The family with copies of key columns taken in."""
    key = list(family.key)
    for column, expr in computed:
        if isinstance(expr, ColumnRef):
            for place, ids in enumerate(key):
                if expr.column.id in ids:
                    key[place] = ids | {column.id}
    return Family(family.hierarchy, tuple(key))


def _tied(left: Family, right: Family, pairs: Sequence[tuple[Expr, Expr]]) -> bool:
    """Whether equality of those pairs keeps rows with rows of their own family."""
    return left.hierarchy == right.hierarchy and all(
        any(_holds(mine, one) and _holds(theirs, other) for one, other in pairs)
        for mine, theirs in zip(left.key, right.key, strict=True)
    )


def _holds(ids: frozenset[int], expr: Expr) -> bool:
    return isinstance(expr, ColumnRef) and expr.column.id in ids


def _is_within(seek: Seek, family: Family) -> bool:
    points = seek.points[: len(family.key)]
    return len(points) == len(family.key) and all(
        isinstance(point, Equal) and _holds(ids, point.value)
        for point, ids in zip(points, family.key, strict=True)
    )


def _subqueries_of(expr: Any) -> Iterator[Subquery]:
    """Subqueries in an expression, but not those inside of them."""
    if isinstance(expr, Subquery):
        yield expr
    for part in parts(expr):
        if isinstance(part, Expr):
            yield from _subqueries_of(part)


def is_repeatable(plan: Plan) -> bool:
    """Whether the rows of `plan` depend on stored rows and parameters alone."""
    if not isinstance(plan, QueryPlan) or isinstance(plan, CallPlan):
        return False
    for thing in walk(plan.root):
        if isinstance(thing, Sample | SystemScan):
            return False
        if isinstance(thing, FunctionCall) and (thing.signature.volatile or thing.signature.stable):
            return False
    return True
