"""Scopes: the lookup of names, and the environment in which an expression is resolved.

A scope holds the relations of one FROM clause and sometimes names of its own (select aliases,
lambda parameters). Its parent is the enclosing scope:

    SELECT (SELECT a.Title || s.Name FROM Albums AS a) FROM Singers AS s
            scope of a ───parent──> scope of s

A lookup tries the scope's own names, then the aliases of its relations, then the columns of all
its relations, and then continues in the parent. A reference to a column of a parent scope is
correlated. The resolved tree has no mark for correlation: a reference is correlated if the column
is produced outside the subquery.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from spanemu.base.record import NamedTuple, dataclass
from spanemu.schema.dialect import Fold
from spanemu.sql.analysis.errors import AmbiguousColumn
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.state import Aggregation
from spanemu.sql.googlesql.analyzer.analysis import Analysis, CommonTable
from spanemu.sql.resolved import Expr, Scan
from spanemu.sql.syntax_tree import Identifier


class Origin(NamedTuple):
    """A reference to a column of a SELECT's input, kept for the error if grouping forbids it."""

    expression: Expr
    at: int
    clause: str
    display_name: str  # "column Name", "s.Name"


class NameMatch(NamedTuple):
    """The meaning of a name and its scope; `source` is the relation of an unqualified column."""

    scope: Scope
    target: Relation | Expr
    source: Relation | None = None


class Scope:
    """The names visible to expressions of one clause; see the module.

    `names` maps an ambiguous name to None. `in_aggregates` is the scope of the arguments of
    aggregate calls, if it differs from this scope.
    """

    __slots__ = ("aliases", "in_aggregates", "names", "origins", "parent", "source")

    def __init__(
        self,
        parent: Scope | None,
        source: Relation | None = None,
        names: Mapping[str, Expr | None] | None = None,
    ) -> None:
        self.parent = parent
        self.source = source
        self.names: Mapping[str, Expr | None] = names or {}
        self.aliases: Mapping[str, Relation] = {} if source is None else source.aliases()
        self.origins: list[Origin] | None = None
        self.in_aggregates: Scope | None = None

    def lookup(self, identifier: Identifier, fold: Fold) -> NameMatch | None:
        """Return the meaning of a name, or None if the name is not in scope.

        Raise AmbiguousColumn if the name has several meanings.
        """
        name, at = identifier.name, identifier.at
        key = fold(name)
        scope: Scope | None = self
        while scope is not None:
            if key in scope.names:
                target = scope.names[key]
                if target is None:
                    raise AmbiguousColumn(name, at=at)
                return NameMatch(scope, target)
            relation = scope.aliases.get(key)
            if relation is not None:
                return NameMatch(scope, relation)
            if scope.source is not None:
                column = scope.source.column(name, at)
                if column is not None:
                    return NameMatch(scope, column, scope.source)
            scope = scope.parent
        return None

    def visible_names(self) -> Iterator[str]:
        """Yield every name in scope, for suggestions."""
        scope: Scope | None = self
        while scope is not None:
            yield from scope.names
            yield from (relation.alias for relation in scope.aliases.values())
            if scope.source is not None:
                yield from scope.source.column_names()
            scope = scope.parent


@dataclass(slots=True)
class Env:
    """The environment in which an expression or a query is resolved.

    `clause` is the name of the clause in error messages ("WHERE clause"). Aggregate calls are
    allowed if `aggregation` is set, which collects the calls; `in_aggregate` is True inside the
    arguments of an aggregate call. `outermost` is True if a query in this environment is the whole
    statement or the whole of a view: only such a query may begin with WITH.

    In graph queries, aggregate calls over an array are allowed if `is_horizontal`, and window
    functions if `windows` is set, which collects them: each adds a column to the rows.
    """

    analysis: Analysis
    scope: Scope
    clause: str
    common_tables: Mapping[str, CommonTable]
    aggregation: Aggregation | None = None
    in_aggregate: bool = False
    for_update: bool = False
    outermost: bool = False
    is_horizontal: bool = False
    windows: list[Callable[[Scan], Scan]] | None = None

    def inside(self, scope: Scope) -> Env:
        """Return the same environment with another scope, usually a child of this one."""
        return Env(
            self.analysis,
            scope,
            self.clause,
            self.common_tables,
            self.aggregation,
            self.in_aggregate,
            self.for_update,
            False,
            self.is_horizontal,
            self.windows,
        )
