"""The log of long-running operations."""

import pytest

from spanemu.admin.errors import OperationAlreadyExists, OperationNotFound
from spanemu.admin.operation_kinds import DdlAction, DdlUpdate
from spanemu.admin.operations import RETENTION_NANOS, Operation, OperationLog
from spanemu.base.clock import ManualClock
from spanemu.base.paging import PageRequest
from spanemu.base.resource_names import InstanceName, InvalidName, InvalidOperationId, OperationName
from spanemu.database.errors import InvalidFilter
from tests.unit.database.fakes import Refused

INSTANCE = InstanceName("p", "i")
FIRST = INSTANCE.database("d1")
SECOND = INSTANCE.database("d2")


@pytest.fixture
def clock():
    return ManualClock(RETENTION_NANOS * 10)


@pytest.fixture
def log(clock):
    return OperationLog(clock)


def record(log, clock, resource=FIRST, operation_id="", failure=None):
    name = log.reserve(resource, operation_id)
    kind = DdlUpdate(str(resource), ("CREATE TABLE T",), (5,), (DdlAction("CREATE"),))
    return log.record(Operation(name, kind, clock.now(), clock.now(), failure))


def ids(page):
    return [operation.name.operation for operation in page.items]


def test_an_operation_is_found_until_deleted(log, clock):
    operation = record(log, clock, operation_id="op_1")
    name = f"{FIRST}/operations/op_1"
    assert log.get(name) is operation
    log.delete(name)
    for call in (log.get, log.delete):
        with pytest.raises(OperationNotFound) as caught:
            call(name)
        assert caught.value.name == name
        with pytest.raises(InvalidName):
            call("op_1")


def test_operation_ids_are_unique_per_resource(log, clock):
    record(log, clock, operation_id="op_1")
    with pytest.raises(OperationAlreadyExists):
        log.reserve(FIRST, "op_1")
    assert log.reserve(SECOND, "op_1") == OperationName(SECOND, "op_1")
    with pytest.raises(OperationAlreadyExists):
        log.reserve(SECOND, "op_1")  # taken though not yet recorded
    log.release(OperationName(SECOND, "op_1"))
    log.reserve(SECOND, "op_1")
    with pytest.raises(InvalidOperationId):
        log.reserve(FIRST, "Bad-Id")


def test_generated_ids_differ_and_sort_by_age(log, clock):
    made = [record(log, clock).name.operation for _ in range(20)]
    assert made == sorted(set(made))
    assert all(each.startswith("_auto") for each in made)


def test_lists_keep_to_their_resource(log, clock):
    record(log, clock, FIRST, "op_a")
    record(log, clock, SECOND, "op_b")
    record(log, clock, INSTANCE, "op_c")
    record(log, clock, InstanceName("p", "i2").database("d1"), "op_d")
    assert ids(log.of_resource(FIRST, "", PageRequest())) == ["op_a"]
    assert ids(log.of_resource(INSTANCE, "", PageRequest())) == ["op_c"]
    assert ids(log.of_databases(INSTANCE, "", PageRequest())) == ["op_a", "op_b"]


def test_pages_and_filters(log, clock):
    record(log, clock, FIRST, "op_a")
    record(log, clock, FIRST, "op_b", failure=Refused("STUCK"))
    record(log, clock, FIRST, "op_c")

    def found(filter_, size=0, token=""):
        return log.of_resource(FIRST, filter_, PageRequest(size, token))

    first = found("", 2)
    assert ids(first) == ["op_a", "op_b"]
    assert ids(found("", 2, first.next_token)) == ["op_c"]
    assert ids(found("error:*")) == ["op_b"]
    assert ids(found("error.code=9")) == ["op_b"]
    assert ids(found("NOT error:*")) == ["op_a", "op_c"]
    assert ids(found("done:true name:op_c")) == ["op_c"]
    assert ids(found("metadata.@type:UpdateDatabaseDdlMetadata metadata.database:d2")) == []
    assert ids(found('metadata.progress.start_time < "1970-01-01T00:00:00Z"')) == []
    assert len(ids(found('metadata.commit_timestamps < "1970-01-01T00:00:01Z"'))) == 3
    with pytest.raises(InvalidFilter):
        found("((")


def test_operations_go_with_their_resource(log, clock):
    record(log, clock, FIRST, "op_a")
    record(log, clock, INSTANCE.database("d10"), "op_b")
    log.drop_resource(FIRST)
    assert ids(log.of_databases(INSTANCE, "", PageRequest())) == ["op_b"]
    log.reserve(FIRST, "op_a")
    log.drop_resource(INSTANCE)
    assert ids(log.of_databases(INSTANCE, "", PageRequest())) == []


def test_operations_are_forgotten_after_a_week(log, clock):
    record(log, clock, FIRST, "op_a")
    clock.advance(RETENTION_NANOS // 2)
    record(log, clock, FIRST, "op_b")
    clock.advance(RETENTION_NANOS // 2)
    assert ids(log.of_resource(FIRST, "", PageRequest())) == ["op_b"]
    with pytest.raises(OperationNotFound):
        log.get(f"{FIRST}/operations/op_a")


def test_deleted_operations_leave_the_log(log, clock):
    for _ in range(500):
        log.delete(str(record(log, clock).name))
    assert len(log._ended) < 100
