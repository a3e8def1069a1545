"""Path scans against an enumeration of all paths, over small random graphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from spanemu.sql import resolved as r
from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.resolved import PathMode, PathPrefix
from spanemu.values.graph import Element
from tests.unit.sql.executor.operators.path_world import (
    ACCOUNTS,
    SHOPS,
    any_hop,
    column,
    end_place,
    equal,
    group,
    hop,
    lit,
    path_type_of_world,
    reader_of,
    ref,
    rows_of,
    start_at,
    step,
)

Rows = dict[str, list[Any]]


def random_rows(random: Random) -> Rows:
    """Return accounts, shops and edges between them; some edges lead to a missing node."""
    accounts, shops = range(random.randint(1, 4)), range(random.randint(0, 2))
    rows: Rows = {
        "Account": [(number, f"a{number}") for number in accounts],
        "Shop": [("Bonn", number) for number in shops],
        "Transfer": [],
        "Payment": [],
        "Refund": [],
    }
    for n in range(random.randint(0, 7)):
        rows["Transfer"].append(
            (random.choice(accounts), n, random.randint(0, len(accounts)), random.randint(1, 9))
        )
    for n in range(random.randint(0, 3)):
        shop = random.randint(0, len(shops))
        rows["Payment"].append((random.choice(accounts), n, "Bonn", shop, random.randint(1, 9)))
        rows["Refund"].append(("Bonn", shop, n, random.choice(accounts), random.randint(1, 9)))
    return rows


# An edge as the enumeration sees it: identity, source, destination, amount.
Edge = tuple[Any, Any, Any, int]


def edges_of(rows: Rows) -> list[Edge]:
    nodes = {("Account", row[0]) for row in rows["Account"]}
    nodes |= {("Shop", *row) for row in rows["Shop"]}
    edges: list[Edge] = [
        (("Transfer", *row[:2]), ("Account", row[0]), ("Account", row[2]), row[3])
        for row in rows["Transfer"]
    ]
    edges += [
        (("Payment", *row[:2]), ("Account", row[0]), ("Shop", *row[2:4]), row[4])
        for row in rows["Payment"]
    ]
    edges += [
        (("Refund", *row[:3]), ("Shop", *row[:2]), ("Account", row[3]), row[4])
        for row in rows["Refund"]
    ]
    return [edge for edge in edges if edge[1] in nodes and edge[2] in nodes]


# A path: its nodes, and its edges.
Path = tuple[tuple[Any, ...], tuple[Edge, ...]]


def walks(edges: list[Edge], start: Any, direction: str, longest: int) -> Iterator[Path]:
    """Yield all walks of up to `longest` edges."""
    pending: list[Path] = [((start,), ())]
    while pending:
        nodes, taken = pending.pop()
        yield nodes, taken
        if len(taken) == longest:
            continue
        for edge in edges:
            if direction in (">", "-") and edge[1] == nodes[-1]:
                pending.append(((*nodes, edge[2]), (*taken, edge)))
            if direction in ("<", "-") and edge[2] == nodes[-1]:
                if direction == "-" and edge[1] == edge[2]:
                    continue
                pending.append(((*nodes, edge[1]), (*taken, edge)))


def allowed(mode: PathMode, path: Path) -> bool:
    nodes, taken = path
    names = [edge[0] for edge in taken]
    if mode is PathMode.TRAIL:
        return len(set(names)) == len(names)
    if mode is PathMode.ACYCLIC:
        return len(set(nodes)) == len(nodes)
    if mode is PathMode.SIMPLE:
        inside = nodes[1:] if len(nodes) > 1 and nodes[0] == nodes[-1] else nodes
        return len(set(inside)) == len(inside)
    return True


def identity(element: Element) -> Any:
    return (element.table.name, *element.key)


CASES = [
    (lower, upper, direction, mode)
    for lower, upper in ((0, 1), (1, 1), (0, 3), (1, 3), (2, 3), (2, 2))
    for direction in "><-"
    for mode in PathMode
]


@pytest.mark.parametrize(("lower", "upper", "direction", "mode"), CASES)
def test_all_paths_are_found_once(lower, upper, direction, mode):
    random = Random(f"{lower} {upper} {direction} {mode}")
    for _ in range(4):
        rows = random_rows(random)
        hop = any_hop(direction)
        location, end = end_place()
        edges, amounts = group(hop.columns[1]), group(hop.columns[0])
        segment = r.PathSegment((hop,), lower, upper, (), (edges, amounts), location)
        path = column("p", path_type_of_world())
        starts, start = start_at(0)
        scan = r.PathScan(
            starts,
            start,
            (segment,),
            scopes=() if mode is PathMode.WALK else (r.PathScope(0, 0, mode),),
            path=path,
            first_element=start,
            elements=(((hop.columns[1], hop.columns[2]),),),
        )
        result = Counter(
            (
                identity(last),
                tuple(map(identity, taken)),
                tuple(each_amount),
                tuple(map(identity, whole)),
            )
            for last, taken, each_amount, whole in rows_of(
                scan, end, edges[0], amounts[0], path, reader=reader_of(rows)
            )
        )
        expected: Counter[Any] = Counter()
        for nodes, taken in walks(edges_of(rows), ("Account", 0), direction, upper):
            if len(taken) >= lower and allowed(mode, (nodes, taken)):
                names = tuple(edge[0] for edge in taken)
                whole = [nodes[0]]
                for edge, node in zip(names, nodes[1:], strict=True):
                    whole += (edge, node)
                expected[nodes[-1], names, tuple(edge[3] for edge in taken), tuple(whole)] += 1
        assert result == expected


@pytest.mark.parametrize("direction", "><-")
@pytest.mark.parametrize(("lower", "upper"), [(0, 2), (1, 4), (2, 4), (3, 3), (1, None)])
@pytest.mark.parametrize(
    "prefix", [PathPrefix.ANY, PathPrefix.ANY_SHORTEST, PathPrefix.ANY_CHEAPEST]
)
@pytest.mark.parametrize("has_end", [False, True])
def test_a_search_finds_one_best_path_to_each_node(direction, lower, upper, prefix, has_end):
    random = Random(f"{lower} {upper} {direction} {prefix}")
    for _ in range(6):
        rows = random_rows(random)
        hop = any_hop(direction, costs=prefix is PathPrefix.ANY_CHEAPEST)
        location, end = end_place()
        amounts = group(hop.columns[0])
        segment = r.PathSegment((hop,), lower, upper, (), (amounts,), location)
        starts, start = start_at(0)
        expected = None
        if has_end:
            number = column("finish")
            starts = r.ProjectScan(starts, ((number, lit(1)),))
            expected = r.MakeElement(start.type, ACCOUNTS, (ref(number),))
        scan = r.PathScan(starts, start, (segment,), prefix, expected)
        best: dict[Any, int] = {}
        longest = 5 if upper is None else upper
        for nodes, taken in walks(edges_of(rows), ("Account", 0), direction, longest):
            if len(taken) < lower or (has_end and nodes[-1] != ("Account", 1)):
                continue
            cost = (
                sum(edge[3] for edge in taken) if prefix is PathPrefix.ANY_CHEAPEST else len(taken)
            )
            best[nodes[-1]] = min(cost, best.get(nodes[-1], cost))
        result = rows_of(scan, end, amounts[0], reader=reader_of(rows))
        assert Counter(identity(last) for last, _ in result) == dict.fromkeys(best, 1)
        for last, item in result:
            if prefix is PathPrefix.ANY_SHORTEST:
                assert len(item) == best[identity(last)]
            elif prefix is PathPrefix.ANY_CHEAPEST:
                assert sum(item) == best[identity(last)]


def test_segments_follow_each_other_and_places_decide():
    rows: Rows = {
        "Account": [(0, "x"), (1, "y"), (2, "z")],
        "Shop": [("Bonn", 7)],
        "Transfer": [(0, 1, 1, 5), (1, 1, 2, 6)],
        "Payment": [(1, 1, "Bonn", 7, 4), (2, 1, "Bonn", 7, 3)],
        "Refund": [("Bonn", 7, 1, 0, 2)],
    }
    first, second = any_hop(), any_hop()
    middle, at_middle = end_place(ACCOUNTS)
    last, at_last = end_place(SHOPS)
    starts, start = start_at(0)
    scan = r.PathScan(
        starts,
        start,
        (
            r.PathSegment((first,), 0, 2, place=middle),
            r.PathSegment((second,), 1, 1, place=last),
        ),
    )
    result = rows_of(scan, at_middle, second.columns[0], at_last, reader=reader_of(rows))
    assert sorted((identity(a), amount, identity(b)) for a, amount, b in result) == [
        (("Account", 1), 4, ("Shop", "Bonn", 7)),
        (("Account", 2), 3, ("Shop", "Bonn", 7)),
    ]


def test_a_condition_on_a_copy_sees_all_of_its_hops():
    rows: Rows = {
        "Account": [(0, "x"), (1, "y"), (2, "z")],
        "Transfer": [(0, 1, 1, 5), (0, 2, 1, 6), (1, 1, 2, 5), (2, 1, 0, 1), (2, 2, 0, 9)],
    }
    first, second = any_hop(), any_hop()
    location, end = end_place()
    same = equal(ref(first.columns[0]), ref(second.columns[0]))
    amounts = group(second.columns[0])
    starts, start = start_at(0)
    segment = r.PathSegment(
        (first, second), 1, 2, (r.PathScope(0, 1, condition=same),), (amounts,), location
    )
    scan = r.PathScan(starts, start, (segment,))
    result = rows_of(scan, end, amounts[0], reader=reader_of(rows))
    assert [(identity(last), each) for last, each in result] == [(("Account", 2), (5,))]


def test_a_condition_on_a_path_applies_before_the_best_path_is_chosen():
    rows: Rows = {
        "Account": [(0, "x"), (1, "y"), (2, "z")],
        "Transfer": [(0, 1, 2, 5), (0, 2, 1, 6), (1, 1, 2, 7)],
    }
    hop = any_hop()
    location, end = end_place()
    amounts = group(hop.columns[0])
    starts, start = start_at(0)
    long_enough = equal(ref(amounts[0]), r.Literal(amounts[0].type, (6, 7)))
    scan = r.PathScan(
        starts,
        start,
        (r.PathSegment((hop,), 1, 3, (), (amounts,), location),),
        PathPrefix.ANY_SHORTEST,
        scopes=(r.PathScope(0, 0, condition=long_enough),),
    )
    result = rows_of(scan, end, amounts[0], reader=reader_of(rows))
    assert [(identity(last), each) for last, each in result] == [(("Account", 2), (6, 7))]


@pytest.mark.parametrize("cost", [0, -1, None])
def test_a_cost_that_is_not_positive_fails_only_where_it_is_reached(cost):
    rows: Rows = {
        "Account": [(0, "x"), (1, "y"), (2, "z")],
        "Transfer": [(0, 1, 1, 5), (2, 1, 0, cost)],
    }
    for begin, fails in ((0, False), (2, True)):
        hop = any_hop(costs=True)
        location, end = end_place()
        starts, start = start_at(begin)
        scan = r.PathScan(
            starts,
            start,
            (r.PathSegment((hop,), 1, 2, place=location),),
            PathPrefix.ANY_CHEAPEST,
        )
        if fails:
            with pytest.raises(BadArgument, match="Graph cost expression must"):
                rows_of(scan, end, reader=reader_of(rows))
        else:
            assert len(rows_of(scan, end, reader=reader_of(rows))) == 1


def test_a_null_start_has_no_paths():
    number = column("start")
    nothing = r.ValuesScan((number,), ((r.Literal(number.type, None),),))
    _, start = start_at(0)
    node = r.MakeElement(start.type, ACCOUNTS, (ref(number),))
    location, end = end_place()
    scan = r.PathScan(nothing, node, (r.PathSegment((any_hop(),), 0, 2, place=location),))
    assert rows_of(scan, end, reader=reader_of({"Account": [(0, "x")]})) == []


def test_the_first_rows_of_each_partition_are_marked():
    a, b, out = column("a"), column("b"), column("first", lit(True).type)
    rows = r.ValuesScan(
        (a, b), tuple((lit(x), lit(y)) for x, y in [(1, 5), (1, 3), (2, 9), (1, 4), (2, 8)])
    )
    scan = r.RankScan(rows, (ref(a),), (r.SortKey(ref(b)),), lit(2), out)
    assert sorted(rows_of(scan, a, b, out, reader=reader_of({}))) == [
        (1, 3, True), (1, 4, True), (1, 5, False), (2, 8, True), (2, 9, True),
    ]  # fmt: skip
    zero = r.RankScan(rows, (), (), lit(0), out)
    with pytest.raises(BadArgument, match="IS_FIRST"):
        rows_of(zero, out, reader=reader_of({}))


def shortest(rows: Rows, start: int, longest: int, *, by_amount: bool) -> dict[int, int]:
    """Return the least number of edges, or sum of amounts, of a path of up to `longest` edges."""
    best: dict[int, int] = {}
    rim = {start: 0}
    for _ in range(longest):
        reached: dict[int, int] = {}
        for source, _, target, amount in rows["Transfer"]:
            if source in rim:
                cost = rim[source] + (amount if by_amount else 1)
                reached[target] = min(cost, reached.get(target, cost))
        for node, cost in reached.items():
            best[node] = min(cost, best.get(node, cost))
        rim = reached
    return best


@pytest.mark.parametrize("prefix", [PathPrefix.ANY_SHORTEST, PathPrefix.ANY_CHEAPEST])
@pytest.mark.parametrize("seed", range(3))
def test_a_search_from_both_ends_finds_the_best_path_of_a_larger_graph(prefix, seed):
    random, size, longest = Random(seed), 30, 7
    rows: Rows = {
        "Account": [(number, "") for number in range(size)],
        "Transfer": [
            (source, n, random.randrange(size), random.randint(1, 40))
            for source in range(size)
            for n in range(2)
        ],
    }
    by_amount = prefix is PathPrefix.ANY_CHEAPEST
    best = shortest(rows, 0, longest, by_amount=by_amount)
    reader = reader_of(rows)
    for finish in range(0, size, 3):
        transfers = hop(step("Transfer"), costs=by_amount)
        amounts = group(transfers.columns[0])
        starts, start = start_at(0)
        number = column("finish")
        ends = r.ProjectScan(starts, ((number, lit(finish)),))
        expected = r.MakeElement(start.type, ACCOUNTS, (ref(number),))
        segment = r.PathSegment((transfers,), 1, longest, (), (amounts,))
        scan = r.PathScan(ends, start, (segment,), prefix, expected)
        result = [
            sum(row[0]) if by_amount else len(row[0])
            for row in rows_of(scan, amounts[0], reader=reader)
        ]
        assert result == ([best[finish]] if finish in best else [])
