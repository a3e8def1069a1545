"""The admin calls that leave an operation behind."""

import gc
from weakref import ref

import pytest

from spanemu.admin.database_administration import (
    NewDatabase,
    SchemaUpdate,
    create_database,
    update_database,
    update_ddl,
)
from spanemu.admin.errors import (
    DatabaseAlreadyExists,
    InstanceAlreadyExists,
    InstanceNotFound,
    InvalidCreateStatement,
    InvalidUpdateMask,
    MismatchingInstanceName,
    MissingCreateStatement,
    MissingDdlStatements,
    MissingField,
    OperationAlreadyExists,
    OperationNotFound,
    SchemaInCreateDatabase,
)
from spanemu.admin.instance import InstanceSpec
from spanemu.admin.instance_administration import create_instance, update_instance
from spanemu.base.paging import PageRequest
from spanemu.base.resource_names import (
    InvalidDatabaseId,
    InvalidInstanceId,
    InvalidName,
    InvalidOperationId,
)
from spanemu.database.errors import DatabaseNotFound
from spanemu.schema.dialect import POSTGRESQL
from tests.unit.database.fakes import Refused, fake_catalog

PROJECT = "projects/p"
INSTANCE = "projects/p/instances/i1"
DATABASE = f"{INSTANCE}/databases/d1"
CONFIG = "projects/p/instanceConfigs/emulator-config"


@pytest.fixture
def catalog():
    instances = fake_catalog()
    create_instance(instances, PROJECT, "i1", InstanceSpec(config=CONFIG))
    return instances


def make_database(catalog, statement="CREATE DATABASE d1", *extra):
    return create_database(catalog, INSTANCE, NewDatabase(statement, extra))


def test_an_instance_is_created_with_its_operation(catalog):
    spec = InstanceSpec(
        name="projects/p/instances/i2",
        config=CONFIG,
        display_name="Second",
        processing_units=300,
        labels={"env": "dev"},
    )
    operation = create_instance(catalog, PROJECT, "i2", spec)
    instance = catalog.instance("projects/p/instances/i2")
    assert operation.kind.instance == instance
    assert (instance.display_name, instance.processing_units) == ("Second", 300)
    assert instance.labels == {"env": "dev"}
    assert str(operation.name).startswith("projects/p/instances/i2/operations/_auto")
    assert catalog.operations.get(str(operation.name)) is operation


@pytest.mark.parametrize(
    ("parent", "instance_id", "spec", "error"),
    [
        ("p", "i2", InstanceSpec(config=CONFIG), InvalidName),
        (PROJECT, "I2", InstanceSpec(config=CONFIG), InvalidInstanceId),
        (PROJECT, "", InstanceSpec(config=CONFIG), InvalidInstanceId),
        (PROJECT, "i2", InstanceSpec(config=CONFIG, name=INSTANCE), MismatchingInstanceName),
        (PROJECT, "i1", InstanceSpec(config=CONFIG), InstanceAlreadyExists),
    ],
)
def test_invalid_instances_are_refused(catalog, parent, instance_id, spec, error):
    with pytest.raises(error):
        create_instance(catalog, parent, instance_id, spec)
    assert len(catalog.instances(PROJECT, "", PageRequest()).items) == 1


def test_an_instance_is_updated(catalog):
    before = catalog.instance(INSTANCE)
    operation = update_instance(catalog, InstanceSpec(name=INSTANCE, node_count=3), ("node_count",))
    after = catalog.instance(INSTANCE)
    assert (before.node_count, after.node_count) == (1, 3)
    assert after.update_time > before.update_time == before.create_time == after.create_time
    assert operation.kind.instance == after
    with pytest.raises(InstanceNotFound):
        update_instance(catalog, InstanceSpec(name=f"{INSTANCE}x"), ("labels",))


@pytest.mark.parametrize(
    ("statement", "database"),
    [
        ("CREATE DATABASE d1", "d1"),
        ("create database `d-1`", "d-1"),
        ("CREATE DATABASE`d1`;", "d1"),
        ("-- first\nCREATE /* a */ DATABASE d1 ; # done", "d1"),
        ("  CREATE\n\tDATABASE\n d_1  ", "d_1"),
    ],
)
def test_a_database_is_named_by_its_create_statement(catalog, statement, database):
    operation = make_database(catalog, statement)
    assert operation.kind.database is catalog.database(f"{INSTANCE}/databases/{database}")


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("", MissingCreateStatement),
        (" \n", MissingCreateStatement),
        ("CREATE TABLE d1", InvalidCreateStatement),
        ("CREATE DATABASE", InvalidCreateStatement),
        ("CREATE DATABASE d-1", InvalidCreateStatement),
        ("CREATE DATABASE d1 d2", InvalidCreateStatement),
        ("CREATE DATABASE d1; CREATE TABLE t", InvalidCreateStatement),
        ("CREATE DATABASEd1", InvalidCreateStatement),
        ("CREATE DATABASE D1", InvalidDatabaseId),
        ("CREATE DATABASE ``", InvalidDatabaseId),
        ("CREATE DATABASE d", InvalidDatabaseId),
        ("/*" * 5_000, InvalidCreateStatement),
        ("/**/" * 5_000 + "x", InvalidCreateStatement),
    ],
)
def test_other_statements_are_refused_as_create_statements(catalog, statement, error):
    with pytest.raises(error):
        make_database(catalog, statement)
    assert catalog.databases(INSTANCE, PageRequest()).items == []


def test_a_database_appears_complete_or_not_at_all(catalog):
    for bad in ("BAD", "STUCK"):
        with pytest.raises(Refused):
            make_database(catalog, "CREATE DATABASE d1", "CREATE TABLE t", bad)
        with pytest.raises(DatabaseNotFound):
            catalog.database(DATABASE)
        assert catalog.made[-1].closed == 1
    make_database(catalog, "CREATE DATABASE d1", "CREATE TABLE t")
    assert catalog.database(DATABASE).statements == ["CREATE TABLE t"]
    with pytest.raises(DatabaseAlreadyExists):
        make_database(catalog)
    with pytest.raises(InstanceNotFound):
        create_database(catalog, f"{INSTANCE}x", NewDatabase("CREATE DATABASE d1"))


def test_a_postgresql_database_is_created_without_a_schema(catalog):
    with_schema = NewDatabase("CREATE DATABASE d2", ("CREATE TABLE t",), POSTGRESQL)
    with pytest.raises(SchemaInCreateDatabase):
        create_database(catalog, INSTANCE, with_schema)
    with pytest.raises(InvalidCreateStatement):
        create_database(catalog, INSTANCE, NewDatabase("CREATE DATABASE `d2`", (), POSTGRESQL))
    with pytest.raises(InvalidDatabaseId):
        create_database(catalog, INSTANCE, NewDatabase('CREATE DATABASE "D2"', (), POSTGRESQL))
    create_database(catalog, INSTANCE, NewDatabase("CREATE DATABASE D2", (), POSTGRESQL))
    assert catalog.database(f"{INSTANCE}/databases/d2")


def test_drop_protection_is_the_only_setting(catalog):
    make_database(catalog)
    operation = update_database(catalog, DATABASE, True, ["enable_drop_protection"])
    assert catalog.database(DATABASE).drop_protection
    assert operation.kind.enable_drop_protection
    update_database(catalog, DATABASE, False, ["enable_drop_protection"])
    assert not catalog.database(DATABASE).drop_protection
    with pytest.raises(MissingField):
        update_database(catalog, DATABASE, True, [])
    with pytest.raises(InvalidUpdateMask):
        update_database(catalog, DATABASE, True, ["enable_drop_protection", "name"])
    assert not catalog.database(DATABASE).drop_protection
    with pytest.raises(DatabaseNotFound):
        update_database(catalog, f"{DATABASE}x", True, ["enable_drop_protection"])


def test_schema_statements_run_under_an_operation(catalog):
    make_database(catalog)
    statements = ("CREATE TABLE A (x INT64)", "DROP INDEX `B`")
    operation = update_ddl(catalog, DATABASE, SchemaUpdate(tuple(statements), "op_1"))
    assert str(operation.name) == f"{DATABASE}/operations/op_1"
    assert operation.failure is None
    assert operation.kind.statements == statements
    assert len(operation.kind.commit_timestamps) == 2
    assert operation.start_time < min(operation.kind.commit_timestamps)
    assert operation.end_time > max(operation.kind.commit_timestamps)
    assert [each.entity_names for each in operation.kind.actions] == [("A",), ("B",)]


def test_statements_that_data_refuses_fail_the_operation(catalog):
    make_database(catalog)
    operation = update_ddl(
        catalog, DATABASE, SchemaUpdate(("CREATE TABLE A", "STUCK", "CREATE TABLE B"))
    )
    assert operation.failure.statement == "STUCK"
    assert len(operation.kind.commit_timestamps) == 1
    assert catalog.database(DATABASE).statements == ["CREATE TABLE A"]


def test_bad_statements_fail_the_call_and_leave_the_id_free(catalog):
    make_database(catalog)
    with pytest.raises(Refused):
        update_ddl(catalog, DATABASE, SchemaUpdate(("CREATE TABLE A", "BAD"), "op_1"))
    assert catalog.database(DATABASE).statements == []
    with pytest.raises(OperationNotFound):
        catalog.operations.get(f"{DATABASE}/operations/op_1")
    update_ddl(catalog, DATABASE, SchemaUpdate(("CREATE TABLE A",), "op_1"))
    with pytest.raises(OperationAlreadyExists):
        update_ddl(catalog, DATABASE, SchemaUpdate(("CREATE TABLE B",), "op_1"))
    with pytest.raises(InvalidOperationId):
        update_ddl(catalog, DATABASE, SchemaUpdate(("CREATE TABLE B",), "op-1"))
    with pytest.raises(MissingDdlStatements):
        update_ddl(catalog, DATABASE, SchemaUpdate(()))
    assert catalog.database(DATABASE).statements == ["CREATE TABLE A"]


@pytest.mark.parametrize("how", ["drop_database", "delete_instance", "clear"])
def test_nothing_keeps_a_dropped_database_in_memory(catalog, how):
    make_database(catalog)
    database = ref(catalog.made.pop())
    name = {"drop_database": [DATABASE], "delete_instance": [INSTANCE], "clear": []}[how]
    getattr(catalog, how)(*name)
    gc.collect()
    assert database() is None
