"""The state of the analysis of one statement: schema, functions, query parameters and counters.

The resolvers are mutually recursive: expressions contain queries, and queries contain
expressions. To avoid an import cycle, resolvers call each other through `Analysis.resolvers` and
`Analysis.resolve_query`, which the table in `analyze` supplies. State that changes from clause
to clause is not here but in `scope.Env`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.base.errors import Unsupported
from spanemu.base.limits import PARAMETERS_MAX
from spanemu.base.record import dataclass
from spanemu.schema.schema import Schema
from spanemu.sql.analysis.errors import LimitExceeded
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.state import AnalysisState
from spanemu.sql.dialect import AnalyzerOptions
from spanemu.sql.errors import PARAMETERS
from spanemu.sql.functions.registry import Catalog
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors import (
    BadQuery,
    EmptyArrayOfStructs,
    UndeclaredParameterConflict,
)
from spanemu.sql.resolved import Expr, ParameterRef, ProjectScan, ResolvedColumn, Scan
from spanemu.values.types import INT64, POSTGRESQL_SCALARS, Type

_FOREIGN = frozenset(POSTGRESQL_SCALARS.values())


class Parameters:
    """The parameters of one statement, with the types known at this point of the analysis.

        WHERE FirstName = @p       @p is pending until `coercion` infers its type: STRING
        SELECT @p                  still pending at the end: INT64

    The type of each reference to an undeclared parameter is inferred separately, and all must
    agree: a parameter that is compared with a STRING in one clause and is an output column in
    another is a conflict.
    """

    def __init__(
        self, declared: Mapping[str, Type], refused_in: str = "", limit: int = PARAMETERS_MAX
    ) -> None:
        self._declared = {name.lower(): type_ for name, type_ in declared.items()}
        self._refused_in = refused_in
        self._limit = limit
        self._used: dict[str, Type] = {}
        self._undeclared: set[str] = set()
        # Keyed by identity: two references to one parameter can get their types separately.
        self._pending: dict[int, tuple[ParameterRef, int]] = {}

    def reference(self, name: str, at: int) -> ParameterRef:
        """Return a reference to @name, pending if the parameter has no declared type.

        Raise BadQuery where parameters are not allowed, Unsupported for a type of PostgreSQL
        databases, LimitExceeded for too many parameters.
        """
        if self._refused_in:
            raise BadQuery(f"Query parameters cannot be used {self._refused_in}", at=at)
        key = name.lower()
        declared = self._declared.get(key)
        if declared is None:
            self._undeclared.add(key)
            reference = ParameterRef(INT64, key)
            self._pending[id(reference)] = (reference, at)
        elif (declared.element or declared) in _FOREIGN:
            raise Unsupported(f"Type {declared} of a PostgreSQL database")
        else:
            self._used[key] = declared
            reference = ParameterRef(declared, key)
        if len(self._used) + len(self._undeclared) > self._limit:
            raise LimitExceeded(PARAMETERS, self._limit, at=at)
        return reference

    def is_pending(self, expression: Expr) -> bool:
        """Return whether `expression` is a parameter reference whose type is not known yet."""
        return id(expression) in self._pending

    def settle(self, reference: ParameterRef, type_: Type) -> ParameterRef:
        """Return the pending `reference` with its inferred type.

        Raise UndeclaredParameterConflict if another reference was given a different type, BadQuery
        for a type that no value from outside has.
        """
        _, at = self._pending.pop(id(reference))
        if _is_of_graph(type_):
            raise BadQuery(f"Parameter @{reference.name} cannot have the type {type_}", at=at)
        known = self._used.setdefault(reference.name, type_)
        if known != type_:
            raise UndeclaredParameterConflict(reference.name, str(known), str(type_), at=at)
        return ParameterRef(type_, reference.name)

    def finish(self) -> tuple[dict[str, Type], frozenset[str]]:
        """Return the types of all parameters by name, and the names of the undeclared ones.

        References that are still pending get the type INT64.
        """
        for reference, _ in list(self._pending.values()):
            self.settle(reference, INT64)
        return self._used, frozenset(self._undeclared)


def _is_of_graph(type_: Type) -> bool:
    """Return whether a type is one of graph elements or paths, or is made of one."""
    inside = [type_.element] if type_.element is not None else [f.type for f in type_.fields]
    return type_.is_graph or any(map(_is_of_graph, inside))


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
    True if no literal of the select list can change its type: HAVING may refer to the literals, and
    a list of columns has none, though its input may be another query's list.
    """

    scan: Scan
    columns: tuple[tuple[str, ResolvedColumn], ...]
    value_table: bool = False
    ordered: bool = False
    names: Relation | None = None
    is_firm: bool = False

    @property
    def computed(self) -> Mapping[int, Expr]:
        """The values computed by the select list, by column id; none if their types are fixed."""
        if self.is_firm or type(self.scan) is not ProjectScan:
            return {}
        return {column.id: expression for column, expression in self.scan.computed}


@dataclass(frozen=True, slots=True)
class CommonTable:
    """A query of a WITH clause, with a name that is unique within the statement."""

    unique_name: str
    result: QueryResult


class Analysis(AnalysisState):
    """The state of one statement's analysis."""

    __slots__ = (
        "_row_expression",
        "graph",
        "in_schema",
        "in_struct",
        "parameters",
        "resolve_query",
        "resolvers",
        "strict",
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
        # Strict name resolution, for views: `*` is refused and columns of tables need a qualifier,
        # so that a new column of a table cannot change the meaning of the query.
        self.strict = False
        self.in_struct = 0  # STRUCT constructors around the expression that is being resolved
        self.graph: Any = None  # what the analysis knows of graphs (`graph.analyzer.state`)
        self.in_schema = False  # in the text of a column, a check or a view, not of a statement

    def refuse_empty_array(self, type_: Type) -> None:
        """Raise EmptyArrayOfStructs for an empty array of structs outside of a struct."""
        if type_.item().is_struct and not self.in_struct:
            raise EmptyArrayOfStructs()

    def row_expression(self, text: str, type_: Type, row: Relation) -> Expr:
        return self._row_expression(text, type_, row, self)
