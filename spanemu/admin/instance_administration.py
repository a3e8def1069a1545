"""The admin calls for instances, their configurations and partitions, and moves of instances.

Every call except deletions records a completed operation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from spanemu.admin.backup_runs import create_due_backups
from spanemu.admin.edition_checks import check_config, check_feature, check_instance
from spanemu.admin.errors import (
    ConfigInUse,
    InstanceCannotMove,
    InstanceThereAlready,
    InstanceTooSmall,
    MismatchingInstanceName,
    MismatchingName,
    MissingField,
    PartitionConfigRefused,
    PartitionInUse,
)
from spanemu.admin.instance import UNITS_PER_NODE, Instance, InstanceSpec, capacity, check_spec
from spanemu.admin.instance import updated as updated_instance
from spanemu.admin.instance_config import ConfigSpec, InstanceConfig
from spanemu.admin.instance_partition import (
    InstancePartition,
    PartitionSpec,
    new_partition,
)
from spanemu.admin.instance_partition import (
    updated as updated_partition,
)
from spanemu.admin.instances import Instances
from spanemu.admin.operation_kinds import (
    ConfigCreation,
    ConfigUpdate,
    InstanceCreation,
    InstanceMove,
    InstanceUpdate,
    PartitionCreation,
    PartitionUpdate,
)
from spanemu.admin.operations import Operation, finished
from spanemu.admin.published_configs import QuorumType
from spanemu.base.paging import Page, PageRequest
from spanemu.base.resource_names import (
    DatabaseName,
    InstanceConfigName,
    InstanceName,
    InstancePartitionName,
    OperationName,
    ProjectName,
    check_instance_id,
    check_instance_partition_id,
)
from spanemu.ddl.schema_text import alteration_writer
from spanemu.schema.editions import GEO_PARTITIONING

EVERY_INSTANCE = "-"

# ---------------------------------------------------------------------------- instances


def create_instance(
    instances: Instances, parent: str, instance_id: str, spec: InstanceSpec
) -> Operation:
    """Create an instance in the project `parent`."""
    project = ProjectName.parse(parent)
    check_instance_id(instance_id)
    name = InstanceName(project.project, instance_id)
    if spec.name not in ("", str(name)):
        raise MismatchingInstanceName(spec.name, str(name))
    if not spec.config and instances.configs.is_strict:
        raise MissingField("CreateInstance", "instance.config")
    instances.configs.check(spec.config)
    check_spec(spec, str(name))
    units = capacity(spec, str(name))
    start = instances.clock.now()
    instance = Instance(
        name=str(name),
        config=spec.config,
        display_name=spec.display_name or instance_id,
        processing_units=units,
        labels=dict(spec.labels),
        create_time=start,
        update_time=start,
        edition=spec.edition,
        autoscaling=spec.autoscaling,
        default_schedules=spec.default_schedules,
    )
    check_instance(instances, instance)
    instances.add_instance(instance)
    instances.configs.add_use(spec.config, project.project)
    return finished(instances.operations, name, InstanceCreation(instance), start)


def update_instance(instances: Instances, spec: InstanceSpec, paths: tuple[str, ...]) -> Operation:
    """Change the fields of an instance that `paths` name."""
    name = InstanceName.parse(spec.name)
    start = instances.clock.now()

    def change(old: Instance) -> Instance:
        new = updated_instance(old, spec, paths)
        if (new.edition, new.autoscaling) != (old.edition, old.autoscaling):
            check_instance(instances, new)
        return new

    changed = instances.change_instance(spec.name, change)
    return finished(instances.operations, name, InstanceUpdate(changed), start)


# ---------------------------------------------------------------------------- configurations


def create_config(
    instances: Instances, parent: str, config_id: str, spec: ConfigSpec, *, validate_only: bool
) -> Operation:
    """Create a user-managed configuration; with `validate_only` only validate the request."""
    start = instances.clock.now()
    config = instances.configs.create(parent, config_id, spec, validate_only=validate_only)
    return _of_config(instances, ConfigCreation(config), start, validate_only=validate_only)


def update_config(
    instances: Instances, spec: ConfigSpec, paths: Sequence[str], *, validate_only: bool
) -> Operation:
    """Change the fields of a user-managed configuration that `paths` name."""
    start = instances.clock.now()
    config = instances.configs.update(spec, paths, validate_only=validate_only)
    return _of_config(instances, ConfigUpdate(config), start, validate_only=validate_only)


def delete_config(
    instances: Instances, name: str, expected: int | None, *, validate_only: bool
) -> None:
    """Delete a user-managed configuration that no instance uses."""
    with instances.mutex:
        instances.configs.get(name)
        for user in instances.users_of_config(name):
            raise ConfigInUse(name, user)
        instances.configs.delete(name, expected, validate_only=validate_only)


def _of_config(
    instances: Instances, kind: ConfigCreation, start: int, *, validate_only: bool
) -> Operation:
    name = InstanceConfigName.parse(kind.config.name)
    if not validate_only:
        return finished(instances.operations, name, kind, start)
    return Operation(OperationName(name, "_validate_only"), kind, start, instances.clock.now())


# ---------------------------------------------------------------------------- partitions


def create_partition(
    instances: Instances, parent: str, partition_id: str, spec: PartitionSpec
) -> Operation:
    """Create an instance partition, in an instance of at least one node."""
    check_instance_partition_id(partition_id)
    name = InstanceName.parse(parent).partition(partition_id)
    if spec.name not in ("", str(name)):
        raise MismatchingName("instance partition", spec.name, str(name))
    instance = instances.instance(parent)
    check_feature(instances, parent, GEO_PARTITIONING)
    if not spec.config:
        raise MissingField("CreateInstancePartition", "instance_partition.config")
    _check_partition_config(instances, name, instances.configs.get(spec.config))
    start = instances.clock.now()
    partition = new_partition(str(name), spec, start)
    if instance.processing_units < UNITS_PER_NODE:
        raise InstanceTooSmall(parent, "instance partitions")
    with instances.mutex:
        instances.instance(parent)
        instances.partitions.add(partition)
    instances.configs.add_use(spec.config, name.project)
    return finished(instances.operations, name, PartitionCreation(partition), start)


def _check_partition_config(
    instances: Instances, name: InstancePartitionName, config: InstanceConfig
) -> None:
    """Raise if a new partition cannot have a configuration in its instance.

    The configurations that only emulators have follow no rules.
    """
    own = instances.config_of(name.parent)
    if own.published is not None and own.quorum != QuorumType.MULTI_REGION:
        reason = f"the instance uses {own.name}, not a multi-region configuration"
        raise PartitionConfigRefused(str(name), config.name, reason)
    if config.quorum == QuorumType.DUAL_REGION:
        raise PartitionConfigRefused(str(name), config.name, "it is a dual-region configuration")
    if config.published is None:
        return
    for other in instances.partitions.of(name.parent):
        used = instances.configs.used_by(other.config, name.project)
        if (used.base or used.name) == (config.base or config.name) and other.name != str(name):
            reason = f"{other.name} has the same base configuration"
            raise PartitionConfigRefused(str(name), config.name, reason)


def get_partition(instances: Instances, name: str) -> InstancePartition:
    """Return an instance partition.

    Raises InvalidName, InstanceNotFound and InstancePartitionNotFound.
    """
    instances.instance(str(InstancePartitionName.parse(name).parent))
    return instances.partitions.get(name)


def list_partitions(
    instances: Instances, parent: str, paging: PageRequest
) -> Page[InstancePartition]:
    """Return a page of the partitions of an instance, or of every instance of
    `projects/P/instances/-`.
    """
    instance = InstanceName.parse(parent)
    if instance.instance != EVERY_INSTANCE:
        instances.instance(parent)
    return instances.partitions.listed(instance, paging)


def update_partition(instances: Instances, spec: PartitionSpec, paths: Sequence[str]) -> Operation:
    """Change the fields of a partition that `paths` name."""
    get_partition(instances, spec.name)
    start = instances.clock.now()
    partition = instances.partitions.change(
        spec.name, lambda old: updated_partition(old, spec, paths, start)
    )
    name = InstancePartitionName.parse(spec.name)
    return finished(instances.operations, name, PartitionUpdate(partition), start)


def delete_partition(instances: Instances, name: str, expected: int | None) -> None:
    """Delete a partition that no placement names, in a database or a backup."""
    get_partition(instances, name)
    create_due_backups(instances)
    with instances.mutex:
        for user in users_of_partition(instances, name):
            raise PartitionInUse(name, user)
        instances.partitions.delete(name, expected)


def users_of_partition(instances: Instances, name: str) -> list[str]:
    """Return the databases and backups with placements in a partition, by name."""
    parsed = InstancePartitionName.parse(name)
    backups = instances.backups.of(parsed.parent)
    return databases_in(instances, name) + [
        backup.name for backup in backups if parsed.partition in backup.partitions
    ]


def databases_in(instances: Instances, name: str) -> list[str]:
    """Return the databases with placements in a partition, by name."""
    parsed = InstancePartitionName.parse(name)
    return [
        database.name
        for database in instances.databases_of(parsed.parent)
        if parsed.partition in database.partitions
    ]


# ---------------------------------------------------------------------------- moves


def move_instance(instances: Instances, name: str, target: str) -> Operation:
    """Move an instance to another configuration, with all its databases."""
    instance = InstanceName.parse(name)
    instances.instance(name)
    if not target:
        raise MissingField("MoveInstance", "target_config")
    instances.configs.get(target)
    if InstanceConfigName.parse(target).project != instance.project:
        raise InstanceCannotMove(name, "the target is in another project")
    create_due_backups(instances)
    start = instances.clock.now()

    def move(before: Instance) -> Instance:
        if instances.configs.name_of(before.config, instance.project) == target:
            raise InstanceThereAlready(name, target)
        if reason := _move_obstacle(instances, before, instance):
            raise InstanceCannotMove(name, reason)
        check_config(instances, name, target, before.edition)
        return replace(before, config=target)

    moved = instances.change_instance(name, move)
    _reset_regions(instances, instance)
    instances.configs.add_use(target, instance.project)
    return finished(instances.operations, instance, InstanceMove(moved), start)


def _reset_regions(instances: Instances, name: InstanceName) -> None:
    """Reset the leader regions that a moved instance does not offer, and all read leases."""
    allowed = instances.config_of(name).leaders
    for database in instances.databases_of(name):
        writer = alteration_writer(database.schema)
        id_ = DatabaseName.parse(database.name).database
        if allowed is not None and database.default_leader not in ("", *allowed):
            database.apply_ddl([writer.database_option(id_, "default_leader", None)])
        if "read_lease_regions" in database.schema.options:
            database.apply_ddl([writer.database_option(id_, "read_lease_regions", None)])


def _move_obstacle(instances: Instances, instance: Instance, name: InstanceName) -> str:
    if instances.backups.of(name):
        return "it has backups"
    if instances.partitions.of(name):
        return "it has instance partitions"
    if instance.autoscaling is not None:
        return "it is autoscaled"
    if instance.processing_units < UNITS_PER_NODE:
        return "it has less than one node"
    return ""
