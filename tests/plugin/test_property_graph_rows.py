"""The factory's nodes and edges of a property graph, through the official client."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import spanemu
from pytest_spanemu.rows.factory import SpannerFactory
from pytest_spanemu.sql import SpannerSql

FIXTURES = Path(__file__).parents[2] / "fixtures"
PAIRS = "SELECT AccountId, ToAccountId FROM AccountSendsMoney ORDER BY 1, 2"


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator() as emulator:
        yield emulator


@pytest.fixture
def database(emulator, request):
    handle = emulator.create_database(
        f"g-{abs(hash(request.node.name)) % 10**9}", schema=FIXTURES / "transfers.sql"
    )
    yield handle.client()
    handle.drop()


@pytest.fixture
def factory(database):
    return SpannerFactory(database)


def accounts(rows):
    return [row["AccountId"] for row in rows["Account"]]


def pairs(rows):
    return [(row["AccountId"], row["ToAccountId"]) for row in rows["Sends"]]


def test_rows_are_returned_by_the_given_names(factory, database):
    rows = factory.graph(
        "transfers",
        nodes={"person": 3, "Account": 4},
        edges={"personownsaccount": 3, "Sends": 10},
    )
    assert {name: len(each) for name, each in rows.items()} == {
        "person": 3, "Account": 4, "personownsaccount": 3, "Sends": 10,
    }  # fmt: skip
    sql = SpannerSql(database)
    assert sql("SELECT COUNT(*) AS n FROM AccountSendsMoney") == [{"n": 10}]
    assert set(pairs(rows)) <= {(a, b) for a in accounts(rows) for b in accounts(rows) if a != b}
    assert all(row["Amount"] is not None for row in rows["Sends"])


def test_edges_keyed_by_their_ends_do_not_repeat(factory):
    rows = factory.graph("Transfers", nodes={"Person": 2, "Account": 3}, edges={"Owns": 6})
    owned = [(row["PersonId"], row["AccountId"]) for row in rows["Owns"]]
    assert len(set(owned)) == 6


def test_a_chain_leads_from_each_node_to_the_next(factory):
    rows = factory.graph("Transfers", nodes={"Account": 4}, edges={"Sends": 3}, shape="chain")
    ids = accounts(rows)
    assert pairs(rows) == list(pairwise(ids))


def test_a_ring_leads_back_to_the_first_node(factory):
    rows = factory.graph("Transfers", nodes={"Account": 4}, edges={"Sends": 4}, shape="ring")
    ids = accounts(rows)
    assert pairs(rows) == list(zip(ids, [*ids[1:], ids[0]], strict=True))


def test_a_hub_sends_to_all_other_nodes(factory):
    rows = factory.graph(
        "Transfers", nodes={"Person": 1, "Account": 4}, edges={"Sends": 3, "Owns": 4}, shape="hub"
    )
    ids = accounts(rows)
    assert pairs(rows) == [(ids[0], other) for other in ids[1:]]
    assert [row["AccountId"] for row in rows["Owns"]] == ids
    assert len({row["PersonId"] for row in rows["Owns"]}) == 1


def test_one_seed_makes_the_same_graph(database):
    counts = {"nodes": {"Account": 5}, "edges": {"Sends": 20}}
    first = SpannerFactory(database, seed=3).graph("Transfers", **counts)
    SpannerSql(database)("DELETE FROM Account WHERE TRUE")
    again = SpannerFactory(database, seed=3).graph("Transfers", **counts)
    assert pairs(again) == pairs(first)
    assert max(Counter(pairs(first)).values()) > 1, "parallel edges are likely among 20 pairs"


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("Nope", {}, "no property graph 'Nope'"),
        ("Transfers", {"nodes": {"Nope": 1}}, "no node table 'Nope'.*Person, Account"),
        ("Transfers", {"edges": {"Nope": 1}}, "no edge table 'Nope'"),
        ("Transfers", {"edges": {"Sends": 1}}, "edges of AccountSendsMoney need nodes={'Account'"),
        ("Transfers", {"shape": "star"}, "'star' is not one of random, chain, ring, hub"),
        (
            "Transfers",
            {"nodes": {"Account": 3}, "edges": {"Sends": 3}, "shape": "chain"},
            "'chain' has 2 edges of AccountSendsMoney between 3 Account and 3 Account, not 3",
        ),
        (
            "Transfers",
            {"nodes": {"Person": 2, "Account": 2}, "edges": {"Owns": 5}},
            "'random' has 4 edges of PersonOwnsAccount",
        ),
    ],
)
def test_impossible_graphs_are_refused(factory, name, arguments, message):
    with pytest.raises(ValueError, match=message):
        factory.graph(name, **arguments)


def test_counts_of_nodes_need_the_name_of_a_graph(factory):
    with pytest.raises(TypeError, match="need the name of a property graph"):
        factory.graph({"Account": 1}, nodes={"Account": 1})
