"""The nearest rows to a vector: a scan below a sort by distance yields only the rows that matter.

    Sort Limit COSINE_DISTANCE(Embedding, @query)     computes exact distances, and orders by them
    └─ Scan Docs                                      yields candidates for the first rows

The rows are the same, in the same order, as those of a scan of the whole table: `nearness` leaves
out only rows that cannot be among the first ones. A table of less than `ROWS_MIN` rows is scanned,
and so are the rows of a transaction that takes locks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, Protocol, runtime_checkable

from spanemu.base.deadline_checks import interruptible_stream
from spanemu.base.record import NamedTuple
from spanemu.schema.table import Column, Table
from spanemu.sql.executor import nearness
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.relation import BatchFunction, Relation
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.functions.registry import Operation
from spanemu.sql.plan.conditions import call_of
from spanemu.sql.plan.nodes import Project, Scan, TopN
from spanemu.sql.plan.traverse import free
from spanemu.sql.resolved import ColumnRef, Expr, FunctionCall, SortKey
from spanemu.values.vector_rows import VectorView

ROWS_MIN = 1_000

Bounds = Callable[[Run], tuple[int, int]]
Check = Callable[[Run], object]


@runtime_checkable
class VectorReader(Protocol):
    """A row reader that has the vectors of a column at hand."""

    def vector_view(self, table: Table, column: Column) -> VectorView | None:
        """Return the rows of a table by their vectors; None if they must be scanned."""
        ...

    def observe_search(self, table: Table, rows: Iterable[Row]) -> None:
        """Report the rows of a table that a search has read."""
        ...


class Nearest(NamedTuple):
    """A search for the first rows of a scan by the distance of a column from a vector."""

    scan: Scan
    column: Column
    vector: Expr
    operation: Operation
    descending: bool
    bounds: Bounds


def prepare(node: TopN, bounds: Bounds, compiler: Compiler) -> Check | None:
    """Prepare the scan below a sort by distance; return what to check before the first row.

    The compiler then compiles the scan to the rows that matter, if that is possible.
    """
    key, scan = node.keys[0], node.input
    call: Any = key.value
    if isinstance(scan, Project):
        if isinstance(call, ColumnRef):
            computed = {column.id: value for column, value in scan.computed}
            call = computed[call.column.id]
        scan = scan.input
    assert isinstance(call, FunctionCall)
    if isinstance(scan, Scan) and _is_whole(scan) and not call.safe:
        search = _search(call, key, scan, bounds)
        if search is not None and len(node.keys) == 1 and not compiler.profiled:
            compiler.searches[id(scan)] = search
    return _check(call, compiler)


def _check(call: FunctionCall, compiler: Compiler) -> Check | None:
    """Return a check of the constant vector of an approximate distance, None without one."""
    for argument in call.arguments:
        if call_of(argument, Operation.QUERY_VECTOR) is not None and not free(argument):
            vector_of = compiler.value(argument, {})
            return lambda run: vector_of((), run)
    return None


def _is_whole(scan: Scan) -> bool:
    """Return whether a scan reads all rows of its table, without locks that last."""
    return not (scan.index or scan.seeks or scan.for_update or scan.descending)


def _search(call: FunctionCall, key: SortKey, scan: Scan, bounds: Bounds) -> Nearest | None:
    own = {column.id: stored for column, stored in scan.outputs}
    for first, second in (call.arguments, reversed(call.arguments)):
        column = own.get(first.column.id) if isinstance(first, ColumnRef) else None
        if column is not None and column.vector_length and free(second).isdisjoint(own):
            operation = call.signature.operation
            assert operation is not None
            return Nearest(scan, column, second, operation, key.order.descending, bounds)
    return None


def compile_nearest(
    nearest: Nearest, whole: Relation, kept: BatchFunction | None, compiler: Compiler
) -> Relation:
    """Compile the scan of a search to the rows that may be among the first ones.

    `whole` is the scan of all rows, and `kept` the filter of these.
    """
    vector_of = compiler.value(nearest.vector, {})
    table, column = nearest.scan.table, nearest.column

    is_served = nearest.scan.vector_index is not None  # and the whole table is not read

    def rows(run: Run) -> Iterable[Row]:
        reader = run.reader
        is_small = reader.row_count_estimate(table) < ROWS_MIN
        if not isinstance(reader, VectorReader) or (is_small and not is_served):
            return whole.rows(run)
        view = reader.vector_view(table, column)
        if view is None:
            return whole.rows(run)
        passing = None if kept is None else _passing(view.gathered.rows, table.width, kept, run)
        hidden = view.gathered.places(view.hidden)
        chosen = _chosen(nearest, view, vector_of((), run), (hidden, passing), run)
        if chosen is None:
            if not is_served:
                return whole.rows(run)
            places = sorted(set(range(len(view.gathered.rows))).difference(hidden))
            chosen = places if passing is None else passing(places)
            return _found(nearest, view, chosen, kept, run)
        candidates = _found(nearest, view, chosen, kept, run)
        reader.observe_search(table, candidates if is_served else view.gathered.rows)
        return candidates

    return Relation(rows, whole.layout, whole.width)


def _chosen(
    nearest: Nearest,
    view: VectorView,
    vector: Any,
    rows: tuple[Sequence[int], nearness.Passing | None],
    run: Run,
) -> Sequence[int] | None:
    """Return the places of the rows that may be among the first ones; None if all may be.

    `rows` gives the places that do not count, and the filter of the others.
    """
    gathered = view.gathered
    if len(gathered.rows) < ROWS_MIN or vector is None:
        return None
    if len(vector) != gathered.column.length or None in vector:
        return None
    _, count = nearest.bounds(run)
    search = nearness.Search(nearest.operation, vector, nearest.descending, count)
    return nearness.candidates(gathered, search, *rows)


def _found(
    nearest: Nearest,
    view: VectorView,
    chosen: Sequence[int],
    kept: BatchFunction | None,
    run: Run,
) -> Sequence[Row]:
    """Return the chosen rows and those that a search knows nothing of, in the order of keys."""
    gathered, width = view.gathered, nearest.scan.table.width
    _, count = nearest.bounds(run)
    run.scanned += len(gathered.rows)
    items = [(gathered.keys[number], gathered.rows[number]) for number in chosen]
    fresh = _kept_items(view.fresh, width, kept, run)
    nulls = zip(gathered.null_keys, gathered.null_rows, strict=True)
    without = ((key, row) for key, row in nulls if key not in view.hidden)
    items += fresh
    items += _first_kept(without, count, width, kept, run)
    items.sort(key=itemgetter(0))
    return [_padded(row, width) for _, row in items]


def _passing(
    rows: Sequence[Row], width: int, kept: BatchFunction, run: Run
) -> Callable[[Sequence[int]], Sequence[int]]:
    def passing(places: Sequence[int]) -> Sequence[int]:
        passed: list[int] = []
        for part in _steps(places):
            tested = [_padded(rows[number], width) for number in part]
            left = set(map(id, kept(tested, run)))
            passed += [number for number, row in zip(part, tested, strict=True) if id(row) in left]
        return passed

    return passing


def _steps(items: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield items in lists of some hundred, with a check of the deadline before each."""
    source = interruptible_stream(items)
    part: list[Any] = []
    for item in source:
        part.append(item)
        if len(part) == _STEP:
            yield part
            part = []
    if part:
        yield part


_STEP = 256


def _kept_items(
    items: Iterable[tuple[bytes, Row]], width: int, kept: BatchFunction | None, run: Run
) -> list[tuple[bytes, Row]]:
    padded = [(key, _padded(row, width)) for key, row in items]
    if kept is None:
        return padded
    left = set(map(id, kept([row for _, row in padded], run)))
    return [item for item in padded if id(item[1]) in left]


def _first_kept(
    items: Iterable[tuple[bytes, Row]],
    count: int,
    width: int,
    kept: BatchFunction | None,
    run: Run,
) -> list[tuple[bytes, Row]]:
    """Return the first rows without a vector: their distance is NULL, so their keys decide."""
    chosen_rows: list[tuple[bytes, Row]] = []
    for part in _steps(items):
        chosen_rows += _kept_items(part, width, kept, run)
        if len(chosen_rows) >= count:
            break
    return chosen_rows[:count]


def _padded(row: Row, width: int) -> Row:
    """Return a row at its table's current width."""
    missing = width - len(row)
    return row if missing <= 0 else row + (None,) * missing
