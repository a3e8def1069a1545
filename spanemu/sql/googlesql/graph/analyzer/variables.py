"""The variables that the patterns of a MATCH declare, and in which roles.

    MATCH p = (a)-[e]->(b)((x)-[f]->(y)){1,3}(c)     p path   a b c nodes   e edge   x y f groups

A name denotes one node or one edge throughout the patterns, but a group variable and a path
variable are declared once. Nodes and edges of the working table can be declared again.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from spanemu.base.record import dataclass
from spanemu.schema.dialect import Fold
from spanemu.sql.googlesql.analyzer.scope import Scope
from spanemu.sql.googlesql.ast import Identifier
from spanemu.sql.googlesql.graph import ast
from spanemu.sql.googlesql.graph.analyzer.errors import (
    BadCost,
    ElementDefinedOutside,
    GroupVariableTwice,
    InsidePrefix,
    NodeAndEdge,
    NotAnElementColumn,
    QuantifiedAndUnquantified,
)
from spanemu.sql.googlesql.graph.analyzer.patterns import EdgeLink, RepeatedLink, Shape
from spanemu.sql.googlesql.graph.analyzer.properties import ElementRelation
from spanemu.sql.googlesql.graph.analyzer.table import ElementVariable, GraphEnv, WorkingTable


class Role(StrEnum):
    """The role of a variable of a pattern."""

    NODE = "node"
    EDGE = "edge"
    GROUP = "group"
    PATH = "path"


@dataclass(slots=True)
class Declaration:
    """The first declaration of a variable: its role, and for a group the repetition."""

    name: Identifier
    role: Role
    kind: Role  # NODE or EDGE, of groups too
    repetition: RepeatedLink | None = None


class Declarations:
    """The variables of the patterns of one MATCH, by folded name, in order."""

    def __init__(self, table: WorkingTable, env: GraphEnv) -> None:
        self.by_name: dict[str, Declaration] = {}
        self._table = table
        self._env = env

    def add(self, pattern: ast.PathPattern, shape: Shape) -> None:
        """Add the variables of a path pattern. Raise AnalysisError for a name in two roles."""
        if pattern.variable is not None:
            self._declare(Declaration(pattern.variable, Role.PATH, Role.PATH))
        for spot in shape.places:
            for name in spot.names():
                self._declare(Declaration(name, Role.NODE, Role.NODE))
        for link in shape.links:
            if isinstance(link, EdgeLink):
                if link.pattern.variable is not None:
                    self._declare(Declaration(link.pattern.variable, Role.EDGE, Role.EDGE))
            else:
                self._add_groups(link)

    def _add_groups(self, link: RepeatedLink) -> None:
        for spot in link.body.places:
            for name in spot.names():
                self._declare(Declaration(name, Role.GROUP, Role.NODE, link))
        for inner in link.body.links:
            assert isinstance(inner, EdgeLink)
            if inner.pattern.variable is not None:
                self._declare(Declaration(inner.pattern.variable, Role.GROUP, Role.EDGE, link))

    def _declare(self, new: Declaration) -> None:
        name = new.name
        key = self._table.fold(name.name)
        known = self.by_name.get(key)
        if known is None:
            self._check_outside(new)
            self.by_name[key] = new
            return
        if Role.PATH in (known.role, new.role):
            raise NotAnElementColumn(name.name, at=name.at)
        if (known.role is Role.GROUP) is not (new.role is Role.GROUP):
            raise QuantifiedAndUnquantified(name.name, at=name.at)
        if known.repetition is not new.repetition:
            raise GroupVariableTwice(name.name, at=name.at)
        if known.kind is not new.kind:
            raise NodeAndEdge(name.name, at=name.at)

    def incoming(self, name: str) -> ElementVariable | None:
        """Return the element of the working table that a pattern declares again, or None."""
        variable = self._table.variable(name)
        if variable is None and self._env.captured is not None:
            variable = self._env.captured.variable(name)
        return variable if isinstance(variable, ElementVariable) else None

    def _check_outside(self, new: Declaration) -> None:
        """Raise AnalysisError if a name of the working table or around it cannot be declared."""
        name = new.name
        tables = [self._table, self._env.captured]
        variables = [table.variable(name.name) for table in tables if table is not None]
        known = next((variable for variable in variables if variable is not None), None)
        if known is not None:
            if new.role in (Role.GROUP, Role.PATH) or not isinstance(known, ElementVariable):
                raise NotAnElementColumn(name.name, at=name.at)
            if known.element.is_edge is not (new.role is Role.EDGE):
                raise NodeAndEdge(name.name, at=name.at)
        elif self._is_element_outside(name):
            raise ElementDefinedOutside(name.name, at=name.at)

    def _is_element_outside(self, name: Identifier) -> bool:
        """Return whether a name denotes an element of a graph query around this one.

        An element that GRAPH_TABLE returns is a column of a table: it does not count.
        """
        key = self._table.fold(name.name)
        scope: Scope | None = self._env.outer
        while scope is not None:
            if key in scope.aliases:
                return isinstance(scope.aliases[key], ElementRelation)
            scope = scope.parent
        return False


def check_prefixes(
    patterns: Iterable[tuple[ast.PathPattern, Shape]], declarations: Declarations
) -> None:
    """Raise InsidePrefix if a pattern uses a variable from within a path under a prefix."""
    patterns = tuple(patterns)
    fold = declarations._table.fold
    for number, (pattern, shape) in enumerate(patterns):
        inside = names_inside_prefix(pattern, shape, fold)
        for position, (_, other) in enumerate(patterns):
            if position == number:
                continue
            for name in names_in(other):
                if fold(name.name) in inside:
                    prefix = str(pattern.prefix).removeprefix("ANY ")
                    raise InsidePrefix(name.name, prefix, at=name.at)


def names_inside_prefix(pattern: ast.PathPattern, shape: Shape, fold: Fold) -> set[str]:
    """Return the folded variables of a path under a prefix, without those of its ends."""
    if pattern.prefix in (None, ast.SearchPrefix.ALL):
        return set()
    ends = [name for place in (shape.places[0], shape.places[-1]) for name in place.names()]
    return {fold(name.name) for name in names_in(shape)} - {fold(name.name) for name in ends}


def names_in(shape: Shape, first: int = 0, last: int | None = None) -> list[Identifier]:
    """Return the variables of a path, or of its links from `first` to before `last`."""
    stop = len(shape.links) if last is None else last
    names = [name for place in shape.places[first : stop + 1] for name in place.names()]
    for link in shape.links[first:stop]:
        if isinstance(link, RepeatedLink):
            names.extend(names_in(link.body))
        elif link.pattern.variable is not None:
            names.append(link.pattern.variable)
    return names


def check_costs(shapes: Iterable[Shape]) -> None:
    """Raise BadCost for a variable that is declared twice and has a cost."""
    for shape in shapes:
        seen: dict[str, bool] = {}
        links = [link for link in shape.links if isinstance(link, EdgeLink)]
        for repeated in shape.links:
            if isinstance(repeated, RepeatedLink):
                links += [each for each in repeated.body.links if isinstance(each, EdgeLink)]
        for link in links:
            name = link.pattern.variable
            if name is None:
                continue
            key = name.name.lower()
            if key in seen and (seen[key] or link.pattern.cost is not None):
                raise BadCost(
                    "Cannot multiply declare variable that previously defined a cost expression "
                    f"in the same path pattern: {name.name}",
                    at=name.at,
                )
            seen[key] = seen.get(key, False) or link.pattern.cost is not None
