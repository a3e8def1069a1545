"""Aggregation: rows are grouped, and each group is reduced to one row.

Rows are first put into one sequence per group, and each aggregate then runs over the sequence:
COUNT takes its length, and DISTINCT, ORDER BY, LIMIT and HAVING are steps that change it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, compress, count, pairwise
from operator import ne
from typing import Any

from spanemu.sql.executor.codegen import Writer, function_of
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.memory import ENTRY_BYTES, FREE_ROWS, MemoryAccount, free_in_parts
from spanemu.sql.executor.operators.aggregate_call import (
    Fold,
    compile_fold,
    keeps_values,
    write_call,
)
from spanemu.sql.executor.operators.hash_tables import (
    Buckets,
    add_to_buckets,
    grouping_values,
)
from spanemu.sql.executor.relation import (
    BatchFunction,
    Relation,
    batches,
    full_batches,
    map_batches,
)
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.plan.nodes import HashAggregate, StreamAggregate

ROWS_KEPT = 65_536  # before they are folded for the first time
SHARE_KEPT = 8  # likewise: at most an eighth of the memory of a statement
ROWS_PER_GROUP_MIN = 4  # below that, states take no less memory than rows

_GROUPS_CHECKED = 64

Group = tuple[Row, list[Any]]  # its first row, and a state for each aggregate


class FoldedGroups:
    """Grouping of rows by key that aggregates rows as they arrive.

    `keys_of` returns the group keys of rows, `cells_of` the output cells for the keys.
    """

    def __init__(
        self,
        keys_of: BatchFunction,
        cells_of: BatchFunction,
        folds: Sequence[Fold],
        holding: MemoryAccount,
    ) -> None:
        self._keys_of = keys_of
        self._cells_of = cells_of
        self._folds = folds
        # Each function that lists the values of an argument, with the positions of its aggregates.
        self._arguments: dict[Any, list[int]] = {}
        for position, (_, values_of) in enumerate(folds):
            self._arguments.setdefault(values_of, []).append(position)
        self._holding = holding

    def rows(
        self,
        source: Iterable[Row],
        finish: Callable[[Sequence[Sequence[Row]], Run], list[Row]],
        run: Run,
    ) -> Iterator[Row]:
        """Yield a row for each group, in the order in which the groups were first seen.

        `finish` makes the output rows of groups whose rows are all present.
        """
        gathered: Buckets = {}
        folded: dict[Any, Group] = {}
        bytes_kept = self._holding.limit // SHARE_KEPT
        count, most, most_bytes = 0, ROWS_KEPT, bytes_kept
        held = base = run.held
        try:
            for batch in full_batches(source):
                keys = self._keys_of(batch, run)
                if len(batch) >= FREE_ROWS:
                    self._holding.take_keyed(batch, keys, run)
                add_to_buckets(gathered, keys, batch)
                count += len(batch)
                size = run.held - base
                if count < most and size < most_bytes:
                    continue
                if len(gathered) * ROWS_PER_GROUP_MIN > count:
                    most, most_bytes = max(most, 2 * count), max(most_bytes, 2 * size)
                else:
                    self._fold(gathered, folded, run)
                    gathered, count, most, most_bytes = {}, 0, ROWS_KEPT, bytes_kept
                    run.held = held
                    self._account(folded, run)
                    base = run.held
            if not folded:
                yield from map_batches(gathered.values(), lambda groups: finish(groups, run))
            else:
                self._fold(gathered, folded, run)
                yield from map_batches(folded.values(), lambda groups: self._results(groups, run))
        finally:
            free_in_parts(gathered)
            free_in_parts(folded)

    def _fold(self, gathered: Buckets, folded: dict[Any, Group], run: Run) -> None:
        for key, rows in gathered.items():
            group = folded.get(key)
            if group is None:
                group = folded[key] = rows[0], [new() for new, _ in self._folds]
            states = group[1]
            for values_of, positions in self._arguments.items():
                values = values_of(rows, run)
                for position in positions:
                    states[position].extend(values)
            if len(folded) % _GROUPS_CHECKED == 0:
                self._check(group, len(folded), run)

    def _check(self, group: Group, count: int, run: Run) -> None:
        """Raise StatementTooLarge if `count` groups as large as `group` exceed the memory limit."""
        held = run.held
        self._holding.take_like((_contents(group),), count, run)
        run.held = held

    def _account(self, folded: dict[Any, Group], run: Run) -> None:
        last = folded[next(reversed(folded))]
        self._holding.take_like((_contents(last),), len(folded), run)

    def _results(self, groups: Sequence[Group], run: Run) -> list[Row]:
        keys = self._cells_of([first for first, _ in groups], run)
        return [
            (*cells, *[state.result() for state in states])
            for cells, (_, states) in zip(keys, groups, strict=True)
        ]


def _contents(group: Group) -> tuple[Any, ...]:
    """Return the row and the values that a group holds."""
    first, states = group
    return (first, *[state.result() for state in states])


_Finish = Callable[[Sequence[Sequence[Row]], Run], list[Row]]


def compile_hash_aggregate(node: HashAggregate, compiler: Compiler) -> Relation:
    """Compile grouping by a hash table, in the order in which the groups were first seen."""
    below = compiler.relation(node.input)
    if node.keys and not node.aggregates:
        return _compile_distinct(node, below, compiler)
    if not node.keys:
        return _whole(node, below, compiler)
    finish = _compile_finish(node, below, compiler)
    keys = [value for _, value in node.keys]
    keys_of = grouping_values(keys, below.layout, compiler)
    folds = _compile_folds(node, below, compiler, keeping=False)
    if folds is not None:
        holding = compiler.holding("Hash Aggregate", ENTRY_BYTES)
        folded = FoldedGroups(keys_of, compiler.batch_cells(keys, below.layout), folds, holding)
        return _relation(node, lambda run: folded.rows(below.rows(run), finish, run))

    holding = compiler.holding("Hash Aggregate", ENTRY_BYTES)

    def rows(run: Run) -> Iterator[Row]:
        groups: Buckets = {}
        try:
            for batch in full_batches(below.rows(run)):
                keys = keys_of(batch, run)
                if len(batch) >= FREE_ROWS:
                    holding.take_keyed(batch, keys, run)
                add_to_buckets(groups, keys, batch)
            yield from map_batches(groups.values(), lambda batch: finish(batch, run))
        finally:
            free_in_parts(groups)

    return _relation(node, rows)


def _compile_distinct(node: HashAggregate, below: Relation, compiler: Compiler) -> Relation:
    """Compile groups without aggregates: the first row of each group is enough."""
    exprs = [value for _, value in node.keys]
    keys_of = grouping_values(exprs, below.layout, compiler)
    cells = compiler.batch_cells(exprs, below.layout)
    holding = compiler.holding("Hash Aggregate", ENTRY_BYTES)

    def rows(run: Run) -> Iterator[Row]:
        seen: set[Any] = set()

        def firsts(batch: list[Row]) -> list[Row]:
            new: list[Row] = []
            keys = keys_of(batch, run)
            for key, row in zip(keys, batch, strict=True):
                if key not in seen:
                    seen.add(key)
                    new.append(row)
            if len(seen) > FREE_ROWS:
                holding.take_like(keys, len(new), run)
            return cells(new, run)

        try:
            yield from map_batches(below.rows(run), firsts)
        finally:
            free_in_parts(seen)

    return _relation(node, rows)


def compile_stream_aggregate(node: StreamAggregate, compiler: Compiler) -> Relation:
    """Compile grouping of neighbouring rows; without keys, all rows are one group."""
    below = compiler.relation(node.input)
    if not node.keys:
        return _whole(node, below, compiler)
    finish = _compile_finish(node, below, compiler)
    keys_of = grouping_values([value for _, value in node.keys], below.layout, compiler)

    def rows(run: Run) -> Iterator[Row]:
        groups = _neighbours(below.rows(run), keys_of, run)
        return map_batches(groups, lambda batch: finish(batch, run))

    return _relation(node, rows)


def _neighbours(rows: Iterable[Row], keys_of: BatchFunction, run: Run) -> Iterator[list[Row]]:
    """Yield the rows of each key, where rows with equal keys are adjacent."""
    group: list[Row] = []
    latest: Any = object()
    for batch in batches(rows):
        keys = keys_of(batch, run)
        # The places of the rows whose key differs from that of the row before.
        starts = list(compress(count(), map(ne, keys, chain((latest,), keys))))
        latest = keys[-1]
        if not starts:
            group += batch
            continue
        group += batch[: starts[0]]
        if group:
            yield group
        for start, end in pairwise(starts):
            yield batch[start:end]
        group = batch[starts[-1] :]
    if group:
        yield group


def _whole(node: HashAggregate, below: Relation, compiler: Compiler) -> Relation:
    """Compile an aggregation of all rows; the rows are kept only if an aggregate needs them."""
    folds = _compile_folds(node, below, compiler, keeping=True)
    if folds is not None:
        return _relation(node, _folded(below, folds))
    finish = _compile_finish(node, below, compiler)
    holding = compiler.holding("Aggregate")

    def rows(run: Run) -> Iterable[Row]:
        gathered = holding.gather(below.rows(run), run)
        try:
            return finish([gathered], run)
        finally:
            free_in_parts(gathered)

    return _relation(node, rows)


def _compile_folds(
    node: HashAggregate, below: Relation, compiler: Compiler, *, keeping: bool
) -> Sequence[Fold] | None:
    """Return the folds of the aggregates if no aggregate needs the rows to be kept, else None.

    `keeping` allows a fold to keep the values of the rows instead, as ARRAY_AGG does.
    """
    if not keeping and any(keeps_values(call) for _, call in node.aggregates):
        return None
    shared: dict[Any, BatchFunction] = {}
    compiled = [compile_fold(call, below.layout, compiler, shared) for _, call in node.aggregates]
    folds = [fold for fold in compiled if fold is not None]
    return folds if len(folds) == len(compiled) else None


def _folded(below: Relation, folds: Sequence[Fold]) -> Callable[[Run], Iterable[Row]]:
    def rows(run: Run) -> Iterator[Row]:
        states = [new() for new, _ in folds]
        for batch in full_batches(below.rows(run)):
            for state, (_, values_of) in zip(states, folds, strict=True):
                state.extend(values_of(batch, run))
        yield tuple([state.result() for state in states])

    return rows


def _relation(node: HashAggregate, rows: Callable[[Run], Iterable[Row]]) -> Relation:
    layout = {column.id: position for position, column in enumerate(node.columns)}
    return Relation(rows, layout, len(layout))


def _compile_finish(node: HashAggregate, below: Relation, compiler: Compiler) -> _Finish:
    """Return a function from groups of rows to output rows, which hold keys, then aggregates.

    The function is one comprehension over the groups; the keys are those of a group's first row.
    Without keys there is one group, which may have no rows.
    """
    writer = Writer(below.layout, compiler)
    cells = [writer.value(value) for _, value in node.keys]
    cells += [write_call(call, writer, compiler) for _, call in node.aggregates]
    writer.names["len"] = len
    first = " for row in [group[0]]" if node.keys else ""
    text = f"({''.join([f'{cell}, ' for cell in cells])}) for group in groups{first}"
    finish: _Finish = function_of(f"lambda groups, run: [{text}]", writer)
    return finish
