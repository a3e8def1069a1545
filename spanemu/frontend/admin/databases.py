"""The handlers of google.spanner.admin.database.v1 for databases and their schemas."""

from __future__ import annotations

from typing import Any

from spanemu.admin.database_administration import SchemaUpdate, update_ddl
from spanemu.admin.database_administration import add_split_points as add
from spanemu.admin.database_administration import create_database as create
from spanemu.admin.database_administration import update_database as update
from spanemu.admin.instances import Instances, NewDatabase
from spanemu.base.paging import PageRequest, page
from spanemu.database import errors
from spanemu.database.splits.split_points import REQUEST_BYTES_MAX, NewSplitPoints
from spanemu.frontend import wire
from spanemu.frontend.admin.operations import operation_to_proto
from spanemu.frontend.admin.resources import database_to_proto, keys_from_proto
from spanemu.frontend.convert.types import (
    list_from_proto,
    timestamp_from_proto,
    types_from_descriptors,
)
from spanemu.schema.dialect import DATABASE_DIALECTS, GOOGLE_STANDARD_SQL
from spanemu.schema.objects import SYSTEM_ROLES


def list_databases(instances: Instances, request: Any) -> Any:
    """List the databases of an instance."""
    page = instances.databases(request.parent, PageRequest(request.page_size, request.page_token))
    return wire.ListDatabasesResponse(
        databases=map(database_to_proto, page.items), next_page_token=page.next_token
    )


def get_database(instances: Instances, request: Any) -> Any:
    """Return a database."""
    return database_to_proto(instances.database(request.name))


def create_database(instances: Instances, request: Any) -> Any:
    """Create a database with its first schema; the operation is done."""
    new = NewDatabase(
        request.create_statement,
        tuple(request.extra_statements),
        DATABASE_DIALECTS.get(request.database_dialect, GOOGLE_STANDARD_SQL),
        types_from_descriptors(request.proto_descriptors),
        keys_from_proto(request.encryption_config),
    )
    return operation_to_proto(create(instances, request.parent, new))


def update_database(instances: Instances, request: Any) -> Any:
    """Turn drop protection on or off; the operation is done."""
    database, paths = request.database, request.update_mask.paths
    operation = update(instances, database.name, database.enable_drop_protection, paths)
    return operation_to_proto(operation)


def drop_database(instances: Instances, request: Any) -> Any:
    """Drop a database; a missing database is no error."""
    instances.drop_database(request.database)
    return wire.Empty()


def get_database_ddl(instances: Instances, request: Any) -> Any:
    """Return the statements that create the schema."""
    database = instances.database(request.database)
    bundle = database.schema.proto_bundle
    return wire.GetDatabaseDdlResponse(
        statements=database.ddl(),
        proto_descriptors=b"" if bundle is None else bundle.descriptors,
    )


def list_database_roles(instances: Instances, request: Any) -> Any:
    """List the roles of a database by name, system roles included."""
    database = instances.database(request.parent)
    paging = PageRequest(request.page_size, request.page_token)
    start = paging.start()
    user_roles = (role.name for role in database.schema.roles.values())
    names = sorted({*SYSTEM_ROLES, *user_roles})
    role_page = page(((name, name) for name in names if name >= start), paging.limit)
    return wire.ListDatabaseRolesResponse(
        database_roles=[
            wire.DatabaseRole(name=f"{database.name}/databaseRoles/{name}")
            for name in role_page.items
        ],
        next_page_token=role_page.next_token,
    )


def update_database_ddl(instances: Instances, request: Any) -> Any:
    """Run schema statements; the operation is done, and failed if a statement did."""
    update = SchemaUpdate(
        tuple(request.statements),
        request.operation_id,
        types_from_descriptors(request.proto_descriptors),
    )
    return operation_to_proto(update_ddl(instances, request.database, update))


def add_split_points(instances: Instances, request: Any) -> Any:
    """Add split points where a load is expected."""
    if request.ByteSize() > REQUEST_BYTES_MAX:
        raise errors.SplitPointsTooLarge(request.ByteSize(), REQUEST_BYTES_MAX)
    points = [
        NewSplitPoints(
            point.table,
            point.index,
            tuple(list_from_proto(key.key_parts) for key in point.keys),
            timestamp_from_proto(point.expire_time) if point.HasField("expire_time") else None,
        )
        for point in request.split_points
    ]
    add(instances, request.database, points, request.initiator)
    return wire.AddSplitPointsResponse()
