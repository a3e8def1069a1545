"""Group variables: arrays with an element for each copy of a repetition.

    MATCH (a)-[e:Transfers]->{1,3}(b) LET total = SUM(e.amount), n = ARRAY_LENGTH(e)

What a query uses of the elements decides what is collected: here the amounts and the keys of the
edges, and no edge as a value.
"""

from __future__ import annotations

from collections.abc import Callable

from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.expressions.operator_call import operator_call
from spanemu.sql.googlesql.graph.analyzer.elements import Element, HopElement
from spanemu.sql.googlesql.graph.analyzer.identity import Identity, Slot
from spanemu.sql.googlesql.graph.analyzer.state import graph_state
from spanemu.sql.googlesql.graph.analyzer.table import Variable
from spanemu.sql.resolved import ArrayScan, ColumnRef, Expr, ProjectScan, ResolvedColumn, Scan
from spanemu.values.types import INT64, array_of

Groups = list[tuple[ResolvedColumn, ResolvedColumn]]


class Copies:
    """The arrays that are collected over the copies of one repetition.

    `turn` returns the column of a value over the rows after the MATCH, for a path that is walked
    backwards: its arrays are turned.
    """

    def __init__(
        self, groups: Groups, turn: Callable[[Expr], ResolvedColumn] | None, analysis: Analysis
    ) -> None:
        self._groups = groups
        self._turn = turn
        self._analysis = analysis
        self._arrays: dict[int, Expr] = {}
        self._uses: dict[int, int] = {}

    def array(self, value: Expr) -> Expr:
        """Return the array with the values of a column in all copies."""
        assert isinstance(value, ColumnRef)
        key = value.column.id
        self._uses[key] = self._uses.get(key, 0) + 1
        known = self._arrays.get(key)
        if known is None:
            known = self._arrays[key] = self._collected(value.column)
        return known

    def _collected(self, column: ResolvedColumn) -> Expr:
        type_ = array_of(column.type)
        array = self._analysis.column(column.name, type_)
        self._groups.append((array, column))
        collected = ColumnRef(type_, array)
        if self._turn is None:
            return collected
        turned = operator_call("ARRAY_REVERSE", (collected,), self._analysis, -1)
        return ColumnRef(type_, self._turn(turned))

    def discard(self, column: ResolvedColumn) -> None:
        """Note that an array which was asked for is not used."""
        self._uses[column.id] -= 1
        if self._turn is None and not self._uses[column.id]:
            self._groups[:] = [pair for pair in self._groups if pair[1].id != column.id]


class GroupVariable(Variable):
    """The array of the elements that one variable denotes in the copies of a repetition."""

    def __init__(self, name: str, element: HopElement, copies: Copies) -> None:
        super().__init__(name, array_of(element.type))
        self._copy = element
        self._copies = copies
        self._value: ColumnRef | None = None
        self._uses = 0
        self.is_built = False

    def value(self) -> Expr:
        self._uses += 1
        if self._value is None:
            value = self._copies.array(self._copy.value())
            assert isinstance(value, ColumnRef)
            self._value = value
            graph_state(self._copy.analysis).groups[value.column.id] = self
        return ColumnRef(self.type, self._value.column)

    def release(self) -> None:
        """Note that a value which was asked for is not used."""
        self._uses -= 1

    def finish(self) -> None:
        """Forget the array if the query does not use it, before the rows are built."""
        self.is_built = True
        if self._value is not None and self._uses <= 0:
            self._copies.discard(self._copy.column)
            self._copy.release()

    def light(self) -> Expr:
        """Return an array with as many elements."""
        return self._copies.array(self._copy.tag())

    def element_of_copy(self) -> CopyElement:
        """Return the element of one copy, over the rows of a scan of the copies."""
        return CopyElement(self.name, self._copy, self._copies)


class CopyElement(Element):
    """The element of one copy, over the rows of `scan`: each of its parts is an array."""

    def __init__(self, name: str, copy: HopElement, copies: Copies) -> None:
        super().__init__(name, copy.tables, copy.numbers, copy.analysis)
        self._copy = copy
        self._copies = copies
        self._offset = self.analysis.column("$offset", INT64)
        # By the column of the array, the column with the array's element.
        self._parts: dict[int, tuple[Expr, ResolvedColumn]] = {}

    def _part(self, value: Expr) -> Expr:
        array = self._copies.array(value)
        assert isinstance(array, ColumnRef)
        known = self._parts.get(array.column.id)
        if known is None:
            column = self.analysis.column(array.column.name, array.type.item())
            known = self._parts[array.column.id] = array, column
        return ColumnRef(known[1].type, known[1])

    def tag(self) -> Expr:
        return self._part(self._copy.tag())

    def slot(self, slot: Slot) -> Expr:
        return self._part(self._copy.slot(slot))

    def property(self, folded: str) -> Expr:
        return self._part(self._copy.property(folded))

    def identity_value(self) -> Expr:
        return self._part(self._copy.identity_value())

    def value(self) -> Expr:
        self.uses += 1
        return ColumnRef(self.type, self.column)

    def end(self, *, is_source: bool) -> Identity:
        return _CopyEnd(self._copy.end(is_source=is_source), self._part)

    def scan(self) -> Scan:
        """Return a row for each copy, in their order, with the parts that are asked for."""
        self.is_built = True
        if self.uses > 0:
            array = self._copies.array(self._copy.value())
            self._parts[self.column.id] = array, self.column
        if not self._parts:
            self.tag()
        (first, element), *others = self._parts.values()
        scan: Scan = ArrayScan(None, first, element, self._offset if others else None)
        computed = []
        for other, column in others:
            position = ColumnRef(INT64, self._offset)
            value = operator_call("$array_at_offset", (other, position), self.analysis, -1)
            computed.append((column, value))
        return ProjectScan(scan, tuple(computed)) if computed else scan


class _CopyEnd(Identity):
    """The node at one end of the edge of a copy."""

    def __init__(self, end: Identity, part: Callable[[Expr], Expr]) -> None:
        super().__init__(end.tables, end.numbers)
        self._end = end
        self._part = part

    def tag(self) -> Expr:
        return self._part(self._end.tag())

    def slot(self, slot: Slot) -> Expr:
        return self._part(self._end.slot(slot))
