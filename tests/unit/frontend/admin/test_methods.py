"""The method tables are complete: each RPC of the official client has one row."""

import re
from inspect import getsource

import pytest
from google.cloud.spanner_admin_database_v1.services.database_admin.transports.grpc import (
    DatabaseAdminGrpcTransport,
)
from google.cloud.spanner_admin_instance_v1.services.instance_admin.transports.grpc import (
    InstanceAdminGrpcTransport,
)
from google.longrunning import operations_pb2

from spanemu.admin.operation_kinds import OperationKind
from spanemu.base.errors import Unsupported
from spanemu.frontend.admin import operations, wire
from spanemu.frontend.admin.methods import DATABASE_METHODS, INSTANCE_METHODS, OPERATION_METHODS


def rpcs(transport, service):
    return set(re.findall(rf'"/{re.escape(service)}/(\w+)"', getsource(transport)))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (
            INSTANCE_METHODS,
            rpcs(InstanceAdminGrpcTransport, "google.spanner.admin.instance.v1.InstanceAdmin"),
        ),
        (
            DATABASE_METHODS,
            # The Python client leaves this one out.
            rpcs(DatabaseAdminGrpcTransport, "google.spanner.admin.database.v1.DatabaseAdmin")
            | {"ChangeQuorum"},
        ),
        (
            OPERATION_METHODS,
            set(operations_pb2.DESCRIPTOR.services_by_name["Operations"].methods_by_name),
        ),
    ],
)
def test_tables_are_complete(table, expected):
    names = [method.name for method in table]
    assert len(expected) >= 5
    assert sorted(names) == sorted(expected)


def test_unimplemented_rpcs_name_themselves():
    refusals = [
        method for method in (*INSTANCE_METHODS, *DATABASE_METHODS) if method.request is wire.Empty
    ]
    for method in refusals:
        with pytest.raises(Unsupported) as caught:
            method.handler(None, wire.Empty())
        assert method.name in caught.value.feature


def kinds_below(kind):
    return {kind}.union(*(kinds_below(each) for each in kind.__subclasses__()))


@pytest.mark.parametrize(
    "kind", sorted(kinds_below(OperationKind) - {OperationKind}, key=lambda kind: kind.__name__)
)
def test_messages_of_a_kind_of_operation_exist(kind):
    for type_url in (kind.metadata_type, kind.response_type):
        name = type_url.rpartition("/")[2]
        assert getattr(wire, name.rpartition(".")[2]).DESCRIPTOR.full_name == name
    if kind.made:
        assert kind.response_type.rpartition(".")[2] in operations._RESOURCES
    else:
        assert not getattr(wire, kind.response_type.rpartition(".")[2]).DESCRIPTOR.fields
