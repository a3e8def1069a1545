"""What can be wrong with instances, their capacity, configurations and partitions."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.database.errors import ResourceNotFound

_TYPE_URL = "type.googleapis.com/google.spanner"
_INSTANCE = "type.googleapis.com/google.spanner.admin.instance.v1"


class InstanceConfigNotFound(ResourceNotFound):
    """No instance configuration of that name."""

    prose = "{kind} {name} not found."
    kind = "Instance config"
    resource_type = f"{_TYPE_URL}.admin.instance.v1.InstanceConfig"


class InstanceNotFound(ResourceNotFound):
    """No instance of that name."""

    kind = "Instance"
    resource_type = f"{_TYPE_URL}.admin.instance.v1.Instance"


class InstanceAlreadyExists(SpannerError):
    """The name chosen for an instance is taken."""

    code = Code.ALREADY_EXISTS
    prose = "Instance already exists: {name}"
    name: str


class MismatchingInstanceName(SpannerError):
    """CreateInstance names the instance twice, differently."""

    code = Code.INVALID_ARGUMENT
    prose = "Mismatching instance names: {given} is not {expected}."
    given: str
    expected: str


class CapacityGivenTwice(SpannerError):
    """Both node_count and processing_units are set."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "Only one of nodes or processing units may be set for {name}; "
        "got {node_count} nodes and {processing_units} processing units."
    )
    name: str
    node_count: int
    processing_units: int


class InvalidNodeCount(SpannerError):
    """An instance cannot have this many nodes."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid node count {node_count} for {name}: it must be positive, and not immense."
    name: str
    node_count: int


class InvalidProcessingUnits(SpannerError):
    """An instance cannot have this many processing units."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "Invalid processing units {processing_units} for {name}: they must be a positive "
        "multiple of 100 up to 1000, and a multiple of 1000 above."
    )
    name: str
    processing_units: int


class InvalidDisplayName(SpannerError):
    """A display name outside the length that Spanner allows."""

    code = Code.INVALID_ARGUMENT
    prose = 'Invalid display name "{display_name}" for {name}: it must have 4 to 30 characters.'
    name: str
    display_name: str


class InstancePartitionNotFound(ResourceNotFound):
    """No instance partition of that name in an instance that exists."""

    kind = "Instance partition"
    resource_type = f"{_INSTANCE}.InstancePartition"


class InstanceHasBackups(SpannerError):
    """An instance goes only when its backups are gone."""

    code = Code.FAILED_PRECONDITION
    prose = "Instance {name} cannot be deleted: it has backups, such as {backup}."
    name: str
    backup: str


class ConfigNotUserManaged(SpannerError):
    """A Google-managed configuration is to be changed or deleted."""

    code = Code.INVALID_ARGUMENT
    prose = "Instance config {name} is not user-managed."
    name: str


class ConfigBaseNotManaged(SpannerError):
    """A user-managed configuration is to be based on another one, or on one elsewhere."""

    code = Code.INVALID_ARGUMENT
    prose = "Instance config {name} cannot be based on {base}: {reason}."
    name: str
    base: str
    reason: str


class ConfigInUse(SpannerError):
    """A configuration that an instance uses is to be deleted."""

    code = Code.FAILED_PRECONDITION
    prose = "Instance config {name} cannot be deleted: {user} uses it."
    name: str
    user: str


class InstanceTooSmall(SpannerError):
    """Something that needs an instance of at least one node."""

    code = Code.FAILED_PRECONDITION
    prose = "Instance {name} has less than one node, which {feature} needs."
    name: str
    feature: str


class PartitionInUse(SpannerError):
    """An instance partition that a placement or a backup uses is to be deleted."""

    code = Code.FAILED_PRECONDITION
    prose = "Instance partition {name} cannot be deleted: {user} uses it."
    name: str
    user: str


class CapacityNotWholeNodes(SpannerError):
    """An instance partition has whole nodes."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid processing units {units} for {name}: they must be a positive multiple of 1000."
    name: str
    units: int


class InvalidAutoscaling(SpannerError):
    """An autoscaling config that makes no sense."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid autoscaling_config for {name}: {reason}."
    name: str
    reason: str


class CapacityIsAutoscaled(SpannerError):
    """Nodes or processing units are set beside an autoscaling config."""

    code = Code.INVALID_ARGUMENT
    prose = "The capacity of {name} cannot be set: it is autoscaled."
    name: str


class InstanceCannotMove(SpannerError):
    """An instance with something that keeps it where it is."""

    code = Code.FAILED_PRECONDITION
    prose = "Instance {name} cannot be moved: {reason}."
    name: str
    reason: str


class InstanceThereAlready(SpannerError):
    """An instance is to be moved to the configuration it has."""

    code = Code.INVALID_ARGUMENT
    prose = "Instance {name} uses {config} already."
    name: str
    config: str
