"""A table's rules, compiled from its schema."""

from __future__ import annotations

import pytest

from spanemu.txn.rules import cell_getter
from tests.unit.txn.bench import Bench

SHOP = (
    "CREATE TABLE Kinds (Id INT64 NOT NULL) PRIMARY KEY (Id)",
    "CREATE TABLE Items (Id INT64 NOT NULL, Code STRING(9) NOT NULL, KindId INT64,"
    " Price INT64, Taxed INT64 AS (Doubled + 1) STORED, Doubled INT64 AS (Price * 2) STORED,"
    " Shown STRING(MAX) AS (UPPER(Code)),"
    " CONSTRAINT Cheap CHECK (Price < 100),"
    " CONSTRAINT ItemKind FOREIGN KEY (KindId) REFERENCES Kinds (Id),"
    " CONSTRAINT Loose FOREIGN KEY (KindId) REFERENCES Kinds (Id) NOT ENFORCED)"
    " PRIMARY KEY (Id)",
    "CREATE TABLE Parts (Id INT64 NOT NULL, N INT64 NOT NULL, Code STRING(9), KindId INT64,"
    " CONSTRAINT PartItem FOREIGN KEY (Code, KindId) REFERENCES Items (Code, KindId))"
    " PRIMARY KEY (Id, N), INTERLEAVE IN PARENT Items ON DELETE CASCADE",
    "CREATE TABLE Notes (Id INT64 NOT NULL) PRIMARY KEY (Id), INTERLEAVE IN Items",
    "CREATE UNIQUE INDEX ItemsByCode ON Items (Code DESC) STORING (Price)",
    "CREATE NULL_FILTERED INDEX ItemsByKind ON Items (KindId)",
)


@pytest.fixture(scope="module")
def shop() -> Bench:
    return Bench(*SHOP)


def cells(shop: Bench, **given):
    """Return a row of Items."""
    table = shop.schema.tables["items"]
    row: list = [None] * table.width
    for name, value in given.items():
        row[table.by_name[name.lower()].position] = value
    return tuple(row)


@pytest.mark.parametrize(("positions", "picked"), [((), ()), ((2,), (30,)), ((2, 0), (30, 10))])
def test_a_picker_gives_a_tuple(positions, picked) -> None:
    assert cell_getter(positions)((10, 20, 30)) == picked


def test_rules_are_made_once_and_found_in_any_case(shop: Bench) -> None:
    rules = shop.rules("Items")
    assert shop.rules("items") is rules
    assert shop.compiled.named("ITEMS") is rules
    assert shop.compiled.named("Nothing") is None


def test_only_interleaving_in_parent_needs_a_parent_row(shop: Bench) -> None:
    items, parts, notes = (shop.rules(name) for name in ("Items", "Parts", "Notes"))
    assert parts.parent is items
    assert parts.parent_parts == 1
    assert notes.parent is None
    assert items.children == (parts,)


def test_an_entry_holds_declared_key_base_key_and_stored(shop: Bench) -> None:
    named = {each.index.name: each for each in shop.rules("Items").indexes}
    by_code, by_group = named["ItemsByCode"], named["ItemsByKind"]
    row = cells(shop, id=1, code="a", price=5)
    (entry,) = by_code.entries(row)
    assert entry[1] == ("a", 1, 5)
    assert entry[0].startswith(by_code.prefix(entry[1]))
    assert by_code.index.unique
    assert not by_group.entries(row)
    assert len(by_group.entries(cells(shop, id=1, code="a", kindid=7))) == 1


def test_only_enforced_references_count(shop: Bench) -> None:
    items, groups = shop.rules("Items"), shop.rules("Kinds")
    assert [each.foreign_key.name for each in items.references] == ["ItemKind"]
    assert [each.foreign_key.name for each in groups.referenced_by] == ["ItemKind"]
    assert groups.referenced_by[0] is items.references[0]


def test_a_reference_finds_both_of_its_ends(shop: Bench) -> None:
    (reference,) = shop.rules("Parts").references
    values = ("a", 7)
    item = cells(shop, id=1, code="a", kindid=7)
    part = (1, 2, "a", 7)
    assert reference.values_of(part) == reference.referenced_values_of(item) == values
    assert reference.text(values) == '{String("a"), Int64(7)}'
    target = next(
        index for index in shop.rules("Items").indexes if index.tree == reference.target_tree
    )
    (entry,) = target.entries(item)
    assert entry[0].startswith(reference.target_prefix(values))
    source = next(i for i in shop.rules("Parts").indexes if i.tree == reference.source_tree)
    (result,) = source.entries(part)
    assert result[0].startswith(reference.source_prefix(values))
    assert reference.base_key(*result) == shop.key("Parts", 1, 2)


def test_a_reference_to_a_primary_key_needs_no_index(shop: Bench) -> None:
    (reference,) = shop.rules("Items").references
    assert reference.target_tree == shop.tree("Kinds")
    assert reference.target_prefix((7,)) == shop.key("Kinds", 7)


def test_generated_columns_are_computed_after_the_columns_that_they_read(shop: Bench) -> None:
    rules = shop.rules("Items")
    assert [column.name for column, _ in rules.generated].index("Doubled") < [
        column.name for column, _ in rules.generated
    ].index("Taxed")
    assert [column.name for column, _ in rules.virtual] == ["Shown"]
    assert {column.name for column, _ in rules.stored_generated} == {"Doubled", "Taxed"}
    assert not rules.indexes_virtual


def test_a_table_without_constraints_is_plain(shop: Bench) -> None:
    assert shop.rules("Notes").is_plain
    assert not shop.rules("Items").is_plain
    assert not shop.rules("Kinds").is_plain  # somebody refers to it
    assert shop.rules("Items").has_row_checks
    assert not shop.rules("Parts").has_row_checks


def test_checks_and_lengths_by_name_and_position(shop: Bench) -> None:
    rules = shop.rules("Items")
    context = shop.begin().context
    ((name, check),) = rules.checks
    assert name == "Cheap"
    verdicts = [check.evaluate(cells(shop, price=price), context) for price in (5, 500, None)]
    assert verdicts == [True, False, None]
    assert set(rules.cell_checks) == {1, 6}  # the STRING columns


def test_an_index_entry_counts_its_declared_and_stored_columns(shop: Bench) -> None:
    items = shop.core.generation.rules.of(shop.schema.tables["items"])
    mutations = {index.index.name: index.mutations for index in items.indexes}
    assert (mutations["ItemsByCode"], mutations["ItemsByKind"]) == (2, 1)
