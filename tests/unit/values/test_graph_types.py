"""Types of graph elements and paths: identity, printing, supertypes."""

from __future__ import annotations

import pytest

from spanemu.values.graph_types import (
    ElementTable,
    edge_part,
    edge_type,
    graph_part,
    graph_supertype,
    is_graph_subtype,
    node_part,
    node_type,
    path_type,
)
from spanemu.values.types import INT64, STRING, array_of, struct_of

PERSON = ElementTable(
    "G", "Person", ("Human", "Person"), (("Id", INT64), ("name", STRING)), (INT64,)
)
SHOP = ElementTable("G", "Shop", ("Shop",), (("Id", INT64), ("Zip", STRING)), (INT64,))
BUYS = ElementTable("G", "Buys", ("Buys",), (), (INT64, INT64), PERSON, SHOP)
OTHER = ElementTable("H", "Person", ("Person",), (), (INT64,))


def test_types_are_equal_by_graph_kind_and_tables():
    assert node_type("G", [PERSON, SHOP]) == node_type("G", [SHOP, PERSON])
    assert hash(node_type("G", [PERSON, SHOP])) == hash(node_type("G", [SHOP, PERSON]))
    assert node_type("G", [PERSON]) != node_type("G", [SHOP])
    assert node_type("G", [PERSON]) != edge_type("G", [PERSON])
    assert node_type("G", [PERSON]) != INT64


def test_types_print_their_graph_and_properties_ignoring_case():
    assert str(node_type("G", [PERSON, SHOP])) == "GRAPH_NODE(G)<Id INT64, name STRING, Zip STRING>"
    assert str(edge_type("G", [BUYS])) == "GRAPH_EDGE(G)<>"
    path = path_type("G", [PERSON], [BUYS])
    assert str(path) == ("PATH<node: GRAPH_NODE(G)<Id INT64, name STRING>, edge: GRAPH_EDGE(G)<>>")
    assert node_type("G", [PERSON]).kind == edge_type("G", [BUYS]).kind == "GRAPH_ELEMENT"
    assert path.kind == "GRAPH_PATH"


def test_the_supertype_is_the_union_of_the_tables():
    person, shop = node_type("G", [PERSON]), node_type("G", [SHOP])
    both = node_type("G", [PERSON, SHOP])
    assert graph_supertype(person, shop) == both
    assert is_graph_subtype(person, both)
    assert not is_graph_subtype(both, person)


@pytest.mark.parametrize(
    "other", [node_type("H", [OTHER]), edge_type("G", [BUYS]), path_type("G", [PERSON], []), INT64]
)
def test_other_graphs_and_kinds_have_no_supertype(other):
    assert graph_supertype(node_type("G", [PERSON]), other) is None
    assert graph_supertype(other, node_type("G", [PERSON])) is None


def test_a_path_type_has_parts():
    path = path_type("G", [PERSON, SHOP], [BUYS])
    assert node_part(path) == node_type("G", [PERSON, SHOP])
    assert edge_part(path) == edge_type("G", [BUYS])


def test_graph_types_are_found_inside_of_other_types():
    person = node_type("G", [PERSON])
    assert graph_part(array_of(struct_of(("a", INT64), ("b", person)))) == person
    assert graph_part(array_of(struct_of(("a", INT64)))) is None


def test_a_property_has_a_position_in_any_letter_case():
    assert PERSON.position("NAME") == 1
    assert PERSON.position("id") == 0
    assert PERSON.position("Zip") is None
    assert BUYS.is_edge
    assert not PERSON.is_edge
