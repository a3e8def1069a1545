"""Groups by a loop over the rows that is generated for the query:

    for row in rows:
        value2 = row[2]
        key = row[1]
        group = get(key)
        if group is None:
            groups[key] = [row, 1, value2]
        else:
            group[1] += 1
            if value2 is not None:
                if group[2] is None or value2 > group[2]: group[2] = value2

A group is a list of its first row and a state for each aggregate (`functions.aggregates.loops`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from spanemu.base.collector import Pause
from spanemu.base.deadline_checks import interruptible_stream
from spanemu.sql.executor.codegen import Writer, function_of, loop_of
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.memory import ENTRY_BYTES, REFERENCE_BYTES, free_in_parts, size_of
from spanemu.sql.executor.operators.hash_tables import Buckets, grouped
from spanemu.sql.executor.relation import Relation, fresh_cells, map_batches
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.functions.aggregates.loops import LOOPS, Loop, shortened
from spanemu.sql.plan.nodes import HashAggregate
from spanemu.sql.resolved import AggregateCall

LISTED_MAX = 65_536  # rows whose floats are listed before the lists are made shorter
_LONG = 64  # floats that are worth it
_LIST_BYTES = 56
_VALUE_BYTES = 32  # of a number that the statement makes

Group = list[Any]
Groups = dict[Any, Group]


def loops_of(calls: Iterable[AggregateCall]) -> list[Loop] | None:
    """Return the loops of aggregates; None if one of them has none, or has a modifier."""
    loops: list[Loop] = []
    for call in calls:
        loop = LOOPS.get(call.signature.new)
        if loop is None or len(call.arguments) > 1 or _has_modifiers(call):
            return None
        if call.arguments and not call.signature.skips_nulls:
            return None
        loops.append(loop)
    return loops


def _has_modifiers(call: AggregateCall) -> bool:
    return (
        call.safe
        or call.distinct
        or call.ignore_nulls
        or call.having is not None
        or bool(call.order_by)
        or call.limit is not None
    )


class GroupLoop:
    """The compiled loops over the rows of a relation, and what their groups need of memory."""

    def __init__(
        self, node: HashAggregate, below: Relation, loops: Sequence[Loop], compiler: Compiler
    ) -> None:
        statements = _Statements(node, below, loops, compiler)
        self._add, self._go_on = statements.hashed(), statements.streamed()
        self._results = _compile_results(node, below, loops, compiler)
        self._holding = compiler.holding("Hash Aggregate", 0, of=below)
        # The states whose values the statement makes, and the bytes that each row adds to states.
        computed = [bool(fresh_cells(call.arguments, below)) for _, call in node.aggregates]
        self._computed = [place for place, is_new in enumerate(computed, start=1) if is_new]
        self._width = 1 + len(computed)
        # The states that are lists of floats, from the second value on.
        self._lists = [place for place, loop in enumerate(loops, start=1) if loop.keeps_values]
        self._row_bytes = sum(
            [
                REFERENCE_BYTES + (_VALUE_BYTES if is_new else 0)
                for loop, is_new in zip(loops, computed, strict=True)
                if loop.keeps_values
            ]
        )

    def rows(self, gathered: Buckets, source: Iterable[list[Row]], run: Run) -> Iterator[Row]:
        """Yield a row for each group of the rows that are gathered, and of batches that follow.

        Groups come in the order in which they were first seen.
        """
        groups: Groups = {}
        try:
            with Pause():  # Groups are no garbage, but each collection would visit all of them.
                self._collect(groups, gathered, source, run)
            yield from map_batches(groups.values(), lambda some: self._results(some, run))
        finally:
            free_in_parts(groups)

    def _collect(
        self, groups: Groups, gathered: Buckets, source: Iterable[list[Row]], run: Run
    ) -> None:
        add = self._add
        for rows in interruptible_stream(gathered.values()):
            add(rows, groups, run)
        self._account(groups, 0, run)
        rows_listed = 0
        for batch in source:
            before = len(groups)
            add(batch, groups, run)
            self._account(groups, before, run)
            if self._lists:
                self._holding.take_bytes(self._row_bytes * len(batch), run)
                rows_listed += len(batch)
                if rows_listed > LISTED_MAX and rows_listed > _LONG * len(groups):
                    for group in interruptible_stream(groups.values()):
                        self._shorten(group, _LONG)
                    run.held -= self._row_bytes * rows_listed
                    rows_listed = 0

    def _shorten(self, group: Group, most: int) -> None:
        """Replace lists of more than `most` floats by short lists with the same sums."""
        for place in self._lists:
            state = group[place]
            if state.__class__ is list and len(state) > most:
                group[place] = shortened(state)

    def neighbours(
        self, first: Sequence[Row], source: Iterable[list[Row]], run: Run
    ) -> Iterator[list[Row]]:
        """Yield rows for the groups of neighbouring rows: `first`, then batches that follow."""
        ended, group, key = self._go_on(first, None, object(), run)
        for batch in source:
            more, group, key = self._go_on(batch, group, key, run)
            ended += more
            if self._lists:
                self._shorten(group, LISTED_MAX)
            if ended:
                yield self._results([each for each in ended if each is not None], run)
            ended = []
        last = [each for each in (*ended, group) if each is not None]
        if last:
            yield self._results(last, run)

    def _account(self, groups: Groups, before: int, run: Run) -> None:
        """Account for the groups since there were `before` of them, by the size of the last."""
        if len(groups) == before:
            return
        key = next(reversed(groups))
        group = groups[key]
        size = ENTRY_BYTES + _LIST_BYTES + REFERENCE_BYTES * self._width
        size += sum([size_of(group[position]) for position in self._computed])
        size += self._holding.size_of_keyed(group[0], key)
        self._holding.take_bytes(size * (len(groups) - before), run)


class _Statements:
    """The statements of a loop for one row: its values, its key, a new group, and a further row."""

    def __init__(
        self, node: HashAggregate, below: Relation, loops: Sequence[Loop], compiler: Compiler
    ) -> None:
        writer = self._writer = Writer(below.layout, compiler)
        writer.names["list"] = list
        keys = [writer.value(grouped(value)) for _, value in node.keys]
        self._key = keys[0] if len(keys) == 1 else f"({', '.join(keys)})"
        names: dict[str, str] = {}
        states: list[str] = []
        self._more: list[str] = []
        calls = [call for _, call in node.aggregates]
        for position, (call, loop) in enumerate(zip(calls, loops, strict=True), start=1):
            state = f"group[{position}]"
            if not call.arguments:
                states.append(loop.first)
                self._more.append(loop.more.format(s=state))
                continue
            text = writer.value(call.arguments[0])
            value = names.setdefault(text, f"value{position}")
            states.append(f"({loop.empty} if {value} is None else {loop.first.format(v=value)})")
            self._more.append(f"if {value} is not None:")
            self._more += [f"    {line}" for line in loop.more.format(s=state, v=value).split("\n")]
        self._values = [f"{name} = {text}" for text, name in names.items()]
        self._new = f"[row, {', '.join(states)}]"

    def hashed(self) -> Callable[[Sequence[Row], Groups, Run], None]:
        """Return the loop that adds rows to their groups."""
        add: Callable[[Sequence[Row], Groups, Run], None] = self._loop(
            "rows, groups, run",
            "get = groups.get",
            (
                f"key = {self._key}",
                "group = get(key)",
                "if group is None:",
                f"    groups[key] = {self._new}",
            ),
            "return None",
        )
        return add

    def streamed(
        self,
    ) -> Callable[[Sequence[Row], Group | None, Any, Run], tuple[list[Group | None], Group, Any]]:
        """Return the loop that continues the latest group.

        The loop returns the groups that have ended, then the latest group and its key.
        """
        go_on: Callable[
            [Sequence[Row], Group | None, Any, Run], tuple[list[Group | None], Group, Any]
        ] = self._loop(
            "rows, group, key, run",
            "ended = []",
            (
                f"this = {self._key}",
                "if this != key:",
                "    ended.append(group)",
                f"    key, group = this, {self._new}",
            ),
            "return ended, group, key",
        )
        return go_on

    def _loop(self, parameters: str, before: str, statements: Iterable[str], after: str) -> Any:
        further = [f"    {line}" for line in self._more or ["pass"]]
        lines = [*self._values, *statements, "else:", *further]
        body = "".join([f"        {line}\n" for line in lines])
        text = f"def loop({parameters}):\n    {before}\n    for row in rows:\n{body}    {after}\n"
        return loop_of(text, self._writer)


def _compile_results(
    node: HashAggregate, below: Relation, loops: Sequence[Loop], compiler: Compiler
) -> Callable[[Iterable[Group], Run], list[Row]]:
    """Compile the function from groups to output rows, which hold keys, then aggregates."""
    writer = Writer(below.layout, compiler)
    cells = [writer.value(value) for _, value in node.keys]
    for position, loop in enumerate(loops, start=1):
        state = f"group[{position}]"
        cells.append(state if loop.result is None else f"{writer.bind(loop.result)}({state})")
    text = f"({''.join([f'{cell}, ' for cell in cells])}) for group in groups for row in [group[0]]"
    results: Callable[[Iterable[Group], Run], list[Row]] = function_of(
        f"lambda groups, run: [{text}]", writer
    )
    return results
