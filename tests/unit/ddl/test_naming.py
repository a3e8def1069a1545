"""Names that Spanner generates."""

from __future__ import annotations

from spanemu.ddl.apply import plan_batch
from spanemu.ddl.naming import check_name, foreign_key_name, managed_index_name
from spanemu.schema.schema import EMPTY, Schema


def test_names_depend_only_on_the_named_object() -> None:
    assert foreign_key_name(EMPTY, "A", "B") == foreign_key_name(EMPTY, "A", "B")
    assert foreign_key_name(EMPTY, "A", "B") != foreign_key_name(EMPTY, "AB", "")


def test_numbers_go_up_until_a_name_is_free() -> None:
    schema = plan_batch(
        ["CREATE TABLE T (a INT64, CHECK (a > 0), CHECK (a > 1)) PRIMARY KEY (a)"], EMPTY
    )[-1].schema
    names = [check.name for check in schema.tables["t"].checks]
    assert [name[-2:] for name in names] == ["_1", "_2"]
    assert check_name(schema, "T") == f"{names[0][:-2]}_3"


def test_a_name_is_found_among_many_without_a_test_of_each() -> None:
    checks = ", ".join(["CHECK (a > 0)"] * 500)
    schema = plan_batch([f"CREATE TABLE T (a INT64, {checks}) PRIMARY KEY (a)"], EMPTY)[-1].schema
    table = schema.tables["t"]
    assert [check.name.rpartition("_")[2] for check in table.checks] == [
        str(number) for number in range(1, 501)
    ]
    tested = []

    class Watched(Schema):
        def has_name(self, name: str) -> bool:
            tested.append(name)
            return super().has_name(name)

    watched = Watched(tables=schema.tables, dialect=schema.dialect)
    assert check_name(watched, "T").endswith("_501")
    assert len(tested) < 25


def test_long_names_are_cut() -> None:
    long = "x" * 128
    for name in (
        foreign_key_name(EMPTY, long, long),
        check_name(EMPTY, long),
        managed_index_name(EMPTY, long, [long, long], "U"),
    ):
        assert len(name) <= 128


def test_an_index_lives_in_the_schema_of_its_table() -> None:
    assert managed_index_name(EMPTY, "shop.T", ["a"], "N").startswith("shop.IDX_T_a_N_")
