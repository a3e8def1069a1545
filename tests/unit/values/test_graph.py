"""Values of graph elements: identity, labels, properties and identifiers."""

from __future__ import annotations

from base64 import b64decode
from datetime import date

import pytest

from spanemu.values import graph
from spanemu.values.graph import Element
from spanemu.values.graph_types import ElementTable
from spanemu.values.json import Json
from spanemu.values.types import DATE, FLOAT64, INT64, STRING

ACCOUNT = ElementTable("FinGraph", "Account", ("Account",), (("id", INT64),), (INT64,))
PERSON = ElementTable("FinGraph", "Person", ("Person",), (("id", INT64),), (INT64,))
OWNS = ElementTable("FinGraph", "PersonOwnAccount", ("Owns",), (), (INT64, INT64), PERSON, ACCOUNT)
LOOSE = ElementTable(
    "G", "Loose", ("Fixed", "zeta"), (("Name", STRING),), (STRING,),
    has_dynamic_label=True, has_dynamic_properties=True,
)  # fmt: skip


def owns(person: int, account: int) -> Element:
    return Element(OWNS, (person, account), (), ((person,), (account,)))


def test_identity_is_the_table_and_the_key():
    assert Element(ACCOUNT, (1,), (1,)) == Element(ACCOUNT, (1,), (2,))
    assert hash(Element(ACCOUNT, (1,), (1,))) == hash(Element(ACCOUNT, (1,), (2,)))
    assert Element(ACCOUNT, (1,)) != Element(PERSON, (1,))
    assert Element(ACCOUNT, (1,)) != Element(ACCOUNT, (2,))
    assert Element(ACCOUNT, (1,)) != (1,)


def test_nan_is_one_key():
    table = ElementTable("G", "T", (), (), (FLOAT64,))
    first, second = [graph.plain_key((float("nan"),)) for _ in range(2)]
    assert len({Element(table, first), Element(table, second)}) == 1


def test_identifiers_are_those_of_the_documentation():
    assert graph.identifier(Element(PERSON, (1,))) == "mUZpbkdyYXBoLlBlcnNvbgB4kQI="
    edge = owns(1, 7)
    assert b64decode(graph.identifier(edge)) == (
        b"\x99FinGraph.PersonOwnAccount\x00\x78\x91\x02\x91\x0e"
        b"\x99FinGraph.Person\x00\x78\x91\x02\x99FinGraph.Account\x00\x78\x91\x0e"
    )
    assert graph.source_identifier(edge) == graph.identifier(Element(PERSON, (1,)))
    assert graph.destination_identifier(edge) == graph.identifier(Element(ACCOUNT, (7,)))


@pytest.mark.parametrize(
    "values",
    [
        (-(2**63), -1, 0, 1, 127, 128, 2**63 - 1),
        ("", "a", "a\x00", "a\x00b", "ab", "ü"),
        (date(1, 1, 1), date(2024, 2, 29)),
        (0.5, float("inf"), -1.5),
    ],
)
def test_different_keys_have_different_identifiers(values):
    kinds = {int: INT64, str: STRING, date: DATE, float: FLOAT64}
    table = ElementTable("G", "T", (), (), (kinds[type(values[0])],))
    identifiers = [b64decode(graph.identifier(Element(table, (value,)))) for value in values]
    assert len(set(identifiers)) == len(values)


def test_identifiers_of_integers_sort_like_the_integers():
    numbers = [-(2**63), -70_000, -300, -129, -128, -1, 0, 1, 127, 128, 70_000, 2**63 - 1]
    identifiers = [b64decode(graph.identifier(Element(ACCOUNT, (each,)))) for each in numbers]
    assert identifiers == sorted(identifiers)


def test_an_edge_knows_its_ends():
    edge, person, account = owns(1, 7), Element(PERSON, (1,)), Element(ACCOUNT, (7,))
    assert graph.is_source(person, edge)
    assert graph.is_destination(account, edge)
    assert not graph.is_source(Element(ACCOUNT, (1,)), edge)
    assert graph.connects(edge, person, account)
    assert graph.connects(edge, account, person)
    assert not graph.connects(edge, person, Element(ACCOUNT, (8,)))


def test_labels_and_properties_of_the_row_are_merged_with_the_declared():
    document = Json({"age": 3, "name": "shadowed", "zoo": None})
    element = Element(LOOSE, ("k",), ("Ann",), ((), ()), ("human", document))
    assert graph.labels(element) == ("Fixed", "human", "zeta")
    assert graph.property_names(element) == ("age", "Name", "zoo")
    assert graph.dynamic_members(element) == {"age": 3, "zoo": None}
    plain = Element(LOOSE, ("k",), ("Ann",), ((), ()), ("FIXED", Json([1])))
    assert graph.labels(plain) == ("Fixed", "zeta")
    assert graph.property_names(plain) == ("Name",)
