"""The working table of a graph query: its variables, and the scan that yields its rows.

Statements map a table to the next one. The scan is built at the end, when all columns that the
query uses are known: a table holds a function that builds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from spanemu.schema.dialect import Fold
from spanemu.sql.analysis.relation import Relation, Star
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.graph.analyzer.catalog import GraphCatalog, Numbers, catalog_by_name
from spanemu.sql.googlesql.graph.analyzer.elements import Element
from spanemu.sql.googlesql.graph.analyzer.properties import ElementRelation
from spanemu.sql.googlesql.graph.analyzer.state import Group, element_of, graph_state, group_of
from spanemu.sql.googlesql.graph.analyzer.value_element import ValueElement
from spanemu.sql.resolved import ColumnRef, Expr, ProjectScan, ResolvedColumn, Scan, SingleRow
from spanemu.values.graph_types import GraphType
from spanemu.values.types import Type, TypeCode

Build = Callable[[], Scan]


class Variable:
    """A variable or a column of a working table.

    `literal` is its value if that is a literal, which a set operation may convert.
    """

    literal: Expr | None = None

    def __init__(self, name: str, type_: Type) -> None:
        self.name = name
        self.type = type_

    def value(self) -> Expr:
        """Return the value of the variable."""
        raise NotImplementedError

    @property
    def element(self) -> Element | None:
        """The node or edge that the variable denotes, or None."""
        return None


class Column(Variable):
    """A variable that is a column of the rows."""

    def __init__(self, name: str, column: ResolvedColumn) -> None:
        super().__init__(name, column.type)
        self.column = column

    def value(self) -> Expr:
        return ColumnRef(self.column.type, self.column)


class LazyColumn(Variable):
    """A variable whose column is made when the query uses it, such as a path."""

    def __init__(self, name: str, type_: Type, make: Callable[[], ResolvedColumn]) -> None:
        super().__init__(name, type_)
        self._make = make
        self._column: ResolvedColumn | None = None

    def value(self) -> Expr:
        if self._column is None:
            self._column = self._make()
        return ColumnRef(self._column.type, self._column)


class NamedGroup(Variable):
    """A group variable under a name that a later statement gives it."""

    def __init__(self, name: str, group: Group) -> None:
        super().__init__(name, group.type)
        self._group = group

    def value(self) -> Expr:
        return self._group.value()


class PathVariable(LazyColumn):
    """A path; `length` returns the number of its edges without the path, or None if it cannot."""

    def __init__(
        self,
        name: str,
        type_: Type,
        make: Callable[[], ResolvedColumn],
        length: Callable[[], Expr | None],
    ) -> None:
        super().__init__(name, type_, make)
        self.length = length


class ElementVariable(Variable):
    """A node or an edge; the query may name the properties of the tables `exposed`."""

    def __init__(self, name: str, element: Element, exposed: Numbers | None = None) -> None:
        super().__init__(name, element.type)
        self._element = element
        self.exposed = element.numbers if exposed is None else exposed
        graph_state(element.analysis).register(element, self.exposed)

    @property
    def element(self) -> Element:
        return self._element

    def value(self) -> Expr:
        return self._element.value()

    def relation(self) -> ElementRelation:
        """Return the variable as a name of a scope."""
        return ElementRelation(self.name, self._element, self.exposed)


def variable_of(name: str, column: ResolvedColumn, analysis: Analysis) -> Variable:
    """Return a variable whose values are in a column."""
    type_ = column.type
    if type_.code not in (TypeCode.GRAPH_NODE, TypeCode.GRAPH_EDGE):
        group = group_of(ColumnRef(type_, column), analysis)
        return Column(name, column) if group is None else NamedGroup(name, group)
    element = element_of(ColumnRef(type_, column), analysis)
    if element is None:
        assert isinstance(type_, GraphType)
        catalog = catalog_by_name(type_.graph, analysis.schema)
        element = ValueElement(column, catalog, analysis)
        return ElementVariable(name, element)
    return ElementVariable(name, element, graph_state(analysis).elements[column.id][1])


class WorkingTable(Relation):
    """The columns of a working table, and how to build its rows."""

    is_unit = False  # one row without columns
    is_ordered = False  # the last statement orders all rows

    def __init__(self, variables: Iterable[Variable], build: Build, fold: Fold) -> None:
        super().__init__("", fold)
        self.variables = tuple(variables)
        self.build = build
        self._by_name = {fold(variable.name): variable for variable in self.variables}
        self._relations: Mapping[str, Relation] = {
            key: variable.relation()
            for key, variable in self._by_name.items()
            if isinstance(variable, ElementVariable)
        }

    def variable(self, name: str) -> Variable | None:
        """Return the variable with that name."""
        return self._by_name.get(self.fold(name))

    def aliases(self) -> Mapping[str, Relation]:
        return self._relations

    def column(self, name: str, at: int) -> Expr | None:
        variable = self._by_name.get(self.fold(name))
        return None if variable is None else variable.value()

    def star(self) -> Star:
        return [(variable.name, variable.value()) for variable in self.variables]

    def column_names(self) -> Iterator[str]:
        return (variable.name for variable in self.variables)

    def scan(self) -> Scan:
        return self.build()

    def extended(self, added: Sequence[Variable], build: Build | None = None) -> WorkingTable:
        """Return the table with more variables; one of the same name is replaced."""
        replaced = {self.fold(variable.name): variable for variable in added}
        kept = [replaced.pop(self.fold(each.name), each) for each in self.variables]
        return WorkingTable((*kept, *replaced.values()), build or self.build, self.fold)


def unit_table(fold: Fold) -> WorkingTable:
    """Return the table with which a query begins: one row without columns."""
    table = WorkingTable((), SingleRow, fold)
    table.is_unit = True
    return table


class GraphEnv:
    """The surroundings of a graph query: the statement, the graph, and the names around the query.

    `captured` are the variables of an enclosing query that a CALL may see. Their elements can be
    declared again, unlike those of `outer`.
    """

    def __init__(
        self,
        env: Env,
        catalog: GraphCatalog,
        *,
        captured: WorkingTable | None = None,
    ) -> None:
        self.analysis = env.analysis
        self.catalog = catalog
        self.common_tables = env.common_tables
        self.captured = captured
        self.outer = env.scope if captured is None else Scope(env.scope, captured)

    def over(self, table: Relation | None, clause: str) -> Env:
        """Return the environment of an expression over a working table."""
        return self.within(Scope(self.outer, table), clause)

    def within(self, scope: Scope, clause: str) -> Env:
        """Return the environment of an expression in a scope."""
        return Env(self.analysis, scope, clause, self.common_tables)


def projected(build: Build, computed: Sequence[tuple[ResolvedColumn, Expr]]) -> Build:
    """Return the function that builds the rows with more columns."""
    return lambda: ProjectScan(build(), tuple(computed)) if computed else build()
