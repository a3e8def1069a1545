"""Joins by a hash table of the right side's keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from spanemu.base.call import current
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.grouping import equality_value
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.relation import Relation, Value, beside
from spanemu.sql.executor.run import Run
from spanemu.sql.executor.scan import CHECKED_EVERY
from spanemu.sql.plan.joins import HashJoin, JoinKind

Buckets = dict[Any, list[Row]]


@dataclass(frozen=True, eq=False, slots=True)
class Sides:
    """A compiled join's two sides; `test` is the residual condition over both."""

    left: Relation
    right: Relation
    left_key: Value
    right_key: Value
    test: Value | None

    def build(self, run: Run) -> Buckets:
        """The right rows by key; a row whose key is None can match nothing."""
        buckets: Buckets = {}
        key_of = self.right_key
        for row in _checked(self.right.rows(run)):
            key = key_of(row, run)
            if key is None:
                continue
            bucket = buckets.get(key)
            if bucket is None:
                buckets[key] = [row]
            else:
                bucket.append(row)
        return buckets

    def probe(self, run: Run, buckets: Buckets) -> Iterator[tuple[Row, Iterable[Row]]]:
        """Each left row with the joined rows that it makes."""
        key_of, test = self.left_key, self.test
        for row in _checked(self.left.rows(run)):
            bucket = buckets.get(key_of(row, run), ())
            if test is None:
                yield row, bucket
            else:
                yield row, [other for other in bucket if test(row + other, run)]


def _checked(rows: Iterable[Row]) -> Iterator[Row]:
    check = current().check
    for number, row in enumerate(rows):
        if not number & CHECKED_EVERY:
            check()
        yield row


def compile_hash_join(node: HashJoin, compiler: Compiler) -> Relation:
    """Reads the right side whole, then streams the left."""
    left, right = compiler.relation(node.left), compiler.relation(node.right)
    layout = beside(left, right)
    sides = Sides(
        left,
        right,
        equality_value(node.left_keys, left.layout, compiler),
        equality_value(node.right_keys, right.layout, compiler),
        None if node.residual is None else compiler.test(node.residual, layout),
    )
    rows = _JOINS[node.kind](sides)
    if node.kind.keeps_right:
        return Relation(rows, layout, left.width + right.width)
    return Relation(rows, left.layout, left.width)


def _inner(sides: Sides) -> Callable[[Run], Iterator[Row]]:
    def rows(run: Run) -> Iterator[Row]:
        buckets = sides.build(run)
        if buckets:
            for row, matches in sides.probe(run, buckets):
                for match in matches:
                    yield row + match

    return rows


def _left(sides: Sides) -> Callable[[Run], Iterator[Row]]:
    missing = (None,) * sides.right.width

    def rows(run: Run) -> Iterator[Row]:
        for row, matches in sides.probe(run, sides.build(run)):
            if matches:
                for match in matches:
                    yield row + match
            else:
                yield row + missing

    return rows


def _full(sides: Sides) -> Callable[[Run], Iterator[Row]]:
    no_right = (None,) * sides.right.width
    no_left = (None,) * sides.left.width

    def rows(run: Run) -> Iterator[Row]:
        everything = list(_checked(sides.right.rows(run)))
        buckets: Buckets = {}
        for row in everything:
            key = sides.right_key(row, run)
            if key is not None:
                buckets.setdefault(key, []).append(row)
        # Rows may be equal; what is matched is one of them.
        matched: set[int] = set()
        for row, matches in sides.probe(run, buckets):
            if not matches:
                yield row + no_right
            for match in matches:
                matched.add(id(match))
                yield row + match
        for row in everything:
            if id(row) not in matched:
                yield no_left + row

    return rows


def _semi(sides: Sides) -> Callable[[Run], Iterator[Row]]:
    def rows(run: Run) -> Iterator[Row]:
        buckets = sides.build(run)
        if buckets:
            for row, matches in sides.probe(run, buckets):
                if matches:
                    yield row

    return rows


def _anti(sides: Sides) -> Callable[[Run], Iterator[Row]]:
    def rows(run: Run) -> Iterator[Row]:
        for row, matches in sides.probe(run, sides.build(run)):
            if not matches:
                yield row

    return rows


def _null_aware_anti(sides: Sides) -> Callable[[Run], Iterable[Row]]:
    """x NOT IN (...): one NULL among the values and no x passes; no value and every x does."""

    def rows(run: Run) -> Iterable[Row]:
        values = [sides.right_key(row, run) for row in _checked(sides.right.rows(run))]
        if not values:
            return sides.left.rows(run)
        return () if None in values else passing(run, frozenset(values))

    def passing(run: Run, values: frozenset[Any]) -> Iterator[Row]:
        for row in _checked(sides.left.rows(run)):
            value = sides.left_key(row, run)
            if value is not None and value not in values:
                yield row

    return rows


_JOINS: Mapping[JoinKind, Callable[[Sides], Callable[[Run], Iterable[Row]]]] = {
    JoinKind.INNER: _inner,
    JoinKind.LEFT: _left,
    JoinKind.FULL: _full,
    JoinKind.SEMI: _semi,
    JoinKind.ANTI: _anti,
    JoinKind.NULL_AWARE_ANTI: _null_aware_anti,
}
