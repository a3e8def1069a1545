"""Tables of tenants, and tables that only have similar names."""

from __future__ import annotations

import pytest

from tests.unit.lint.linting import ids


def tables(*names: str, columns: str = "Code STRING(9) NOT NULL, Name STRING(99)") -> str:
    return ";".join(f"CREATE TABLE {name} ({columns}) PRIMARY KEY (Code)" for name in names) + ";"


@pytest.mark.parametrize(
    "names",
    [
        ("ref_country", "ref_currency", "ref_zzyzx"),
        ("lkp_a1b", "lkp_c2d", "lkp_e3f"),
        ("shop_country", "shop_currency", "shop_language"),
        ("app.dim_x", "app.dim_y", "app.dim_z"),
    ],
)
def test_lookup_tables_are_not_reported_as_tenants(names: tuple[str, ...]) -> None:
    assert "SPN701" not in ids(tables(*names))
    assert "SPN701" in ids(tables(*names), "SPN701")


def test_referenced_tables_are_not_reported_as_tenants() -> None:
    names = ("data_foo", "data_bar", "data_baz")
    assert "SPN701" in ids(tables(*names))
    referring = (
        "CREATE TABLE T (Code STRING(9) NOT NULL, Foo STRING(9), "
        "FOREIGN KEY (Foo) REFERENCES data_foo (Code)) PRIMARY KEY (Code)"
    )
    assert "SPN701" not in ids(tables(*names) + referring)


def test_a_chain_of_tables_is_not_reported_as_tenants() -> None:
    columns = (
        "Code STRING(9) NOT NULL, Next STRING(9), FOREIGN KEY (Next) REFERENCES person1 (Code)"
    )
    chain = tables("person2", "person3", "person4", columns=columns)
    assert "SPN701" not in ids(tables("person1") + chain)
    assert "SPN701" in ids(tables("person1") + chain, "SPN701")
    own = tables(
        "Orders_acme", "Orders_bolt", "Orders_core", columns=columns.replace("person1", "Plans")
    )
    assert "SPN701" in ids(tables("Plans") + own)


@pytest.mark.parametrize(
    "names", [("Orders_acme", "Orders_bolt", "Orders_shop"), ("Bills1", "Bills2", "Bills3")]
)
def test_tenants_and_numbers_are_reported(names: tuple[str, ...]) -> None:
    assert "SPN701" in ids(tables(*names))
