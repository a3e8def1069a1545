"""Random graph queries that have one right answer.

Where a prefix chooses among paths, a query returns only what all choices share: the ends, the
length of a shortest path, the cost of a cheapest one.
"""

from __future__ import annotations

from random import Random

from tests.differential.graphs.patterns import (
    GROUPABLE,
    Call,
    Condition,
    EdgePattern,
    Filter,
    For,
    GraphQuery,
    Item,
    Match,
    Next,
    NodePattern,
    PathPattern,
    Step,
    Subpath,
    Term,
)

_NODE_LABELS = ("", "", "", "A", "B", "Thing", "A|B", "!B", "Thing&!A", "%")
_EDGE_LABELS = ("", "", "", "Same", "Other", "FromA", "Same|Other", "FromA&Other", "!FromA", "%")
_BOUNDS: tuple[tuple[int, int | None], ...] = (
    (0, 1),
    (0, 2),
    (1, 2),
    (1, 3),
    (2, 2),
    (1, 1),
    (2, 3),
)


class Generator:
    """A generator of one query."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._count = 0
        # Variables by what they denote. Later patterns may repeat single nodes.
        self._nodes: list[str] = []
        self._edges: list[str] = []
        self._node_groups: list[str] = []
        self._edge_groups: list[str] = []
        self._paths: list[str] = []
        self._items: list[Item] = []

    def query(self) -> GraphQuery:
        """Return the query."""
        steps: list[Step] = [self._match(is_optional=False)]
        if self._chance(0.3):
            steps.append(self._match(is_optional=self._chance(0.6)))
        if not self._items:
            self._nodes.append("z")
            steps.append(Match((PathPattern((NodePattern("z"),)),)))
            self._items.append(Item("node", "z"))
        for _ in range(self._random.choice((0, 0, 0, 1, 1, 2, 3))):
            step = self._step()
            if step is not None:
                steps.append(step)
        self._random.shuffle(self._items)
        items = tuple(self._items[:5])
        counts = self._chance(0.2) and all(item.what in GROUPABLE for item in items)
        last = self._filter() if self._chance(0.12) else None
        operator = "" if last is None else self._operator(items)
        return GraphQuery(tuple(steps), items, counts, operator, last)

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _new(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"

    # ------------------------------------------------------------------ statements

    def _match(self, *, is_optional: bool) -> Match:
        count = 2 if self._chance(0.25) else 1
        patterns = tuple([self._path(may_choose=count == 1) for _ in range(count)])
        where = None
        if len(self._nodes) > 1 and self._chance(0.2):
            first, second = self._random.sample(self._nodes, 2)
            where = (first, second)
        return Match(patterns, is_optional, where)

    def _step(self) -> Step | None:
        """Return a step after the first patterns, or None where there is nothing for its kind."""
        kind = self._random.random()
        if kind < 0.4:
            return self._filter()
        if kind < 0.55:
            return self._for()
        if kind < 0.75:
            return self._next()
        if kind < 0.9:
            return self._call()
        return self._match(is_optional=self._chance(0.5))

    def _filter(self) -> Filter | None:
        pick = self._random.choice
        possible: list[Filter] = []
        if self._nodes:
            what = pick(("thing", "leaves", "reached", "degree", "no property"))
            possible.append(Filter(what, (pick(self._nodes),)))
        if len(self._nodes) > 1:
            pair = tuple(self._random.sample(self._nodes, 2))
            possible.append(Filter(pick(("equal", "different")), pair))
        if self._nodes and self._edges:
            what = pick(("source", "no destination"))
            possible.append(Filter(what, (pick(self._nodes), pick(self._edges))))
        if self._nodes and self._node_groups:
            possible.append(Filter("in group", (pick(self._nodes), pick(self._node_groups))))
        if self._edge_groups:
            what = pick(("long group", "heavy group"))
            possible.append(Filter(what, (pick(self._edge_groups),)))
        if self._paths:
            possible.append(Filter(pick(("trail", "acyclic", "same ends")), (pick(self._paths),)))
        return pick(possible) if possible else None

    def _for(self) -> For | None:
        """Return a FOR over the elements of a group or of a path."""
        arrays = [(name, "") for name in (*self._node_groups, *self._edge_groups)]
        arrays += [(name, function) for name in self._paths for function in ("NODES", "EDGES")]
        if not arrays:
            return None
        source, function = self._random.choice(arrays)
        is_edge = function == "EDGES" or source in self._edge_groups
        variable = self._new("v")
        (self._edges if is_edge else self._nodes).append(variable)
        self._items.append(Item("w" if is_edge else "node", variable))
        return For(variable, source, function)

    def _next(self) -> Next:
        """Return RETURN and NEXT with the variables that are returned at the end, and others."""
        lists = (self._nodes, self._edges, self._node_groups, self._edge_groups, self._paths)
        needed = dict.fromkeys([item.variable for item in self._items])
        others = [name for known in lists for name in known if name not in needed]
        names = [*needed, *[name for name in others if self._chance(0.5)]]
        self._random.shuffle(names)
        is_distinct = {*names} <= {*self._nodes, *self._edges} and self._chance(0.4)
        for known in lists:
            known[:] = [name for name in known if name in names]
        return Next(tuple(names), is_distinct)

    def _call(self) -> Call | None:
        if not self._nodes:
            return None
        begun, outcome = self._random.choice(self._nodes), self._new("n")
        self._nodes.append(outcome)
        self._items.append(Item(self._random.choice(("node", "x", "table")), outcome))
        label = self._random.choice(("", "Same", "Other", "FromA"))
        return Call(begun, label, outcome, self._chance(0.4))

    def _operator(self, items: tuple[Item, ...]) -> str:
        if any(item.what not in GROUPABLE for item in items):
            return "UNION ALL"
        name = self._random.choice(("UNION", "INTERSECT", "EXCEPT"))
        return f"{name} {self._random.choice(('ALL', 'DISTINCT'))}"

    def _path(self, *, may_choose: bool) -> PathPattern:
        kind = self._random.random()
        if may_choose and kind < 0.25:
            return self._chosen_path()
        mode = self._random.choice(("", "", "", "WALK", "TRAIL", "ACYCLIC"))
        variable = self._new("p") if self._chance(0.3) else ""
        size = self._random.choice((0, 1, 1, 1, 2, 2, 3))
        terms = self._terms(size, is_restricted=mode in ("TRAIL", "ACYCLIC"))
        if variable:
            self._items.append(Item(self._random.choice(("path length", "path tables")), variable))
            self._paths.append(variable)
        return PathPattern(terms, variable, "", mode)

    def _chosen_path(self) -> PathPattern:
        """Return a pattern with a search prefix: its quantified edge between two nodes."""
        prefix = self._random.choice(("ANY", "ANY SHORTEST", "ANY CHEAPEST"))
        edge = self._new("e")
        bounds = self._random.choice((*_BOUNDS, (0, None), (1, None), (2, None)))
        if prefix == "ANY CHEAPEST" and bounds[1] is None:
            bounds = (bounds[0], 4)  # so that the enumeration ends
        direction = self._random.choice("><-")
        labels = self._random.choice(_EDGE_LABELS)
        middle = EdgePattern(
            direction, edge, labels, self._edge_condition(edge), bounds, prefix == "ANY CHEAPEST"
        )
        first, last = self._node(), self._node()
        if prefix == "ANY SHORTEST":
            self._items.append(Item("group length", edge))
        elif prefix == "ANY CHEAPEST":
            self._items.append(Item("group sum", edge))
        return PathPattern((first, middle, last), "", prefix)

    # ------------------------------------------------------------------ terms

    def _terms(self, size: int, *, is_restricted: bool) -> tuple[Term, ...]:
        terms: list[Term] = [self._node()]
        for _ in range(size):
            terms.append(self._link(is_restricted))
            if isinstance(terms[-1], Subpath) or self._chance(0.8):
                terms.append(self._node())
        return tuple(terms)

    def _node(self) -> NodePattern:
        if self._nodes and self._chance(0.2):
            return NodePattern(self._random.choice(self._nodes))
        variable = self._new("n") if self._chance(0.75) else ""
        if variable:
            self._nodes.append(variable)
            what = self._random.choice(("node", "node", "node", "x", "table", "labels"))
            self._items.append(Item(what, variable))
        condition = self._condition("x", variable) if self._chance(0.25) else None
        return NodePattern(variable, self._random.choice(_NODE_LABELS), condition)

    def _link(self, is_restricted: bool) -> Term:
        kind = self._random.random()
        if kind < 0.2:
            return self._body()
        bounds = self._bounds(is_restricted) if kind < 0.5 else None
        variable = self._new("e") if self._chance(0.6) else ""
        if variable:
            groups = ("group length", "group tables", "group sum")
            single = ("table", "w", "labels")
            self._items.append(Item(self._random.choice(groups if bounds else single), variable))
            (self._edge_groups if bounds else self._edges).append(variable)
        return EdgePattern(
            self._random.choice(">><-"),
            variable,
            self._random.choice(_EDGE_LABELS),
            self._edge_condition(variable),
            bounds,
        )

    def _bounds(self, is_restricted: bool) -> tuple[int, int | None]:
        if is_restricted and self._chance(0.25):
            return self._random.choice(((0, None), (1, None), (2, None)))
        return self._random.choice(_BOUNDS)

    def _edge_condition(self, variable: str) -> Condition | None:
        return self._condition("w", variable) if self._chance(0.25) else None

    def _condition(self, name: str, variable: str) -> Condition | None:
        value = self._random.randint(1, 4)
        if self._chance(0.4) or not variable:
            return Condition(name, "=", value, is_filler=True)
        return Condition(name, self._random.choice(("=", "<", ">=", "!=")), value)

    def _body(self) -> Subpath:
        """Return a subpath of one or two edges, quantified or not."""
        nodes = [self._new("m") for _ in range(self._random.choice((2, 2, 3)))]
        terms: list[Term] = [NodePattern(nodes[0], self._random.choice(_NODE_LABELS))]
        for node in nodes[1:]:
            edge = self._new("e") if self._chance(0.4) else ""
            labels = self._random.choice(_EDGE_LABELS)
            terms.append(EdgePattern(self._random.choice(">><-"), edge, labels))
            terms.append(NodePattern(node, self._random.choice(_NODE_LABELS)))
        bounds = self._random.choice((*_BOUNDS[:5], None))
        same = (nodes[0], nodes[-1]) if self._chance(0.3) else None
        mode = self._random.choice(("", "", "TRAIL", "ACYCLIC"))
        what = "group tables" if bounds else "node"
        self._items.append(Item(what, nodes[-1]))
        (self._node_groups if bounds else self._nodes).append(nodes[-1])
        return Subpath(tuple(terms), mode, same, bounds)


def random_query(seed: int) -> GraphQuery:
    """Return the query of a seed."""
    return Generator(seed).query()
