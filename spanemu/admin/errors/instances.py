"""Errors of instances, their capacity, configurations and partitions."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.database.errors import ResourceNotFound

_TYPE_URL = "type.googleapis.com/google.spanner"
_INSTANCE = "type.googleapis.com/google.spanner.admin.instance.v1"


class InstanceConfigNotFound(ResourceNotFound):
    prose = "{kind} {name} not found."
    kind = "Instance config"
    resource_type = f"{_TYPE_URL}.admin.instance.v1.InstanceConfig"


class InstanceNotFound(ResourceNotFound):
    """A name of a missing instance."""

    kind = "Instance"
    resource_type = f"{_TYPE_URL}.admin.instance.v1.Instance"


class InstanceAlreadyExists(SpannerError, code=Code.ALREADY_EXISTS):
    prose = "Instance already exists: {name}"
    name: str


class MismatchingInstanceName(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Mismatching instance names: {given} is not {expected}."
    given: str
    expected: str


class CapacityGivenTwice(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Only one of nodes or processing units may be set for {name}; "
        "got {node_count} nodes and {processing_units} processing units."
    )
    name: str
    node_count: int
    processing_units: int


class InvalidNodeCount(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid node count {node_count} for {name}: it must be from 1 to 2147483."
    name: str
    node_count: int


class InvalidProcessingUnits(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Invalid processing units {processing_units} for {name}: they must be a positive "
        "multiple of 100 up to 1000, and a multiple of 1000 above."
    )
    name: str
    processing_units: int


class InvalidDisplayName(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = 'Invalid display name "{display_name}" for {name}: it must have 4 to 30 characters.'
    name: str
    display_name: str


class InstancePartitionNotFound(ResourceNotFound):
    """A name of a missing instance partition in an existing instance."""

    kind = "Instance partition"
    resource_type = f"{_INSTANCE}.InstancePartition"


class InstanceHasBackups(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Instance {name} cannot be deleted: it has backups, such as {backup}."
    name: str
    backup: str


class ConfigNotUserManaged(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Instance config {name} is not user-managed."
    name: str


class ConfigBaseNotManaged(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Instance config {name} cannot be based on {base}: {reason}."
    name: str
    base: str
    reason: str


class ConfigInUse(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Instance config {name} cannot be deleted: {user} uses it."
    name: str
    user: str


class InstanceTooSmall(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Instance {name} has less than one node, which {feature} needs."
    name: str
    feature: str


class PartitionInUse(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Instance partition {name} cannot be deleted: {user} uses it."
    name: str
    user: str


class CapacityNotWholeNodes(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid processing units {units} for {name}: they must be a positive multiple of 1000."
    name: str
    units: int


class InvalidAutoscaling(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid autoscaling_config for {name}: {reason}."
    name: str
    reason: str


class CapacityIsAutoscaled(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The capacity of {name} cannot be set: it is autoscaled."
    name: str


class InstanceCannotMove(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Instance {name} cannot be moved: {reason}."
    name: str
    reason: str


class InstanceThereAlready(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Instance {name} uses {config} already."
    name: str
    config: str
