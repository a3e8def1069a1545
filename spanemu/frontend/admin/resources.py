"""The resources of the admin APIs as messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spanemu.admin.backup import Backup
from spanemu.admin.encryption import EncryptionConfig, EncryptionType
from spanemu.admin.instance import UNITS_PER_NODE, Autoscaling, Instance, InstanceSpec
from spanemu.admin.instance_config import InstanceConfig
from spanemu.admin.instance_partition import InstancePartition
from spanemu.admin.published_configs import STORAGE_LIMIT_PER_UNIT, Replica
from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.database.database import Database, RestoreSource
from spanemu.database.encryption import EncryptionKeys
from spanemu.frontend import wire
from spanemu.frontend.convert.types import timestamp_to_proto


def encryption_from_proto(owner: Any) -> EncryptionConfig | None:
    """Return the encryption in `owner.encryption_config`, or None if the field is not set."""
    if not owner.HasField("encryption_config"):
        return None
    config = owner.encryption_config
    known = {kind.value: kind for kind in EncryptionType}
    kind = known.get(config.encryption_type, EncryptionType.UNSPECIFIED)
    return EncryptionConfig(kind, keys_from_proto(config))


def encryption_to_proto(encryption: EncryptionConfig, message: Any) -> None:
    """Write an encryption config into a message of one of the three kinds."""
    message.encryption_type = encryption.type.value
    message.kms_key_name = encryption.keys.name
    message.kms_key_names.extend(encryption.keys.names)


def keys_from_proto(config: Any) -> EncryptionKeys:
    """Return the keys that an encryption config of any kind names."""
    return EncryptionKeys(config.kms_key_name, tuple(config.kms_key_names))


def database_encryption_config(keys: EncryptionKeys) -> Any:
    """Return a database's EncryptionConfig message; None for Google's default encryption."""
    if not keys.all:
        return None
    return wire.EncryptionConfig(kms_key_name=keys.name, kms_key_names=keys.names)


def encryption_info(keys: EncryptionKeys) -> list[Any]:
    """Return an EncryptionInfo message for each key in use; none for Google's encryption."""
    return [
        wire.EncryptionInfo(
            encryption_type=wire.CUSTOMER_MANAGED_ENCRYPTION, kms_key_version=version
        )
        for version in keys.versions
    ]


NO_TAILS: Mapping[str, int] = {}

_ETAG = re.compile(r"[0-9a-f]{16}")
_SECONDS_PER_UNIT = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))


def _replicas_to_proto(replicas: Iterable[Replica]) -> list[Any]:
    return [
        wire.ReplicaInfo(
            location=replica.location,
            type_=replica.kind,
            default_leader_location=replica.default_leader_location,
        )
        for replica in replicas
    ]


def config_to_proto(config: InstanceConfig) -> Any:
    """Return an InstanceConfig message."""
    message = wire.InstanceConfig(
        name=config.name,
        display_name=config.display_name,
        config_type=wire.USER_MANAGED if config.base else wire.GOOGLE_MANAGED,
        state=wire.READY,
        base_config=config.base,
        labels=config.labels,
        leader_options=config.leader_options,
        replicas=_replicas_to_proto(config.replicas),
        optional_replicas=_replicas_to_proto(config.optional_replicas),
        quorum_type=config.quorum,
    )
    if config.published is not None:
        offers_free = config.offers_free_instances
        message.free_instance_availability = wire.AVAILABLE if offers_free else wire.UNSUPPORTED
        message.storage_limit_per_processing_unit = STORAGE_LIMIT_PER_UNIT
    if config.base:
        message.etag = etag_of(config.version)
    return message


def partition_to_proto(partition: InstancePartition, databases: Sequence[str] = ()) -> Any:
    """Return an InstancePartition message; `databases` are the databases with placements in it."""
    message = wire.InstancePartition(
        name=partition.name,
        config=partition.config,
        display_name=partition.display_name,
        state=wire.READY,
        create_time=timestamp_to_proto(partition.create_time),
        update_time=timestamp_to_proto(partition.update_time),
        referencing_databases=databases,
        etag=etag_of(partition.version),
    )
    if partition.in_nodes:
        message.node_count = partition.processing_units // UNITS_PER_NODE
    else:
        message.processing_units = partition.processing_units
    if partition.autoscaling is not None:
        message.autoscaling_config.CopyFrom(autoscaling_to_proto(partition.autoscaling))
    return message


def etag_of(version: int) -> str:
    """Return the etag of a resource of that version."""
    return f"{version:016x}"


def version_of(etag: str) -> int | None:
    """Return the version that a caller expects; None: any version; -1: no version ever."""
    if not etag:
        return None
    return int(etag, 16) if _ETAG.fullmatch(etag) else -1


def instance_to_proto(instance: Instance) -> Any:
    """Return an Instance message."""
    message = wire.Instance(
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
        default_backup_schedule_type=wire.AUTOMATIC if instance.default_schedules else wire.NONE,
    )
    if instance.autoscaling is not None:
        message.autoscaling_config.CopyFrom(autoscaling_to_proto(instance.autoscaling))
    return message


def spec_from_proto(message: Any) -> InstanceSpec:
    """Return the instance that a caller describes."""
    unsupported = {}
    if message.instance_type == wire.FREE_INSTANCE:
        unsupported["instance_type"] = "Free trial instances"
    return InstanceSpec(
        name=message.name,
        config=message.config,
        display_name=message.display_name,
        node_count=message.node_count,
        processing_units=message.processing_units,
        labels=dict(message.labels),
        edition=message.edition,
        autoscaling=autoscaling_from_proto(message),
        default_schedules=message.default_backup_schedule_type == wire.AUTOMATIC,
        unsupported=unsupported,
    )


def autoscaling_from_proto(owner: Any) -> Autoscaling | None:
    """Return the autoscaling in `owner.autoscaling_config`, or None if the field is not set."""
    if not owner.HasField("autoscaling_config"):
        return None
    config = owner.autoscaling_config
    limits, targets = config.autoscaling_limits, config.autoscaling_targets
    low, high = limits.WhichOneof("min_limit"), limits.WhichOneof("max_limit")
    return Autoscaling(
        low=getattr(limits, low or "min_nodes"),
        high=getattr(limits, high or "max_nodes"),
        low_in_nodes=low != "min_processing_units",
        high_in_nodes=high != "max_processing_units",
        high_priority_cpu_percent=targets.high_priority_cpu_utilization_percent,
        total_cpu_percent=targets.total_cpu_utilization_percent,
        storage_percent=targets.storage_utilization_percent,
        asymmetric=bool(config.asymmetric_autoscaling_options),
    )


def autoscaling_to_proto(scaling: Autoscaling) -> Any:
    """Return an AutoscalingConfig message."""
    unit = "nodes" if scaling.low_in_nodes else "processing_units"
    return wire.AutoscalingConfig(
        autoscaling_limits={f"min_{unit}": scaling.low, f"max_{unit}": scaling.high},
        autoscaling_targets={
            "high_priority_cpu_utilization_percent": scaling.high_priority_cpu_percent,
            "total_cpu_utilization_percent": scaling.total_cpu_percent,
            "storage_utilization_percent": scaling.storage_percent,
        },
    )


def backup_to_proto(backup: Backup, tails: Mapping[str, int] = NO_TAILS) -> Any:
    """Return a Backup message. Copies and restores are done at once, so none refers to the backup.

    `tails` are the places of the youngest backups of chains: deleting an older backup frees
    nothing.
    """
    chain = backup.chain
    is_needed = chain is not None and chain.place < tails.get(chain.id, chain.place)
    encryption = encryption_info(backup.encryption_keys) or [
        wire.EncryptionInfo(encryption_type=wire.GOOGLE_DEFAULT_ENCRYPTION)
    ]
    instance = backup.name.partition("/backups/")[0]
    return wire.Backup(
        name=backup.name,
        database=backup.database,
        create_time=timestamp_to_proto(backup.create_time),
        version_time=timestamp_to_proto(backup.version_time),
        expire_time=timestamp_to_proto(backup.expire_time),
        max_expire_time=timestamp_to_proto(backup.max_expire_time),
        oldest_version_time=timestamp_to_proto(backup.oldest_version_time),
        size_bytes=backup.size_bytes,
        freeable_size_bytes=0 if is_needed else backup.size_bytes,
        exclusive_size_bytes=backup.exclusive_size_bytes,
        state=wire.READY,
        encryption_info=encryption[0],
        encryption_information=encryption,
        database_dialect=backup.content.generation.schema.dialect.number,
        backup_schedules=backup.schedules,
        incremental_backup_chain_id="" if chain is None else chain.id,
        instance_partitions=[
            wire.BackupInstancePartition(
                instance_partition=f"{instance}/instancePartitions/{partition}"
            )
            for partition in backup.partitions
        ],
    )


def backup_info(source: RestoreSource) -> Any:
    """Return a BackupInfo message: the backup from which a database was restored."""
    return wire.BackupInfo(
        backup=source.backup,
        version_time=timestamp_to_proto(source.version_time),
        create_time=timestamp_to_proto(source.create_time),
        source_database=source.source_database,
    )


def database_to_proto(database: Database) -> Any:
    """Return a Database message."""
    restored_from = database.restored_from
    return wire.Database(
        name=database.name,
        state=wire.READY,
        create_time=timestamp_to_proto(database.create_time),
        version_retention_period=retention_period(database.version_retention_nanos),
        earliest_version_time=timestamp_to_proto(database.earliest_version_time()),
        default_leader=database.default_leader,
        database_dialect=database.schema.dialect.number,
        enable_drop_protection=database.drop_protection,
        encryption_config=database_encryption_config(database.encryption_keys),
        encryption_info=encryption_info(database.encryption_keys),
        restore_info=None
        if restored_from is None
        else wire.RestoreInfo(source_type=wire.BACKUP, backup_info=backup_info(restored_from)),
    )


def retention_period(nanos: int) -> str:
    """Return a duration in the API's format, in the largest unit that gives a whole number.

    >>> retention_period(3_600 * NANOS_PER_SECOND)
    '1h'
    """
    seconds = nanos // NANOS_PER_SECOND
    unit, size = next((unit, size) for unit, size in _SECONDS_PER_UNIT if seconds % size == 0)
    return f"{seconds // size}{unit}"
