"""The state of the analysis of one PostgreSQL statement, with its query parameters.

Expressions contain queries, and queries contain expressions. To avoid an import cycle, resolvers
call each other through `Analysis.resolvers` and `Analysis.resolve_query`, which the table in
`resolvers` supplies. State that changes from clause to clause is not here but in `scope.Env`.

The types of undeclared parameters are inferred:

    WHERE first = $1       $1 is of type unknown until `coercion` gives it a type: text
    SELECT $1              still unknown at the end: text

The first context that needs a type decides the type of a parameter. Later references have that
type, and references that were resolved before must get the same type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.base.limits import PARAMETERS_MAX
from spanemu.schema.schema import Schema
from spanemu.sql.analysis.errors import LimitExceeded
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.state import AnalysisState
from spanemu.sql.dialect import AnalyzerOptions
from spanemu.sql.errors import PARAMETERS
from spanemu.sql.functions.registry import Catalog
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.errors import (
    ForeignParameterType,
    ParameterTypesDiffer,
    UndefinedParameter,
)
from spanemu.sql.postgresql.types import UNKNOWN, title
from spanemu.sql.resolved import Expr, ParameterRef, ResolvedColumn, Scan
from spanemu.sql.syntax_tree import Expression
from spanemu.values.types import JSON, NUMERIC, STRING, Type

# The types of GoogleSQL that PostgreSQL has under the same code with an annotation.
_FOREIGN = frozenset({NUMERIC, JSON})


class Parameters:
    """The parameters of one statement, with the types known at this point of the analysis.

    Parameter number n has the name "pn" outside the text of the statement. With `refused`, the
    text must have no parameter.
    """

    def __init__(
        self,
        declared: Mapping[str, Type],
        *,
        refused: bool = False,
        limit: int = PARAMETERS_MAX,
    ) -> None:
        self._declared = {name.lower(): type_ for name, type_ in declared.items()}
        self._refused = refused
        self._limit = limit
        self._types: dict[str, Type] = {}
        self._undeclared: set[str] = set()

    def reference(self, number: int, at: int) -> ParameterRef:
        """Return a reference to $number, of type UNKNOWN if its type is not known yet.

        Raise UndefinedParameter where parameters are not allowed, ForeignParameterType for a
        declared type that the dialect lacks, and LimitExceeded for too many parameters.
        """
        if self._refused or number < 1:
            raise UndefinedParameter(number, at=at)
        name = f"p{number}"
        known = self._types.get(name)
        if known is not None:
            return ParameterRef(known, name)
        declared = self._declared.get(name)
        if declared is None:
            self._undeclared.add(name)
            declared = UNKNOWN
        elif (declared.element or declared) in _FOREIGN:
            raise ForeignParameterType(str(declared), at=at)
        self._types[name] = declared
        if len(self._types) > self._limit:
            raise LimitExceeded(PARAMETERS, self._limit, at=at)
        return ParameterRef(declared, name)

    def is_pending(self, expression: Expr) -> bool:
        """Return whether `expression` is a parameter reference whose type is not known yet."""
        return type(expression) is ParameterRef and expression.type == UNKNOWN

    def refreshed(self, expression: Expr) -> Expr:
        """Return `expression`, with its type if it is a parameter that got a type meanwhile."""
        if type(expression) is ParameterRef and expression.type == UNKNOWN:
            return ParameterRef(self._types[expression.name], expression.name)
        return expression

    def settle(self, reference: ParameterRef, type_: Type, at: int = -1) -> ParameterRef:
        """Return the pending `reference` with the type that its context gives it.

        Raise ParameterTypesDiffer if the parameter has a different type already.
        """
        known = self._types[reference.name]
        if known == UNKNOWN:
            self._types[reference.name] = type_
        elif known != type_:
            raise ParameterTypesDiffer(
                reference.name.removeprefix("p"), title(known), title(type_), at=at
            )
        return ParameterRef(type_, reference.name)

    def finish(self) -> tuple[dict[str, Type], frozenset[str]]:
        """Return the types of all parameters by name, and the names of the undeclared ones.

        A parameter that is still of type UNKNOWN is a text.
        """
        types = {name: STRING if type_ == UNKNOWN else type_ for name, type_ in self._types.items()}
        return types, frozenset(self._undeclared)


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
