"""Functions of graph elements and paths, and TO_JSON of them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.functions.graph.paths import joined, make_path
from spanemu.values import graph
from spanemu.values.graph import Element
from spanemu.values.graph_types import ElementTable, edge_type, node_type, path_type
from spanemu.values.json import Json
from spanemu.values.types import BYTES, INT64, STRING, TIMESTAMP, TOKENLIST, array_of
from tests.unit.sql.functions.calling import call, result_type, typed

PERSON = ElementTable(
    "G", "P", ("Human", "Person"), (("id", INT64), ("Name", STRING)), (INT64,)
)  # fmt: skip
KNOWS = ElementTable("G", "K", ("Knows",), (("since", TIMESTAMP),), (INT64, INT64), PERSON, PERSON)
LOOSE = ElementTable(
    "G", "L", ("L",), (("raw", BYTES),), (INT64,),
    has_dynamic_label=True, has_dynamic_properties=True,
)  # fmt: skip
HIDDEN = ElementTable("G", "H", ("H",), (("tokens", TOKENLIST),), (INT64,))
NODE, EDGE, PATH = (
    node_type("G", [PERSON]),
    edge_type("G", [KNOWS]),
    path_type("G", [PERSON], [KNOWS]),
)


def person(number: int, name: str | None = "Ann") -> Element:
    return Element(PERSON, (number,), (number, name))


def knows(source: int, destination: int) -> Element:
    return Element(KNOWS, (source, destination), (None,), ((source,), (destination,)))


def node(number: int | None) -> Any:
    return typed(None if number is None else person(number), NODE)


def edge(source: int, destination: int) -> Any:
    return typed(knows(source, destination), EDGE)


def path(*numbers: int) -> Any:
    elements = [person(numbers[0])]
    for source, destination in pairwise(numbers):
        elements += [knows(source, destination), person(destination)]
    return typed(tuple(elements), PATH)


CASES: list[tuple[str, tuple[Any, ...], Any]] = [
    ("LABELS", (node(1),), ("Human", "Person")),
    ("LABELS", (node(None),), None),
    ("LABELS", (edge(1, 2),), ("Knows",)),
    ("PROPERTY_NAMES", (node(1),), ("id", "Name")),
    ("ELEMENT_DEFINITION_NAME", (edge(1, 2),), "K"),
    ("ELEMENT_ID", (node(1),), graph.identifier(person(1))),
    ("SOURCE_NODE_ID", (edge(1, 2),), graph.identifier(person(1))),
    ("DESTINATION_NODE_ID", (edge(1, 2),), graph.identifier(person(2))),
    ("NODES", (path(1, 2, 3),), (person(1), person(2), person(3))),
    ("EDGES", (path(1, 2, 3),), (knows(1, 2), knows(2, 3))),
    ("EDGES", (path(1),), ()),
    ("PATH_FIRST", (path(1, 2),), person(1)),
    ("PATH_LAST", (path(1, 2),), person(2)),
    ("PATH_LENGTH", (path(1, 2, 3),), 2),
    ("PATH_LENGTH", (typed(None, PATH),), None),
    ("IS_TRAIL", (path(1, 2, 1, 2),), False),
    ("IS_TRAIL", (path(1, 2, 1),), True),
    ("IS_ACYCLIC", (path(1, 2, 1),), False),
    ("IS_ACYCLIC", (path(1, 2, 3),), True),
    ("IS_SIMPLE", (path(1, 2, 1),), True),
    ("IS_SIMPLE", (path(1, 2, 3, 2),), False),
    ("IS_SIMPLE", (path(1),), True),
    ("SAME", (node(1), node(1)), True),
    ("SAME", (node(1), node(1), node(2)), False),
    ("ALL_DIFFERENT", (node(1), node(2), node(1)), False),
    ("ALL_DIFFERENT", (edge(1, 2), edge(2, 1)), True),
    ("$is_source_of", (node(1), edge(1, 2)), True),
    ("$is_source_of", (node(2), edge(1, 2)), False),
    ("$is_source_of", (node(None), edge(1, 2)), None),
    ("$is_destination_of", (node(2), edge(1, 2)), True),
    ("$has_label", (node(1), "HUMAN"), True),
    ("$has_label", (node(1), "Knows"), False),
    ("$has_any_label", (node(1),), True),
    ("$property_exists", (node(1), "NAME"), True),
    ("$property_exists", (node(1), "age"), False),
    ("$concat_op", (path(1, 2), path(2, 3)), path(1, 2, 3).value),
    ("$equal", (node(1), node(1)), True),
    ("$equal", (edge(1, 2), edge(1, 3)), False),
    ("$not_equal", (node(1), node(None)), None),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), CASES)
def test_function_value(name, arguments, expected):
    assert call(name, *arguments) == expected


def test_the_parts_of_a_path_have_the_types_of_its_tables():
    assert result_type("NODES", path(1)) == array_of(NODE)
    assert result_type("EDGES", path(1)) == array_of(EDGE)
    assert result_type("PATH_FIRST", path(1)) == NODE


FAILURES = [
    ("SAME", (node(1), node(None)), "Input to the function SAME must not be null"),
    ("ALL_DIFFERENT", (node(None), node(1)), "ALL_DIFFERENT must not be null"),
    ("$concat_op", (path(1, 2), path(3, 1)), "equal to the last node"),
]


@pytest.mark.parametrize(("name", "arguments", "problem"), FAILURES)
def test_function_failure(name, arguments, problem):
    with pytest.raises(BadArgument, match=problem):
        call(name, *arguments)


def test_a_path_is_made_of_connected_elements_in_either_direction():
    assert make_path(person(1)) == (person(1),)
    assert make_path(person(1), knows(2, 1), person(2)) == (person(1), knows(2, 1), person(2))


@pytest.mark.parametrize(
    ("elements", "problem"),
    [
        ((person(1), None, person(2)), "must not be null"),
        ((person(1), knows(1, 2)), "end with a node"),
        ((person(1), person(2), person(3)), "index 1 must be an edge"),
        ((person(1), knows(1, 2), person(3)), "The edge at index 1 does not"),
    ],
)
def test_other_elements_do_not_form_a_path(elements, problem):
    with pytest.raises(BadArgument, match=problem):
        make_path(*elements)


def test_joined_paths_share_their_common_node():
    first, second = path(1, 2).value, path(2, 3).value
    assert joined([first, second]) == path(1, 2, 3).value
    assert joined([person(1), knows(1, 2), person(2), person(2), second]) == path(1, 2, 3).value
    assert joined([first, None]) is None
    assert joined([first, knows(2, 3), person(3)]) == path(1, 2, 3).value


def test_an_edge_is_written_as_json_with_the_identifiers_of_its_nodes():
    document = call("TO_JSON", edge(1, 2))
    assert document.value == {
        "destination_node_identifier": graph.identifier(person(2)),
        "identifier": graph.identifier(knows(1, 2)),
        "kind": "edge",
        "labels": ["Knows"],
        "properties": {"since": None},
        "source_node_identifier": graph.identifier(person(1)),
    }
    assert list(document.value) == sorted(document.value)


def test_a_path_is_written_as_the_array_of_its_elements():
    (first, _, last) = call("TO_JSON", path(1, 2)).value
    assert first["properties"] == {"Name": "Ann", "id": 1}
    assert last["kind"] == "node"
    assert [each["kind"] for each in call("TO_JSON", path(1, 2)).value] == ["node", "edge", "node"]


def test_null_is_written_as_json_null():
    assert call("SAFE_TO_JSON", node(None)).value is None


def test_properties_of_the_row_are_written_beside_the_declared():
    document = Json({"raw": "shadowed", "age": 3})
    element = Element(LOOSE, (1,), (b"\x01",), ((), ()), ("human", document))
    written = call("TO_JSON", typed(element, node_type("G", [LOOSE]))).value
    assert written["labels"] == ["human", "L"]
    assert written["properties"] == {"age": 3, "raw": "AQ=="}


def test_safe_to_json_writes_null_for_a_property_that_json_cannot_hold():
    element = typed(Element(HIDDEN, (1,), (b"\x01",)), node_type("G", [HIDDEN]))
    assert call("SAFE_TO_JSON", element).value["properties"] == {"tokens": None}
