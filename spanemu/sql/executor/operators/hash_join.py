"""Joins by a hash table of the right side's keys (the build side).

A batch of left rows is joined by one generated comprehension: it looks keys up, tests the residual
condition and makes the joined rows, which hold only the cells that operators above need. There is
one comprehension for tables in which a lookup returns a row, and one for tables in which it
returns several.

    rows     left rows                        get    the table's lookup
    row      a left row                       other  one of its partners

A key with a NULL is in no table. Partners of one row beyond `PART_MAX` are joined in parts, so that
a deadline is noticed.

Neither side is read before the other has shown a row that could match: the right side when the
first left row with a key arrives, or its first row before, where `HashJoin.is_right_first` is set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from spanemu.base.deadline_checks import PART_MAX, Batched, parts_of
from spanemu.sql.executor.codegen import PairOutput, PairWriter, function_of
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.memory import ENTRY_BYTES, FREE_ROWS, free_in_parts
from spanemu.sql.executor.operators.hash_tables import (
    HashTable,
    add_to_buckets,
    build_hash_table,
    equality_keys,
    equality_values,
    written_values,
)
from spanemu.sql.executor.relation import (
    BATCH_ROWS_MAX,
    PeekedRows,
    Relation,
    Rows,
    batches,
    fresh_in_pair,
    full_batches,
    joined_layout,
    relation_of_keys,
)
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.functions import compound_membership
from spanemu.sql.plan.joins import HashJoin, JoinKind
from spanemu.sql.resolved import ColumnRef
from spanemu.values.types import struct_of

# Joins left rows with the right side; yields rows, many at a time.
Lists = Callable[[Rows, Run], Iterator[Iterable[Row]]]
Get = Callable[..., Any]
# Joins some left rows, given the lookup in the table.
JoinRows = Callable[[Sequence[Row], Get, Run], list[Row]]

_SHORT = 8  # up to so many partners of a row are all tested, without an early exit


def _output(node: HashJoin, left: Relation, right: Relation) -> PairOutput:
    layout = joined_layout(left, right)
    if node.outputs is None:
        return PairOutput(layout, left.width + right.width, None)
    places = tuple([layout[column.id] for column in node.outputs])
    narrow = {column.id: position for position, column in enumerate(node.outputs)}
    return PairOutput(narrow, len(places), places)


def _fresh(output: PairOutput, left: Relation, right: Relation) -> frozenset[int]:
    """Return the positions of the cells that the statement makes, in the rows of a join."""
    fresh = fresh_in_pair(left, right)
    if output.places is None:
        return fresh
    return frozenset([at for at, place in enumerate(output.places) if place in fresh])


class Sides:
    """The two sides of a compiled join."""

    def __init__(self, node: HashJoin, left: Relation, right: Relation, compiler: Compiler) -> None:
        self.left = left
        self.right = right
        keys_of = equality_values
        if node.kind is JoinKind.NULL_AWARE_ANTI:
            keys_of = written_values
        self.left_keys = keys_of(node.left_keys, self.left.layout, compiler)
        self.left_exprs = equality_keys(node.left_keys)
        self.right_keys = keys_of(node.right_keys, self.right.layout, compiler)
        self.residual = node.residual
        self.kind = node.kind
        self.is_right_first = node.is_right_first and node.kind in _NEEDING_BOTH
        self.output = _output(node, self.left, self.right)
        self.fresh = _fresh(self.output, self.left, self.right)
        self.holding = compiler.holding("Hash Join", ENTRY_BYTES, of=self.right)
        keys = relation_of_keys(equality_keys(node.right_keys), self.right)
        self._holding_keys = compiler.holding("Hash Join", ENTRY_BYTES, of=keys)
        self._pair_layout = joined_layout(self.left, self.right)
        self._compiler = compiler

    def build(self, rows: Iterable[Row], run: Run) -> HashTable:
        """Hash the right rows by key."""
        return build_hash_table(rows, self.right_keys, self.holding, run)

    def known(self, rows: Iterable[Row], run: Run) -> set[Any]:
        """Return the keys of the right rows."""
        known: set[Any] = set()
        try:
            for batch in full_batches(rows):
                keys, before = self.right_keys(batch, run), len(known)
                known.update(keys)
                if len(known) > FREE_ROWS:
                    self._holding_keys.take_like(keys, len(known) - before, run)
        except BaseException:
            free_in_parts(known)
            raise
        return known

    def function(self, text: str) -> Any:
        """Return the function with the text `text`, after substituting {pair} (the joined row),
        {alone} (the left row without partner), {row} (the loop over the left rows), {key} (the left
        row's key), {test} (the residual condition), {missing} (a right row of NULLs) and {matching}
        (the function that `matching` returns).
        """
        writer = PairWriter(self._pair_layout, self.left.width, self._compiler)
        missing = writer.bind((None,) * self.right.width)
        loop, key = self._keyed_loop(writer) if "{key}" in text else ("", "")
        written = text.format(
            pair=self.output.pair(writer),
            alone=self.output.alone(writer, self.left.width, missing),
            row=loop,
            key=key,
            missing=missing,
            test="True" if self.residual is None else writer.test(self.residual),
            matching=writer.bind(self.matching()) if "{matching}" in text else "",
        )
        return function_of(written, writer)

    def _keyed_loop(self, writer: PairWriter) -> tuple[str, str]:
        """Return the text of the loop over left rows, and of the key of a row in the loop."""
        if all(isinstance(key, ColumnRef) for key in self.left_exprs):
            cells = [writer.value(key) for key in self.left_exprs]
            return "row in rows", cells[0] if len(cells) == 1 else f"({', '.join(cells)})"
        zipped = f"{writer.bind(zip)}({writer.bind(self.left_keys)}(rows, run), rows)"
        return f"key, row in {zipped}", "key"

    def matching(self) -> Callable[[Row, Sequence[Row], Run], Sequence[Row]]:
        """Return a function that selects the right rows that satisfy the residual condition."""
        text = "lambda row, others, run: [other for other in others if {test}]"
        matching: Callable[[Row, Sequence[Row], Run], Sequence[Row]] = self.function(text)
        return matching


class Probe:
    """The left rows of one execution; true once a row with a key has arrived."""

    __slots__ = ("_keys_of", "_pending", "_rows", "_run")

    def __init__(self, sides: Sides, rows: Iterable[Row], run: Run) -> None:
        self._keys_of = sides.left_keys
        self._rows = rows if isinstance(rows, Batched) else iter(rows)
        self._run = run
        self._pending: list[Row] = []

    def __bool__(self) -> bool:
        return bool(self._pending)

    def without_keys(self) -> Iterator[list[Row]]:
        """Yield batches up to the first batch with a key. No row of these batches can match."""
        for batch in batches(self._rows):
            keys = self._keys_of(batch, self._run)
            if any(key is not None for key in keys):
                self._pending = batch
                return
            yield batch

    def rest(self, largest: int = BATCH_ROWS_MAX) -> Iterator[list[Row]]:
        """Yield all other left rows, many at a time."""
        return chain(batches(self._pending, largest), batches(self._rows, largest))

    def keyed(self) -> Iterator[Iterable[tuple[Any, Row]]]:
        """Yield the rows of `rest` with their keys."""
        keys_of, run = self._keys_of, self._run
        for batch in self.rest():
            yield zip(keys_of(batch, run), batch, strict=True)


# Joins the left rows, given all right rows.
Match = Callable[[Probe, Iterable[Row], Run], Iterator[Iterable[Row]]]


def compile_hash_join(node: HashJoin, compiler: Compiler) -> Relation:
    """Compile a join that streams the left side and reads the right side when a row needs it."""
    left, right = compiler.relation(node.left), compiler.relation(node.right)
    sides = Sides(node, left, right, compiler)
    lists = lists_of(sides)

    def rows(run: Run) -> Iterable[Row]:
        return Batched(lists(left.rows, run))

    if node.kind.keeps_right:
        return Relation(rows, sides.output.layout, sides.output.width, fresh=sides.fresh)
    return sides.left.with_rows(rows)


def lists_of(sides: Sides) -> Lists:
    """Return the join of compiled sides."""
    return _JOINS[sides.kind](sides)


# ---------------------------------------------------------------------------- pairs

_PAIRS_OF_ONE = """lambda rows, get, run: [
    {pair} for {row} for other in [get({key})] if other is not None and {test}]"""
_PAIRS_OF_MANY = """lambda rows, get, run: [
    {pair} for {row} for other in get({key}, ()) if {test}]"""
_KEEPING_OF_ONE = """lambda rows, get, run: [
    {pair} if other is not None and {test} else {alone}
    for {row} for other in [get({key})]]"""
_KEEPING_OF_MANY = """lambda rows, get, run: [
    {pair} for {row} for other in get({key}, ({missing},))]"""
_KEEPING_MATCHES = """lambda rows, get, run: [
    {pair} for {row}
    for other in {matching}(row, get({key}, ()), run) or ({missing},)]"""


def _probed(sides: Sides, unmatched: JoinRows, match: Match) -> Lists:
    """Join by `match`, but join the rows before the first row with a key by `unmatched`."""

    def lists(left: Rows, run: Run) -> Iterator[Iterable[Row]]:
        right: PeekedRows[Row] | None = None
        if sides.is_right_first:
            right = PeekedRows(sides.right.rows(run))
            if not right:
                return
        probe = Probe(sides, left(run), run)
        for batch in probe.without_keys():
            yield unmatched(batch, _NO_ROWS.get, run)
        if probe:
            yield from match(probe, sides.right.rows(run) if right is None else right, run)

    return lists


_NO_ROWS: Mapping[Any, Row] = {}


def _inner(sides: Sides) -> Lists:
    of_one, of_many = sides.function(_PAIRS_OF_ONE), sides.function(_PAIRS_OF_MANY)

    def match(probe: Probe, rows: Iterable[Row], run: Run) -> Iterator[Iterable[Row]]:
        table = sides.build(rows, run)
        try:
            if table.rows:
                join = of_one if table.is_unique else of_many
                yield from _joined(sides, table, join, probe, run)
        finally:
            free_in_parts(table.rows)

    return _probed(sides, of_one, match)


def _left(sides: Sides) -> Lists:
    of_one = sides.function(_KEEPING_OF_ONE)
    has_test = sides.residual is not None
    of_many = sides.function(_KEEPING_MATCHES if has_test else _KEEPING_OF_MANY)

    def match(probe: Probe, rows: Iterable[Row], run: Run) -> Iterator[Iterable[Row]]:
        table = sides.build(rows, run)
        try:
            yield from _joined(sides, table, of_one if table.is_unique else of_many, probe, run)
        finally:
            free_in_parts(table.rows)

    return _probed(sides, of_one, match)


def _joined(
    sides: Sides, table: HashTable, join: JoinRows, probe: Probe, run: Run
) -> Iterator[list[Row]]:
    """Yield the rows made of each left row and its partners, about `PART_MAX` at a time."""
    longest = table.longest
    if longest > PART_MAX:
        yield from _join_in_parts(sides, table, probe, run)
        return
    get = table.rows.get
    for batch in probe.rest(max(1, min(BATCH_ROWS_MAX, PART_MAX // longest))):
        yield join(batch, get, run)


def _join_in_parts(sides: Sides, table: HashTable, probe: Probe, run: Run) -> Iterator[list[Row]]:
    """Join as `_joined` does where a left row may have too many partners to read at once."""
    paired = sides.function("lambda row, others, run: [{pair} for other in others if {test}]")
    alone = sides.function("lambda row: [{alone}]")
    keeps_left = sides.kind is JoinKind.LEFT
    for keyed in probe.keyed():
        for key, row in keyed:
            is_alone = keeps_left
            for chunk in parts_of(table.rows.get(key, ())):
                joined = paired(row, chunk, run)
                is_alone = is_alone and not joined
                yield joined
            if is_alone:
                yield alone(row)


def _full(sides: Sides) -> Lists:
    matching = None if sides.residual is None else sides.matching()
    paired = sides.function("lambda row, others: [{pair} for other in others]")
    alone = sides.function("lambda row: [{alone}]")
    without_left = sides.function(
        f"lambda others: [{{pair}} for row in [{(None,) * sides.left.width!r}] for other in others]"
    )

    def lists(left: Rows, run: Run) -> Iterator[Iterable[Row]]:
        everything = sides.holding.gather(sides.right.rows(run), run)
        buckets: dict[Any, Sequence[Row]] = {}
        for part in parts_of(everything):
            add_to_buckets(buckets, sides.right_keys(part, run), part)
        buckets.pop(None, None)
        # By identity, because rows may be equal.
        matched: set[int] = set()
        for keyed in Probe(sides, left(run), run).keyed():
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

_KNOWN = "lambda rows, known, run: [row for {row} if {key} in known]"
_UNKNOWN = "lambda rows, known, run: [row for {row} if {key} not in known]"
_FITTING_OF_ONE = """lambda rows, get, run: [
    row for {row} for other in [get({key})] if other is not None and {test}]"""
_LONELY_OF_ONE = """lambda rows, get, run: [
    row for {row} for other in [get({key})] if other is None or not {test}]"""
_FITTING_OF_MANY = """lambda rows, get, run: [
    row for {row} if [1 for other in get({key}, ()) if {test}]]"""
_LONELY_OF_MANY = """lambda rows, get, run: [
    row for {row} if not [1 for other in get({key}, ()) if {test}]]"""


def _keeping(wants_match: bool) -> Callable[[Sides], Lists]:
    """Return a join that yields the left rows with a partner, or the left rows without."""

    def join(sides: Sides) -> Lists:
        return by_key(sides) if sides.residual is None else by_test(sides)

    def by_key(sides: Sides) -> Lists:
        keep = sides.function(_KNOWN if wants_match else _UNKNOWN)

        def unmatched(rows: Sequence[Row], _: Get, __: Run) -> list[Row]:
            return [] if wants_match else list(rows)

        def match(probe: Probe, rows: Iterable[Row], run: Run) -> Iterator[Iterable[Row]]:
            known = sides.known(rows, run)
            known.discard(None)
            if not known and wants_match:
                return
            for batch in probe.rest():
                yield keep(batch, known, run)

        return _probed(sides, unmatched, match)

    def by_test(sides: Sides) -> Lists:
        of_one = sides.function(_FITTING_OF_ONE if wants_match else _LONELY_OF_ONE)
        of_many = sides.function(_FITTING_OF_MANY if wants_match else _LONELY_OF_MANY)
        matching = sides.matching()

        def match(probe: Probe, rows: Iterable[Row], run: Run) -> Iterator[Iterable[Row]]:
            table = sides.build(rows, run)
            if not table.rows and wants_match:
                return
            get = table.rows.get
            keep = of_one if table.is_unique else of_many
            if table.longest <= _SHORT:
                for batch in probe.rest():
                    yield keep(batch, get, run)
                return
            for keyed in probe.keyed():
                for key, row in keyed:
                    parts = parts_of(get(key, ()), _SHORT)
                    if any(matching(row, part, run) for part in parts) is wants_match:
                        yield (row,)

        return _probed(sides, of_one, match)

    return join


def _null_aware_anti(sides: Sides) -> Lists:
    """Join by x NOT IN (values): with a NULL value no row passes, without values every row.

    NaN is among the values like any other, and equals none of them. Several keys are the fields of
    a struct.
    """
    has_fields = len(sides.left_exprs) > 1
    type_ = struct_of(*[("", expr.type) for expr in sides.left_exprs])

    def lists(left: Rows, run: Run) -> Iterator[Iterable[Row]]:
        rows = PeekedRows(left(run))
        if not rows:
            return
        values = sides.known(sides.right.rows(run), run)
        if not values:
            yield from batches(rows)
        elif has_fields:
            is_member = compound_membership.membership(type_, values)
            for keyed in Probe(sides, rows, run).keyed():
                yield [row for key, row in keyed if is_member(key) is False]
        elif None not in values:
            for keyed in Probe(sides, rows, run).keyed():
                yield [
                    row
                    for key, row in keyed
                    if key is not None and (key not in values or key != key)
                ]

    return lists


_NEEDING_BOTH = (JoinKind.INNER, JoinKind.SEMI)  # kinds that emit nothing without right rows

_JOINS: Mapping[JoinKind, Callable[[Sides], Lists]] = {
    JoinKind.INNER: _inner,
    JoinKind.LEFT: _left,
    JoinKind.FULL: _full,
    JoinKind.SEMI: _keeping(True),
    JoinKind.ANTI: _keeping(False),
    JoinKind.NULL_AWARE_ANTI: _null_aware_anti,
}
