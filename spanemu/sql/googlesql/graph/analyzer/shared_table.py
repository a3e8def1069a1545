"""A working table that several queries read: the operands of a set operation after NEXT.

The rows are computed once, as a common table. Its columns are those that some operand asks for.
"""

from __future__ import annotations

from spanemu.sql.analysis.tree import ExpressionMap
from spanemu.sql.googlesql.graph.analyzer.derived_elements import MappedElement
from spanemu.sql.googlesql.graph.analyzer.table import (
    ElementVariable,
    GraphEnv,
    LazyColumn,
    Variable,
    WorkingTable,
)
from spanemu.sql.resolved import (
    ColumnRef,
    Expr,
    Literal,
    ProjectScan,
    ResolvedColumn,
    Scan,
    WithRef,
    WithScan,
)
from spanemu.values.types import INT64


class SharedTable:
    """A working table as a common table of the statement."""

    def __init__(self, table: WorkingTable, env: GraphEnv) -> None:
        self._table = table
        self._analysis = env.analysis
        self._columns: list[ResolvedColumn] = []
        self._computed: list[tuple[ResolvedColumn, Expr]] = []
        self._known: ExpressionMap[int] = ExpressionMap()
        number = env.analysis.column("$graph", INT64).id
        self._name = f"$graph#{number}"
        self.position(Literal(INT64, 1))  # a common table has a column

    def reference(self) -> WorkingTable:
        """Return the table as one of its readers sees it."""
        reader = _Reader(self)
        variables = [reader.variable(variable) for variable in self._table.variables]
        return WorkingTable(variables, reader.scan, self._table.fold)

    def position(self, value: Expr) -> int:
        """Return the position of the column that holds a value over the table."""
        position = self._known.find(value)
        if position is None:
            position = len(self._columns)
            self._known.add(value, position)
            if isinstance(value, ColumnRef):
                column = value.column
            else:
                column = self._analysis.column("$value", value.type)
                self._computed.append((column, value))
            self._columns.append(column)
        return position

    def new_column(self, position: int) -> ResolvedColumn:
        """Return a column for a reader of the column at a position."""
        column = self._columns[position]
        return self._analysis.column(column.name, column.type)

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self._columns)

    @property
    def name(self) -> str:
        """The name of the common table."""
        return self._name

    def around(self, body: Scan) -> Scan:
        """Return a scan whose parts read the table, with the table."""
        rows = self._table.build()
        if self._computed:
            rows = ProjectScan(rows, tuple(self._computed))
        return WithScan(((self._name, rows, tuple(self._columns)),), body)


class _Reader:
    """A reader of a shared table, with columns of its own."""

    def __init__(self, shared: SharedTable) -> None:
        self._shared = shared
        self._own: dict[int, ResolvedColumn] = {}

    def variable(self, variable: Variable) -> Variable:
        """Return a variable of the table over the reader's rows."""
        element = variable.element
        if element is not None:
            assert isinstance(variable, ElementVariable)
            mapped = MappedElement(variable.name, element, self._through)
            return ElementVariable(variable.name, mapped, variable.exposed)
        return LazyColumn(variable.name, variable.type, lambda: self._column(variable.value()))

    def _through(self, value: Expr) -> Expr:
        column = self._column(value)
        return ColumnRef(column.type, column)

    def _column(self, value: Expr) -> ResolvedColumn:
        position = self._shared.position(value)
        column = self._own.get(position)
        if column is None:
            column = self._own[position] = self._shared.new_column(position)
        return column

    def scan(self) -> Scan:
        """Return the rows; all columns of the table are known."""
        columns = []
        for position in range(self._shared.width):
            known = self._own.get(position)
            columns.append(self._shared.new_column(position) if known is None else known)
        return WithRef(self._shared.name, tuple(columns))
