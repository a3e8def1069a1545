"""Every service, with every RPC it has: what a port or an embedded channel offers."""

from __future__ import annotations

from spanemu.admin.instances import Instances
from spanemu.frontend.admin.methods import DATABASE_METHODS, INSTANCE_METHODS, OPERATION_METHODS
from spanemu.frontend.endpoint import Endpoints
from spanemu.frontend.method import Service
from spanemu.frontend.spanner.methods import SPANNER_METHODS

SERVICES: tuple[Service, ...] = (
    Service("google.spanner.v1.Spanner", SPANNER_METHODS),
    Service("google.spanner.admin.instance.v1.InstanceAdmin", INSTANCE_METHODS),
    Service("google.spanner.admin.database.v1.DatabaseAdmin", DATABASE_METHODS),
    Service("google.longrunning.Operations", OPERATION_METHODS),
)


def endpoints_for(instances: Instances) -> Endpoints:
    """All services, bound to the catalog that they serve."""
    return Endpoints(SERVICES, instances, instances.limits)
