"""Instance configs, instances and databases on the wire."""

from __future__ import annotations

from typing import Any

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.database.database import Database
from spanemu.database.instance import Instance, InstanceConfig, InstanceSpec
from spanemu.frontend.admin import wire
from spanemu.frontend.convert.timestamps import timestamp_to_proto

_SECONDS_PER_UNIT = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))


def config_to_proto(config: InstanceConfig) -> Any:
    """An InstanceConfig message."""
    return wire.InstanceConfig(
        name=config.name,
        display_name=config.display_name,
        config_type=wire.GOOGLE_MANAGED,
        state=wire.READY,
    )


def instance_to_proto(instance: Instance) -> Any:
    """An Instance message."""
    return wire.Instance(
        name=instance.name,
        config=instance.config,
        display_name=instance.display_name,
        node_count=instance.node_count,
        processing_units=instance.processing_units,
        state=wire.READY,
        labels=instance.labels,
        instance_type=wire.PROVISIONED,
        create_time=timestamp_to_proto(instance.create_time),
        update_time=timestamp_to_proto(instance.update_time),
        edition=instance.edition,
    )


def spec_from_proto(message: Any) -> InstanceSpec:
    """An instance as the caller describes it."""
    unsupported = {}
    if message.HasField("autoscaling_config"):
        unsupported["autoscaling_config"] = "Autoscaling of instances"
    if message.instance_type == wire.FREE_INSTANCE:
        unsupported["instance_type"] = "Free trial instances"
    if message.default_backup_schedule_type == wire.AUTOMATIC:
        unsupported["default_backup_schedule_type"] = "Default backup schedules"
    return InstanceSpec(
        name=message.name,
        config=message.config,
        display_name=message.display_name,
        node_count=message.node_count,
        processing_units=message.processing_units,
        labels=dict(message.labels),
        edition=message.edition,
        unsupported=unsupported,
    )


def database_to_proto(database: Database) -> Any:
    """A Database message."""
    return wire.Database(
        name=database.name,
        state=wire.READY,
        create_time=timestamp_to_proto(database.create_time),
        version_retention_period=retention_period(database.version_retention_nanos),
        earliest_version_time=timestamp_to_proto(database.earliest_version_time()),
        default_leader=database.default_leader,
        database_dialect=wire.GOOGLE_STANDARD_SQL,
        enable_drop_protection=database.drop_protection,
    )


def retention_period(nanos: int) -> str:
    """A duration as the API writes it, in the largest unit that gives a whole number.

    >>> retention_period(3_600 * NANOS_PER_SECOND)
    '1h'
    """
    seconds = nanos // NANOS_PER_SECOND
    unit, size = next(each for each in _SECONDS_PER_UNIT if seconds % each[1] == 0)
    return f"{seconds // size}{unit}"
