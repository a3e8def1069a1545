"""A graph query as data, and its text.

    Match((PathPattern(None, "ANY SHORTEST", "", (NodePattern("a"), EdgePattern("e", ">"), ...)),))

Terms stand as they are written: nodes may be missing between edges and at both ends.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Condition:
    """A comparison of a property with a constant, `{x: 1}` if `is_filler`, else `WHERE v.x < 1`."""

    name: str
    operator: str
    value: int
    is_filler: bool = False


@dataclass(frozen=True)
class NodePattern:
    """`(v:labels WHERE ...)`; labels are text."""

    variable: str = ""
    labels: str = ""
    condition: Condition | None = None


@dataclass(frozen=True)
class EdgePattern:
    """`-[v:labels WHERE ... COST v.w]->{lower,upper}`; `bounds` without quantifier is None."""

    direction: str  # ">", "<" or "-"
    variable: str = ""
    labels: str = ""
    condition: Condition | None = None
    bounds: tuple[int, int | None] | None = None
    has_cost: bool = False


@dataclass(frozen=True)
class Subpath:
    """`(mode terms WHERE a.x = b.x){lower,upper}`; `same` are two variables with equal `x`."""

    terms: tuple[Term, ...]
    mode: str = ""
    same: tuple[str, str] | None = None
    bounds: tuple[int, int | None] | None = None


Term = NodePattern | EdgePattern | Subpath


@dataclass(frozen=True)
class PathPattern:
    """`p = prefix mode terms`."""

    terms: tuple[Term, ...]
    variable: str = ""
    prefix: str = ""
    mode: str = ""


@dataclass(frozen=True)
class Match:
    """`[OPTIONAL] MATCH patterns [WHERE v.x <= w.x]`."""

    patterns: tuple[PathPattern, ...]
    is_optional: bool = False
    where: tuple[str, str] | None = None


@dataclass(frozen=True)
class Item:
    """A returned value: what of which variable."""

    what: str  # a key of `_ITEMS`
    variable: str


@dataclass(frozen=True)
class GraphQuery:
    """A query of matches, then the items that are returned, all of them keys unless `counts`."""

    matches: tuple[Match, ...]
    items: tuple[Item, ...]
    counts: bool = False

    def text(self) -> str:
        """Return the statement."""
        return f"GRAPH G {self.body()}"

    def table_text(self) -> str:
        """Return the same as a table of a SQL query."""
        return f"SELECT * FROM GRAPH_TABLE(G {self.body()})"

    def body(self) -> str:
        """Return the text behind the graph's name."""
        parts = [_match_text(match) for match in self.matches]
        shown = []
        for number, item in enumerate(self.items):
            text = _ITEMS[item.what].format(v=item.variable)
            if item.what in _HORIZONTAL:
                parts.append(f"LET h{number} = {text}")
                text = f"h{number}"
            shown.append(f"{text} AS c{number}")
        if self.counts:
            shown.append("COUNT(*) AS total")
        return " ".join([*parts, f"RETURN {', '.join(shown)}"])


_NAME = "ELEMENT_DEFINITION_NAME({v}) || '[' || "
_ITEMS = {
    "node": "(" + _NAME + "CAST({v}.id AS STRING) || ']')",
    "table": "ELEMENT_DEFINITION_NAME({v})",
    "x": "{v}.x",
    "w": "{v}.w",
    "group length": "ARRAY_LENGTH({v})",
    "group tables": "ARRAY_TRANSFORM({v}, each -> ELEMENT_DEFINITION_NAME(each))",
    "group sum": "SUM({v}.w)",
    "path length": "PATH_LENGTH({v})",
    "path tables": "ARRAY_TRANSFORM(NODES({v}), each -> ELEMENT_DEFINITION_NAME(each))",
    "labels": "ARRAY_TO_STRING(LABELS({v}), ',')",
}

_HORIZONTAL = frozenset({"group sum"})  # aggregates of an array, which RETURN does not have
GROUPABLE = frozenset({"node", "table", "x", "w", "group length", "group sum", "path length"})


def _match_text(match: Match) -> str:
    head = "OPTIONAL MATCH" if match.is_optional else "MATCH"
    text = f"{head} {', '.join([_path_text(each) for each in match.patterns])}"
    if match.where is not None:
        text += f" WHERE {match.where[0]}.x <= {match.where[1]}.x"
    return text


def _path_text(path: PathPattern) -> str:
    name = f"{path.variable} = " if path.variable else ""
    words = " ".join([word for word in (path.prefix, path.mode) if word])
    return f"{name}{words} {_terms_text(path.terms)}".strip()


def _terms_text(terms: tuple[Term, ...]) -> str:
    return " ".join([_term_text(term) for term in terms])  # "--" between edges is a comment


def _term_text(term: Term) -> str:
    if isinstance(term, NodePattern):
        return f"({_filler(term.variable, term.labels, term.condition)})"
    if isinstance(term, EdgePattern):
        inside = _filler(term.variable, term.labels, term.condition)
        if term.has_cost:
            inside += f" COST {term.variable}.w"
        left, right = {">": ("-", "->"), "<": ("<-", "-"), "-": ("-", "-")}[term.direction]
        return f"{left}[{inside}]{right}{_bounds(term.bounds)}"
    where = f" WHERE {term.same[0]}.x = {term.same[1]}.x" if term.same else ""
    mode = f"{term.mode} " if term.mode else ""
    return f"({mode}{_terms_text(term.terms)}{where}){_bounds(term.bounds)}"


def _filler(variable: str, labels: str, condition: Condition | None) -> str:
    text = variable + (f":{labels}" if labels else "")
    if condition is None:
        return text
    if condition.is_filler:
        return f"{text} {{{condition.name}: {condition.value}}}"
    return f"{text} WHERE {variable}.{condition.name} {condition.operator} {condition.value}"


def _bounds(bounds: tuple[int, int | None] | None) -> str:
    if bounds is None:
        return ""
    lower, upper = bounds
    if upper is None:
        return {0: "*", 1: "+"}.get(lower, f"{{{lower},}}")
    return f"{{{lower}}}" if lower == upper else f"{{{lower},{upper}}}"
