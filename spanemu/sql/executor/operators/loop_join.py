"""Joins that compare all pairs, for conditions that allow neither a hash table nor a seek."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from spanemu.base.call import current
from spanemu.base.deadline_checks import PART_MAX, parts_of
from spanemu.sql.executor.compiler import Compiler, Gate
from spanemu.sql.executor.memory import MemoryAccount, free_in_parts
from spanemu.sql.executor.relation import (
    PeekedRows,
    Relation,
    Value,
    fresh_in_pair,
    joined_layout,
)
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.plan.conditions import conjunction, conjuncts
from spanemu.sql.plan.joins import Join, JoinKind


@dataclass(frozen=True, eq=False, slots=True)
class Sides:
    """The two sides of a compiled join; `test` is None for a cross product.

    `gate` tests once what the condition says about no row: no pair matches where it is closed.
    """

    node: Join
    left: Relation
    right: Relation
    gate: Gate | None
    test: Value | None
    holding: MemoryAccount

    def never_match(self, run: Run) -> bool:
        """Return whether no pair can match, whatever the rows are."""
        return self.gate is not None and not self.gate(run)

    def pairs(self, run: Run) -> Iterator[tuple[Row, list[Row]]]:
        """Yield each left row with the right rows that match it.

        The right side is read when there is a left row. The left side is not read further where
        there are no right rows and the join needs them.
        """
        everything: Iterable[Row] | None = None
        needs_right = self.node.kind in (JoinKind.INNER, JoinKind.SEMI)
        if self.never_match(run):
            if not needs_right:
                yield from ((row, []) for row in self.left.rows(run))
            return
        if needs_right and self.node.is_right_first:
            everything = PeekedRows(self.right.rows(run))
            if not everything:
                return
        rows = PeekedRows(self.left.rows(run))
        if not rows:
            return
        unread = self.right.rows(run) if everything is None else everything
        others = self.holding.gather(unread, run)
        try:
            if others or not needs_right:
                yield from self.pairs_with(rows, others, run)
        finally:
            free_in_parts(others)

    def pairs_with(
        self, rows: Iterable[Row], others: list[Row], run: Run
    ) -> Iterator[tuple[Row, list[Row]]]:
        """Yield each of `rows` with the rows of `others` that match it."""
        check, test = current().check, self.test
        for row in rows:
            check()
            if test is None:
                yield row, others
            elif len(others) <= PART_MAX:
                yield row, [other for other in others if test(row + other, run)]
            else:
                parts = parts_of(others)
                yield row, [other for part in parts for other in part if test(row + other, run)]


def compile_join(node: Join, compiler: Compiler) -> Relation:
    """Compile a join that keeps the right side's rows and compares them with each left row."""
    left, right = compiler.relation(node.left), compiler.relation(node.right)
    layout = joined_layout(left, right)
    gate, condition = compiler.gate(conjunction(conjuncts(node.condition)), layout)
    test = None if condition is None else compiler.test(condition, layout)
    holding = compiler.holding("Cross Join", of=right)
    rows = _JOINS[node.kind](Sides(node, left, right, gate, test, holding))
    if node.kind.keeps_right:
        return Relation(rows, layout, left.width + right.width, fresh=fresh_in_pair(left, right))
    return left.with_rows(rows)


def _inner(sides: Sides) -> Callable[[Run], Iterator[Row]]:
    def rows(run: Run) -> Iterator[Row]:
        for row, matches in sides.pairs(run):
            for match in matches:
                yield row + match

    return rows


def _left(sides: Sides) -> Callable[[Run], Iterator[Row]]:
    missing = (None,) * sides.right.width

    def rows(run: Run) -> Iterator[Row]:
        for row, matches in sides.pairs(run):
            if not matches:
                yield row + missing
            for match in matches:
                yield row + match

    return rows


def _full(sides: Sides) -> Callable[[Run], Iterator[Row]]:
    no_right = (None,) * sides.right.width
    no_left = (None,) * sides.left.width

    def rows(run: Run) -> Iterator[Row]:
        if sides.never_match(run):
            yield from (row + no_right for row in sides.left.rows(run))
            yield from (no_left + row for row in sides.right.rows(run))
            return
        others = sides.holding.gather(sides.right.rows(run), run)
        matched: set[int] = set()
        for row, matches in sides.pairs_with(sides.left.rows(run), others, run):
            if not matches:
                yield row + no_right
            for match in matches:
                matched.add(id(match))
                yield row + match
        for row in others:
            if id(row) not in matched:
                yield no_left + row

    return rows


def _keeping(wants_match: bool) -> Callable[[Sides], Callable[[Run], Iterator[Row]]]:
    def join(sides: Sides) -> Callable[[Run], Iterator[Row]]:
        def rows(run: Run) -> Iterator[Row]:
            for row, matches in sides.pairs(run):
                if bool(matches) is wants_match:
                    yield row

        def all_or_none(run: Run) -> Iterator[Row]:
            # Without a condition, one row of the right side decides: the others stay unread, and so
            # does a left side that takes longer to read.
            if sides.never_match(run):
                yield from () if wants_match else sides.left.rows(run)
                return
            kept = None if sides.node.is_right_first else PeekedRows(sides.left.rows(run))
            if kept is not None and not kept:
                return
            if bool(PeekedRows(sides.right.rows(run))) is wants_match:
                yield from sides.left.rows(run) if kept is None else kept

        return all_or_none if sides.test is None else rows

    return join


def _null_aware_anti(sides: Sides) -> Callable[[Run], Iterator[Row]]:
    raise AssertionError("NOT IN is always hashed: its condition is an equality")


_JOINS: Mapping[JoinKind, Callable[[Sides], Callable[[Run], Iterator[Row]]]] = {
    JoinKind.INNER: _inner,
    JoinKind.LEFT: _left,
    JoinKind.FULL: _full,
    JoinKind.SEMI: _keeping(True),
    JoinKind.ANTI: _keeping(False),
    JoinKind.NULL_AWARE_ANTI: _null_aware_anti,
}
