"""Valid requests to the admin APIs and to long-running operations, for `valid`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from random import Random
from typing import Any

from spanemu.frontend import wire as admin
from tests.fuzz.corpus import CHANGES
from tests.fuzz.statements import random_ddl
from tests.fuzz.world import DATABASES, INSTANCES, Builder, World


def _parent(world: World) -> str:
    return world.instance_name.partition("/instances/")[0]


def _create_instance(random: Random, world: World) -> Any:
    return admin.CreateInstanceRequest(
        parent=_parent(world),
        instance_id=f"made-{random.randrange(100)}",
        instance={
            "config": world.config_name,
            "display_name": "A display name",
            "node_count": 1,
            "labels": {"env": "dev"},
        },
    )


def _update_instance(random: Random, world: World) -> Any:
    return admin.UpdateInstanceRequest(
        instance={"name": world.instance_name, "display_name": "Another name", "node_count": 2},
        field_mask={"paths": ["display_name", "node_count"]},
    )


def _list_instances(random: Random, world: World) -> Any:
    return admin.ListInstancesRequest(
        parent=_parent(world), page_size=1, filter="name:scratch OR labels.env:dev"
    )


def _create_database(random: Random, world: World) -> Any:
    statements = [random_ddl(random) for _ in range(random.choice((0, 1, 2)))]
    return admin.CreateDatabaseRequest(
        parent=world.instance_name,
        create_statement=f"CREATE DATABASE `made-{random.randrange(100)}`",
        extra_statements=statements,
    )


def _delete_instance(random: Random, world: World) -> Any:
    creation = _create_instance(random, world)
    world.send(INSTANCES + "CreateInstance", creation.SerializeToString())
    return admin.DeleteInstanceRequest(name=f"{_parent(world)}/instances/{creation.instance_id}")


_POLICY_REQUESTS: Mapping[str, Any] = {
    "GetIamPolicy": admin.GetIamPolicyRequest,
    "SetIamPolicy": admin.SetIamPolicyRequest,
    "TestIamPermissions": admin.TestIamPermissionsRequest,
}


def _policy_request(kind: Any, service: str, _random: Random, world: World) -> Any:
    """Return a request about the policy of the service's resource."""
    return kind(resource=world.instance_name if service == INSTANCES else world.scratch)


def _drop_database(random: Random, world: World) -> Any:
    creation = admin.CreateDatabaseRequest(
        parent=world.instance_name, create_statement="CREATE DATABASE `made-0`"
    )
    world.send(DATABASES + "CreateDatabase", creation.SerializeToString())
    return admin.DropDatabaseRequest(database=f"{world.instance_name}/databases/made-0")


def _update_database(random: Random, world: World) -> Any:
    return admin.UpdateDatabaseRequest(
        database={"name": world.scratch, "enable_drop_protection": random.random() < 0.5},
        update_mask={"paths": ["enable_drop_protection"]},
    )


def _update_ddl(random: Random, world: World) -> Any:
    return admin.UpdateDatabaseDdlRequest(
        database=world.scratch,
        statements=[random.choice((random.choice(CHANGES), random_ddl(random)))],
        operation_id=random.choice(("", "", f"op_{random.randrange(1000)}")),
    )


def _operation(world: World) -> str:
    request = admin.UpdateDatabaseDdlRequest(
        database=world.scratch,
        statements=["CREATE TABLE IF NOT EXISTS T (K INT64) PRIMARY KEY (K)"],
    )
    return str(world.ask(DATABASES + "UpdateDatabaseDdl", request).name)


_OPERATIONS = "/google.longrunning.Operations/"

ADMIN_BUILDERS: Mapping[str, tuple[Builder, ...]] = {
    INSTANCES + "ListInstanceConfigs": (
        lambda _random, world: admin.ListInstanceConfigsRequest(parent=_parent(world), page_size=1),
    ),
    INSTANCES + "GetInstanceConfig": (
        lambda _random, world: admin.GetInstanceConfigRequest(name=world.config_name),
    ),
    INSTANCES + "ListInstances": (_list_instances,),
    INSTANCES + "GetInstance": (
        lambda _random, world: admin.GetInstanceRequest(
            name=world.instance_name, field_mask={"paths": ["name"]}
        ),
    ),
    INSTANCES + "CreateInstance": (_create_instance,),
    INSTANCES + "UpdateInstance": (_update_instance,),
    INSTANCES + "DeleteInstance": (_delete_instance,),
    DATABASES + "ListDatabases": (
        lambda _random, world: admin.ListDatabasesRequest(parent=world.instance_name, page_size=1),
    ),
    DATABASES + "GetDatabase": (
        lambda _random, world: admin.GetDatabaseRequest(name=world.scratch),
    ),
    DATABASES + "CreateDatabase": (_create_database,),
    DATABASES + "UpdateDatabase": (_update_database,),
    DATABASES + "DropDatabase": (_drop_database,),
    DATABASES + "GetDatabaseDdl": (
        lambda _random, world: admin.GetDatabaseDdlRequest(database=world.scratch),
    ),
    DATABASES + "UpdateDatabaseDdl": (_update_ddl,),
    DATABASES + "ListDatabaseOperations": (
        lambda _random, world: admin.ListDatabaseOperationsRequest(
            parent=world.instance_name, filter="done:true AND error:*", page_size=1
        ),
    ),
    DATABASES + "AddSplitPoints": (
        lambda random, world: admin.AddSplitPointsRequest(
            database=world.scratch,
            split_points=[
                {"table": "Singers", "keys": [{"key_parts": [str(random.randrange(9))]}]}
            ],
        ),
    ),
    DATABASES + "ListDatabaseRoles": (
        lambda _random, world: admin.ListDatabaseRolesRequest(parent=world.scratch, page_size=1),
    ),
    **{
        service + name: (partial(_policy_request, request, service),)
        for service in (INSTANCES, DATABASES)
        for name, request in _POLICY_REQUESTS.items()
    },
    _OPERATIONS + "ListOperations": (
        lambda _random, world: admin.ListOperationsRequest(
            name=f"{world.scratch}/operations", filter="done:true", page_size=1
        ),
    ),
    _OPERATIONS + "GetOperation": (
        lambda _random, world: admin.GetOperationRequest(name=_operation(world)),
    ),
    _OPERATIONS + "DeleteOperation": (
        lambda _random, world: admin.DeleteOperationRequest(name=_operation(world)),
    ),
    _OPERATIONS + "CancelOperation": (
        lambda _random, world: admin.CancelOperationRequest(name=_operation(world)),
    ),
    _OPERATIONS + "WaitOperation": (
        lambda _random, world: admin.WaitOperationRequest(
            name=_operation(world), timeout={"seconds": 1}
        ),
    ),
}
