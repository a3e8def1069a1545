"""Combines graph queries by UNION, INTERSECT and EXCEPT: columns match by name.

UNION ALL keeps elements column by column (`MergedElement`). The other operators compare elements,
which therefore become values.
"""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.sql.googlesql.analyzer.expressions.coercion import (
    Candidate,
    Kind,
    coerce,
    common_type_of,
    make_candidate,
)
from spanemu.sql.googlesql.analyzer.queries.set_operation import (
    KINDS,
    SetOperator,
    check_comparable,
    column_type,
)
from spanemu.sql.googlesql.graph import ast
from spanemu.sql.googlesql.graph.analyzer.derived_elements import MergedElement
from spanemu.sql.googlesql.graph.analyzer.elements import Columns
from spanemu.sql.googlesql.graph.analyzer.errors import BadGraphQuery, ColumnsDiffer
from spanemu.sql.googlesql.graph.analyzer.returns import distinct_rows
from spanemu.sql.googlesql.graph.analyzer.table import (
    Build,
    ElementVariable,
    GraphEnv,
    Variable,
    WorkingTable,
    variable_of,
)
from spanemu.sql.resolved import (
    Cast,
    ColumnRef,
    Expr,
    Literal,
    ProjectScan,
    ResolvedColumn,
    Scan,
    SetOpKind,
    SetOpScan,
)
from spanemu.values.types import INT64, Type


def check_operators(operators: Sequence[ast.GraphSetOperator]) -> None:
    """Raise BadGraphQuery if the operators of a query differ."""
    first = operators[0]
    for other in operators[1:]:
        if (other.op, other.distinct) != (first.op, first.distinct):
            raise BadGraphQuery(
                "Gql set operation must have the same set operation type", at=other.at
            )


def combine(
    operators: Sequence[ast.GraphSetOperator], operands: Sequence[WorkingTable], env: GraphEnv
) -> WorkingTable:
    """Return the working table of a set operation.

    Raise AnalysisError for queries with different columns, or columns without a common type.
    """
    first = operators[0]
    operator = SetOperator(first.op, first.distinct, first.at, (first.at, first.at))
    rows = [_in_order(operands, number, operators) for number in range(len(operands))]
    if operator.op == "UNION":
        union = _Union(operator, rows, env)
        table = WorkingTable(union.variables(), union.build, operands[0].fold)
        if operator.distinct:
            table = distinct_rows(table, env, operator.op, operator.at)
        return table
    return _compared(operator, rows, env)


class _Operand:
    """A query of a set operation, with its variables in the order of the first query."""

    def __init__(self, build: Build, variables: Sequence[Variable]) -> None:
        self.variables = variables
        self._build = build
        self._computed: list[tuple[ResolvedColumn, Expr]] = []

    def column(self, value: Expr, env: GraphEnv) -> ResolvedColumn:
        """Return the column of a value over the rows of the query."""
        if isinstance(value, ColumnRef):
            return value.column
        column = env.analysis.column("$value", value.type)
        self._computed.append((column, value))
        return column

    def converted(self, variable: Variable, type_: Type, env: GraphEnv, at: int) -> ResolvedColumn:
        """Return the column of a variable in the common type of the operands."""
        literal = variable.literal
        if literal is not None:
            return self.column(coerce(literal, type_, env.analysis, at), env)
        value = variable.value()
        if value.type == type_ or value.type.is_graph:
            return self.column(value, env)
        return self.column(Cast(type_, value, implicit=True), env)

    def scan(self) -> Scan:
        """Return the rows."""
        rows = self._build()
        return ProjectScan(rows, tuple(self._computed)) if self._computed else rows


def _in_order(
    operands: Sequence[WorkingTable], number: int, operators: Sequence[ast.GraphSetOperator]
) -> _Operand:
    """Return an operand with its columns in the order of the first, by name."""
    first, operand = operands[0], operands[number]
    variables = [operand.variable(variable.name) for variable in first.variables]
    known = [variable for variable in variables if variable is not None]
    if len(known) < len(first.variables) or len(operand.variables) > len(known):
        raise ColumnsDiffer(
            ", ".join(variable.name for variable in first.variables),
            number + 1,
            ", ".join(variable.name for variable in operand.variables),
            at=operators[max(number - 1, 0)].at,
        )
    return _Operand(operand.build, known)


def _common_type(variables: Sequence[Variable], operator: SetOperator, env: GraphEnv) -> Type:
    candidates = [
        Candidate(variable.type, Kind.VALUE)
        if variable.literal is None
        else make_candidate(variable.literal, env.analysis)
        for variable in variables
    ]
    return column_type(variables[0].name, candidates, operator, env.analysis)


class _Union:
    """UNION ALL of several queries."""

    def __init__(self, operator: SetOperator, operands: Sequence[_Operand], env: GraphEnv) -> None:
        self._operator = operator
        self._operands = operands
        self._env = env
        self._columns = Columns(len(operands))

    def variables(self) -> list[Variable]:
        """Return the variables of the union."""
        count = len(self._operands[0].variables)
        return [self._variable(number) for number in range(count)]

    def _variable(self, number: int) -> Variable:
        own = [operand.variables[number] for operand in self._operands]
        type_ = _common_type(own, self._operator, self._env)
        elements = [variable.element for variable in own]
        known = [element for element in elements if element is not None]
        if len(known) == len(own):
            merged = MergedElement(own[0].name, known, self._merge)
            exposed = frozenset[int]().union(
                *[variable.exposed for variable in own if isinstance(variable, ElementVariable)]
            )
            return ElementVariable(own[0].name, merged, exposed)
        column = self._env.analysis.column(own[0].name, type_)
        parts = [
            operand.converted(variable, type_, self._env, self._operator.at)
            for operand, variable in zip(self._operands, own, strict=True)
        ]
        self._columns.add(column, parts)
        return variable_of(own[0].name, column, self._env.analysis)

    def _merge(self, name: str, values: Sequence[Expr]) -> ResolvedColumn:
        type_ = values[0].type
        if type_.is_graph:
            own = [Candidate(value.type, Kind.VALUE) for value in values]
            type_ = common_type_of(own, self._env.analysis) or type_
        column = self._env.analysis.column(name, type_)
        parts = [
            operand.column(value, self._env)
            for operand, value in zip(self._operands, values, strict=True)
        ]
        self._columns.add(column, parts)
        return column

    def build(self) -> Scan:
        """Return the rows."""
        if not self._columns.outputs:
            self._merge("$row", [Literal(INT64, 1) for _ in self._operands])
        inputs = tuple(
            (operand.scan(), tuple(sources))
            for operand, sources in zip(self._operands, self._columns.sources, strict=True)
        )
        return SetOpScan(SetOpKind.UNION_ALL, inputs, tuple(self._columns.outputs))


def _compared(operator: SetOperator, operands: Sequence[_Operand], env: GraphEnv) -> WorkingTable:
    """Return INTERSECT or EXCEPT of several queries."""
    columns: list[ResolvedColumn] = []
    inputs: list[list[ResolvedColumn]] = [[] for _ in operands]
    for number, variable in enumerate(operands[0].variables):
        own = [operand.variables[number] for operand in operands]
        type_ = _common_type(own, operator, env)
        check_comparable(variable.name, type_, operator)
        columns.append(env.analysis.column(variable.name, type_))
        for operand, operand_variable, sources in zip(operands, own, inputs, strict=True):
            sources.append(operand.converted(operand_variable, type_, env, operator.at))
    kind = KINDS[operator.op, operator.distinct]

    def build() -> Scan:
        scans = tuple(
            (operand.scan(), tuple(sources))
            for operand, sources in zip(operands, inputs, strict=True)
        )
        return SetOpScan(kind, scans, tuple(columns))

    variables = [variable_of(column.name, column, env.analysis) for column in columns]
    return WorkingTable(variables, build, env.catalog.fold)
