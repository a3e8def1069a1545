"""The state of the analysis of one PostgreSQL statement.

Expressions contain queries, and queries contain expressions. To avoid an import cycle, resolvers
call each other through `Analysis.resolvers` and `Analysis.resolve_query`, which the table in
`resolvers` supplies. State that changes from clause to clause is not here but in `scope.Env`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.schema.schema import Schema
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.state import AnalysisState
from spanemu.sql.dialect import AnalyzerOptions
from spanemu.sql.functions.registry import Catalog
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.parameters import Parameters
from spanemu.sql.resolved import Expr, ResolvedColumn, Scan
from spanemu.sql.syntax_tree import Expression
from spanemu.values.types import Type


@dataclass(frozen=True, slots=True)
class ResolverTable:
    """The functions that resolve each kind of expression, and queries, in an `Env`.

    `row_expression` resolves the text of a generated column.
    """

    resolvers: Mapping[type[Expression], Callable[[Any, Any], Expr]]
    resolve_query: Callable[[ast.Query, Any], QueryResult]
    row_expression: Callable[[str, Type, Relation, Any], Expr]


@dataclass(slots=True)
class QueryResult:
    """A resolved query: its scan and its output columns, in order, with their names.

    `unknown` has the expression of each column of type UNKNOWN, by number, if the query was to keep
    them (`Env.keeps_unknown`): a string literal, NULL or a parameter.
    """

    scan: Scan
    columns: tuple[tuple[str, ResolvedColumn], ...]
    ordered: bool = False
    unknown: Mapping[int, Expr] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CommonTable:
    """A query of a WITH clause, with a name that is unique within the statement."""

    unique_name: str
    result: QueryResult


@dataclass(frozen=True, slots=True)
class ExpandedColumn:
    """A column that a star stands for: `table` is the name of the table in its FROM clause."""

    table: str
    name: str


class Analysis(AnalysisState):
    """The state of one statement's analysis.

    `literal_types` has the type of each literal whose type its context decided, by the literal's
    offset, and `expansions` the columns of each star, by its offset: `printing` needs both.
    `refusal` is the error of the first expression that PostgreSQL accepts and Spanner refuses.
    """

    __slots__ = (
        "_row_expression",
        "expansions",
        "literal_types",
        "parameters",
        "refusal",
        "resolve_query",
        "resolvers",
    )

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
        self.literal_types: dict[int, Type] = {}
        self.expansions: dict[int, tuple[ExpandedColumn, ...]] = {}
        self.refusal: SpannerError | None = None

    def refuse(self, error: SpannerError) -> None:
        """Keep the error that the analysis raises at its end, unless it has one already."""
        self.refusal = self.refusal or error

    def row_expression(self, text: str, type_: Type, row: Relation) -> Expr:
        return self._row_expression(text, type_, row, self)
