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
from spanemu.sql.executor.operators import group_loop
from spanemu.sql.executor.operators.aggregate_call import (
    Fold,
    compile_fold,
    counts_every_row,
    keeps_values,
    makes_large_values,
    write_call,
)
from spanemu.sql.executor.operators.hash_tables import (
    Buckets,
    add_to_buckets,
    grouped,
    grouping_values,
)
from spanemu.sql.executor.operators.scan import compile_count
from spanemu.sql.executor.relation import (
    BatchFunction,
    Relation,
    batches,
    fresh_cells,
    full_batches,
    map_batches,
    relation_of_keys,
)
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.plan.nodes import HashAggregate, Project, Scan, StreamAggregate
from spanemu.sql.plan.traverse import scope_of

ROWS_KEPT = 65_536  # before they are folded for the first time
SHARE_KEPT = 8  # likewise: at most an eighth of the memory of a statement
ROWS_PER_GROUP_MIN = 4  # below that, states take no less memory than rows
LOOP_ROWS_MIN = 2_048  # rows from which on a loop may be generated
LOOP_ROWS_PER_GROUP_MAX = 8  # with more neighbours, lists of a group's values are faster

LARGE_GROUP_ROWS = 64  # from so many rows on, listing the values of a group once pays
_GROUPS_CHECKED = 64

Group = tuple[Row, list[Any]]  # its first row, and a state for each aggregate


class FoldedGroups:
    """Grouping of rows by key that aggregates rows as they arrive.

    `keys_of` returns the group keys of rows, `cells_of` the output cells for the keys. The accounts
    are those of the rows that are gathered, and of the groups.
    """

    def __init__(
        self,
        keys_of: BatchFunction,
        cells_of: BatchFunction,
        folds: Sequence[Fold],
        accounts: tuple[MemoryAccount, MemoryAccount],
        methods: _Methods,
    ) -> None:
        self._keys_of = keys_of
        self._cells_of = cells_of
        self._folds = folds
        # Each function that lists the values of an argument, with the positions of its aggregates.
        self._arguments: dict[Any, list[int]] = {}
        for position, (_, values_of) in enumerate(folds):
            self._arguments.setdefault(values_of, []).append(position)
        self._holding, self._holding_groups = accounts
        self._methods = methods

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
        may_loop = True
        steps = full_batches(source)
        try:
            for batch in steps:
                keys = self._keys_of(batch, run)
                if len(batch) >= FREE_ROWS:
                    self._holding.take_keyed(batch, keys, run)
                add_to_buckets(gathered, keys, batch)
                count += len(batch)
                if may_loop and count >= LOOP_ROWS_MIN:
                    may_loop = False
                    loop = self._methods.loop()
                    if loop is not None:
                        run.held = held
                        yield from loop.rows(gathered, steps, run)
                        return
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
            if not folded and not self._methods.lists_values(len(gathered), count):
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
        self._holding_groups.take_like((_contents(group),), count, run)
        run.held = held

    def _account(self, folded: dict[Any, Group], run: Run) -> None:
        last = folded[next(reversed(folded))]
        self._holding_groups.take_like((_contents(last),), len(folded), run)

    def _results(self, groups: Sequence[Group], run: Run) -> list[Row]:
        keys = self._cells_of([first for first, _ in groups], run)
        return [
            (*cells, *[state.result() for state in states])
            for cells, (_, states) in zip(keys, groups, strict=True)
        ]


class _Methods:
    """The methods for the groups of many rows.

    The loop over the rows is compiled when it is first needed.
    """

    def __init__(self, node: HashAggregate, below: Relation, compiler: Compiler) -> None:
        self._source = node, below, compiler
        self._makes_large_values = any(makes_large_values(call) for _, call in node.aggregates)
        self._loop: group_loop.GroupLoop | None = None
        self._is_compiled = False  # Two threads may both compile it.

    def lists_values(self, groups: int, rows: int) -> bool:
        """Return whether to list all values of each group, which aggregates of a column share."""
        return rows >= groups * LARGE_GROUP_ROWS and not self._makes_large_values

    def loop(self) -> group_loop.GroupLoop | None:
        """Return the generated loop; None if an aggregate has no place in a loop."""
        if not self._is_compiled:
            node, below, compiler = self._source
            loops = group_loop.loops_of([call for _, call in node.aggregates])
            is_volatile = any(scope_of(value).is_volatile for _, value in node.keys)
            if loops is not None and not is_volatile:
                self._loop = compiler.compiled_later(
                    lambda later: group_loop.GroupLoop(node, below, loops, later)
                )
            self._is_compiled = True
        return self._loop


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
    holding = compiler.holding("Hash Aggregate", ENTRY_BYTES, of=below)
    folds = _compile_folds(node, below, compiler, keeping=False)
    if folds is not None:
        cells_of = compiler.batch_cells(keys, below.layout)
        accounts = holding, compiler.holding("Hash Aggregate", ENTRY_BYTES)
        folded = FoldedGroups(
            keys_of,
            cells_of,
            folds,
            accounts,
            _Methods(node, below, compiler),
        )
        return _relation(node, below, lambda run: folded.rows(below.rows(run), finish, run))

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

    return _relation(node, below, rows)


def _compile_distinct(node: HashAggregate, below: Relation, compiler: Compiler) -> Relation:
    """Compile groups without aggregates: the first row of each group is enough."""
    exprs = [value for _, value in node.keys]
    keys_of = grouping_values(exprs, below.layout, compiler)
    cells = compiler.batch_cells(exprs, below.layout)
    kept = relation_of_keys([grouped(expr) for expr in exprs], below)
    holding = compiler.holding("Hash Aggregate", ENTRY_BYTES, of=kept)

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

    return _relation(node, below, rows)


def compile_stream_aggregate(node: StreamAggregate, compiler: Compiler) -> Relation:
    """Compile grouping of neighbouring rows; without keys, all rows are one group."""
    below = compiler.relation(node.input)
    if not node.keys:
        return _whole(node, below, compiler)
    finish = _compile_finish(node, below, compiler)
    keys_of = grouping_values([value for _, value in node.keys], below.layout, compiler)

    methods = _Methods(node, below, compiler)

    def rows(run: Run) -> Iterator[Row]:
        neighbours = _Neighbours(below.rows(run), keys_of, methods, run)
        first = map_batches(neighbours.groups(), lambda batch: finish(batch, run))
        return chain(first, chain.from_iterable(neighbours.rest()))

    return _relation(node, below, rows)


class _Neighbours:
    """The rows of one execution in which equal keys are adjacent, as groups.

    After many rows, if groups are small, the generated loop takes over.
    """

    def __init__(
        self, rows: Iterable[Row], keys_of: BatchFunction, methods: _Methods, run: Run
    ) -> None:
        self._steps = batches(rows)
        self._keys_of = keys_of
        self._methods = methods
        self._loop: group_loop.GroupLoop | None = None
        self._latest: list[Row] = []
        self._run = run

    def groups(self) -> Iterator[list[Row]]:
        """Yield the rows of each key, all of them or those before the loop takes over."""
        group: list[Row] = []
        latest: Any = object()
        row_count = group_count = 0
        may_loop = True
        for batch in self._steps:
            keys = self._keys_of(batch, self._run)
            # The places of the rows whose key differs from that of the row before.
            starts = list(compress(count(), map(ne, keys, chain((latest,), keys))))
            latest = keys[-1]
            row_count += len(batch)
            group_count += len(starts)
            if not starts:
                group += batch
            else:
                group += batch[: starts[0]]
                if group:
                    yield group
                for start, end in pairwise(starts):
                    yield batch[start:end]
                group = batch[starts[-1] :]
            if may_loop and row_count >= LOOP_ROWS_MIN:
                may_loop = False
                if group_count * LOOP_ROWS_PER_GROUP_MAX > row_count:
                    self._loop = self._methods.loop()
                if self._loop is not None:
                    self._latest = group
                    return
        if group:
            yield group

    def rest(self) -> Iterator[list[Row]]:
        """Yield the output rows for all groups that `groups` has not yielded."""
        if self._loop is not None:
            yield from self._loop.neighbours(self._latest, self._steps, self._run)


def _whole(node: HashAggregate, below: Relation, compiler: Compiler) -> Relation:
    """Compile an aggregation of all rows; the rows are kept only if an aggregate needs them."""
    folds = _compile_folds(node, below, compiler, keeping=True)
    if folds is not None:
        return _relation(node, below, _counted(node, _folded(below, folds), compiler))
    finish = _compile_finish(node, below, compiler)
    holding = compiler.holding("Aggregate", of=below)

    def rows(run: Run) -> Iterable[Row]:
        gathered = holding.gather(below.rows(run), run)
        try:
            return finish([gathered], run)
        finally:
            free_in_parts(gathered)

    return _relation(node, below, rows)


def _counted(
    node: HashAggregate, rows: Callable[[Run], Iterable[Row]], compiler: Compiler
) -> Callable[[Run], Iterable[Row]]:
    """Return `rows`, the aggregates of all rows, but without reading rows that are only counted."""
    below = node.input
    while isinstance(below, Project) and not below.computed:
        below = below.input
    if type(below) is not Scan or compiler.profiled or id(below) in compiler.searches:
        return rows
    if not all(counts_every_row(call, below) for _, call in node.aggregates):
        return rows
    count_of, width = compile_count(below, compiler), len(node.aggregates)
    if count_of is None:
        return rows

    def counted(run: Run) -> Iterable[Row]:
        count = count_of(run)
        return rows(run) if count is None else ((count,) * width,)

    return counted


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


def _relation(
    node: HashAggregate, below: Relation, rows: Callable[[Run], Iterable[Row]]
) -> Relation:
    layout = {column.id: position for position, column in enumerate(node.columns)}
    keys = fresh_cells([value for _, value in node.keys], below)
    results = range(len(node.keys), len(layout))
    return Relation(rows, layout, len(layout), fresh=keys.union(results))


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
