"""Sorting of all rows, limits, and the ranks of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Any

from spanemu.base.deadline_checks import in_steps, items_at, sorted_positions
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.memory import FREE_ROWS, free_in_parts, freed_after_use
from spanemu.sql.executor.operators.hash_tables import grouping_values
from spanemu.sql.executor.relation import (
    BATCH_ROWS_MAX,
    BatchFunction,
    Layout,
    Relation,
    full_batches,
    relation_of_keys,
)
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.functions.errors import BadArgument, BadRowCount
from spanemu.sql.functions.registry import Nulls, Signature
from spanemu.sql.functions.text import collation as collations
from spanemu.sql.plan.conditions import is_null, negation
from spanemu.sql.plan.nodes import Limit, Rank, Sort
from spanemu.sql.resolved import Expr, FunctionCall, Literal, SortKey
from spanemu.values.order import identity, sort_key

# The largest bound of islice; a larger sum of LIMIT and OFFSET means all rows.
_MAXIMUM = (1 << 63) - 1


def compile_limit(node: Limit, compiler: Compiler) -> Relation:
    """Compile LIMIT: the first `limit` rows from `offset` on; rows after them are never read."""
    compiler.mark_partial_read(node.input)
    below = compiler.relation(node.input)
    bounds = compile_bounds(node.limit, node.offset, compiler)

    def rows(run: Run) -> Iterable[Row]:
        start, stop = bounds(run)
        return islice(below.rows(run), start, stop) if stop > start else ()

    return below.with_rows(rows)


def compile_bounds(
    limit: Expr, offset: Expr | None, compiler: Compiler
) -> Callable[[Run], tuple[int, int]]:
    """Compile LIMIT and OFFSET to a function that returns the start and the end of the rows.

    The function raises BadRowCount for NULL and negative values.
    """
    limit_of = compiler.value(limit, {})
    offset_of = None if offset is None else compiler.value(offset, {})

    def bounds(run: Run) -> tuple[int, int]:
        count = limit_of((), run)
        if count is None or count < 0:
            raise BadRowCount("LIMIT")
        if offset_of is None:
            return 0, count
        start = offset_of((), run)
        if start is None or start < 0:
            raise BadRowCount("OFFSET")
        return start, min(start + count, _MAXIMUM)

    return bounds


SortInPlace = Callable[[list[Row], Run], None]
_KeysOf = Callable[[Sequence[Row], Run], list[Any]]

_KEY_BYTES = 48  # of a key in its list, and of its row's position
_KEYS_FIRST = 64  # keys that are computed before they are accounted for


def compile_sort(node: Sort, compiler: Compiler) -> Relation:
    """Compile a sort of all rows; rows with equal keys keep their order."""
    below = compiler.relation(node.input)
    sort = compile_sorter(node.keys, below.layout, compiler, of=below)
    holding = compiler.holding("Sort", of=below)

    def rows(run: Run) -> Iterable[Row]:
        gathered = holding.gather(below.rows(run), run)
        sort(gathered, run)
        return freed_after_use(gathered)

    return below.with_rows(rows)


def compile_rank(node: Rank, compiler: Compiler) -> Relation:
    """Compile the mark of the first rows: all rows are sorted, and those of a partition counted."""
    below = compiler.relation(node.input)
    sort = compile_sorter(node.keys, below.layout, compiler, of=below) if node.keys else None
    partition_of = grouping_values(node.partition_by, below.layout, compiler)
    limit_of = compiler.batch_values(node.limit, below.layout)
    holding = compiler.holding("Sort Limit", of=below)

    def rows(run: Run) -> Iterator[Row]:
        gathered = holding.gather(below.rows(run), run)
        counts: Counter[Any] = Counter()
        try:
            if sort is not None:
                sort(gathered, run)
            for batch in full_batches(gathered):
                keys, limits = partition_of(batch, run), limit_of(batch, run)
                for row, key, limit in zip(batch, keys, limits, strict=True):
                    if limit is None or limit <= 0:
                        raise BadArgument("IS_FIRST requires a positive, non-NULL integer")
                    counts[key] += 1
                    yield (*row, counts[key] <= limit)
        finally:
            free_in_parts(gathered)
            free_in_parts(counts)

    return Relation(rows, {**below.layout, node.output.id: below.width}, below.width + 1)


def compile_sorter(
    keys: Sequence[SortKey], layout: Layout, compiler: Compiler, *, of: Relation | None = None
) -> SortInPlace:
    """Compile sort keys to a function that sorts a list of rows in place, rows of the relation `of`
    if that is known.

    Neighbouring keys of one direction form one comparison key. Python's sort is stable, so rows are
    sorted by the last such group of keys first.
    """
    if len(keys) == 1:
        return _single(keys[0], layout, compiler, of)
    passes: list[tuple[_KeysOf, bool]] = []
    for descending, group in groupby(keys, lambda key: key.order.descending):
        cells = [cell for key in group for cell in _comparable(key)]
        cells_of = compiler.batch_cells(cells, layout)
        passes.append((_keys_of(cells_of, cells, of, compiler), descending))
    passes.reverse()

    def sort(rows: list[Row], run: Run) -> None:
        held = run.held
        for keys_of, descending in passes:
            keys = keys_of(rows, run)
            _sort_by(keys, rows, descending)
            free_in_parts(keys)
            run.held = held

    return sort


def _single(key: SortKey, layout: Layout, compiler: Compiler, of: Relation | None) -> SortInPlace:
    """Compile the sort by one key: values that are not NULL compare directly."""
    value = sortable(key)
    descending = key.order.descending
    keys_of = _keys_of(compiler.batch_values(value, layout), (value,), of, compiler)

    def sort(rows: list[Row], run: Run) -> None:
        held = run.held
        values = keys_of(rows, run)
        missing: list[Row] = []
        if None in values:
            missing = [row for row, value in zip(rows, values, strict=True) if value is None]
            rows[:] = [row for row, value in zip(rows, values, strict=True) if value is not None]
            values = [value for value in values if value is not None]
        _sort_by(values, rows, descending)
        if missing:
            rows[:] = missing + rows if key.order.nulls_first else rows + missing
        run.held = held

    return sort


def _sort_by(keys: list[Any], rows: list[Row], descending: bool) -> None:
    """Sort rows by keys that were computed for them."""
    rows[:] = items_at(rows, sorted_positions(keys, descending=descending))


def _keys_of(
    values_of: BatchFunction, values: Sequence[Expr], of: Relation | None, compiler: Compiler
) -> _KeysOf:
    """Return a function that computes the keys of all rows and accounts for them."""
    keys = None if of is None else relation_of_keys(values, of)
    holding = compiler.holding("Sort", _KEY_BYTES, of=keys)

    def keys_of(rows: Sequence[Row], run: Run) -> list[Any]:
        if len(rows) <= FREE_ROWS:
            return list(values_of(rows, run))
        keys: list[Any] = []
        try:
            for batch in in_steps(rows, _KEYS_FIRST, BATCH_ROWS_MAX):
                values = values_of(batch, run)
                holding.take(values, run)
                keys += values
        except BaseException:
            free_in_parts(keys)
            raise
        return keys

    return keys_of


def _comparable(key: SortKey) -> tuple[Expr, Expr]:
    """Return two expressions: the position of NULLs, then the value in a comparable form.

    The first differs wherever one of two values is NULL, so that NULLs are never compared.
    """
    missing = is_null(key.value)
    place = missing if key.order.nulls_first is key.order.descending else negation(missing)
    return place, sortable(key)


def _collated(text: str | None, collation: str | None) -> Any:
    if collation is None or not collations.is_collation(collation):
        raise collations.UnknownCollation("NULL" if collation is None else collation)
    return None if text is None else collations.collation_key(collation)(text)


def sortable(key: SortKey) -> Expr:
    """Return an expression whose values Python orders as SQL orders those of a key."""
    type_, collation = key.value.type, key.collation
    if collation is not None and not isinstance(collation, Literal):
        types = (type_, collation.type)
        signature = Signature("$sort_key", types, type_, _collated, Nulls.CALLED)
        return FunctionCall(type_, signature, (key.value, collation))
    convert = (
        sort_key(type_, nan_greatest=key.order.nan_greatest)
        if collation is None
        else collations.collation_key(collation.value)
    )
    if convert is identity:
        return key.value
    signature = Signature("$sort_key", (type_,), type_, convert, Nulls.STRICT)
    return FunctionCall(type_, signature, (key.value,))
