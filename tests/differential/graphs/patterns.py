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
class Filter:
    """`FILTER condition`: a key of `FILTERS`, about some variables."""

    what: str
    variables: tuple[str, ...]

    def text(self) -> str:
        return f"FILTER {FILTERS[self.what].format(*self.variables)}"


@dataclass(frozen=True)
class For:
    """`FOR variable IN array`: a group variable, or what a path consists of by a function."""

    variable: str
    source: str
    function: str = ""

    def text(self) -> str:
        array = f"{self.function}({self.source})" if self.function else self.source
        return f"FOR {self.variable} IN {array}"


@dataclass(frozen=True)
class Next:
    """`RETURN [DISTINCT] names NEXT`."""

    names: tuple[str, ...]
    distinct: bool = False

    def text(self) -> str:
        return f"RETURN {'DISTINCT ' * self.distinct}{', '.join(self.names)} NEXT"


@dataclass(frozen=True)
class Call:
    """`[OPTIONAL] CALL (variable) {MATCH (variable)-[:label]->(near) RETURN near AS outcome}`."""

    variable: str
    label: str
    outcome: str
    is_optional: bool = False

    def text(self) -> str:
        edge = f"-[:{self.label}]->" if self.label else "->"
        inner = f"MATCH ({self.variable}){edge}(near) RETURN near AS {self.outcome}"
        return f"{'OPTIONAL ' * self.is_optional}CALL ({self.variable}) {{{inner}}}"


# What conditions say, by name; each is TRUE for some rows at most.
FILTERS = {
    "equal": "{0} = {1}",
    "different": "{0} != {1}",
    "source": "{0} IS SOURCE OF {1}",
    "no destination": "{0} IS NOT DESTINATION OF {1}",
    "thing": "{0} IS LABELED Thing & !B",
    "trail": "IS_TRAIL({0})",
    "acyclic": "IS_ACYCLIC({0})",
    "same ends": "PATH_FIRST({0}) = PATH_LAST({0})",
    "leaves": "EXISTS {{ (other)-[:Same]->() WHERE other = {0} }}",
    "reached": "{0} IN {{ MATCH (other)<-[:Other|FromA]-() RETURN other }}",
    "degree": "VALUE {{ MATCH (other)-[]-() WHERE other = {0} RETURN COUNT(*) AS n }} > 1",
    "in group": "{0} IN UNNEST({1})",
    "long group": "ARRAY_LENGTH({0}) > 1",
    "heavy group": "SUM({0}.w) > 3",
    "no property": "NOT PROPERTY_EXISTS({0}, name)",
}

Step = Match | Filter | For | Next | Call


@dataclass(frozen=True)
class Item:
    """A returned value: what of which variable."""

    what: str  # a key of `_ITEMS`
    variable: str


@dataclass(frozen=True)
class GraphQuery:
    """A query of steps, then the items that are returned, all of them keys unless `counts`.

    With `operator`, a set operation with the same query after one more step, `last`.
    """

    steps: tuple[Step, ...]
    items: tuple[Item, ...]
    counts: bool = False
    operator: str = ""
    last: Filter | None = None

    def operand(self) -> GraphQuery | None:
        """Return the second query of the set operation."""
        if self.last is None:
            return None
        return GraphQuery((*self.steps, self.last), self.items, self.counts)

    def text(self) -> str:
        """Return the statement."""
        return f"GRAPH G {self.body()}"

    def table_text(self) -> str:
        """Return the same as a table of a SQL query."""
        return f"SELECT * FROM GRAPH_TABLE(G {self.body()})"

    def body(self) -> str:
        """Return the text behind the graph's name."""
        begun = 1 + max(
            [n for n, step in enumerate(self.steps) if isinstance(step, Next)], default=-1
        )
        before = " ".join([_step_text(step) for step in self.steps[:begun]])
        text = f"{before} {self._last_text(begun)}".strip()
        other = self.operand()
        return text if other is None else f"{text} {self.operator} {other._last_text(begun)}"

    def _last_text(self, begun: int) -> str:
        """Return the text of the steps from one on, and of RETURN."""
        parts = [_step_text(step) for step in self.steps[begun:]]
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


def _step_text(step: Step) -> str:
    return _match_text(step) if isinstance(step, Match) else step.text()


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
