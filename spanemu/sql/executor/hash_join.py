"""Joins by a hash table of the right side's keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from spanemu.sql.executor.batches import BATCH_ROWS_MAX, batches
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.grouping import equality_values
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.relation import Each, Relation, Value, beside
from spanemu.sql.executor.run import Run
from spanemu.sql.plan.joins import HashJoin, JoinKind

Buckets = dict[Any, list[Row]]
Lists = Callable[[Run], Iterator[Iterable[Row]]]  # rows, many at a time

_JOINED_ROWS = 4_096  # about how many rows are made at once


def hashed(rows: Iterable[Row], keys_of: Each, run: Run) -> Buckets:
    """Rows by key; a row whose key is None can match nothing."""
    buckets: Buckets = {}
    for batch in batches(rows):
        for key, row in zip(keys_of(batch, run), batch, strict=True):
            if key in buckets:
                buckets[key].append(row)
            elif key is not None:
                buckets[key] = [row]
    return buckets


@dataclass(frozen=True, eq=False, slots=True)
class Sides:
    """A compiled join's two sides; `test` is the residual condition over both."""

    left: Relation
    right: Relation
    left_keys: Each
    right_keys: Each
    test: Value | None

    def build(self, run: Run) -> Buckets:
        """The right rows by key."""
        return hashed(self.right.rows(run), self.right_keys, run)

    def known(self, run: Run) -> set[Any]:
        """The keys of the right rows."""
        found: set[Any] = set()
        for batch in batches(self.right.rows(run)):
            found.update(self.right_keys(batch, run))
        return found

    def probe(self, run: Run, largest: int = BATCH_ROWS_MAX) -> Iterator[Iterator[tuple[Any, Row]]]:
        """Left rows with their keys, many at a time."""
        keys_of = self.left_keys
        for batch in batches(self.left.rows(run), largest):
            yield zip(keys_of(batch, run), batch, strict=True)


def _fitting(buckets: Buckets) -> int:
    """How many left rows to join at once, so that they do not make too many."""
    longest = max(map(len, buckets.values()), default=1)
    return max(1, min(BATCH_ROWS_MAX, _JOINED_ROWS // longest))


def compile_hash_join(node: HashJoin, compiler: Compiler) -> Relation:
    """Reads the right side whole, then streams the left."""
    left, right = compiler.relation(node.left), compiler.relation(node.right)
    layout = beside(left, right)
    sides = Sides(
        left,
        right,
        equality_values(node.left_keys, left.layout, compiler),
        equality_values(node.right_keys, right.layout, compiler),
        None if node.residual is None else compiler.test(node.residual, layout),
    )
    lists = _JOINS[node.kind](sides)

    def rows(run: Run) -> Iterable[Row]:
        return chain.from_iterable(lists(run))

    if node.kind.keeps_right:
        return Relation(rows, layout, left.width + right.width)
    return Relation(rows, left.layout, left.width)


def _inner(sides: Sides) -> Lists:
    test = sides.test

    def lists(run: Run) -> Iterator[Iterable[Row]]:
        buckets = sides.build(run)
        if not buckets:
            return
        get = buckets.get
        for keyed in sides.probe(run, _fitting(buckets)):
            if test is None:
                yield [row + other for key, row in keyed for other in get(key, ())]
            else:
                yield [
                    joined
                    for key, row in keyed
                    for other in get(key, ())
                    if test(joined := row + other, run)
                ]

    return lists


def _left(sides: Sides) -> Lists:
    alone = ((None,) * sides.right.width,)

    def matches(test: Value, row: Row, others: Iterable[Row], run: Run) -> list[Row]:
        found = [joined for other in others if test(joined := row + other, run)]
        return found or [row + alone[0]]

    def lists(run: Run) -> Iterator[Iterable[Row]]:
        buckets = sides.build(run)
        get = buckets.get
        test = sides.test
        for keyed in sides.probe(run, _fitting(buckets)):
            if test is None:
                yield [row + other for key, row in keyed for other in get(key, alone)]
            else:
                for key, row in keyed:
                    yield matches(test, row, get(key, ()), run)

    return lists


def _full(sides: Sides) -> Lists:
    no_right = (None,) * sides.right.width
    no_left = (None,) * sides.left.width
    test = sides.test

    def lists(run: Run) -> Iterator[Iterable[Row]]:
        everything = list(chain.from_iterable(batches(sides.right.rows(run))))
        buckets = hashed(everything, sides.right_keys, run)
        # Rows may be equal; what is matched is one of them.
        matched: set[int] = set()
        for keyed in sides.probe(run):
            for key, row in keyed:
                others: Iterable[Row] = buckets.get(key, ())
                if test is not None:
                    others = [other for other in others if test(row + other, run)]
                matched.update(map(id, others))
                yield [row + other for other in others] or [row + no_right]
        yield [no_left + row for row in everything if id(row) not in matched]

    return lists


def _keeping(wants_match: bool) -> Callable[[Sides], Lists]:
    """Left rows that have a partner, or those that have none."""

    def by_key(sides: Sides) -> Lists:
        def lists(run: Run) -> Iterator[Iterable[Row]]:
            known = sides.known(run)
            known.discard(None)
            if not known and wants_match:
                return
            for keyed in sides.probe(run):
                if wants_match:
                    yield [row for key, row in keyed if key in known]
                else:
                    yield [row for key, row in keyed if key not in known]

        return lists

    def has_match(test: Value, row: Row, others: Iterable[Row], run: Run) -> bool:
        return any(test(row + other, run) for other in others)

    def join(sides: Sides) -> Lists:
        test = sides.test
        if test is None:
            return by_key(sides)

        def lists(run: Run) -> Iterator[Iterable[Row]]:
            buckets = sides.build(run)
            if not buckets and wants_match:
                return
            get = buckets.get
            for keyed in sides.probe(run, _fitting(buckets)):
                yield [
                    row
                    for key, row in keyed
                    if has_match(test, row, get(key, ()), run) is wants_match
                ]

        return lists

    return join


def _null_aware_anti(sides: Sides) -> Lists:
    """x NOT IN (...): one NULL among the values and no x passes; no value and every x does."""

    def lists(run: Run) -> Iterator[Iterable[Row]]:
        values = sides.known(run)
        if not values:
            yield sides.left.rows(run)
        elif None not in values:
            for keyed in sides.probe(run):
                yield [row for key, row in keyed if key is not None and key not in values]

    return lists


_JOINS: Mapping[JoinKind, Callable[[Sides], Lists]] = {
    JoinKind.INNER: _inner,
    JoinKind.LEFT: _left,
    JoinKind.FULL: _full,
    JoinKind.SEMI: _keeping(True),
    JoinKind.ANTI: _keeping(False),
    JoinKind.NULL_AWARE_ANTI: _null_aware_anti,
}
