"""The meaning of a graph query: every match, by trying everything.

Nothing here is clever, and nothing is taken from the engine. A path is the tuple of its elements; a
binding maps variables to elements, group variables to tuples of elements, path variables to paths.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from tests.differential.graphs.patterns import (
    Call,
    Condition,
    EdgePattern,
    Filter,
    For,
    GraphQuery,
    Item,
    Match,
    NodePattern,
    PathPattern,
    Step,
    Subpath,
    Term,
)
from tests.differential.graphs.world import Element, Graph

Binding = dict[str, Any]
Path = tuple[Element, ...]
Matched = tuple[Binding, Path]
Rows = Counter[tuple[Any, ...]]
Guard = tuple[str, int]  # a mode, and where in the path it begins

# What label expressions mean, by their text.
LABEL_EXPRESSIONS: Mapping[str, Callable[[frozenset[str]], bool]] = {
    "": lambda labels: True,
    "%": lambda labels: True,
    "A": lambda labels: "A" in labels,
    "B": lambda labels: "B" in labels,
    "Thing": lambda labels: "Thing" in labels,
    "A|B": lambda labels: "A" in labels or "B" in labels,
    "!B": lambda labels: "B" not in labels,
    "Thing&!A": lambda labels: "Thing" in labels and "A" not in labels,
    "Same": lambda labels: "Same" in labels,
    "Other": lambda labels: "Other" in labels,
    "FromA": lambda labels: "FromA" in labels,
    "Same|Other": lambda labels: "Same" in labels or "Other" in labels,
    "FromA&Other": lambda labels: "FromA" in labels and "Other" in labels,
    "!FromA": lambda labels: "FromA" not in labels,
}


PATHS_MAX, PAIRS_MAX, ROWS_MAX = 20_000, 1_000_000, 20_000


class TooMany(Exception):
    """The answer to a query takes too long to enumerate."""


def answer(query: GraphQuery, graph: Graph) -> Rows:
    """Count the rows of a query. Raise TooMany if they are too many."""
    rows: list[Binding] = [{}]
    for step in query.steps:
        rows = list(islice(_stepped(step, rows, graph), ROWS_MAX + 1))
        if len(rows) > ROWS_MAX:
            raise TooMany()
    values = Counter(tuple([_value(item, row) for item in query.items]) for row in rows)
    if query.counts:
        values = Counter((*row, count) for row, count in values.items())
    other = query.operand()
    return values if other is None else _combined(query.operator, values, answer(other, graph))


def _combined(operator: str, first: Rows, second: Rows) -> Rows:
    """Return the rows of a set operation."""
    name, kept = operator.split()
    if kept == "DISTINCT":
        first, second = Counter(set(first)), Counter(set(second))
    if name == "UNION":
        return first | second if kept == "DISTINCT" else first + second
    return first & second if name == "INTERSECT" else first - second


def _stepped(step: Step, rows: list[Binding], graph: Graph) -> Iterator[Binding]:
    """Yield the rows after a step."""
    seen: set[tuple[Any, ...]] = set()
    for row in rows:
        if isinstance(step, Match):
            yield from _joined(step, row, graph)
        elif isinstance(step, Filter):
            if _HOLDS[step.what](graph, *[row[name] for name in step.variables]):
                yield row
        elif isinstance(step, For):
            array = _FUNCTIONS[step.function](row[step.source] or ())
            yield from ({**row, step.variable: element} for element in array)
        elif isinstance(step, Call):
            yield from _called(step, row, graph)
        else:
            kept = {name: row[name] for name in step.names}
            if not step.distinct or tuple(kept.values()) not in seen:
                yield kept
            seen.add(tuple(kept.values()) if step.distinct else ())


def _called(call: Call, row: Binding, graph: Graph) -> Iterator[Binding]:
    begun = row[call.variable]
    reached = [
        edge.destination
        for edge in graph.edges
        if edge.source == begun and call.label in ("", *edge.labels)
    ]
    if call.is_optional and not reached:
        yield {**row, call.outcome: None}
    yield from ({**row, call.outcome: node} for node in reached)


_FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "": tuple,
    "NODES": lambda path: path[::2],
    "EDGES": lambda path: path[1::2],
}


# Whether a condition is TRUE; NULL, which is no condition here, makes each of them not TRUE.
_HOLDS: Mapping[str, Callable[..., bool]] = {
    "equal": lambda _, a, b: a is not None and a == b,
    "different": lambda _, a, b: a is not None and b is not None and a != b,
    "source": lambda _, n, e: n is not None and e is not None and e.source == n,
    "no destination": lambda _, n, e: n is not None and e is not None and e.destination != n,
    "thing": lambda _, n: n is not None and n.labels >= {"Thing"} and "B" not in n.labels,
    "trail": lambda _, p: p is not None and _is_set(p[1::2]),
    "acyclic": lambda _, p: p is not None and _is_set(p[::2]),
    "same ends": lambda _, p: p is not None and p[0] == p[-1],
    "leaves": lambda graph, n: _has_edge(graph, n, "source", {"Same"}),
    "reached": lambda graph, n: _has_edge(graph, n, "destination", {"Other", "FromA"}),
    "degree": lambda graph, n: _degree(graph, n) > 1,
    "in group": lambda _, n, group: n is not None and n in (group or ()),
    "long group": lambda _, group: len(group or ()) > 1,
    "heavy group": lambda _, group: sum([e.get("w") or 0 for e in group or ()]) > 3,
    "no property": lambda _, n: n is not None and n.table != "A",
}


def _is_set(elements: Path) -> bool:
    return len(set(elements)) == len(elements)


def _has_edge(graph: Graph, node: Element | None, end: str, labels: set[str]) -> bool:
    edges = [each for each in graph.edges if each.labels & labels]
    return node is not None and any(getattr(each, end) == node for each in edges)


def _degree(graph: Graph, node: Element | None) -> int:
    """Return how often an edge in any direction is matched at a node: a loop once."""
    return sum([node is not None and node in (e.source, e.destination) for e in graph.edges])


def _value(item: Item, row: Binding) -> Any:
    bound = row[item.variable]
    if item.what == "group sum":
        known = [each.get("w") for each in bound or () if each.get("w") is not None]
        return sum(known) if known else None
    return None if bound is None else _VALUES[item.what](bound)


_VALUES: Mapping[str, Callable[[Any], Any]] = {
    "node": lambda bound: f"{bound.table}[{bound.key[0]}]",
    "table": lambda bound: bound.table,
    "x": lambda bound: bound.get("x"),
    "w": lambda bound: bound.get("w"),
    "group length": len,
    "group tables": lambda bound: tuple([each.table for each in bound]),
    "path length": lambda bound: len(bound) // 2,
    "path tables": lambda bound: tuple([each.table for each in bound[::2]]),
    "labels": lambda bound: ",".join(sorted(bound.labels, key=str.lower)),
}


def _joined(match: Match, row: Binding, graph: Graph) -> list[Binding]:
    """Return the rows that a MATCH makes of one row."""
    result = [row]
    for pattern in match.patterns:
        everything = list(islice(_paths(pattern, graph), PATHS_MAX + 1))
        paths = _selected(pattern, everything)
        if len(everything) > PATHS_MAX or len(paths) * len(result) > PAIRS_MAX:
            raise TooMany()
        result = [
            merged
            for before in result
            for binding, _ in paths
            if (merged := _merged(before, binding)) is not None
        ]
    if len(result) > ROWS_MAX:
        raise TooMany()
    if match.where is not None:
        first, second = match.where
        result = [each for each in result if _at_most(each[first], each[second])]
    if not result and match.is_optional:
        missing = dict.fromkeys(variables_of(match))
        return [{**missing, **row}]
    return result


def _at_most(first: Element | None, second: Element | None) -> bool:
    a = None if first is None else first.get("x")
    b = None if second is None else second.get("x")
    return a is not None and b is not None and a <= b


def _merged(first: Binding, second: Binding) -> Binding | None:
    """Return both bindings, or None where they disagree; NULL agrees with nothing."""
    for name in first.keys() & second.keys():
        if first[name] is None or first[name] != second[name]:
            return None
    return {**first, **second}


def variables_of(match: Match) -> set[str]:
    """Return the variables that a MATCH declares."""
    names: set[str] = set()
    pending: list[Any] = [*match.patterns]
    while pending:
        item = pending.pop()
        if not isinstance(item, Subpath):
            names.add(item.variable)
        pending.extend(getattr(item, "terms", ()))
    return names - {""}


def _selected(pattern: PathPattern, paths: list[Matched]) -> list[Matched]:
    """Return the paths that the prefix keeps: one of the best between each two ends."""
    if pattern.prefix in ("", "ALL"):
        return paths
    best: dict[tuple[Element, Element], Matched] = {}
    for matched in paths:
        ends = matched[1][0], matched[1][-1]
        if ends not in best or _cost(pattern, matched[1]) < _cost(pattern, best[ends][1]):
            best[ends] = matched
    return list(best.values())


def _cost(pattern: PathPattern, path: Path) -> int:
    if pattern.prefix == "ANY CHEAPEST":
        return sum([edge.get("w") for edge in path[1::2]])
    return len(path)


def _paths(pattern: PathPattern, graph: Graph) -> Iterator[Matched]:
    guards = [(pattern.mode, 0)] if pattern.mode else []
    for node in graph.nodes:
        for binding, path in _walk(pattern.terms, (node,), guards, graph):
            if pattern.variable:
                binding = {**binding, pattern.variable: path}
            yield binding, path


def _walk(
    terms: tuple[Term, ...], path: Path, guards: list[Guard], graph: Graph
) -> Iterator[Matched]:
    """Yield all ways to go on from a path by the terms, with the variables of the terms."""
    pending: list[tuple[int, Binding, Path]] = [(0, {}, path)]
    while pending:
        position, binding, here = pending.pop()
        if position == len(terms):
            yield binding, here
            continue
        for more, further in _term(terms[position], here, guards, graph):
            merged = _merged(binding, more)
            if merged is not None:
                pending.append((position + 1, merged, further))


def _term(term: Term, path: Path, guards: list[Guard], graph: Graph) -> Iterator[Matched]:
    if isinstance(term, NodePattern):
        if _fits(term.labels, term.condition, path[-1]):
            yield _bound(term.variable, path[-1]), path
    elif isinstance(term, Subpath):
        yield from _copies(term, path, guards, graph)
    elif term.bounds is not None:
        plain = EdgePattern(term.direction, term.variable, term.labels, term.condition)
        yield from _copies(Subpath((plain,), bounds=term.bounds), path, guards, graph)
    else:
        for edge, node in _neighbours(path[-1], term.direction, graph):
            further = (*path, edge, node)
            if _fits(term.labels, term.condition, edge) and _allowed(further, guards):
                yield _bound(term.variable, edge), further


def _bound(variable: str, element: Element) -> Binding:
    return {variable: element} if variable else {}


def _fits(labels: str, condition: Condition | None, element: Element) -> bool:
    if not LABEL_EXPRESSIONS[labels](element.labels):
        return False
    if condition is None:
        return True
    value = element.get(condition.name)
    return value is not None and _COMPARISONS[condition.operator](value, condition.value)


_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "=": lambda a, b: a == b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    "!=": lambda a, b: a != b,
}


def _neighbours(node: Element, direction: str, graph: Graph) -> Iterator[tuple[Element, Element]]:
    """Yield each edge at a node that may be taken in a direction, with the node behind it."""
    for edge in graph.edges:
        assert edge.source is not None
        assert edge.destination is not None
        if direction in (">", "-") and edge.source == node:
            yield edge, edge.destination
        is_loop = edge.source == edge.destination
        if direction in ("<", "-") and edge.destination == node:
            if direction == "-" and is_loop:
                continue
            yield edge, edge.source


def _allowed(path: Path, guards: list[Guard]) -> bool:
    for mode, start in guards:
        elements = path[start + 1 :: 2] if mode == "TRAIL" else path[start::2]
        if len(set(elements)) < len(elements) and mode != "WALK":
            return False
    return True


def _copies(term: Subpath, path: Path, guards: list[Guard], graph: Graph) -> Iterator[Matched]:
    """Yield a subpath, once or as often as its quantifier says."""
    if term.bounds is None:
        yield from _once(term, path, guards, graph)
        return
    lower, upper = term.bounds
    if upper is None:
        # A shortest path, or one without repetition, needs no more copies.
        upper = lower + len(graph.nodes) + (len(graph.edges) if _has_trail(term, guards) else 0)
    names = variables_of(Match((PathPattern(term.terms),)))
    pending: list[tuple[int, Binding, Path]] = [(0, dict.fromkeys(names, ()), path)]
    while pending:
        count, groups, here = pending.pop()
        if count >= lower:
            yield groups, here
        if count < upper:
            for binding, further in _once(term, here, guards, graph):
                longer = {name: (*groups[name], binding[name]) for name in names}
                pending.append((count + 1, longer, further))


def _has_trail(term: Subpath, guards: list[Guard]) -> bool:
    return any(mode == "TRAIL" for mode, _ in guards)


def _once(term: Subpath, path: Path, guards: list[Guard], graph: Graph) -> Iterator[Matched]:
    inner = [*guards, (term.mode, len(path) - 1)] if term.mode else guards
    for binding, further in _walk(term.terms, path, inner, graph):
        if term.same is not None:
            values = [binding[name].get("x") for name in term.same]
            if None in values or values[0] != values[1]:
                continue
        yield binding, further
