"""The first rows in order. The operator keeps about twice as many rows as are requested.

Once so many rows have arrived, the last of the best is a bound: a row that comes after it in the
order of the first key is dropped by one comparison, before anything else is done with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spanemu.sql.executor.codegen import Writer, function_of
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.memory import FREE_ROWS, free_in_parts, freed_after_use
from spanemu.sql.executor.operators import best_scores, nearest
from spanemu.sql.executor.operators.sort import compile_bounds, compile_sorter, sortable
from spanemu.sql.executor.relation import Layout, Relation, full_batches
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.functions.registry import DISTANCES
from spanemu.sql.plan.conditions import is_null, negation
from spanemu.sql.plan.nodes import Project, TopN
from spanemu.sql.plan.traverse import scope_of
from spanemu.sql.resolved import ColumnRef, Expr, FunctionCall, Literal, SortKey
from spanemu.values.order import GREATEST_NAN, NAN
from spanemu.values.types import FLOAT64

_SLACK = 1_024  # rows that are buffered beyond twice the limit before they are sorted


def compile_top_n(node: TopN, compiler: Compiler) -> Relation:
    """Compile the first rows in order: a buffer is sorted now and then and cut to the best rows."""
    bounds = compile_bounds(node.limit, node.offset, compiler)
    check = nearest.prepare(node, bounds, compiler) if _sorts_by_distance(node) else None
    if _may_sort_by_score(node.keys[0]):
        best_scores.prepare(node, bounds, compiler)
    below = compiler.relation(node.input)
    sort = compile_sorter(node.keys, below.layout, compiler, of=below)
    contest = _contest(node.keys, below.layout, compiler)
    holding = compiler.holding("Sort Limit", of=below)

    def rows(run: Run) -> Iterable[Row]:
        start, stop = bounds(run)
        if check is not None:
            check(run)
        if stop == start:
            return ()
        full = 2 * stop + _SLACK
        held = run.held
        best: list[Row] = []
        bound: Row | None = None
        try:
            for batch in full_batches(below.rows(run)):
                rivals: Sequence[Row] = batch
                if contest is not None and bound is not None:
                    rivals = contest(batch, bound, run)
                best += rivals
                if len(best) > FREE_ROWS:
                    holding.take(rivals, run)
                if len(best) >= full:
                    sort(best, run)
                    del best[stop:]
                    run.held = held
                    holding.take(best, run)
                    bound = best[-1]
            sort(best, run)
        except BaseException:
            free_in_parts(best)
            raise
        return freed_after_use(best[start:stop] if start or len(best) > stop else best)

    return below.with_rows(rows)


def _may_sort_by_score(key: SortKey) -> bool:
    return isinstance(key.value, ColumnRef) and key.order.descending and key.value.type == FLOAT64


def _sorts_by_distance(node: TopN) -> bool:
    """Return whether the first key is a distance of vectors, or a column that may be one."""
    value = node.keys[0].value
    if isinstance(value, FunctionCall):
        return value.signature.operation in DISTANCES
    below = node.input
    if not isinstance(value, ColumnRef) or not isinstance(below, Project):
        return False
    computed = {column.id: value for column, value in below.computed}.get(value.column.id)
    return isinstance(computed, FunctionCall) and computed.signature.operation in DISTANCES


# Returns the rows that may come before a row, the bound, in order.
Contest = Callable[[Sequence[Row], Row, Run], Sequence[Row]]


def _contest(keys: Sequence[SortKey], layout: Layout, compiler: Compiler) -> Contest | None:
    """Compile the test of rows against a bound; None if the keys must be computed for all rows."""
    if not all(map(_is_comparable_again, keys)) or any(
        scope_of(key.value).may_fail for key in keys[1:]
    ):
        return None
    first = keys[0]
    value_of = compiler.batch_values(sortable(first), layout)
    # A row whose first key is that of the bound may be better by a further key; with one key, the
    # row that came first is better.
    is_single, nulls_first = len(keys) == 1, first.order.nulls_first
    better = _better(first, layout, compiler, may_be_equal=not is_single)
    only_null = compiler.batch_filter(is_null(first.value), layout)
    only_known = compiler.batch_filter(negation(is_null(first.value)), layout)

    def contest(rows: Sequence[Row], bound: Row, run: Run) -> Sequence[Row]:
        (limit,) = value_of((bound,), run)
        if limit is not None:
            return better(rows, limit, run)
        if nulls_first:
            return () if is_single else only_null(rows, run)
        return only_known(rows, run) if is_single else rows

    return contest


def _is_comparable_again(key: SortKey) -> bool:
    """Return whether a key may be computed for the contest, and again for the sort."""
    scope = scope_of(key.value)
    has_known_collation = key.collation is None or isinstance(key.collation, Literal)
    return has_known_collation and not (scope.is_volatile or scope.has_query)


# The opposite of a comparison, for a number that may be NaN: any comparison of NaN is false.
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def _better(
    key: SortKey, layout: Layout, compiler: Compiler, *, may_be_equal: bool
) -> Callable[[Sequence[Row], Any, Run], list[Row]]:
    """Compile the selection of the rows whose key is better than a limit, which is not NULL.

    Python refuses to compare None: only then the rows are tested for NULL.
    """
    order, value = key.order, key.value
    comparison = (">" if order.descending else "<") + ("=" if may_be_equal else "")
    converted = sortable(key)
    hopeful_test = f"{{value}} {comparison} limit"
    if value.type.is_float and order.descending is order.nan_greatest:  # NaN is better.
        hopeful_test = f"not {{value}} {_OPPOSITE[comparison]} limit"
    hopeful = _selection(
        hopeful_test, value if value.type.is_float else converted, layout, compiler
    )
    test = "is None or" if order.nulls_first else "is not None and"
    careful_test = f"({{name}} := {{value}}) {test} {{name}} {comparison} limit"
    careful = _selection(careful_test, converted, layout, compiler)

    def better(rows: Sequence[Row], limit: Any, run: Run) -> list[Row]:
        if limit is not NAN and limit is not GREATEST_NAN:
            try:
                return hopeful(rows, limit, run)
            except TypeError:
                pass
        return careful(rows, limit, run)

    return better


def _selection(
    test: str, value: Expr, layout: Layout, compiler: Compiler
) -> Callable[[Sequence[Row], Any, Run], list[Row]]:
    """Compile the selection of rows by a test of {value}, which may use a temporary, {name}."""
    writer = Writer(layout, compiler)
    written = test.format(value=writer.value(value), name=writer.temporary())
    text = f"lambda rows, limit, run: [row for row in rows if {written}]"
    selection: Callable[[Sequence[Row], Any, Run], list[Row]] = function_of(text, writer)
    return selection
