"""The catalog: who is found, who is not, and what goes when its parent goes."""

import threading
from dataclasses import replace

import pytest

from spanemu.admin.errors import (
    DatabaseAlreadyExists,
    DatabaseDropProtected,
    InstanceConfigNotFound,
    InstanceHasProtectedDatabase,
    InstanceNotFound,
    TooManyDatabases,
)
from spanemu.admin.instances import CatalogSettings, add_database
from spanemu.base.paging import PageRequest
from spanemu.base.resource_names import DatabaseName, InstanceName, InvalidName
from spanemu.database.errors import DatabaseNotFound, InvalidFilter
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from tests.unit.database.fakes import fake_catalog

INSTANCE = InstanceName("p", "i1")
DATABASE = INSTANCE.database("d1")


@pytest.fixture
def catalog():
    instances = fake_catalog()
    instances.ensure_instance(INSTANCE)
    return instances


def names(page):
    return [item.name.rpartition("/")[2] for item in page.items]


def test_instance_configs():
    catalog = fake_catalog(CatalogSettings({"b-config": "B", "a-config": "A"}))
    assert names(catalog.configs.listed("projects/p", PageRequest())) == ["a-config", "b-config"]
    first = catalog.configs.listed("projects/p", PageRequest(1))
    assert names(first) == ["a-config"]
    assert names(catalog.configs.listed("projects/p", PageRequest(1, first.next_token))) == [
        "b-config"
    ]
    assert catalog.configs.get("projects/q/instanceConfigs/a-config").display_name == "A"
    with pytest.raises(InstanceConfigNotFound):
        catalog.configs.get("projects/p/instanceConfigs/c-config")
    with pytest.raises(InvalidName):
        catalog.configs.get("a-config")


def test_missing_resources_are_named_in_the_details(catalog):
    with pytest.raises(InstanceNotFound) as no_instance:
        catalog.database("projects/p/instances/i2/databases/d1")
    with pytest.raises(DatabaseNotFound) as no_database:
        catalog.database(str(DATABASE))
    (detail,) = no_instance.value.details()
    assert detail.resource_type.endswith("google.spanner.admin.instance.v1.Instance")
    assert detail.resource_name == "projects/p/instances/i2"
    (detail,) = no_database.value.details()
    assert detail.resource_type == "type.googleapis.com/google.spanner.admin.database.v1.Database"
    assert detail.resource_name == str(DATABASE)
    with pytest.raises(InvalidName):
        catalog.database("d1")


def test_ensure_instance_keeps_an_existing_instance(catalog):
    before = catalog.instance(str(INSTANCE))
    assert catalog.ensure_instance(INSTANCE) is before


def test_instances_are_listed_by_name_within_their_project(catalog):
    for project, instance in [("p", "i3"), ("p", "i2"), ("p-2", "i9"), ("q", "i1")]:
        catalog.ensure_instance(InstanceName(project, instance))
    assert names(catalog.instances("projects/p", "", PageRequest())) == ["i1", "i2", "i3"]
    assert names(catalog.instances("projects/p", "name:i2", PageRequest())) == ["i2"]
    assert names(catalog.instances("projects/p", "display_name:i2", PageRequest())) == ["i2"]
    assert names(catalog.instances("projects/p", "labels.env:*", PageRequest())) == []
    assert names(catalog.instances("projects/none", "", PageRequest())) == []
    with pytest.raises(InvalidFilter):
        catalog.instances("projects/p", "color:red", PageRequest())


def test_databases_are_listed_by_name_within_their_instance(catalog):
    other = InstanceName("p", "i10")  # its name begins as i1's does
    catalog.ensure_instance(other)
    for database in ("d2", "d1", "d10"):
        add_database(catalog, INSTANCE.database(database))
    add_database(catalog, other.database("zz"))
    assert names(catalog.databases(str(INSTANCE), PageRequest())) == ["d1", "d10", "d2"]
    first = catalog.databases(str(INSTANCE), PageRequest(2))
    rest = catalog.databases(str(INSTANCE), PageRequest(2, first.next_token))
    assert names(rest) == ["d2"]
    assert rest.next_token == ""
    with pytest.raises(InstanceNotFound):
        catalog.databases("projects/p/instances/none", PageRequest())


def test_dropping_a_database_closes_it_and_is_idempotent(catalog):
    database = add_database(catalog, DATABASE)
    catalog.drop_database(str(DATABASE))
    catalog.drop_database(str(DATABASE))
    assert database.closed == 1
    with pytest.raises(DatabaseNotFound):
        catalog.database(str(DATABASE))
    with pytest.raises(InstanceNotFound):
        catalog.drop_database("projects/p/instances/none/databases/d1")


def test_drop_protection_holds_against_both_ways_of_dropping(catalog):
    add_database(catalog, DATABASE).drop_protection = True
    add_database(catalog, INSTANCE.database("d0"))
    with pytest.raises(DatabaseDropProtected):
        catalog.drop_database(str(DATABASE))
    with pytest.raises(InstanceHasProtectedDatabase) as caught:
        catalog.delete_instance(str(INSTANCE))
    assert caught.value.database == str(DATABASE)
    assert names(catalog.databases(str(INSTANCE), PageRequest())) == ["d0", "d1"]


def test_deleting_an_instance_takes_its_databases_along(catalog):
    database = add_database(catalog, DATABASE)
    catalog.delete_instance(str(INSTANCE))
    assert database.closed == 1
    with pytest.raises(InstanceNotFound):
        catalog.delete_instance(str(INSTANCE))
    catalog.ensure_instance(INSTANCE)
    with pytest.raises(DatabaseNotFound):
        catalog.database(str(DATABASE))


def test_the_number_of_databases_is_limited():
    catalog = fake_catalog(CatalogSettings({"c": "C"}, databases_per_instance_max=2))
    catalog.ensure_instance(INSTANCE)
    for database in ("d1", "d2"):
        add_database(catalog, INSTANCE.database(database))
    with pytest.raises(TooManyDatabases) as caught:
        add_database(catalog, INSTANCE.database("d3"))
    assert caught.value.limit == 2
    catalog.drop_database(str(DATABASE))
    add_database(catalog, INSTANCE.database("d3"))

    unlimited = fake_catalog(CatalogSettings({"c": "C"}, databases_per_instance_max=None))
    unlimited.ensure_instance(INSTANCE)
    for number in range(150):
        add_database(unlimited, INSTANCE.database(f"d{number}"))


def test_exactly_one_concurrent_creation_of_a_database_succeeds(catalog):
    gate = threading.Barrier(8)
    won, lost = [], []

    def create():
        gate.wait()
        try:
            won.append(add_database(catalog, DATABASE))
        except DatabaseAlreadyExists as refusal:
            lost.append(refusal)

    threads = [threading.Thread(target=create) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(lost)) == (1, 7)
    assert catalog.database(str(DATABASE)) is won[0]
    assert [made.closed for made in catalog.made].count(0) == 1


def test_closing_the_catalog_closes_every_database(catalog):
    database = add_database(catalog, DATABASE)
    catalog.clear()
    assert database.closed == 1
    with pytest.raises(InstanceNotFound):
        catalog.database(str(DatabaseName("p", "i1", "d1")))


def test_databases_follow_the_nodes_of_their_instance() -> None:
    instances = fake_catalog()
    name = InstanceName("p", "i")
    instances.ensure_instance(name)
    database = instances.add_database(
        instances.new_database(f"{name}/databases/db", GOOGLE_STANDARD_SQL)
    )
    assert database.nodes == 1
    instances.change_instance(str(name), lambda old: replace(old, processing_units=7000))
    assert database.nodes == 7
