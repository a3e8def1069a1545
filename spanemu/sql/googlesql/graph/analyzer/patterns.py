"""The shape of path patterns: nodes and edges in a row, with the nodes that the text leaves out.

    (a)-[e]->-[f]->{1,3}(b)(c)      nodes  (a)    ( )      (b)(c)
                                    links     [e]    [f]{1,3}

Neighbouring node patterns are one node. A subpath without a quantifier is a range of the path; one
with a quantifier is a link of its own, which holds the shape of its body.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace

from spanemu.base.record import dataclass
from spanemu.sql.googlesql.ast import Expression, Identifier
from spanemu.sql.googlesql.graph import ast
from spanemu.sql.googlesql.graph.analyzer.errors import BadBounds, BadCost, BadGraphQuery


@dataclass(slots=True, eq=False)
class Place:
    """A node of a path: the patterns that stand side by side; none if the text leaves it out."""

    patterns: list[ast.NodePattern] = field(default_factory=list)

    def names(self) -> Iterator[Identifier]:
        """Yield the variables of the node."""
        for pattern in self.patterns:
            if pattern.variable is not None:
                yield pattern.variable


@dataclass(slots=True, eq=False)
class EdgeLink:
    """An edge between two nodes of a path."""

    pattern: ast.EdgePattern
    direction: ast.Direction


@dataclass(slots=True, eq=False)
class RepeatedLink:
    """A repeated path between two nodes of a path; `upper` is None without bound."""

    body: Shape
    lower: int
    upper: int | None
    at: int


Link = EdgeLink | RepeatedLink


@dataclass(slots=True, eq=False)
class Range:
    """A subpath without a quantifier: the links from `first` to before `last`."""

    first: int
    last: int
    mode: ast.PathMode | None
    where: Expression | None


@dataclass(slots=True, eq=False)
class Shape:
    """A path: `places[i]` and `places[i + 1]` are the ends of `links[i]`.

    A range over the whole path has the mode of the path itself.
    """

    places: list[Place] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    ranges: list[Range] = field(default_factory=list)

    @property
    def has_repetition(self) -> bool:
        """Return whether a part of the path is repeated."""
        return any(isinstance(link, RepeatedLink) for link in self.links)


def shape_of(pattern: ast.PathPattern) -> Shape:
    """Return the shape of a path pattern. Raise AnalysisError for a pattern that is not allowed."""
    prefix = pattern.prefix
    if prefix is not None and pattern.mode is not None:
        raise BadGraphQuery(
            "Path pattern with path mode and search prefix is not allowed", at=pattern.mode_at
        )
    is_selective = prefix not in (None, ast.SearchPrefix.ALL)
    is_bounded = is_selective or _is_restrictive(pattern.mode)
    shape = _shape(pattern.terms, pattern.mode, None, is_bounded, is_repeated=False)
    _check_node_count(shape, pattern.at)
    if prefix is ast.SearchPrefix.ANY_CHEAPEST:
        _check_costs(shape, pattern.at)
    return shape


def _is_restrictive(mode: ast.PathMode | None) -> bool:
    return mode not in (None, ast.PathMode.WALK)


def _shape(
    terms: Sequence[ast.Term],
    mode: ast.PathMode | None,
    where: Expression | None,
    is_bounded: bool,
    *,
    is_repeated: bool,
) -> Shape:
    maker = _Maker(is_bounded, is_repeated)
    maker.range(terms, mode, where)
    return maker.shape


class _Maker:
    """A maker of one shape, which grows term by term."""

    def __init__(self, is_bounded: bool, is_repeated: bool) -> None:
        self.shape = Shape()
        self._is_bounded = is_bounded
        self._is_repeated = is_repeated
        self._at_node = False  # whether the last term is a node

    def range(
        self, terms: Sequence[ast.Term], mode: ast.PathMode | None, where: Expression | None
    ) -> None:
        """Add terms with their common range, which begins and ends with a node."""
        self._ensure_node()
        first = len(self.shape.links)
        for term in terms:
            self._term(term)
        self._ensure_node()
        if where is not None or _is_restrictive(mode):
            self.shape.ranges.append(Range(first, len(self.shape.links), mode, where))

    def _term(self, term: ast.Term) -> None:
        if isinstance(term, ast.NodePattern):
            if term.cost is not None:
                raise BadCost(
                    "Cost definition is only allowed on a graph edge pattern", at=term.cost_at
                )
            self._ensure_node()
            self.shape.places[-1].patterns.append(term)
        elif isinstance(term, ast.EdgePattern):
            if term.quantifier is None:
                self._link(EdgeLink(term, term.direction))
            else:
                self._repeat((term,), None, None, term.quantifier)
        else:
            assert isinstance(term, ast.Subpath)
            if term.quantifier is not None:
                self._repeat(term.terms, term.mode, term.where, term.quantifier)
                return
            bounded = self._is_bounded
            self._is_bounded = bounded or _is_restrictive(term.mode)
            self.range(term.terms, term.mode, term.where)
            self._is_bounded = bounded

    def _ensure_node(self) -> None:
        if not self._at_node:
            self.shape.places.append(Place())
            self._at_node = True

    def _link(self, link: Link) -> None:
        self._ensure_node()
        self.shape.links.append(link)
        self._at_node = False

    def _repeat(
        self,
        terms: Sequence[ast.Term],
        mode: ast.PathMode | None,
        where: Expression | None,
        quantifier: ast.Quantifier,
    ) -> None:
        if self._is_repeated:
            raise BadGraphQuery("Nested quantifiers are not allowed", at=quantifier.at)
        lower, upper = quantifier.lower, quantifier.upper
        if upper == 0:
            raise BadGraphQuery("Value of upper bound must be greater than zero", at=quantifier.at)
        if upper is None and not self._is_bounded:
            raise BadGraphQuery(
                "Unbounded quantified path pattern is not allowed without a selective search "
                "prefix or a restrictive path mode",
                at=quantifier.at,
            )
        if upper is not None and lower > upper:
            raise BadBounds(lower, upper, at=quantifier.at)
        for bound in (lower, upper or 0):
            if bound > REPETITIONS_MAX:
                raise BadGraphQuery(
                    f"Quantifier bound {bound} is greater than the maximum of {REPETITIONS_MAX}",
                    at=quantifier.at,
                )
        plain = [_without_quantifier(term) for term in terms] if _is_edge(terms) else terms
        body = _shape(plain, mode, where, self._is_bounded, is_repeated=True)
        if not body.links:
            raise BadGraphQuery(
                "Minimum path length of a path-primary within a quantified path pattern cannot "
                "be 0",
                at=quantifier.at,
            )
        self._link(RepeatedLink(body, lower, upper, quantifier.at))


REPETITIONS_MAX = 100  # the depth of paths: graph.md, "Limits"


def _is_edge(terms: Sequence[ast.Term]) -> bool:
    return len(terms) == 1 and isinstance(terms[0], ast.EdgePattern)


def _without_quantifier(term: ast.Term) -> ast.EdgePattern:
    assert isinstance(term, ast.EdgePattern)
    return replace(term, quantifier=None)


def _check_node_count(shape: Shape, at: int) -> None:
    """Raise BadGraphQuery for a path that may have no node at all."""
    has_node = any(place.patterns for place in shape.places)
    is_sure = any(
        isinstance(link, EdgeLink) or (isinstance(link, RepeatedLink) and link.lower > 0)
        for link in shape.links
    )
    if shape.links and not has_node and not is_sure:
        raise BadGraphQuery("Minimum node count of path pattern cannot be 0", at=at)


def _check_costs(shape: Shape, at: int) -> None:
    """Raise BadCost if a cheapest path has no costs, or a repeated edge has none."""
    has_cost = [
        _has_cost(link.body) if isinstance(link, RepeatedLink) else _is_costly(link)
        for link in shape.links
    ]
    if not any(has_cost):
        raise BadCost(
            "CHEAPEST search prefix must include at least one edge cost expression", at=at
        )
    for link in shape.links:
        if isinstance(link, RepeatedLink) and not _has_cost(link.body):
            raise BadCost(
                "Quantified pattern in CHEAPEST must include at least one edge cost expression",
                at=link.at,
            )


def _has_cost(shape: Shape) -> bool:
    return any(isinstance(link, EdgeLink) and _is_costly(link) for link in shape.links)


def _is_costly(link: EdgeLink) -> bool:
    return link.pattern.cost is not None


def reversed_shape(shape: Shape) -> Shape:
    """Return a path as it is walked from its end to its beginning."""
    count = len(shape.links)
    return Shape(
        shape.places[::-1],
        [_reversed_link(link) for link in reversed(shape.links)],
        [
            Range(count - each.last, count - each.first, each.mode, each.where)
            for each in shape.ranges
        ],
    )


_OPPOSITE = {
    ast.Direction.RIGHT: ast.Direction.LEFT,
    ast.Direction.LEFT: ast.Direction.RIGHT,
    ast.Direction.ANY: ast.Direction.ANY,
}


def _reversed_link(link: Link) -> Link:
    if isinstance(link, EdgeLink):
        return EdgeLink(link.pattern, _OPPOSITE[link.direction])
    return RepeatedLink(reversed_shape(link.body), link.lower, link.upper, link.at)
