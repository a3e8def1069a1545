"""Calls of models and remote functions for batches of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from spanemu.base.clock import monotonic
from spanemu.base.deadline_checks import STEP_ITEMS_MAX, Batched
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.relation import Layout, Relation
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.plan.nodes import RemoteCall
from spanemu.sql.remote_calls import CallOptions

_QUICK_SECONDS = 0.005
_GROWTH = 2
_NO_LAYOUT: Layout = {}

# From input rows to the outputs of each.
_Answers = Callable[[Sequence[Row], Run, CallOptions], Sequence[Row]]


def compile_remote_call(node: RemoteCall, compiler: Compiler) -> Relation:
    """Compile a call: rows of the input, with the outputs of the call appended.

    Several requests are handed over at once as long as they are answered fast, the first one alone.
    """
    below = compiler.relation(node.input)
    answers = _answering(node, below.layout, compiler)
    parameters_of = None
    if node.parameters is not None:
        parameters_of = compiler.value(node.parameters, _NO_LAYOUT)
    holding = compiler.holding("Remote Call")
    size = node.batch_rows

    def lists(run: Run) -> Iterator[list[Row]]:
        parameters = None if parameters_of is None else parameters_of((), run)
        kind = None if node.parameters is None else node.parameters.type
        options = CallOptions(size, node.safe, parameters, kind)
        take, requests = _taking(below.rows(run)), 1
        while rows := take(size * requests):
            began = monotonic()
            held = run.held
            joined = list(map(_joined, rows, answers(rows, run, options)))
            holding.take(joined, run)
            if run.profile is not None:
                run.profile.of(node).calls += -(-len(rows) // size)
            is_quick = monotonic() - began < _QUICK_SECONDS
            yield joined
            run.held = held
            if is_quick and size * requests * _GROWTH <= max(STEP_ITEMS_MAX, size):
                requests *= _GROWTH
            elif not is_quick:
                requests = 1

    layout = {
        **below.layout,
        **{column.id: below.width + place for place, column in enumerate(node.outputs)},
    }
    return Relation(lambda run: Batched(lists(run)), layout, below.width + len(node.outputs))


def _answering(node: RemoteCall, layout: Layout, compiler: Compiler) -> _Answers:
    """Return the function that calls the target for rows, or for those with a guard."""
    arguments, target = compiler.batch_cells(node.arguments, layout), node.target

    def answers(rows: Sequence[Row], run: Run, options: CallOptions) -> Sequence[Row]:
        return run.context.remote_calls.answer(target, arguments(rows, run), options)  # type: ignore[no-any-return]

    if node.guard is None:
        return answers
    is_needed = compiler.test(node.guard, layout)
    missing = (None,) * len(node.outputs)

    def guarded(rows: Sequence[Row], run: Run, options: CallOptions) -> Sequence[Row]:
        needed = [bool(is_needed(row, run)) for row in rows]
        sent = [row for row, wanted in zip(rows, needed, strict=True) if wanted]
        received = iter(answers(sent, run, options) if sent else ())
        return [next(received) if wanted else missing for wanted in needed]

    return guarded


def _joined(row: Row, answer: Row) -> Row:
    return row + answer


def _taking(rows: Iterable[Row]) -> Callable[[int], list[Any]]:
    if isinstance(rows, Batched):
        return rows.take
    source = iter(rows)
    return lambda size: list(islice(source, size))
