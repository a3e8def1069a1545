"""Whether a plan can be run partition by partition, each over its own root rows.

Spanner's rule for a query: the first operator of its plan is a distributed union and no other
operator is distributed. Every partition then holds whole families: root rows with all rows
interleaved in them. So rows may be filtered, projected, unnested, and joined or grouped with rows
of their own family:

    Users, Posts below Users        Users JOIN Posts ON Users.Id = Posts.Id      yes
                                    ARRAY(SELECT ... FROM Posts WHERE Id = Users.Id)  yes
                                    Posts GROUP BY Id, PostId                    yes
                                    Users JOIN Posts ON Users.Id = Posts.PostId  no
                                    GROUP BY Title, ORDER BY, LIMIT, DISTINCT    no

The *family* of a node describes its rows: for each part of the root's key, the ids of the columns
that hold it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from spanemu.base.record import record
from spanemu.schema.schema import Schema
from spanemu.sql.plan import joins, nodes
from spanemu.sql.plan.nodes import Equal, Node, Seek, Subquery
from spanemu.sql.plan.paths import PathScan
from spanemu.sql.plan.statements import DmlPlan, Plan, QueryPlan
from spanemu.sql.plan.traverse import parts, walk
from spanemu.sql.resolved import ColumnRef, Expr


@record
class Family:
    """The hierarchy that rows belong to, and the columns that hold each part of its root's key."""

    hierarchy: str
    key: tuple[frozenset[int], ...]


class _Refused(Exception):
    """The reason why a plan cannot be partitioned."""


def dml_partitioning_obstacle(plan: Plan) -> str:
    """Return why DML is not fully partitionable, or "" if it reads its own rows only."""
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


def partition_hierarchy(plan: Plan, schema: Schema) -> tuple[str, str]:
    """Return the root table or index of the families that a query reads, and why it has none.

    The name is "" if there is no root, the reason "" if the query is root-partitionable.
    """
    assert isinstance(plan, QueryPlan)
    try:
        family = _Families(schema).of(plan.root)
    except _Refused as reason:
        return "", str(reason)
    return "" if family is None else family.hierarchy, ""


class _Families:
    """The families of a plan's nodes; raises `_Refused` where rows leave their family."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def of(self, node: Node) -> Family | None:
        """Return the family of a node's rows; None if they come from no table."""
        return _RULES[type(node)](self, node)

    def of_many(self, node: Node) -> NoReturn:
        """Refuse a node whose rows come from many families."""
        raise _needs_more(node)

    def of_scan(self, node: nodes.Scan) -> Family:
        """Return the family of rows of a table, or of entries of an index."""
        family = self._stored(node)
        self._subqueries(node, family)
        return family

    def of_input(self, node: Any) -> Family | None:
        """Return the family of a node that passes on its input row by row."""
        family = self.of(node.input)
        self._subqueries(node, family)
        return family

    def of_project(self, node: nodes.Project) -> Family | None:
        """Return the family of the same rows, whose key may have further names."""
        family = self.of_input(node)
        return family and _renamed(family, node.computed)

    def of_constants(self, node: Node) -> None:
        """Check the subqueries of rows that come from no table."""
        self._subqueries(node, None)

    def of_groups(self, node: nodes.HashAggregate) -> Family | None:
        """Return the family of groups; each group must lie within a family."""
        family = self.of_input(node)
        if family is None:
            return None
        grouped = _renamed(family, node.keys)
        left_ids = frozenset(column.id for column, _ in node.keys)
        key = tuple(part & left_ids for part in grouped.key)
        if not all(key):
            raise _needs_more(node)
        return Family(family.hierarchy, key)

    def of_apply(self, node: joins.ApplyJoin) -> Family | None:
        """Return the family of rows joined with rows that are looked up for each."""
        family = self.of(node.left)
        if not node.back_join:
            self._inner(node.right, family)
        return family

    def of_hash_join(self, node: joins.HashJoin) -> Family | None:
        """Return the family of rows joined by values that include the key of their family."""
        left, right = self.of(node.left), self.of(node.right)
        self._subqueries(node, left)
        if left is None or right is None:
            return left or right
        pairs = list(zip(node.left_keys, node.right_keys, strict=True))
        if not _matches_families(left, right, pairs) or node.kind is joins.JoinKind.NULL_AWARE_ANTI:
            raise _needs_more(node)
        if node.kind is joins.JoinKind.INNER:
            both = zip(left.key, right.key, strict=True)
            return Family(
                left.hierarchy, tuple(left_ids | right_ids for left_ids, right_ids in both)
            )
        if node.kind is joins.JoinKind.FULL:
            return Family(left.hierarchy, tuple(frozenset() for _ in left.key))
        return left

    def of_loop_join(self, node: joins.Join) -> Family | None:
        """Return the family of rows paired with rows of no table."""
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
        """Check a plan that runs for each row of `outer`: it must stay within the row's family."""
        if isinstance(node, nodes.Scan | nodes.SystemScan | nodes.WithRef):
            is_tied = isinstance(node, nodes.Scan) and outer and self._seeks(node, outer)
            if not is_tied:
                raise _needs_more(node)
        if isinstance(node, joins.KeyedSpool):
            pairs = list(zip(node.probes, node.keys, strict=True))
            inner = self.of(node.input)
            if inner and not (outer and _matches_families(outer, inner, pairs)):
                raise _needs_more(node)
            return
        for part in parts(node):
            if isinstance(part, Node):
                self._inner(part, outer)
        self._subqueries(node, outer)

    def _seeks(self, node: nodes.Scan, outer: Family) -> bool:
        """Return whether a scan reads only rows of the family of each row of `outer`."""
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
    nodes.RemoteCall: _Families.of_input,
    joins.ApplyJoin: _Families.of_apply,
    joins.HashJoin: _Families.of_hash_join,
    joins.Join: _Families.of_loop_join,
    **dict.fromkeys((nodes.SystemScan, nodes.Limit, nodes.Rank), _Families.of_many),
    **dict.fromkeys((nodes.Sort, nodes.TopN), _Families.of_many),
    **dict.fromkeys((nodes.UnionAll, nodes.SetOperation, nodes.Sample), _Families.of_many),
    **dict.fromkeys((nodes.With, nodes.WithRef, nodes.SearchScan), _Families.of_many),
    **dict.fromkeys((joins.MergeJoin, joins.KeyedSpool, PathScan), _Families.of_many),
}


def _needs_more(node: Node) -> _Refused:
    return _Refused(f"its {type(node).__name__} needs rows of more than one partition")


def _renamed(family: Family, computed: nodes.Computed) -> Family:
    """Return the family including copies of key columns."""
    key = list(family.key)
    for column, expr in computed:
        if isinstance(expr, ColumnRef):
            for position, ids in enumerate(key):
                if expr.column.id in ids:
                    key[position] = ids | {column.id}
    return Family(family.hierarchy, tuple(key))


def _matches_families(left: Family, right: Family, pairs: Sequence[tuple[Expr, Expr]]) -> bool:
    """Return whether the equality of `pairs` joins rows only with rows of their own family."""
    return left.hierarchy == right.hierarchy and all(
        any(
            _holds(left_ids, left_key) and _holds(right_ids, right_key)
            for left_key, right_key in pairs
        )
        for left_ids, right_ids in zip(left.key, right.key, strict=True)
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
    """Yield the subqueries in an expression, but not those nested inside them."""
    if isinstance(expr, Subquery):
        yield expr
    for part in parts(expr):
        if isinstance(part, Expr):
            yield from _subqueries_of(part)
