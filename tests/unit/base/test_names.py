"""Resource paths: what parses, what does not, and the rules for names that callers pick."""

import pytest

from spanemu.base.identifiers import is_identifier
from spanemu.base.resource_names import (
    BackupName,
    BackupScheduleName,
    DatabaseName,
    InstanceConfigName,
    InstanceName,
    InstancePartitionName,
    InvalidDatabaseId,
    InvalidInstanceId,
    InvalidLabelKey,
    InvalidLabelValue,
    InvalidName,
    InvalidOperationId,
    OperationName,
    ProjectName,
    SessionName,
    TooManyLabels,
    check_database_id,
    check_instance_id,
    check_labels,
    check_operation_id,
    operations_collection,
)

INSTANCE = "projects/p/instances/i"
DATABASE = f"{INSTANCE}/databases/d"


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (ProjectName, "projects/p"),
        (ProjectName, "projects/example.com:p"),
        (InstanceConfigName, "projects/p/instanceConfigs/emulator-config"),
        (InstanceName, INSTANCE),
        (DatabaseName, DATABASE),
        (SessionName, f"{DATABASE}/sessions/s-1_2"),
        (OperationName, f"{INSTANCE}/operations/_auto_op_1"),
        (OperationName, f"{DATABASE}/operations/o"),
        (OperationName, f"{INSTANCE}/backups/b/operations/o"),
        (OperationName, f"{INSTANCE}/instancePartitions/n/operations/o"),
        (OperationName, "projects/p/instanceConfigs/c/operations/o"),
        (InstancePartitionName, f"{INSTANCE}/instancePartitions/n"),
        (BackupName, f"{INSTANCE}/backups/b"),
        (BackupScheduleName, f"{DATABASE}/backupSchedules/e"),
    ],
)
def test_well_formed_names_round_trip(kind, name):
    assert str(kind.parse(name)) == name


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (ProjectName, ""),
        (ProjectName, "p"),
        (ProjectName, "projects/"),
        (ProjectName, "projects/p/"),
        (InstanceName, "projects/p/instances/"),
        (InstanceName, "projects//instances/i"),
        (InstanceName, "instances/i"),
        (InstanceName, DATABASE),
        (DatabaseName, INSTANCE),
        (DatabaseName, f"/{DATABASE}"),
        (DatabaseName, f"{DATABASE}\n"),
        (DatabaseName, "projects/p/instances/i/databases/a b"),
        (SessionName, DATABASE),
        (SessionName, f"{DATABASE}/sessions/a/b"),
        (OperationName, f"{DATABASE}/operations/"),
        (OperationName, f"{DATABASE}/operations/a/b"),
        (OperationName, "operations/o"),
        (OperationName, "projects/p/operations/o"),
    ],
)
def test_malformed_names_are_refused(kind, name):
    with pytest.raises(InvalidName) as caught:
        kind.parse(name)
    assert caught.value.name == name
    assert str(caught.value)


def test_a_name_knows_its_parent():
    assert str(DatabaseName.parse(DATABASE).parent) == INSTANCE
    assert str(SessionName.parse(f"{DATABASE}/sessions/s").parent) == DATABASE
    assert InstanceName.parse(INSTANCE).database("d") == DatabaseName.parse(DATABASE)


def test_the_collection_of_operations_names_its_resource():
    assert operations_collection(f"{INSTANCE}/operations") == InstanceName("p", "i")
    assert operations_collection(f"{DATABASE}/operations") == DatabaseName("p", "i", "d")
    for bad in (INSTANCE, f"{INSTANCE}/operations/", f"{INSTANCE}/operations/o", "operations"):
        with pytest.raises(InvalidName):
            operations_collection(bad)


@pytest.mark.parametrize("good", ["ab", "a-b", "a" * 64, "a1"])
def test_valid_instance_ids(good):
    check_instance_id(good)


@pytest.mark.parametrize("bad", ["", "a", "1a", "a-", "A1", "a_b", "a" * 65, "ab\n", "ä1"])
def test_invalid_instance_ids(bad):
    with pytest.raises(InvalidInstanceId):
        check_instance_id(bad)


@pytest.mark.parametrize("good", ["ab", "a-b_c", "a" * 30, "a_1"])
def test_valid_database_ids(good):
    check_database_id(good)


@pytest.mark.parametrize("bad", ["", "a", "1a", "a-", "a_", "Ab", "a" * 31, "ab\n"])
def test_invalid_database_ids(bad):
    with pytest.raises(InvalidDatabaseId):
        check_database_id(bad)


@pytest.mark.parametrize("bad", ["a", "_a1", "A1", "a-b", "a" * 129])
def test_invalid_operation_ids(bad):
    with pytest.raises(InvalidOperationId):
        check_operation_id(bad)


def test_labels_have_limits():
    check_labels({"env": "dev", "empty": "", "a_b-1": "x" * 63})
    check_labels({f"k{n}": "v" for n in range(64)})
    with pytest.raises(TooManyLabels) as caught:
        check_labels({f"k{n}": "v" for n in range(65)})
    assert caught.value.count == 65
    for key in ("", "1a", "A", "a" * 64, "a.b"):
        with pytest.raises(InvalidLabelKey):
            check_labels({key: "v"})
    for value in ("A", "x" * 64, "a b"):
        with pytest.raises(InvalidLabelValue):
            check_labels({"k": value})


def test_identifiers():
    assert is_identifier("Singers_1")
    assert is_identifier("_x")
    assert not is_identifier("1x")
    assert not is_identifier("a b")
    assert not is_identifier("a" * 129)
