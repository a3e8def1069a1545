"""Long-running operations as messages."""

import pytest

from spanemu.admin.database_administration import (
    SchemaUpdate,
    add_database,
    update_ddl,
)
from spanemu.admin.instance import InstanceSpec
from spanemu.admin.instance_administration import create_instance
from spanemu.admin.instances import DEFAULT_SETTINGS
from spanemu.base.errors import Code
from spanemu.base.resource_names import DatabaseName
from spanemu.frontend import wire
from spanemu.frontend.admin import operations
from spanemu.frontend.errors import InvalidDuration
from tests.unit.database.fakes import fake_catalog

DATABASE = "projects/p/instances/i1/databases/d1"


@pytest.fixture
def catalog():
    instances = fake_catalog(DEFAULT_SETTINGS)
    spec = InstanceSpec(config="projects/p/instanceConfigs/emulator-config")
    create_instance(instances, "projects/p", "i1", spec)
    add_database(instances, DatabaseName.parse(DATABASE))
    return instances


def test_a_failed_operation_has_an_error_and_no_response(catalog):
    update_ddl(
        catalog,
        DATABASE,
        SchemaUpdate(
            (
                "CREATE TABLE A",
                "STUCK",
                "CREATE TABLE B",
            ),
            "op_1",
        ),
    )
    request = wire.GetOperationRequest(name=f"{DATABASE}/operations/op_1")
    message = operations.get_operation(catalog, request)
    assert message.done
    assert message.WhichOneof("result") == "error"
    assert message.error.code == Code.FAILED_PRECONDITION
    metadata = wire.UpdateDatabaseDdlMetadata()
    assert message.metadata.Unpack(metadata)
    assert list(metadata.statements) == ["CREATE TABLE A", "STUCK", "CREATE TABLE B"]
    assert len(metadata.commit_timestamps) == 1
    assert [each.progress_percent for each in metadata.progress] == [100, 0, 0]
    assert metadata.progress[0].end_time == metadata.commit_timestamps[0]
    assert [each.action for each in metadata.actions] == ["CREATE", "STUCK", "CREATE"]


def test_waiting_for_a_finished_operation_returns_it(catalog):
    update_ddl(catalog, DATABASE, SchemaUpdate(("CREATE TABLE A",), "op_1"))
    request = wire.WaitOperationRequest(name=f"{DATABASE}/operations/op_1")
    message = operations.wait_operation(catalog, request)
    assert message.response.Is(wire.Empty.DESCRIPTOR)
    assert message == operations.get_operation(catalog, wire.GetOperationRequest(name=message.name))


@pytest.mark.parametrize("seconds", [-1, 0, 2**40])
def test_a_wait_takes_any_valid_duration(catalog, seconds):
    update_ddl(catalog, DATABASE, SchemaUpdate(("CREATE TABLE A",), "op_1"))
    request = wire.WaitOperationRequest(name=f"{DATABASE}/operations/op_1")
    request.timeout.seconds = seconds
    if seconds > 10**12:
        with pytest.raises(InvalidDuration):
            operations.wait_operation(catalog, request)
    else:
        assert operations.wait_operation(catalog, request).done
