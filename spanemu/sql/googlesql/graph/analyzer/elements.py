"""Elements: what the variables of nodes and edges denote, column by column.

An element is known by its table's number, by its key and by its properties, each of which is a
column that exists only if the query uses it. The element as a value is one more such column.

    ScannedElement    rows of the tables that may give the element, as one scan
    HopElement        an edge or a node inside of a `PathScan`, the union of its steps

Not here: elements that are values (`value_element`), and elements of new rows
(`derived_elements`, `group_variables`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple

from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.expressions.operator_call import operator_call
from spanemu.sql.googlesql.graph.analyzer.catalog import (
    TAG,
    GraphTable,
    GraphTables,
    Numbers,
)
from spanemu.sql.googlesql.graph.analyzer.identity import Identity, Slot, filler, slots_of
from spanemu.sql.googlesql.graph.analyzer.rows import Rows
from spanemu.sql.resolved import (
    ColumnRef,
    Expr,
    Literal,
    ResolvedColumn,
    Scan,
    SetOpKind,
    SetOpScan,
    ValuesScan,
)
from spanemu.values.graph_types import GraphType
from spanemu.values.types import BOOL, Type


class Element(Identity):
    """A node or an edge; `column` holds it as a value, if the query uses that."""

    def __init__(
        self,
        name: str,
        tables: GraphTables,
        numbers: Numbers,
        analysis: Analysis,
    ) -> None:
        super().__init__(tables, numbers)
        self.name = name
        self.catalog = tables.catalog
        self.analysis = analysis
        self.type: GraphType = tables.type_of(numbers)
        self.column = analysis.column(name, self.type)
        self.uses = 0  # of the value as a whole
        self.is_nullable = False
        self.is_built = False  # the rows are: only what they have can be used

    @property
    def is_edge(self) -> bool:
        """Return whether the element is an edge."""
        return self.tables.is_edge

    def value(self) -> Expr:
        """Return the element as a value."""
        self.uses += 1
        return ColumnRef(self.type, self.column)

    def hold(self, value: Expr) -> None:
        """Make the column of `value` hold the element."""
        assert isinstance(value, ColumnRef)
        known = self.analysis.graph.elements
        entry = known.get(self.column.id)
        self.column = value.column
        if entry is not None:
            known[self.column.id] = entry

    def release(self) -> None:
        """Note that a value which was asked for is not used."""
        self.uses -= 1

    def identity_value(self) -> Expr:
        """Return a value that is equal to the element, but may lack its properties."""
        return self.value()

    def property(self, folded: str) -> Expr:
        """Return a property that some table has; NULL where the element's table lacks it."""
        raise NotImplementedError

    def property_type(self, folded: str) -> Type:
        """Return the type of a property: declared, or JSON for one that only rows have."""
        return self.tables.property_type(folded, self.numbers, self.catalog.properties)

    def owns(self, column: int) -> bool:
        """Return whether a column, by its id, is a part of the element."""
        return column == self.column.id

    def property_name(self, column: int) -> str | None:
        """Return the folded name of the property that a column holds, or None."""
        return None

    def is_null(self) -> Expr:
        """Return whether the element is NULL."""
        only = self.only()
        slots = () if only is None else slots_of(only)
        part = self.slot(slots[0]) if slots else self.tag()
        return operator_call("$is_null", (part,), self.analysis, -1)

    def end(self, *, is_source: bool) -> Identity:
        """Return the node at which the edge begins or ends."""
        raise NotImplementedError


Part = Callable[[Rows], Expr]


class _Property(NamedTuple):
    """The key of the column that holds a property."""

    folded: str


class ColumnarElement(Element):
    """An element whose parts are columns, each made when it is first asked for."""

    def __init__(
        self,
        name: str,
        tables: GraphTables,
        numbers: Numbers,
        analysis: Analysis,
    ) -> None:
        super().__init__(name, tables, numbers, analysis)
        self._columns: dict[Hashable, ResolvedColumn] = {}

    def part(self, key: Hashable, name: str, type_: Type, value: Part) -> Expr:
        """Return the part of the element that `value` computes over the rows of a table."""
        column = self._columns.get(key)
        if column is None:
            column = self._columns[key] = self.make_column(name, type_, value)
        return ColumnRef(column.type, column)

    def owns(self, column: int) -> bool:
        return column == self.column.id or any(one.id == column for one in self._columns.values())

    def property_name(self, column: int) -> str | None:
        for key, one in self._columns.items():
            if one.id == column and isinstance(key, _Property):
                return key.folded
        return None

    def make_column(self, name: str, type_: Type, value: Part) -> ResolvedColumn:
        """Return a new column with a part of the element."""
        raise NotImplementedError

    def tag(self) -> Expr:
        return self.part("tag", "$table", TAG, lambda rows: Literal(TAG, rows.table.number))

    def slot(self, slot: Slot) -> Expr:
        def value(rows: Rows) -> Expr:
            return _slot_value(rows.table, rows.key, slot)

        return self.part(slot, "$key", slot.type, value)

    def property(self, folded: str) -> Expr:
        type_ = self.property_type(folded)

        def value(rows: Rows) -> Expr:
            found = rows.property(folded)
            return Literal(type_, None) if found is None or found.type != type_ else found

        return self.part(_Property(folded), folded, type_, value)

    def identity_value(self) -> Expr:
        return self.part(
            "identity", self.name, self.type, lambda rows: rows.value(self.type, whole=False)
        )

    def has_dynamic_label(self, folded: str) -> Expr:
        """Return whether the label of the element's own row has a name, "" for any name."""

        def value(rows: Rows) -> Expr:
            has_own = rows.table.declared.dynamic_label is not None
            return rows.has_dynamic_label(folded) if has_own else Literal(BOOL, False)

        return self.part(("label", folded), "$label", BOOL, value)

    def end(self, *, is_source: bool) -> Identity:
        return _End(self, lambda is_reversed: is_reversed is not is_source)

    def pattern_end(self, *, is_left: bool) -> Identity:
        """Return the node at the left or right end of the edge in the pattern."""
        return _End(self, lambda _: is_left)

    def end_numbers(self, is_left: Callable[[bool], bool]) -> Numbers:
        """Return the numbers of the node tables at one end of the edge.

        `is_left` says whether that is the left end, of a row that is reversed or not.
        """
        raise NotImplementedError

    def finish(self) -> None:
        """Add the columns that are the last to be known, before the rows are built."""
        self.is_built = True
        if self.uses > 0 and self.column.id not in {one.id for one in self._columns.values()}:
            self.add_value_column()

    def add_value_column(self) -> None:
        """Make `column`, which holds the element as a value."""
        raise NotImplementedError


def _slot_value(table: GraphTable, key: Callable[[], Sequence[Expr]], slot: Slot) -> Expr:
    slots = slots_of(table)
    return key()[slots.index(slot)] if slot in slots else filler(slot.type)


class _End(Identity):
    """The node at one end of an edge whose parts are columns."""

    def __init__(self, edge: ColumnarElement, is_left: Callable[[bool], bool]) -> None:
        super().__init__(edge.catalog.nodes, edge.end_numbers(is_left))
        self._edge = edge
        self._is_left = is_left
        # The ends of a row in both senses: which one is wanted differs from row to row.
        self._name = ("end", is_left(False), is_left(True))

    def tag(self) -> Expr:
        def value(rows: Rows) -> Expr:
            return Literal(TAG, rows.end_table(is_left=self._is_left(rows.is_reversed)).number)

        return self._edge.part((self._name, "tag"), "$end", TAG, value)

    def slot(self, slot: Slot) -> Expr:
        def value(rows: Rows) -> Expr:
            is_left = self._is_left(rows.is_reversed)
            table = rows.end_table(is_left=is_left)
            return _slot_value(table, lambda: rows.left_or_right_key(is_left=is_left), slot)

        return self._edge.part((self._name, slot), "$end_key", slot.type, value)


class Columns:
    """The columns of a union: for each, one column of every part, in the order of the parts."""

    def __init__(self, count: int) -> None:
        self.outputs: list[ResolvedColumn] = []
        self.sources: list[list[ResolvedColumn]] = [[] for _ in range(count)]

    def add(self, output: ResolvedColumn, parts: Iterable[ResolvedColumn]) -> None:
        """Add a column."""
        self.outputs.append(output)
        for sources, part in zip(self.sources, parts, strict=True):
            sources.append(part)


class ScannedElement(ColumnarElement):
    """An element that is the rows of its tables: one scan, or the union of one for each table.

    An edge without direction has two for each table, of which one is reversed.
    """

    def __init__(
        self,
        name: str,
        tables: GraphTables,
        rows: Sequence[Rows],
        analysis: Analysis,
    ) -> None:
        numbers = frozenset(each.table.number for each in rows)
        super().__init__(name, tables, numbers, analysis)
        self.rows = tuple(rows)
        self._union = Columns(len(rows))

    def make_column(self, name: str, type_: Type, value: Part) -> ResolvedColumn:
        if len(self.rows) == 1:
            (rows,) = self.rows
            return rows.compute(name, value(rows))
        column = self.analysis.column(name, type_)
        self._add(column, value)
        return column

    def add_value_column(self) -> None:
        whole = self._whole
        if len(self.rows) == 1:
            (rows,) = self.rows
            rows.assign(self.column, whole(rows))
        else:
            self._add(self.column, whole)
        self._columns["value"] = self.column

    def _whole(self, rows: Rows) -> Expr:
        return rows.value(self.type, whole=True)

    def _add(self, column: ResolvedColumn, value: Part) -> None:
        self._union.add(column, [rows.compute(column.name, value(rows)) for rows in self.rows])

    def end_numbers(self, is_left: Callable[[bool], bool]) -> Numbers:
        return frozenset(
            rows.end_table(is_left=is_left(rows.is_reversed)).number for rows in self.rows
        )

    def scan(self) -> Scan:
        """Return the scan. Call this once, after the query has requested all that it uses."""
        if len(self.rows) != 1 and not self._union.outputs:
            self.tag()
        self.finish()
        if not self.rows:
            return ValuesScan(tuple(self._union.outputs), ())
        if len(self.rows) == 1:
            return self.rows[0].scan()
        inputs = tuple(
            (rows.scan(), tuple(sources))
            for rows, sources in zip(self.rows, self._union.sources, strict=True)
        )
        return SetOpScan(SetOpKind.UNION_ALL, inputs, tuple(self._union.outputs))


class HopElement(ColumnarElement):
    """An edge or a node within a `PathScan`, the union of its steps or checks.

    `rows` are those of each step, in the order of the steps.
    """

    def __init__(
        self,
        name: str,
        tables: GraphTables,
        rows: Sequence[Rows],
        columns: Columns,
        analysis: Analysis,
    ) -> None:
        numbers = frozenset(each.table.number for each in rows)
        super().__init__(name, tables, numbers, analysis)
        self.rows = tuple(rows)
        self._outputs = columns

    def make_column(self, name: str, type_: Type, value: Part) -> ResolvedColumn:
        column = self.analysis.column(name, type_)
        self._add(column, value)
        return column

    def _add(self, column: ResolvedColumn, value: Part) -> None:
        self._outputs.add(column, [rows.compute(column.name, value(rows)) for rows in self.rows])

    def add_value_column(self) -> None:
        self._add(self.column, lambda rows: rows.value(self.type, whole=True))
        self._columns["value"] = self.column

    def end_numbers(self, is_left: Callable[[bool], bool]) -> Numbers:
        return frozenset(
            rows.end_table(is_left=is_left(rows.is_reversed)).number for rows in self.rows
        )
