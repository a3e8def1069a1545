"""Advice on indexes: what a plan's full scans would seek if an index existed.

A filter on columns that neither the primary key nor an index begins with makes a query read the
whole table. Spanner's index advisor then names an index in the plan; so does this module. It also
names the index that the edges of a graph lack where a path follows them from the other end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from spanemu.ddl.naming import managed_index_name
from spanemu.ddl.schema_text import schema_writer
from spanemu.ddl.validators.tables import is_key_type
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import KeyPart
from spanemu.sql.plan.conditions import conjuncts
from spanemu.sql.plan.drawing import Figures, IndexAdvice, PlanTree
from spanemu.sql.plan.joins import KeyedSpool
from spanemu.sql.plan.nodes import Among, Equal, Node, Scan
from spanemu.sql.plan.operator_display import explain
from spanemu.sql.plan.paths import PathScan
from spanemu.sql.plan.statements import DmlPlan, Plan, QueryPlan
from spanemu.sql.plan.traverse import walk
from spanemu.sql.planner.seeks import Term, Terms
from spanemu.sql.resolved import ColumnRef, Expr

# How many times fewer rows are read where a filter binds a column to a value, and to an interval:
# the selectivities that the planner assumes, too.
_BY_VALUE = 10.0
_BY_INTERVAL = 2.5


def explained(plan: Plan, schema: Schema, profile: Figures | None = None) -> PlanTree:
    """Return the tree of a plan with the indexes that it lacks, and its figures if it ran."""
    return replace(explain(plan, profile), advice=index_advice(plan, schema))


def index_advice(plan: Plan, schema: Schema) -> tuple[IndexAdvice, ...]:
    """Return the indexes that would spare full scans, each once, in the order of the plan."""
    assert isinstance(plan, QueryPlan | DmlPlan)
    advice = (index for node in walk(plan.root) for index in _of_node(node, schema))
    return tuple({each.ddl: each for each in advice}.values())


def _of_node(node: Node | Expr, schema: Schema) -> Iterator[IndexAdvice]:
    if isinstance(node, Scan):
        yield from _of_scan(node, schema)
    elif isinstance(node, PathScan):
        for lookup in node.lookups():
            for inner in walk(lookup.node):
                if isinstance(inner, KeyedSpool) and isinstance(inner.input, Scan):
                    yield from _of_edges(inner, inner.input, schema)


def _of_edges(spool: KeyedSpool, scan: Scan, schema: Schema) -> Iterator[IndexAdvice]:
    """Yield the index by which the edges at a node could be sought, which are hashed without it."""
    stored = {column.id: stored.name for column, stored in scan.outputs}
    key = [
        stored[value.column.id]
        for value in spool.keys
        if isinstance(value, ColumnRef) and value.column.id in stored
    ]
    if scan.seeks is None and scan.index is None and len(key) == len(spool.keys):
        yield _advice(scan, key, _BY_VALUE ** len(key), schema)


def _of_scan(scan: Scan, schema: Schema) -> Iterator[IndexAdvice]:
    """Yield the index that would serve the filter of a full scan, if there is one."""
    if scan.vector_index is not None:
        return
    if scan.seeks is not None or scan.index is not None or scan.residual is None:
        return
    points, interval = _sought(scan, schema)
    key = [*points, *([] if interval is None else [interval])]
    if not key or _served(scan, schema, set(key)):
        return
    factor = _BY_VALUE ** len(points) * (1.0 if interval is None else _BY_INTERVAL)
    yield _advice(scan, key, factor, schema)


def _advice(scan: Scan, key: Sequence[str], factor: float, schema: Schema) -> IndexAdvice:
    """Return the advice to create an index on columns of the table that is scanned."""
    columns = [column for column in (scan.table.column(name) for name in key) if column is not None]
    ascending = schema.orders.order()
    name = managed_index_name(schema, scan.table.name, list(key), "")
    parts = tuple([KeyPart(column, ascending) for column in columns])
    index = SortedIndex(name=name, id=0, table=scan.table.name, key=parts, suffix=())
    return IndexAdvice(schema_writer(schema).index(index), factor)


def _sought(scan: Scan, schema: Schema) -> tuple[list[str], str | None]:
    """Return the columns that a filter binds to values, and one that it binds to an interval."""
    stored = {column.id: stored.name for column, stored in scan.outputs}
    types = {stored.name: stored.type for _, stored in scan.outputs}
    terms = Terms(stored)
    sought = [
        term
        for conjunct in conjuncts(scan.residual)
        for term in terms.of(conjunct)
        if is_key_type(types[term.column], schema)
    ]
    points = list(dict.fromkeys(term.column for term in sought if _is_point(term)))
    intervals = (term.column for term in sought if term.column not in points)
    return points, next(intervals, None)


def _is_point(term: Term) -> bool:
    return isinstance(term.constraint, Equal | Among)


def _served(scan: Scan, schema: Schema, sought: set[str]) -> bool:
    """Return whether the primary key or an index begins with a sought column."""
    keys = [scan.table.key, *(index.key for index in schema.indexes_of(scan.table))]
    return any(key[0].column.name in sought for key in keys if key)
