"""The compiled parts of a path scan: lookups of edges, checks of nodes, and results.

An *arrival* is what a step finds at a node: (node, edge, values) of an edge and the node that it
leads to, as `path_trace` describes them. Arrivals are made of many rows at once, by a generated
function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import chain
from typing import Any

from spanemu.base.deadline_checks import STEP_ITEMS_MAX
from spanemu.base.record import Unique, record
from spanemu.sql.executor.codegen import Writer, function_of
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.operators.apply_join import Joined, compile_partners
from spanemu.sql.executor.operators.path_trace import LateValues, Node
from spanemu.sql.executor.relation import Relation, Value, batches, map_batches
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.plan.joins import ApplyJoin, JoinKind
from spanemu.sql.plan.nodes import Columns, Project, Scan
from spanemu.sql.plan.nodes import Node as PlanNode
from spanemu.sql.plan.paths import Check, Hop, Lookup, Place, Step
from spanemu.sql.plan.traverse import has_query, is_volatile, substitute
from spanemu.sql.resolved import ColumnRef, Expr, MakeElement, ResolvedColumn
from spanemu.values.floats import FLOAT64_MAX
from spanemu.values.graph import plain_key
from spanemu.values.graph_types import ElementTable
from spanemu.values.numeric import NUMERIC_MAX
from spanemu.values.value import INT64_MAX

# Arrivals with values, which may be whole elements, that are made at once. A search may hold as
# many for each node on its path, and frees them all when its statement is ended.
_BATCH_MAX = 16

Arrival = tuple[Node, Any, tuple[Any, ...]]
# Finds the arrivals at a node.
Arrivals = Callable[[Node, Run], Iterable[Arrival]]
_MakeArrivals = Callable[[Sequence[Row], Run], list[Arrival]]
# The values of a place for a node, or None if the node may not stand there.
CheckNode = Callable[[Node, Run], "tuple[Any, ...] | None"]


def _no_rows(run: Run) -> Iterable[Row]:
    return ()


@record
class _LookedUp(Unique):
    """The rows of a lookup joined with the node, and the values that a projection makes of them.

    They are computed with the other values of an arrival.
    """

    joined: Joined
    computed: Mapping[int, Expr]

    def value(self, column: ResolvedColumn) -> Expr:
        """Return the value of a column over the joined rows."""
        return self.computed.get(column.id) or _reference(column)


def _looked_up(lookup: Lookup, compiler: Compiler, *, wants_any: bool = False) -> _LookedUp:
    """Compile a lookup to a join of its rows with the node, which is a row: table, then key."""
    layout = {column.id: 1 + position for position, column in enumerate(lookup.here)}
    node = Relation(_no_rows, layout, 1 + len(lookup.here))
    rows: PlanNode = lookup.node
    computed: Mapping[int, Expr] = {}
    if not compiler.profiled:
        rows, computed = _without_projection(rows)
        if isinstance(rows, ApplyJoin) and _is_chain(rows):
            return _LookedUp(_chained(rows, node, compiler), computed)
    return _LookedUp(compile_partners(rows, node, compiler, wants_any=wants_any), computed)


def _without_projection(rows: PlanNode) -> tuple[PlanNode, Mapping[int, Expr]]:
    """Return the input of a projection, and the values by column."""
    if not isinstance(rows, Project) or is_volatile(rows) or has_query(rows):
        return rows, {}
    return rows.input, {column.id: value for column, value in rows.computed}


def _is_chain(join: ApplyJoin) -> bool:
    """Return whether a join looks up rows of one table after the other."""
    sides = (join.left, join.right)
    return join.kind is JoinKind.INNER and all(isinstance(side, Scan) for side in sides)


def _chained(join: ApplyJoin, node: Relation, compiler: Compiler) -> Joined:
    """Compile a join to one of the left rows with the node, and of these with the right rows.

    Rows are looked up while the search asks for them: a node may have very many edges.
    """
    left = compile_partners(join.left, node, compiler)
    between = Relation(_no_rows, left.layout, left.width)
    right = compile_partners(join.right, between, compiler)
    edges, nodes = left.of, right.of

    def of(row: Row, run: Run) -> Iterable[Row]:
        rows = edges(row, run)
        if isinstance(rows, (list, tuple)) and len(rows) <= STEP_ITEMS_MAX:
            return joined(rows, run)
        return map_batches(rows, lambda batch: joined(batch, run))

    def joined(rows: Iterable[Row], run: Run) -> list[Row]:
        return [both for edge in rows for both in nodes(edge, run)]

    return Joined(of, right.layout, right.width)


@record
class Reading(Unique):
    """The way in which a search reads edges.

    `backward` finds the edges that lead to a node. With `is_late`, the values of an arrival are
    `path_trace.LateValues`: a search that keeps few of the paths that it finds computes no others.
    """

    backward: bool = False
    is_late: bool = False


def compile_hop(hop: Hop, compiler: Compiler, reading: Reading) -> Arrivals:
    """Compile the lookup of the edges at a node."""
    by_table: dict[str, list[Arrivals]] = {}
    for step in hop.steps:
        here = step.target if reading.backward else step.source
        by_table.setdefault(here.name, []).append(_compile_step(step, compiler, reading))
    if len(by_table) == 1:
        ((table, steps),) = by_table.items()
        if len(steps) == 1:
            only = steps[0]
            return lambda node, run: only(node, run) if node[0] == table else ()

    def arrivals(node: Node, run: Run) -> Iterable[Arrival]:
        steps = by_table.get(node[0], ())
        if len(steps) == 1:
            return steps[0](node, run)
        return chain.from_iterable([step(node, run) for step in steps])

    return arrivals


def _compile_step(step: Step, compiler: Compiler, reading: Reading) -> Arrivals:
    lookup = step.backward if reading.backward else step.forward
    assert lookup is not None
    looked_up = _looked_up(lookup, compiler)
    find = looked_up.joined.of
    make = _arrival_maker(step, looked_up, compiler, reading)
    largest = _BATCH_MAX if step.values and not reading.is_late else STEP_ITEMS_MAX

    def arrivals(node: Node, run: Run) -> Iterable[Arrival]:
        rows = find(node, run)
        if isinstance(rows, (list, tuple)) and len(rows) <= largest:
            return make(rows, run) if rows else ()
        return chain.from_iterable(make(batch, run) for batch in batches(rows, largest))

    return arrivals


def _arrival_maker(
    step: Step, looked_up: _LookedUp, compiler: Compiler, reading: Reading
) -> _MakeArrivals:
    """Return the function from joined rows to arrivals."""
    writer = Writer(looked_up.joined.layout, compiler)
    here, there, key = step.source, step.target, step.target_key
    if reading.backward:
        here, there, key = step.target, step.source, step.source_key
    node = _identity(there, key, looked_up, writer)
    edge = _identity(step.edge, step.edge_key, looked_up, writer) if step.edge_key else "None"
    if reading.is_late and step.values:
        late = compiler.cells(list(map(looked_up.value, step.values)), looked_up.joined.layout)
        values = f"{writer.bind(LateValues)}(({writer.bind(late)}, row))"
    else:
        values = (
            f"({''.join([f'{writer.value(looked_up.value(each))}, ' for each in step.values])})"
        )
    text = f"({node}, {edge}, {values}) for row in rows"
    if step.skips_loops and here.name == there.name:
        same = [
            f"{writer.value(looked_up.value(column))} == {writer.cell(1 + position)}"
            for position, column in enumerate(key)
        ]
        text += f" if not ({' and '.join(same)})"
    maker: _MakeArrivals = function_of(f"lambda rows, run: [{text}]", writer)
    return maker


def _identity(table: ElementTable, key: Columns, looked_up: _LookedUp, writer: Writer) -> str:
    """Return the text of the table and the key of an element."""
    cells = [writer.value(looked_up.value(column)) for column in key]
    text = f"({writer.bind(table.name)}, {''.join([f'{cell}, ' for cell in cells])})"
    is_plain = not any(column.type.is_float for column in key)
    return text if is_plain else f"{writer.bind(plain_key)}({text})"


def _reference(column: ResolvedColumn) -> ColumnRef:
    return ColumnRef(column.type, column)


# ---------------------------------------------------------------------------- nodes


def compile_place(pattern: Place, compiler: Compiler) -> CheckNode:
    """Compile the conditions on a node behind a segment."""
    checks = {check.table.name: _compile_check(check, compiler) for check in pattern.checks}

    def values(node: Node, run: Run) -> tuple[Any, ...] | None:
        check = checks.get(node[0])
        return None if check is None else check(node, run)

    return values


def _compile_check(check: Check, compiler: Compiler) -> CheckNode:
    if check.lookup is None:
        layout = {column.id: 1 + position for position, column in enumerate(check.key)}
        return compiler.cells(check.values, layout)
    looked_up = _looked_up(check.lookup, compiler, wants_any=not check.values)
    find = looked_up.joined.of
    cells: Value | None = None
    if check.values:
        values_of = [substitute(value, looked_up.computed) for value in check.values]
        cells = compiler.cells(values_of, looked_up.joined.layout)

    def values(node: Node, run: Run) -> tuple[Any, ...] | None:
        for row in find(node, run):
            return () if cells is None else cells(row, run)
        return None

    return values


def compile_node(expr: Expr, relation: Relation, compiler: Compiler) -> Value:
    """Compile an expression of type GRAPH_NODE to a function that returns table and key.

    The function returns None for NULL.
    """
    if isinstance(expr, MakeElement):
        name, is_plain = expr.table.name, not any(part.type.is_float for part in expr.key)
        cells = compiler.cells(expr.key, relation.layout)

        def node_of_key(row: Row, run: Run) -> Node | None:
            key = cells(row, run)
            if None in key:
                return None
            return (name, *(key if is_plain else plain_key(key)))

        return node_of_key
    element_of = compiler.value(expr, relation.layout)

    def node_of_element(row: Row, run: Run) -> Node | None:
        element = element_of(row, run)
        return None if element is None else (element.table.name, *element.key)

    return node_of_element


# ---------------------------------------------------------------------------- costs

_INFINITY = float("inf")
# By the class of the sum of costs.
_LARGEST: Mapping[type, Any] = {
    int: INT64_MAX,
    float: FLOAT64_MAX,
    Decimal: NUMERIC_MAX,
}


@record
class Costs(Unique):
    """The cost of the edges of a hop: the position of the cost among the values of the hop."""

    position: int

    def added(self, total: Any, values: Sequence[Any]) -> Any:
        """Return `total` with the cost of an edge. Raise BadArgument for a cost that is not one."""
        cost = values[self.position]
        if cost is None:
            raise BadArgument("Graph cost expression must not be NULL")
        if cost != cost:
            raise BadArgument("Graph cost expression must not be NaN")
        if cost == _INFINITY or cost == -_INFINITY:
            raise BadArgument("Graph cost expression must not be Inf")
        if cost <= 0:
            raise BadArgument(f"Graph cost expression must be positive, but is {cost}")
        total = cost + total
        if total > _LARGEST[total.__class__]:
            raise BadArgument("The sum of the costs of a path is out of range")
        return total


def costs_of(hop: Hop) -> Costs | None:
    """Return the cost of a hop, or None if its edges cost nothing."""
    if hop.cost is None:
        return None
    return Costs([column.id for column in hop.columns].index(hop.cost.id))
