"""google.spanner.admin.database.v1: databases and their schemas."""

from __future__ import annotations

from typing import Any

from spanemu.base.paging import PageRequest
from spanemu.database.administration import NewDatabase, update_ddl
from spanemu.database.administration import create_database as create
from spanemu.database.administration import update_database as update
from spanemu.database.instances import Instances
from spanemu.frontend.admin import wire
from spanemu.frontend.admin.operations import operation_to_proto
from spanemu.frontend.admin.resources import database_to_proto


def list_databases(instances: Instances, request: Any) -> Any:
    """The databases of an instance."""
    page = instances.databases(request.parent, PageRequest(request.page_size, request.page_token))
    return wire.ListDatabasesResponse(
        databases=map(database_to_proto, page.items), next_page_token=page.next_token
    )


def get_database(instances: Instances, request: Any) -> Any:
    """One database."""
    return database_to_proto(instances.database(request.name))


def create_database(instances: Instances, request: Any) -> Any:
    """Create a database with its first schema; the operation is done."""
    new = NewDatabase(
        request.create_statement, tuple(request.extra_statements), _unsupported(request)
    )
    return operation_to_proto(create(instances, request.parent, new))


def update_database(instances: Instances, request: Any) -> Any:
    """Turn drop protection on or off; the operation is done."""
    database, paths = request.database, request.update_mask.paths
    operation = update(instances, database.name, database.enable_drop_protection, paths)
    return operation_to_proto(operation)


def drop_database(instances: Instances, request: Any) -> Any:
    """Drop a database; one that is not there is no error."""
    instances.drop_database(request.database)
    return wire.Empty()


def get_database_ddl(instances: Instances, request: Any) -> Any:
    """The statements that would create the schema anew."""
    return wire.GetDatabaseDdlResponse(statements=instances.database(request.database).ddl())


def update_database_ddl(instances: Instances, request: Any) -> Any:
    """Run schema statements; the operation is done, and failed if data refused one of them."""
    operation = update_ddl(
        instances, request.database, tuple(request.statements), request.operation_id
    )
    return operation_to_proto(operation)


def _unsupported(request: Any) -> tuple[str, ...]:
    features = []
    if request.database_dialect == wire.POSTGRESQL:
        features.append("The PostgreSQL dialect")
    if request.HasField("encryption_config"):
        features.append("Customer-managed encryption keys")
    return tuple(features)
