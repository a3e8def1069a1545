"""Which names mean what, at one place.

A scope holds the relations of one FROM clause and perhaps some names of its own (select
aliases, lambda parameters), and ends in the scope around it:

    SELECT (SELECT a.Title || s.Name FROM Albums AS a) FROM Singers AS s
            scope of a ───parent──> scope of s

A name is looked up as a name of the scope's own, then as the alias of a relation, then as a
column of all its relations; only then in the parent. Reaching a column of a parent makes the
reference correlated; the tree does not say so, it follows from where the column is produced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from spanemu.sql.googlesql.analyzer.analysis import Aggregation, Analysis, CommonTable
from spanemu.sql.googlesql.analyzer.errors.names import AmbiguousColumn
from spanemu.sql.googlesql.analyzer.queries.relation import Relation
from spanemu.sql.resolved import Expr


class Origin(NamedTuple):
    """A reference to a column of a SELECT's input, kept to explain it if it may not stand."""

    expression: Expr
    at: int
    clause: str
    shown: str  # "column Name", "s.Name"


class Found(NamedTuple):
    """What a name means, and the scope that says so; `source` where it is just a column."""

    scope: Scope
    target: Relation | Expr
    source: Relation | None = None


class Scope:
    """See the module. In `names`, None stands for a name that has several meanings.

    `in_aggregates` is the scope that holds inside an aggregate's parentheses, where it differs.
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

    def lookup(self, name: str, at: int) -> Found | None:
        """What `name` means here; None if nothing."""
        key = name.lower()
        scope: Scope | None = self
        while scope is not None:
            if key in scope.names:
                target = scope.names[key]
                if target is None:
                    raise AmbiguousColumn(name, at=at)
                return Found(scope, target)
            relation = scope.aliases.get(key)
            if relation is not None:
                return Found(scope, relation)
            if scope.source is not None:
                column = scope.source.column(name, at)
                if column is not None:
                    return Found(scope, column, scope.source)
            scope = scope.parent
        return None

    def known(self) -> Iterator[str]:
        """Every name in scope, for suggestions."""
        scope: Scope | None = self
        while scope is not None:
            yield from scope.names
            yield from (relation.alias for relation in scope.aliases.values())
            if scope.source is not None:
                yield from scope.source.known()
            scope = scope.parent


@dataclass(slots=True)
class Env:
    """A place where expressions stand.

    `clause` is how messages call it ("WHERE clause"). With `aggregation`, aggregates may stand
    here; `in_aggregate` says that this is the inside of one. `outermost` says that a query here
    is the whole statement or the whole of a view: only such a one may begin with WITH.
    """

    analysis: Analysis
    scope: Scope
    clause: str
    common_tables: Mapping[str, CommonTable]
    aggregation: Aggregation | None = None
    in_aggregate: bool = False
    for_update: bool = False
    outermost: bool = False

    def inside(self, scope: Scope) -> Env:
        """The same place with more names in scope."""
        return Env(
            self.analysis,
            scope,
            self.clause,
            self.common_tables,
            self.aggregation,
            self.in_aggregate,
            self.for_update,
        )
