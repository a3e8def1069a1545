"""Edges of graphs, foreign keys to part of a key, and arrays of ids: SPN222, SPN405, SPN504."""

from __future__ import annotations

import pytest

from spanemu import lint
from spanemu.base.severity import Severity
from spanemu.lint.rules.postgresql import rules_of
from tests.unit.lint.linting import applied, findings, fixed, ids, only, script_of

DIALECTS = ("googlesql", "postgresql")
NODES = (
    "CREATE TABLE P (Id INT64 NOT NULL) PRIMARY KEY (Id);"
    "CREATE TABLE E (Id INT64 NOT NULL, From1 INT64, To1 INT64) PRIMARY KEY (Id);"
)
GRAPH = (
    "CREATE PROPERTY GRAPH G NODE TABLES (P) EDGE TABLES (E "
    "SOURCE KEY (From1) REFERENCES P (Id) DESTINATION KEY (To1) REFERENCES P (Id))"
)


def test_each_end_without_an_index_is_a_finding() -> None:
    found = findings(NODES + GRAPH, "SPN222")
    assert [each.column for each in found] == ["From1", "To1"]
    both = fixed(fixed(NODES + GRAPH, found[0]), found[1])
    applied(both)
    assert not findings(both, "SPN222")


def test_an_edge_table_of_two_graphs_is_reported_once() -> None:
    twice = f"{NODES}{GRAPH};{GRAPH.replace('GRAPH G', 'GRAPH H')}"
    assert len(findings(twice, "SPN222")) == 2


def test_the_new_index_has_a_new_name() -> None:
    taken = "CREATE INDEX EByTo1 ON E(Id, To1);"
    _, found = findings(f"{NODES}{taken}{GRAPH}", "SPN222")
    assert script_of(found.fix) == "CREATE INDEX EByTo12 ON E(To1)"


def test_new_names_are_written_as_the_table_is() -> None:
    lower = (NODES + GRAPH).replace(" E ", " edges ").replace("(E ", "(edges ")
    lower = lower.replace("To1", "to_id")
    scripts = (script_of(each.fix) or "" for each in findings(lower, "SPN222"))
    names = [script.split(" ")[2] for script in scripts]
    assert names == ["edges_by_from1", "edges_by_to_id"]


def test_an_index_of_reverse_edges_may_be_interleaved_in_the_destination() -> None:
    ddl = lint.RULES["SPN222"].good
    assert "SPN211" not in ids(ddl)
    assert "SPN211" in ids(ddl[: ddl.index("CREATE PROPERTY")] + ddl[ddl.index("CREATE INDEX") :])


ORDERS = "CREATE TABLE O (Shop INT64 NOT NULL, Id {id_}) PRIMARY KEY (Shop, Id);"
ITEMS = (
    "CREATE TABLE I (N INT64 NOT NULL, {columns}Order1 {type_}, "
    "CONSTRAINT F FOREIGN KEY (Order1) REFERENCES O (Id){more}) PRIMARY KEY (N)"
)


def items(columns: str = "", type_: str = "INT64", more: str = "") -> str:
    return ITEMS.format(columns=columns, type_=type_, more=more)


def test_a_constraint_is_replaced_only_where_the_new_one_is_as_strict() -> None:
    # A row with NULL in any referencing column refers to nothing.
    orders = ORDERS.format(id_="INT64 NOT NULL")
    loose = only("SPN405", orders + items("Shop INT64, "))
    missing = only("SPN405", orders + items())
    strict = only("SPN405", orders + items("Shop INT64 NOT NULL, ", more=" ON DELETE CASCADE"))
    assert "ALTER" not in loose.fix + missing.fix
    assert "ADD FOREIGN KEY (Shop, Order1) REFERENCES O (Shop, Id) ON DELETE CASCADE" in strict.fix


def test_a_reference_to_a_random_key_is_information() -> None:
    orders = ORDERS.format(id_="UUID NOT NULL DEFAULT (NEW_UUID())")
    assert only("SPN405", orders + items(type_="UUID")).severity is Severity.INFO


def test_a_column_that_is_declared_unique_is_not_reported() -> None:
    orders = ORDERS.format(id_="INT64 NOT NULL") + "CREATE UNIQUE INDEX U ON O(Id);"
    assert not findings(orders + items(), "SPN405")


def replaced(ddl: str, finding: lint.Finding) -> str:
    """Return DDL with the table of a fix in place of an array."""
    table = finding.fix.removeprefix("In place of the array, a table ")
    return f"{ddl}; CREATE TABLE {table}; ALTER TABLE {finding.object} DROP COLUMN {finding.column}"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_table_takes_the_place_of_an_array(dialect: str) -> None:
    bad = rules_of(dialect)["SPN504"].bad
    finding = only("SPN504", bad, "SPN504", dialect=dialect)
    after = replaced(bad, finding)
    applied(after, dialect)
    assert not findings(after, "SPN504", dialect=dialect)


def test_an_array_named_after_a_table_refers_to_it() -> None:
    ddl = (
        "CREATE TABLE players (Uuid STRING(36) NOT NULL) PRIMARY KEY (Uuid);"
        "CREATE TABLE games (A INT64 NOT NULL, B DATE, players ARRAY<STRING(36)> NOT NULL) "
        "PRIMARY KEY (A, B DESC)"
    )
    finding = only("SPN504", ddl, "SPN504")
    assert "FOREIGN KEY (player) REFERENCES players (Uuid)" in finding.fix
    after = replaced(ddl, finding)
    applied(after)
    assert not findings(after, "SPN504")


def test_the_name_of_an_array_is_weak_evidence() -> None:
    assert not findings(lint.RULES["SPN504"].bad)


@pytest.mark.parametrize(
    ("key", "read"),
    [
        ("Shop, A, B", "all edges of the same Shop."),
        ("A, B, Shop", "all edges."),
    ],
)
def test_a_finding_names_the_edges_that_a_traversal_reads(key: str, read: str) -> None:
    ddl = (
        "CREATE TABLE N (Shop INT64 NOT NULL, Id INT64 NOT NULL) PRIMARY KEY (Shop, Id);"
        "CREATE TABLE E (Shop INT64 NOT NULL, A INT64 NOT NULL, B INT64 NOT NULL) "
        f"PRIMARY KEY ({key}); CREATE PROPERTY GRAPH G NODE TABLES (N) EDGE TABLES (E "
        "SOURCE KEY (A) REFERENCES N (Id) DESTINATION KEY (Shop, B) REFERENCES N (Shop, Id))"
    )
    messages = [
        each.message
        for each in findings(ddl)
        if "of its edges: a traversal from the destination" in each.message
    ]
    assert len(messages) == 1
    assert messages[0].endswith(f"from the destination reads {read}")
