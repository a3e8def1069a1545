"""Calls of table functions in FROM: their arguments, their rows, and the queries that call them.

The rows of a table function come from a provider, as those of system tables. A query may select
columns of the rows and filter the rows, and do nothing else with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from spanemu.sql.analysis.errors import BadTableFunctionCall, TableFunctionMisused
from spanemu.sql.analysis.state import AnalysisState
from spanemu.sql.analysis.table_relation import SystemRelation
from spanemu.sql.dialect import TableFunction
from spanemu.sql.resolved import (
    Expr,
    FilterScan,
    Literal,
    OutputColumn,
    ProjectScan,
    QueryStatement,
    ResolvedColumn,
    Scan,
    SingleRow,
    Statement,
    SystemTableScan,
    TableFunctionScan,
)
from spanemu.sql.usage import collect_usage
from spanemu.values.types import Type

T = TypeVar("T")


class TableFunctionRelation(SystemRelation):
    """The rows of a table function."""

    def __init__(
        self,
        alias: str,
        function: TableFunction,
        arguments: tuple[Expr, ...],
        analysis: AnalysisState,
    ) -> None:
        super().__init__(alias, function.table, analysis)
        self._arguments = arguments

    def scan(self) -> Scan:
        scan = super().scan()
        assert isinstance(scan, SystemTableScan)
        return TableFunctionScan(scan.name, scan.columns, self._arguments)


def resolve_arguments(
    function: TableFunction,
    written: Sequence[tuple[str | None, T]],
    resolve: Callable[[T, tuple[Type, ...]], Expr],
    at: int,
) -> tuple[Expr, ...]:
    """Return an expression for each parameter of a function; NULL without an argument.

    `written` are the arguments with their names, None for an argument by position. `resolve`
    returns an argument converted to one of the types.
    """
    parameters = [name for name, _ in function.parameters]
    bound: dict[str, T] = {}
    for number, (name, node) in enumerate(written):
        if name is None and number >= len(parameters):
            problem = f"it takes at most {len(parameters)} arguments"
            raise BadTableFunctionCall(function.table.name, problem, at=at)
        parameter = parameters[number] if name is None else name.lower()
        if parameter not in parameters:
            problem = f"it has no parameter {name}"
            raise BadTableFunctionCall(function.table.name, problem, at=at)
        if parameter in bound:
            problem = f"argument {parameter} is given twice"
            raise BadTableFunctionCall(function.table.name, problem, at=at)
        bound[parameter] = node
    return tuple(
        resolve(bound[name], types) if name in bound else Literal(types[0], None)
        for name, types in function.parameters
    )


def called_function(statement: Statement) -> TableFunctionScan:
    """Return the call of the table function that a statement contains.

    Raise TableFunctionMisused unless the statement is a query that only selects columns of the
    function's rows and filters the rows.
    """
    scan = statement.scan if isinstance(statement, QueryStatement) else None
    while isinstance(scan, ProjectScan | FilterScan):
        scan = scan.input
    usage = collect_usage(statement)
    if not isinstance(scan, TableFunctionScan) or usage.reads or len(usage.system_tables) > 1:
        raise TableFunctionMisused(", ".join(sorted(usage.functions)))
    return scan


def arguments_query(statement: Statement, call: TableFunctionScan) -> QueryStatement:
    """Return the query whose single row holds the arguments of a call in `statement`."""
    columns = [
        ResolvedColumn(-1 - number, "", argument.type)
        for number, argument in enumerate(call.arguments)
    ]
    scan = ProjectScan(SingleRow(), tuple(zip(columns, call.arguments, strict=True)))
    output = tuple(OutputColumn("", column) for column in columns)
    return QueryStatement(statement.parameters, statement.undeclared, (), scan, output)
