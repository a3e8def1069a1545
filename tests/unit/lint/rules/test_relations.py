"""Edges of graphs, foreign keys to part of a key, and arrays of ids: SPN222, SPN405, SPN504."""

from __future__ import annotations

import pytest

from spanemu import lint
from spanemu.base.severity import Severity
from tests.unit.lint.rules.fixing import DIALECTS, appended, assert_fix_cures, findings

NODES = (
    "CREATE TABLE P (Id INT64 NOT NULL) PRIMARY KEY (Id);"
    "CREATE TABLE E (Id INT64 NOT NULL, From1 INT64, To1 INT64) PRIMARY KEY (Id);"
)
GRAPH = (
    "CREATE PROPERTY GRAPH G NODE TABLES (P) EDGE TABLES (E "
    "SOURCE KEY (From1) REFERENCES P (Id) DESTINATION KEY (To1) REFERENCES P (Id))"
)


def test_an_index_on_the_destination_finds_edges() -> None:
    assert_fix_cures("SPN222", "googlesql", lambda ddl, fix: appended(ddl, fix.partition(", ")[0]))


def test_each_end_without_an_index_is_a_finding() -> None:
    found = findings(NODES + GRAPH, rule="SPN222")
    assert [each.column for each in found] == ["From1", "To1"]
    indexes = ";".join(each.fix.partition(", ")[0] for each in found)
    assert not findings(f"{NODES}{indexes};{GRAPH}", rule="SPN222")


def test_an_edge_table_of_two_graphs_is_reported_once() -> None:
    twice = f"{NODES}{GRAPH};{GRAPH.replace('GRAPH G', 'GRAPH H')}"
    assert len(findings(twice, rule="SPN222")) == 2


def test_the_new_index_has_a_new_name() -> None:
    taken = "CREATE INDEX EByTo1 ON E(Id, To1);"
    (_, found) = findings(f"{NODES}{taken}{GRAPH}", rule="SPN222")
    assert found.fix.startswith("CREATE INDEX EByTo12 ON E(To1)")


def test_new_names_are_written_as_the_table_is() -> None:
    lower = (NODES + GRAPH).replace(" E ", " edges ").replace("(E ", "(edges ")
    lower = lower.replace("To1", "to_id")
    names = [each.fix.split(" ")[2] for each in findings(lower, rule="SPN222")]
    assert names == ["edges_by_from1", "edges_by_to_id"]


def test_an_index_of_reverse_edges_may_be_interleaved_in_the_destination() -> None:
    ddl = lint.RULES["SPN222"].good
    assert not findings(ddl, rule="SPN211")
    assert findings(ddl[: ddl.index("CREATE PROPERTY")] + ddl[ddl.index("CREATE INDEX") :])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_foreign_key_to_the_whole_key_needs_no_hidden_index(dialect: str) -> None:
    assert_fix_cures("SPN405", dialect, appended)


ORDERS = "CREATE TABLE O (Shop INT64 NOT NULL, Id {id_}) PRIMARY KEY (Shop, Id);"
ITEMS = (
    "CREATE TABLE I (N INT64 NOT NULL, {columns}Order1 {type_}, "
    "CONSTRAINT F FOREIGN KEY (Order1) REFERENCES O (Id){more}) PRIMARY KEY (N)"
)


def items(columns: str = "", type_: str = "INT64", more: str = "") -> str:
    return ITEMS.format(columns=columns, type_=type_, more=more)


def test_a_constraint_is_replaced_only_where_the_new_one_is_as_strict() -> None:
    """A row with NULL in any referencing column refers to nothing."""
    orders = ORDERS.format(id_="INT64 NOT NULL")
    (loose,) = findings(orders + items("Shop INT64, "), rule="SPN405")
    (missing,) = findings(orders + items(), rule="SPN405")
    (strict,) = findings(
        orders + items("Shop INT64 NOT NULL, ", more=" ON DELETE CASCADE"), rule="SPN405"
    )
    assert "ALTER" not in loose.fix + missing.fix
    assert "ADD FOREIGN KEY (Shop, Order1) REFERENCES O (Shop, Id) ON DELETE CASCADE" in strict.fix


def test_random_values_collide_with_none() -> None:
    orders = ORDERS.format(id_="UUID NOT NULL DEFAULT (NEW_UUID())")
    (finding,) = findings(orders + items(type_="UUID"), rule="SPN405")
    assert finding.severity is Severity.INFO


def test_a_column_that_is_declared_unique_is_not_reported() -> None:
    orders = ORDERS.format(id_="INT64 NOT NULL") + "CREATE UNIQUE INDEX U ON O(Id);"
    assert not findings(orders + items(), rule="SPN405")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_table_takes_the_place_of_an_array(dialect: str) -> None:
    def apply(ddl: str, fix: str) -> str:
        create, _, drop = fix.partition("; copy the ids, then drop ")
        table = "Games" if dialect == "googlesql" else "games"
        return appended(ddl, f"{create}; ALTER TABLE {table} DROP COLUMN {drop}")

    assert_fix_cures("SPN504", dialect, apply)


def test_an_array_named_after_a_table_refers_to_it() -> None:
    ddl = (
        "CREATE TABLE players (Uuid STRING(36) NOT NULL) PRIMARY KEY (Uuid);"
        "CREATE TABLE games (A INT64 NOT NULL, B DATE, players ARRAY<STRING(36)> NOT NULL) "
        "PRIMARY KEY (A, B DESC)"
    )
    (finding,) = findings(ddl, rule="SPN504")
    create = finding.fix.partition(";")[0]
    assert "FOREIGN KEY (player) REFERENCES players (Uuid)" in create
    assert not findings(f"{ddl};{create};ALTER TABLE games DROP COLUMN players", rule="SPN504")


def test_the_name_of_an_array_is_weak_evidence() -> None:
    assert not findings(lint.RULES["SPN504"].bad, rule="default")
