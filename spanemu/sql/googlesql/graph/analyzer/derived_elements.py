"""Elements after a statement that makes new rows: grouping, set operations, shared tables.

The parts of such an element are columns of the new rows, which are made from the parts of the
element before when the query first asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spanemu.sql.analysis.tree import ExpressionMap
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.queries import group_by
from spanemu.sql.googlesql.analyzer.queries.aggregates import call_of
from spanemu.sql.googlesql.analyzer.scope import Origin
from spanemu.sql.googlesql.graph.analyzer.elements import Element
from spanemu.sql.googlesql.graph.analyzer.identity import Identity, Slot, filler, slots_of
from spanemu.sql.resolved import AggregateCall, ColumnRef, Expr, Literal, ResolvedColumn

Through = Callable[[Expr], Expr]


class MappedElement(Element):
    """An element of new rows; `through` returns the column of an expression over the old rows."""

    def __init__(self, name: str, inner: Element, through: Through) -> None:
        super().__init__(name, inner.tables, inner.numbers, inner.analysis)
        self._inner = inner
        self._through = through
        self._owned: set[int] = set()
        self._has_value = False
        self.is_nullable = inner.is_nullable

    def tag(self) -> Expr:
        return self._mapped(self._inner.tag())

    def slot(self, slot: Slot) -> Expr:
        return self._mapped(self._inner.slot(slot))

    def property(self, folded: str) -> Expr:
        return self._mapped(self._inner.property(folded))

    def value(self) -> Expr:
        if not self._has_value:
            self._has_value = True
            self.hold(self._mapped(self._inner.value()))
        return ColumnRef(self.type, self.column)

    def identity_value(self) -> Expr:
        return self._mapped(self._inner.identity_value())

    def end(self, *, is_source: bool) -> Identity:
        return _MappedIdentity(self._inner.end(is_source=is_source), self._mapped)

    def owns(self, column: int) -> bool:
        return column == self.column.id or column in self._owned

    def _mapped(self, value: Expr) -> Expr:
        mapped = self._through(value)
        if isinstance(mapped, ColumnRef):
            self._owned.add(mapped.column.id)
        return mapped


class CopiedColumns:
    """Columns that repeat values of the rows below, so that an outer join can set them to NULL.

    `add` returns a new column with a value over the rows below.
    """

    def __init__(self, add: Callable[[Expr], ResolvedColumn]) -> None:
        self._add = add
        self._known: ExpressionMap[ResolvedColumn] = ExpressionMap()

    def column(self, value: Expr) -> ResolvedColumn:
        """Return the column that repeats a value."""
        column = self._known.find(value)
        if column is None:
            column = self._add(value)
            self._known.add(value, column)
        return column

    def element(self, name: str, inner: Element) -> MappedElement:
        """Return an element whose parts are such columns."""
        copied = MappedElement(name, inner, self._through)
        copied.is_nullable = True
        return copied

    def _through(self, value: Expr) -> Expr:
        column = self.column(value)
        return ColumnRef(column.type, column)


class _MappedIdentity(Identity):
    """The identity of an element over new rows."""

    def __init__(self, inner: Identity, through: Through) -> None:
        super().__init__(inner.tables, inner.numbers)
        self._inner = inner
        self._through = through

    def tag(self) -> Expr:
        return self._through(self._inner.tag())

    def slot(self, slot: Slot) -> Expr:
        return self._through(self._inner.slot(slot))


class Groups:
    """The rows of a grouping: one for each combination of keys, which are values or elements.

    An element that is a key is grouped by its table and key. What the query uses of it besides is
    the same in all rows of a group.
    """

    def __init__(
        self, analysis: Analysis, origins: Sequence[Origin], *, is_distinct: bool = False
    ) -> None:
        self.analysis = analysis
        self.keys: list[tuple[ResolvedColumn, Expr]] = []
        self.calls: list[tuple[ResolvedColumn, AggregateCall]] = []
        self._elements: list[tuple[Element, MappedElement]] = []
        self._known: ExpressionMap[ResolvedColumn] = ExpressionMap()
        self._origins = origins
        self._is_distinct = is_distinct
        self._grouping: _Grouping | None = None

    def add_key(self, name: str, value: Expr) -> ResolvedColumn:
        """Group by a value; return the column that holds it."""
        column = self._known.find(value)
        if column is None:
            column = self.analysis.column(name or "$groupby", value.type)
            self._known.add(value, column)
            self.keys.append((column, value))
        return column

    def add_element(self, name: str, element: Element) -> MappedElement:
        """Group by an element; return it over the groups."""
        for inner, mapped in self._elements:
            if inner is element:
                return mapped
        only = element.only()
        slots: dict[Slot, None] = {}
        for table in element.tables.some(element.numbers):
            slots.update(dict.fromkeys(slots_of(table)))
        if only is None or not slots:
            self.add_key("$table", element.tag())
        for slot in slots:
            self.add_key("$key", element.slot(slot))
        mapped = MappedElement(name, element, self.over)
        self._elements.append((element, mapped))
        return mapped

    def over(self, value: Expr) -> Expr:
        """Return a value that is the same in all rows of a group."""
        if isinstance(value, Literal):
            return value
        column = self._known.find(value)
        if column is None:
            column = self.analysis.column("$any", value.type)
            self._known.add(value, column)
            call = call_of("ANY_VALUE", (value,), self.analysis)
            self.calls.append((column, call))
        return ColumnRef(column.type, column)

    def regroup(self, value: Expr) -> Expr:
        """Return a value over the groups. Raise AnalysisError if a part of it is no key."""
        if self._grouping is None:
            self._grouping = _Grouping(self, self._origins, is_distinct=self._is_distinct)
        return self._grouping.regroup(value)

    def finish(self) -> None:
        """Note that the groups are built."""
        for _, mapped in self._elements:
            mapped.is_built = True

    def owner_of(self, column: ResolvedColumn) -> bool:
        """Return whether a column is a part of an element that is a key."""
        return any(inner.owns(column.id) for inner, _ in self._elements)


class _Grouping(group_by.Grouping):
    """The rewriting of expressions over groups, with the parts of elements that are keys."""

    def __init__(self, groups: Groups, origins: Sequence[Origin], *, is_distinct: bool) -> None:
        super().__init__(groups.keys, origins, distinct=is_distinct)
        self._groups = groups

    def _replace(self, expression: Expr) -> Expr | None:
        if (
            type(expression) is ColumnRef
            and expression.column.id not in self._by_column
            and self._groups.owner_of(expression.column)
        ):
            return self._groups.over(expression)
        return super()._replace(expression)


class MergedElement(Element):
    """A column of UNION ALL: the element of whichever operand gives the row.

    `merge` returns the output column for one expression over the rows of each operand.
    """

    def __init__(
        self,
        name: str,
        operands: Sequence[Element],
        merge: Callable[[str, Sequence[Expr]], ResolvedColumn],
    ) -> None:
        first = operands[0]
        numbers = frozenset[int]().union(*[operand.numbers for operand in operands])
        super().__init__(name, first.tables, numbers, first.analysis)
        self._operands = operands
        self._merge = merge
        self._parts: dict[object, ResolvedColumn] = {}
        self._has_value = False
        self.is_nullable = any(operand.is_nullable for operand in operands)

    def tag(self) -> Expr:
        return self._part("tag", "$table", [each.tag() for each in self._operands])

    def slot(self, slot: Slot) -> Expr:
        def value(element: Element) -> Expr:
            some = element.tables.some(element.numbers)
            has_slot = any(slot in slots_of(table) for table in some)
            return element.slot(slot) if has_slot else filler(slot.type)

        return self._part(slot, "$key", [value(each) for each in self._operands])

    def property(self, folded: str) -> Expr:
        type_ = self.property_type(folded)

        def value(element: Element) -> Expr:
            found = element.property(folded)
            return found if found.type == type_ else Literal(type_, None)

        return self._part(("property", folded), folded, [value(each) for each in self._operands])

    def value(self) -> Expr:
        if not self._has_value:
            self._has_value = True
            values = [each.value() for each in self._operands]
            self.hold(self._part("value", self.name, values))
        return ColumnRef(self.type, self.column)

    def end(self, *, is_source: bool) -> Identity:
        ends = [operand.end(is_source=is_source) for operand in self._operands]
        return _MergedEnd(ends, self._part, "source" if is_source else "destination")

    def owns(self, column: int) -> bool:
        return column == self.column.id or column in {one.id for one in self._parts.values()}

    def _part(self, key: object, name: str, values: Sequence[Expr]) -> Expr:
        column = self._parts.get(key)
        if column is None:
            column = self._parts[key] = self._merge(name, values)
        return ColumnRef(column.type, column)


class _MergedEnd(Identity):
    """The node at one end of an edge that is a column of UNION ALL."""

    def __init__(self, ends: Sequence[Identity], part: Callable[..., Expr], name: str) -> None:
        numbers = frozenset[int]().union(*[end.numbers for end in ends])
        super().__init__(ends[0].tables, numbers)
        self._ends = ends
        self._part = part
        self._name = name

    def tag(self) -> Expr:
        return self._part((self._name, "tag"), "$table", [end.tag() for end in self._ends])

    def slot(self, slot: Slot) -> Expr:
        def value(end: Identity) -> Expr:
            some = end.tables.some(end.numbers)
            has_slot = any(slot in slots_of(table) for table in some)
            return end.slot(slot) if has_slot else filler(slot.type)

        return self._part((self._name, slot), "$key", [value(end) for end in self._ends])
