"""Plans of path scans: seeks of steps, known ends, and columns that nobody needs."""

from __future__ import annotations

from spanemu.sql import resolved as r
from spanemu.sql.plan.joins import KeyedSpool
from spanemu.sql.plan.nodes import Filter, Node, Scan
from spanemu.sql.plan.paths import Check, PathScan, Segment
from spanemu.sql.plan.traverse import walk
from spanemu.sql.planner.build import plan_statement
from spanemu.sql.resolved import PathPrefix
from tests.unit.sql.executor.operators.path_world import (
    ACCOUNT,
    ACCOUNTS,
    SCHEMA,
    Scanned,
    column,
    equal,
    hop,
    lit,
    reader_of,
    ref,
    start_at,
    statement_of,
    step,
)


def planned(scan: r.Scan, *outputs: r.ResolvedColumn) -> tuple[Node, PathScan]:
    """Return the plan, and the path scan in it."""
    root = plan_statement(statement_of(scan, *outputs), SCHEMA, reader_of({})).root  # type: ignore[attr-defined]
    (paths,) = [node for node in walk(root) if isinstance(node, PathScan)]
    return root, paths


def place_of(condition: r.Expr | None, scanned: Scanned) -> tuple[r.PathPlace, r.ResolvedColumn]:
    """Return the accounts for which the condition holds, and the output with their number."""
    output = column("end")
    scan = scanned.scan if condition is None else r.FilterScan(scanned.scan, condition)
    check = r.PathCheck(ACCOUNTS, scanned.key, scan, scanned.named(["Id"]))
    return r.PathPlace((check,), (output,)), output


def transfers(
    prefix: PathPrefix, place: r.PathPlace | None, *, reverse: bool = False
) -> tuple[r.Scan, r.PathHop]:
    one_hop = hop(step("Transfer", reverse=reverse))
    starts, start = start_at(1)
    return r.PathScan(
        starts, start, (r.PathSegment((one_hop,), 1, 3, place=place),), prefix
    ), one_hop


def check_of(paths: PathScan) -> Check:
    segment: Segment = paths.segments[-1]
    assert segment.place is not None
    return segment.place.checks[0]


def test_a_step_along_the_key_seeks_and_one_against_it_hashes_the_edges_once():
    for reverse in (False, True):
        location, end = place_of(None, Scanned(ACCOUNT))
        scan, _ = transfers(PathPrefix.ALL, location, reverse=reverse)
        _, paths = planned(scan, end)
        inside = list(walk(paths.segments[0].hops[0].steps[0].forward.node))
        assert any(isinstance(node, KeyedSpool) for node in inside) is reverse
        seeks = [node.seeks for node in inside if isinstance(node, Scan)]
        assert (None in seeks) is reverse


def test_a_check_that_only_repeats_the_key_has_no_look_up():
    place, end = place_of(None, Scanned(ACCOUNT))
    scan, _ = transfers(PathPrefix.ALL, place)
    assert check_of(planned(scan, end)[1]).lookup is None


def test_a_check_with_a_condition_seeks_the_node():
    scanned = Scanned(ACCOUNT)
    location, end = place_of(equal(ref(scanned.columns["Name"]), lit("x")), scanned)
    scan, _ = transfers(PathPrefix.ALL, location)
    lookup = check_of(planned(scan, end)[1]).lookup
    assert lookup is not None
    (result,) = [node for node in walk(lookup.node) if isinstance(node, Scan)]
    assert result.seeks is not None


def test_a_condition_on_the_key_of_the_last_node_makes_the_end_known():
    for prefix in PathPrefix:
        scanned = Scanned(ACCOUNT)
        location, end = place_of(equal(ref(scanned.columns["Id"]), lit(7)), scanned)
        scan, _ = transfers(prefix, location)
        _, paths = planned(scan, end)
        is_search = prefix is not PathPrefix.ALL
        assert (paths.end is not None) is is_search
        backward = paths.segments[0].hops[0].steps[0].backward
        assert (backward is not None) is is_search


def test_a_search_without_a_known_end_plans_no_way_back():
    place, end = place_of(None, Scanned(ACCOUNT))
    scan, _ = transfers(PathPrefix.ANY_SHORTEST, place)
    assert planned(scan, end)[1].segments[0].hops[0].steps[0].backward is None


def test_unneeded_columns_are_not_computed():
    place, end = place_of(None, Scanned(ACCOUNT))
    scan, _ = transfers(PathPrefix.ALL, place)
    (segment,) = planned(scan, end)[1].segments
    assert segment.hops[0].columns == ()
    assert segment.hops[0].steps[0].values == segment.hops[0].steps[0].edge_key == ()


def test_a_cost_is_computed_even_if_no_other_expression_needs_it():
    location, end = place_of(None, Scanned(ACCOUNT))
    one_hop = hop(step("Transfer"), costs=True)
    starts, start = start_at(1)
    segment = r.PathSegment((one_hop,), 1, 3, place=location)
    scan = r.PathScan(starts, start, (segment,), PathPrefix.ANY_CHEAPEST)
    assert planned(scan, end)[1].segments[0].hops[0].columns == (one_hop.cost,)


def test_conditions_on_the_input_are_tested_before_paths_are_followed():
    location, end = place_of(None, Scanned(ACCOUNT))
    accounts = Scanned(ACCOUNT)
    number = accounts.columns["Id"]
    _, start = start_at(1)
    node = r.MakeElement(start.type, ACCOUNTS, (ref(number),))
    segment = r.PathSegment((hop(step("Transfer")),), 1, 3, place=location)
    paths = r.PathScan(accounts.scan, node, (segment,))
    root, planned_paths = planned(r.FilterScan(paths, equal(ref(number), lit(1))), end)
    assert not any(isinstance(each, Filter) for each in walk(root))
    (scan,) = [each for each in walk(planned_paths.input) if isinstance(each, Scan)]
    assert scan.seeks is not None
