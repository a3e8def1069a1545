"""One aggregate function over the rows of one group, with its modifiers.

The modifiers apply in the order of the reference: HAVING MAX/MIN selects rows, NULLs are dropped,
DISTINCT removes duplicates, ORDER BY sorts, LIMIT cuts, and the accumulator sees the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from spanemu.base.deadline_checks import PART_MAX, interruptible, parts_of
from spanemu.sql.executor.codegen import Writer
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.memory import ENTRY_BYTES, FREE_ROWS
from spanemu.sql.executor.operators.hash_tables import grouping_value
from spanemu.sql.executor.operators.sort import compile_bounds, compile_sorter
from spanemu.sql.executor.relation import BatchFunction, Layout, Value, full_batches
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.functions.aggregates.accumulators import Array, Concatenation, Count
from spanemu.sql.functions.errors import EvaluationError
from spanemu.sql.functions.registry import BulkAccumulator
from spanemu.sql.functions.value_size import is_varying
from spanemu.sql.plan.nodes import Scan
from spanemu.sql.resolved import AggregateCall, ColumnRef, Expr, Literal
from spanemu.values.order import NAN, sort_key

Reduce = Callable[[Sequence[Row], Run], Any]
Step = Callable[[Sequence[Row], Run], Sequence[Row]]

# A constructor of states, and a function that lists the values that a state takes from some rows.
Fold = tuple[Callable[[], Any], Callable[[Sequence[Row], Run], Sequence[Any]]]

_LARGE_VALUES_MAX = 64  # values computed at once that may be large


def write_call(call: AggregateCall, writer: Writer, compiler: Compiler) -> str:
    """Return text for the value of an aggregate over the rows of `group`."""
    layout = writer.layout
    steps = _steps(call, layout, compiler)
    if not call.arguments and not steps and call.signature.counts_rows:
        return "len(group)"
    if steps or call.safe or len(call.arguments) != 1:
        return f"{writer.bind(_compile(call, steps, layout, compiler))}(group, run)"
    value = writer.value(call.arguments[0])
    if call.signature.skips_nulls:
        name = writer.temporary()
        values = f"[{name} for row in group if ({name} := {value}) is not None]"
    else:
        values = f"[{value} for row in group]"
    at_once = f"{writer.bind(_at_once(call))}({values})"
    in_parts = f"{writer.bind(_accumulator(call, layout, compiler))}(group, run)"
    at_once_max = _LARGE_VALUES_MAX if _takes_large_values(call) else PART_MAX
    return f"({at_once} if len(group) <= {at_once_max} else {in_parts})"


def _compile(
    call: AggregateCall, steps: Sequence[Step], layout: Layout, compiler: Compiler
) -> Reduce:
    """Compile an aggregate with its modifiers to a function of the rows."""
    accumulate = _accumulator(call, layout, compiler)
    if call.safe:
        accumulate = _forgiving(accumulate)
    if not steps:
        return accumulate

    def reduce(rows: Sequence[Row], run: Run) -> Any:
        held = run.held
        for step in steps:
            rows = step(rows, run)
        run.held = held
        return accumulate(rows, run)

    return reduce


def compile_fold(
    call: AggregateCall, layout: Layout, compiler: Compiler, shared: dict[Any, BatchFunction]
) -> Fold | None:
    """Return how to aggregate rows as they arrive, keeping none; None if that is impossible.

    Aggregates of one column share the function that lists its values, through `shared`.
    """
    if call.safe or _steps(call, layout, compiler):
        return None
    if not call.arguments and call.signature.counts_rows:
        return Count, _rows_themselves
    new = call.signature.new
    if len(call.arguments) != 1 or not _takes_many(new):
        return None
    (argument,) = call.arguments
    if not isinstance(argument, ColumnRef):
        return new, _values_of(call, layout, compiler)
    key = argument.column.id, call.signature.skips_nulls
    if key not in shared:
        shared[key] = _values_of(call, layout, compiler)
    return new, shared[key]


def counts_every_row(call: AggregateCall, scan: Scan) -> bool:
    """Return whether an aggregate is the number of all rows of a scan: COUNT(*) or its like."""
    if call.having is not None or call.distinct or call.order_by or call.limit is not None:
        return False
    if not call.arguments:
        return call.signature.counts_rows
    (argument, *others) = call.arguments
    if others or call.signature.new is not Count:
        return False
    if isinstance(argument, Literal):
        return argument.value is not None
    known = {column.id for column, stored in scan.outputs if stored.not_null}
    return isinstance(argument, ColumnRef) and argument.column.id in known


def _rows_themselves(rows: Sequence[Row], run: Run) -> Any:
    return rows


def keeps_values(call: AggregateCall) -> bool:
    """Return whether the aggregate's state holds all values of its argument."""
    return isinstance(call.signature.new(), Array | Concatenation)


def _values_of(call: AggregateCall, layout: Layout, compiler: Compiler) -> BatchFunction:
    list_values = (
        compiler.batch_known_values if call.signature.skips_nulls else compiler.batch_values
    )
    return list_values(call.arguments[0], layout)


def _accumulator(call: AggregateCall, layout: Layout, compiler: Compiler) -> Reduce:
    if not call.arguments:
        return _without_arguments(call)
    if len(call.arguments) > 1:
        return _of_several(call, compiler.cells(call.arguments, layout))
    values_of = _values_of(call, layout, compiler)
    if _takes_many(call.signature.new):
        return _in_batches(call.signature.new, values_of)
    reduced = _at_once(call)

    def in_parts(rows: Sequence[Row], run: Run) -> Any:
        return reduced([value for part in parts_of(rows) for value in values_of(part, run)])

    return in_parts


def _in_batches(new: Callable[[], Any], values_of: BatchFunction) -> Reduce:
    """Return an aggregation that keeps no values besides those of one batch."""

    def in_batches(rows: Sequence[Row], run: Run) -> Any:
        state = new()
        for batch in full_batches(rows):
            state.extend(values_of(batch, run))
        return state.result()

    return in_batches


def _takes_large_values(call: AggregateCall) -> bool:
    """Return whether the argument may take so much memory that few values are computed at once."""
    return is_varying(call.arguments[0].type)


def makes_large_values(call: AggregateCall) -> bool:
    """Return whether an argument is computed, and may take so much memory that few are listed."""
    return any(
        is_varying(argument.type) and not isinstance(argument, ColumnRef)
        for argument in call.arguments
    )


def _takes_many(new: Callable[[], Any]) -> bool:
    return isinstance(new(), BulkAccumulator)


def _at_once(call: AggregateCall) -> Callable[[Sequence[Any]], Any]:
    """Return a function from the values of the one argument to the value of the aggregate."""
    new = call.signature.new
    if call.signature.at_once is not None:
        return call.signature.at_once
    if _takes_many(new):

        def of_many(values: Sequence[Any]) -> Any:
            state: Any = new()
            state.extend(values)
            return state.result()

        return of_many

    def one_by_one(values: Sequence[Any]) -> Any:
        state = new()
        add = state.add
        for part in parts_of(values):
            for value in part:
                add(value)
        return state.result()

    return one_by_one


def _without_arguments(call: AggregateCall) -> Reduce:
    new = call.signature.new

    def over_rows(rows: Sequence[Row], run: Run) -> Any:
        state = new()
        for part in parts_of(rows):
            for _ in part:
                state.add()
        return state.result()

    return over_rows


def _of_several(call: AggregateCall, cells_of: Value) -> Reduce:
    new, skips_nulls = call.signature.new, call.signature.skips_nulls

    def over_cells(rows: Sequence[Row], run: Run) -> Any:
        state = new()
        for part in parts_of(rows):
            for row in part:
                cells = cells_of(row, run)
                if not skips_nulls or cells[0] is not None:
                    state.add(*cells)
        return state.result()

    return over_cells


def _forgiving(accumulate: Reduce) -> Reduce:
    def attempt(rows: Sequence[Row], run: Run) -> Any:
        try:
            return accumulate(rows, run)
        except EvaluationError:
            return None

    return attempt


def _steps(call: AggregateCall, layout: Layout, compiler: Compiler) -> list[Step]:
    steps: list[Step] = []
    if call.having is not None:
        steps.append(_having(call.having, layout, compiler))
    if call.ignore_nulls and call.arguments:
        steps.append(_without_nulls(compiler.value(call.arguments[0], layout)))
    if call.distinct and call.arguments:
        steps.append(_distinct(grouping_value(call.arguments, layout, compiler), compiler))
    if call.order_by:
        steps.append(_sorted(call, layout, compiler))
    if call.limit is not None:
        steps.append(_limited(call.limit, compiler))
    return steps


def _having(having: tuple[bool, Expr], layout: Layout, compiler: Compiler) -> Step:
    """Keep the rows in which the expression has its greatest, or least, value."""
    is_max, expr = having
    value_of = compiler.value(expr, layout)
    key_of = sort_key(expr.type)
    choose = max if is_max else min

    def step(rows: Sequence[Row], run: Run) -> list[Row]:
        valued = [(value_of(row, run), row) for part in parts_of(rows) for row in part]
        keyed = [(key_of(value), row) for value, row in interruptible(valued) if value is not None]
        # NaN is both the greatest and the least, and equal to no row's value.
        if not keyed or any(key is NAN for key, _ in interruptible(keyed)):
            return []
        best = choose(key for key, _ in interruptible(keyed))
        return [row for key, row in interruptible(keyed) if key == best]

    return step


def _without_nulls(value_of: Value) -> Step:
    def step(rows: Sequence[Row], run: Run) -> Sequence[Row]:
        parts = parts_of(rows)
        return [row for part in parts for row in part if value_of(row, run) is not None]

    return step


def _distinct(key_of: Value, compiler: Compiler) -> Step:
    holding = compiler.holding("Aggregate DISTINCT", ENTRY_BYTES)

    def step(rows: Sequence[Row], run: Run) -> list[Row]:
        seen: dict[Any, Row] = {}
        for batch in full_batches(rows):
            before, key = len(seen), None
            for row in batch:
                key = key_of(row, run)
                seen.setdefault(key, row)
            if len(seen) > FREE_ROWS:
                holding.take_like((key,), len(seen) - before, run)
        return list(seen.values())

    return step


def _sorted(call: AggregateCall, layout: Layout, compiler: Compiler) -> Step:
    sort = compile_sorter(call.order_by, layout, compiler)

    def step(rows: Sequence[Row], run: Run) -> list[Row]:
        copied = list(rows)
        sort(copied, run)
        return copied

    return step


def _limited(limit: Expr, compiler: Compiler) -> Step:
    bounds = compile_bounds(limit, None, compiler)
    return lambda rows, run: rows[: bounds(run)[1]]
