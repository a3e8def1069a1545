"""The catalog of a graph: numbers, labels, keys; and the slots that keys of tables share."""

from __future__ import annotations

import pytest

from spanemu.ddl.apply import plan_batch
from spanemu.schema.schema import EMPTY
from spanemu.sql.googlesql import ast as sql_ast
from spanemu.sql.googlesql.graph.analyzer.catalog import GraphCatalog, find_catalog
from spanemu.sql.googlesql.graph.analyzer.errors import GraphNotFound
from spanemu.sql.googlesql.graph.analyzer.identity import Slot, filler, slots_of
from spanemu.values.types import INT64, STRING, TIMESTAMP

SCHEMA = plan_batch(
    [
        "CREATE TABLE A (id INT64 NOT NULL, kind STRING(9)) PRIMARY KEY (id)",
        "CREATE TABLE B (x INT64 NOT NULL, s STRING(9) NOT NULL, y INT64 NOT NULL) "
        "PRIMARY KEY (x, s, y)",
        "CREATE TABLE E (a INT64 NOT NULL, kind STRING(9)) PRIMARY KEY (a)",
        "CREATE PROPERTY GRAPH G NODE TABLES (A LABEL Thing NO PROPERTIES LABEL Red NO PROPERTIES, "
        "B LABEL Thing NO PROPERTIES) EDGE TABLES (E SOURCE KEY (a) REFERENCES A (id) "
        "DESTINATION KEY (kind) REFERENCES A (kind))",
    ],
    EMPTY,
)[-1].schema


def path(name: str) -> sql_ast.Path:
    return sql_ast.Path((sql_ast.Identifier(name),))


def catalog() -> GraphCatalog:
    return find_catalog(path("g"), SCHEMA)


def test_graph_is_compiled_once_for_a_schema() -> None:
    assert catalog() is find_catalog(path("G"), SCHEMA)


def test_unknown_graph_is_refused() -> None:
    with pytest.raises(GraphNotFound):
        find_catalog(path("H"), SCHEMA)


def test_labels_give_the_numbers_of_tables() -> None:
    nodes = catalog().nodes
    assert nodes.with_label("thing") == {0, 1}
    assert nodes.with_label("red") == {0}
    assert nodes.with_label("blue") is None


def test_edge_that_refers_to_no_key_has_the_key_of_the_node_as_well() -> None:
    (edge,) = catalog().edges.tables
    assert edge.element.key == (INT64, INT64)
    assert [is_source for is_source, end in edge.ends.items() if end.key is None] == [False]


def test_slots_are_counted_by_type() -> None:
    assert slots_of(catalog().nodes[1]) == (Slot(INT64, 0), Slot(STRING, 0), Slot(INT64, 1))


def test_filler_is_never_null() -> None:
    assert filler(INT64).value == 0
    assert filler(STRING).value == ""
    assert filler(TIMESTAMP).value is not None
