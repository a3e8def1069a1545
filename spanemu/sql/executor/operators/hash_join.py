"""Joins by a hash table of the right side's keys.

What is done to a batch of left rows is one generated comprehension: it looks keys up, tests the
residual condition and makes the joined rows, of just the cells that are wanted above. There is one
for tables in which a look-up finds a row, one for those in which it finds several.

    keyed    (key, left row) pairs            get    the table's look-up
    row      a left row                       other  one of its partners

Partners of one row beyond `PART_MAX` are taken in parts, so that a deadline is noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from spanemu.base.pace import PART_MAX, parts_of
from spanemu.sql.executor.batches import BATCH_ROWS_MAX, batches, full_batches, gathered
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.operators.buckets import Hashed, hashed, put
from spanemu.sql.executor.operators.grouping import equality_values
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.relation import Layout, Relation, beside
from spanemu.sql.executor.run import Run
from spanemu.sql.executor.source import PairWriter, function_of
from spanemu.sql.plan.joins import HashJoin, JoinKind

Lists = Callable[[Run], Iterator[Iterable[Row]]]  # rows, many at a time
Keyed = Iterable[tuple[Any, Row]]
Get = Callable[..., Any]
# What becomes of some left rows, given the look-up in the table.
JoinRows = Callable[[Keyed, Get, Run], list[Row]]

_SHORT = 8  # partners of one row that may as well all be tested


@dataclass(frozen=True, eq=False, slots=True)
class Output:
    """What a join emits of a pair: the cells at `places` of both rows; None for all of them."""

    layout: Layout
    width: int
    places: tuple[int, ...] | None

    def pair(self, writer: PairWriter) -> str:
        """The row made of `row` and `other`."""
        if self.places is None:
            return "(row + other)"
        return f"({''.join([f'{writer.cell(place)}, ' for place in self.places])})"

    def alone(self, writer: PairWriter, left_width: int, missing: str) -> str:
        """The row made of `row` without a partner."""
        if self.places is None:
            return f"(row + {missing})"
        cells = [writer.cell(place) if place < left_width else "None" for place in self.places]
        return f"({''.join([f'{cell}, ' for cell in cells])})"


def _output(node: HashJoin, left: Relation, right: Relation) -> Output:
    layout = beside(left, right)
    if node.outputs is None:
        return Output(layout, left.width + right.width, None)
    places = tuple([layout[column.id] for column in node.outputs])
    narrow = {column.id: place for place, column in enumerate(node.outputs)}
    return Output(narrow, len(places), places)


class Sides:
    """A compiled join's two sides."""

    def __init__(self, node: HashJoin, compiler: Compiler) -> None:
        self.left = compiler.relation(node.left)
        self.right = compiler.relation(node.right)
        self.left_keys = equality_values(node.left_keys, self.left.layout, compiler)
        self.right_keys = equality_values(node.right_keys, self.right.layout, compiler)
        self.residual = node.residual
        self.kind = node.kind
        self.output = _output(node, self.left, self.right)
        self._pair_layout = beside(self.left, self.right)
        self._compiler = compiler

    def build(self, run: Run) -> Hashed:
        """The right rows by key."""
        return hashed(self.right.rows(run), self.right_keys, run)

    def known(self, run: Run) -> set[Any]:
        """The keys of the right rows."""
        found: set[Any] = set()
        for batch in full_batches(self.right.rows(run)):
            found.update(self.right_keys(batch, run))
        return found

    def probe(self, run: Run, largest: int = BATCH_ROWS_MAX) -> Iterator[Keyed]:
        """Left rows with their keys, many at a time."""
        keys_of = self.left_keys
        for batch in batches(self.left.rows(run), largest):
            yield zip(keys_of(batch, run), batch, strict=True)

    def function(self, text: str) -> Any:
        """A function of that text: "lambda ...: ...", with these names put in.

        {pair} the joined row, {alone} the one without partner, {test} the residual condition,
        {missing} a right row of NULLs, {matching} see there.
        """
        writer = PairWriter(self._pair_layout, self.left.width, self._compiler)
        missing = writer.bind((None,) * self.right.width)
        written = text.format(
            pair=self.output.pair(writer),
            alone=self.output.alone(writer, self.left.width, missing),
            missing=missing,
            test="True" if self.residual is None else writer.test(self.residual),
            matching=writer.bind(self.matching()) if "{matching}" in text else "",
        )
        return function_of(written, writer)

    def matching(self) -> Callable[[Row, Sequence[Row], Run], Sequence[Row]]:
        """Of some right rows those that pass the residual test beside a left row."""
        text = "lambda row, others, run: [other for other in others if {test}]"
        found: Callable[[Row, Sequence[Row], Run], Sequence[Row]] = self.function(text)
        return found


def compile_hash_join(node: HashJoin, compiler: Compiler) -> Relation:
    """Reads the right side whole, then streams the left."""
    sides = Sides(node, compiler)
    lists = _JOINS[node.kind](sides)

    def rows(run: Run) -> Iterable[Row]:
        return chain.from_iterable(lists(run))

    if node.kind.keeps_right:
        return Relation(rows, sides.output.layout, sides.output.width)
    return Relation(rows, sides.left.layout, sides.left.width)


# ---------------------------------------------------------------------------- pairs

_PAIRS_OF_ONE = """lambda keyed, get, run: [
    {pair} for key, row in keyed for other in [get(key)] if other is not None and {test}]"""
_PAIRS_OF_MANY = """lambda keyed, get, run: [
    {pair} for key, row in keyed for other in get(key, ()) if {test}]"""
_KEEPING_OF_ONE = """lambda keyed, get, run: [
    {pair} if other is not None and {test} else {alone}
    for key, row in keyed for other in [get(key)]]"""
_KEEPING_OF_MANY = """lambda keyed, get, run: [
    {pair} for key, row in keyed for other in get(key, ({missing},))]"""
_KEEPING_MATCHES = """lambda keyed, get, run: [
    {pair} for key, row in keyed
    for other in {matching}(row, get(key, ()), run) or ({missing},)]"""


def _inner(sides: Sides) -> Lists:
    of_one, of_many = sides.function(_PAIRS_OF_ONE), sides.function(_PAIRS_OF_MANY)

    def lists(run: Run) -> Iterator[Iterable[Row]]:
        table = sides.build(run)
        if table.rows:
            yield from _joined(sides, table, of_one if table.is_unique else of_many, run)

    return lists


def _left(sides: Sides) -> Lists:
    of_one = sides.function(_KEEPING_OF_ONE)
    has_test = sides.residual is not None
    of_many = sides.function(_KEEPING_MATCHES if has_test else _KEEPING_OF_MANY)

    def lists(run: Run) -> Iterator[Iterable[Row]]:
        table = sides.build(run)
        yield from _joined(sides, table, of_one if table.is_unique else of_many, run)

    return lists


def _joined(sides: Sides, table: Hashed, join: JoinRows, run: Run) -> Iterator[list[Row]]:
    """The rows made of each left row and its partners, about `PART_MAX` at a time."""
    longest = table.longest
    if longest > PART_MAX:
        yield from _joined_with_many(sides, table, run)
        return
    get = table.rows.get
    for keyed in sides.probe(run, max(1, min(BATCH_ROWS_MAX, PART_MAX // longest))):
        yield join(keyed, get, run)


def _joined_with_many(sides: Sides, table: Hashed, run: Run) -> Iterator[list[Row]]:
    """The same where a left row may have too many partners to take at once."""
    of_many = sides.function(_PAIRS_OF_MANY)
    alone = sides.function("lambda row: [{alone}]")
    keeps_left = sides.kind is JoinKind.LEFT
    for keyed in sides.probe(run):
        for key, row in keyed:
            is_alone = keeps_left
            for chunk in parts_of(table.rows.get(key, ())):
                made = of_many(((None, row),), {None: chunk}.get, run)
                is_alone = is_alone and not made
                yield made
            if is_alone:
                yield alone(row)


def _full(sides: Sides) -> Lists:
    matching = None if sides.residual is None else sides.matching()
    paired = sides.function("lambda row, others: [{pair} for other in others]")
    alone = sides.function("lambda row: [{alone}]")
    without_left = sides.function(
        f"lambda others: [{{pair}} for row in [{(None,) * sides.left.width!r}] for other in others]"
    )

    def lists(run: Run) -> Iterator[Iterable[Row]]:
        everything = gathered(sides.right.rows(run))
        buckets: dict[Any, Sequence[Row]] = {}
        for part in parts_of(everything):
            put(buckets, sides.right_keys(part, run), part)
        buckets.pop(None, None)
        # Rows may be equal; what is matched is one of them.
        matched: set[int] = set()
        for keyed in sides.probe(run):
            for key, row in keyed:
                others = buckets.get(key, ())
                if matching is not None:
                    parts = [matching(row, part, run) for part in parts_of(others)]
                    others = list(chain.from_iterable(parts))
                matched.update(map(id, others))
                yield paired(row, others) if others else alone(row)
        for part in parts_of(everything):
            yield without_left([row for row in part if id(row) not in matched])

    return lists


# ---------------------------------------------------------------------------- rows of one side

_FITTING_OF_ONE = """lambda keyed, get, run: [
    row for key, row in keyed for other in [get(key)] if other is not None and {test}]"""
_LONELY_OF_ONE = """lambda keyed, get, run: [
    row for key, row in keyed for other in [get(key)] if other is None or not {test}]"""
_FITTING_OF_MANY = """lambda keyed, get, run: [
    row for key, row in keyed if [1 for other in get(key, ()) if {test}]]"""
_LONELY_OF_MANY = """lambda keyed, get, run: [
    row for key, row in keyed if not [1 for other in get(key, ()) if {test}]]"""


def _keeping(wants_match: bool) -> Callable[[Sides], Lists]:
    """Left rows that have a partner, or those that have none."""

    def join(sides: Sides) -> Lists:
        return by_key(sides) if sides.residual is None else by_test(sides)

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

    def by_test(sides: Sides) -> Lists:
        of_one = sides.function(_FITTING_OF_ONE if wants_match else _LONELY_OF_ONE)
        of_many = sides.function(_FITTING_OF_MANY if wants_match else _LONELY_OF_MANY)
        matching = sides.matching()

        def lists(run: Run) -> Iterator[Iterable[Row]]:
            table = sides.build(run)
            if not table.rows and wants_match:
                return
            get = table.rows.get
            keep = of_one if table.is_unique else of_many
            for keyed in sides.probe(run):
                if table.longest <= _SHORT:
                    yield keep(keyed, get, run)
                    continue
                for key, row in keyed:
                    parts = parts_of(get(key, ()), _SHORT)
                    if any(matching(row, part, run) for part in parts) is wants_match:
                        yield (row,)

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
