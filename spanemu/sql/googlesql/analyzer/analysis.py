"""The state of the analysis of one statement: schema, functions, parameters and counters.

The resolvers are mutually recursive: expressions contain queries, and queries contain
expressions. To avoid an import cycle, resolvers call each other through `Analysis.resolvers` and
`Analysis.resolve_query`, which the table in `resolvers` supplies. State that changes from clause
to clause is not here but in `scope.Env`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.base.record import dataclass
from spanemu.schema.schema import Schema
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.state import AnalysisState
from spanemu.sql.dialect import AnalyzerOptions
from spanemu.sql.functions.registry import Catalog
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.parameters import Parameters
from spanemu.sql.resolved import Expr, ResolvedColumn, Scan
from spanemu.values.types import Type


@dataclass(frozen=True, slots=True)
class ResolverTable:
    """The functions that resolve each kind of expression, and queries, in an `Env`.

    `row_expression` resolves the text of a generated column.
    """

    resolvers: Mapping[type[ast.Expression], Callable[[Any, Any], Expr]]
    resolve_query: Callable[[ast.Query, Any], QueryResult]
    row_expression: Callable[[str, Type, Relation, Any], Expr]


@dataclass(slots=True)
class QueryResult:
    """A resolved query: its scan and its output columns, in order, with their names.

    `value_table` is True if the single column is the row itself (SELECT AS STRUCT, AS VALUE).
    `names` is the relation that a pipe query leaves in scope, table names included. `is_firm` is
    True if the query has a HAVING clause: HAVING refers to the select list, so the list's literals
    can no longer change their types.
    """

    scan: Scan
    columns: tuple[tuple[str, ResolvedColumn], ...]
    value_table: bool = False
    ordered: bool = False
    names: Relation | None = None
    is_firm: bool = False


@dataclass(frozen=True, slots=True)
class CommonTable:
    """A query of a WITH clause, with a name that is unique within the statement."""

    unique_name: str
    result: QueryResult


class Analysis(AnalysisState):
    """The state of one statement's analysis."""

    __slots__ = ("_row_expression", "parameters", "resolve_query", "resolvers", "strict")

    def __init__(
        self,
        schema: Schema,
        catalog: Catalog,
        options: AnalyzerOptions,
        parameters: Parameters,
        resolver_table: ResolverTable,
    ) -> None:
        super().__init__(schema, catalog, options)
        self.parameters = parameters
        self.resolvers = resolver_table.resolvers
        self.resolve_query = resolver_table.resolve_query
        self._row_expression = resolver_table.row_expression
        # Strict name resolution, for views: `*` is refused and columns of tables need a qualifier,
        # so that a new column of a table cannot change the meaning of the query.
        self.strict = False

    def row_expression(self, text: str, type_: Type, row: Relation) -> Expr:
        return self._row_expression(text, type_, row, self)
